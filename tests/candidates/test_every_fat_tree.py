"""Against an enumeration of every whole number that a fat-tree has: what is a candidate, and what is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.candidates.enumeration import Candidate
from planner.candidates.three_tier import pod_shapes
from planner.fabric.design import Wiring
from planner.fabric.fat_tree import core_layouts
from tests.candidates.spaces import space_of
from tests.proof.oracle_growth import Growth, Switch, Tree, fabrics, trees
from tests.proof.oracle_money import Money
from tests.support.making import Box, scenario_of

RATIOS = st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2)])
Use = tuple[tuple[int, ...], tuple[int, ...]]  # models by tier; switches by tier and links by layer


@st.composite
def cases(draw: st.DrawFn) -> Growth:
    """One or two build years, one or two models of 4 to 8 ports."""
    per_node = draw(st.sampled_from([1, 1, 2]))
    models = [Switch(ports, 1.0) for ports in draw(st.lists(st.integers(4, 8), min_size=1, max_size=2))]
    steps = sorted(draw(st.lists(st.integers(1, 24 // per_node), min_size=1, max_size=2)))
    rail = per_node > 1 and draw(st.booleans())
    return Growth(
        nodes=steps,
        models=models,
        money=Money(tuple(range(len(steps))), len(steps)),
        ports_per_node=per_node,
        rail=rail,
        ratio=draw(RATIOS),
        spine_ratio=draw(RATIOS),
        min_spines=draw(st.sampled_from([1, 2, 3])),
        max_tiers=draw(st.sampled_from([2, 3, 3])),
        unit_nodes=draw(st.sampled_from([None, None, 2])) if rail else None,
    )


def planned(case: Growth, *, keep_dominated: bool) -> list[Candidate]:
    """The planner's candidates of a case, without dual prices."""
    fabric = {
        "max_oversubscription": text(case.ratio), "spine_oversubscription": text(case.spine_ratio),
        "min_spines": case.min_spines, "max_tiers": case.max_tiers, "rail_optimised": case.rail,
    }  # fmt: skip
    if case.unit_nodes:
        fabric["nodes_per_scalable_unit"] = case.unit_nodes
    boxes = [Box(f"model-{i}", m.ports, m.price) for i, m in enumerate(case.models)]
    ports = {"nic_ports_per_node": case.ports_per_node}
    scenario = scenario_of(list(case.nodes), boxes, fabric=fabric, cluster=ports)
    return space_of(scenario, keep_dominated=keep_dominated).candidates()


def text(ratio: Fraction) -> str:
    return f"{ratio.numerator}:{ratio.denominator}"


def every(case: Growth, step: int) -> dict[Tree, Use]:
    """Every fat-tree that serves the nodes of a step."""
    all_trees = list(trees(case))
    if not all_trees:
        return {}
    found = fabrics(case, all_trees, step)
    rows = [Tree(*(int(found.tree[name][i]) for name in Tree._fields)) for i in range(len(found.units))]
    return {
        tree: (
            (tree.leaf, tree.spine, tree.core),
            (
                int(found.leaves[i]), tree.spines * int(found.pods[i]), tree.groups * tree.cores,
                *(int(n) for n in found.links[:, i]),
            ),
        )
        for i, tree in enumerate(rows)
    }  # fmt: skip


def as_tree(w: Wiring) -> Tree:
    """A wiring of the planner in the enumeration's words."""
    models = [int(model.removeprefix("model-")) if model else -1 for model in (w.leaf, w.spine, w.core)]
    if w.tiers == 1:
        return Tree(models[0], w.nodes_per_unit, 1, w.endpoints_per_node)
    on_leaf = 1 if w.rail_optimised else w.endpoints_per_node
    return Tree(
        models[0], w.nodes_per_unit, w.leaves_per_unit, on_leaf, w.up, models[1], w.spines, w.leaves_per_pod,
        w.spine_up, models[2], w.core_groups, w.cores_per_group,
    )  # fmt: skip


def use(candidate: Candidate, t: int) -> Use:
    tree, size, wiring = as_tree(candidate.wiring), candidate.built[t].size, candidate.wiring
    links = size.endpoints, size.leaf_spine_links, size.spine_core_links
    cores = size.cores
    return (tree.leaf, tree.spine, tree.core), (size.leaves, wiring.spines * size.pods, cores, *links)


def no_more(a: Sequence[int], b: Sequence[int]) -> bool:
    return all(x <= y for x, y in zip(a, b, strict=True))


