"""The constants of the model: ``data/throughput.csv`` as one value that estimates are given.

Doors call ``load_constants`` and pass its value down; a fit or a test bed passes another one.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

from planner.catalog.data_files import data_dir
from planner.catalog.technologies import TECHNOLOGIES, Technology, is_technology
from planner.scenario.scenario import Calibration
from pricing.guarded_files import file_text
from pricing.provenance import Grade, Source

NEAREST = "h100"  # whose figures an unknown accelerator takes


@dataclass(frozen=True, slots=True)
class ConstantRow:
    """One figure with its band (``low`` to ``high``), unit and source."""

    key: str
    value: float
    low: float
    high: float
    unit: str
    source: Source
    note: str


@dataclass(frozen=True, slots=True)
class AcceleratorFigures:
    """What software reaches on an accelerator: shares of dense peak, NVLink all-reduce of 8 GPUs.

    ``attention`` and ``attention_2023`` are shares of the bf16 peak that fused attention reaches, causal
    FLOPs counted. ``matmul_ceiling_fp8`` and ``busbw_gbytes_per_s`` are None where nobody measured them;
    ``warnings`` name borrowed figures.
    """

    matmul_ceiling: float
    matmul_ceiling_fp8: float | None
    attention: float
    attention_2023: float
    busbw_gbytes_per_s: float | None
    collective_s: float
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Constants:
    """Every constant by name, in the unit of its row; a key's dot is an underscore here.

    ``efficiency`` (payload share of the link rate) and ``alpha_s`` (latency of a message without its hops)
    are by technology, ``accelerators`` by family or id. ``rows`` are what the fields were taken from.
    """

    kappa: float
    elementwise_passes: float
    exposed_ratio: float
    fp8_derate: float
    fp8_cast_passes: float
    weight_gradient_bytes: float
    routed_passes: float
    logit_bytes: float
    optimiser_bytes: float
    launch_s: float
    all_to_all_ratio: float
    zero3_2021_tensors_per_layer: float
    zero3_2021_overlap_window: float
    level_band: float
    level_band_experts: float
    scaling_band: float
    overlap_window_data_parallel: float
    overlap_window_fsdp: float
    overlap_ratio_pipeline: float
    hop_s: float
    scale_up_step_s: float
    ethernet_rate_ratio: float
    ethernet_rate_cap_gbps: float
    ecmp_flows_tuned: float
    ecmp_flows_default: float
    ecmp_z: float
    roce_off_tune_ratio: float
    roce_wrong_class_ratio: float
    spraying_load_ratio: float
    batch_cap_tokens: float
    default_batch_tokens_per_gpu: float
    default_batch_min_tokens: float
    hbm_usable_ratio: float
    busbw_ratio: float
    pcie4_busbw_gbytes_per_s: float
    efficiency: Mapping[Technology, float]
    alpha_s: Mapping[Technology, float]
    accelerators: Mapping[str, AcceleratorFigures]
    rows: Mapping[str, ConstantRow]


_BY_TECHNOLOGY = ("efficiency", "alpha_s")
_BY_ACCELERATOR = tuple(f.name for f in fields(AcceleratorFigures) if f.name != "warnings")
_TABLES = (*_BY_TECHNOLOGY, "accelerators", "rows")
_SINGLE = tuple(f.name for f in fields(Constants) if f.name not in _TABLES)


def read_rows(path: Path) -> Mapping[str, ConstantRow]:
    """Reads a table of constants; raises ValueError on a double key or a value outside its band."""
    found: dict[str, ConstantRow] = {}
    for line in csv.DictReader(io.StringIO(file_text(path), newline="")):
        row = ConstantRow(
            key=line["key"],
            value=float(line["value"]),
            low=float(line["low"]),
            high=float(line["high"]),
            unit=line["unit"],
            source=Source(line["source"], line["date"], Grade(line["grade"])),
            note=line["note"],
        )
        if row.key in found or not row.low <= row.value <= row.high:
            raise ValueError(f"{path.name}: {row.key}: twice, or outside its own band")
        found[row.key] = row
    return MappingProxyType(found)


def constants_of(rows: Mapping[str, ConstantRow]) -> Constants:
    """The constants in a table. Raises ValueError naming rows that are missing or that nothing takes."""
    values = {key: row.value for key, row in rows.items()}
    single = {key.replace(".", "_"): key for key in values}
    missing = [name for name in _SINGLE if name not in single]
    if missing:
        raise ValueError(f"no row of {', '.join(missing)}")
    tables = {name: _by_technology(values, name) for name in _BY_TECHNOLOGY}
    families = [key.removesuffix(".matmul_ceiling") for key in values if key.endswith(".matmul_ceiling")]
    taken = {single[name] for name in _SINGLE}
    taken |= {f"{technology}.{name}" for name in _BY_TECHNOLOGY for technology in tables[name]}
    taken |= {f"{family}.{figure}" for family in families for figure in _BY_ACCELERATOR}
    unknown = [key for key in values if key not in taken]
    if unknown:
        raise ValueError(f"no constant of the model: {', '.join(unknown)}")
    return Constants(
        **{name: values[single[name]] for name in _SINGLE},
        efficiency=tables["efficiency"],
        alpha_s=tables["alpha_s"],
        accelerators=MappingProxyType({family: _figures(values, family) for family in families}),
        rows=rows,
    )


def _by_technology(values: Mapping[str, float], name: str) -> Mapping[Technology, float]:
    found = {technology: values.get(f"{technology}.{name}") for technology in TECHNOLOGIES}
    return MappingProxyType({key: value for key, value in found.items() if value is not None})


def _figures(values: Mapping[str, float], family: str) -> AcceleratorFigures:
    """The figures of a family; kernels and latency of the nearest accelerator where it has none."""

    def own_or_nearest(figure: str) -> float:
        key = f"{family}.{figure}"
        return values[key if key in values else f"{NEAREST}.{figure}"]

    return AcceleratorFigures(
        matmul_ceiling=values[f"{family}.matmul_ceiling"],
        matmul_ceiling_fp8=values.get(f"{family}.matmul_ceiling_fp8"),
        attention=own_or_nearest("attention"),
        attention_2023=own_or_nearest("attention_2023"),
        busbw_gbytes_per_s=values.get(f"{family}.busbw_gbytes_per_s"),
        collective_s=own_or_nearest("collective_s"),
    )


@cache
def load_constants() -> Constants:
    """The shipped constants, read once: for the doors, which pass them down."""
    return constants_of(read_rows(data_dir() / "throughput.csv"))


def with_values(constants: Constants, values: Mapping[str, float]) -> Constants:
    """The constants with other values by key of the table: for fits and what-ifs.

    >>> with_values(load_constants(), {"ecmp.z": 2.0}).ecmp_z
    2.0
    """
    changed = {key: replace(constants.rows[key], value=value) for key, value in values.items()}
    return constants_of(MappingProxyType({**constants.rows, **changed}))


def accelerator_figures(constants: Constants, accelerator_id: str) -> AcceleratorFigures:
    """Figures of an accelerator: its id's, its family's (a100 for a100-80gb), else the H100's with a warning.

    >>> accelerator_figures(load_constants(), "a100-80gb").matmul_ceiling
    0.869
    """
    known = constants.accelerators
    own = known.get(accelerator_id) or known.get(accelerator_id.split("-")[0])
    if own is not None:
        return own
    warning = f"no software figures for {accelerator_id}: the matmul ceiling of {NEAREST} is taken (guess)"
    borrowed = () if accelerator_id.startswith(NEAREST) else (warning,)
    rate = None if borrowed else known[NEAREST].busbw_gbytes_per_s
    return replace(known[NEAREST], busbw_gbytes_per_s=rate, warnings=borrowed)


def with_measured(constants: Constants, measured: Calibration | None, accelerator_id: str) -> Constants:
    """The constants with what a test bed measured in their place; NVLink figures are of one accelerator.

    A measured payload share of TCP also takes the place of its share of the link and its cap.
    """
    if measured is None:
        return constants
    efficiency = {key: share for key, share in measured.e0.items() if is_technology(key)}
    alpha_s = {key: us * 1e-6 for key, us in measured.alpha_us.items() if is_technology(key)}
    figures = accelerator_figures(constants, accelerator_id)
    if measured.nvlink_busbw_gbytes_per_s is not None:
        figures = replace(figures, busbw_gbytes_per_s=measured.nvlink_busbw_gbytes_per_s)
    if measured.nvlink_alpha_us is not None:
        figures = replace(figures, collective_s=measured.nvlink_alpha_us * 1e-6)
    return replace(
        constants,
        efficiency=MappingProxyType({**constants.efficiency, **efficiency}),
        alpha_s=MappingProxyType({**constants.alpha_s, **alpha_s}),
        accelerators=MappingProxyType({**constants.accelerators, accelerator_id: figures}),
    )
