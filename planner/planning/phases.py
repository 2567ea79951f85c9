"""Technologies over the build years: one for all of them, or one before a change and another from it on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from planner.candidates.collapsed_pair import with_pair_floors
from planner.candidates.design_space import Search
from planner.candidates.enumeration import Candidate, Shape, Sized, candidates
from planner.candidates.switch_sets import Trunks, all_trunks, least_floors
from planner.fabric.demand import Variant, YearDemand

Narrow = Callable[[list[Shape]], list[Shape]]


@dataclass(frozen=True, slots=True)
class Span:
    """One technology's part of the horizon: how its fat-trees are looked for, the ways to use the nodes' NIC
    ports under it, and the build years (by t) in which its fat-trees may serve."""

    search: Search
    variants: tuple[Variant, ...]
    serves: frozenset[int]


Spans = tuple[Span, ...]


def with_search(spans: Spans, change: Callable[[Search], Search]) -> Spans:
    """The same spans, each looking in another way."""
    return tuple(replace(span, search=change(span.search)) for span in spans)


def span_of(spans: Spans, t: int) -> Span:
    """The span that serves the build year at ``t``."""
    return next(span for span in spans if t in span.serves)


def trunks_of(spans: Spans, builds: tuple[YearDemand, ...]) -> tuple[Trunks, ...]:
    """The trunks of each span. Every build year counts in them, also those of another technology: shapes
    that only growth wants are wanted where the change is the growth."""
    return tuple(all_trunks(span.search, span.variants, builds) for span in spans)


def floors_of(spans: Spans, over: Sequence[Trunks], builds: tuple[YearDemand, ...]) -> dict[int, float]:
    """The least floor (USD) of each build year, under the technology of that year."""
    floors: dict[int, float] = {}
    for span, trunks in zip(spans, over, strict=True):
        found = with_pair_floors(span.search, least_floors(span.search, trunks, builds), trunks, builds)
        floors |= {t: usd for t, usd in found.items() if t in span.serves}
    return dict(sorted(floors.items()))


def limited(search: Search, serves: frozenset[int]) -> Search:
    """A search that passes over every build year that it does not serve."""
    budget = search.budget
    if budget is None:
        return search
    limit = {t: usd if t in serves else float("-inf") for t, usd in budget.limit.items()}
    return replace(search, budget=replace(budget, limit=limit))


def gather(
    spans: Spans, over: Sequence[Trunks], years: tuple[YearDemand, ...], narrow: Narrow = list
) -> list[Candidate]:
    """The candidates of all spans, each at the build years of its own technology alone.

    ``narrow`` sees the shapes of all of them together, for a plan goes through every span: that of one is
    asked when those of the others are known, before any part is counted. Where two technologies wire the
    same switches and NICs alike it is one wiring, with the parts of each in its years.
    """
    found: list[Candidate] = []

    def from_span(position: int, before: list[Shape]) -> list[Shape]:
        if position == len(spans):
            return narrow(before)
        span, kept = spans[position], list[Shape]()

        def own(shapes: list[Shape]) -> list[Shape]:
            served = (replace(s, built=_served(s, span)) for s in shapes)
            kept.extend(from_span(position + 1, [*before, *(s for s in served if s.built)]))
            return [s for s in kept if s.built.keys() <= span.serves]

        found.extend(candidates(limited(span.search, span.serves), over[position], years, own))
        return kept

    from_span(0, [])
    return merged(found)


def _served(shape: Shape, span: Span) -> dict[int, Sized]:
    return {t: sized for t, sized in shape.built.items() if t in span.serves}


def merged(found: Sequence[Candidate]) -> list[Candidate]:
    """One candidate a wiring, with all of its build years; of two for a year the later one counts."""
    rows: dict[object, Candidate] = {}
    for c in found:
        known = rows.get(c.wiring)
        rows[c.wiring] = replace(c, built={**known.built, **c.built}) if known else c
    return list(rows.values())
