"""[workload] and [operations] -> the training job and how the cluster is run.

The model is looked up, given column by column, or the default one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, get_args

from planner.catalog.parts import ServerModel, TrainedModel
from planner.scenario.document_reader import DocumentReader
from planner.scenario.job_keys import OperationsSection, WorkloadSection
from planner.scenario.scenario import Operations, Precision, Workload

_MODEL_COLUMNS = (
    "params", "layers", "hidden", "ffn_hidden", "heads", "kv_heads",
    "vocab", "sequence", "gated_mlp", "causal_flops",
    "experts", "experts_per_token", "expert_ffn_hidden", "shared_experts", "dense_layers",
)  # fmt: skip
_NEEDED_COLUMNS = ("params", "layers", "hidden", "heads")
_OPTIMISER_BYTES_PER_PARAM = 18  # mixed-precision Adam: weights 2, gradients 4, master copy and moments 12


def trained_model(reader: DocumentReader, section: WorkloadSection, fits: str) -> TrainedModel | None:
    """The model by id, by columns, or by an id with some columns changed; ``fits`` where none is given."""
    models = reader.sources.catalog.models
    gives = {c: getattr(section, c) for c in _MODEL_COLUMNS if getattr(section, c) is not None}
    whole = all(column in gives for column in _NEEDED_COLUMNS)
    if section.model is None and not gives and fits in models:
        reader.defaults_used.append(f'workload.model = "{fits}" (the contract\'s default)')
        return models[fits]
    if section.model is not None and section.model in models:
        model = dataclasses.replace(models[section.model], **gives)
    elif section.model is None or whole:
        for column in _NEEDED_COLUMNS:
            reader.required(
                ("workload", column), gives.get(column), "give it, or name a model of the catalog"
            )
        if not whole:
            return None
        model = _own_model(reader, section.model or "own-model", gives)
    else:
        reader.known_id(("workload", "model"), section.model, models, "model")
        return None
    if model.hidden % model.heads or model.heads % model.kv_heads:
        key = next((c for c in ("kv_heads", "heads", "hidden") if c in gives), "model")
        reader.fault(
            ("workload", key), "does not divide", "hidden must be a multiple of heads, heads of kv_heads"
        )
    return model


def _own_model(reader: DocumentReader, name: str, gives: Mapping[str, Any]) -> TrainedModel:
    """A model of the user's own; columns left out are those of the GPT-3 family."""
    usual = {
        "ffn_hidden": 4 * gives["hidden"], "kv_heads": gives["heads"], "vocab": 51_200, "sequence": 2_048,
        "gated_mlp": False, "causal_flops": False,
    }  # fmt: skip
    for column, value in usual.items():
        if column not in gives:
            reader.defaults_used.append(f"workload.{column} = {value} (as in the GPT-3 family)")
    return TrainedModel(id=name, name=name, source=reader.scenario_source(), **{**usual, **gives})


def fitting_model(reader: DocumentReader, server: ServerModel, gpus: int) -> str:
    """gpt3-175b where its weights and optimiser fit and divide, else llama3-8b."""
    first, second = "gpt3-175b", "llama3-8b"
    model = reader.sources.catalog.models.get(first)
    accelerator = reader.sources.catalog.accelerators.get(server.accelerator)
    if model is None or accelerator is None:
        return second
    tensor = min(8, server.nvlink_domain_gpus)
    for pipeline in (p for p in range(1, model.layers + 1) if model.layers % p == 0):
        parts = tensor * pipeline
        if (
            parts <= gpus
            and _OPTIMISER_BYTES_PER_PARAM * model.params / parts <= accelerator.hbm_gbytes * 1e9
        ):
            return first
    return second


def workload(reader: DocumentReader, server: ServerModel | None, gpus: int | None) -> Workload | None:
    """The training job; parallel degrees left out stay open."""
    section = reader.table(WorkloadSection)
    fits = fitting_model(reader, server, gpus) if server and gpus else "llama3-8b"
    model = trained_model(reader, section, fits)
    values = reader.filled(section, Workload, skip=frozenset({"model"}))
    accelerator = reader.sources.catalog.accelerators.get(server.accelerator) if server else None
    if accelerator and section.precision is not None:
        modelled = [word for word in accelerator.peak_tflops if word in get_args(Precision)]
        reader.known_id(("workload", "precision"), section.precision, modelled, "precision of this GPU")
    degrees = [values[k] or 1 for k in ("tensor_parallel", "pipeline_parallel", "context_parallel")]
    parts = degrees[0] * degrees[1] * degrees[2]
    if gpus is not None and parts > gpus:
        key = next(k for k in ("pipeline_parallel", "tensor_parallel", "context_parallel") if values[k])
        reader.fault(
            ("workload", key),
            f"makes one copy of the model take {parts} GPUs, of {gpus} in the first year",
            "lower tensor_parallel, pipeline_parallel or context_parallel",
        )
    return Workload(model=model, **values) if model else None


def operations(reader: DocumentReader) -> Operations:
    """How the fabric is run."""
    return Operations(**reader.filled(reader.table(OperationsSection), Operations))
