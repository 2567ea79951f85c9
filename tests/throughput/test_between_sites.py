"""The link between data centres: bytes, TCP's windows, rings, and what it costs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.catalog.sources import load_sources
from planner.planning.planning_task import PlanOptions
from planner.report.json_answer import answer
from planner.scenario.load import load_scenario, shipped_scenarios
from planner.scenario.scenario import Operations, WanAsk, Workload
from planner.study.result import FabricResult
from planner.study.study import Study, plan_scenario
from planner.throughput.between_sites import WideLink, exchange_bytes, exchange_s, link_rate_gbps, wide_link
from planner.throughput.result import Estimate, ThroughputError

TWO = WanAsk(2, 100.0, 20.0)


@pytest.fixture(scope="module")
def hybrid() -> Study:
    scenario = load_scenario(shipped_scenarios()["seed-hybrid-two-sites"], load_sources())
    return plan_scenario(scenario, load_sources(), PlanOptions(technologies=("roce",)))


def test_fp8_carries_a_quarter_of_fp32_and_half_of_bf16() -> None:
    fp32, bf16, fp8 = (exchange_bytes(replace(TWO, gradient_bytes=b), 8e9, 64, 4.0) for b in (4.0, 2.0, 1.0))
    assert (fp32 / fp8, bf16 / fp8, fp8) == (4.0, 2.0, 8e9)


def test_compression_divides_what_crosses() -> None:
    assert exchange_bytes(replace(TWO, compression_ratio=10.0), 8e9, 64, 4.0) == pytest.approx(8e8)


def test_time_is_bytes_over_the_link_and_a_round_trip_a_site() -> None:
    assert exchange_s(TWO, 8e9, 64, 4.0) == pytest.approx(8e9 * 8 / 100e9 + 0.020)
    four = replace(TWO, sites=4)
    assert exchange_s(four, 8e9, 64, 4.0) == pytest.approx(1.5 * 8e9 * 8 / 100e9 + 0.060)
    assert exchange_s(WanAsk(), 8e9, 64, 4.0) == 0.0


def test_windows_in_flight_limit_tcp() -> None:
    """One stream of 32 MiB over 20 ms: 13.4 Gb/s; 8 streams: 107, so that the link is the limit."""
    assert link_rate_gbps(replace(TWO, tcp_streams=1)) == pytest.approx(32 * 2**20 * 8 / 0.020 / 1e9)
    assert link_rate_gbps(replace(TWO, tcp_streams=8)) == 100.0
    assert link_rate_gbps(replace(TWO, tcp_streams=1, round_trip_ms=0.0)) == 100.0
    assert exchange_s(replace(TWO, tcp_streams=1), 8e9, 64, 4.0) == pytest.approx(64e9 / 13.4217728e9 + 0.020)


def test_one_ring_over_the_sites_sends_uncompressed_gradients_and_waits_each_step() -> None:
    flat = replace(TWO, hierarchical=False)
    assert exchange_bytes(flat, 8e9, 64, 4.0) == pytest.approx(2 * 63 / 64 * 8e9 * 4)
    assert exchange_s(flat, 8e9, 64, 4.0) == pytest.approx(2 * 63 / 64 * 8e9 * 4 * 8 / 100e9 + 63 * 0.020)
    assert exchange_s(flat, 8e9, 1, 4.0) == 0.0


def test_several_sites_need_a_link() -> None:
    with pytest.raises(ThroughputError, match="give its rate"):
        exchange_s(WanAsk(sites=2), 8e9, 64, 4.0)


def test_the_loss_in_gpu_hours_and_money(asked) -> None:  # type: ignore[no-untyped-def]
    def rated(wan: WanAsk) -> Estimate:
        share = 0.1 * wan.gradient_bytes if wan.sites > 1 else 0.0
        return Estimate(256, 256, 2, 1, 128, 1024, 5.0, 0.4, 0.9, 1000.0 * (1 - share), {"wan": share})

    def cost_of(wan: WanAsk) -> WideLink | None:
        job: Workload = asked.workload
        return wide_link(year=2027, gpus=256, job=job, wan=wan, operations=Operations(), rated=rated)

    cost = cost_of(replace(TWO, usd_per_year=9.0))
    assert cost is not None
    assert (cost.share_ratio, cost.effective_tflops, cost.one_site_effective_tflops) == (0.1, 900.0, 1000.0)
    assert cost.lost_gpu_hours_per_year == pytest.approx(0.1 * 256 * 8760)
    assert cost.lost_usd_per_year == pytest.approx(0.1 * 256 * 8760 * 1.4)
    assert cost.exposed_s == pytest.approx({"fp32": 2.0, "bf16": 1.0, "fp8": 0.5})
    assert cost.exchange_gbytes == pytest.approx({"fp32": 4.0, "bf16": 2.0, "fp8": 1.0})  # 1e9 parameters
    assert cost_of(WanAsk()) is None


def test_the_seed_s_third_case_shows_what_the_wide_link_costs(hybrid: Study) -> None:
    result = hybrid.results[0]
    assert isinstance(result, FabricResult)
    cost = result.wide_link
    assert cost is not None
    assert cost.effective_tflops == pytest.approx(result.estimates[0].effective_tflops)
    assert cost.share_ratio == pytest.approx(result.estimates[0].shares["wan"])
    assert cost.one_site_effective_tflops > cost.effective_tflops
    assert cost.lost_ratio == pytest.approx(1 - cost.effective_tflops / cost.one_site_effective_tflops)
    assert cost.lost_usd_per_year == pytest.approx(cost.lost_ratio * 256 * 8760 * 1.4)
    assert cost.exchange_gbytes["fp32"] == pytest.approx(4 * cost.exchange_gbytes["fp8"])
    assert cost.exposed_s["fp32"] > cost.exposed_s["bf16"] > cost.exposed_s["fp8"]
    note = next(note for note in hybrid.notes if note.startswith("roce, link between 2 sites in 2027"))
    assert "100 Gb/s, 20 ms; gradients as fp8" in note
    assert f"{100 * cost.share_ratio:.1f}% of a step" in note
    assert "the link: $240k a year" in note
    written = answer(hybrid)["technologies"][0]["wide_link"]
    assert written["lost_gpu_hours_per_year"] == cost.lost_gpu_hours_per_year
    assert written["link_usd_per_year"] == 240_000.0
