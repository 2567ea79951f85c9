"""The independent check of a sum: an answer of several islands against its parts, added up another way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from planner.check.prices_recounted import unequal
from planner.cost.bom_lines import CHARGE, BomLine
from planner.fabric.design import AnyPlan
from planner.scenario.scenario import Objective

_WHOSE = "the islands have"


class Totals(Protocol):
    """What is added up of one island's answer, and of the whole."""

    @property
    def plan(self) -> AnyPlan: ...  # noqa: D102
    @property
    def bom(self) -> Sequence[BomLine]: ...  # noqa: D102
    @property
    def estimates(self) -> Sequence[Output]: ...  # noqa: D102
    @property
    def tco_usd(self) -> float | None: ...  # noqa: D102
    @property
    def network_tco_usd(self) -> float | None: ...  # noqa: D102


class Output(Protocol):
    """What a job gets done."""

    @property
    def effective_tflops(self) -> float: ...  # noqa: D102


class Part(Protocol):
    """An island."""

    @property
    def result(self) -> Totals: ...  # noqa: D102


def sum_faults(whole: Totals, islands: Iterable[Part], objective: Objective) -> tuple[str, ...]:
    """Every total that is not the sum of the islands' own, in words."""
    parts = [island.result for island in islands]
    if not whole.plan.designs:
        return ()
    return tuple((*_count_faults(whole, parts), *_money_faults(whole, parts, objective)))


def _count_faults(whole: Totals, parts: Sequence[Totals]) -> Iterator[str]:
    """GPUs, nodes, links and pieces of each year."""
    for design in whole.plan.designs:
        here = [d for p in parts for d in p.plan.designs if d.year == design.year]
        for name in ("gpus", "nodes", "node_modules", "switch_modules"):
            right = sum(getattr(d, name) for d in here)
            if getattr(design, name) != right:
                yield f"{design.year}: {getattr(design, name)} {name}, the islands have {right}"
        pieces = Counter[str]()
        for d in here:
            pieces.update(d.need)
        if dict(design.need) != dict(pieces):
            yield f"{design.year}: the pieces in use are not those of the islands"
    pieces_bought = [_bought(whole.bom), _bought([r for p in parts for r in p.bom])]
    if pieces_bought[0] != pieces_bought[1]:
        yield "the bill of materials does not list the pieces of the islands"
    paid = [_by_year(whole.bom), _by_year([r for p in parts for r in p.bom])]
    for year in sorted({*paid[0], *paid[1]}):
        yield from unequal(f"{year}: bill of materials", paid[0].get(year), paid[1].get(year, 0.0), _WHOSE)


def _bought(rows: Iterable[BomLine]) -> Counter[tuple[int, str, str]]:
    """Pieces by year, section and SKU; a charge is an amount, not a piece."""
    total = Counter[tuple[int, str, str]]()
    for row in rows:
        if not row.sku.startswith(CHARGE):
            total[row.year, row.section, row.sku] += row.quantity + row.spares
    return total


def _by_year(rows: Iterable[BomLine]) -> dict[int, float]:
    total: dict[int, float] = {}
    for row in rows:
        total[row.year] = total.get(row.year, 0.0) + row.unit_price_usd * (row.quantity + row.spares)
    return total


def _money_faults(whole: Totals, parts: Sequence[Totals], objective: Objective) -> Iterator[str]:
    output = sum(e.effective_tflops for p in parts for e in p.estimates)
    yield from unequal("effective_tflops", sum(e.effective_tflops for e in whole.estimates), output, _WHOSE)
    for name in ("tco_usd", "network_tco_usd"):
        found = getattr(whole, name)
        known = [getattr(p, name) for p in parts]
        if found is not None:
            yield from unequal(name, found, sum(x or 0.0 for x in known), _WHOSE)
            if None in known:
                yield f"{name} is given, though an island has none"
    if whole.tco_usd is not None and objective == "tco" and whole.plan.status == "optimal":
        yield from unequal("objective_usd", whole.plan.solver.objective_usd, whole.tco_usd, _WHOSE)
