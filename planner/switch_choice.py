"""Which switch models a technology may use in a scenario, and which of them can never win."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from planner.catalog import Catalog, SwitchModel
from planner.finance import UnitCost
from planner.scenario import Scenario


@dataclass(frozen=True, slots=True)
class SwitchChoice:
    """The models to plan with, those left out for want of a figure, and whether any was asked for."""

    models: tuple[SwitchModel, ...]
    excluded: tuple[str, ...]
    asked: int


def switch_choice(
    scenario: Scenario, technology: str, catalog: Catalog, price: Callable[[str], float | None]
) -> SwitchChoice:
    """Models of the catalog and of the scenario that the technology, ids and vendors allow.

    A model without a price or power is left out and named.
    """
    ids, vendors = scenario.fabric.switches, scenario.limits.switch_vendors
    asked = [
        s
        for s in (*catalog.switches.values(), *scenario.own_switches)
        if technology in s.technologies
        and (ids is None or s.id in ids)
        and (vendors is None or s.vendor in vendors)
    ]
    models, excluded = [], []
    for switch in asked:
        figures = [("price", price(switch.id)), ("power", switch.power_w)]
        if scenario.limits.rack_units is not None:
            figures.append(("rack height", switch.rack_units))
        lacking = [what for what, value in figures if value is None]
        if lacking:
            excluded.append(f"{switch.id}: no {' and no '.join(lacking)}")
        else:
            models.append(switch)
    return SwitchChoice(tuple(sorted(models, key=lambda s: s.id)), tuple(sorted(excluded)), len(asked))


def without_dearer_twins(
    models: tuple[SwitchModel, ...], units: Mapping[str, UnitCost], *, limited: bool = False
) -> tuple[SwitchModel, ...]:
    """Drops each model that another can stand in for everywhere at no greater cost.

    Twins have the same ports, cages and breakouts, so a plan stays wired as it is when one replaces the
    other throughout; if the twin costs no more over every span of years in which a piece can be held
    (price, resale and running cost), the plan gets no dearer. Where power, rack units or availability are
    ``limited`` it must not take more of them either. Of equal twins the first by name stays.
    """
    kept: list[SwitchModel] = []
    for model in models:
        if not any(_stands_in(k, model, units, limited) for k in kept):
            kept = [k for k in kept if not _stands_in(model, k, units, limited)] + [model]
    return tuple(kept)


def _stands_in(twin: SwitchModel, model: SwitchModel, units: Mapping[str, UnitCost], limited: bool) -> bool:
    """Whether ``twin`` is wired like ``model`` and never costs more."""
    if _ports(twin) != _ports(model) or not set(model.breakouts) <= set(twin.breakouts):
        return False
    a, b = units[twin.id], units[model.id]
    if limited and (
        any(x > y for x, y in zip(_burden(twin), _burden(model), strict=True)) or a.first_t > b.first_t
    ):
        return False
    return all(_span_usd(a, *span) <= _span_usd(b, *span) for span in a.intervals())


def _ports(s: SwitchModel) -> tuple[object, ...]:
    return (
        s.ports,
        s.port_gbps,
        s.ports_per_cage,
        s.cage,
        s.uplink_ports,
        s.uplink_gbps,
        s.uplink_cage,
        s.switches_per_box,
        s.rack_units,
    )


def _burden(s: SwitchModel) -> tuple[float, float]:
    """Power (W) and rack units of a box; known where the limits ask for them."""
    return s.power_w or 0.0, s.rack_units or 0.0


def _span_usd(unit: UnitCost, bought: int, until: int) -> float:
    """Present worth (USD) of holding and running one piece over [bought, until)."""
    return unit.holding_usd(bought, until) + sum(unit.opex_npv_usd(t) for t in range(bought, until))
