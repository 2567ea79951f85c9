"""The cheapest growth of a fabric by plain enumeration. It shares no code with the planner.

One to three build years; one to three tiers; every unit size, pod and core layout, any model in any tier.
Every wiring can follow every other. A link stays where both of its ends do: switches are numbered alike
before and after (a spine by its group and its place in it), and any node may sit in any unit. Links that
both fabrics have room for but whose ends differ are moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np

from tests.proof.oracle_money import Amounts, Money, Piece, Usd, owning_usd, running_usd, step_sets


@dataclass(frozen=True)
class Switch:
    """A model: USD, watts; to be had from year ``first_t`` on; ``stock`` pieces are there already."""

    ports: int
    price: float
    power_w: float = 0.0
    first_t: int = 0
    stock: int = 0
    stock_age: int = 1


@dataclass(frozen=True)
class Growth:
    """One question: nodes of each build year (one GPU each). USD a piece, a link or a GPU idled."""

    nodes: Sequence[int]
    models: Sequence[Switch]
    money: Money
    ports_per_node: int = 1
    rail: bool = False
    link_price: float = 0.0
    move_price: float = 0.0
    install_price: float = 0.0
    idle_price: float = 0.0
    ratio: Fraction = Fraction(1)
    spine_ratio: Fraction = Fraction(1)
    min_spines: int = 1
    max_tiers: int = 3
    planes: int = 1
    unit_nodes: int | None = None
    power_limit_w: float | None = None


class Tree(NamedTuple):
    """A wiring. One tier: no uplinks; two: no cores, and one pod of any size. Models are numbers, -1 none."""

    leaf: int
    unit: int  # nodes
    unit_leaves: int
    per_leaf: int  # endpoints of a node on one of its leaves
    up: int = 0
    spine: int = -1
    spines: int = 0  # of a pod
    pod_leaves: int = 0
    spine_up: int = 0
    core: int = -1
    groups: int = 0
    cores: int = 0  # of a group


def _divisors(n: int) -> list[int]:
    return [k for k in range(1, n + 1) if n % k == 0]


def trees(case: Growth) -> Iterator[Tree]:
    """Every wiring that the ratios and the ports of leaf and spine allow, of whatever size."""
    per_node = case.ports_per_node
    for leaf, model in enumerate(case.models):
        if model.ports >= per_node:
            yield Tree(leaf, model.ports // per_node, 1, per_node)
        on_leaf = 1 if case.rail else per_node
        most = (model.ports - 1) // on_leaf if case.max_tiers > 1 else 0
        for unit in [case.unit_nodes] if case.unit_nodes else range(1, most + 1):
            down = unit * on_leaf
            for up in range(1, model.ports - down + 1):
                if Fraction(down, up) <= case.ratio:
                    yield from _above(case, Tree(leaf, unit, per_node // on_leaf, on_leaf, up))


def _above(case: Growth, below: Tree) -> Iterator[Tree]:
    most = (max(case.nodes) + below.unit - 1) // below.unit * below.unit_leaves
    for spines in (s for s in _divisors(below.up) if s >= case.min_spines):
        for spine, model in enumerate(case.models):
            flat = below._replace(spine=spine, spines=spines)
            pair = below.up // spines
            if pair <= model.ports:
                yield flat
            for pod in range(1, min(most, model.ports // pair) + 1) if case.max_tiers > 2 else ():
                for up in range(1, model.ports - pod * pair + 1):
                    if Fraction(pod * pair, up) <= case.spine_ratio:
                        yield from _cores(case, flat._replace(pod_leaves=pod, spine_up=up))


def _cores(case: Growth, below: Tree) -> Iterator[Tree]:
    for core, model in enumerate(case.models):
        for groups in _divisors(below.spines):
            for cores in _divisors(below.spine_up):
                links = below.spines // groups * (below.spine_up // cores)
                if groups * cores >= case.min_spines and links <= model.ports:
                    yield below._replace(core=core, groups=groups, cores=cores)


class Fabrics(NamedTuple):
    """Wirings at the nodes of one step, as columns; ``links`` and ``need`` are of all planes."""

    tree: dict[str, Amounts]
    units: Amounts
    leaves: Amounts
    pods: Amounts
    links: Amounts  # one row a tier
    need: list[Amounts]  # by model, and the links last

    def at(self, rows: Amounts) -> Fabrics:
        tree = {k: v[rows] for k, v in self.tree.items()}
        need = [n[rows] for n in self.need]
        return Fabrics(tree, self.units[rows], self.leaves[rows], self.pods[rows], self.links[:, rows], need)


def fabrics(case: Growth, found: Sequence[Tree], step: int) -> Fabrics:
    """Those of the wirings that serve the nodes of a step and keep its limits."""
    t = {k: np.array([getattr(x, k) for x in found], dtype=np.int64) for k in Tree._fields}
    nodes = case.nodes[step]
    units = -(-nodes // t["unit"])
    leaves = units * t["unit_leaves"]
    three, two = t["core"] >= 0, (t["core"] < 0) & (t["spine"] >= 0)
    pods = np.where(three, -(-leaves // np.maximum(1, t["pod_leaves"])), 1)
    spines, cores = pods * t["spines"], t["groups"] * t["cores"]
    ports = np.array([m.ports for m in case.models])
    pair = t["up"] // np.maximum(1, t["spines"])
    on_core = t["spines"] // np.maximum(1, t["groups"]) * (t["spine_up"] // np.maximum(1, t["cores"]))
    fit = np.where(two, leaves * pair <= ports[t["spine"]], leaves == 1)
    fit = np.where(three, pods * on_core <= ports[t["core"]], fit)
    need = [
        case.planes * (leaves * (t["leaf"] == m) + spines * (t["spine"] == m) + cores * (t["core"] == m))
        for m in range(len(case.models))
    ]
    for model, n in zip(case.models, need, strict=True):
        if model.first_t > case.money.starts[step] and not model.stock:
            fit &= n == 0
    if case.power_limit_w is not None:
        watts = sum(n * m.power_w for n, m in zip(need, case.models, strict=True))
        fit &= watts <= case.power_limit_w * (1 + 1e-9)
    down = np.full(len(found), nodes * case.ports_per_node)
    links = case.planes * np.stack([down, leaves * t["up"], spines * t["spine_up"]])
    return Fabrics(t, units, leaves, pods, links, [*need, links.sum(axis=0)]).at(np.flatnonzero(fit))


def staying(case: Growth, old: Fabrics, before: int, new: Fabrics, now: int) -> Amounts:
    """Links that stay, by tier, of every old wiring (second axis) under every new one (third).

    Units may be filled in any way: of two with the same number the smaller can be full in both years.
    """

    def least(a: Amounts, b: Amounts) -> Amounts:
        return np.minimum(a[:, None], b[None, :])

    def same(*fields: str) -> Amounts:
        alike = [old.tree[f][:, None] == new.tree[f][None, :] for f in fields]
        return np.asarray(np.logical_and.reduce(alike)).astype(np.int64)

    def both(f: str) -> Amounts:
        return least(old.tree[f], new.tree[f])

    def over(a: str, b: str) -> Amounts:
        return least(*(x.tree[a] // np.maximum(1, x.tree[b]) for x in (old, new)))

    nodes = np.minimum(min(before, now), least(old.units, new.units) * both("unit"))
    down = same("leaf") * nodes * both("unit_leaves") * both("per_leaf")
    pod = least(*(np.where(x.tree["core"] >= 0, x.tree["pod_leaves"], x.leaves) for x in (old, new)))
    pods = least(old.pods, new.pods)
    leaves = np.minimum(least(old.leaves, new.leaves), pods * pod)
    middle = same("leaf", "spine") * leaves * both("spines") * over("up", "spines")
    top = same("spine", "core") * pods * both("groups") * both("cores")
    top = top * over("spines", "groups") * over("spine_up", "cores")
    return case.planes * np.stack([down, middle, top])


def moving_usd(case: Growth, step: int, old: Fabrics, new: Fabrics) -> Usd:
    """Cost of installing and moving links at the start of a step, and of the GPUs that stand idle."""
    before = old.links[:, :, None]
    now = new.links[:, None, :]
    nodes = case.nodes[step - 1], case.nodes[step]
    moved = np.minimum(before, now) - staying(case, old, nodes[0], new, nodes[1])
    added = np.maximum(0, now - before).sum(axis=0)
    idle = (moved / np.maximum(1, before)).sum(axis=0) * nodes[0]
    worth = [case.money.worth(case.money.starts[step] + late) for late in (0, 1)]
    labour = (added * case.install_price + moved.sum(axis=0) * case.move_price) * worth[0]
    return np.asarray(labour + idle * case.idle_price * worth[1])


def pieces(case: Growth) -> list[Piece]:
    money = case.money
    rows = [
        Piece(m.price, money.erosion, money.support, m.first_t, m.stock, m.stock_age) for m in case.models
    ]
    return [*rows, Piece(case.link_price)]


ALIKE = 1e-6  # USD; what differs by less costs the same
Choice = Sequence[tuple[int, int]]  # model and number of the switches of every tier, from the leaves up


def with_switches(case: Growth, fabric: Fabrics, choice: Choice) -> Fabrics:
    """The wirings that take just these switches, of all planes."""
    tree, fit = fabric.tree, np.full(len(fabric.units), True)
    counts = (fabric.leaves, fabric.pods * tree["spines"], tree["groups"] * tree["cores"])
    wanted = [*choice, (-1, 0), (-1, 0)]
    for tier, count, (model, n) in zip(("leaf", "spine", "core"), counts, wanted, strict=False):
        fit &= (tree[tier] == model) & (case.planes * count == n)
    return fabric.at(np.flatnonzero(fit))


def _distinct(fabric: Fabrics) -> Fabrics:
    """One wiring of each number of pieces and links, for where moving costs nothing."""
    counts = np.vstack([*fabric.need, fabric.links])
    return fabric.at(np.unique(counts, axis=1, return_index=True)[1])


def cheapest_growth(case: Growth, choices: Sequence[Choice] = ()) -> float:
    """The least cost (USD) over all sequences of wirings; infinite where some year has none.

    With ``choices``: over those that have just these switches, year by year.
    """
    found = list(trees(case))
    steps = [fabrics(case, found, j) for j in range(len(case.nodes))] if found else []
    steps = [with_switches(case, f, c) for f, c in zip(steps, choices, strict=True)] if choices else steps
    steps = steps if case.move_price or case.idle_price else [_distinct(step) for step in steps]
    if not steps or any(not len(s.units) for s in steps):
        return inf
    first = steps[0].links.sum(axis=0) * case.install_price * case.money.worth(case.money.starts[0])
    if len(steps) == 1:
        return float((first + owning_pieces_usd(case, steps)).min())
    if len(steps) == 2:
        usd = first[:, None] + moving_usd(case, 1, *steps) + owning_pieces_usd(case, crossing(steps))
        return float(usd.min())
    shares = [_shares(case, s, j) for j, s in enumerate(steps)]
    few = [np.argsort(usd)[:8] for usd in shares]
    known = _three(case, steps, shares, few, inf)
    spare = known - sum(float(usd.min()) for usd in shares)
    left = [np.flatnonzero(usd <= usd.min() + spare + ALIKE) for usd in shares]
    return _three(case, steps, shares, left, known)


def owning_pieces_usd(case: Growth, steps: Sequence[Fabrics]) -> Usd:
    need = zip(*(s.need for s in steps), strict=True)
    rows = (owning_usd(case.money, p, n) for p, n in zip(pieces(case), need, strict=True))
    return np.asarray(sum(rows))


def crossing(steps: Sequence[Fabrics]) -> list[Fabrics]:
    """Two steps whose needs broadcast against each other."""
    old, new = steps
    return [old._replace(need=[n[:, None] for n in old.need]), new._replace(need=[n[None] for n in new.need])]


def _three(
    case: Growth, steps: Sequence[Fabrics], least: Sequence[Usd], rows: Sequence[Amounts], known: float
) -> float:
    """The least cost of three steps over these rows, first wiring by first wiring with all that may follow.

    No sequence costs less than its links and the least cost of each step's pieces: where that is above a
    ``known`` cost nothing is tried.
    """
    first, second, third = (step.at(row) for step, row in zip(steps, rows, strict=True))
    shares = [usd[row] for usd, row in zip(least, rows, strict=True)]
    start = first.links.sum(axis=0) * case.install_price * case.money.worth(case.money.starts[0])
    earlier, later = moving_usd(case, 1, first, second), moving_usd(case, 2, second, third)
    before = (start + shares[0])[:, None] + earlier
    after = shares[1][:, None] + later + shares[2]
    bound = before + after.min(axis=1)
    for a in np.argsort(bound.min(axis=1)):
        b = np.flatnonzero(bound[a] <= known + ALIKE)
        if not len(b):
            break  # so have all that follow
        c = np.flatnonzero((before[a][b][:, None] + after[b]).min(axis=0) <= known + ALIKE)
        here = first._replace(need=[n[a] for n in first.need])
        owning = owning_pieces_usd(case, [here, *crossing([second.at(b), third.at(c)])])
        usd = start[a] + earlier[a][b][:, None] + later[np.ix_(b, c)] + owning
        known = min(known, float(usd.min()))
    return known


def _shares(case: Growth, fabric: Fabrics, step: int) -> Usd:
    """A lower bound of what a step's pieces cost: the same share of every span's years."""
    money, total = case.money, np.zeros(len(fabric.units))
    for piece, need in zip(pieces(case), fabric.need, strict=True):
        rate = min(_a_year(money, replace(piece, support=0.0), s) for s in step_sets(money))
        total = total + need * (rate * len(money.years(step)) + running_usd(money, piece, step))
    return total


def _a_year(money: Money, piece: Piece, steps: frozenset[int]) -> float:
    need = [np.array([int(j in steps)]) for j in range(len(money.starts))]
    return float(owning_usd(money, piece, need)[0]) / sum(len(money.years(j)) for j in steps)
