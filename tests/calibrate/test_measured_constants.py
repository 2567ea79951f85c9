"""Readings -> constants: what is fitted, from what, and what is not made up."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from planner.calibrate.alpha_beta_fit import bandwidths, collectives, doubts, fit_line, link_rate_gbps
from planner.calibrate.calibration_answer import calibration_answer
from planner.calibrate.log_reader import read_log, read_log_file
from planner.calibrate.measured_constants import MeasuredConstant, constants_of
from planner.calibrate.readings import Reading
from planner.catalog.sources import load_sources
from planner.charts.calibration_charts import fit_chart, fit_frame
from planner.cli.main import main
from planner.throughput.constants import load_constants
from tests.calibrate.log_cases import CASES

CONSTANTS = load_constants()
LOGS = Path(__file__).parents[1] / "published" / "logs"
RULE = b"-" * 87 + b"\n"


def sample(*numbers: int) -> list[Reading]:
    return [read_log_file(next(LOGS.glob(f"g{number}_*.log"))) for number in numbers]


def named(constants: tuple[MeasuredConstant, ...]) -> dict[tuple[str, str], MeasuredConstant]:
    return {(one.name, one.of): one for one in constants}


def collective_log(
    nodes: int,
    intercept_us: float,
    busbw: float,
    name: str = "all_reduce",
    device: str = "NVIDIA H100 80GB",
    times: dict[int, float] | None = None,
) -> bytes:
    """nccl-tests output of a ring on 8 GPUs a node: times on a line, or as they are given by size."""
    ranks, passes = 8 * nodes, 2 if name == "all_reduce" else 1
    lines = [f"# Collective test starting: {name}_perf", "# nThread 1 nGpus 1 warmup iters: 1 validation: 1"]
    lines += [f"#  Rank {r} Group 0 Pid {r} on n{r // 8} device {r % 8} [0] {device}" for r in range(ranks)]
    lines.append("# size count type redop root time algbw busbw #wrong time algbw busbw #wrong")
    lines.append("#  (B) (elements) (us) (GB/s) (GB/s) (us) (GB/s) (GB/s)")
    shown = []
    factor = passes * (ranks - 1) / ranks
    for size in times or [2**power * ranks for power in range(20, 31)]:
        time = times[size] if times else intercept_us + size * factor / busbw / 1e3
        half = f"{time:.6f} {size / time / 1e3:.2f} {size / time / 1e3 * factor:.2f} 0"
        shown.append(round(size / time / 1e3 * factor, 2))
        count = size // 4 if name == "all_reduce" else size // 4 // ranks
        lines.append(f" {size} {count} float sum -1 {half} {half}")
    lines += ["# Out of bounds values : 0 OK", f"# Avg bus bandwidth : {sum(shown) / len(shown):g}", ""]
    return "\n".join(lines).encode()


@given(
    st.floats(0.1, 1e3),
    st.floats(1e-6, 1.0),
    st.lists(st.floats(1, 1e6), min_size=3, max_size=9, unique_by=lambda x: round(x, 1)),
)
def test_a_line_is_found_again(intercept: float, slope: float, sizes: list[float]) -> None:
    fit = fit_line([(size, intercept + slope * size) for size in sizes])
    assert fit is not None
    for size in sizes:
        assert fit.time_us(size) == pytest.approx(intercept + slope * size, rel=1e-6)
    assert fit.residual_ratio < 1e-6


def test_there_is_no_line_through_two_points_or_one_size() -> None:
    assert fit_line([(1.0, 1.0), (2.0, 2.0)]) is None
    assert fit_line([(4.0, 1.0), (4.0, 1.1), (4.0, 1.2)]) is None


def test_e0_is_the_payload_of_large_messages_over_the_link() -> None:
    found = named(constants_of(sample(5, 6, 8), CONSTANTS))
    assert found["e0", "infiniband"].value == pytest.approx(0.984, abs=5e-4)  # 196.8 of 200 Gb/s
    fit = found["e0", "infiniband"].fit
    assert fit is not None and fit.residual_ratio < 0.002
    # 387.63 of 400, and 386.264 / 2 ways of 200
    assert found["e0", "roce"].value == pytest.approx((0.969075 + 0.9656607) / 2)
    assert (found["e0", "roce"].low, found["e0", "roce"].high) == pytest.approx((0.9656607, 0.969075))


def test_a_stated_link_rate_goes_before_the_standard_one() -> None:
    found = named(constants_of(sample(6), CONSTANTS, link_gbps=800))
    assert found["e0", "roce"].value == pytest.approx(387.63 / 800)
    assert "low: check the link" in found["e0", "roce"].how


def test_a_rate_above_its_link_is_no_share() -> None:
    assert constants_of(sample(6), CONSTANTS, link_gbps=200) == ()
    assert link_rate_gbps(1_700) is None


def test_latency_of_small_messages_less_one_hop() -> None:
    found = named(constants_of(sample(7), CONSTANTS))
    assert found["alpha_us", "infiniband"].value == pytest.approx(1.725 - 0.6, abs=0.005)
    assert "software is not in it" in found["alpha_us", "infiniband"].how


def test_alpha_of_a_ring_across_nodes() -> None:
    """4 nodes: intercept = 2 passes x (3 steps of 9 us + 28 inside nodes of 1.5 us)."""
    log = read_log("ring.log", collective_log(4, 2 * (3 * 9.0 + 28 * 1.5), 300.0))
    assert log.status == "ok"
    found = named(constants_of([log], CONSTANTS, technology="roce"))
    assert found["alpha_us", "roce"].value == pytest.approx(9.0 - 0.6, abs=0.02)
    assert found["fabric_busbw_gbytes_per_s", "roce"].value == pytest.approx(300.0, rel=1e-3)
    assert ("nvlink_busbw_gbytes_per_s", "h100") not in found


def test_without_a_technology_a_ring_gives_no_alpha() -> None:
    log = read_log("ring.log", collective_log(4, 138.0, 300.0))
    assert [one.name for one in constants_of([log], CONSTANTS)] == ["fabric_busbw_gbytes_per_s"]


def test_nvlink_from_an_all_reduce_of_one_node() -> None:
    log = read_log("node.log", collective_log(1, 40.0, 367.0))
    found = named(constants_of([log], CONSTANTS))
    assert found["nvlink_busbw_gbytes_per_s", "h100"].value == pytest.approx(367.0, rel=1e-3)
    assert found["nvlink_alpha_us", "h100"].value == pytest.approx(40.0, rel=0.01)


def test_a_scatter_stands_in_for_a_missing_all_reduce_as_one_of_two_passes() -> None:
    found = named(constants_of(sample(3), CONSTANTS))
    assert found["nvlink_busbw_gbytes_per_s", "a100"].value == pytest.approx(227.1, abs=0.1)
    assert found["nvlink_alpha_us", "a100"].value == pytest.approx(2 * 31.63, abs=0.1)
    whole = collective_log(1, 40.0, 240.0, device="NVIDIA A100-SXM4-80GB")
    both = named(constants_of([*sample(3), read_log("node.log", whole)], CONSTANTS))
    assert both["nvlink_busbw_gbytes_per_s", "a100"].value == pytest.approx(240.0, rel=1e-3)


def test_each_accelerator_has_constants_of_its_own() -> None:
    """Their median was taken once, for the one of them that lay next to it."""
    log = read_log("node.log", collective_log(1, 40.0, 367.0))
    found = named(constants_of([*sample(3), log], CONSTANTS))
    assert found["nvlink_busbw_gbytes_per_s", "a100"].value == pytest.approx(227.1, abs=0.1)
    assert found["nvlink_busbw_gbytes_per_s", "h100"].value == pytest.approx(367.0, rel=1e-3)


def test_the_latency_of_a_ring_names_its_accelerator_and_is_none_of_two() -> None:
    """An RCCL ring says nothing of NCCL's; a technology has one figure, so two that differ give none."""
    rings = [
        read_log("ring.log", collective_log(4, 138.0, 300.0, device=device))
        for device in ("NVIDIA H100 80GB HBM3", "AMD Instinct MI300X")
    ]
    (one, _) = constants_of(rings[1:], CONSTANTS, technology="roce")
    assert (one.name, one.of, one.accelerator) == ("alpha_us", "roce", "mi300x")
    assert "4 nodes (MI300X)" in _.how
    assert [c.name for c in constants_of(rings, CONSTANTS, technology="roce")] == [
        "fabric_busbw_gbytes_per_s"
    ]


