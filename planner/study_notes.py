"""What the answer rests on, in sentences: assumptions, defaults, what is not counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from planner.design import Plan
from planner.scenario import Scenario
from planner.study_notes_bill import beside_notes


class HasPlan(Protocol):
    """A technology's result."""

    @property
    def plan(self) -> Plan:
        """Its plan."""


def notes(scenario: Scenario, results: Sequence[HasPlan]) -> tuple[str, ...]:
    """Sentences that an answer prints below its figures."""
    finance, layout = scenario.finance, scenario.layout
    rows = [
        *beside_notes(scenario),
        "The fabric is designed anew only in build years; expired parts are bought again as they are.",
        f"Link lengths: node to leaf {layout.node_leaf_m:g} m, leaf to spine {layout.leaf_spine_m:g} m, "
        f"spine to core {layout.spine_core_m:g} m; the medium is the cheapest that reaches.",
        f"Switch support costs {finance.support_ratio_per_year:.0%} of the price a year; servers draw "
        f"{finance.server_power_use_ratio:.0%} of their maximum on average; switches, modules and NICs "
        "their typical power.",
    ]
    if scenario.prices.infiniband_pricing == "ratio" and any(
        r.plan.technology == "infiniband" for r in results
    ):
        ratio = scenario.prices.infiniband_price_ratio
        rows.append(
            f"InfiniBand switches and NICs are priced at {ratio:g} times the same-spec RoCE part per "
            'port-Gb/s (the seed says 1.5 to 2); infiniband_pricing = "book" takes the book\'s own prices.'
        )
    rows += [f"Default: {text}" for text in scenario.defaults_used]
    return tuple(rows)
