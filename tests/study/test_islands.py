"""Server generations as islands of the fabric, or joined in one, worked out by hand. USD, rate 0.25.

Switch prices fall 20 % a year, so that a later island pays 0.64 of the price and its money is worth 0.64.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from planner.calibrate.effects_on_answer import effects
from planner.calibrate.measured_constants import MeasuredConstant
from planner.candidates.budget import Budget
from planner.catalog.sources import load_sources
from planner.check.island_sums import sum_faults
from planner.fabric.design import ClusterDesign
from planner.planning.planning_task import PlanOptions
from planner.report.json_answer import answer
from planner.scenario.generations import pacing
from planner.scenario.load import scenario_from_text
from planner.study.islands import islands
from planner.study.result import TechnologyResult
from planner.study.study import plan_scenario, technology_result
from tests.support.generations_case import scenario_of, sources, studied
from tests.support.making import Box, Prices, toml

FOUR = Box("four", 4, 1000.0)
EIGHT = Box("eight", 8, 1000.0)
FAST = Box("fast", 4, 500.0, gbps=200)
PARTS = Prices(nic=100.0, link=10.0, install=5.0)
MONEY: dict[str, Any] = {
    "finance": {"discount_rate": 0.25, "horizon_years": 4, "life_years": 4},
    "prices": {"erosion_per_year": {"switch": 0.2}},
}
TWO: list[dict[str, Any]] = [{"year": 2027, "gpus": 2}, {"year": 2029, "gpus": 5, "server": "node-200"}]
ALIKE: list[dict[str, Any]] = [{"year": 2027, "gpus": 2}, {"year": 2029, "gpus": 5, "server": "node-b"}]


def two_islands(**asked: Any) -> Any:
    return studied(TWO, [FOUR, FAST], PARTS, **{**MONEY, **asked})


def test_an_island_costs_what_its_years_cost() -> None:
    """First: switch 1000, NICs 200, links 20, labour 10, servers 2000: 3230. Second, 3 nodes in 2029: switch
    320, NICs 300, two fibres a link 60, labour 15, servers 9000, all worth 0.64: 444.8 + 5760. Counted from
    its own first year the second network would cost 695, at prices of 2027 560."""
    (result,) = two_islands().results
    first, second = (island.result for island in result.islands)
    assert (first.network_tco_usd, first.tco_usd) == (pytest.approx(1230.0), pytest.approx(3230.0))
    assert (second.network_tco_usd, second.tco_usd) == (pytest.approx(444.8), pytest.approx(6204.8))
    assert (result.network_tco_usd, result.tco_usd) == (pytest.approx(1674.8), pytest.approx(9434.8))
    assert result.plan.solver.objective_usd == pytest.approx(9434.8)
    assert (result.plan.status, result.faults) == ("optimal", ())


def test_what_is_left_of_an_island_is_worth_something_at_the_common_end() -> None:
    """Life 4, no erosion: nothing is left of the first island in 2031; of the second half, worth 0.4096.

    Switch 320 - 102.4, NICs 192 - 61.44, links 38.4 - 12.288, labour 9.6: 383.872; servers 5760 - 1843.2.
    With a horizon of its own, four years from 2029, nothing would be left."""
    money = {"finance": {**MONEY["finance"], "residual": "unexpired-life"}, "prices": {}}
    (result,) = two_islands(**money).results
    first, second = (island.result for island in result.islands)
    assert first.tco_usd == pytest.approx(3230.0)
    assert (second.network_tco_usd, second.tco_usd) == (pytest.approx(383.872), pytest.approx(4300.672))


def test_years_add_up_what_their_islands_have() -> None:
    """2 GPUs, then 2 and 3: GPUs added, not the 5 of the row; the second island has no design before 2029."""
    (result,) = two_islands().results
    designs = result.plan.designs
    assert [d.gpus for d in designs] == [2, 2, 5, 5]
    assert [d.links for d in designs] == [(2, 0, 0), (2, 0, 0), (5, 0, 0), (5, 0, 0)]
    assert designs[2].change.bought == {"fast": 1, "nic-200": 3, "fibre": 6, "module": 6}
    assert [d.year for d in result.islands[1].result.plan.designs] == [2029, 2030]
    assert [y.network_capex_usd for y in result.years] == pytest.approx([1230.0, 0.0, 695.0, 0.0])
    bought = {(r.year, r.sku): r.quantity for r in result.bom if r.sku.startswith("nic")}
    assert bought == {(2027, "nic-100"): 2, (2029, "nic-200"): 3}


def test_output_is_added_and_mfu_is_a_share_of_all_peaks() -> None:
    """The mean of the two MFUs would be of islands, not of GPUs: here B200s outnumber and outrun H100s."""
    (result,) = two_islands().results
    one, other = (island.result.estimates[-1] for island in result.islands)
    accelerators = load_sources().catalog.accelerators
    peaks = 2 * accelerators["h100"].peak_tflops["bf16"], 3 * accelerators["b200"].peak_tflops["bf16"]
    whole = result.estimates[-1]
    assert whole.effective_tflops == pytest.approx(one.effective_tflops + other.effective_tflops)
    assert whole.mfu == pytest.approx((one.mfu * peaks[0] + other.mfu * peaks[1]) / sum(peaks))
    assert result.levelised_usd_per_effective_tflops_year == pytest.approx(
        9434.8
        / sum(
            e.effective_tflops * 1.25 ** -(i + 1) for i, e in enumerate(result.estimates)
        )
    )  # fmt: skip


def test_later_rows_go_on_with_the_latest_generation() -> None:
    """3 then 5 of the second; a row that names the server and rate again begins no third island."""
    rows: list[dict[str, Any]] = [
        *TWO,
        {"year": 2030, "gpus": 7},
        {"year": 2031, "gpus": 8, "server": "node-200", "link_gbps": 200},
    ]
    parts = islands(scenario_of(rows, [FOUR, FAST]))
    grown = [[(s.year, s.gpus) for s in part.growth] for part in parts]
    assert grown == [[(2027, 2)], [(2029, 3), (2030, 5), (2031, 6)]]
    assert [part.fabric.link_gbps for part in parts] == [(100,), (200,)]


def test_a_rate_alone_makes_an_island() -> None:
    """The same server at 200G: its NICs are replaced, and no 100G leaf can take them."""
    rows: list[dict[str, Any]] = [{"year": 2027, "gpus": 2}, {"year": 2029, "gpus": 4, "link_gbps": 200}]
    (result,) = studied(rows, [FOUR, FAST], PARTS, **MONEY).results
    assert [i.result.plan.designs[-1].wiring.nic for i in result.islands] == ["nic-100", "nic-200"]
    assert [i.scenario.server.id for i in result.islands] == ["node", "node"]


def test_rows_that_name_what_is_there_already_change_nothing() -> None:
    rows: list[dict[str, Any]] = [{"year": 2027, "gpus": 2}, {"year": 2029, "gpus": 4}]
    named = [{**row, "server": "node", "link_gbps": 100} for row in rows]
    plain, other = (answer(studied(r, [FOUR], PARTS, **MONEY)) for r in (rows, named))
    for document in (plain, other):
        for technology in document["technologies"]:
            technology["solver"].pop("seconds"), technology["solver"].pop("build_seconds")
    assert plain == other
    assert "islands" not in plain["technologies"][0]


def test_what_is_installed_belongs_to_the_first_generation() -> None:
    """A 200G switch from before can only be sold there: the second island buys one all the same."""
    there = [{"sku": "fast", "quantity": 1, "bought_year": 2026}]
    (result,) = two_islands(installed=there).results
    first, second = (island.result.plan for island in result.islands)
    assert [h.bought_year for h in first.holdings if h.sku == "fast"] == [2026]
    assert [h.bought_year for h in second.holdings if h.sku == "fast"] == [2029]


def test_a_part_that_comes_later_is_there_for_the_later_island() -> None:
    """``fast`` from 2029 on: in time for the island that starts then. Asked from 2027 it would be refused."""
    limits = {"available_from": {"fast": 2029}}
    (result,) = two_islands(constraints=limits).results
    assert (result.plan.status, result.tco_usd) == ("optimal", pytest.approx(9434.8))


def test_an_island_without_a_design_is_named() -> None:
    """30 nodes on one 4-port model of two tiers do not go; the first island's plan is no answer to all."""
    rows: list[dict[str, Any]] = [{"year": 2027, "gpus": 2}, {"year": 2029, "gpus": 32, "server": "node-200"}]
    (result,) = studied(rows, [FOUR, FAST], PARTS, fabric={"max_tiers": 2}, **MONEY).results
    assert (result.plan.designs, result.tco_usd) == ((), None)
    assert (result.plan.reason or "").startswith("node 200 at 200G from 2029: ")