def test_across_nodes_all_reduce_goes_before_other_rings_and_all_to_all_is_left_out() -> None:
    found = named(constants_of(sample(1, 2, 4), CONSTANTS))
    assert found["fabric_busbw_gbytes_per_s", ""].value == pytest.approx(370.7, abs=0.1)
    assert found["fabric_busbw_gbytes_per_s", ""].logs == ("g1_all_reduce_2x8_v2.13.log",)
    assert collectives(sample(4)) == []


def swept(times: dict[int, float], nodes: int = 1) -> list[Reading]:
    """An all-reduce of 8 GPUs a node whose sizes take these times."""
    log = read_log("sweep.log", collective_log(nodes, 0.0, 1.0, times=times))
    assert log.status == "ok"
    return [log]


def line(sizes: list[int], intercept_us: float = 40.0, busbw: float = 367.0) -> dict[int, float]:
    return {size: intercept_us + size * 1.75 / busbw / 1e3 for size in sizes}


def test_a_short_range_with_a_jump_gives_no_constant_and_says_so() -> None:
    """From 1.1 to 1.5 MB the line's start was 157 us, low = high, as if it were known to the last digit."""
    reading = read_log_file(CASES / "protocol_change.log")
    assert reading.status == "ok"
    answer = calibration_answer([reading], load_sources(), technology="roce")
    assert answer.constants == ()
    said = "\n".join(answer.words())
    assert "the time jumps from 284.9 to 513.8 us at 1,000,000 bytes" in said
    assert "no latency is taken: its messages lie too close together" in said
    assert "no bandwidth is taken: the largest message is below 16 MiB" in said


