"""What the answer rests on, in sentences: assumptions, defaults, what is not counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.scenario.bill import Bill
from planner.scenario.scenario import Layout, Scenario
from planner.study.islands import island_name, islands
from planner.study.result import FabricResult, TechnologyResult
from planner.text.format import count, percent, tflops, usd
from planner.throughput.between_sites import GRADIENT_BYTES, WideLink, link_rate_gbps
from planner.throughput.constants import accelerator_figures, load_constants
from planner.throughput.operating_states import POOLS_WARNING

_SMALL = "Not counted: software other than fabric managers, maintenance of servers, buildings, insurance."


def beside_notes(scenario: Scenario) -> Iterator[str]:
    """Switched-off sections by name, then the rules of those that are counted."""
    bill = scenario.bill
    off = [
        name
        for name, ask in (
            ("storage fabric", bill.storage),
            ("frontend fabric", bill.frontend),
            ("management network, racks and fabric managers", bill.management),
            ("spares", bill.spares),
            ("network staff", bill.staff),
        )
        if not ask.enabled
    ]
    if off:
        yield f"Switched off by the scenario, and not in any figure: {'; '.join(off)}."
    yield _SMALL
    limits = scenario.limits
    if limits.network_power_kw is not None or limits.rack_units is not None:
        yield "Limits on network power and rack units are of the compute fabric and its management network."
    yield from _sections(bill)
    yield from _running(scenario)


def _sections(bill: Bill) -> Iterator[str]:
    if bill.storage.enabled and bill.frontend.enabled and bill.frontend.carries_storage:
        yield "The frontend fabric carries storage: the storage servers' ports are on it."
    elif bill.storage.enabled:
        yield (
            "Storage fabric: one of its own, planned by the same rules from a few cheap switch models; "
            "ports that the server comes with are in its price; storage "
            "servers have two ports each, with uplinks for 1:1. The servers themselves are not in the bill."
        )
    if bill.frontend.enabled:
        yield "Frontend fabric: Ethernet, a node's ports on separate fabrics (A and B) of their own leaves."
    if bill.management.enabled:
        yield (
            "Out-of-band: a 1G port for each BMC, switch, PDU, fabric manager and storage server, by row of "
            "racks, with a pair of switches above them where there are more than two; InfiniBand has two "
            "fabric managers a subnet and a licence for each endpoint and year."
        )
    if bill.spares.enabled:
        ask = bill.spares
        yield (
            f"Spares: as many as cover the failures of {ask.replenishment_weeks:g} weeks with a probability "
            f"of {ask.service_level_ratio:.0%} (Poisson), for each part and fabric."
        )


def _running(scenario: Scenario) -> Iterator[str]:
    bill, years = scenario.bill, scenario.finance.horizon_years
    rates = bill.charges.shares()
    if rates:
        said = ", ".join(f"{name} {share:.2%}" for name, share in rates.items())
        yield f"Charges on the price of hardware, sunk when it is sold: {said}."
    else:
        yield "Freight, duty, sales tax and contingency are 0: the scenario gives none ([charges])."
    term = bill.upkeep.support_term_years
    renewals = [str(scenario.base_year + t) for t in range(term, years, term)]
    when = f"renewed in {', '.join(renewals)}" if renewals else "not renewed within the horizon"
    yield f"Support contracts of switches and managers: terms of {term} years, {when}, paid yearly."
    if bill.upkeep.replace_failures:
        yield (
            f"Failed NICs, modules and cables are bought anew, but for {bill.upkeep.warranty_years:g} of "
            f"their {scenario.finance.life_years} years (warranty); switches are under support."
        )
    space = bill.colocation
    if space.usd_per_kw_month:
        power = "with" if space.includes_power else "without"
        yield f"Space costs {space.usd_per_kw_month:g} USD a kW and month, {power} the electricity."
    else:
        yield "Space is not counted: the scenario gives no price of it ([colocation])."


_US = 1e6


def calibration_notes(scenario: Scenario) -> list[str]:
    """One sentence with the measured constants beside the shipped ones; none where nothing was measured."""
    parts = [*_of_the_fabric(scenario), *_of_the_node(scenario)]
    if scenario.workload.calibrated:
        parts.append(f"software factor of the step time {scenario.workload.stack_factor:.4g} instead of 1")
    return [f"Calibrated on a test bed: {'; '.join(parts)}."] if parts else []


def _of_the_fabric(scenario: Scenario) -> list[str]:
    measured, shipped = scenario.calibration, load_constants()
    if measured is None:
        return []
    found = []
    for words, values, usual, factor, unit in (
        ("payload share of the link", measured.e0, shipped.efficiency, 1.0, ""),
        ("latency of a message", measured.alpha_us, shipped.alpha_s, _US, " us"),
    ):
        for technology in (t for t in scenario.fabric.technologies if t in values):
            known = usual.get(technology)
            instead = "" if known is None else f" instead of {known * factor:.4g}"
            found.append(f"{words} over {technology} {values[technology]:.4g}{instead}{unit}")
    return found


def _of_the_node(scenario: Scenario) -> list[str]:
    measured = scenario.calibration
    if measured is None:
        return []
    shipped, found = accelerator_figures(load_constants(), scenario.server.accelerator), []
    if measured.nvlink_busbw_gbytes_per_s is not None:
        rate = shipped.busbw_gbytes_per_s
        instead = f" instead of {rate:.4g}" if rate else ""
        found.append(f"NVLink all-reduce {measured.nvlink_busbw_gbytes_per_s:.4g}{instead} GB/s")
    if measured.nvlink_alpha_us is not None:
        usual = shipped.collective_s * _US
        found.append(f"NVLink all-reduce latency {measured.nvlink_alpha_us:.4g} instead of {usual:.4g} us")
    return found


def generation_notes(scenario: Scenario) -> Iterator[str]:
    """How the generations share a fabric, or do not; nothing where all servers are alike."""
    kinds = scenario.generations
    if not kinds:
        return
    if scenario.fabric.join_generations:
        names = " and ".join(dict.fromkeys(kind.server.name for kind in kinds))
        yield (
            f"One fabric over {names}: the training job spans all of them and is paced by the slowest GPU; "
            "its MFU is a share of the peak of all GPUs. Servers and their power are counted by generation."
        )
        return
    names = "; ".join(island_name(part) for part in islands(scenario))
    yield (
        f"Each server generation is an island ({names}) with fabrics, fabric managers, racks and spares of "
        "its own, and runs a training job of its own: effective TFLOP/s are added, MFU is over the peak of "
        "all GPUs, the batch of an island's job is in proportion to its GPUs. [fabric] join_generations = "
        "true asks for one fabric where the ends of the links are alike."
    )
    yield (
        "Gear that an island no longer uses is sold, not offered to another island: at its unexpired life "
        "that is worth nearly as much; with other residual values an exchange by hand may be cheaper."
    )


def notes(scenario: Scenario, results: Sequence[TechnologyResult]) -> tuple[str, ...]:
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
    if scenario.prices.infiniband_pricing == "ratio" and any(r.technology == "infiniband" for r in results):
        ratio = scenario.prices.infiniband_price_ratio
        rows.append(
            f"InfiniBand switches and NICs are priced at {ratio:g} times the same-spec RoCE part per "
            'port-Gb/s (the seed says 1.5 to 2); infiniband_pricing = "book" takes the book\'s own prices.'
        )
    if not scenario.operations.memory_pools:
        rows.append(f"Operations: {POOLS_WARNING}.")
    rows += calibration_notes(scenario)
    rows += [
        _wide_link(r.technology, r.wide_link, scenario)
        for r in results
        if isinstance(r, FabricResult) and r.wide_link
    ]
    rows += [_left_out(r.technology) for r in results if r.plan.solver.dominated_left_out]
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
