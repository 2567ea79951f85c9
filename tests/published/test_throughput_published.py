"""The model at its shipped constants against published training runs.

``data/training_runs.csv`` came with the project, ``data/training_runs_more.csv`` was gathered from other
public tables and is never fitted on; each row names its source. ``data/training_runs_fit.csv`` names the
series that the five free constants are fitted on (``python -m planner.throughput.runs.fit``).
"""

from __future__ import annotations

from functools import cache
from statistics import fmean, median

import pytest

from planner.catalog.sources import load_sources
from planner.throughput.constants import load_constants, with_values
from planner.throughput.runs.accuracy import Score, by_group, by_series, scores, summary, table
from planner.throughput.runs.fit import FITTED, loss
from planner.throughput.runs.prediction import Prediction, predict
from planner.throughput.runs.rows import fitted_prefixes, more_training_runs, training_runs
from planner.ui.content.method import FORMULAS

CONSTANTS = load_constants()
GIVEN, MORE = training_runs(), more_training_runs()


@cache
def all_scores() -> tuple[Score, ...]:
    return tuple(scores([*GIVEN, *MORE], load_sources().catalog, CONSTANTS, fitted_prefixes()))


def outside() -> list[Score]:
    return [run for run in all_scores() if not run.fitted]


def anchored_errors(runs: list[Score]) -> list[float]:
    return [abs(run.anchored_error) for run in runs if run.anchored_error is not None]


# with the shipped constants, in percent; a change of either must say so
LEVEL_PERCENT = {
    "SC21-T1": 2.0,
    "SC21-T2-PTD": 0.7,
    "SC21-T2-ZeRO3": 6.6,
    "RAR22": 5.3,
    "MT-NLG-MT-NLG 530B": 20.3,
    "MegaScale": 10.8,
    "MCore-H100": 11.0,
    "MCore-H100-strong": 3.6,
    "Foundry-A100-80GB-bf16": 5.2,
    "Foundry-A100-40GB-bf16": 3.2,
    "MLPerf-v3.0": 11.1,
    "MLPerf-v3.1": 1.0,
    "MLPerf-v4.1": 6.9,
    "NeMo-24.07": 6.4,
    "Bridge-25.11-GB300": 4.8,
    "Bridge-25.11-GB200": 10.1,
    "Bridge-25.11-B200": 7.9,
    "Bridge-25.11-H100": 10.0,
    "Llama3-405B": 9.0,
    "Llama3-405B-s131072": 1.0,
    "Nemotron4-340B": 6.2,
    "Foundry-H100-bf16": 5.6,
    "Foundry-H100-fp8": 8.9,
    "DeepSeek-V3-H800": 6.0,
    "Experts-Bridge": 29.6,
}


def test_errors_by_published_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The table, and each group's mean absolute error in percent as measured with the shipped constants.

    A change of model or constants changes these figures and must say so. ZeRO-3 of 2021 is modelled in
    a way that was chosen on its own six rows.
    """
    groups = by_group(all_scores())
    totals = [summary("all outside the fit", outside()), summary("all", all_scores())]
    with capsys.disabled():
        print("\npredicted against measured step time; * = fitted on\n" + table([*groups, *totals]))
        print("\nseries with several runs\n" + table(by_series(all_scores())))
    measured = {group.name: 100 * group.absolute for group in groups}
    assert measured == pytest.approx(LEVEL_PERCENT, abs=0.06)
    assert [group.name for group in groups if group.fitted] == [
        "SC21-T1", "Foundry-A100-40GB-bf16",
    ]  # fmt: skip


def test_every_published_run_is_predicted() -> None:
    assert (len(GIVEN), len(MORE)) == (206, 100)
    assert len(all_scores()) == 306
    assert all(row["source"] for row in (*GIVEN, *MORE))


def test_level_outside_the_fit_is_known_to_ten_percent() -> None:
    assert len(outside()) == 211
    assert fmean(abs(run.error) for run in outside()) <= 0.075  # measured 0.0735
    given = [run for run in outside() if run.series in {row["series"] for row in GIVEN}]
    assert fmean(abs(run.error) for run in given) <= 0.07  # measured 0.0654


def test_scaling_outside_the_fit_is_known_to_four_percent() -> None:
    """Anchored on the smallest run of each series: mean of all runs, median of the series' medians."""
    errors = anchored_errors(outside())
    assert len(errors) == 40
    assert fmean(errors) <= 0.04  # measured 0.0311
    given = {row["series"] for row in GIVEN}
    came_with_it = anchored_errors([run for run in outside() if run.series in given])
    assert (len(came_with_it), fmean(came_with_it) <= 0.04) == (23, True)  # measured 0.0368
    medians = [s.anchored_median for s in by_series(outside()) if s.anchored_median is not None]
    assert median(medians) <= 0.03


