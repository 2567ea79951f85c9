"""Two answers side by side: where the money differs, and why, in words.

The amounts are NPV in the base year, by kind of cost; together they are the difference in TCO.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from planner.fabric.design import YearDesign, largest_fabric
from planner.study.result import TechnologyResult
from planner.text import format as form

RESIDUAL = "residual value"
_LEAST_USD = 0.5  # less is rounding
_MOST_CAUSES = 10
_TIERS = {1: "one tier", 2: "two tiers", 3: "three tiers"}
_NO_NAMES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Cause:
    """A part of the difference: its amount (after - before, NPV in USD), its kind of cost, and why."""

    npv_usd: float
    kind: str
    why: str

    @property
    def sentence(self) -> str:
        """The amount and the reason: "+$3.1M: 64 more spines for 1:1 instead of 2:1"."""
        return f"{signed(self.npv_usd)}: {self.why}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs. ``tco_usd`` is after - before, None where one has no total; ``design``: sentences."""

    tco_usd: float | None
    causes: tuple[Cause, ...]
    design: tuple[str, ...]
    gaps: tuple[str, ...]  # why something cannot be compared


def signed(amount_usd: float) -> str:
    """An amount with its sign.

    >>> signed(3_140_000.0), signed(-20.0)
    ('+$3.1M', '-$20.00')
    """
    return form.usd(amount_usd) if amount_usd < 0 else f"+{form.usd(amount_usd)}"


def compare(
    before: TechnologyResult, after: TechnologyResult, names: Mapping[str, str] = _NO_NAMES
) -> Comparison:
    """What the second answer costs more or less than the first, largest causes first.

    ``names``: id of a switch or NIC -> its name. Without a design on both sides there are only ``gaps``.
    """
    gaps = [
        f"{side}: {result.technology} has no design. {result.plan.reason or ''}".strip()
        for side, result in (("First", before), ("Second", after))
        if not result.designs
    ]
    if gaps:
        return Comparison(None, (), (), tuple(gaps))
    for side, result in (("First", before), ("Second", after)):
        if result.missing_prices:
            gaps.append(f"{side}: no total, because of {', '.join(result.missing_prices)}")
    known = before.tco_usd is not None and after.tco_usd is not None
    total = (after.tco_usd or 0.0) - (before.tco_usd or 0.0) if known else None
    return Comparison(total, _causes(before, after, names), _design(before, after, names), tuple(gaps))


def _causes(before: TechnologyResult, after: TechnologyResult, names: Mapping[str, str]) -> tuple[Cause, ...]:
    sums: dict[str, float] = defaultdict(float)
    for sign, result in ((-1.0, before), (1.0, after)):
        for line in result.costs:
            sums[RESIDUAL if line.flow == "residual" else line.kind] += sign * line.npv_usd
    found = [
        Cause(usd, kind, _why(kind, usd, before, after, names))
        for kind, usd in sorted(sums.items(), key=lambda item: -abs(item[1]))
        if abs(usd) >= _LEAST_USD
    ]
    if len(found) <= _MOST_CAUSES:
        return tuple(found)
    rest = found[_MOST_CAUSES - 1 :]
    kinds = ", ".join(cause.kind for cause in rest)
    return (*found[: _MOST_CAUSES - 1], Cause(sum(c.npv_usd for c in rest), "other", f"the rest: {kinds}"))


def _why(
    kind: str, usd: float, before: TechnologyResult, after: TechnologyResult, names: Mapping[str, str]
) -> str:
    """The reason of one kind: what is counted differently, or else prices and years."""
    if kind == RESIDUAL:
        return f"{'less' if usd > 0 else 'more'} residual value at the end of the horizon"
    if kind == "network electricity":
        return _electricity(before, after) or "network electricity at another rate"
    if kind == "support":
        return "support, a share of what the hardware costs"
    if kind in _WORK:
        words = [_more(noun, _sum(before, count), _sum(after, count)) for noun, count in _WORK[kind]]
        same = "as much work, at another rate or in other years"
        return f"{kind}: {', '.join(filter(None, words)) or same}"
    one, other = _telling(kind, before, after)
    words_ = _switches(one, other, names) if kind == "switches" else _pieces(kind, one, other, names)
    if not words_:
        return f"{kind}: {_prices(kind, before, after)}"
    when = "" if other is after.designs[-1] else f" in {other.year}"
    named = words_ if kind in _SPEAK_FOR_THEMSELVES else f"{kind} for {words_}"
    return f"{named}{when} {_reason(one, other)}".strip()


def _pieces(kind: str, one: YearDesign, other: YearDesign, names: Mapping[str, str]) -> str:
    noun, count = _COUNTS.get(kind, ("", lambda _design: 0))
    words, nics = [_more(noun, count(one), count(other))], [_nics(one), _nics(other)]
    if kind == "NICs" and nics[0] != nics[1]:
        old, new = (" and ".join(names.get(nic, nic) for nic in models) for models in nics)
        words.append(f"{new} instead of {old} NICs")
    return ", ".join(filter(None, words))


def _nics(design: YearDesign) -> tuple[str, ...]:
    """The NIC models in service, that of the first island first."""
    return tuple(dict.fromkeys(fabric.wiring.nic for fabric in design.fabrics))


_SPEAK_FOR_THEMSELVES = ("switches", "NICs", "transceivers", "servers")
_COUNTS: dict[str, tuple[str, Callable[[YearDesign], int]]] = {
    "NICs": ("NIC", lambda d: sum(d.need.get(nic, 0) for nic in _nics(d))),
    "transceivers": ("module", lambda d: d.node_modules + d.switch_modules),
    "fibre": ("link", lambda d: sum(_links(d))),
    "cables": ("link", lambda d: sum(_links(d))),
    "servers": ("node", lambda d: d.nodes),
    "server electricity": ("node", lambda d: d.nodes),
}
_WORK: dict[str, tuple[tuple[str, Callable[[YearDesign], int]], ...]] = {
    "services": (
        ("installed link", lambda d: d.change.installed_links),
        ("recabled link", lambda d: d.change.recabled_links),
    ),
    "downtime": (("recabled link", lambda d: d.change.recabled_links),),
}


