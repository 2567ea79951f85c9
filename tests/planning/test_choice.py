"""Which fat-tree one year takes, worked out by hand. Prices in USD; only switches and links cost."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.support.making import Box, Prices, counts, planned

SMALL = Box("small", 4, 10.0)


def test_the_cheaper_of_two_models_not_the_fewer_switches() -> None:
    """8 endpoints: 4 leaves of 2 + 2 and 2 spines of the small switch cost 60, one large switch 70.

    Counting switches would take the large one. At 50 it wins.
    """
    dear, cheap = (planned(8, [SMALL, Box("large", 8, usd)]) for usd in (70.0, 50.0))
    assert (counts(dear), dear.network_tco_usd) == ((2, 4, 2, 0), pytest.approx(60.0))
    assert (counts(cheap), cheap.network_tco_usd) == ((1, 1, 0, 0), pytest.approx(50.0))


def test_leaves_and_spines_of_different_models() -> None:
    """16 endpoints: 8 small leaves under 2 large spines, 8 x 10 + 2 x 25 = 130.

    One model for all tiers costs 150 (4 + 2 large) or 200 (8 + 8 + 4 small).
    """
    result = planned(16, [SMALL, Box("large", 8, 25.0)])
    wiring = result.plan.designs[0].wiring
    assert (wiring.leaf, wiring.spine, counts(result)) == ("small", "large", (2, 8, 2, 0))
    assert result.network_tco_usd == pytest.approx(130.0)


def test_spines_divide_the_uplinks() -> None:
    """9 endpoints on 6-port switches: 3 leaves of 3 + 3, so 3 spines, 60 in all.

    9 uplinks on 6 ports would round to 2 spines (50), which 3 uplinks a leaf cannot be striped over.
    """
    result = planned(9, [Box("six", 6, 10.0)])
    assert (counts(result), result.network_tco_usd) == ((2, 3, 3, 0), pytest.approx(60.0))


def test_two_tiers_end_at_half_the_square_of_the_radix() -> None:
    """8 endpoints fit two tiers of 4-port switches (60); 16 take three, 8 + 8 + 4 (200), and 17 none.

    A limit of radix^2 / 4 would put a third tier over 8.
    """
    eight, sixteen, more = (planned(n, [SMALL]) for n in (8, 16, 17))
    assert (counts(eight), eight.network_tco_usd) == ((2, 4, 2, 0), pytest.approx(60.0))
    assert (counts(sixteen), sixteen.network_tco_usd) == ((3, 8, 8, 4), pytest.approx(200.0))
    assert more.plan.status == "infeasible" and "17 endpoints in a plane are more than the 16" in (
        more.plan.reason or ""
    )


def test_a_looser_ratio_halves_the_uplinks() -> None:
    """12 endpoints on 6-port switches, links of 1: 1:1 takes 4 leaves, 3 spines and 24 links (94).

    2:1 takes 3 leaves of 4 + 2, one spine and 18 links (58). Read as 0.5 it would take more, not fewer.
    """
    tight, loose = (
        planned(12, [Box("six", 6, 10.0)], Prices(link=1.0), fabric={"max_oversubscription": ratio})
        for ratio in ("1:1", "2:1")
    )
    assert (counts(tight), tight.network_tco_usd) == ((2, 4, 3, 0), pytest.approx(94.0))
    assert (counts(loose), loose.network_tco_usd) == ((2, 3, 1, 0), pytest.approx(58.0))
    assert loose.plan.designs[0].wiring.oversubscription == Fraction(2)


def test_a_ratio_that_is_not_whole_is_kept_exactly() -> None:
    """14 endpoints, 12-port switches, 7:5: 2 leaves of 7 + 5. 5 divides by 5 or 1: one spine of 10 ports, 30.

    Rounded to 1:1 it would be 3 leaves; rounded to 2:1 the wired ratio would break what was asked.
    """
    result = planned(14, [Box("twelve", 12, 10.0)], fabric={"max_oversubscription": "7:5"})
    assert (counts(result), result.network_tco_usd) == ((2, 2, 1, 0), pytest.approx(30.0))
    assert result.plan.designs[0].wiring.oversubscription == Fraction(7, 5)


def test_breakout_doubles_the_radix_of_every_tier() -> None:
    """32 endpoints of 100G on 8 x 200G: radix 16, so 4 leaves of 8 + 8 and 2 spines, 600.

    Counted in ports of 200G the radix would be 8: 8 leaves and 4 spines, 1,200.
    """
    result = planned(32, [Box("split", 8, 100.0, 200, (1, 2))], fabric={"link_gbps": 100})
    assert (counts(result), result.network_tco_usd) == ((2, 4, 2, 0), pytest.approx(600.0))


@pytest.mark.parametrize(("native_usd", "rate", "total_usd"), [(1.5, 200, 656.0), (2.0, 100, 664.0)])
def test_native_uplinks_only_where_strictly_cheaper(native_usd: float, rate: int, total_usd: float) -> None:
    """The same 6 switches (600) and 32 node links; up, 32 links of 100G at 1 or 16 of 200G.

    At 1.5 a native link saves 8; at 2 both cost the same and the uplinks stay at the link rate.
    """
    box = Box("split", 8, 100.0, 200, (1, 2))
    result = planned(32, [box], Prices(link=1.0, native=native_usd), fabric={"link_gbps": 100})
    assert result.network_tco_usd == pytest.approx(total_usd)
    assert result.plan.designs[0].wiring.uplink_gbps == rate
    assert result.plan.designs[0].wiring.oversubscription == Fraction(1)


def test_planes_multiply_every_count() -> None:
    """8 nodes of 2 ports: on 2 planes twice 4 leaves + 2 spines (120, not 60); on one, three tiers (200)."""
    two, one = (
        planned(8, [SMALL], cluster={"nic_ports_per_node": 2}, fabric={"planes": p, "rail_optimised": False})
        for p in (2, 1)
    )
    assert (counts(two), two.network_tco_usd) == ((2, 8, 4, 0), pytest.approx(120.0))
    assert (counts(one), one.network_tco_usd) == ((3, 8, 8, 4), pytest.approx(200.0))


def test_an_open_choice_of_planes_is_the_optimisers() -> None:
    """planes = [1, 2] takes the cheaper one, 120."""
    result = planned(
        8, [SMALL], cluster={"nic_ports_per_node": 2}, fabric={"planes": [1, 2], "rail_optimised": False}
    )
    assert (result.plan.designs[0].wiring.planes, result.network_tco_usd) == (2, pytest.approx(120.0))


def test_a_split_nic_port_is_an_endpoint_on_every_plane() -> None:
    """4 nodes, one 200G port each, split in two over 2 planes: 2 switches, 8 links, 4 NICs at 3: 40.

    Counting a port as one endpoint would wire 4 links on one switch.
    """
    result = planned(
        4, [SMALL], Prices(link=1.0, nic=3.0), cluster={"nic_port_gbps": 200},
        fabric={"planes": 2, "nic_port_split": 2, "link_gbps": 100},
    )  # fmt: skip
    assert (counts(result), result.plan.designs[0].size.endpoints) == ((1, 2, 0, 0), 4)
    assert result.network_tco_usd == pytest.approx(2 * 10 + 8 * 1 + 4 * 3)


def test_reserved_ports_stay_free() -> None:
    """4 endpoints fill one 4-port switch (10). With one port kept free: 3 leaves, 2 spines, 50."""
    full, kept = (planned(4, [SMALL], fabric={"reserved_fabric_ports": n}) for n in (0, 1))
    assert (counts(full), full.network_tco_usd) == ((1, 1, 0, 0), pytest.approx(10.0))
    assert (counts(kept), kept.network_tco_usd) == ((2, 3, 2, 0), pytest.approx(50.0))


def test_scalable_units_are_built_whole() -> None:
    """5 nodes on 2 rails, units of 4: 4 leaves of 4 + 4 and 2 spines (60), 10 links down, 16 up: 86.

    Uplinks for endpoints only would be 8 + 2 = 10, and 80.
    """
    result = planned(
        5, [Box("eight", 8, 10.0)], Prices(link=1.0), cluster={"nic_ports_per_node": 2},
        fabric={"rail_optimised": True, "nodes_per_scalable_unit": 4},
    )  # fmt: skip
    assert (counts(result), result.network_tco_usd) == ((2, 4, 2, 0), pytest.approx(86.0))
    assert result.plan.designs[0].size.leaf_spine_links == 16


def test_a_leaf_serves_one_rail() -> None:
    """3 nodes of 2 ports on 4-port leaves: two units of 2 leaves, one a rail, and 2 spines: 60.

    Leaves of whole nodes, not rail-optimised, are only 3 (50).
    """
    fabric = {"max_tiers": 2}
    rails, mixed = (
        planned(3, [SMALL], cluster={"nic_ports_per_node": 2}, fabric={**fabric, "rail_optimised": rail})
        for rail in (True, False)
    )
    assert (counts(rails), rails.network_tco_usd) == ((2, 4, 2, 0), pytest.approx(60.0))
    assert (counts(mixed), mixed.network_tco_usd) == ((2, 3, 2, 0), pytest.approx(50.0))


def test_min_spines_costs_a_spine() -> None:
    """8 endpoints at 2:1 on 6-port switches: 2 leaves of 4 + 2 and one spine, 30; at least two, 40."""
    one, two = (
        planned(8, [Box("six", 6, 10.0)], fabric={"max_oversubscription": "2:1", "min_spines": n})
        for n in (1, 2)
    )
    assert (counts(one), one.network_tco_usd) == ((2, 2, 1, 0), pytest.approx(30.0))
    assert (counts(two), two.network_tco_usd) == ((2, 2, 2, 0), pytest.approx(40.0))


def test_nics_are_bom_lines() -> None:
    """4 nodes of 2 ports at 7 a NIC on one 8-port switch of 10: 66. Without the NICs 10."""
    result = planned(4, [Box("eight", 8, 10.0)], Prices(nic=7.0), cluster={"nic_ports_per_node": 2})
    assert result.network_tco_usd == pytest.approx(66.0)


@pytest.mark.parametrize(
    ("batch", "headroom", "tiers", "total_usd"),
    [
        (1_000_000, 0.6, (2, 3, 1, 0), 40.0),
        (12, 0.6, (2, 4, 3, 0), 70.0),
        (12, 0.4, (2, 4, 2, 0), 60.0),
        (12, 0.0, (2, 3, 1, 0), 40.0),
    ],
)
def test_headroom_forbids_what_the_job_would_fill(
    batch: int, headroom: float, tiers: tuple[int, int, int, int], total_usd: float
) -> None:
    """12 endpoints of 100G, 6-port switches, 2:1 allowed.

    A large batch has hardly any traffic for its work and takes the 2:1 design at any headroom (40). A
    batch of 12 asks 34 Gb/s of an endpoint: with 0.6 kept free at most 40/34 = 1.16:1, so 1:1 (70); with
    0.4 at most 60/34 = 1.75:1, so 3:2 (60); with none 2:1. Without the rule all would be 40.
    """
    result = planned(
        12, [Box("six", 6, 10.0)], workload={"global_batch_sequences": batch},
        fabric={"max_oversubscription": "2:1", "bandwidth_headroom": headroom},
    )  # fmt: skip
    assert (counts(result), result.network_tco_usd) == (tiers, pytest.approx(total_usd))


def test_headroom_that_no_endpoint_can_keep_is_infeasible_with_the_reason() -> None:
    """34 Gb/s asked, 30 left of 100: no topology helps, and the reason names the key to change."""
    result = planned(
        12, [Box("six", 6, 10.0)], workload={"global_batch_sequences": 12},
        fabric={"bandwidth_headroom": 0.7},
    )  # fmt: skip
    assert (result.plan.status, result.network_tco_usd) == ("infeasible", None)
    assert "bandwidth_headroom" in (result.plan.reason or "")
