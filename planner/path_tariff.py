"""Prices where the technology changes midway: each year's are those of the technology of that year."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from planner.catalog import Catalog, NicModel, SwitchModel
from planner.costing import Tariff, part_of
from planner.scenario import Scenario


@dataclass(frozen=True, slots=True)
class PathTariff(Tariff):
    """Two technologies' prices, one after the other. ``change_t``: first year (t) of the later one.

    What is bought, run, replaced or supported in a year is at the price of that year's technology; so is the
    replacement price that caps what a piece brings when it is sold. ``book``, and with it ``price_usd``, by
    which media and NICs are chosen, are of the technology that a search is for.
    """

    before: Tariff
    after: Tariff
    change_t: int

    def at(self, t: int) -> Tariff:
        """The tariff of the technology of year t."""
        return self.before if t < self.change_t else self.after

    def price_in_year(self, sku: str, t: int) -> float:
        """Price (USD) in year t under the technology of that year. Raises KeyError without a price."""
        return self.at(t).price_in_year(sku, t)

    def opex_usd(self, sku: str, t: int) -> dict[str, float]:
        """Running cost (USD) of a piece in service in year t, by kind, under that year's technology."""
        return self.at(t).opex_usd(sku, t)

    def dearer_from(self, sku: str) -> int | None:
        """The year (t) of the change, for a part that the later technology prices higher."""
        part = part_of(sku)
        old, new = self.before.price_usd(part), self.after.price_usd(part)
        return self.change_t if old is not None and new is not None and new > old else None


def path_tariffs(
    before: Tariff, after: Tariff, change_t: int, own: tuple[Collection[str], Collection[str]]
) -> tuple[PathTariff, PathTariff]:
    """The prices of a path as the search for the first and for the later technology sees them.

    ``own``: the SKUs that only the first, and only the later technology uses. They are at its price in every
    year; a part that a technology has no price for is at the other's.
    """
    first, later = before.book, after.book
    merged_first = later.over(first.prices).over({s: later.prices[s] for s in own[1] if s in later.prices})
    merged_later = first.over(later.prices).over({s: first.prices[s] for s in own[0] if s in first.prices})
    early, late = replace(before, book=merged_first), replace(after, book=merged_later)
    power_w = {**after.power_w, **before.power_w}
    args = power_w, early, late, change_t
    return (
        PathTariff(before.scenario, merged_first, *args),
        PathTariff(before.scenario, merged_later, *args),
    )


def own_parts(
    scenario: Scenario, catalog: Catalog, first: str, later: str
) -> tuple[frozenset[str], frozenset[str]]:
    """Switches and NICs that only the first, and only the later of two technologies uses."""
    parts: list[SwitchModel | NicModel] = [
        *catalog.switches.values(),
        *scenario.own_switches,
        *catalog.nics.values(),
    ]
    return (
        frozenset(p.id for p in parts if first in p.technologies and later not in p.technologies),
        frozenset(p.id for p in parts if later in p.technologies and first not in p.technologies),
    )