def test_the_answer_shows_each_island() -> None:
    (technology,) = answer(two_islands())["technologies"]
    years = technology["years"]
    assert [[(i["server"], i["link_gbps"], i["gpus"]) for i in y["islands"]] for y in years[1:3]] == [
        [("node", 100, 2)],
        [("node", 100, 2), ("node-200", 200, 3)],
    ]
    assert years[2]["topology"] == years[2]["islands"][1]["topology"]  # of the island with the most GPUs
    assert years[2]["links"]["endpoint_leaf"] == 5
    assert [i["tco_usd"] for i in technology["islands"]] == pytest.approx([3230.0, 6204.8])


def test_a_wrong_sum_is_found() -> None:
    (result,) = two_islands().results
    assert sum_faults(result, result.islands, "tco") == ()
    more = replace(result, tco_usd=(result.tco_usd or 0.0) + 1.0)
    assert any("tco_usd" in fault for fault in sum_faults(more, result.islands, "tco"))
    short = replace(result, bom=result.bom[1:])
    assert any("bill of materials" in fault for fault in sum_faults(short, result.islands, "tco"))
    one, other = result.plan.designs[2].fabrics
    design = ClusterDesign(2029, (one, replace(other, gpus=1)))
    plan = replace(result.plan, designs=(*result.plan.designs[:2], design, *result.plan.designs[3:]))
    assert any("gpus" in fault for fault in sum_faults(replace(result, plan=plan), result.islands, "tco"))


