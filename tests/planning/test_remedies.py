"""Every reason why there is no plan names what leads on: each remedy is followed here once."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

import pytest

from planner.study.result import FabricResult
from planner.text.format import raised_to
from tests.support.making import Box, planned

MONEY: dict[str, Any] = {"residual": "unexpired-life", "life_years": 5, "horizon_years": 5}
EIGHT = [Box("a", 8, 10.0)]
HEAVY = {"model": "llama3-8b", "global_batch_sequences": 64}
Sections = Mapping[str, Any]

# name, nodes, switches, sections asked for, what the reason says, and what its remedies make of the sections
REFUSALS: list[tuple[str, int, list[Box], Sections, str, list[Sections]]] = [
    ("a part to come", 8, EIGHT, {"constraints": {"available_from": {"a": 2029}}},
     "a (from 2029); begin later, bring constraints.available_from forward to 2027, or allow other parts",
     [{"constraints": {"available_from": {"a": 2027}}}]),
    ("no switch of the rate", 8, [*EIGHT, Box("b", 8, 9.0, gbps=200, technologies=("infiniband",))],
     {"fabric": {"technologies": ["roce", "infiniband"], "link_gbps": 200}},
     "has ports of 200 Gb/s; write link_gbps = 100, or allow other switches",
     [{"fabric": {"technologies": ["roce", "infiniband"], "link_gbps": 100}}]),
    ("no switch of the technology", 8, [Box("a", 8, 10.0, technologies=("infiniband",))],
     {"fabric": {"technologies": ["roce", "infiniband"]}}, "no roce switch is allowed here; name one in",
     [{"switch": [{"id": "b", "technologies": ["roce"], "ports": 8, "port_gbps": 100, "price_usd": 1.0,
                   "power_w": 1.0, "form_factor": "test-cage"}]}]),
    ("a switch without a price", 8, [Box("a", 8, None)], {},
     "a: no price; give prices in [prices.overrides] or [[switch]]", [{"prices": {"overrides": {"a": 5.0}}}]),
    ("a switch without a height", 8, EIGHT, {"constraints": {"rack_units": 4}},
     "no rack height; give prices in [prices.overrides] or [[switch]], or take constraints.rack_units out",
     [{"constraints": {}}]),
    ("a node too far away", 8, EIGHT, {"layout": {"node_leaf_m": 5000}},
     "over 5000 m; write layout.node_leaf_m = 1000 or less", [{"layout": {"node_leaf_m": 1000}}]),
    ("spines too far away", 32, EIGHT, {"layout": {"leaf_spine_m": 5000}},
     "leaf to spine, over 5000 m; write layout.leaf_spine_m = 1000", [{"layout": {"leaf_spine_m": 1000}}]),
    ("cores too far away", 100, EIGHT, {"layout": {"spine_core_m": 5000}},
     "spine to core, over 5000 m; write layout.spine_core_m = 1000", [{"layout": {"spine_core_m": 1000}}]),
    ("too few tiers", 32, EIGHT, {"fabric": {"max_tiers": 1}}, "write max_tiers = 3",
     [{"fabric": {"max_tiers": 3}}]),
    ("too many endpoints", 150, EIGHT, {},
     'write max_oversubscription = "2:1", or spine_oversubscription = "2:1"',
     [{"fabric": {"max_oversubscription": "2:1"}}, {"fabric": {"spine_oversubscription": "2:1"}}]),
    ("too many endpoints for a plane", 100, EIGHT, {"cluster": {"nic_ports_per_node": 2}}, "or planes = 2",
     [{"cluster": {"nic_ports_per_node": 2}, "fabric": {"planes": 2}}]),
    ("too many free ports", 8, EIGHT, {"fabric": {"reserved_fabric_ports": 200}},
     "write reserved_fabric_ports = 0", [{"fabric": {"reserved_fabric_ports": 0}}]),
    ("too many spines", 32, EIGHT, {"fabric": {"min_spines": 9}}, "write min_spines = 1",
     [{"fabric": {"min_spines": 1}}]),
    ("too slow an endpoint", 32, EIGHT, {"fabric": {"bandwidth_headroom": 0.9}, "workload": HEAVY},
     "write bandwidth_headroom = 0.777, or raise link_gbps, or workload.global_batch_sequences",
     [{"fabric": {"bandwidth_headroom": 0.777}, "workload": HEAVY},
      {"fabric": {"bandwidth_headroom": 0.9}, "workload": {**HEAVY, "global_batch_sequences": 4096}}]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("nodes", "boxes", "asked", "said", "followed"),
    [pytest.param(*row[1:], id=row[0]) for row in REFUSALS],
)
def test_following_a_remedy_gives_a_plan(
    nodes: int, boxes: list[Box], asked: Sections, said: str, followed: list[Sections]
) -> None:
    refused = planned(nodes, boxes, **asked).plan
    assert refused.designs == ()
    assert said in (refused.reason or "")
    for sections in followed:
        result = planned(nodes, boxes, **sections)
        assert result.plan.designs, (sections, result.plan.reason)
        assert result.faults == ()


def test_where_nothing_asked_for_can_help_the_reason_says_what_else_does() -> None:
    reason = planned(3000, EIGHT).plan.reason or ""
    assert reason.endswith("allow larger switches, or plan fewer GPUs")
    assert planned(3000, [Box("a", 64, 10.0)]).plan.designs


def test_two_limits_that_no_fat_tree_keeps_together_are_raised_together() -> None:
    """32 nodes: 12 switches of the one model draw 1.2 kW, none of the other can be had before 2028."""
    boxes = [Box("a", 8, 10.0, power_w=100.0), Box("b", 8, 10.0, power_w=1.0)]
    limits: dict[str, Any] = {"network_power_kw": 0.1, "available_from": {"b": 2028}}
    reason = planned(32, boxes, constraints=limits).plan.reason or ""
    assert reason.endswith("takes is 1.2 kW: raise network_power_kw to 1.2")
    assert planned(32, boxes, constraints={**limits, "network_power_kw": 1.2}).plan.designs


def raised(constraints: Mapping[str, float], reason: str) -> dict[str, float]:
    """The constraints with every limit at what the reason says to raise it to."""
    remedy = reason.split("raise ", 1)[1].split(" (", 1)[0]
    found = {key: float(value) for key, value in re.findall(r"(\w+) to ([0-9.]+)", remedy)}
    assert found, reason
    assert all(value > constraints[key] for key, value in found.items()), reason
    return {**constraints, **found}


@pytest.mark.parametrize("seed", range(16))
def test_limits_raised_as_told_lead_to_a_plan(seed: int) -> None:
    """Power and money of odd figures, over one or two build years: one step for each of the two limits."""
    draw = random.Random(seed)
    boxes = [
        Box(name, draw.choice([8, 12]), draw.uniform(5, 50), power_w=draw.uniform(1, 500)) for name in "ab"
    ]
    nodes = [draw.randint(3, 12), draw.randint(13, 30)][: draw.choice([1, 2])]
    constraints = {"network_power_kw": draw.uniform(0.001, 1), "capex_usd_per_year": draw.uniform(5, 100)}

    def result(limits: Mapping[str, float]) -> FabricResult:
        return planned(nodes, boxes, finance=MONEY, constraints=limits)

    steps, found = 0, result(constraints)
    while not found.plan.designs and steps <= len(nodes) + 1:
        constraints, steps = raised(constraints, found.plan.reason or ""), steps + 1
        found = result(constraints)
    assert found.plan.designs, (steps, found.plan.reason)
    assert found.faults == ()
    assert max(year.capex_usd for year in found.years) <= constraints["capex_usd_per_year"]


def test_a_figure_is_raised_to_no_less_than_it_is() -> None:
    """Rounded to the nearest 3,204.4 W read 3.2 kW, which is asked for again and again."""
    assert raised_to(3.2044, 3) == "3.205"
    assert raised_to(0.1 + 0.2, 3) == "0.3"
    assert raised_to(12_345_678.4) == "12345679"
