"""``fabric-planner estimate``: a table of training runs in, the same table with predictions out."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from planner.catalog.parts import Catalog
from planner.catalog.sources import load_sources
from planner.cli.main import main
from planner.throughput.runs.columns import meaning
from planner.throughput.runs.prediction import ADDED, TableError, predict, predicted_table, read_table
from planner.throughput.runs.rows import RunError, read_run
from tests.throughput.cases import CONSTANTS

GPT_7B = {
    "series": "a", "model": "7b", "params": "6.7e9", "layers": "32", "hidden": "4096", "heads": "32",
    "vocab": "50368", "seq": "2048", "gpu": "H100", "gpus": "64", "tensor_parallel": "1",
    "pipeline_parallel": "1", "micro_batch": "2", "global_batch": "256", "sharding": "fsdp",
    "precision": "bf16", "fabric": "InfiniBand", "link_gbps": "400", "iter_time_s": "2.0",
}  # fmt: skip


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_sources().catalog


def text_of(*rows: Mapping[str, str]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def changed(**cells: str) -> dict[str, str]:
    return {**GPT_7B, **cells}


def test_rows_and_cells_stay_as_they_are_and_predictions_follow(catalog: Catalog) -> None:
    rows = [changed(series='odd, "quoted"'), changed(gpus="128"), changed(model="naïve ≈", gpus="x")]
    found = rows_of(predicted_table(text_of(*rows), catalog, anchor=False))
    assert [{k: v for k, v in row.items() if k not in ADDED} for row in found] == rows
    assert list(found[0])[-4:] == list(ADDED)
    assert [row["reason"] for row in found] == ["", "", "gpus is missing"]
    assert found[2]["predicted_iter_time_s"] == ""


def test_a_prediction_is_the_estimate_of_the_row(catalog: Catalog) -> None:
    (row,) = rows_of(predicted_table(text_of(GPT_7B), catalog, anchor=False))
    step_s, mfu = float(row["predicted_iter_time_s"]), float(row["predicted_mfu"])
    # 3 * (32 layers * (2*12*4096^2 + 4*2048*4096) + 2*4096*50368) FLOPs a token
    flops = 3 * (32 * (24 * 4096**2 + 4 * 2048 * 4096) + 2 * 4096 * 50368) * 256 * 2048
    assert mfu == pytest.approx(flops / (step_s * 64 * 989e12))
    assert 0.3 < mfu < 0.6
    assert 0.0 < float(row["exposed_fabric_share"]) < 0.5


def test_an_anchor_fixes_the_level_of_its_series(catalog: Catalog) -> None:
    rows = [
        changed(gpus="128", iter_time_s="9.9"), changed(iter_time_s="3.0"), changed(iter_time_s="7.0"),
        changed(series="b", gpus="32", iter_time_s="4.0"), changed(series="b", gpus="16", iter_time_s=""),
        changed(series="c", iter_time_s="n/a"), changed(series="", iter_time_s="1"),
    ]  # fmt: skip
    plain = rows_of(predicted_table(text_of(*rows), catalog, anchor=False))
    found = rows_of(predicted_table(text_of(*rows), catalog, anchor=True))
    times = [[float(r["predicted_iter_time_s"] or "nan") for r in t] for t in (plain, found)]
    # the first run on 64 GPUs is the anchor of "a"; its factor holds for the others
    assert [r["reason"] for r in found[:3]] == ["", "anchor", ""]
    assert times[1][1] == pytest.approx(3.0)
    factor = 3.0 / times[0][1]
    assert times[1][0] == pytest.approx(times[0][0] * factor)
    assert float(found[0]["predicted_mfu"]) == pytest.approx(float(plain[0]["predicted_mfu"]) / factor)
    assert found[0]["exposed_fabric_share"] == plain[0]["exposed_fabric_share"]
    # a run without a time cannot be an anchor, though it has fewer GPUs
    assert [r["reason"] for r in found[3:5]] == ["anchor", ""]
    no_time = "no run of its series has an iter_time_s to anchor on"
    assert [r["reason"] for r in found[5:]] == [no_time, no_time]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"gpu": "TPU v5p"}, "gpu 'TPU v5p' is not modelled"),
        ({"gpu": ""}, "gpu is missing"),
        ({"layers": ""}, "layers is missing"),
        ({"gpus": "-8"}, "gpus is -8: a whole number from 1 is needed"),
        ({"gpus": "12.5"}, "gpus is 12.5: a whole number from 1 is needed"),
        ({"global_batch": "32"}, "global_batch 32 is below the 64 replicas"),
        ({"tensor_parallel": "3"}, "TP x PP x CP = 3 does not divide 64 GPUs"),
        ({"pipeline_parallel": "64"}, "64 pipeline stages for 32 layers"),
        ({"precision": "tf32"}, "precision 'tf32' is not modelled"),
        ({"gpu": "A100-80GB", "precision": "fp8"}, "a100-80gb has no dense fp8 peak (known: bf16)"),
        ({"params": "6.71e11"}, "params 6.71e+11 are more than twice those of the shape"),
    ],
)
def test_a_row_that_cannot_be_predicted_says_why(
    catalog: Catalog, cells: dict[str, str], reason: str
) -> None:
    found = predict(changed(**cells), catalog, CONSTANTS)
    assert found.step_s is None
    assert found.reason.startswith(reason)


def test_empty_cells_and_other_words_take_the_stated_defaults(catalog: Catalog) -> None:
    bare = {
        "gpu": "NVIDIA A100", "gpus": "1,024", "layers": "96", "hidden": "12288", "seq": "2048",
        "global_batch": "1536", "tensor_parallel": "8", "pipeline_parallel": "8",
    }  # fmt: skip
    run = read_run(bare, catalog)
    job = run.workload
    assert (run.cluster.gpus, run.cluster.accelerator.id, run.measured_s) == (1024, "a100-80gb", None)
    fabric = run.cluster.fabric
    assert (fabric.technology, fabric.endpoint_gbps, fabric.nodes_per_unit) == ("roce", 200.0, 32)
    assert (job.precision, job.sharding, job.recompute, job.gradient_bytes) == ("bf16", "zero1", "none", 4.0)
    assert (job.virtual_pipeline, job.overlap, job.attention) == (8, True, "fused")
    assert (job.model.heads, job.model.kv_heads, job.model.ffn_hidden) == (96, 96, 49152)
    assert job.model.params == 96 * 12 * 12288**2 + 51200 * 12288
    assert predict(bare, catalog, CONSTANTS).reason == ""
    open_degrees = {k: v for k, v in bare.items() if not k.endswith("_parallel")}
    assert predict(open_degrees, catalog, CONSTANTS).step_s is not None


@pytest.mark.parametrize(
    ("column", "text", "means"),
    [
        ("gpu", "GB200 NVL72", "gb200"),
        ("gpu", "A100-SXM4-40GB", "a100-40gb"),
        ("gpu", "dgx h200", "h200"),
        ("fabric", "HDR InfiniBand", "infiniband"),
        ("fabric", "IB", "infiniband"),
        ("fabric", "RoCEv2", "roce"),
        ("fabric", "Spectrum-X Ethernet", "spectrum-x"),
        ("fabric", "TCP/IP", "ethernet"),
        ("fabric", "?", "roce"),
        ("recompute", "selective+SP(assumed)", "selective"),
        ("recompute", "none(assumed)", "none"),
        ("recompute", "full", "full"),
        ("sharding", "ZeRO-3", "fsdp"),
        ("sharding", "zero3-2021", "zero3-2021"),
        ("sharding", "DDP", "none"),
        ("sharding", "ZeRO-2", "zero1"),
        ("precision", "FP8-CS", "fp8"),
        ("precision", "fp16", "bf16"),
        ("precision", "nvfp4", ""),
        ("attention", "meg22", "unfused"),
        ("attention", "Megatron-DeepSpeed", "unfused"),
        ("overlap", "metaseq", "no"),
        ("attention", "fsdp", "fused-2023"),
        ("attention", "nemo-24.07", "fused"),
        ("overlap", "meg21", "no"),
        ("overlap", "ds21", "yes"),
        ("overlap", "ms-Megatron-LM", "no"),
        ("overlap", "mcore", "yes"),
    ],
)
def test_words(column: str, text: str, means: str) -> None:
    assert meaning(column, text) == means


def test_a_micro_batch_not_given_is_the_fastest_that_fits(catalog: Catalog) -> None:
    times = {b: predict(changed(micro_batch=b), catalog, CONSTANTS).step_s for b in ("1", "2", "4")}
    assert predict(changed(micro_batch=""), catalog, CONSTANTS).step_s == min(t for t in times.values() if t)


def test_a_micro_batch_that_does_not_fit_in_memory_is_not_chosen(catalog: Catalog) -> None:
    """Sequences of 16,384: 34 * 4096 * 16,384 B for each of 32 layers = 73 GB a sequence, of 72 usable.

    Two sequences would be faster a token; one is taken, since no smaller micro-batch is left.
    """
    long = {"seq": "16384", "global_batch": "128"}
    one, two, chosen = (
        predict(changed(**long, micro_batch=size), catalog, CONSTANTS).step_s for size in ("1", "2", "")
    )
    assert one is not None and two is not None
    assert two < one == chosen
    short = {"seq": "4096", "global_batch": "256"}  # 18 GB a sequence: two fit, four (73 GB) do not
    times = {
        size: predict(changed(**short, micro_batch=size), catalog, CONSTANTS).step_s
        for size in ("1", "2", "4", "")
    }
    assert times[""] == min(t for size, t in times.items() if t and size in ("1", "2"))


def test_micro_batches_that_do_not_divide_the_batch_keep_its_work(catalog: Catalog) -> None:
    # 5 sequences a replica in micro-batches of 2: 2.5 of them
    odd = predict(changed(global_batch="320"), catalog, CONSTANTS)
    even = predict(changed(global_batch="256"), catalog, CONSTANTS)
    assert odd.step_s == pytest.approx(1.25 * (even.step_s or 0.0), rel=0.02)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 'no column "gpus"'),
        ("series,layers\na,1\n", 'no column "gpus"'),
        ("gpus,gpus\n8,8\n", "column gpus twice"),
        ("gpus,reason\n8,x\n", "column reason twice, or one that is to be added"),
        ("gpus,gpu\n8\n", "line 2: 1 cells, the header has 2"),
        ('gpus,gpu\n8,"H100\n', "line 2: unexpected end of data"),
    ],
)
def test_a_broken_table_is_refused(text: str, words: str) -> None:
    with pytest.raises(TableError, match=words):
        read_table(text)


def test_a_table_without_rows_gets_its_columns(catalog: Catalog) -> None:
    assert predicted_table("gpus,gpu\n", catalog, anchor=True) == f"gpus,gpu,{','.join(ADDED)}\n"


@given(st.dictionaries(st.sampled_from(sorted(GPT_7B)), st.text(max_size=6) | st.integers().map(str)))
def test_no_cell_brings_a_row_down(cells: dict[str, str]) -> None:
    found = predict(changed(**cells), load_sources().catalog, CONSTANTS)
    assert (found.step_s is None) == (found.reason != "")


def test_the_command_writes_the_table_or_nothing(tmp_path: Path) -> None:
    runs, out = tmp_path / "runs.csv", tmp_path / "predicted.csv"
    runs.write_text("\ufeff" + text_of(GPT_7B), encoding="utf-8")
    done = CliRunner().invoke(main, ["estimate", str(runs), "--out", str(out), "--anchor"])
    assert done.exit_code == 0, done.output
    assert rows_of(out.read_text(encoding="utf-8"))[0]["reason"] == "anchor"
    out.unlink()
    for broken in (b"gpus,gpu\n8\n", b"gpus\n\xff\xfe\n"):
        runs.write_bytes(broken)
        done = CliRunner().invoke(main, ["estimate", str(runs), "--out", str(out)])
        assert done.exit_code == 2
        assert done.output.count("Error:") == 1
        assert not out.exists()
    missing = CliRunner().invoke(main, ["estimate", str(tmp_path / "none.csv"), "--out", str(out)])
    assert missing.exit_code == 2


def test_a_thousand_stages_are_no_number_of_layers(catalog: Catalog) -> None:
    with pytest.raises(RunError, match="1000 pipeline stages"):
        read_run(changed(pipeline_parallel="1000", gpus="64000"), catalog)