def test_a_line_is_of_one_protocol() -> None:
    """Above 8 MiB another protocol takes 2.2 times as long: through both the start were below zero."""
    powers = [2**i for i in range(20, 31)]
    times = {size: time if size <= 2**23 else time * 2.2 for size, time in line(powers).items()}
    readings = swept(times)
    (series,) = collectives(readings)
    assert series.jump is not None and series.jump.size_bytes == 2**24 and not series.broken
    found = named(constants_of(readings, CONSTANTS))
    assert found["nvlink_busbw_gbytes_per_s", "h100"].value == pytest.approx(367 / 2.2, rel=1e-3)
    assert found["nvlink_alpha_us", "h100"].value == pytest.approx(40 * 2.2, rel=0.01)
    assert "at 16,777,216 bytes" in doubts(readings)[0] and "of the messages above" in doubts(readings)[0]


def test_a_jump_near_the_largest_message_leaves_no_line() -> None:
    powers = [2**i for i in range(20, 31)]
    times = {size: time * (3 if size >= 2**29 else 1) for size, time in line(powers).items()}
    readings = swept(times)
    found = named(constants_of(readings, CONSTANTS))
    assert ("nvlink_alpha_us", "h100") not in found
    assert found["nvlink_busbw_gbytes_per_s", "h100"].value == pytest.approx(
        2**30 * 1.75 / times[2**30] / 1e3
    )  # what the largest message itself shows
    assert "no line is taken" in doubts(readings)[0]
    assert "too few of its messages are above the jump" in doubts(readings)[1]


