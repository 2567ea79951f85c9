"""The frames and findings of the pages on ports, growth, money and throughput, by hand."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from planner.catalog.parts import SwitchModel
from planner.cost.bom_lines import BomLine
from planner.cost.tco import CostLine
from planner.fabric import port_use
from planner.fabric.design import Change, Design, Holding
from planner.report import changes_by_year, cost_frames, fabric_frames, throughput_frames
from planner.study.result import FabricResult
from planner.study.study import Study
from planner.ui.content import chart_titles
from pricing.provenance import Grade, Source
from tests.support.making import one_fabric

MADE_UP = Source("made up for a test", "2026", Grade.GUESS)


def switch(ports: int, gbps: int, **more: object) -> SwitchModel:
    made = SwitchModel(
        "qm9700", "QM9700", "x", frozenset({"infiniband"}), ports, gbps, 2, "osfp", (1, 2), 700.0, MADE_UP
    )
    return replace(made, **more)  # type: ignore[arg-type]


def test_ports_of_a_native_rate_are_links(two_tier_design: Design) -> None:
    """32 leaves of 64 ports, 32 down and 32 up; 16 spines of 64 with 2 links a leaf: all wired."""
    found = list(port_use.tier_ports(two_tier_design, {"qm9700": switch(64, 400)}))
    assert [(t.tier, t.total, t.down, t.up, t.dark) for t in found] == [
        ("leaf", 2048, 1024, 1024, 0),
        ("spine", 1024, 1024, 0, 0),
    ]
    assert chart_titles.ports(found) == "Every port of every tier is wired"


def test_split_ports_count_once_and_dark_ones_are_told(two_tier_design: Design) -> None:
    """The same links on 64 ports of 800G split in two: half of each switch's ports stay dark."""
    wiring = replace(two_tier_design.wiring, leaf_breakout=2, spine_breakout=2)
    design = replace(two_tier_design, wiring=wiring)
    switches = {"qm9700": switch(64, 800)}
    found = list(port_use.tier_ports(design, switches))
    assert [(t.down, t.up, t.dark) for t in found] == [(512, 512, 1024), (512, 0, 512)]
    assert chart_titles.ports(found) == "50% of the leaf ports are dark (1,024 of 2,048)"
    frame = fabric_frames.port_shares(design, switches)
    assert frame[["tier", "use", "share"]].values.tolist() == [
        ["spine", "down", 0.5], ["spine", "dark", 0.5],
        ["leaf", "down", 0.25], ["leaf", "up", 0.25], ["leaf", "dark", 0.5],
    ]  # fmt: skip


def test_ports_of_all_planes_and_of_a_second_group(two_tier_design: Design) -> None:
    """Uplinks in a group of their own rate leave the endpoint ports alone; two planes double all."""
    wiring = replace(two_tier_design.wiring, planes=2, uplink_gbps=800, up=16)
    size = replace(two_tier_design.size, leaf_spine_links=512)
    design = replace(two_tier_design, wiring=wiring, size=size)
    model = switch(32, 400, uplink_ports=16, uplink_gbps=800)
    leaf = next(port_use.tier_ports(design, {"qm9700": model}))
    assert (leaf.total, leaf.down, leaf.up, leaf.dark) == (2 * 32 * 48, 2 * 1024, 2 * 512, 0)


def test_step_shares_are_seconds_of_the_step(study: Study) -> None:
    frame = throughput_frames.step_shares(study, 2027)
    assert frame[["part", "share", "seconds"]].values.tolist() == [
        ["matrix multiplication", 0.75, 3.75],
        ["fabric: gradients", 0.25, 1.25],
    ]
    assert (
        chart_titles.step(study, 2027)
        == "In 2027 a step waits for the fabric 25% of its time with InfiniBand"
    )
    assert throughput_frames.waiting(study)["share"].tolist() == [0.25, 0.25]


def test_growth_counts_switches_of_every_tier(designed: FabricResult) -> None:
    frame = fabric_frames.switches_by_year(designed)
    assert frame[["year", "tier", "switches"]].values.tolist() == [
        [2027, "leaf", 32], [2027, "spine", 16], [2028, "leaf", 64], [2028, "spine", 32],
    ]  # fmt: skip
    assert chart_titles.growth(designed) == "InfiniBand grows from 48 switches in 2027 to 96 in 2028"
    assert chart_titles.gpus(designed) == "1,024 GPUs in 2027, 2,048 from 2028"


def priced(study: Study, *lines: CostLine) -> Study:
    first, second = study.results
    return replace(study, results=(replace(first, costs=lines), second))


