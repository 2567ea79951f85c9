"""A year of several fabrics: counts are sums, and what only one fabric has is asked of one."""

from __future__ import annotations

from dataclasses import replace

from planner.catalog.technologies import TechnologyPath
from planner.fabric.design import ClusterDesign, Design, Plan, SolverReport, largest_fabric


def test_counts_of_a_cluster_are_sums_of_its_fabrics(two_tier_design: Design, grown_design: Design) -> None:
    """1,024 GPUs on 32 leaves and 16 spines beside 2,048 on 64 and 32."""
    both = ClusterDesign(2028, (two_tier_design, grown_design))
    assert (both.gpus, both.nodes) == (3072, 384)
    assert both.need == {"qm9700": 48 + 96}
    assert both.need_by_tier == {("leaf", "qm9700"): 48 + 96}
    assert (both.node_modules, both.switch_modules) == (512 + 1024, 1536 + 3072)
    assert both.links == (1024 + 2048, 1024 + 2048, 0)
    assert both.tiers == (("leaf", "qm9700", 96), ("spine", "qm9700", 48))


def test_what_is_done_in_a_year_is_done_in_all_fabrics(two_tier_design: Design, grown_design: Design) -> None:
    change = ClusterDesign(2028, (two_tier_design, grown_design)).change
    assert (change.bought, change.retired) == ({"qm9700": 96}, {"old-switch": 2})
    assert (change.installed_links, change.recabled_links) == (4096, 512)
    assert (change.recabled_by_tier, change.idled_gpus) == ((0, 512, 0), 512.0)


def test_one_fabric_reads_like_a_cluster_of_one(two_tier_design: Design) -> None:
    alone = ClusterDesign(two_tier_design.year, two_tier_design.fabrics)
    for name in ("gpus", "nodes", "need", "need_by_tier", "node_modules", "switch_modules", "links", "tiers"):
        assert getattr(alone, name) == getattr(two_tier_design, name)
    assert alone.change == two_tier_design.change


def test_the_largest_fabric_stands_for_all_where_only_one_can(
    two_tier_design: Design, grown_design: Design
) -> None:
    """Of equal ones the first."""
    assert largest_fabric(ClusterDesign(2028, (two_tier_design, grown_design))) is grown_design
    twin = replace(two_tier_design, node_modules=0)
    assert largest_fabric(ClusterDesign(2027, (two_tier_design, twin))) is two_tier_design
    assert largest_fabric(grown_design) is grown_design


def test_models_of_a_tier_are_named_once(two_tier_design: Design) -> None:
    other = replace(two_tier_design, wiring=replace(two_tier_design.wiring, leaf="sn5600"))
    both = ClusterDesign(2027, (two_tier_design, other, two_tier_design))
    assert both.tiers == (("leaf", "qm9700 + sn5600", 96), ("spine", "qm9700", 48))


def test_a_plan_is_called_by_its_technology_or_its_path() -> None:
    plan = Plan("roce", "optimal", None, (), SolverReport("HiGHS", "optimal", 1.0, 1.0, 0.0, 0.0))
    assert (plan.name, plan.technology_in(2030)) == ("roce", "roce")
    changing = replace(plan, path=TechnologyPath("roce", "infiniband", 2029))
    assert changing.name == "roce-then-infiniband-2029"
    assert [changing.technology_in(year) for year in (2028, 2029)] == ["roce", "infiniband"]
