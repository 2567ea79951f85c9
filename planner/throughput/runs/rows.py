"""A row of a table of training runs -> the job and the cluster that it ran on.

Columns are those of ``data/training_runs.csv``. Empty cells take stated defaults: what follows from the
others where something does, else the catalog's; ``planner.throughput.runs.prediction`` lists them.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar, get_args

from planner.catalog.data_files import data_dir
from planner.catalog.parts import Catalog, TrainedModel
from planner.catalog.technologies import TECHNOLOGIES
from planner.scenario.scenario import Attention, Precision, Recompute, Sharding, Workload
from planner.throughput.cluster import Cluster, FabricView
from planner.throughput.flops import params_of_shape
from planner.throughput.runs.columns import meaning
from pricing.guarded_files import file_text
from pricing.provenance import Grade, Source

Row = Mapping[str, str]


def _read_rows(path: Path) -> list[Row]:
    return list(csv.DictReader(io.StringIO(file_text(path), newline="")))


def training_runs() -> list[Row]:
    """The runs that came with the model, fitted ones among them."""
    return _read_rows(data_dir() / "training_runs.csv")


def more_training_runs() -> list[Row]:
    """Runs gathered from other public tables; none of them is fitted on."""
    return _read_rows(data_dir() / "training_runs_more.csv")


def fitted_prefixes() -> tuple[str, ...]:
    """Beginnings of the names of the series that the constants are fitted on."""
    return tuple(row["series_prefix"] for row in _read_rows(data_dir() / "training_runs_fit.csv"))


_SOURCE = Source("table of training runs", "", Grade.LIST)
_SERVERS = {
    "a100": "dgx-a100", "h100": "dgx-h100", "h800": "hgx-h800", "h200": "dgx-h200", "b200": "dgx-b200",
    "b300": "dgx-b300", "gb200": "gb200-nvl72", "gb300": "gb200-nvl72", "mi300x": "mi300x",
    "mi355x": "mi300x",
}  # fmt: skip
_VOCAB, _HEAD_SIZE, _CHUNKS = 51_200, 128, 8
_NODES_PER_UNIT = 32
_LARGEST, _LARGEST_WEIGHTS = 1e9, 1e15
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*g(?:b(?:it)?(?:/s|ps)?|e|bits?/s)?", re.IGNORECASE)


class RunError(ValueError):
    """The row cannot be predicted; the message says why."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run, read. ``measured_s`` is None where the table has no time; ``micro_batch`` None: not given."""

    workload: Workload
    cluster: Cluster
    micro_batch: int | None
    measured_s: float | None


def number(row: Row, column: str) -> float | None:
    """The cell as a finite number; None where it is empty or says nothing ("n/a", "?")."""
    text = (row.get(column) or "").strip().replace(",", "").replace("_", "")
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def whole(row: Row, column: str) -> int | None:
    """The cell as a whole number from 1; None where it is empty, 0 or no number. Raises RunError."""
    found = number(row, column)
    if found is None or found == 0:
        return None
    if found < 0 or found != int(found) or found > _LARGEST:
        raise RunError(f"{column} is {row[column].strip()}: a whole number from 1 is needed")
    return int(found)


def rate_gbps(row: Row) -> float | None:
    """The link rate of one port: 400, "400G", "400 Gb/s"; None where it is empty or says nothing."""
    found, text = number(row, "link_gbps"), (row.get("link_gbps") or "").strip()
    unit = _RATE.fullmatch(text)
    if found is None and unit:
        found = float(unit[1])
    return found if found is not None and 0 < found <= _LARGEST else None


def _needed(row: Row, column: str) -> int:
    found = whole(row, column)
    if found is None:
        raise RunError(f"{column} is missing")
    return found


def _flag(row: Row, column: str, default: bool) -> bool:
    text = (row.get(column) or "").strip().lower()
    if text in ("1", "1.0", "true", "yes", "y"):
        return True
    return False if text in ("0", "0.0", "false", "no", "n") else default


