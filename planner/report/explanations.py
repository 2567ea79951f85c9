"""Why a number is what it is: its formula, the values in it, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass

from planner.catalog.defaults import Default
from planner.catalog.sources import Sources
from planner.cost.finance import opex_factor
from planner.cost.price_list import server_price
from planner.fabric.design import largest_fabric
from planner.study.result import TechnologyResult, delivered_tflops_years
from planner.study.study import Study
from planner.text import format as form
from pricing.provenance import Source


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a formula: what it is, how much, and who says so."""

    name: str
    amount: str
    source: str


@dataclass(frozen=True, slots=True)
class Why:
    """A figure with its formula in words and with numbers."""

    figure: str
    amount: str
    formula: str
    worked: str
    values: tuple[Value, ...]


FIGURES = (
    "Levelised cost", "TCO", "Network TCO", "Network share", "First-year capex", "Capex for throughput",
    "Effective TFLOP/s", "MFU", "Goodput", "Network power", "Oversubscription",
)  # fmt: skip
_PLANNED = "the planner, from this scenario"


def explain(figure: str, study: Study, result: TechnologyResult, sources: Sources) -> Why:
    """The explanation of one of ``FIGURES`` for a technology with a design and a total."""
    return _EXPLANATIONS[figure](study, result, sources)


def provenance(source: Source) -> str:
    """A source with its grade and date in one line."""
    return f"{source.text} ({source.grade.value}, {source.date})"


def _default(study: Study, sources: Sources, key: str, amount: str, name: str) -> Value:
    """A value of the scenario: the user's own where given, else the default with its source."""
    found: Default | None = sources.defaults.get(key)
    used = any(text.startswith(f"{key} ") for text in study.scenario.defaults_used)
    if used and found is not None:
        return Value(name, amount, f"default: {provenance(found.source)}")
    return Value(name, amount, "given in the scenario")


def _rate(study: Study, sources: Sources) -> Value:
    rate = study.scenario.finance.discount_rate
    return _default(study, sources, "finance.discount_rate", form.percent(rate), "Discount rate a year")


def _levelised(study: Study, result: TechnologyResult, sources: Sources) -> Why:
    rate = study.scenario.finance.discount_rate
    delivered = delivered_tflops_years(result.estimates, rate)
    amount = form.usd(result.levelised_usd_per_effective_tflops_year)
    years = tuple(
        Value(
            f"Effective TFLOP/s {d.year}, x {form.plain(round(opex_factor(rate, t), 4))}",
            form.tflops(e.effective_tflops), "the throughput model",
        )
        for t, (d, e) in enumerate(zip(result.designs, result.estimates, strict=True))
    )  # fmt: skip
    return Why(
        "Levelised cost", f"{amount} per effective TFLOP/s-year",
        "TCO / sum over the years of effective TFLOP/s x discount factor of the year's end",
        f"{form.usd(result.tco_usd)} / {form.tflops(delivered)}-years = {amount}",
        (Value("TCO", form.usd(result.tco_usd), _PLANNED), _rate(study, sources), *years),
    )  # fmt: skip


def _sum_of(result: TechnologyResult, network_only: bool) -> tuple[Value, ...]:
    sums: dict[str, float] = {}
    for line in result.costs:
        if line.network or not network_only:
            kind = "residual value" if line.flow == "residual" else f"{line.kind} ({line.flow})"
            sums[kind] = sums.get(kind, 0.0) + line.npv_usd
    ordered = sorted(sums.items(), key=lambda item: -abs(item[1]))
    return tuple(Value(kind, form.usd(usd), "bill of materials and prices") for kind, usd in ordered)


def _tco(study: Study, result: TechnologyResult, sources: Sources) -> Why:
    parts = _sum_of(result, network_only=False)
    return Why(
        "TCO", form.usd(result.tco_usd),
        "NPV of capex (start of each year) + opex (end of each year) - residual value (end of the horizon)",
        " + ".join(p.amount for p in parts) + f" = {form.usd(result.tco_usd)}",
        (_rate(study, sources), *parts),
    )  # fmt: skip


