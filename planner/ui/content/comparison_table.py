"""The table of technologies or scenarios side by side, as HTML: Streamlit's own are too plain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from planner.catalog.technologies import technology_name
from planner.fabric.design import largest_fabric
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.text import format as form
from planner.ui.content import design_sentences, sentences

_Cell = Callable[[TechnologyResult], str]
_STYLE = """<style>
.fp-wrap { overflow-x: auto; container-type: inline-size; }
.fp-table { border-collapse: collapse; width: 100%; font-size: 0.92rem; line-height: 1.35; }
.fp-table th, .fp-table td { padding: 0.5rem 0.75rem; text-align: right; vertical-align: top;
  border-bottom: 1px solid color-mix(in srgb, currentColor 16%, transparent); }
.fp-table th[scope=row] { text-align: left; font-weight: 500; padding-left: 0; min-width: 8.5rem; }
.fp-table thead th { font-size: 1rem; font-weight: 650; }
.fp-table .fp-unit { display: block; font-weight: 400; font-size: 0.8rem; opacity: 0.72; }
.fp-table td { font-variant-numeric: tabular-nums; min-width: 5.2rem; }
.fp-table tr.fp-main td { font-size: 1.35rem; font-weight: 650; }
.fp-table tr.fp-small td { font-size: 0.8rem; opacity: 0.85; }
.fp-table .fp-best { background: color-mix(in srgb, #0072B2 13%, transparent); }
.fp-table tr td.fp-why { text-align: left; font-size: 0.85rem; font-weight: 400; }
.fp-tag { display: block; font-size: 0.75rem; font-weight: 500; opacity: 0.8; }
@container (max-width: 680px) {
  .fp-table { font-size: 0.82rem; }
  .fp-table th, .fp-table td { padding: 0.4rem 0.3rem; }
  .fp-table td { min-width: 0; }
  .fp-table th[scope=row] { min-width: 6.2rem; }
  .fp-table thead th { font-size: 0.85rem; }
  .fp-table tr.fp-main td { font-size: 1.05rem; }
  .fp-table tr.fp-small td, .fp-table .fp-unit, .fp-table tr td.fp-why { font-size: 0.74rem; }
}
</style>"""


@dataclass(frozen=True, slots=True)
class Row:
    """One measure: a cell for each column; None where the column has nothing to say."""

    label: str
    unit: str
    cells: tuple[str | None, ...]
    kind: str = ""  # "main" | "small" | ""


@dataclass(frozen=True, slots=True)
class Column:
    """One technology: its name, a tag under it, and a reason in place of figures where there are none."""

    name: str
    tag: str = ""
    reason: str | None = None
    best: bool = False


def html(columns: Sequence[Column], rows: Sequence[Row]) -> str:
    """Measures down, technologies across; a reason takes the whole height of its column."""
    head = "".join(
        f'<th scope="col"{_best(c)}>{escape(c.name)}<span class="fp-tag">{escape(c.tag)}</span></th>'
        for c in columns
    )
    body = "".join(_row(columns, row, first=i == 0, height=len(rows)) for i, row in enumerate(rows))
    return (
        f'{_STYLE}<div class="fp-wrap"><table class="fp-table"><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(columns: Sequence[Column], row: Row, first: bool, height: int) -> str:
    cells = ""
    for column, cell in zip(columns, row.cells, strict=True):
        if column.reason is None:
            cells += f"<td{_best(column)}>{escape(cell or '')}</td>"
        elif first:
            cells += f'<td class="fp-why" rowspan="{height}">{escape(column.reason)}</td>'
    unit = f'<span class="fp-unit">{escape(row.unit)}</span>' if row.unit else ""
    kind = f' class="fp-{row.kind}"' if row.kind else ""
    return f'<tr{kind}><th scope="row">{escape(row.label)}{unit}</th>{cells}</tr>'


def _best(column: Column) -> str:
    return ' class="fp-best"' if column.best else ""


def technologies_html(study: Study, names: sentences.Names) -> str:
    """Every technology of an answer, a column each."""
    columns = [_heading(study, result) for result in study.results]
    return html(columns, measures(study, study.results, names))


def measures(study: Study, results: Sequence[TechnologyResult], names: sentences.Names) -> list[Row]:
    """The rows of the comparison: levelised cost first, because that is what decides."""
    first = study.scenario.base_year
    return [
        _measure(results, "Levelised cost", "USD per effective TFLOP/s-year",
                 lambda r: form.usd(r.levelised_usd_per_effective_tflops_year), "main"),
        _measure(results, "Capex for throughput", f"{first}, USD per effective TFLOP/s",
                 lambda r: form.usd(r.usd_per_effective_tflops)),
        _measure(results, "TCO", "NPV over the horizon", lambda r: form.usd(r.tco_usd)),
        _measure(results, "First-year capex", f"{first}, servers and network",
                 lambda r: form.usd(r.years[0].capex_usd if r.years else None)),
        _measure(results, "Network share", "of TCO", lambda r: form.percent(r.network_share_ratio)),
        _measure(results, "MFU", f"{first}, of the dense peak",
                 lambda r: form.percent(r.estimates[0].mfu if r.estimates else None)),
        _measure(results, "Design", f"{first}",
                 lambda r: design_sentences.summary(largest_fabric(r.designs[0]), names), "small"),
        _measure(results, "Price grades", f"of the network bill {first}", sentences.grades, "small"),
    ]  # fmt: skip


def _measure(results: Sequence[TechnologyResult], label: str, unit: str, cell: _Cell, kind: str = "") -> Row:
    cells = tuple(cell(r) if r.has_design else None for r in results)
    return Row(label, unit, cells, kind)


def _heading(study: Study, result: TechnologyResult) -> Column:
    best = study.best
    return Column(
        technology_name(result.technology),
        sentences.tag(study, result),
        None if result.is_complete else sentences.why_not(result),
        best is not None and best.technology == result.technology,
    )
