"""Results that flip, as words and as plain values for the JSON answer."""

from __future__ import annotations

from typing import Any

from planner.design import Design
from planner.flip import Flip, Flips, Variation
from planner.format import counted, percent
from planner.report.foresight import topology_summary

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
