"""What a change of technology midway costs against either technology alone, in figures and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from planner.costing import Tariff, part_of
from planner.design import Plan, TechnologyPath
from planner.format import count, usd
from planner.path_values import Changeover, PathAdvice
from planner.study import TechnologyResult

NAMES = {"infiniband": "InfiniBand", "roce": "RoCE", "spectrum-x": "Spectrum-X", "ethernet": "Ethernet"}


def changeover(plan: Plan, rates: Tariff) -> Changeover | None:
    """What the change takes; None without a design."""
    path, base = plan.path, rates.scenario.base_year
    if path is None or not plan.designs:
        return None
    year = path.from_year
    at = next(i for i, d in enumerate(plan.designs) if d.year == year)
    before, now = plan.designs[at - 1], plan.designs[at]
    paid, sold = 0.0, 0.0
    idle = {sku: n - now.need.get(sku, 0) for sku, n in before.need.items() if _lasts(sku, rates)}
    for h in sorted(plan.holdings, key=lambda h: h.until_year):
        if base <= h.bought_year < year <= h.until_year and (n := min(h.quantity, idle.get(h.sku, 0))) > 0:
            idle[h.sku] -= n
            unit, span = rates.unit_cost(h.sku), (h.bought_year - base, h.until_year - base)
            paid += n * unit.price_usd[span[0]]
            sold += n * unit.resale_usd(*span)
    reused = {
        sku: min(n, now.need[sku])
        for sku, n in sorted(before.need.items())
        if sku in now.need and sku == part_of(sku) and _lasts(sku, rates)
    }
    moves = now.change
    return Changeover(moves.recabled_links, moves.installed_links, moves.idled_gpus, paid, sold, reused)


def _lasts(sku: str, rates: Tariff) -> bool:
    price = rates.book.price(part_of(sku))
    return price is not None and price.item_class not in ("service", "licence")


def path_advice(
    path: TechnologyPath,
    result: TechnologyResult,
    alone: Mapping[str, TechnologyResult],
    by_year: Mapping[int, TechnologyResult],
) -> PathAdvice:
    """The comparison. ``alone``: the technologies planned by themselves; ``by_year``: the same two
    technologies, changed in every build year after the first."""
    first, later = (_tco(alone.get(name)) for name in (path.first, path.later))
    own = _tco(result)
    less = {year: _less(later, _tco(other)) for year, other in sorted(by_year.items())}
    change = changeover(result.plan, result.rates) if result.rates else None
    over_later, over_first = _less(own, later), _less(own, first)
    said = tuple(_sentences(path, change, over_later, over_first, less))
    return PathAdvice(over_later, over_first, change, less, said)


def _tco(result: TechnologyResult | None) -> float | None:
    """A sound total; None where there is none."""
    return None if result is None or result.faults else result.tco_usd


def _less(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def _sentences(
    path: TechnologyPath,
    change: Changeover | None,
    over_later: float | None,
    over_first: float | None,
    less: Mapping[int, float | None],
) -> Iterable[str]:
    first, later, year = NAMES[path.first], NAMES[path.later], path.from_year
    if over_later is not None and change is not None:
        word = "less" if over_later > 0 else "more"
        yield (
            f"starting with {later} costs {usd(abs(over_later))} {word} over the horizon than changing in "
            f"{year}: at the change gear bought for {usd(change.given_up_usd)} is sold for "
            f"{usd(change.sold_usd)} and its like bought again, {count(change.moved_links)} links move"
        )
    if over_first is not None:
        word = "more" if over_first > 0 else "less"
        yield f"changing costs {usd(abs(over_first))} {word} than {first} throughout"
    known = {y: usd_less for y, usd_less in less.items() if usd_less is not None}
    if known:
        cheaper = [str(y) for y, usd_less in known.items() if usd_less > 0]
        looked = f"of the years of change ({', '.join(map(str, known))})"
        if cheaper:
            yield f"{looked} changing is cheaper than starting with {later} in {', '.join(cheaper)}"
        else:
            yield f"{looked} in none is changing cheaper than starting with {later}"
    if change is not None:
        nodes = Counter(change.reused).most_common(3)
        kept = ", ".join(f"{count(n)} {sku}" for sku, n in nodes) or "nothing"
        yield f"re-used over the change, mostly: {kept}"
    yield (
        f"side fabrics stay those of {first}; NICs, modules and fibres are re-used where both technologies "
        "use the same SKU, each taking the medium that is cheapest for itself; of a part that the later "
        "technology prices higher no more is bought before the change than serves before it"
    )