def _model(row: Row) -> TrainedModel:
    hidden, gated = _needed(row, "hidden"), _flag(row, "gated_mlp", False)
    heads = whole(row, "heads") or max(1, hidden // _HEAD_SIZE)
    usual = 4 * hidden if not gated else -(-8 * hidden // 3)
    shape = TrainedModel(
        id=(row.get("model") or "").strip() or "model",
        name=(row.get("model") or "").strip() or "model",
        params=0.0,
        layers=_needed(row, "layers"),
        hidden=hidden,
        ffn_hidden=whole(row, "ffn_hidden") or usual,
        heads=heads,
        kv_heads=whole(row, "kv_heads") or heads,
        vocab=whole(row, "vocab") or _VOCAB,
        sequence=_needed(row, "seq"),
        gated_mlp=gated,
        causal_flops=_flag(row, "causal_flops", False),
        source=_SOURCE,
        experts=whole(row, "experts") or 0,
        experts_per_token=whole(row, "experts_per_token") or 0,
        expert_ffn_hidden=whole(row, "expert_ffn_hidden") or 0,
        shared_experts=whole(row, "shared_experts") or 0,
        dense_layers=whole(row, "dense_layers") or 0,
        attention_params=number(row, "attention_params") or 0.0,
        attention_width=whole(row, "attention_width") or 0,
    )
    _check_shape(shape)
    return replace(shape, params=_params(row, shape))


def _check_shape(shape: TrainedModel) -> None:
    """Raises RunError where the columns of a model contradict each other."""
    if shape.dense_layers > shape.layers:
        raise RunError(f"dense_layers are {shape.dense_layers} of {shape.layers} layers")
    if not 0 <= shape.attention_params <= _LARGEST_WEIGHTS:
        raise RunError(f"attention_params is {shape.attention_params:g}: weights of a layer are needed")
    if shape.kv_heads > shape.heads:
        raise RunError(f"kv_heads are {shape.kv_heads} for {shape.heads} heads")


def _params(row: Row, shape: TrainedModel) -> float:
    """The given parameters, or those of the shape; a mixture of experts without its columns is refused."""
    follow, given = params_of_shape(shape), number(row, "params")
    if given is None or given <= 0:
        return follow
    if not shape.experts and given > 2 * follow:
        raise RunError(
            f"params {given:.3g} are more than twice those of the shape ({follow:.3g}): "
            "a mixture of experts needs experts, experts_per_token, expert_ffn_hidden and expert_parallel"
        )
    return given if given > follow / 2 else follow


def _word(row: Row, column: str, text: str | None = None) -> str:
    """What the cell means; raises RunError where it is not modelled."""
    said = (row.get(column) or "") if text is None else text
    means = meaning(column, said)
    if not means:
        raise RunError(
            f"{column} {said.strip()!r} is not modelled" if said.strip() else f"{column} is missing"
        )
    return means


_Known = TypeVar("_Known", bound=str)


def _one_of(column: str, word: str, known: tuple[_Known, ...]) -> _Known:
    """A word of the model's own; raises RunError where the table of words means another."""
    for one in known:
        if one == word:
            return one
    raise RunError(f"{column} {word!r} is not modelled")


def _cluster(row: Row, catalog: Catalog) -> Cluster:
    accelerator = catalog.accelerators[_word(row, "gpu")]
    server = catalog.servers[_SERVERS[accelerator.id.split("-")[0]]]
    rate = rate_gbps(row)
    view = FabricView(
        technology=_one_of("fabric", _word(row, "fabric"), TECHNOLOGIES),
        endpoint_gbps=float(server.nic_port_gbps) if rate is None else rate,
        endpoints_per_node=server.nic_ports_per_node,
        tiers=2,
        oversubscription=1.0,
        spine_oversubscription=1.0,
        nodes_per_unit=_NODES_PER_UNIT,
    )
    return Cluster(replace(server, accelerator=accelerator.id), accelerator, _gpus(row), view)


def _gpus(row: Row) -> int:
    """The GPUs, or the product of the degrees where they are missing."""
    degrees = [whole(row, f"{d}_parallel") for d in ("tensor", "pipeline", "context", "data")]
    given = whole(row, "gpus") or (math.prod(d or 1 for d in degrees) if degrees[-1] else None)
    return _needed(row, "gpus") if given is None else given


@dataclass(frozen=True, slots=True)
class _Degrees:
    """Parallel degrees; None stays open."""

    tensor: int | None
    pipeline: int | None
    virtual_pipeline: int
    context: int
    expert: int


def _degrees(row: Row, gpus: int, model: TrainedModel) -> _Degrees:
    """Parallel degrees as given. Raises RunError where they do not make up the GPUs."""
    tensor, pipeline = whole(row, "tensor_parallel"), whole(row, "pipeline_parallel")
    context, stages = whole(row, "context_parallel") or 1, pipeline or 1
    if tensor and pipeline:
        replica = tensor * pipeline * context
        if gpus % replica:
            raise RunError(f"TP x PP x CP = {replica} does not divide {gpus} GPUs")
    if stages > model.layers:
        raise RunError(f"{stages} pipeline stages for {model.layers} layers")
    chunks = whole(row, "virtual_pipeline") or min(_CHUNKS, -(-model.layers // stages))
    return _Degrees(
        tensor=tensor,
        pipeline=pipeline,
        virtual_pipeline=chunks if stages > 1 else 1,
        context=context,
        expert=whole(row, "expert_parallel") or 1,
    )


def measured_s(row: Row) -> float | None:
    """The measured time of a step; None where the table has none."""
    found = number(row, "iter_time_s")
    return found if found and found > 0 else None


def read_run(row: Row, catalog: Catalog) -> Run:
    """The run of a row. Raises RunError where something is missing that has no default."""
    if _flag(row, "offload", False):
        raise RunError("offload of states to the host is not modelled")
    cluster, model = _cluster(row, catalog), _model(row)
    degrees = _degrees(row, cluster.gpus, model)
    software = row.get("software") or ""
    sharding: Sharding = _one_of("sharding", _word(row, "sharding"), get_args(Sharding))
    micro_batch = whole(row, "micro_batch")
    workload = Workload(
        model,
        precision=_one_of("precision", _word(row, "precision"), get_args(Precision)),
        micro_batch=micro_batch or 1,
        global_batch_sequences=_needed(row, "global_batch"),
        fixed_batch=True,
        sequence_parallel=_flag(row, "sequence_parallel", True),
        recompute=_one_of("recompute", _word(row, "recompute"), get_args(Recompute)),
        sharding=sharding,
        gradient_bytes=4.0 if sharding == "zero1" else 2.0,
        overlap=_word(row, "overlap", software) == "yes",
        attention=_one_of("attention", _word(row, "attention", software), get_args(Attention)),
        tensor_parallel=degrees.tensor,
        pipeline_parallel=degrees.pipeline,
        virtual_pipeline=degrees.virtual_pipeline,
        context_parallel=degrees.context,
        expert_parallel=degrees.expert,
    )
    return Run(workload, cluster, micro_batch, measured_s(row))