def test_an_island_is_worth_what_a_study_of_its_own_finds_discounted() -> None:
    """Shipped parts, nothing that changes with the calendar: the island of 2029 costs in 2027 what a study
    from 2029 to the same end finds, over 1.08 squared. Whatever is counted from a wrong year breaks it."""
    still = {"escalation": {"colocation": 0.0}, "fabric": {"technologies": ["infiniband"]}}
    base = {"schema": 1, "name": "x", **still}
    both = {
        **base, "base_year": 2027, "cluster": {"server": "dgx-h100"}, "finance": {"horizon_years": 6},
        "growth": [
            {"year": 2027, "gpus": 64}, {"year": 2029, "gpus": 192, "server": "dgx-b300"},
            {"year": 2030, "gpus": 320},
        ],
    }  # fmt: skip
    alone = {
        **base, "base_year": 2029, "cluster": {"server": "dgx-b300"}, "finance": {"horizon_years": 4},
        "growth": [{"year": 2029, "gpus": 128}, {"year": 2030, "gpus": 256}],
    }  # fmt: skip
    shipped = load_sources()
    found = [
        technology_result(scenario_from_text(toml(d), shipped, "x.toml"), shipped, "infiniband")
        for d in (both, alone)
    ]
    island, own = found[0].islands[1].result, found[1]
    assert (found[0].faults, island.tco_usd) == ((), pytest.approx((own.tco_usd or 0.0) / 1.08**2, rel=1e-9))
    assert [d.need for d in island.plan.designs] == [d.need for d in own.plan.designs]


def joined(**asked: Any) -> Any:
    return studied(ALIKE, [EIGHT], PARTS, fabric={"join_generations": True}, **{**MONEY, **asked})


def test_joined_generations_share_a_switch_and_pay_for_their_own_servers() -> None:
    """One switch 1000; NICs 200 + 192, links 20 + 19.2, labour 10 + 9.6: 1450.8. Servers: 2 of 1000, then 3
    of 2000 at 0.64: 5840. All of the first kind would be 3920; two islands would buy two switches."""
    (result,) = joined().results
    assert (result.islands, result.faults, result.plan.status) == ((), (), "optimal")
    assert result.network_tco_usd == pytest.approx(1450.8)
    assert result.tco_usd == pytest.approx(1450.8 + 5840.0)
    assert [d.need["eight"] for d in result.plan.designs] == [1] * 4