@pytest.mark.parametrize(
    ("sizes", "latency", "bandwidth"),
    [
        ([2**i for i in range(20, 31)], True, True),
        ([2**i for i in range(30, 33)], False, True),  # 1 to 4 GiB: a rate, no latency
        ([2**32], False, True),
        ([2**i for i in range(20, 23)], False, False),  # 1 to 4 MiB
        ([2**20 + i * 100_000 for i in range(6)], False, False),
    ],
)
def test_what_the_sizes_of_a_run_can_tell(sizes: list[int], latency: bool, bandwidth: bool) -> None:
    found = named(constants_of(swept(line(sizes)), CONSTANTS))
    assert (("nvlink_alpha_us", "h100") in found, ("nvlink_busbw_gbytes_per_s", "h100") in found) == (
        latency,
        bandwidth,
    )
    assert bool(doubts(swept(line(sizes)))) == (not (latency and bandwidth))


@given(st.integers(0, 2**32))
def test_the_band_of_a_latency_holds_the_true_one(seed: int) -> None:
    """Times that scatter by 1 %: two standard errors hold the start in 19 of 20 runs, eight in all."""
    chance = random.Random(seed)
    exact = line([2**i for i in range(20, 31)])
    readings = swept({size: time * chance.gauss(1, 0.01) for size, time in exact.items()})
    (one,) = [c for c in constants_of(readings, CONSTANTS) if c.name == "nvlink_alpha_us"]
    assert one.low < one.value < one.high
    half = (one.high - one.low) / 2
    assert abs(one.value - 40) < 4 * half + 0.5
    assert half < 2


def test_a_latency_that_its_scatter_hides_is_not_taken() -> None:
    exact = line([2**i for i in range(27, 33)], intercept_us=5.0)
    shaken = {size: time * (1.02 if i % 2 else 0.98) for i, (size, time) in enumerate(exact.items())}
    assert ("nvlink_alpha_us", "h100") not in named(constants_of(swept(shaken), CONSTANTS))
    assert "scatter by more than what it would be" in doubts(swept(shaken))[0]


def test_broken_logs_give_no_constant() -> None:
    raw = next(LOGS.glob("g5_*.log")).read_bytes()
    assert constants_of([read_log("cut.log", raw[: len(raw) - 200])], CONSTANTS) == ()


def test_the_fit_as_a_frame_and_a_chart() -> None:
    series = [*bandwidths(sample(5, 6)), *collectives(sample(3))]
    frame = fit_frame(series)
    assert list(frame["log"].unique()) == [one.log for one in series]
    fitted = frame[frame["log"].str.startswith("g5")]
    assert (fitted["fitted_us"] / fitted["measured_us"] - 1).abs().max() < 0.003
    alone = frame[frame["log"].str.startswith("g6")]
    assert alone["measured_us"].tolist() == pytest.approx([65536 * 8 / 387.63 / 1e3])
    assert math.isnan(alone["fitted_us"].iloc[0])  # one point, no line
    layers = fit_chart(frame).to_dict()["layer"]
    assert [layer["encoding"]["y"]["field"] for layer in layers] == ["fitted_us", "measured_us"]
    assert isinstance(frame, pd.DataFrame)


@pytest.mark.parametrize(("name", "starts"), [("fit.svg", b"<svg"), ("fit.PNG", b"\x89PNG")])
def test_the_command_draws_the_fit(name: str, starts: bytes, tmp_path: Path) -> None:
    log = str(next(LOGS.glob("g7_*.log")))
    out, plot = tmp_path / "c.json", tmp_path / name
    ran = CliRunner().invoke(main, ["calibrate", log, "--out", str(out), "--plot", str(plot)])
    assert ran.exit_code == 0, ran.output
    assert plot.read_bytes().startswith(starts)
    assert out.read_text(encoding="utf-8").startswith("{")


def test_a_plot_of_another_kind_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    log, out = str(next(LOGS.glob("g7_*.log"))), tmp_path / "c.json"
    ran = CliRunner().invoke(main, ["calibrate", log, "--out", str(out), "--plot", "fit.pdf"])
    assert (ran.exit_code, out.exists()) == (2, False)
    assert 'Error: --plot "fit.pdf" is neither .svg nor .png' in ran.output