@settings(max_examples=150)
@given(cases())
def test_every_fat_tree_is_a_candidate_or_takes_no_less_than_one_of_the_same_models(case: Growth) -> None:
    """So that none is cheaper in one year at prices not below 0. A third tier of models whose two tiers take
    no more stays out."""
    found = planned(case, keep_dominated=False)
    for step in range(len(case.nodes)):
        uses = [use(c, step) for c in found if step in c.built]
        for models, counts in every(case, step).values():
            like = [u for u in uses if u[0] == models or (u[0][:2] == models[:2] and u[0][2] < 0)]
            assert any(no_more(other, counts) for _, other in like), (models, counts)


@settings(max_examples=100)
@given(cases(), st.booleans())
def test_every_candidate_is_a_fat_tree_that_keeps_the_rules(case: Growth, keep_dominated: bool) -> None:
    """Ports, ratios, stripes and spines as asked, and the counts are those of plain arithmetic."""
    found = planned(case, keep_dominated=keep_dominated)
    for step in range(len(case.nodes)):
        known = every(case, step)
        for candidate in (c for c in found if step in c.built):
            assert known[as_tree(candidate.wiring)] == use(candidate, step)


@settings(max_examples=100)
@given(cases())
def test_of_growth_every_leaf_layer_and_spine_count_is_there_with_its_fewest_links(case: Growth) -> None:
    """Whatever it takes of the rest: another year's moves may ask for it."""
    found = planned(case, keep_dominated=True)
    if len(case.nodes) < 2:
        return
    for step in range(2):
        here = Counter((as_tree(c.wiring)[:4], as_tree(c.wiring)[5:7]) for c in found if step in c.built)
        for tree in every(case, step):
            if tree.core < 0:
                assert (tree[:4], tree[5:7]) in here, tree


@settings(max_examples=200)
@given(*[st.integers(1, 12)] * 3, st.integers(1, 16), st.integers(1, 4))
def test_the_fewest_cores_over_every_layout(spines: int, up: int, pods: int, ports: int, least: int) -> None:
    """G groups of C cores: G divides the spines of a pod, C the uplinks of a spine, a core has the ports."""
    every_layout = [
        (g, c)
        for g, c in product(range(1, spines + 1), range(1, up + 1))
        if spines % g == 0 and up % c == 0 and pods * (spines // g) * (up // c) <= ports and g * c >= least
    ]
    fewest = min((g * c for g, c in every_layout), default=0)
    expected = {(g, c) for g, c in every_layout if g * c == fewest}
    assert set(core_layouts(spines, up, pods, ports, least)) == expected


@settings(max_examples=200)
@given(st.data())
def test_every_pod_shape(data: st.DataObject) -> None:
    """Of S spines, m links a pair, L leaves a pod: the least m of each S, every L or the least of each number
    of pods, and the least uplinks; a spine has the ports, a side's taken ``pack`` at a time."""
    leaves, least, radix = (data.draw(st.integers(1, n)) for n in (20, 8, 16))
    most, pack, fewest = least + data.draw(st.integers(0, 6)), data.draw(st.sampled_from([1, 2, 4])), 1
    ratio, every_size = data.draw(RATIOS), data.draw(st.booleans())
    expected = set()
    for spines, in_pod in product(range(fewest, most + 1), range(1, leaves)):
        pairs = [m for m in range(1, most + 1) if least <= spines * m <= most]
        pods = -(-leaves // in_pod)
        least_size = not any(-(-leaves // smaller) == pods for smaller in range(1, in_pod))
        if not pairs or not (every_size or least_size):
            continue
        down = pairs[0] * in_pod
        up = next(w for w in range(1, down + 1) if Fraction(down, w) <= ratio)
        if sum((n + pack - 1) // pack * pack for n in (down, up)) <= radix:
            expected.add((spines, pairs[0], in_pod, pods, up))
    rows = pod_shapes(leaves, least, most, radix, pack, ratio, fewest, every_size)
    assert {tuple(row) for row in np.asarray(rows).tolist()} == expected


@pytest.mark.parametrize("nodes", [5, 9, 14])
def test_of_one_year_the_least_unit_of_each_number_of_units(nodes: int) -> None:
    """A larger one would only ask for more uplinks where a cage holds one port."""
    found = planned(Growth([nodes], [Switch(8, 1.0)], Money((0,), 1), max_tiers=2), keep_dominated=True)
    sizes = {c.wiring.nodes_per_unit for c in found if c.wiring.tiers == 2}
    every_size = {t.unit for t in every(Growth([nodes], [Switch(8, 1.0)], Money((0,), 1), max_tiers=2), 0)}
    by_number = {
        -(-nodes // size): [s for s in every_size if -(-nodes // s) == -(-nodes // size)] for size in sizes
    }
    assert sizes == {min(like) for like in by_number.values()}
