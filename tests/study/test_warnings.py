"""What a reviewer would raise: full tiers before growth, stranded ports, split racks, planes by default."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.catalog.parts import SwitchModel
from planner.catalog.sources import load_sources
from planner.catalog.technologies import Technology
from planner.fabric.design import Design, Plan, Wiring
from planner.fabric.port_use import port_headroom
from planner.scenario.scenario import Scenario
from planner.study.result import FabricResult
from planner.study.warnings import warnings_for
from planner.throughput.result import Estimate
from tests.support.field_case import case
from tests.support.making import Box, Prices, planned

RATIO = 0.2
ROCE = {"technologies": ["roce"], "switches": ["sn2410", "sn5600"]}


@pytest.fixture
def switches() -> dict[str, SwitchModel]:
    return dict(load_sources().catalog.switches)


def warned(plan: Plan, asked: Scenario, *designs: Design, technology: Technology = "roce") -> tuple[str, ...]:
    estimate = Estimate(1, 1, 1, 1, 1, 1, 1.0, 0.4, 1.0, 1.0, {})
    plan = replace(plan, designs=designs, technology=technology)
    return warnings_for(plan, load_sources().catalog.switches, [estimate] * len(designs), asked, RATIO)


def test_full_tiers_are_named_with_the_growth_to_come(
    designed: FabricResult, asked: Scenario, two_tier_design: Design, grown_design: Design
) -> None:
    """32 leaves with two links to each spine of 64 ports: neither takes a node or a unit more. Of the last
    year, with no growth after it, nothing is said."""
    said = warned(designed.plan, asked, two_tier_design, grown_design)
    assert said == (
        "2027: leaf and spine ports are full, no node fits the leaves, no scalable unit fits the spines any "
        "more: 2,048 GPUs are due in 2028, when the plan moves 512 links",
    )


def test_room_in_a_tier_is_not_called_full(
    designed: FabricResult, asked: Scenario, two_tier_design: Design, grown_design: Design
) -> None:
    """127 nodes leave the place of one on the leaves; 24 leaves leave that of a unit of eight on the
    spines."""
    one_left = replace(two_tier_design, size=replace(two_tier_design.size, nodes=127))
    assert warned(designed.plan, asked, one_left, grown_design)[0].startswith("2027: spine ports are full")
    size = replace(two_tier_design.size, nodes=96, leaves=24, leaf_spine_links=768)
    (said,) = warned(designed.plan, asked, replace(two_tier_design, size=size), grown_design)
    assert said.startswith("2027: leaf ports are full, no node fits the leaves any more")


def test_stranded_ports_are_those_that_the_wiring_can_never_use(
    two_tier_design: Design, two_tier_wiring: Wiring, switches: dict[str, SwitchModel]
) -> None:
    """A leaf of 64 ports with 20 nodes a unit and 20 up strands 24, though its 20 wired down ports may still
    be empty; a spine whose bundles are of three strands 1 of 64. Dark ports that growth can take are not
    among them."""
    wiring = replace(two_tier_wiring, nodes_per_unit=20, down=20, up=24, spines=8)
    size = replace(two_tier_design.size, nodes=30, endpoints=240, leaves=16, spines=8, leaf_spine_links=384)
    leaf, spine = port_headroom(replace(two_tier_design, wiring=wiring, size=size), switches)
    assert (leaf.total, leaf.stranded, leaf.room) == (16 * 64, 16 * 20, 10)
    assert (spine.total, spine.stranded, spine.room) == (8 * 64, 8 * 1, (21 - 16) // 8)


def test_reserved_ports_and_half_used_split_ports_are_not_stranded(
    two_tier_design: Design, two_tier_wiring: Wiring, switches: dict[str, SwitchModel]
) -> None:
    """30 nodes a unit on leaves wired 31 down, 32 up of 64: two ports a leaf, of which eight are kept for the
    fabric manager."""
    wiring = replace(two_tier_wiring, nodes_per_unit=30, down=31, up=32)
    design = replace(two_tier_design, wiring=wiring)
    assert next(port_headroom(design, switches)).stranded == 64
    assert next(port_headroom(design, switches, 8)).stranded == 56


def test_pods_fill_cores_and_a_three_tier_spine_has_room_only_through_them(
    two_tier_design: Design, two_tier_wiring: Wiring, switches: dict[str, SwitchModel]
) -> None:
    """A core of 64 ports with 16 links a pod holds four pods; with 24 it holds two and strands 16."""
    wiring = replace(
        two_tier_wiring, tiers=3, leaves_per_pod=16, core="qm9700", spine_up=16, core_groups=1,
        cores_per_group=16,
    )  # fmt: skip
    size = replace(two_tier_design.size, pods=2, spines=32, cores=16, spine_core_links=512)
    design = replace(two_tier_design, wiring=wiring, size=size)
    _, spine, core = port_headroom(design, switches)
    assert (spine.stranded, spine.room) == (32 * 16, None)
    assert (core.what, core.room, core.stranded) == ("pod", 2, 0)
    wide = replace(design, wiring=replace(wiring, spine_up=24, cores_per_group=16, spines=16))
    core = list(
        port_headroom(replace(wide, wiring=replace(wide.wiring, cores_per_group=8, spines=8)), switches)
    )[2]
    assert (core.room, core.stranded) == (64 // 24 - 2, 16 * 16)


def test_stranded_ports_are_said_from_the_share_on_that_is_worth_it() -> None:
    """Six nodes on leaves of ten ports: 3 + 3 a leaf leave 4 of 10 (40 %); of seven 1 (14 %)."""
    fabric = {"max_tiers": 2, "nodes_per_scalable_unit": 3}
    only_leaf = [Box("wide", 10, 1.0, technologies=("roce",))]
    result = planned(12, only_leaf, Prices(link=1.0), fabric=fabric)
    assert [w for w in result.plan.warnings if "stranded" in w and "leaf" in w] == [
        "2027: 16 of 40 leaf ports (40%, wide) are stranded: not wired, and of no use as long as the wiring "
        "stays"
    ]
    narrow = planned(12, [Box("near", 7, 1.0)], Prices(link=1.0), fabric=fabric)
    assert [w for w in narrow.plan.warnings if "stranded" in w and "leaf" in w] == []


def test_racks_that_straddle_units_are_counted(
    designed: FabricResult, asked: Scenario, two_tier_design: Design
) -> None:
    """Racks of 18 trays on units of 32: of 128 nodes the units end after 32, 64 and 96, each within a rack
    (the second, fourth and sixth). Units of 36 are two whole racks."""
    asked = replace(asked, server=replace(asked.server, gpus_per_node=4, nvlink_domain_gpus=72))
    (said,) = warned(designed.plan, asked, two_tier_design)
    assert said.startswith("2027: 3 of 8 NVLink racks of 18 nodes straddle scalable units of 32 nodes")
    whole = replace(
        two_tier_design, wiring=replace(two_tier_design.wiring, nodes_per_unit=36, down=36, up=28)
    )
    assert not any("straddle" in text for text in warned(designed.plan, asked, whole))
    single = replace(whole, wiring=replace(two_tier_design.wiring, tiers=1, up=0, spines=0, spine=""))
    assert not any("straddle" in text for text in warned(designed.plan, asked, single))


def test_planes_that_nobody_chose_are_said(
    designed: FabricResult, asked: Scenario, two_tier_design: Design
) -> None:
    split = replace(two_tier_design, wiring=replace(two_tier_design.wiring, nic_port_split=2, planes=2))
    defaulted = replace(asked, defaults_used=("fabric.planes = 2",))
    (said,) = [w for w in warned(designed.plan, defaulted, split) if "nic_port_split" in w]
    assert said == (
        "2027: planes is not given: with nic_port_split = 2 every NIC port sends one part to each of 2 "
        "planes; write planes to choose"
    )
    assert not any("nic_port_split" in text for text in warned(designed.plan, asked, split))


def test_single_points_of_failure_are_said_tier_by_tier(
    designed: FabricResult, asked: Scenario, two_tier_design: Design, two_tier_wiring: Wiring
) -> None:
    def of(wiring: Wiring, **counts: int) -> str:
        size = replace(two_tier_design.size, **counts)
        return "\n".join(warned(designed.plan, asked, replace(two_tier_design, wiring=wiring, size=size)))

    assert "a single switch carries all traffic" in of(
        replace(two_tier_wiring, tiers=1, up=0, spines=0, spine="", down=64), leaves=1, spines=0
    )
    assert "one spine: its failure" in of(replace(two_tier_wiring, spines=1), spines=1)
    three = replace(
        two_tier_wiring, tiers=3, leaves_per_pod=16, core="qm9700", spine_up=16, core_groups=1,
        cores_per_group=1, spines=16,
    )  # fmt: skip
    assert "one core: its failure" in of(three, pods=2, spines=32, cores=1)
    assert "one spine a pod" in of(replace(three, spines=1), pods=2, spines=2, cores=1)
    assert "one core" not in of(replace(three, cores_per_group=2), pods=2, spines=32, cores=2)


def test_lids_and_the_fabric_manager_s_port_are_infiniband_s_alone(
    designed: FabricResult, asked: Scenario, two_tier_design: Design
) -> None:
    """49,151 unicast LIDs are endpoints and switches of one plane together: 49,103 endpoints and 48 switches
    just fit."""
    for endpoints, beyond in ((49_103, False), (49_104, True)):
        size = replace(two_tier_design.size, endpoints=endpoints)
        design = replace(two_tier_design, size=size)
        said = "\n".join(warned(designed.plan, asked, design, technology="infiniband"))
        assert ("exceed the 49,151 unicast LIDs" in said) is beyond
        assert "none is left for a fabric manager" in said
        assert "LID" not in "\n".join(warned(designed.plan, asked, design, technology="roce"))


def test_nics_of_another_rate_than_the_servers_are_named_first() -> None:
    """25G links on DGX H100, which comes with 400G NICs."""
    result = case(64, "dgx-h100", fabric={**ROCE, "link_gbps": 25})
    said = result.plan.warnings[0]
    assert "link_gbps = 25: the 400G NICs of" in said
    assert said.endswith("with ports of 25G")
    own = case(64, "dgx-h100", fabric={**ROCE, "link_gbps": 400})
    assert not any("replaced" in text for text in own.plan.warnings)


def test_installed_gear_without_use_is_said_to_be_sold() -> None:
    there = [{"sku": "sn5600", "quantity": 50, "bought_year": 2026}]
    result = case(64, "dgx-h100", fabric=ROCE, installed=there)
    sold = result.plan.designs[0].change.retired["sn5600"]
    assert any(f"{sold} of 50 installed sn5600 are of no use here" in text for text in result.plan.warnings)


def test_infiniband_cheaper_than_roce_is_said() -> None:
    asked = {"technologies": ["infiniband"]}
    result = case(64, "dgx-h100", fabric=asked, prices={"infiniband_price_ratio": 0.5})
    assert any("infiniband_price_ratio = 0.5 makes" in text for text in result.plan.warnings)
