"""What the cluster asks of its network: GPUs and nodes in service, year by year."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from planner.scenario.scenario import Scenario


@dataclass(frozen=True, slots=True)
class YearDemand:
    """Nodes and GPUs in service in year ``t`` of the horizon; ``decides``: a build year.

    ``site_nodes`` are those of one site: each site has an equal fabric of its own.
    """

    t: int
    year: int
    gpus: int
    nodes: int
    site_nodes: int
    decides: bool


def demand(scenario: Scenario) -> tuple[YearDemand, ...]:
    """One entry a year of the horizon, from the first build year on: an island of a later server generation
    has no year before. GPUs that do not fill a node round the nodes up."""
    steps = {s.year: s.gpus for s in scenario.growth}
    rows, gpus = list[YearDemand](), 0
    for year in range(scenario.growth[0].year, scenario.years.stop):
        gpus, t = steps.get(year, gpus), year - scenario.base_year
        nodes = ceil(gpus / scenario.server.gpus_per_node)
        rows.append(YearDemand(t, year, gpus, nodes, ceil(nodes / scenario.wan.sites), year in steps))
    return tuple(rows)
