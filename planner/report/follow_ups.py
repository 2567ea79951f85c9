"""What is asked beyond the plan, in words and as plain values: the value of looking ahead, results that flip,
changes of technology midway."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, assert_never

from planner.catalog.technologies import TECHNOLOGY_NAMES
from planner.decide.equal_output import EqualOutput
from planner.decide.follow_ups import FollowUp, FollowUps
from planner.decide.sensitivity import Flip, Flips, Variation
from planner.decide.technology_change import PathResult
from planner.fabric.design import AnyPlan, Design, YearDesign
from planner.planning.foresight import Foresight
from planner.report.fabric_words import of_links, topology_summary
from planner.scenario.scenario import Scenario
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.text.format import count, counted, percent, tflops, usd

Section = tuple[str, tuple[str, ...]]  # heading ("" or a technology's id), sentences


def sections(asked: FollowUp, study: Study, found: FollowUps) -> tuple[Section, ...]:
    """The answer to one question in sentences; empty where there is nothing to ask."""
    match asked:
        case "paths":
            return tuple((path_title(row), tuple(path_lines(row))) for row in found.paths)
        case "foresight":
            rows = (
                (r.technology, foresight_words(found.foresight.get(r.technology), r.plan, study.scenario))
                for r in study.results
            )
            return tuple((name, tuple(words)) for name, words in rows if words)
        case "flips":
            return (("", flips_words(found.flips)),)
        case "equal-output":
            return (("", tuple(equal_output_words(study, found.equal_output))),)
        case _:
            assert_never(asked)


def faults_with(result: TechnologyResult, beside: FollowUps) -> list[str]:
    """The faults of an answer, and those of what looking ahead is worth to it."""
    foresight = beside.foresight.get(result.technology)
    return [*result.faults, *(foresight.faults if foresight else ())]


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
                "bought": of_links(design.change.bought),
                "retired": of_links(design.change.retired),
                "recabled_links": design.change.recabled_links,
            }
            for design in found.designs
        ],
    }


def foresight_words(found: Foresight | None, plan: AnyPlan, scenario: Scenario) -> list[str]:
    """What looking ahead is worth, in a sentence; none where it was not asked for."""
    if found is None:
        return []
    if found.value_usd is None or found.myopic_tco_usd is None:
        return [f"value of foresight: {found.reason}"]
    builds = {step.year for step in scenario.growth}
    if len(builds) == 1:
        return ["value of foresight: none, as nothing grows after the first year"]
    said = f"value of foresight: {usd(found.value_usd)}"
    same = [d.wiring for d in found.designs] == [f.wiring for d in plan.designs for f in d.fabrics]
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


def _plain(one: str | YearDesign | None) -> str | None:
    return one if one is None or isinstance(one, str) else topology_summary(one)


def paths_document(
    paths: Sequence[PathResult], of_result: Callable[[TechnologyResult], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Each path in the form of an entry of ``technologies``, with what it changes and its advice."""
    return [
        {
            **of_result(row.result),
            "first": row.path.first,
            "later": row.path.later,
            "from_year": row.path.from_year,
            "advice": _advice(row),
        }
        for row in paths
    ]


def _advice(row: PathResult) -> dict[str, Any]:
    advice, change = row.advice, row.advice.change
    return {
        "over_later_from_the_start_usd": advice.over_later_usd,
        "over_first_throughout_usd": advice.over_first_usd,
        "changing_costs_less_than_starting_usd": {str(y): usd for y, usd in advice.less_by_year.items()},
        "moved_links": change.moved_links if change else None,
        "idled_gpus": change.idled_gpus if change else None,
        "given_up_usd": change.given_up_usd if change else None,
        "sold_usd": change.sold_usd if change else None,
        "reused": dict(change.reused) if change else {},
        "sentences": list(advice.sentences),
    }


def path_lines(row: PathResult) -> list[str]:
    """A path's figures and advice, a sentence each; without a design, the reason."""
    result, plan = row.result, row.result.plan
    if not plan.designs:
        return [f"no design: {plan.reason}"]
    head = (
        f"TCO {usd(result.tco_usd)}, network TCO {usd(result.network_tco_usd)}, "
        f"{usd(result.levelised_usd_per_effective_tflops_year)} per effective TFLOP/s-year"
    )
    lines = [head, *(f"FAULT, do not build from this plan: {fault}" for fault in result.faults)]
    for design, totals, estimate in zip(plan.designs, result.years, result.estimates, strict=True):
        if design.change.bought or design.change.recabled_links:
            lines.append(
                f"{design.year} ({TECHNOLOGY_NAMES[row.path.technology_in(design.year)]}): network capex "
                f"{usd(totals.network_capex_usd)}, {count(design.change.recabled_links)} links move, "
                f"MFU {percent(estimate.mfu)}, {tflops(estimate.effective_tflops)}"
            )
    lines += [f"without a price, so totals are withheld: {text}" for text in result.missing_prices]
    return [*lines, *row.advice.sentences]


def path_title(row: PathResult) -> str:
    """A path's heading."""
    path = row.path
    first, later = TECHNOLOGY_NAMES[path.first], TECHNOLOGY_NAMES[path.later]
    return f"{path.name}: {first} first, {later} from {path.from_year}"


def equal_output_words(study: Study, found: EqualOutput | None) -> list[str]:
    """The slower technology of the first pair, planned anew; none where it was not asked for."""
    if found is None:
        return []
    slower = study.break_even[0].slower
    steps = ", ".join(f"{count(n)} in {year}" for year, n in found.gpus.items())
    if found.tco_usd is None:
        return [f"Planned anew with {steps} GPUs, {slower} does not deliver as much: {found.reason}."]
    return [
        f"Planned anew, {slower} with GPUs of {steps} delivers "
        f"{percent(found.delivered_ratio)} of it for {usd(found.tco_usd)}."
    ]
