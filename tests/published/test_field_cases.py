"""Cases from the field in which other tools gave wrong numbers, one test a case, named after it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from planner.candidates.two_tier import links_per_pair
from planner.candidates.uplinks import Uplinks
from planner.catalog.sources import load_sources
from planner.fabric.cabling import LinkBundle, LinkEnd, Medium, cheapest_medium
from planner.fabric.design import Size, Wiring
from planner.fabric.fat_tree import size_of
from planner.fabric.part_counts import Kit, pieces_of
from tests.support.field_case import case
from tests.support.making import Box, counts, planned

FREE_OF_RUNNING_COST = {
    "discount_rate": 0.0, "electricity_usd_per_kwh": 0.0, "support_ratio_per_year": 0.0, "life_years": 5,
}  # fmt: skip


def uplinks(count: int, spine_radix: int) -> Uplinks:
    """Exactly so many uplinks of a leaf."""
    return Uplinks(400, count, count, spine_radix, 1)


def test_f01_spines_divide_the_uplinks() -> None:
    """95 nodes: 16 spines. Rounding ports up says 12, of which 32 uplinks cannot be striped: 1.33:1 wired."""
    result = case(8 * 95, fabric={"nodes_per_scalable_unit": 32})
    design = result.plan.designs[0]
    assert (counts(result), design.size.leaf_spine_links) == ((2, 24, 16, 0), 768)
    assert design.wiring.oversubscription == 1


def test_f02_two_tiers_reach_half_the_square_of_the_radix() -> None:
    """256 nodes: 64 leaves, 32 spines. A limit of k^2 / 4 makes it a third tier and 320 switches."""
    assert counts(case(8 * 256)) == (2, 64, 32, 0)


def test_f03_uplink_bandwidth_is_not_a_spine_count() -> None:
    """512 GPUs: 16 leaves, 8 spines, not 56."""
    assert counts(case(512)) == (2, 16, 8, 0)


def test_f04_two_tiers_refused_where_the_spines_lack_ports() -> None:
    """50 leaves with 4 uplinks on 36-port spines: one link a leaf already takes 50 ports.

    200 cables on 4 x 36 = 144 ports were sold elsewhere.
    """
    assert [links_per_pair(uplinks(4, 36), spines, leaves=50) for spines in range(1, 6)] == [0] * 5
    refused = planned(1600, [Box("spine", 36, 1.0)], fabric={"max_tiers": 2, "max_oversubscription": "8:1"})
    assert (refused.plan.status, refused.network_tco_usd) == ("infeasible", None)
    assert "more than the 1,152 that two tiers" in (refused.plan.reason or "")


def test_f05_every_pair_has_the_same_links_or_the_design_is_refused() -> None:
    """33 uplinks go to 1, 3, 11 or 33 spines; on 6 they would be 33/34/34/34/33/32 links."""
    pairs = {spines: links_per_pair(uplinks(33, 66), spines, leaves=2) for spines in range(1, 35)}
    assert {spines: pair for spines, pair in pairs.items() if pair} == {1: 33, 3: 11, 11: 3, 33: 1}


def test_f06_no_spine_without_links_and_none_over_its_ports() -> None:
    """More spines than uplinks are refused; elsewhere every leaf began at spine 1, the last stayed dark."""
    assert links_per_pair(uplinks(8, 64), spines=9, leaves=16) == 0
    for nodes in (9, 17, 33, 64, 100, 127):
        design = case(8 * nodes).plan.designs[0]
        wiring, size = design.wiring, design.size
        assert wiring.links_per_pair * wiring.spines == wiring.up
        assert size.leaves * wiring.links_per_pair <= 64 and wiring.down + wiring.up <= 64


def test_f07_two_to_one_halves_the_uplinks() -> None:
    """1,024 GPUs: 32 leaves with 16 instead of 32 uplinks, 8 instead of 16 spines.

    Read as 0.5, "2:1" gave twice the switches.
    """
    even, loose = (case(1024, fabric={"max_oversubscription": r}) for r in ("1:1", "2:1"))
    assert counts(even) == (2, 32, 16, 0) and counts(loose) == (2, 32, 8, 0)
    assert [r.plan.designs[0].wiring.up for r in (even, loose)] == [32, 16]
    assert loose.plan.designs[0].wiring.oversubscription == Fraction(2)


@pytest.mark.parametrize(
    ("nodes", "expected", "links"),
    [(1, (1, 1, 0, 0), 0), (17, (2, 8, 3, 0), 8 * 18), (33, (2, 16, 5, 0), 16 * 20)],
)
def test_f08_odd_counts_have_an_answer(nodes: int, expected: tuple[int, int, int, int], links: int) -> None:
    """One switch; 17 down and 18 up over 3 spines (17 would need 17 spines); 17 down, 20 up over 5."""
    result = case(8 * nodes)
    design = result.plan.designs[0]
    assert (counts(result), design.size.leaf_spine_links) == (expected, links)
    assert design.size.endpoints == 8 * nodes


@pytest.mark.parametrize(("nodes", "warned"), [(64, True), (63, False), (17, False)])
def test_f09_a_full_fabric_warns_of_the_managers_port(nodes: int, warned: bool) -> None:
    """64 nodes fill every port of 16 leaves and 8 spines; 63 leave one free on each leaf; 17 nodes leave
    29 of 64 dark. Elsewhere silence, and a fabric manager without a port."""
    texts = case(8 * nodes).plan.warnings
    assert any("fabric manager" in text for text in texts) == warned


def test_f10_growth_shows_both_the_early_and_the_late_spines() -> None:
    """32 nodes of 8 x 800G alone take 2 spines; 72 take 4. Building 4 at once costs two spines for a year.

    Rate 0, life 5, 100,000 a switch: 2 x 100,000 / 5 = 40,000 more. Others show the end state only.
    """
    asked = {"finance": {**FREE_OF_RUNNING_COST, "horizon_years": 2}, "prices": {"overrides": {"q3400": 1e5}}}
    fabric = {"switches": ["q3400"]}
    alone = case(256, "dgx-b300", fabric=fabric)
    late = case([256, 576], "dgx-b300", fabric=fabric, **asked)
    early = case([256, 576], "dgx-b300", fabric={**fabric, "min_spines": 4}, **asked)
    assert counts(alone) == (2, 8, 2, 0)
    assert [counts(late, t) for t in (0, 1)] == [(2, 8, 2, 0), (2, 8, 4, 0)]
    assert [counts(early, t) for t in (0, 1)] == [(2, 8, 4, 0), (2, 8, 4, 0)]
    assert late.network_tco_usd is not None and early.network_tco_usd is not None
    assert early.network_tco_usd - late.network_tco_usd == pytest.approx(40_000.0, abs=1e-3)


def test_f11_a_twin_port_module_counts_once() -> None:
    """24 switches of 32 cages: 768 modules, 512 at NICs, 1,024 fibres; not 2,048 modules."""
    design = case(512).plan.designs[0]
    assert (design.switch_modules, design.node_modules) == (768, 512)
    assert sum(n for sku, n in design.need.items() if sku.startswith("fibre")) == 1024
    assert sum(n for sku, n in design.need.items() if sku.startswith("mma4z00-ns")) == 1280


def test_f12_an_assembly_is_one_line_without_modules() -> None:
    """At 2 m: 256 DAC splitters for 512 NICs, 256 straight DACs for 512 links, and no transceiver at all."""
    design = case(512, layout={"node_leaf_m": 2.0, "leaf_spine_m": 2.0}).plan.designs[0]
    assert design.need == {"qm9700": 24, "connectx-7-400g-osfp": 512, "mcp7y00": 256, "mcp4y10": 256}
    assert (design.switch_modules, design.node_modules) == (0, 0)


@pytest.mark.parametrize(
    ("length_m", "kind", "medium"),
    [(2.9, "DAC", None), (4.0, "ACC", None), (49.0, None, "mmf"), (51.0, None, "smf")],
)
def test_f13_a_nic_link_takes_the_cheapest_that_reaches(
    length_m: float, kind: str | None, medium: str | None
) -> None:
    """400G from a twin-port OSFP cage to a ConnectX-7: copper, active copper, multi-mode, single-mode."""
    found = _medium(LinkEnd("osfp-8x100", 2), LinkEnd("osfp-flat-4x100", 1), length_m, pair=1)
    catalog = load_sources().catalog
    if kind:
        assert found.assembly and catalog.assemblies[found.cable].kind == kind
    else:
        assert not found.assembly and catalog.transceivers[found.module_a].medium == medium
        assert catalog.fibres[found.cable].length_m >= length_m


@pytest.mark.parametrize(("length_m", "sku"), [(2.0, "mcp4y10"), (2.9, "mca4j80")])
def test_f13_a_switch_link_past_2_m_is_active_copper(length_m: float, sku: str) -> None:
    """The straight twin-port DAC ends at 2 m; elsewhere it was sold past its reach."""
    end = LinkEnd("osfp-8x100", 2)
    assert _medium(end, end, length_m, pair=2).cable == sku


def _medium(a: LinkEnd, b: LinkEnd, length_m: float, pair: int) -> Medium:
    sources = load_sources()
    book = sources.books["reference"]

    def price(sku: str) -> float | None:
        found = book.price(sku)
        return found.mid_usd if found else None

    choice = cheapest_medium(sources.catalog, LinkBundle(a, b, 400, length_m, "infiniband", pair), price)
    assert choice.medium is not None
    return choice.medium


def test_f14_straight_and_splitter_fibre_never_share_a_module(two_tier_wiring: Wiring) -> None:
    """3 legs down on splitter fibre and 3 links up on straight fibre, two a module: 2 + 2 modules.

    Mixed in one module there would be 3: one too few.
    """
    model = replace(
        load_sources().catalog.switches["qm9700"], ports=8, ports_per_cage=2, breakouts=(1,), id="small"
    )
    split = Medium("splitter", Fraction(2), "a", False, True, "twin", "nic-side")
    straight = Medium("fibre", Fraction(1), "a", False, False, "twin", "twin")
    wiring = replace(
        two_tier_wiring,
        nic_ports_per_node=1,
        rail_optimised=False,
        leaf="small",
        spine="small",
        down=3,
        up=3,
        nodes_per_unit=3,
        leaves_per_unit=1,
        spines=3,
    )
    size = size_of(wiring, 3)
    assert size == Size(3, 3, 1, 1, 3, 0, 3, 0)
    modules = {}
    for name, down in (("apart", split), ("shared", replace(straight, module_b="nic-side"))):
        kit = Kit("nic", 1, 1, model, model, None, down, straight, None)
        modules[name] = pieces_of(wiring, size, kit).by_tier["leaf", "twin"]
    assert modules == {"apart": 4, "shared": 3}
