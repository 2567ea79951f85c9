"""The drawing of a fabric: to scale of its counts, readable from one switch to 1,024 leaves."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from planner.charts import topology_layout, topology_svg
from planner.charts.fabric_charts import TIER_COLOURS
from planner.fabric.design import Design, Size, Wiring

SVG = "{http://www.w3.org/2000/svg}"


def squares(svg: str, colour: str) -> int:
    """Marks of one colour: each is closed once."""
    paths = ElementTree.fromstring(svg).iter(f"{SVG}path")
    return sum(path.get("d", "").count("z") for path in paths if path.get("fill") == colour)


def words(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def three_tiers(wiring: Wiring, design: Design, pods: int) -> Design:
    """Pods of 32 leaves and 32 spines, 32 core groups of pods / 2 cores, radix 64, 32 nodes for 8 leaves."""
    wide = replace(
        wiring, tiers=3, spines=32, leaves_per_pod=32, core="qm9700", spine_up=32, core_groups=32,
        cores_per_group=max(1, pods // 2),
    )  # fmt: skip
    leaves, nodes = 32 * pods, 128 * pods
    size = Size(nodes, nodes * 8, leaves, pods, leaves, 16 * pods, leaves * 32, leaves * 32)
    return replace(design, wiring=wide, size=size, gpus=nodes * 8, nodes=nodes)


def test_two_tiers_one_mark_a_switch_one_line_a_bundle(two_tier_design: Design) -> None:
    """32 leaves, 16 spines, 128 nodes: 512 bundles of m = 2, in frames of a scalable unit."""
    svg = topology_svg.drawing(two_tier_design, {"qm9700": "QM9700 <new>"}, topology_svg.PAPER, "A & B")
    assert squares(svg, TIER_COLOURS["leaf"]) == 32
    assert squares(svg, TIER_COLOURS["spine"]) == 16
    assert squares(svg, topology_svg.PAPER.muted) == 128
    lines = [
        p.get("d", "") for p in ElementTree.fromstring(svg).iter(f"{SVG}path") if p.get("fill") == "none"
    ]
    assert lines[0].count("L") == 32 * 16
    said = words(svg)
    assert {"A & B", "16 spines", "32 leaves", "128 nodes", "QM9700 <new>"} <= set(said)
    assert "m = 2 a leaf and spine, 1:1" in said
    assert "One square is one switch or node; one frame is one scalable unit." in said


@pytest.mark.parametrize("pods", [2, 16, 32])
def test_three_tiers_are_to_one_scale_in_every_tier(
    two_tier_wiring: Wiring, two_tier_design: Design, pods: int
) -> None:
    """Up to 1,024 leaves: the marks of all tiers stand for the same number of pieces."""
    design = three_tiers(two_tier_wiring, two_tier_design, pods)
    plot = topology_layout.plot(design)
    svg = topology_svg.drawing(design, {}, topology_svg.ON_DARK)
    assert plot.per_mark == (2 if pods == 32 else 1)
    assert squares(svg, TIER_COLOURS["leaf"]) == 32 * pods // plot.per_mark
    assert squares(svg, TIER_COLOURS["spine"]) == 32 * pods // plot.per_mark
    assert squares(svg, TIER_COLOURS["core"]) == 16 * pods // plot.per_mark
    assert squares(svg, topology_svg.ON_DARK.muted) == 128 * pods // plot.per_mark
    assert len(svg.encode()) < 150_000


def test_more_pods_than_frames_share_frames(two_tier_wiring: Wiring, two_tier_design: Design) -> None:
    design = three_tiers(two_tier_wiring, two_tier_design, 100)
    plot = topology_layout.plot(design)
    leaves = next(row for row in plot.rows if row.tier == "leaf")
    assert (plot.per_frame, len(leaves.frames), leaves.total) == (3, 34, 3200)
    notes = " ".join(words(topology_svg.drawing(design, {}, topology_svg.PAPER)))
    assert "one frame is one group of 3 pods" in notes
    assert f"group of {plot.per_mark} switches or nodes" in notes


def test_a_part_filled_last_pod_is_drawn_part_filled(
    two_tier_wiring: Wiring, two_tier_design: Design
) -> None:
    whole = three_tiers(two_tier_wiring, two_tier_design, 4)
    part = replace(whole, size=replace(whole.size, leaves=104, nodes=410))
    rows = {row.tier: row.frames for row in topology_layout.plot(part).rows}
    assert rows["leaf"] == (32, 32, 32, 8)
    assert rows["node"] == (128, 128, 128, 26)
    assert rows["spine"] == (32, 32, 32, 32)


def test_one_switch_and_planes(two_tier_wiring: Wiring, two_tier_design: Design) -> None:
    one = replace(
        two_tier_wiring, tiers=1, up=0, spines=0, leaves_per_unit=1, nodes_per_unit=8, planes=4, spine=""
    )
    size = Size(8, 16, leaves=1, pods=1, spines=0, cores=0, leaf_spine_links=0, spine_core_links=0)
    svg = topology_svg.drawing(replace(two_tier_design, wiring=one, size=size), {}, topology_svg.ON_LIGHT)
    assert squares(svg, TIER_COLOURS["leaf"]) == 1
    assert squares(svg, TIER_COLOURS["spine"]) == 0
    assert "One of 4 equal fabrics is drawn: 4 planes." in words(svg)


def test_marks_stay_inside_their_frames(two_tier_wiring: Wiring, two_tier_design: Design) -> None:
    design = three_tiers(two_tier_wiring, two_tier_design, 32)
    plot = topology_layout.plot(design)
    for row in plot.rows:
        height = topology_layout.row_height(row, plot.pitch, plot.per_mark)
        edges = topology_layout.frame_edges(len(row.frames))
        for (left, right), frame in zip(
            edges, topology_layout.marks(row, 0, plot.pitch, plot.per_mark), strict=True
        ):
            half = plot.pitch / 2 - 1
            assert all(left <= x - half and x + half <= right and y + half <= height for x, y in frame)


def test_no_figure_of_the_drawing_is_without_a_unit(two_tier_design: Design) -> None:
    lines = topology_svg.link_lines(two_tier_design, "leaf") + topology_svg.link_lines(
        two_tier_design, "spine"
    )
    assert lines == (
        "1,024 links of 400 Gb/s",
        "1,024 links of 400 Gb/s",
        "m = 2 a leaf and spine, 1:1",
    )
    assert all(re.search(r"links|leaf", line) for line in lines)
