"""Study -> the text that ``fabric-planner plan`` prints."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

from planner.cost.price_grades import PriceGrades
from planner.decide.follow_ups import NOTHING_ASKED, FollowUps
from planner.report.fabric_words import UNBROKEN, panels_words, year_words
from planner.report.follow_ups import (
    equal_output_words,
    faults_with,
    flips_words,
    foresight_words,
    path_lines,
    path_title,
)
from planner.report.money import break_even_words, unit_words
from planner.report.running_words import operations_words
from planner.scenario.scenario import Scenario
from planner.study.islands import server_words
from planner.study.recommendation import Recommendation
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.text.format import count, kw, percent, percent_whole, tflops, usd

_WIDTH = 100


def study_text(study: Study, beside: FollowUps = NOTHING_ASKED) -> str:
    """The whole answer in words: comparison, recommendation, designs, reservations, notes. ``beside``: what
    was asked beyond the plan."""
    sections = [
        _heading(study.scenario),
        _comparison(study),
        _recommendation(study.recommendation),
        _listed("Break-even:", [*break_even_words(study), *equal_output_words(study, beside.equal_output)]),
        *(_technology(result, study.scenario, beside) for result in study.results),
        *(_listed(f"Path {path_title(row)}", path_lines(row)) for row in beside.paths),
        _listed("Results that flip:", flips_words(beside.flips)),
        _listed("Notes:", tuple(_brief(note) for note in study.notes)),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _heading(scenario: Scenario) -> str:
    steps = ", ".join(f"{count(step.gpus)} in {step.year}" for step in scenario.growth)
    years = scenario.years
    return "\n".join(
        [
            f"{scenario.name} ({server_words(scenario)})",
            f"GPUs: {steps}; horizon {years[0]} to {years[-1]}",
            f"TCO and levelised cost are NPV at {scenario.base_year}; money of a named year is nominal",
        ]
    )


def _comparison(study: Study) -> str:
    """Measures down, technologies across."""
    columns = [_measures(result, study.scenario) for result in study.results]
    if not columns:
        return ""
    names = ["", *(result.technology for result in study.results)]
    return _aligned([names, *([label, *(c[label] for c in columns)] for label in columns[0])])


def _measures(result: TechnologyResult, scenario: Scenario) -> dict[str, str]:
    """Label -> text of one technology's figures; each has the same labels."""
    first, last = scenario.growth[0].year, scenario.growth[-1].year
    at_first = result.years[0] if result.years else None
    at_last = result.years[last - first] if result.years else None
    measures = {
        "status": result.plan.status,
        "USD per effective TFLOP/s-year": usd(result.levelised_usd_per_effective_tflops_year),
        f"capex {first} per effective TFLOP/s": usd(result.usd_per_effective_tflops),
        "TCO": usd(result.tco_usd),
        f"capex {first}": usd(at_first.capex_usd if at_first else None),
        f"network capex {first}": usd(at_first.network_capex_usd if at_first else None),
        "network TCO": usd(result.network_tco_usd),
        "network share of TCO": percent(result.network_share_ratio),
        f"network power {last}": kw(at_last.network_power_kw if at_last else None),
    }
    for year in (first, last):
        estimate = result.estimates[year - first] if result.estimates else None
        measures[f"MFU {year}"] = percent(estimate.mfu if estimate else None)
        measures[f"effective {year}"] = tflops(estimate.effective_tflops if estimate else None)
    return measures


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell, the first to the left, figures to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for first, *others in rows:
        cells = [text.rjust(width) for text, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    return "\n".join(lines)


def _recommendation(recommendation: Recommendation) -> str:
    chosen: str = recommendation.technology or "none"
    if chosen == "either":
        chosen = "several are equally good within the band of the estimate"
    return _listed(f"Recommendation (on levelised cost): {chosen}", recommendation.reasons, always=True)


def _technology(result: TechnologyResult, scenario: Scenario, beside: FollowUps) -> str:
    plan = result.plan
    build_years = {step.year for step in scenario.growth}
    text = [result.technology]
    if not plan.designs:
        text.append(_wrapped(f"no design: {plan.reason}"))
    text += [
        _wrapped(f"FAULT, do not build from this plan: {fault}") for fault in faults_with(result, beside)
    ]
    for position, design in enumerate(result.designs):
        if design.year in build_years:
            text.extend(map(_wrapped, year_words(result, position)))
    text += [_wrapped(line) for line in (*panels_words(result), *unit_words(result, scenario))]
    text += [
        _wrapped(line) for line in foresight_words(beside.foresight.get(result.technology), plan, scenario)
    ]
    text += [_wrapped(line) for line in operations_words(result.operations)]
    if result.price_grades:
        text += map(_wrapped, grade_words(result.price_grades))
    runner_up = result.estimates[0].runner_up if result.estimates else ""
    if runner_up:
        text.append(_wrapped(f"parallel degrees chosen for the job; the next best: {runner_up}"))
    remarks = {
        "without a price, so totals are withheld: ": result.missing_prices,
        "warning: ": plan.warnings,
        "left out: ": plan.excluded,
    }
    text += [_wrapped(label + item) for label, items in remarks.items() for item in items]
    return "\n".join(text)


def grade_words(grades: PriceGrades) -> list[str]:
    """How sure the totals are, as sentences."""
    totals = (("network capex over the horizon", grades.network_capex), ("TCO", grades.tco))
    return [
        f"prices behind the {name}: {', '.join(f'{percent_whole(s)} {g}' for g, s in shares)}"
        for name, shares in totals
        if shares
    ]


def _listed(title: str, items: Iterable[str], always: bool = False) -> str:
    lines = [_wrapped(item, "  - ") for item in items]
    return "\n".join([title, *lines]) if lines or always else ""


def _wrapped(text: str, indent: str = "  ") -> str:
    wrapped = textwrap.fill(
        text, _WIDTH, initial_indent=indent, subsequent_indent="    ", break_on_hyphens=False
    )
    return wrapped.replace(UNBROKEN, " ")


def _brief(note: str) -> str:
    """A default without its source: the JSON answer and the data have that."""
    return re.sub(r" \((\w+): .*\)$", r" (\1)", note) if note.startswith("Default: ") else note
