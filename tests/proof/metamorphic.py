"""Random scenarios, and pairs of them of which one never costs more: facts that need no second planner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from tests.support.making import BASE_YEAR, Box, Prices


@dataclass(frozen=True)
class Ask:
    """What ``tests.making.planned`` is asked. ``nodes``: of each build year."""

    nodes: tuple[int, ...]
    boxes: tuple[Box, ...]
    parts: Prices
    fabric: Mapping[str, Any]
    finance: Mapping[str, Any]
    ports_per_node: int = 2
    limits: Mapping[str, Any] = field(default_factory=dict)
    years: tuple[int, ...] = ()


# dearer, cheaper: of the two the first never costs less than the second
Pair = tuple[Ask, Ask]
Fact = Callable[[Ask, int], Pair]


@st.composite
def boxes(draw: st.DrawFn, name: str) -> Box:
    ports = draw(st.integers(4, 12))
    split = draw(st.sampled_from([(1,), (1,), (1, 2)]))
    return Box(
        name, ports // len(split), float(draw(st.sampled_from([5, 17, 30, 55]))), 100 * len(split),
        split, power_w=float(draw(st.sampled_from([20, 100]))),
    )  # fmt: skip


@st.composite
def asks(draw: st.DrawFn) -> Ask:
    """One or two build years, one to three tiers, one or two models."""
    grown = draw(st.booleans())
    nodes = sorted(draw(st.lists(st.integers(1, 14), min_size=1 + grown, max_size=1 + grown)))
    ports = draw(st.sampled_from([2, 2, 4]))
    fabric = {
        "max_oversubscription": draw(st.sampled_from(["1:1", "3:2"])),
        "spine_oversubscription": draw(st.sampled_from(["1:1", "3:2"])),
        "rail_optimised": draw(st.booleans()), "planes": draw(st.sampled_from([1, 1, 2])),
        "min_spines": draw(st.sampled_from([1, 2])), "max_tiers": draw(st.sampled_from([2, 3])),
        "link_gbps": 100, "reserved_fabric_ports": draw(st.sampled_from([0, 0, 1])),
    }  # fmt: skip
    finance = {
        "residual": draw(st.sampled_from(["none", "market", "unexpired-life"])),
        "discount_rate": draw(st.sampled_from([0.0, 0.1])), "horizon_years": 3,
        "life_years": draw(st.sampled_from([2, 5])), "support_ratio_per_year": 0.05,
        "market_resale_ratio": 0.28,
    }  # fmt: skip
    parts = Prices(
        link=draw(st.sampled_from([0.0, 0.5, 2.0])), module=draw(st.sampled_from([0.0, 0.5])),
        nic=1.0, install=0.1, move=draw(st.sampled_from([0.5, 5.0])), server=100.0,
    )  # fmt: skip
    models = (draw(boxes("b-first")), *([draw(boxes("c-second"))] if draw(st.booleans()) else []))
    return Ask(tuple(nodes), models, parts, fabric, finance, ports)


def fabric(ask: Ask, **changed: Any) -> Ask:
    return replace(ask, fabric={**ask.fabric, **changed})


def _wider_catalog(ask: Ask, n: int) -> Pair:
    other = Box("a-other", 5 + n % 6, float(10 + 7 * (n % 5)))
    return ask, replace(ask, boxes=(*ask.boxes, other))


def _dearer(ask: Ask, n: int) -> Pair:
    first = ask.boxes[0]
    raised = replace(first, price_usd=(first.price_usd or 0.0) * (1.1 + n % 3))
    return replace(ask, boxes=(raised, *ask.boxes[1:])), ask


def _dearer_parts(ask: Ask, n: int) -> Pair:
    name = ("link", "module", "nic", "install", "move")[n % 5]
    return replace(ask, parts=replace(ask.parts, **{name: getattr(ask.parts, name) + 1.0})), ask


def _later(ask: Ask, n: int) -> Pair:
    """A dear model is always to be had, so that a plan exists on both sides."""
    ask = replace(ask, boxes=(*ask.boxes, Box("a-at-once", 10, 70.0)))
    early = {ask.boxes[0].id: BASE_YEAR + n % 2}
    late = {ask.boxes[0].id: BASE_YEAR + 1 + n % 2}
    return (
        replace(ask, limits={"available_from": late}),
        replace(ask, limits={"available_from": early} if n % 2 else {}),
    )


def _looser_limit(ask: Ask, n: int) -> Pair:
    kw = (0.2, 0.4, 0.8, 1.6)[n % 4]
    return (
        replace(ask, limits={"network_power_kw": kw}),
        replace(ask, limits={"network_power_kw": 2 * kw} if n % 3 else {}),
    )


def _looser_capex(ask: Ask, n: int) -> Pair:
    """Servers (100 a node) and the network of the year are within it, or no plan is."""
    usd = 100.0 * max(ask.nodes) + (50.0, 150.0, 400.0)[n % 3]
    return (
        replace(ask, limits={"capex_usd_per_year": usd}),
        replace(ask, limits={"capex_usd_per_year": usd * 1.3} if n % 2 else {}),
    )


NEVER_CHEAPER: dict[str, Fact] = {
    "a wider catalog": _wider_catalog,
    "a looser leaf ratio": lambda ask, n: (ask, fabric(ask, max_oversubscription=("2:1", "3:1")[n % 2])),
    "a looser spine ratio": lambda ask, n: (
        fabric(ask, max_tiers=3),
        fabric(ask, max_tiers=3, spine_oversubscription=("2:1", "3:1")[n % 2]),
    ),
    "planes left open": lambda ask, n: (fabric(ask, planes=1 + n % 2), fabric(ask, planes=[1, 2])),
    "rails left open": lambda ask, n: (
        fabric(ask, planes=1, rail_optimised=bool(n % 2)),
        fabric(ask, planes=1, rail_optimised=[True, False]),
    ),
    "one more tier": lambda ask, n: (fabric(ask, max_tiers=1 + n % 2), fabric(ask, max_tiers=2 + n % 2)),
    "fewer spines asked": lambda ask, n: (fabric(ask, min_spines=2 + n % 2), fabric(ask, min_spines=1)),
    "no reserved port": lambda ask, n: (
        fabric(ask, reserved_fabric_ports=1 + n % 3),
        fabric(ask, reserved_fabric_ports=0),
    ),
    "a cheaper switch": _dearer,
    "a cheaper part": _dearer_parts,
    "an earlier part": _later,
    "a looser power limit": _looser_limit,
    "a looser limit on capex": _looser_capex,
}


def scaled(ask: Ask, factor: float) -> Ask:
    """Every price, services and servers included, times ``factor``."""
    models = tuple(replace(b, price_usd=(b.price_usd or 0.0) * factor) for b in ask.boxes)
    parts = {
        k: getattr(ask.parts, k) * factor for k in ("link", "module", "nic", "install", "move", "server")
    }
    return replace(ask, boxes=models, parts=Prices(**parts))


def renamed(ask: Ask) -> Ask:
    """Other ids, whose order is the other way round."""
    names = ("z-one", "y-two")
    return replace(ask, boxes=tuple(replace(b, id=n) for b, n in zip(ask.boxes, names, strict=False)))
