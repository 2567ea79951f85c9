"""Prices where the technology changes midway: each year's are those of the technology of that year."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.costing import Tariff, part_of


@dataclass(frozen=True, slots=True)
class PathTariff(Tariff):
    """Two technologies' prices, one after the other. ``change_t``: first year (t) of the later one.

    What is bought, run, replaced or supported in a year is at the price of that year's technology; so is the
    replacement price that caps what a piece brings when it is sold. A part that this one has no price for is
    at the other's. ``book`` and with it ``price_usd``, by which media and NICs are chosen, are of the
    technology that a search is for.
    """

    before: Tariff
    after: Tariff
    change_t: int

    def at(self, t: int) -> Tariff:
        """The tariff of the technology of year t, with the other's prices below its own."""
        own, other = (self.before, self.after) if t < self.change_t else (self.after, self.before)
        return replace(own, book=other.book.over(own.book.prices))

    def _of(self, sku: str, t: int) -> Tariff:
        own, other = (self.before, self.after) if t < self.change_t else (self.after, self.before)
        return own if part_of(sku) in own.book.prices else other

    def price_in_year(self, sku: str, t: int) -> float:
        """Price (USD) in year t under the technology of that year. Raises KeyError where neither has one."""
        return self._of(sku, t).price_in_year(sku, t)

    def opex_usd(self, sku: str, t: int) -> dict[str, float]:
        """Running cost (USD) of one piece in service in year t, by kind, under the technology of that year."""
        return self._of(sku, t).opex_usd(sku, t)


def path_tariffs(before: Tariff, after: Tariff, change_t: int) -> tuple[PathTariff, PathTariff]:
    """The prices of a path as the search for the first and for the later technology sees them."""
    power_w = {**after.power_w, **before.power_w}
    first, later = after.book.over(before.book.prices), before.book.over(after.book.prices)
    args = power_w, before, after, change_t
    return PathTariff(before.scenario, first, *args), PathTariff(before.scenario, later, *args)
