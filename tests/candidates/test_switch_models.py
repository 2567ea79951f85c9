"""Models that another can stand in for: what is dropped is never the cheaper one, nor one that fits where the
other does not."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from planner.candidates.switch_models import without_dominated_models
from planner.catalog.parts import SwitchModel
from planner.cost.finance import UnitCost
from planner.scenario.scenario import ResidualRule
from tests.support.holdings_enumerated import owning_usd
from tests.support.making import Box, scenario_of

HORIZON, RATES = 3, frozenset({100, 200})
RULES: tuple[ResidualRule, ...] = ("none", "unexpired-life", "market")


@st.composite
def units_of(draw: st.DrawFn, sku: str, rule: ResidualRule) -> UnitCost:
    price = tuple(draw(st.sampled_from([10.0, 12.0, 20.0])) for _ in range(HORIZON + 1))
    opex = (draw(st.sampled_from([0.0, 1.0])),) * HORIZON
    return UnitCost(sku, price, opex, 2, 0.1, rule, 0.3)


@st.composite
def models(draw: st.DrawFn) -> tuple[tuple[SwitchModel, ...], dict[str, UnitCost]]:
    """Two to four models that are often alike, with prices that rise or fall over three years."""
    boxes = [
        Box(f"model-{i}", draw(st.sampled_from([8, 8, 16])), 1.0, draw(st.sampled_from([200, 200, 400])),
            draw(st.sampled_from([(1,), (1, 2), (1, 2, 4)])), draw(st.sampled_from([1, 1, 2])),
            draw(st.sampled_from([10.0, 20.0])))
        for i in range(draw(st.integers(2, 4)))
    ]  # fmt: skip
    own = scenario_of(4, [Box("plain", 8, 1.0), *boxes]).own_switches
    found = tuple(s for s in own if s.id != "plain")
    rule = draw(st.sampled_from(RULES))
    units = {s.id: draw(units_of(s.id, rule)) for s in found}
    return found, units


def held_usd(unit: UnitCost, bought: int, until: int) -> float:
    """Owning and running one piece."""
    running = (unit.opex_usd[t] / (1 + unit.discount_rate) ** (t + 1) for t in range(bought, until))
    return owning_usd(unit, bought, until) + sum(running)


def stands_in(a: SwitchModel, b: SwitchModel, units: dict[str, UnitCost], limited: bool, by: float) -> bool:
    """Whether every design with ``b`` could have ``a`` in its place, at a cost lower ``by`` so much."""
    alike = ("port_gbps", "ports_per_cage", "cage", "uplink_ports", "uplink_gbps", "switches_per_box")
    if any(getattr(a, name) != getattr(b, name) for name in alike) or a.ports < b.ports:
        return False
    if any(split not in a.breakouts for split in b.breakouts if b.port_gbps // split in RATES):
        return False
    if limited and (a.power_w or 0.0) > (b.power_w or 0.0):
        return False
    life = units[a.id].life_years
    spans = [(s, e) for s in range(HORIZON) for e in range(s + 1, min(s + life, HORIZON) + 1)]
    return all(held_usd(units[a.id], *span) <= held_usd(units[b.id], *span) - by for span in spans)


@settings(max_examples=300)
@given(models(), st.booleans())
def test_of_models_that_can_stand_in_for_each_other_one_is_left(
    drawn: tuple[tuple[SwitchModel, ...], dict[str, UnitCost]], limited: bool
) -> None:
    """What is dropped has a stand-in among those that are left; of those none is clearly dearer than one."""
    found, units = drawn
    left = without_dominated_models(found, units, RATES, limited=limited)
    for model in found:
        if model not in left:
            assert any(stands_in(other, model, units, limited, -1e-9) for other in left), model.id
    for model in left:
        others = (other for other in left if other != model)
        assert not any(stands_in(other, model, units, limited, 1e-9) for other in others), model.id


def test_an_installed_model_stays_and_so_do_fewer_ports_where_all_cages_are_filled() -> None:
    """Pieces that are there are paid for; more ports would take more modules."""
    small, large = scenario_of(4, [Box("small", 8, 1.0), Box("large", 16, 1.0)]).own_switches
    units = {s.id: UnitCost(s.id, (1.0, 1.0), (0.0,), 1, 0.0, "none", 0.0) for s in (small, large)}
    rates, both = frozenset({100}), (large, small)
    assert without_dominated_models(both, units, rates) == (large,)
    assert without_dominated_models(both, units, rates, installed=frozenset({"small"})) == both
    assert without_dominated_models(both, units, rates, populated=True) == both
