"""What the answer rests on, in sentences: assumptions, defaults, what is not counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from planner.design import Plan
from planner.format import count, percent, tflops, usd
from planner.operations_state import POOLS_WARNING
from planner.scenario import Layout, Scenario
from planner.study_notes_bill import beside_notes
from planner.study_notes_calibration import calibration_notes
from planner.study_notes_islands import generation_notes
from planner.throughput_wan import GRADIENT_BYTES, link_rate_gbps
from planner.wide_link import WideLink


class HasPlan(Protocol):
    """A technology's result."""

    @property
    def plan(self) -> Plan:
        """Its plan."""

    @property
    def wide_link(self) -> WideLink | None:
        """What the link between sites costs, None for one site."""


def notes(scenario: Scenario, results: Sequence[HasPlan]) -> tuple[str, ...]:
    """Sentences that an answer prints below its figures."""
    finance, layout = scenario.finance, scenario.layout
    rows = [
        *generation_notes(scenario),
        *beside_notes(scenario),
        "The fabric is designed anew only in build years; expired parts are bought again as they are.",
        f"Link lengths: node to leaf {layout.node_leaf_m:g} m, leaf to spine {layout.leaf_spine_m:g} m, "
        f"spine to core {layout.spine_core_m:g} m; the medium is the cheapest that reaches.",
        *_panels(layout),
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
    if not scenario.operations.memory_pools:
        rows.append(f"Operations: {POOLS_WARNING}.")
    rows += calibration_notes(scenario)
    rows += [_wide_link(r.plan.technology, r.wide_link, scenario) for r in results if r.wide_link]
    rows += [_left_out(r.plan.technology) for r in results if r.plan.solver.beaten_left_out]
    rows += [f"Default: {text}" for text in scenario.defaults_used]
    return tuple(rows)


def _left_out(technology: str) -> str:
    return (
        f"{technology}: so many designs lie within the limits of cost that those were left out which another "
        "of the same year beats, though one of them might spare moves in another year."
    )


def _panels(layout: Layout) -> Iterator[str]:
    """What patch panels are taken to be."""
    if True in layout.patch_panels:
        yield (
            "Patch panels: a fibre between switches of the compute fabric ends in two panel ports, with a "
            f"patch cord of {layout.jumper_m:g} m between them (within the length above); panels are whole "
            f"at each site. A link moved there takes {percent(layout.panel_labour_ratio)} of the labour and "
            f"{percent(layout.panel_downtime_ratio)} of the downtime. Copper and active cables and the "
            "nodes' links stay direct. The loss of the couplers is not checked."
        )


def _wide_link(technology: str, cost: WideLink, scenario: Scenario) -> str:
    """What the link between the sites costs one technology, in figures."""
    wan = scenario.wan
    price = (
        "its price is not given"
        if cost.link_usd_per_year is None
        else f"{usd(cost.link_usd_per_year)} a year"
    )
    names = {size: name for name, size in GRADIENT_BYTES.items()}
    sent = names.get(wan.gradient_bytes, f"{wan.gradient_bytes:g} bytes a gradient")
    formats = ", ".join(
        f"{name} {size:.3g} GB and {cost.exposed_s[name]:.2f} s"
        for name, size in cost.exchange_gbytes.items()
    )
    return (
        f"{technology}, link between {wan.sites} sites in {cost.year} (TCP, {link_rate_gbps(wan):g} Gb/s, "
        f"{wan.round_trip_ms:g} ms; gradients as {sent}): {percent(cost.share_ratio)} of a step; "
        f"{tflops(cost.effective_tflops)} against {tflops(cost.one_site_effective_tflops)} at one site, "
        f"{percent(cost.lost_ratio)} lost = {count(round(cost.lost_gpu_hours_per_year))} GPU-hours or "
        f"{usd(cost.lost_usd_per_year)} a year; the link: {price}. "
        f"Sent by a site in a step, and waited for: {formats}."
    )
