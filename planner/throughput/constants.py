"""Loader of ``data/throughput.csv``: every constant of the throughput model with its source."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from planner.catalog.data_files import data_dir
from planner.throughput.result import ThroughputError
from pricing.provenance import Grade, Source

NEAREST = "h100"  # whose figures an unknown accelerator takes


@dataclass(frozen=True, slots=True)
class Constant:
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
    FLOPs counted. ``busbw_bytes_per_s`` is None where nobody measured it; ``warnings`` name borrowed
    figures.
    """

    matmul_ceiling: float
    matmul_ceiling_fp8: float | None
    attention: float
    attention_2023: float
    busbw_bytes_per_s: float | None
    collective_s: float
    warnings: tuple[str, ...]


def read_constants(path: Path) -> Mapping[str, Constant]:
    """Reads a table of constants; raises ValueError on a double key or a value outside its band."""
    found: dict[str, Constant] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            constant = Constant(
                key=row["key"],
                value=float(row["value"]),
                low=float(row["low"]),
                high=float(row["high"]),
                unit=row["unit"],
                source=Source(row["source"], row["date"], Grade(row["grade"])),
                note=row["note"],
            )
            if constant.key in found or not constant.low <= constant.value <= constant.high:
                raise ValueError(f"{path.name}: {constant.key}: twice, or outside its own band")
            found[constant.key] = constant
    return MappingProxyType(found)


@cache
def constants() -> Mapping[str, Constant]:
    """The shipped constants, read once."""
    return read_constants(data_dir() / "throughput.csv")


_NO_TRIAL: Mapping[str, float] = MappingProxyType({})
_TRIAL: ContextVar[Mapping[str, float]] = ContextVar("trial", default=_NO_TRIAL)


@contextmanager
def trial_values(values: Mapping[str, float]) -> Iterator[None]:
    """Within it the model uses these values instead of the shipped ones: for fits and what-ifs."""
    token = _TRIAL.set({**_TRIAL.get(), **values})
    try:
        yield
    finally:
        _TRIAL.reset(token)


def value(key: str) -> float:
    """The value of a constant, in the unit of its row: the shipped one but for trials.

    >>> value("ecmp.z")
    1.9
    """
    trial = _TRIAL.get()
    return trial[key] if key in trial else constants()[key].value


def _family(accelerator_id: str) -> str:
    """The id itself or its part before the first hyphen, whichever the table knows."""
    known = (accelerator_id, accelerator_id.split("-")[0])
    return next((name for name in known if f"{name}.matmul_ceiling" in constants()), NEAREST)


def _own_or_nearest(family: str, figure: str) -> float:
    """The family's figure, else the nearest accelerator's."""
    key = f"{family}.{figure}"
    return value(key if key in constants() else f"{NEAREST}.{figure}")


def accelerator_figures(accelerator_id: str) -> AcceleratorFigures:
    """Figures of an accelerator: its id's, its family's (a100 for a100-80gb), else the H100's.

    >>> accelerator_figures("a100-80gb").matmul_ceiling
    0.869
    """
    family, table = _family(accelerator_id), constants()
    fp8 = table.get(f"{family}.matmul_ceiling_fp8")
    busbw = table.get(f"{family}.busbw_gbytes_per_s")
    borrowed = family == NEAREST and not accelerator_id.startswith(NEAREST)
    warning = f"no software figures for {accelerator_id}: the matmul ceiling of {NEAREST} is taken (guess)"
    return AcceleratorFigures(
        matmul_ceiling=value(f"{family}.matmul_ceiling"),
        matmul_ceiling_fp8=fp8.value if fp8 else None,
        attention=_own_or_nearest(family, "attention"),
        attention_2023=_own_or_nearest(family, "attention_2023"),
        busbw_bytes_per_s=busbw.value * 1e9 if busbw and not borrowed else None,
        collective_s=_own_or_nearest(family, "collective_s"),
        warnings=(warning,) if borrowed else (),
    )


def fp8_ceiling(figures: AcceleratorFigures, accelerator_id: str) -> float:
    """The FP8 matmul ceiling; raises ThroughputError where there is none."""
    if figures.matmul_ceiling_fp8 is None:
        raise ThroughputError(f"{accelerator_id} has no FP8 figures: choose precision bf16")
    return figures.matmul_ceiling_fp8
