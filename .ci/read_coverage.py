"""Coverage room by room. Usage: read_coverage.py COVERAGE.json."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path, PurePosixPath


def main() -> None:
    """Prints the share of the statements of every room that some test of the rooms runs."""
    statements, covered = Counter[str](), Counter[str]()
    for name, file in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["files"].items():
        room = str(PurePosixPath(name).parent)
        statements[room] += file["summary"]["num_statements"]
        covered[room] += file["summary"]["covered_lines"]
    for room in sorted(statements):
        share = covered[room] / max(1, statements[room])
        print(f"{share:6.1%}  {covered[room]:5} of {statements[room]:5}  {room}")


if __name__ == "__main__":
    main()
