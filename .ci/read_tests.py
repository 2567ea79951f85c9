"""What a run of the tests must show beside passing. Usage: read_tests.py JUNIT.xml."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict

UNSKIPPED = ("tests.ui", "tests.library")
FEWEST = 50  # cases of everything that a proof is about
PROOFS = {
    "one year": {
        "no design", "power limit binds", "one tier", "two tiers", "three tiers", "rails", "planes",
        "several models", "breakouts", "uplinks at the ports' own rate", "reserved ports", "a given unit",
        "modules", "oversubscribed", "one choice alone",
    },
    "growth": {
        "three tiers possible", "three tiers chosen", "rails", "planes", "growth", "a piece used again",
        "links moved", "pieces sold", "stock", "money over time", "a limit binds", "no design",
        "two models chosen", "a need falls and rises again",
    },
}  # fmt: skip


def skipped_tests(cases: list[ET.Element]) -> list[str]:
    """What was skipped; ends the run where a test of the app or its library was, or none ran at all."""
    skipped = [f"{c.get('classname')}::{c.get('name')}" for c in cases if c.find("skipped") is not None]
    ran = [c for c in cases if str(c.get("classname")).startswith(UNSKIPPED)]
    if not ran or any(name.startswith(UNSKIPPED) for name in skipped):
        sys.exit(f"the tests of the app and its library did not all run: {skipped}")
    return skipped


def proven(cases: list[ET.Element]) -> dict[str, Counter[str]]:
    """Cases of every proof by what they are about; ends the run where something has too few."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for row in (row for case in cases for row in case.iter("property")):
        found[str(row.get("name"))].update(json.loads(str(row.get("value"))))
    rare = {(proof, fact): found[proof][fact] for proof, facts in PROOFS.items() for fact in facts}
    rare = {key: count for key, count in rare.items() if count < FEWEST}
    if rare:
        sys.exit(f"too few cases of {rare}")
    return found


def main() -> None:
    """Prints what was skipped and what the proofs were about."""
    cases = list(ET.parse(sys.argv[1]).iter("testcase"))
    skipped = skipped_tests(cases)
    print(f"{len(cases)} tests, {len(skipped)} skipped", *skipped, sep="\n  ")
    for proof, counts in proven(cases).items():
        print(f"{proof}: " + ", ".join(f"{fact} {count}" for fact, count in counts.most_common()))


if __name__ == "__main__":
    main()
