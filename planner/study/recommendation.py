"""Which technology to take: the least levelised cost, or "either" inside the bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from planner.catalog.technologies import Technology
from planner.cost.infiniband_ratio_examined import Ratios
from planner.scenario.scenario import Scenario
from planner.study.result import TechnologyResult
from planner.text.format import percent, usd

BELOW_NOTHING = (
    "A cost per output of 0 or less ranks nothing: what is sold of [[installed]] brings more than all else "
    "costs. Compare the TCO, or list only the pieces that this cluster may use."
)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """``technology`` is an id, "either" where the bands overlap, None where nothing has a design, or
    a cost per output above 0."""

    technology: Technology | Literal["either"] | None
    reasons: tuple[str, ...]


def recommended(
    scenario: Scenario, results: Sequence[TechnologyResult], ratios: Ratios, band: float
) -> Recommendation:
    """The advice for the sound ones among results, with what rests on a supposed price of InfiniBand.

    ``band``: the relative error of a comparison.
    """
    advice = recommend(
        {r.plan.technology: None if r.faults else r.levelised_usd_per_effective_tflops_year for r in results},
        band,
    )
    if scenario.prices.infiniband_pricing != "ratio":
        return advice
    rule = f"ratio {scenario.prices.infiniband_price_ratio:g}"
    bill_usd = {row.rule: row.infiniband_usd for row in ratios.by_rule}
    return with_book_prices(advice, rule, bill_usd.get(rule), bill_usd.get("book prices"))


def recommend(levelised: Mapping[Technology, float | None], band: float) -> Recommendation:
    """Compares technologies on levelised cost (USD per effective TFLOP/s-year).

    ``band`` is the relative error of a comparison: the stack is common to all, so it is that of
    scaling. Within it of the cheapest no difference is claimed. A cost of 0 or less ranks nothing: the
    technology that delivers less would have the lower one.
    """
    known = sorted((usd_, t) for t, usd_ in levelised.items() if usd_ is not None)
    if not known:
        return Recommendation(None, ("No technology has a total for what it delivers; each says why.",))
    best, name = known[0]
    if best <= 0.0:
        return Recommendation(None, (BELOW_NOTHING,))
    reasons = [
        f"{name} has the lowest levelised cost: {usd(best)} per effective TFLOP/s-year.",
    ]
    near = [t for value, t in known[1:] if value <= best * (1 + band)]
    for value, t in known[1:]:
        reasons.append(f"{t}: {usd(value)}, {percent(value / best - 1)} more.")
    if near:
        reasons.append(
            f"{', '.join(near)} within {percent(band)} of {name}: inside the band of the throughput estimate."
        )
    unknown = [t for t, value in levelised.items() if value is None]
    reasons += [f"{t} is not compared: it has no design or no total." for t in unknown]
    return Recommendation("either" if near else name, tuple(reasons))


def with_book_prices(
    advice: Recommendation, rule: str, by_rule_usd: float | None, by_book_usd: float | None
) -> Recommendation:
    """Adds what InfiniBand's compute fabric would cost at the book's own prices (USD over the horizon):
    the rule is a supposition, and the ranking may rest on it."""
    if by_rule_usd is None or by_book_usd is None:
        return advice
    said = (
        f"infiniband is priced by {rule} to RoCE: {usd(by_rule_usd)} of compute fabric; at the book's own "
        f'prices it is {usd(by_book_usd)}. Plan with infiniband_pricing = "book" before you rule it out.'
    )
    return Recommendation(advice.technology, (*advice.reasons, said))
