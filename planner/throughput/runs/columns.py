"""The columns of a table of training runs, and what the words in their cells mean."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from planner.catalog.data_files import data_dir
from pricing.guarded_files import file_text

NEEDED = "needed"
_NOT_READ = "not read"

COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("gpu", "A100-40GB, A100-80GB, H100, H800, H200, B200, B300, GB200, GB300, MI300X", NEEDED),
    ("gpus", "GPUs of the run", "the product of the degrees"),
    ("layers", "transformer layers", NEEDED),
    ("hidden", "hidden size", NEEDED),
    ("seq", "tokens of a sequence", NEEDED),
    ("global_batch", "sequences of a step", NEEDED),
    ("series", "runs of one stack: what --anchor fixes the level of", "no anchor"),
    ("iter_time_s", "measured seconds of a step, for --anchor", "not measured"),
    ("heads", "attention heads", "hidden / 128"),
    ("kv_heads", "key-value heads", "as heads"),
    ("ffn_hidden", "width of the MLP", "4 x hidden; gated, 8/3 x hidden"),
    ("vocab", "words of the vocabulary", "51,200"),
    ("params", "parameters", "those of the shape"),
    ("gated_mlp", "1: three matrices in the MLP", "0"),
    ("causal_flops", "1: published FLOPs count half of the attention core", "0"),
    ("tensor_parallel", "GPUs of a tensor-parallel group", "the fastest that fits"),
    ("pipeline_parallel", "stages", "the fastest that fits"),
    ("virtual_pipeline", "interleaved chunks of a stage", "8, or as many as it has layers"),
    ("context_parallel", "GPUs that share a sequence", "1"),
    ("data_parallel", "replicas; read where gpus is empty", "the rest of the GPUs"),
    ("expert_parallel", "GPUs that share the experts", "1"),
    ("micro_batch", "sequences of a micro-batch", "the fastest of 1, 2 and 4 that fits"),
    ("recompute", "none, selective or full", "none"),
    ("sequence_parallel", "1 or 0", "1"),
    ("sharding", "none (DDP), zero1, fsdp (ZeRO-3)", "zero1"),
    ("offload", "1: states lie on the host, which is not modelled", "0"),
    ("precision", "bf16, fp16 or fp8", "bf16"),
    ("software", "names the stack: its overlap and attention kernels follow", "a stack of today"),
    ("fabric", "InfiniBand, RoCE, Spectrum-X, EFA, Ethernet (TCP)", "RoCE"),
    ("link_gbps", "rate of one NIC port", "that of the GPU's usual server"),
    ("experts", "routed experts of a layer", "dense"),
    ("experts_per_token", "of them, those that a token passes", "needed with experts"),
    ("expert_ffn_hidden", "width of one expert", "needed with experts"),
    ("shared_experts", "experts that every token passes", "0"),
    ("dense_layers", "layers without experts", "0"),
    ("attention_params", "weights of a layer's attention", "those of the shape"),
    ("attention_width", "heads x head size", "hidden"),
    ("model", "its name", ""),
    ("source", "who published the run", _NOT_READ),
    ("gradient_accumulation", "follows from the batch", _NOT_READ),
    ("iter_time_derived", "1: the time was worked out from another figure", _NOT_READ),
    ("note", "anything", _NOT_READ),
)


Words = Mapping[str, tuple[tuple[re.Pattern[str], str], ...]]


def read_words(path: Path) -> Words:
    """Patterns and what they mean by column, in the order of the file; "" means: not modelled."""
    found: dict[str, list[tuple[re.Pattern[str], str]]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(file_text(path), newline="")):
        found[row["column"]].append((re.compile(row["pattern"], re.IGNORECASE), row["means"]))
    return MappingProxyType({column: tuple(pairs) for column, pairs in found.items()})


@cache
def words() -> Words:
    """The shipped words, read once."""
    return read_words(data_dir() / "training_run_words.csv")


def meaning(column: str, text: str) -> str | None:
    """What ``text`` means in ``column``; "" where it is known but not modelled, None where not known.

    >>> meaning("gpu", "NVIDIA H100 SXM5"), meaning("fabric", "NDR InfiniBand"), meaning("fabric", "")
    ('h100', 'infiniband', 'roce')
    """
    matches = (means for pattern, means in words()[column] if pattern.search(text.strip()))
    return next(matches, None)