def _network_tco(study: Study, result: TechnologyResult, sources: Sources) -> Why:
    parts = _sum_of(result, network_only=True)
    return Why(
        "Network TCO", form.usd(result.network_tco_usd),
        "As TCO, of the compute fabric with its NICs only: no servers and not their electricity",
        " + ".join(p.amount for p in parts) + f" = {form.usd(result.network_tco_usd)}",
        (_rate(study, sources), *parts),
    )  # fmt: skip


def _share(study: Study, result: TechnologyResult, sources: Sources) -> Why:
    network, whole = form.usd(result.network_tco_usd), form.usd(result.tco_usd)
    amount = form.percent(result.network_share_ratio)
    return Why(
        "Network share", f"{amount} of TCO",
        "Network TCO / TCO",
        f"{network} / {whole} = {amount} of TCO",
        (Value("Network TCO", network, _PLANNED), Value("TCO", whole, _PLANNED)),
    )  # fmt: skip


def _capex(study: Study, result: TechnologyResult, sources: Sources) -> Why:
    first = result.years[0]
    servers = first.capex_usd - first.network_capex_usd
    server = study.scenario.server
    found = server_price(study.scenario, sources, server.sku)
    said = provenance(found.source) if found else "no price"
    return Why(
        "First-year capex", form.usd(first.capex_usd),
        "Servers bought in the year x price + every line of the year's bill of materials",
        f"{form.usd(servers)} + {form.usd(first.network_capex_usd)} = {form.usd(first.capex_usd)}",
        (
            Value(f"Servers: {server.name}", form.usd(servers), said),
            Value("Network", form.usd(first.network_capex_usd), "bill of materials: every line has a source"),
        ),
    )  # fmt: skip


def _capex_for_throughput(study: Study, result: TechnologyResult, sources: Sources) -> Why:
    first, estimate = result.years[0], result.estimates[0]
    amount = form.usd(result.usd_per_effective_tflops)
    return Why(
        "Capex for throughput", f"{amount} per effective TFLOP/s",
        "First-year capex / effective TFLOP/s of the first year",
        f"{form.usd(first.capex_usd)} / {form.tflops(estimate.effective_tflops)} = {amount}",
        (
            Value("First-year capex", form.usd(first.capex_usd), "bill of materials and prices"),
            Value("Effective TFLOP/s", form.tflops(estimate.effective_tflops), "the throughput model"),
        ),
    )  # fmt: skip


def _effective(study: Study, result: TechnologyResult, sources: Sources) -> Why:
    e, peak = result.estimates[0], _peak(study, sources)
    total = form.tflops(e.effective_tflops)
    alone = peak * e.job_gpus * e.mfu * e.goodput
    shares = f"{form.percent(e.mfu)} x {form.percent(e.goodput)}"
    worked = f"{form.tflops(peak)} x {form.counted(e.job_gpus, 'GPU')} x {shares} = {form.tflops(alone)}"
    if abs(alone / e.effective_tflops - 1) > 1e-6:  # a mix of jobs: the largest one is worked out
        worked += f" for the largest job; {total} for all jobs of the mix"
    accelerator = sources.catalog.accelerators[study.scenario.server.accelerator]
    return Why(
        "Effective TFLOP/s", total,
        "Peak TFLOP/s of a GPU x GPUs of the job x MFU x goodput",
        worked,
        (
            Value(f"Dense peak of {accelerator.name}", form.tflops(peak), provenance(accelerator.source)),
            Value("GPUs of the job", form.count(e.job_gpus), "the largest multiple of TP x PP x CP GPUs"),
            Value("MFU", form.percent(e.mfu), "the throughput model, before goodput"),
            Value("Goodput", form.percent(e.goodput), "failures, restarts and checkpoints (Young / Daly)"),
        ),
    )  # fmt: skip


def _peak(study: Study, sources: Sources) -> float:
    """Dense TFLOP/s of one GPU that MFU is a share of: that of bf16."""
    peaks = sources.catalog.accelerators[study.scenario.server.accelerator].peak_tflops
    return peaks.get(study.scenario.workload.precision, peaks["bf16"])