LINES = (
    CostLine(2027, "switches", "capex", True, 100.0, 100.0),
    CostLine(2027, "servers", "capex", False, 1000.0, 1000.0),
    CostLine(2027, "support", "opex", True, 10.0, 9.0),
    CostLine(2028, "NICs", "capex", True, 50.0, 46.0),
    CostLine(2028, "switches", "residual", True, -60.0, -50.0),
)


def test_cash_flow_falls_when_it_is_paid(study: Study) -> None:
    """Capex at the start of its year, opex at the end: 100; 50 and the support of 2027; nothing is sold."""
    flow = cost_frames.cash_flow(priced(study, *LINES), network_only=True)
    assert flow[["year", "paid_usd"]].values.tolist() == [[2027, 100.0], [2028, 160.0], [2029, 160.0]]
    assert chart_titles.cash_flow(flow) == "By the start of 2029 InfiniBand has cost $160.00"
    twin = flow.assign(technology="roce")
    both = chart_titles.cash_flow(pd.concat([flow, twin]))
    assert both == "By the start of 2029 InfiniBand has cost $160.00, RoCE as much"
    dearer = chart_titles.cash_flow(pd.concat([flow, twin.assign(paid_usd=twin["paid_usd"] + 5)]))
    assert dearer == "By the start of 2029 InfiniBand has cost $160.00; RoCE $5.00 more"
    whole = cost_frames.cash_flow(priced(study, *LINES), network_only=False)
    assert whole["paid_usd"].tolist() == [1100.0, 1160.0, 1160.0]


def test_cost_by_year_keeps_the_residual_apart(study: Study) -> None:
    result = one_fabric(priced(study, *LINES).results[0])
    frame = cost_frames.cost_by_year(result, network_only=True)
    rows = {(year, kind): usd for year, kind, usd, _ in frame.values.tolist()}
    assert rows == {
        (2027, "switches"): 100.0,
        (2027, "support"): 10.0,
        (2028, "NICs"): 50.0,
        (2028, "residual value"): -60.0,
    }
    title = chart_titles.cost_by_year(frame, "infiniband", network_only=True)
    assert title == "69% of the network spending with InfiniBand falls in 2027; the largest part is switches"


def bought(sku: str, year: int, quantity: int) -> BomLine:
    return BomLine(
        "infiniband",
        year,
        "compute",
        "leaf",
        sku,
        f"part {sku}",
        "x",
        quantity,
        0,
        10.0,
        "s",
        "2026",
        "list",
        1.0,
    )


def test_growth_rows_say_why(study: Study, designed: FabricResult) -> None:
    """2028: 30 more of what is used, 20 in place of worn-out ones, 5 new ones; 7 without a place go."""
    first, second = designed.plan.designs
    first = replace(first, need={"a": 50}, change=Change({"a": 50}, {}, 100, 0, (0, 0, 0), 0.0))
    change = Change({"a": 50, "b": 5}, {"a": 20, "c": 7}, 40, 12, (0, 12, 0), 0.0)
    second = replace(second, need={"a": 80, "b": 5}, change=change, wiring=replace(second.wiring, spines=32))
    held = (Holding("a", 20, 2023, 2028), Holding("c", 7, 2027, 2028))
    plan = replace(designed.plan, designs=(first, second), holdings=held)
    bom = tuple(
        bought(*x) for x in (("a", 2027, 50), ("a", 2028, 50), ("b", 2028, 5), ("svc-recable-link", 2028, 12))
    )
    rows = changes_by_year.changes_frame(study, replace(designed, plan=plan, bom=bom))
    said = {(row.year, row.action, row.sku): row.why for row in rows.itertuples()}
    assert said == {
        (2027, "bought", "a"): "the first build",
        (2027, "installed", "svc-install-link"): "the first build",
        (2028, "bought", "a"): (
            "20 replace pieces at the end of their life; the wiring needs 80 instead of 50"
        ),
        (2028, "bought", "b"): "new in the wiring of this year",
        (2028, "retired", "a"): "its life of 5 years is over",
        (2028, "retired", "c"): "the new wiring has no place for it",
        (2028, "moved", "svc-recable-link"): "spines a pod 16 to 32, links a leaf and spine 2 to 1",
        (2028, "installed", "svc-install-link"): "1,024 GPUs become 2,048",
    }
    assert rows[rows["sku"] == "a"]["capex_usd"].tolist()[:2] == [500.0, 500.0]
    assert rows[rows["action"] == "moved"]["capex_usd"].tolist() == [120.0]
    assert rows[rows["action"] == "retired"]["capex_usd"].isna().all(), "what is retired has no price, not 0"


def test_the_drawing_says_what_it_shows(designed: FabricResult) -> None:
    words = chart_titles.drawing("infiniband", designed.plan.designs[0])
    assert words == "InfiniBand 2027: 1,024 GPUs on 32 leaves, 16 spines; non-blocking"
