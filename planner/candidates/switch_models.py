"""Which switch models a technology may use in a scenario, and which of them can never win."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from planner.catalog.parts import Catalog, SwitchModel
from planner.cost.finance import UnitCost
from planner.fabric.fat_tree import uplink_rates
from planner.scenario.scenario import Scenario


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


def without_dominated_models(
    models: tuple[SwitchModel, ...],
    units: Mapping[str, UnitCost],
    rates_gbps: frozenset[int],
    *,
    limited: bool = False,
    populated: bool = False,
    installed: frozenset[str] = frozenset(),
) -> tuple[SwitchModel, ...]:
    """Drops each model that another can stand in for everywhere at no greater cost.

    The other has the same cages, no fewer ports (as many, where all cages are ``populated``) and every
    breakout that leads to one of the rates in use (``rates_gbps``), so a plan stays wired as it is when it
    takes the place; if it costs no more over every span of years in which a piece can be held (price, resale
    and running cost), the plan gets no dearer. Where power, rack units or availability are ``limited`` it
    must not take more of them either. Models that are ``installed`` stay: those pieces are paid for. Of
    equal twins the first by name stays.
    """

    def stands_in(twin: SwitchModel, model: SwitchModel) -> bool:
        if model.id in installed or (populated and twin.ports != model.ports):
            return False
        return _wired_alike(twin, model, rates_gbps) and _never_dearer(twin, model, units, limited)

    kept: list[SwitchModel] = []
    for model in models:
        if not any(stands_in(k, model) for k in kept):
            kept = [k for k in kept if not stands_in(model, k)] + [model]
    return tuple(kept)


def rates_in_use(models: tuple[SwitchModel, ...], link_gbps: frozenset[int]) -> frozenset[int]:
    """Rates (Gb/s) of links that these models could run: those of endpoints and of uplinks above them."""
    above = {gbps for model in models for link in link_gbps for gbps in uplink_rates(model, link)}
    return link_gbps | above


def _wired_alike(twin: SwitchModel, model: SwitchModel, rates_gbps: frozenset[int]) -> bool:
    """Whether every link of ``model`` could be plugged into ``twin`` with the same modules and cables."""
    splits = {s for s in model.breakouts if model.port_gbps / s in rates_gbps}
    if _ports(twin) != _ports(model) or twin.ports < model.ports or not splits <= set(twin.breakouts):
        return False
    if twin.rack_units is None or model.rack_units is None:
        return twin.rack_units == model.rack_units
    return twin.rack_units <= model.rack_units


def _never_dearer(
    twin: SwitchModel, model: SwitchModel, units: Mapping[str, UnitCost], limited: bool
) -> bool:
    """Whether ``twin`` costs no more in any span of years, and takes no more of what is limited."""
    a, b = units[twin.id], units[model.id]
    if limited and (
        any(x > y for x, y in zip(_burden(twin), _burden(model), strict=True)) or a.first_t > b.first_t
    ):
        return False
    return all(_span_usd(a, *span) <= _span_usd(b, *span) for span in a.intervals())


def _ports(s: SwitchModel) -> tuple[object, ...]:
    """What must be equal for modules and cables to stay as they are."""
    return (
        s.port_gbps,
        s.ports_per_cage,
        s.cage,
        s.uplink_ports,
        s.uplink_gbps,
        s.uplink_cage,
        s.switches_per_box,
    )


def _burden(s: SwitchModel) -> tuple[float, float]:
    """Power (W) and rack units of a box; known where the limits ask for them."""
    return s.power_w or 0.0, s.rack_units or 0.0


def _span_usd(unit: UnitCost, bought: int, until: int) -> float:
    """Present worth (USD) of holding and running one piece over [bought, until)."""
    return unit.holding_usd(bought, until) + sum(unit.opex_npv_usd(t) for t in range(bought, until))