def _sum(result: TechnologyResult, count: Callable[[YearDesign], int]) -> int:
    return sum(count(design) for design in result.designs)


def _telling(kind: str, before: TechnologyResult, after: TechnologyResult) -> tuple[YearDesign, YearDesign]:
    """The last two designs of one year that this kind counts differently, else the last ones."""
    pairs = list(zip(before.designs, after.designs, strict=False))
    counted = _COUNTS[kind][1] if kind in _COUNTS else _tier_counts
    for one, other in reversed(pairs):
        if counted(one) != counted(other):
            return one, other
    return before.designs[-1], after.designs[-1]


def _tier_counts(design: YearDesign) -> tuple[tuple[str, str, int], ...]:
    """Tier, switch and number of switches from the leaves up, all planes together."""
    return design.tiers


def _links(design: YearDesign) -> tuple[int, int, int]:
    """Links of each layer, those of several islands together; an uplink counts once, whatever its rate."""
    rows = [(d.size, d.wiring.copies) for d in design.fabrics]
    return (
        sum(size.endpoints * copies for size, copies in rows),
        sum((size.leaf_leaf_links + size.leaf_spine_links) * copies for size, copies in rows),
        sum(size.spine_core_links * copies for size, copies in rows),
    )


def _switches(one: YearDesign, other: YearDesign, names: Mapping[str, str]) -> str:
    old = {tier: (switch, n) for tier, switch, n in _tier_counts(one)}
    new = {tier: (switch, n) for tier, switch, n in _tier_counts(other)}
    plural = {"leaf": "leaves", "spine": "spines", "core": "cores"}
    words = []
    for tier in plural:
        (was, count_before), (now, count_after) = old.get(tier, ("", 0)), new.get(tier, ("", 0))
        if count_before != count_after:
            words.append(_more(tier, count_before, count_after, plural[tier]))
        if was and now and was != now:
            words.append(f"{names.get(now, now)} instead of {names.get(was, was)} {plural[tier]}")
    return ", ".join(words)


def _more(noun: str, before: int, after: int, plural: str | None = None) -> str:
    """How many more or fewer; nothing where there are as many."""
    if before == after:
        return ""
    word = "more" if after > before else "fewer"
    number = abs(after - before)
    return f"{form.count(number)} {word} {noun if number == 1 else plural or noun + 's'}"


def _reason(one: YearDesign, other: YearDesign) -> str:
    """The differences in what was built that come before all others; of several islands, in the largest."""
    a, b = largest_fabric(one).wiring, largest_fabric(other).wiring
    pairs = (
        (form.counted(one.gpus, "GPU"), form.counted(other.gpus, "GPU")),
        (form.gbps(a.link_gbps), form.gbps(b.link_gbps)),
        tuple("a collapsed pair" if w.pair_links else _TIERS[w.tiers] for w in (a, b)),
        (form.ratio(a.oversubscription), form.ratio(b.oversubscription)),
        (f"{form.ratio(a.spine_oversubscription)} above the spines",
         f"{form.ratio(b.spine_oversubscription)} above the spines"),
        (form.counted(a.planes, "plane"), form.counted(b.planes, "plane")),
    )  # fmt: skip
    found = [f"{new} instead of {old}" for old, new in pairs if old != new]
    return f"for {' and '.join(found[:2])}" if found else ""


def _electricity(before: TechnologyResult, after: TechnologyResult) -> str:
    old, new = before.years[-1].network_power_kw, after.years[-1].network_power_kw
    if abs(new - old) < 0.05:
        return ""
    return f"{form.kw(abs(new - old))} {'more' if new > old else 'less'} network power"


def _prices(kind: str, before: TechnologyResult, after: TechnologyResult) -> str:
    """Where as many pieces cost another amount: counted alike in every year, or not."""
    counted = _COUNTS[kind][1] if kind in _COUNTS else _tier_counts
    years = [[counted(design) for design in result.designs] for result in (before, after)]
    if years[0] != years[1]:
        return "as many at the end, other numbers before"
    bought = [{(line.year, line.sku): line.quantity for line in r.bom} for r in (before, after)]
    if bought[0] == bought[1]:
        return "the same pieces in the same years at other prices or rates"
    return "as many in every year, of other models, at other prices or bought at other times"


def _design(before: TechnologyResult, after: TechnologyResult, names: Mapping[str, str]) -> tuple[str, ...]:
    """How the networks of the last year differ, and what they get done."""
    one, other = before.designs[-1], after.designs[-1]
    words = []
    if before.technology != after.technology:
        words.append(f"{after.technology} instead of {before.technology}")
    reason = _reason(one, other).removeprefix("for ")
    words += [reason] if reason else []
    switches = _switches(one, other, names)
    words += [switches] if switches else []
    moved = [sum(d.change.recabled_links for d in r.designs) for r in (before, after)]
    recabled = _more("recabled link", moved[0], moved[1])
    words += [f"{recabled} over the horizon"] if recabled else []
    if before.estimates and after.estimates:
        old, new = before.estimates[-1], after.estimates[-1]
        if form.percent(old.mfu) != form.percent(new.mfu):
            words.append(f"MFU {form.percent(new.mfu)} instead of {form.percent(old.mfu)} in {other.year}")
    return tuple(words)