def _mfu(study: Study, result: TechnologyResult, sources: Sources) -> Why:
    e, peak, model = result.estimates[0], _peak(study, sources), study.scenario.workload.model
    flops = e.mfu * peak * e.job_gpus * e.step_time_s
    return Why(
        "MFU", form.percent(e.mfu),
        "Model FLOPs of a step / (step time x GPUs of the job x dense peak)",
        f"{form.tflops(flops).removesuffix(' TFLOP/s')} TFLOP / ({form.seconds(e.step_time_s)} x "
        f"{form.count(e.job_gpus)} x {form.tflops(peak)}) = {form.percent(e.mfu)}",
        (
            Value("Model", model.name, provenance(model.source)),
            Value("Global batch", form.counted(e.global_batch_sequences, "sequence"),
                  "scenario, grown with the GPUs"),
            Value("Parallelism", f"TP {e.tensor_parallel} x PP {e.pipeline_parallel} x DP {e.data_parallel}",
                  "scenario, or the planner's choice"),
            Value("Step time", form.seconds(e.step_time_s), "the throughput model: see Throughput"),
        ),
    )  # fmt: skip


def _goodput(study: Study, result: TechnologyResult, sources: Sources) -> Why:
    e, ops, nodes = result.estimates[0], study.scenario.operations, result.designs[0].nodes
    keys = (
        (
            "operations.failures_per_node_day",
            form.plain(ops.failures_per_node_day),
            "Failures a node and day",
        ),
        ("operations.restart_s", form.seconds(ops.restart_s), "Restart"),
        ("operations.checkpoint_write_s", form.seconds(ops.checkpoint_write_s), "Writing a checkpoint"),
    )
    return Why(
        "Goodput", form.percent(e.goodput),
        "(1 - nodes x failure rate x (restart + tau / 2)) / (1 + write / tau), tau = sqrt(2 x write x MTTF)",
        f"{form.counted(nodes, 'node')} in the first year: {form.percent(e.goodput)}",
        tuple(_default(study, sources, *key) for key in keys),
    )  # fmt: skip


def _power(study: Study, result: TechnologyResult, sources: Sources) -> Why:
    first, design = result.years[0], result.designs[0]
    power = {line.sku: (line.power_w, line.description) for line in result.bom}
    parts = sorted(
        ((n * power[sku][0], sku, n) for sku, n in design.need.items() if power.get(sku, (0.0, ""))[0]),
        reverse=True,
    )
    return Why(
        "Network power", form.kw(first.network_power_kw),
        "Sum over the parts in service of pieces x typical power, without PUE",
        " + ".join(form.kw(watts / 1000) for watts, _, _ in parts) + f" = {form.kw(first.network_power_kw)}",
        tuple(
            Value(f"{form.count(n)} x {sku}", form.kw(watts / 1000), _power_source(sources, sku))
            for watts, sku, n in parts
        ),
    )  # fmt: skip


def _power_source(sources: Sources, sku: str) -> str:
    catalog = sources.catalog
    part = catalog.switches.get(sku) or catalog.nics.get(sku)
    if part is not None:
        return provenance(part.power_source or part.source)
    other = catalog.transceivers.get(sku) or catalog.assemblies.get(sku)
    return provenance(other.source) if other else "given in the scenario"


def _ratio(study: Study, result: TechnologyResult, sources: Sources) -> Why:
    design = largest_fabric(result.designs[0])
    w = design.wiring
    down, up = w.down, w.leaf_up * w.uplink_factor
    amount = form.ratio(w.oversubscription)
    worked = (
        f"{form.count(down)} down : {form.count(up)} up = {amount}" if up else "one tier: no uplinks, 1:1"
    )
    asked = form.ratio(study.scenario.fabric.max_oversubscription)
    return Why(
        "Oversubscription", amount,
        "Endpoint bandwidth of the wired leaf / its uplink bandwidth",
        worked,
        (_default(study, sources, "fabric.max_oversubscription", asked, "Greatest ratio allowed"),
         Value("Link rate", form.gbps(w.link_gbps), "scenario, or the server's NICs")),
    )  # fmt: skip


_EXPLANATIONS = {
    "Levelised cost": _levelised, "TCO": _tco, "Network TCO": _network_tco, "Network share": _share,
    "First-year capex": _capex,
    "Capex for throughput": _capex_for_throughput, "Effective TFLOP/s": _effective, "MFU": _mfu,
    "Goodput": _goodput,
    "Network power": _power, "Oversubscription": _ratio,
}  # fmt: skip
