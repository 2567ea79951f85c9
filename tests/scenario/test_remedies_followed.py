"""A value that a fault says to write is one that the fault is not said of again."""

from __future__ import annotations

import re

import pytest

from planner.scenario.sections import every_attribute
from tests.scenario.scenario_small import CLUSTER, GROWTH, HEAD, MINIMAL, faults, said

RANGED = [
    (section.header, row.key, row.kind)
    for section, row in every_attribute()
    if section.header and not section.repeated and row.kind.startswith(("number", "whole number"))
]
BEYOND = ("-1000000000", "1000000000000000000")


def told(header: str, key: str, value: str) -> dict[str, str]:
    """Message -> remedy of the faults of one key with this value."""
    given = f"{key} = {value}\n"
    cluster, rest = (CLUSTER + given, "") if header == "cluster" else (CLUSTER, f"[{header}]\n{given}")
    found = faults(HEAD + cluster + GROWTH + rest)
    return {fault.message: fault.remedy for fault in found if fault.key == f"{header}.{key}"}


@pytest.mark.parametrize(("header", "key", "kind"), RANGED)
def test_the_bound_that_is_named_is_within(header: str, key: str, kind: str) -> None:
    """Of every number of the attribute tables, below its range and above it."""
    for beyond in BEYOND:
        value = beyond if kind.startswith("whole") else f"{beyond}.0"
        for message, remedy in told(header, key, value).items():
            bound = re.fullmatch(r"write at (?:least|most) (\S+)", remedy)
            assert not bound or message not in told(header, key, bound[1]), (message, remedy)


@pytest.mark.parametrize(
    ("refused", "followed"),
    [
        ("[fabric]\nplanes = 3", "[fabric]\nplanes = 4"),
        ("[fabric]\nnic_port_split = 3", "[fabric]\nnic_port_split = 2"),
        ("[fabric]\nswitches = ['qm9701']", "[fabric]\nswitches = ['qm9700']"),
        ("[fabric]\nlink_gbps = 40", "[fabric]\nlink_gbps = 400"),
        ("[fabric]\nmax_oversubscription = 2", '[fabric]\nmax_oversubscription = "2:1"'),
        ("[fabric]\npaths = [['roce', 'infiniband']]", "[fabric]\npaths = []"),
        ("[workload]\nmodel = 'gpt3-175'", "[workload]\nmodel = 'gpt3-175b'"),
        ("[workload]\nprecision = 'fp4'", "[workload]\nprecision = 'fp8'"),
        ("[prices]\nbook = 'referense'", "[prices]\nbook = 'reference'"),
        ("[prices]\nerosion_per_year = 1.5", "[prices]\nerosion_per_year = 0.1"),
        ("[prices.overrides]\nqm9701 = 5", "[prices.overrides]\nqm9700 = 5"),
        ("[constraints]\nswitch_vendors = ['Nvidea']", "[constraints]\nswitch_vendors = ['NVIDIA']"),
        ("[storage_fabric]\nserver_ports = 4.5", "[storage_fabric]\nserver_ports = 4"),
        ("[colocation]\nusd_per_kw_month = 9", "[colocation]\nusd_per_kw_month = 9\nincludes_power = true"),
        ("[lease]\nterm_years = 3", "[lease]\nterm_years = 3\nrate_ratio_per_year = 0.4"),
    ],
)  # fmt: skip
def test_what_a_fault_says_to_write_is_taken(refused: str, followed: str) -> None:
    assert said(f"{MINIMAL}{refused}\n")
    assert said(f"{MINIMAL}{followed}\n") == []