def test_the_method_page_says_what_was_measured() -> None:
    """Figures in words go stale where nothing holds them to what they are of."""
    (said,) = (formula for name, (formula, _) in FORMULAS if name == "Held against published runs")
    level, scaling = (
        fmean(errors) for errors in ([abs(r.error) for r in outside()], anchored_errors(outside()))
    )
    experts = next(group for group in by_group(all_scores()) if group.name == "Experts-Bridge")
    for figure in (
        f"{len(all_scores())} runs", f"{100 * level:.1f}% off in level", f"{100 * scaling:.1f}% off in scal",
        "0.918 of its rate a GPU, printed 0.930", f"{-100 * experts.bias:.0f}% too fast",
    ):  # fmt: skip
        assert figure in said


def test_scaling_of_all_runs() -> None:
    """Also with the fitted series, whose A100-40GB runs change their micro-batch from size to size."""
    errors = anchored_errors(list(all_scores()))
    assert len(errors) == 76
    assert fmean(errors) <= 0.04  # measured 0.0376
    assert median(errors) <= 0.02


def test_the_shipped_constants_are_the_fitted_ones() -> None:
    """No step of 5 % of any constant fits better by more than a thousandth, nor leaves the loss as it is."""
    catalog = load_sources().catalog
    rows = [row for row in GIVEN if row["series"].startswith(fitted_prefixes())]
    best = loss(CONSTANTS, rows, catalog)
    assert len(rows) == 95
    assert best < 0.025
    for key in FITTED:
        shipped = CONSTANTS.rows[key].value
        moved = [loss(with_values(CONSTANTS, {key: shipped * step}), rows, catalog) for step in (0.95, 1.05)]
        assert min(moved) > best - 1e-3
        assert max(moved) > best + 5e-4  # the runs do say something about it


def _of(series: str, gpus: int) -> tuple[Prediction, float]:
    (row,) = (row for row in GIVEN if row["series"] == series and int(row["gpus"]) == gpus)
    return predict(row, load_sources().catalog, CONSTANTS), float(row["iter_time_s"])


