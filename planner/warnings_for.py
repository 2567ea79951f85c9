"""What a reviewer would raise about a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planner.design import Design, Plan
from planner.scenario import Scenario
from planner.throughput import Estimate

UNICAST_LIDS = 49_151  # InfiniBand LIDs 0x0001 to 0xBFFF of one subnet (InfiniBand specification)


def warnings_for(plan: Plan, scenario: Scenario, estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """Warnings of all years, each with its first year, without repeats."""
    said: dict[str, int] = {}
    for design, estimate in zip(plan.designs, estimates, strict=True):
        for text in (*_of_design(plan.technology, design, scenario), *estimate.warnings):
            said.setdefault(text, design.year)
    return tuple(f"{year}: {text}" for text, year in said.items())


def _of_design(technology: str, design: Design, scenario: Scenario) -> Iterable[str]:
    wiring, size = design.wiring, design.size
    if wiring.tiers == 1:
        yield "a single switch carries all traffic of a plane: its failure stops the job"
    elif wiring.tiers == 2 and wiring.spines == 1:
        yield "one spine: its failure cuts every leaf off from the others"
    if technology == "infiniband" and not _manager_port(design):
        yield "every leaf and spine port is taken: no port is left for a fabric manager"
    addresses = size.endpoints + size.leaves + size.spines + size.cores
    if technology == "infiniband" and addresses > UNICAST_LIDS:
        yield (
            f"{addresses:,} endpoints and switches in a plane exceed the {UNICAST_LIDS:,} unicast LIDs of an "
            "InfiniBand subnet: routers or more planes are needed"
        )
    if wiring.planes > 1 and wiring.nic_port_split == 1:
        yield (
            f"{wiring.planes} planes of one fabric: GPUs of different planes reach each other through "
            "NVLink only"
        )


def _manager_port(design: Design) -> bool:
    """Whether some leaf's down port has no endpoint."""
    free = design.size.leaves * design.wiring.down - design.size.endpoints
    return free > 0
