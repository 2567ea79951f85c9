"""Results that flip, as words and as plain values for the JSON answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.fabric.design import Design, Plan
from planner.planning.foresight import Foresight
from planner.report.money import of_links
from planner.scenario.scenario import Scenario
from planner.study.flip import Flip, Flips, Variation
from planner.text.format import count, counted, percent, usd

_TIERS = {1: "one tier", 2: "two tiers", 3: "three tiers"}


def topology_summary(design: Design) -> str:
    """Tiers, switches by tier and planes of a year's compute fabric; counts are of all planes."""
    wiring, size = design.wiring, design.size
    rows = [(size.leaves, "leaf", "leaves", wiring.leaf), (size.spines, "spine", "spines", wiring.spine),
            (size.cores, "core", "cores", wiring.core)][: wiring.tiers]  # fmt: skip
    switches = [f"{counted(n * wiring.copies, one, more)} {switch}" for n, one, more, switch in rows]
    planes = [f"{wiring.planes} planes"] if wiring.planes > 1 else []
    return ", ".join([_TIERS[wiring.tiers], *switches, *planes])


def foresight_document(found: Foresight | None) -> dict[str, Any] | None:
    """The ``foresight`` key of a technology; None where it was not asked for."""
    if found is None:
        return None
    return {
        "myopic_tco_usd": found.myopic_tco_usd,
        "value_usd": found.value_usd,
        "reason": found.reason,
        "years": [
            {
                "year": design.year,
                "topology": topology_summary(design),
                "bought": {s: n for s, n in design.change.bought.items() if of_links(s, design)},
                "retired": {s: n for s, n in design.change.retired.items() if of_links(s, design)},
                "recabled_links": design.change.recabled_links,
            }
            for design in found.designs
        ],
    }


def foresight_words(found: Foresight | None, plan: Plan, scenario: Scenario) -> list[str]:
    """What looking ahead is worth, in a sentence; none where it was not asked for."""
    if found is None:
        return []
    if found.value_usd is None or found.myopic_tco_usd is None:
        return [f"value of foresight: {found.reason}"]
    builds = {step.year for step in scenario.growth}
    if len(builds) == 1:
        return ["value of foresight: none, as nothing grows after the first year"]
    said = f"value of foresight: {usd(found.value_usd)}"
    same = [d.wiring for d in found.designs] == [d.wiring for d in plan.designs]
    if same:
        return [f"{said}: each build year's cheapest design for itself makes the same plan"]
    share = percent(found.value_usd / found.myopic_tco_usd)
    years = "; ".join(_year(d) for d in _of_years(found.designs, builds))
    return [
        f"{said}; without looking ahead the TCO is {usd(found.myopic_tco_usd)}, of which {share} is to be "
        f"saved: {years}"
    ]


def _of_years(designs: Sequence[Design], years: set[int]) -> list[Design]:
    return [d for d in designs if d.year in years]


def _year(design: Design) -> str:
    moved = design.change.recabled_links
    moves = f", {count(moved)} links moved" if moved else ""
    return f"{design.year} {topology_summary(design)}{moves}"


NOT_TRIED = "not tried; --flips plans again with another horizon and the other residual rules"


def flips_document(flips: Flips | None) -> dict[str, Any] | None:
    """The ``flips`` key of the answer; None where it was not asked for."""
    if flips is None:
        return None
    return {
        "tried": [_variation(v) for v in flips.tried],
        "failed": [_variation(v) for v in flips.failed],
        "found": [
            {
                **_variation(flip.variation),
                "what": flip.what,
                "technology": flip.technology,
                "before": _plain(flip.before),
                "after": _plain(flip.after),
                "share": flip.share,
                "sentence": flip_words(flip),
            }
            for flip in flips.found
        ],
    }


def flips_words(flips: Flips | None) -> tuple[str, ...]:
    """What flips, a sentence each; what does not, or was not tried, is said, too."""
    if flips is None:
        return (NOT_TRIED,)
    if not flips.tried:
        return ("nothing to compare: no technology has a levelised cost",)
    rows = [flip_words(flip) for flip in flips.found]
    rows += [f"{variation_words(v)} no technology has a levelised cost" for v in flips.failed]
    flipped = {*flips.failed, *(flip.variation for flip in flips.found)}
    still = [variation_words(v) for v in flips.tried if v not in flipped]
    if still:
        rows.append(f"{', '.join(still)}: the same technologies within the band, the same first switches")
    return tuple(rows)


def variation_words(variation: Variation) -> str:
    """A change of the scenario, as a sentence begins with it."""
    if variation.key == "horizon_years":
        return f"with a horizon of {counted(int(variation.value), 'year')}"
    return f"with residual '{variation.value}'"


def flip_words(flip: Flip) -> str:
    """One flip in a sentence."""
    said = variation_words(flip.variation)
    if flip.what == "technology":
        by = "which has none then" if flip.share is None else f"by {percent(flip.share)}"
        return f"{said} the least levelised cost is that of {flip.technology}, not of {flip.before} ({by})"
    if flip.after is None:
        return f"{said} {flip.technology} has no design"
    first, then = _plain(flip.before), _plain(flip.after)
    return f"{said} the first fabric of {flip.technology} would be {then} rather than {first}"


def _variation(variation: Variation) -> dict[str, Any]:
    return {"key": variation.key, "value": variation.value}


def _plain(one: str | Design | None) -> str | None:
    return topology_summary(one) if isinstance(one, Design) else one
