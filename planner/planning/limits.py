"""Limits that a committee sets on what is in use: network power, rack units, parts not yet to be had."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from planner.catalog.parts import SwitchModel
from planner.cost.tariff import Tariff
from planner.fabric.demand import YearDemand


@dataclass(frozen=True, slots=True)
class LimitCheck:
    """Whether pieces in use keep the limits; remembers by how little the best of the refused missed.

    ``least[limit, t]``: the least value that a refused fat-tree had in build year t.
    """

    limits: Mapping[str, float]
    value: Mapping[str, Callable[[Mapping[str, int]], float]]
    first_t: Callable[[str], int]
    stocked: frozenset[str]
    least: dict[tuple[str, int], float] = field(default_factory=dict)
    late: dict[int, set[str]] = field(default_factory=dict)

    def __call__(self, need: Mapping[str, int], year: YearDemand) -> bool:
        """True where every limit holds in that build year."""
        late = {s for s in need if self.first_t(s) > year.t and s not in self.stocked}
        if late:
            self.late.setdefault(year.t, set()).update(late)
            return False
        values = {name: self.value[name](need) for name in self.limits}
        broken = [name for name, limit in self.limits.items() if values[name] > limit * (1 + 1e-9)]
        for name in broken:
            key = name, year.t
            self.least[key] = min(self.least.get(key, values[name]), values[name])
        return not broken


def limit_check(tariff: Tariff, switches: Mapping[str, SwitchModel]) -> LimitCheck | None:
    """The scenario's limits as a check on pieces in use; None where it sets none."""
    scenario = tariff.scenario
    asked = scenario.limits
    limits = {
        name: limit
        for name, limit in (("network_power_kw", asked.network_power_kw), ("rack_units", asked.rack_units))
        if limit is not None
    }
    if not limits and not asked.available_from:
        return None

    def power_kw(need: Mapping[str, int]) -> float:
        return sum(n * tariff.power_w.get(sku, 0.0) for sku, n in need.items()) / 1000.0

    def rack_units(need: Mapping[str, int]) -> float:
        heights = {sku: switches[sku].rack_units or 0.0 for sku in need if sku in switches}
        return sum(need[sku] * height for sku, height in heights.items())

    return LimitCheck(
        limits,
        {"network_power_kw": power_kw, "rack_units": rack_units},
        tariff.first_t,
        frozenset(row.sku for row in scenario.installed),
    )


def why_refused(check: LimitCheck, year: YearDemand) -> str | None:
    """The limit that no fat-tree kept in a build year, and the least that would make one possible."""
    for name, limit in check.limits.items():
        least = check.least.get((name, year.t))
        if least is not None:
            return (
                f"{year.year}: {name} = {limit:g} can't be met; the least that any fat-tree takes is "
                f"{least:,.1f}: raise {name} to that"
            )
    late = check.late.get(year.t)
    if late:
        return f"{year.year}: not to be had by then: {', '.join(sorted(late))} (constraints.available_from)"
    return None
