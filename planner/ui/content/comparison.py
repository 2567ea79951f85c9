"""The table of technologies side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.text import format as form
from planner.ui.content import markup, tables, texts

_Cell = Callable[[TechnologyResult], str]


def html(study: Study, names: texts.Names) -> str:
    """The comparison as HTML."""
    columns = [_column(study, result) for result in study.results]
    return markup.comparison(columns, measures(study, study.results, names))


def measures(study: Study, results: Sequence[TechnologyResult], names: texts.Names) -> list[markup.Row]:
    """The rows of the comparison: levelised cost first, because that is what decides."""
    first = study.scenario.base_year
    return [
        _row(results, "Levelised cost", "USD per effective TFLOP/s-year",
             lambda r: form.usd(r.levelised_usd_per_effective_tflops_year), "main"),
        _row(results, "Capex for throughput", f"{first}, USD per effective TFLOP/s",
             lambda r: form.usd(r.usd_per_effective_tflops)),
        _row(results, "TCO", "NPV over the horizon", lambda r: form.usd(r.tco_usd)),
        _row(results, "First-year capex", f"{first}, servers and network",
             lambda r: form.usd(r.years[0].capex_usd if r.years else None)),
        _row(results, "Network share", "of TCO", lambda r: form.percent(r.network_share_ratio)),
        _row(results, "MFU", f"{first}, of the dense peak",
             lambda r: form.percent(r.estimates[0].mfu if r.estimates else None)),
        _row(results, "Design", f"{first}", lambda r: texts.summary(r.plan.designs[0], names), "small"),
        _row(results, "Price grades", f"of the network bill {first}", texts.grades, "small"),
    ]  # fmt: skip


def _row(
    results: Sequence[TechnologyResult], label: str, unit: str, cell: _Cell, kind: str = ""
) -> markup.Row:
    cells = tuple(cell(r) if tables.has_design(r) else None for r in results)
    return markup.Row(label, unit, cells, kind)


def _column(study: Study, result: TechnologyResult) -> markup.Column:
    best = tables.best_of(study)
    return markup.Column(
        texts.technology(result.technology),
        texts.tag(study, result),
        None if tables.is_complete(result) else texts.why_not(result),
        best is not None and best.technology == result.technology,
    )
