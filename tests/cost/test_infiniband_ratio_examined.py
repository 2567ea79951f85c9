"""The InfiniBand ratio examined: by item, by bill, by scale, against what was published."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.catalog.sources import load_sources
from planner.cost.infiniband_ratio_examined import WHOLE, Band, Ratios, ratio_table
from planner.cost.price_list import net_price_list
from planner.cost.switch_bill_ratio import ScaleRow, smallest_tree, tier_limits, two_tier_limit
from planner.report.infiniband_ratio_frames import ratio_frames
from planner.scenario.load import scenario_from_document
from planner.scenario.scenario import Scenario
from planner.study.study import Study, plan_scenario
from pricing.csv_rows import DataFileError
from pricing.infiniband_rule import load_ratio_observations
from tests.support.making import NOTHING_BESIDE, one_fabric

SOURCES = load_sources()


def scenario(gpus: int = 4096, **sections: object) -> Scenario:
    document = {
        "schema": 1, "name": "x", "base_year": 2027, "cluster": {"server": "dgx-h100"},
        "growth": [{"year": 2027, "gpus": gpus}], "finance": {"horizon_years": 1},
        "fabric": {"technologies": ["infiniband", "roce"], "switches": ["qm9700", "sn5610"]},
        **{**NOTHING_BESIDE, **sections},
    }  # fmt: skip
    return scenario_from_document(document, SOURCES, "x.toml")


@cache
def study(gpus: int) -> Study:
    return plan_scenario(scenario(gpus), SOURCES)


def ratios(gpus: int) -> Ratios:
    bills = {r.technology: r.bom for r in study(gpus).results}
    return ratio_table(scenario(gpus), SOURCES, bills["infiniband"], bills["roce"])


def at(rows: tuple[ScaleRow, ...], other: str, *sizes: int) -> list[float]:
    return [
        round(r.bill_ratio or 0, 2)
        for r in rows
        if (r.ib_switch, r.ethernet_switch) == ("qm9700", other) and r.endpoints in sizes
    ]


def test_the_rule_has_its_band_and_each_part_its_counterpart() -> None:
    table = ratio_table(scenario(), SOURCES)
    assert table.rule == Band(1.5, 1.75, 2.0)
    qm9700 = next(i for i in table.items if i.ib_sku == "qm9700")
    assert qm9700.counterpart_sku == "sn5400"
    assert qm9700.rule_usd == Band(1.5 * 33_600, 1.75 * 33_600, 2 * 33_600)
    assert qm9700.book_ratio == Band(32_870 / 44_000, 32_870 / 33_600, 50_000 / 26_000)
    assert qm9700.ib_source is not None and qm9700.ib_source.date == "2026-07-04"
    nics = [i for i in table.items if i.item_class == "nic"]
    assert {i.book_ratio for i in nics} == {Band(1, 1, 1)} and all(i.same_part for i in nics)


def test_optics_are_compared_but_not_ruled() -> None:
    optics = [i for i in ratio_table(scenario(), SOURCES).items if i.item_class == "transceiver"]
    assert {(i.ib_sku, i.counterpart_sku) for i in optics} == {
        ("mms4a00", "mms4b10-xm"), ("mms4a20", "800g-osfp-rhs-dr4-eth"), ("mma1b00-e100", "mma1b00-c100d"),
    }  # fmt: skip
    assert {(i.rule, i.rule_usd) for i in optics} == {(None, None)}


def test_the_published_bill_ratios_come_out_of_the_fat_tree() -> None:
    """1.26 to 1.71 where both have two tiers, 2.11 to 2.85 where only radix 64 needs a third, then back."""
    rows = ratio_table(scenario(), SOURCES).scale
    assert at(rows, "sn5610", 256, 512, 1024, 2048) == [1.26] * 4
    assert at(rows, "fs-n9600-64od", 256, 512, 1024, 2048) == [1.71] * 4
    assert at(rows, "sn5610", 4096, 8192) == [2.11] * 2
    assert at(rows, "fs-n9600-64od", 4096, 8192) == [2.85] * 2
    assert at(rows, "sn5610", 16_384, 32_768, 65_536) == [1.26] * 3
    published = [o.span for o in SOURCES.ratio_observations if o.item_class == "network"]
    assert published == [(1.26, 1.71), (2.11, 2.85)]


@pytest.mark.parametrize(("ports", "limit"), [(64, 2048), (128, 8192), (144, 10_368)])
def test_the_third_tier_arrives_by_radix(ports: int, limit: int) -> None:
    assert two_tier_limit(ports) == limit
    before, after = smallest_tree(limit, ports), smallest_tree(limit + 1, ports)
    assert before is not None and (before.tiers, before.switches) == (2, ports * 3 // 2)
    assert after is not None and after.tiers == 3
    limits = {t.radix: t.two_tiers for t in tier_limits(scenario(), SOURCES)}
    assert limits[ports] == limit


@pytest.mark.parametrize(
    ("endpoints", "ports", "tiers", "switches"),
    [
        (64, 64, 1, 1),
        (65, 64, 2, 5),
        (2048, 64, 2, 96),
        (4096, 64, 3, 320),
        (65_536, 64, 3, 5120),
        (768, 64, 2, 40),
    ],
)
def test_trees(endpoints: int, ports: int, tiers: int, switches: int) -> None:
    """65 on 64 ports: 3 leaves, 2 spines. 768: 24 leaves need 12 spines, but 16 divides 32 uplinks."""
    tree = smallest_tree(endpoints, ports)
    assert tree is not None and (tree.tiers, tree.switches) == (tiers, switches)


@settings(max_examples=80)
@given(st.integers(1, 700), st.sampled_from([4, 8, 12, 16]))
def test_no_tree_of_one_model_has_fewer_tiers_or_switches(endpoints: int, ports: int) -> None:
    """Every number of spines, groups and cores with whole bundles on switches of so many ports, half down."""
    half, found = ports // 2, []
    leaves = -(-endpoints // half)
    if endpoints <= ports:
        found.append((1, 1))
    for spines in range(2, half + 1):
        if half % spines == 0 and leaves * (half // spines) <= ports:
            found.append((2, leaves + spines))
    pods = -(-leaves // half)
    for groups, cores in product(range(1, half + 1), repeat=2):
        if half % groups == 0 == half % cores and pods * (half // groups) * (half // cores) <= ports:
            found.append((3, leaves + pods * half + groups * cores))
    tree = smallest_tree(endpoints, ports)
    assert (tree and (tree.tiers, tree.switches)) == min(found, default=None)


def test_what_three_tiers_do_not_hold_has_no_bill() -> None:
    assert smallest_tree(65_537, 64) is None


def test_the_closed_form_is_what_the_planner_builds() -> None:
    """4,096 endpoints: 320 QM9700 against 96 SN5610."""
    for result, switches in zip(study(4096).results, (320, 96), strict=True):
        size = one_fabric(result).plan.designs[0].size
        assert size.leaves + size.spines + size.cores == switches


def test_the_bill_by_kind_sums_to_the_whole_and_to_the_bom() -> None:
    bill = {b.kind: b for b in ratios(4096).bill}
    whole = bill.pop(WHOLE)
    assert sum(b.infiniband_usd for b in bill.values()) == pytest.approx(whole.infiniband_usd, abs=0.01)
    boms = [sum(line.extended_price_usd for line in r.bom) for r in study(4096).results]
    assert [whole.infiniband_usd, whole.roce_usd] == pytest.approx(boms, abs=0.01)
    assert bill["switches"].ratio == pytest.approx(320 * 1.75 * 33_600 / (96 * 51_999))
    assert bill["NICs"].ratio == pytest.approx(1.75)


def test_the_whole_bill_by_rule_is_as_wide_as_published() -> None:
    """At 4,096 endpoints, whose tier costs: the rule's band, and 1.0-priced NICs in the book's own prices."""
    rows = {r.rule: r.ratio for r in ratios(4096).by_rule}
    assert list(rows) == ["ratio 1.5", "ratio 1.75", "ratio 2", "book prices"]
    assert rows["ratio 1.5"] < rows["ratio 1.75"] < rows["ratio 2"]
    assert rows["ratio 1.75"] == pytest.approx({b.kind: b.ratio for b in ratios(4096).bill}[WHOLE])
    assert 1.3 < rows["book prices"] < rows["ratio 1.5"]


def test_a_scenario_without_two_plans_has_no_bill_but_all_else() -> None:
    table = ratio_table(scenario(), SOURCES)
    assert (table.bill, table.by_rule) == ((), ())
    frames = ratio_frames(table)
    assert list(frames["bill"].columns) == ["kind", "infiniband_usd", "roce_usd", "ratio"]
    assert (len(frames["items"]), len(frames["observations"])) == (20, 19)
    assert frames["items"].set_index("ib_sku").loc["qm9700", "counterpart_price_grade"] == "derived"


def test_a_faulty_observation_is_named(tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    path.write_text(
        "item_class,scope,low,value,high,date,source,grade,note\nnic,x,2,1,,2026,s,list,\n", encoding="utf-8"
    )
    with pytest.raises(DataFileError, match="low <= value <= high does not hold"):
        load_ratio_observations(path)


def test_the_table_says_what_the_plans_are_priced_with() -> None:
    """The rule's mid price of every item is the list price of the part in an InfiniBand plan."""
    prices = net_price_list(scenario(), "infiniband", SOURCES)
    ruled = {i.ib_sku: i.rule_usd.mid for i in ratio_table(scenario(), SOURCES).items if i.rule_usd}
    assert len(ruled) > 5
    assert {sku: prices.prices[sku].mid_usd for sku in ruled} == pytest.approx(ruled)
