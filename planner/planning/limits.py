"""Limits that a committee sets on what is in use: network power, rack units, parts not yet to be had."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from planner.catalog.parts import SwitchModel
from planner.cost.tariff import Tariff
from planner.fabric.demand import YearDemand
from planner.text.format import raised_to

_TOLERANCE = 1e-9  # relative: rounding of sums
_UNITS = {"network_power_kw": "kW", "rack_units": "rack units"}
_DECIMALS = 3  # of a limit that a reason names: a watt


@dataclass(frozen=True, slots=True)
class LimitCheck:
    """Whether pieces in use keep the limits; remembers what the nearest of the refused takes.

    ``nearest[t]``: by limit, what that refused fat-tree takes in build year t which exceeds its limits, in
    the greatest of the ratios, by the least. ``late[t]``: parts that were not to be had by then.
    """

    limits: Mapping[str, float]
    value: Mapping[str, Callable[[Mapping[str, int]], float]]
    first_t: Callable[[str], int]
    stocked: frozenset[str]
    nearest: dict[int, Mapping[str, float]] = field(default_factory=dict)
    late: dict[int, set[str]] = field(default_factory=dict)

    def __call__(self, need: Mapping[str, int], year: YearDemand) -> bool:
        """True where every limit holds in that build year."""
        late = {s for s in need if self.first_t(s) > year.t and s not in self.stocked}
        if late:
            self.late.setdefault(year.t, set()).update(late)
            return False
        values = {name: self.value[name](need) for name in self.limits}
        if not self.broken(values):
            return True
        nearest = self.nearest.get(year.t)
        if nearest is None or self._excess(values) < self._excess(nearest):
            self.nearest[year.t] = values
        return False

    def broken(self, values: Mapping[str, float]) -> list[str]:
        """The limits that these values exceed."""
        return [name for name, limit in self.limits.items() if values[name] > limit * (1 + _TOLERANCE)]

    def _excess(self, values: Mapping[str, float]) -> tuple[float, float]:
        """The greatest ratio of a value to its limit, then the sum of all."""
        ratios = [values[name] / limit for name, limit in self.limits.items()]
        return max(ratios), sum(ratios)


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
    """The limits that no fat-tree kept in a build year, and the values that would make one possible."""
    nearest = check.nearest.get(year.t)
    if nearest is not None:
        return f"{year.year}: {_limit_words(check, nearest)}"
    late = check.late.get(year.t)
    if late:
        base_year = year.year - year.t
        dated = ", ".join(f"{sku} (from {base_year + check.first_t(sku)})" for sku in sorted(late))
        return (
            f"{year.year}: not to be had by then: {dated}; begin later, bring constraints.available_from "
            f"forward to {year.year}, or allow other parts"
        )
    return None


def _limit_words(check: LimitCheck, nearest: Mapping[str, float]) -> str:
    """Each broken limit with its value, and what to raise it to: rounded up, so that following it helps."""
    broken = check.broken(nearest)
    told = " and ".join(f"{name} = {check.limits[name]:g}" for name in broken)
    raised = {name: raised_to(nearest[name], _DECIMALS) for name in broken}
    remedy = " and ".join(f"{name} to {value}" for name, value in raised.items())
    takes = " and ".join(f"{value} {_UNITS[name]}" for name, value in raised.items())
    if len(broken) > 1:
        return f"{told} can't be met; the fat-tree that comes nearest takes {takes}: raise {remedy}"
    within = " within the other limits" if len(check.limits) > 1 else ""
    return f"{told} can't be met; the least that any fat-tree{within} takes is {takes}: raise {remedy}"
