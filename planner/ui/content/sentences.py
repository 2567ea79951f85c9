"""The sentences of the pages. Figures become text by ``planner.text.format`` only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from planner.catalog.technologies import TECHNOLOGIES, technology_name
from planner.report import cost_frames
from planner.scenario.faults import Fault
from planner.scenario.scenario import Scenario
from planner.study.islands import later_servers
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.text import format as form

Names = Mapping[str, str]  # id or key -> what people call it

BASIS = (
    "Technologies are compared on levelised cost: what one effective TFLOP/s costs for one year, over the "
    "whole horizon. TCO alone would favour the slowest fabric, because it does not count the work done."
)
GRADES = (
    "quote: yours. list: a seller's or vendor's list price. street: a channel offer. "
    "analyst: an analyst's figure. derived: computed from other parts. guess: nobody said it."
)


def escaped(text: str) -> str:
    """Text for Streamlit's Markdown, which reads dollar signs as formulas and other signs as markup."""
    return re.sub(r"([\\`*_\[\]$~<>#|:])", r"\\\1", text)


def bullets(lines: Iterable[str]) -> str:
    """Plain lines as a Markdown list."""
    return "\n".join(f"- {escaped(line)}" for line in lines)


def headline(scenario: Scenario) -> str:
    """The question in one sentence."""
    first, *later = scenario.growth
    steps = [f"{form.counted(first.gpus, 'GPU')} in {first.year}"]
    steps += [f"{form.count(step.gpus)} in {step.year}" for step in later]
    rates = " or ".join(form.gbps(rate) for rate in scenario.fabric.link_gbps)
    return (
        f"{', '.join(steps)}; {scenario.server.name.removesuffix(' server')} servers; {rates} an endpoint; "
        f"{''.join(f'{words}; ' for words in later_servers(scenario))}"
        f"{scenario.workload.model.name}; {form.counted(scenario.finance.horizon_years, 'year')} "
        f"from {scenario.base_year}."
    )


def recommendation(study: Study) -> str:
    """The heading of the recommendation."""
    chosen, best = study.recommendation.technology, study.best
    if chosen is None or best is None:
        return "No technology can be recommended"
    if chosen == "either":
        return f"No clear winner; {technology_name(best.technology)} is narrowly ahead"
    return f"Recommended: {technology_name(chosen)}"


def with_names(text: str) -> str:
    """A sentence of the planner with names in place of the ids of technologies."""
    ids = "|".join(re.escape(known) for known in TECHNOLOGIES)
    return re.sub(rf"(?<![\w-])({ids})(?![\w-])", lambda found: technology_name(found[0]), text)


def unsound(result: TechnologyResult, found: str) -> str:
    """What the independent check found, as a warning not to build."""
    return f"{technology_name(result.technology)}: do not build from this plan. {found}"


def why_not(result: TechnologyResult) -> str:
    """Why a technology has no complete answer."""
    if not result.has_design:
        kind = "Unpriced" if result.plan.status == "unpriced" else "No design"
        return f"{kind}. {result.plan.reason or ''}".strip()
    return f"A design, but no total: no price for {', '.join(result.missing_prices) or 'some parts'}."


def fault(found: Fault, labels: Names) -> str:
    """A fault in plain words: what, where, and the way out. ``labels``: key -> label of its input."""
    section, _, key = found.key.partition(".")
    row = re.fullmatch(r"growth\[(\d+)\]", section)
    place = labels.get(found.key, found.key)
    if row:
        place = f"Growth, row {row[1]}{', ' if key else ''}{'GPUs' if key == 'gpus' else key}"
    if found.key.startswith("prices.overrides."):
        place = f"Your price of {found.key.removeprefix('prices.overrides.')}"
    value = "" if found.value is None else f" {found.value}"
    remedy = f" {found.remedy[:1].upper()}{found.remedy[1:].rstrip('.')}." if found.remedy else ""
    return f"{place}{value} {found.message.rstrip('.')}.{remedy}".strip()


def faults(found: Sequence[Fault], labels: Names, older_answer: bool) -> str:
    """What is wrong with the scenario, and which answer stands on the page meanwhile, as Markdown."""
    words = f"The last edit cannot be planned ({form.counted(len(found), 'fault')}). What you typed is kept."
    if older_answer:
        words += " The answer below is the one from before that edit."
    return "\n".join([words, "", *(f"- {escaped(fault(f, labels))}" for f in found)])


def not_kept(reason: str) -> str:
    """Why a reload would lose the edits."""
    return f"Your edits could not be saved on this computer, so a reload would lose them: {reason}."


def tag(study: Study, result: TechnologyResult) -> str:
    """What stands under a technology's name."""
    best = study.best
    if study.recommendation.technology == result.technology:
        return "recommended"
    if best is not None and best.technology == result.technology:
        return "lowest cost"
    return "best found in time" if result.plan.status == "feasible" else ""


def grades(result: TechnologyResult) -> str:
    """The first-year network bill by grade of price."""
    return ", ".join(
        f"{form.percent_whole(share)} {grade}" for grade, share in cost_frames.first_bill_grades(result)
    )


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame with the names of the technologies in place of their ids."""
    return frame.assign(technology=frame["technology"].map(technology_name))


def bill(result: TechnologyResult, year: int | None) -> str:
    """What the bill of materials comes to, and how sure its prices are."""
    when = "over the horizon" if year is None else f"in {year}"
    total = form.usd(cost_frames.bill_usd(result, year))
    return f"{total} {when}, without servers. Prices behind the first year's bill: {grades(result)}."


def bom_button(file_name: str) -> str:
    """The label of a BOM download."""
    part = file_name.removeprefix("bom_").removesuffix(".csv")
    return "BOM, all technologies (CSV)" if part == "all" else f"BOM, {technology_name(part)} (CSV)"


def notes(study: Study) -> list[tuple[str, list[str]]]:
    """Warnings, what was left out, what was assumed, under headings; empty headings are not there."""
    defaults = study.scenario.defaults_used
    warned, left_out = [], []
    for result in study.results:
        lines = [w for estimate in result.estimates for w in estimate.warnings]
        warned += [
            f"{technology_name(result.technology)}: {line}"
            for line in dict.fromkeys([*result.plan.warnings, *lines])
        ]
        left_out += [f"{technology_name(result.technology)}: {line}" for line in result.plan.excluded]
    others = [note for note in study.notes if note.removeprefix("Default: ") not in defaults]
    found = [
        ("Warnings", warned),
        ("Notes", others),
        ("Left out", left_out),
        ("Defaults used, because the scenario does not say", list(defaults)),
    ]
    return [(title, lines) for title, lines in found if lines]


def own_price(sku: str, typed: object, listed_usd: Sequence[float]) -> str:
    """A price of the user's beside those that it stands in for."""
    own = form.usd(typed) if isinstance(typed, int | float) else f"“{typed}” cannot be read"
    before = " or ".join(form.usd(usd) for usd in dict.fromkeys(listed_usd)) or "no price"
    return f"{sku}: {own} instead of {before}"


def guessed_prices(skus: Sequence[str]) -> str:
    """How many prices nobody said, and which to ask for first."""
    many = form.counted(len(skus), "price is a guess", "prices are guesses")
    first = ", ".join(dict.fromkeys(skus))
    return f"{many}: nobody said them. Ask for quotes of these first: {first}."
