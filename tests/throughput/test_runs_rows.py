"""Rows as other people write them: each is predicted or says why not; nothing crashes, nothing is NaN."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.catalog.sources import load_sources
from planner.throughput.runs.columns import meaning
from planner.throughput.runs.prediction import Prediction, predict, predicted_table, predictions
from planner.throughput.runs.rows import more_training_runs, training_runs
from tests.throughput.cases import (
    CONSTANTS,
)
from tests.throughput.test_runs_prediction import changed, rows_of, text_of

CATALOG = load_sources().catalog
PUBLISHED = [*training_runs(), *more_training_runs()]
COLUMNS = sorted({column for row in PUBLISHED for column in row})
CELLS = (
    "", "0", "1", "2", "3", "7", "8", "16", "64", "72", "128", "1000", "1,024", "100000", "1e6", "1e9",
    "1e12", "-1", "0.5", "1e-300", "1e300", "nan", "inf", "n/a", "?", " 8 ", "8x", "None", "400G", "unknown",
    "InfiniBand NDR", "RoCE v2", "EFAv2", "Slingshot-11", "100GbE", "NVIDIA H100 80GB HBM3", "A100-SXM4-40GB",
    "GB200 NVL72", "MI300X", "TPU v4", "fp8", "mxfp8", "fp16", "nvfp4", "true", "no", "full", "selective",
    "ZeRO-3", "hsdp", "ddp",
)  # fmt: skip


def sound(found: Prediction) -> bool:
    """A row has all three figures in their ranges and no reason, or a reason and no figure."""
    figures = (found.step_s, found.mfu, found.exposed_fabric_share)
    if found.reason:
        return figures == (None, None, None)
    step_s, mfu, share = (math.nan if figure is None else figure for figure in figures)
    return 0 < step_s < math.inf and 0 < mfu < 1 and 0 <= share <= 1


@settings(max_examples=400)
@given(
    st.sampled_from(PUBLISHED), st.dictionaries(st.sampled_from(COLUMNS), st.sampled_from(CELLS), max_size=6)
)
def test_any_cells_in_a_published_row(row: Mapping[str, str], cells: dict[str, str]) -> None:
    assert sound(predict({**row, **cells}, CATALOG, CONSTANTS))


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"dense_layers": "33"}, "dense_layers are 33 of 32 layers"),
        ({"attention_params": "-5"}, "attention_params is -5"),
        ({"attention_params": "1e300"}, "attention_params is 1e+300"),
        ({"kv_heads": "64"}, "kv_heads are 64 for 32 heads"),
        ({"gpu": "H100 PCIe"}, "gpu 'H100 PCIe' is not modelled"),
        ({"gpu": "GH200"}, "gpu 'GH200' is not modelled"),
        ({"fabric": "GPUDirect-TCPX"}, "fabric 'GPUDirect-TCPX' is not modelled"),
        ({"offload": "1"}, "offload of states to the host is not modelled"),
    ],
)
def test_what_is_no_such_job_says_so(cells: dict[str, str], reason: str) -> None:
    """More dense layers than layers gave a negative step; weights of 1e300 an MFU that is no number."""
    found = predict(changed(**cells), CATALOG, CONSTANTS)
    assert found.reason.startswith(reason)
    assert sound(found)


@pytest.mark.parametrize(
    ("column", "text", "means"),
    [
        ("gpu", "8xH100", "h100"), ("gpu", "H100 NVLink", "h100"), ("gpu", "NVIDIA GB300 NVL72", "gb300"),
        ("fabric", "NDR400", "infiniband"), ("fabric", "4xHDR", "infiniband"),
        ("fabric", "8x IB", "infiniband"), ("fabric", "EFAv3", "spectrum-x"),
        ("fabric", "Slingshot-11", "roce"), ("fabric", "NVLink", "roce"),
        ("recompute", "AC", "full"), ("sharding", "ZeRO-Infinity", "fsdp"), ("sharding", "stage 3", "fsdp"),
    ],
)  # fmt: skip
def test_words_as_people_write_them(column: str, text: str, means: str) -> None:
    assert meaning(column, text) == means


@pytest.mark.parametrize("text", ["400", "400.0", "400G", "400 Gb/s", "400Gbps", " 400 gbit/s "])
def test_a_link_rate_with_its_unit_is_that_rate(text: str) -> None:
    """Read as no number, 200G on an H100 node would have been its server's 400."""
    as_number, as_text, plain_slow, slow, unknown = (
        predict(row, CATALOG, CONSTANTS).step_s
        for row in (
            changed(link_gbps="400"),
            changed(link_gbps=text),
            changed(link_gbps="200"),
            changed(link_gbps=text.replace("400", "200")),
            changed(),
        )
    )
    assert as_text == as_number
    assert slow == plain_slow != unknown


def test_a_rack_of_72_keeps_tensor_parallel_groups_of_72_off_the_fabric() -> None:
    cells = {"gpu": "GB200", "gpus": "72", "tensor_parallel": "8", "global_batch": "144"}
    assert predict(changed(**cells), CATALOG, CONSTANTS).exposed_fabric_share == 0.0
    beyond = predict(changed(**{**cells, "gpus": "144"}), CATALOG, CONSTANTS).exposed_fabric_share
    assert beyond is not None and beyond > 0.0


def test_a_job_that_stands_in_the_table_often_is_estimated_once_and_timed_each_time() -> None:
    rows = [changed(iter_time_s=time, series=name) for time, name in (("2", "a"), ("3", "b"), ("n/a", "c"))]
    found = predictions(rows, CATALOG, CONSTANTS, anchor=False)
    assert len({id(p.run.workload) for p in found if p.run}) == 1
    assert [p.run.measured_s if p.run else 0 for p in found] == [2.0, 3.0, None]
    again = rows_of(predicted_table(text_of(*rows), CATALOG, anchor=True))
    assert [row["reason"] for row in again[:2]] == ["anchor", "anchor"]
    assert [float(row["predicted_iter_time_s"]) for row in again[:2]] == pytest.approx([2.0, 3.0])


def test_twenty_thousand_rows_come_back_in_their_order() -> None:
    rows = [changed(gpus=str(8 * (1 + i % 50)), series=str(i)) for i in range(20_000)]
    found = rows_of(predicted_table(text_of(*rows), CATALOG, anchor=False))
    assert [row["series"] for row in found] == [row["series"] for row in rows]
    assert {row["reason"] for row in found} <= {"", *(r["reason"] for r in found[:50])}
    assert [row["predicted_iter_time_s"] for row in found[:50]] == [
        row["predicted_iter_time_s"] for row in found[-50:]
    ]