def test_joined_servers_draw_their_own_power() -> None:
    """node-b draws 1 kW, node nothing: 3 x 8,760 kWh at 0.1 from 2029 on, 0 before."""
    money = {**MONEY["finance"], "electricity_usd_per_kwh": 0.1, "pue": 1.0, "server_power_use_ratio": 1.0}
    (result,) = joined(finance=money).results
    power = [x.amount_usd for x in result.costs if x.kind == "server electricity"]
    assert (power, result.faults) == (pytest.approx([0.0, 0.0, 2628.0, 2628.0]), ())


def test_a_joined_job_runs_at_the_pace_of_the_slowest_gpu() -> None:
    """Five GPUs deliver what five H100 do; MFU is of the peaks of two H100 and three B200."""
    (result,) = joined().results
    plain = [{"year": 2027, "gpus": 2}, {"year": 2029, "gpus": 5}]
    (slow,) = studied(plain, [EIGHT], PARTS, **MONEY).results
    one, other = result.estimates[-1], slow.estimates[-1]
    assert one.effective_tflops == pytest.approx(other.effective_tflops)
    accelerators = load_sources().catalog.accelerators
    h100, b200 = (accelerators[a].peak_tflops["bf16"] for a in ("h100", "b200"))
    assert one.mfu == pytest.approx(other.mfu * 5 * h100 / (2 * h100 + 3 * b200))
    assert any("paced by the slowest GPU, that of node" in w for w in one.warnings)
    scenario = scenario_of(ALIKE, [EIGHT], fabric={"join_generations": True})
    assert [pacing(scenario, accelerators, n)[1].id for n in (2, 5)] == ["h100", "h100"]


def test_islands_share_one_ratio() -> None:
    scenario = scenario_of(TWO, [FOUR, FAST], PARTS, **MONEY)
    (result,) = plan_scenario(scenario, sources(PARTS), PlanOptions(objective="levelised-cost")).results
    solver, found = result.plan.solver, result.levelised_usd_per_effective_tflops_year
    assert (result.plan.status, result.faults) == ("optimal", ())
    assert (solver.ratio, solver.ratio_bound) == (pytest.approx(found), pytest.approx(found, rel=1e-6))


def test_islands_cut_anywhere_are_honest() -> None:
    """Cut after so many looks at the clock: no bound above the least ratio of all, and no crash."""
    scenario, seen = scenario_of(TWO, [FOUR, FAST], PARTS, **MONEY), set()

    def cut_after(looks: int) -> tuple[TechnologyResult, int]:
        ticks = count()
        budget = Budget(ends_s=float(looks), clock=lambda: float(next(ticks)))
        options = PlanOptions(objective="levelised-cost", budget=budget)
        (found,) = plan_scenario(scenario, sources(PARTS), options).results
        return found, next(ticks)

    best, whole = cut_after(10**9)
    least = best.plan.solver.ratio
    assert least is not None
    for looks in sorted({max(1, whole * k // 8) for k in range(1, 33)}):
        found, _ = cut_after(looks)
        report = found.plan.solver
        seen.add(found.plan.status)
        assert found.faults == ()
        if found.plan.designs:
            assert report.ratio is not None and report.ratio_bound is not None
            assert report.ratio_bound <= least * (1 + 1e-9) <= report.ratio * (1 + 2e-9)
    assert seen == {"none", "feasible", "optimal"}


def test_a_measured_constant_moves_every_island() -> None:
    """Before it is put in, the answer's own output; one fabric of five H100 would have another."""
    study = studied(TWO, [FOUR, FAST], PARTS, **MONEY)
    half = MeasuredConstant("stack_factor", "", 2.0, 2.0, 2.0, "ratio", "made up", ("log",))
    found = [m for m in effects([half], study, sources(PARTS)) if m.constant == "stack_factor"]
    outputs = [study.results[0].estimates[i].effective_tflops for i in (0, 2)]
    assert [(m.year, m.before_tflops) for m in found] == [
        (2027, pytest.approx(outputs[0])),
        (2029, pytest.approx(outputs[1])),
    ]
    assert all(m.after_tflops < m.before_tflops for m in found)