@pytest.mark.parametrize(
    ("series", "few", "many", "published", "error", "most"),
    [
        ("SC21-T2-PTD-GPT 175B", 384, 1536, 0.922, -0.0084, 0.01),
        ("SC21-T2-PTD-GPT 530B", 560, 2240, 0.930, -0.0123, 0.0125),
    ],
)
def test_ptd_scaling_of_sc21_table_2(
    series: str, few: int, many: int, published: float, error: float, most: float
) -> None:
    """Throughput a GPU at four times the GPUs and the same batch: the pipeline bubble, mostly.

    The goal is 0.01. 175B meets it; 530B is 0.0123 low, and this is why, in the table's own figures. TP 8 and
    PP 35 hold three layers a stage; 2,240 sequences make 1,120 micro-batches of 1 at DP 2 and 280 at DP 8:

    - The paper's bubble alone, (1 + 34/1120) / (1 + 34/280), is 0.9188: below what was printed already.
    - The output layer makes the last stage 3.9 % longer than the mean one, so fewer bubbles' worth is lost:
      0.921.
    - The gradients, 1.9e9 a GPU at 2 bytes over a 200G link, wait 0.16 s of 205 s and 0.29 s of 56 s: 0.9175.

    The printed 171 and 159 TFLOP/s are whole numbers, so 0.930 stands for 0.924 to 0.936. Interleaved stages
    would give 0.97, which the table cannot be. To meet 0.930 a stage would have to wait for 28 others, not
    34. Single steps are met: 0.6 % short at 560 GPUs, 0.7 % long at 2,240. No constant is bent for one row.
    """
    pairs = _of(series, few), _of(series, many)
    found, measured = [prediction for prediction, _ in pairs], [seconds for _, seconds in pairs]
    assert measured[0] / measured[1] / 4 == pytest.approx(published, abs=5e-4)
    whole = [p.step_s or 0.0 for p in found]
    assert whole[0] / whole[1] / 4 - published == pytest.approx(error, abs=5e-4)
    assert abs(whole[0] / whole[1] / 4 - published) <= most
    assert [w / m for w, m in zip(whole, measured, strict=True)] == pytest.approx([1, 1], abs=0.015)
    stages = [(p.step_s or 0.0) * (1 - (p.exposed_fabric_share or 0.0)) for p in found]
    assert stages[0] / stages[1] / 4 == pytest.approx(published, abs=0.01)


def test_the_bubble_of_the_530b_row_by_hand() -> None:
    """34 stages waited for; 560 GPUs run 1,120 micro-batches, 2,240 GPUs 280: 0.9188 before all else."""
    bubbles = (1 + 34 / 1120) / (1 + 34 / 280)
    assert bubbles == pytest.approx(0.9188, abs=5e-5)
    few, many = (_of("SC21-T2-PTD-GPT 530B", gpus)[0].run for gpus in (560, 2240))
    assert few is not None and many is not None
    for run, micro_batches in ((few, 1120), (many, 280)):
        job, replicas = run.workload, run.cluster.gpus // (8 * 35)
        assert (job.tensor_parallel, job.pipeline_parallel, job.virtual_pipeline) == (8, 35, 1)
        assert (job.global_batch_sequences or 0) / replicas == micro_batches


def test_mfu_of_a_run_that_printed_52_percent() -> None:
    """1T parameters on 3,072 A100: printed 163 TFLOP/s, 52 % of peak; 39 % by model FLOPs."""
    found, measured = _of("SC21-T1-GPT 1T-full", 3072)
    assert found.mfu is not None and found.step_s is not None
    mfu = found.mfu * found.step_s / measured
    assert mfu == pytest.approx(0.39, abs=0.005)
    assert mfu * 4 / 3 == pytest.approx(163 / 312, abs=0.005)


def test_llama3_mfu_at_three_layouts() -> None:
    """Table 4 of arXiv 2407.21783: 43, 41 and 38 % (bf16, causal FLOPs); context parallelism in the last."""
    rows = [row for row in MORE if row["series"].startswith("Llama3-405B")]
    assert [(row["gpus"], row["context_parallel"]) for row in rows] == [
        ("8192", "1"), ("16384", "1"), ("16384", "16"),
    ]  # fmt: skip
    found = [predict(row, load_sources().catalog, CONSTANTS).mfu for row in rows]
    assert found == [pytest.approx(mfu, rel=0.13) for mfu in (0.43, 0.41, 0.38)]


def test_fp8_runs_are_held_against_the_fp8_peak() -> None:
    found, measured = _of("MLPerf-GPT3-InfiniBand-eos-v3.1", 512)
    assert found.mfu is not None and found.step_s is not None
    assert found.mfu * found.step_s / measured == pytest.approx(0.37, abs=0.01)
