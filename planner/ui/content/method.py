"""The method in words, and the figures it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pandas as pd

from planner.catalog.parts import NicModel, SwitchModel
from planner.catalog.sources import Sources
from planner.throughput.constants import load_constants
from pricing.provenance import Grade, Source

FORMULAS = (
    ("Fat-tree", (
        "Every leaf has the same whole number m of links to every spine of its pod, so the spines of a pod "
        "divide the leaf's uplinks. Oversubscription = endpoint bandwidth / uplink bandwidth of the wired "
        "leaf. Two tiers reach radix²/2 endpoints without blocking, three tiers radix³/4.",
        "Checked against published designs: NVIDIA DGX SuperPOD, DeepSeek Fire-Flyer, ATOP (SIGCOMM 2025).",
    )),
    ("Collapsed pair", (
        "Where it is allowed, two leaves linked directly compete with one switch and with two tiers. Links "
        "between them >= endpoints of a leaf / oversubscription. Rail-optimised, a leaf takes half of the "
        "rails of every node, so that a rail never crosses; otherwise half of the nodes.",
        "NVIDIA enterprise reference designs: 64 GPU links and 32 links between two switches.",
    )),
    ("Choice of the design", (
        "Of all fat-trees that could serve each build year, an integer programme picks the path of least TCO "
        "over the horizon. Every port, ratio and dollar of the answer is checked again without the solver.",
        "HiGHS solver; the Plan page says where it stopped before the proof.",
    )),
    ("Patch panels", (
        "Where they are asked for, a fibre between switches ends in two ports of panels joined by a patch "
        "cord: per run two ports and one cord more. A moved link is a cord plugged elsewhere, at a share of "
        "a direct cable's labour and downtime. Where the choice is open, both ways are planned and the "
        "better is kept.",
        "Shares and panel prices are guesses of the data; copper, active cables and node links stay direct.",
    )),
    ("TCO", (
        "NPV of capex at the start of each year + opex at its end - residual value at the end of the "
        "horizon. Unexpired life: price paid x remaining life / life, at most the price of a new piece.",
        "One finance function for the programme and the report.",
    )),
    ("InfiniBand ratio", (
        "Price of an InfiniBand switch or NIC = ratio x price per port-Gb/s of the RoCE part of the same "
        "specification x its own port-Gb/s. It acts on reference prices only, never on yours.",
        "The project's founding text; the default stands in the list of defaults.",
    )),
    ("Step time", (
        "Matrix multiplication + memory traffic + NVLink + pipeline bubble + what of the fabric's work "
        "is not hidden. The fabric's share follows from gradient bytes / (link rate x NICs x efficiency "
        "of the spine).",
        "Megatron papers (Narayanan et al., SC21); constants are listed below with their sources.",
    )),
    ("Headroom", (
        "A fabric is admitted where the traffic of every tier is at most (1 - headroom) x the bandwidth "
        "wired there. Traffic = bytes that cross the tier in a step / step time on an ideal fabric; once a "
        "job spans two scalable units, all of it counts for every tier above the leaves.",
        "The Topology page shows it by tier; the default stands in the list of defaults.",
    )),
    ("Held against published runs", (
        "306 runs of 8 to 16,384 GPUs; the 211 outside the fit are 7.4% off in level and, with their series' "
        "smallest run as the anchor, 3.1% off in scaling. Known misses: Megatron 530B from 560 to 2,240 GPUs "
        "keeps 0.918 of its rate a GPU, printed 0.930 (the paper's own bubble alone gives 0.919); mixtures "
        "of experts on Blackwell come out 30% too fast, while DeepSeek's own run on H800 is 6% too slow.",
        "data/training_runs.csv, training_runs_more.csv; every row names its source. Five constants are "
        "fitted, on the series of training_runs_fit.csv.",
    )),
    ("Load balancing", (
        "Spine efficiency = min(1, 1 / (r o + 1.9 x sqrt(r o / q))): r is the share of traffic that crosses "
        "the spine, o the oversubscription, q the hash-distinct flows of a NIC. Adaptive routing or packet "
        "spraying: 1 / (1.03 r o).",
        "Meets three independent measurements of ECMP (Meta, SIGCOMM 2024; NVIDIA).",
    )),
    ("Goodput", (
        "(1 - nodes x failure rate x (restart + tau / 2)) / (1 + write / tau), tau = sqrt(2 x write x MTTF).",
        "Young 1974, Daly 2006; failures of Llama 3.",
    )),
    ("Effective TFLOP/s", (
        "Model FLOPs of a step / (step time x software factor) x goodput, of the whole cluster; idle "
        "GPUs count 0.",
        "FLOPs per token after Narayanan et al., SC21; recomputing never counts.",
    )),
    ("Levelised cost", (
        "TCO / NPV of effective TFLOP/s-years: what one effective TFLOP/s costs for one year.",
        "The comparison and the recommendation rest on it.",
    )),
)  # fmt: skip

GLOSSARY = (
    ("capex, opex", "what is paid once; what is paid every year"),
    ("dark port", "a port without a link: room for growth"),
    ("effective TFLOP/s", "the work that a job gets done, after failures"),
    ("goodput", "the share of time spent on steps that count"),
    ("grade", "how a figure was come by, from quote to guess"),
    ("leaf, spine, core", "switches of the first, second and third tier"),
    ("m", "links in the bundle between two switches"),
    ("MFU", "model FLOPs done / FLOPs possible at the dense peak"),
    ("non-blocking, 1:1", "as much bandwidth up as down"),
    ("NPV", "payments of all years, each discounted to the base year"),
    ("plane", "an independent copy of the fabric"),
    ("pod", "leaves that share one set of spines"),
    ("rail", "the NIC ports of one number on all nodes"),
    ("recabled", "an existing link whose end is plugged elsewhere"),
    ("residual value", "what hardware still counts for at the end"),
    ("scalable unit", "a block of nodes with its leaves, repeated"),
    ("stranded port", "one that the wiring neither uses nor can ever use"),
)


def data_files(sources: Sources) -> pd.DataFrame:
    """The shipped data files with how many of their figures have which grade."""
    shipped = load_constants().rows
    c = sources.catalog
    boxes: list[SwitchModel | NicModel] = [*c.switches.values(), *c.nics.values()]
    powers = [part.power_source for part in boxes if part.power_source]
    rows = [
        ("catalog/switches.csv, nics.csv", "ports, cages, breakout", [p.source for p in boxes]),
        ("catalog/switches.csv, nics.csv", "power", powers),
        ("catalog/transceivers.csv", "optics and power", [p.source for p in c.transceivers.values()]),
        ("catalog/assemblies.csv", "copper and active cables", [p.source for p in c.assemblies.values()]),
        ("catalog/fibres.csv", "fibre cables", [p.source for p in c.fibres.values()]),
        ("catalog/panels.csv", "patch panels", [p.source for p in c.panels.values()]),
        ("catalog/servers.csv", "servers", [p.source for p in c.servers.values()]),
        ("catalog/accelerators.csv", "GPU peaks and memory", [p.source for p in c.accelerators.values()]),
        ("catalog/models.csv", "trained models", [p.source for p in c.models.values()]),
        *(
            (f"prices/{name}.csv", "prices", [p.source for p in book.prices.values()])
            for name, book in sources.books.items()
        ),
        ("defaults.csv", "defaults of the scenario", [d.source for d in sources.defaults.values()]),
        (
            "throughput.csv",
            "constants of the throughput model",
            [k.source for k in shipped.values()],
        ),
    ]
    return pd.DataFrame([_file(*row) for row in rows])


def _file(file: str, holds: str, found: Iterable[Source]) -> dict[str, object]:
    counts = Counter(source.grade for source in found)
    return {"file": file, "holds": holds, "figures": counts.total(), **{g.value: counts[g] for g in Grade}}


def constants_frame() -> pd.DataFrame:
    """The constants of the throughput model with band, unit and source."""
    shipped = load_constants().rows
    return pd.DataFrame(
        [_figure(k.key, k.value, k.low, k.high, k.unit, k.source, k.note) for k in shipped.values()]
    )


def defaults_frame(sources: Sources) -> pd.DataFrame:
    """The defaults with band, unit and source."""
    found = sources.defaults.values()
    return pd.DataFrame([_figure(d.key, d.value, d.low, d.high, d.unit, d.source, d.note) for d in found])


def _figure(
    key: str, value: float, low: float | None, high: float | None, unit: str, source: Source, note: str
) -> dict[str, object]:
    return {
        "key": key, "value": value, "low": low, "high": high, "unit": unit, "grade": source.grade.value,
        "date": source.date, "source": source.text, "note": note,
    }  # fmt: skip
