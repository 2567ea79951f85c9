"""Scenarios, versions and technologies side by side, and in words why they differ."""

from __future__ import annotations

import logging

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planner.catalog.technologies import technology_name
from planner.library.store import LibraryError
from planner.study.comparison import Comparison, compare, signed
from planner.ui.content import comparison_table, fields, sentences
from planner.ui.content import library as words
from planner.ui.session import answers, state
from planner.ui.views import compare_columns, opening
from planner.ui.views.compare_columns import Chosen

_LOG = logging.getLogger(__name__)


def render() -> None:
    """Up to four columns; the first is what the others are compared with."""
    opening.start()
    st.header("Compare", anchor=False)
    st.markdown(
        "Any scenarios, versions and technologies side by side. The first column is what the others are "
        "measured against."
    )
    try:
        found = _columns()
    except LibraryError as fault:
        _LOG.info("the library cannot be read", exc_info=True)
        st.error(sentences.escaped(f"{fault}."))
        st.button("Try again")
        return
    planned = [column for column in found if column.study is not None and column.result is not None]
    if planned:
        st.html(_table(planned))
        st.caption(sentences.BASIS)
    for other in planned[1:]:
        _differences(planned[0], other)
    not_kept = state.keep()
    if not_kept:
        st.warning(sentences.escaped(sentences.not_kept(not_kept)))


def _columns() -> list[Chosen]:
    names = compare_columns.sources()
    places = st.columns(len(compare_columns.columns()))
    found = [_column(place, column, names) for place, column in enumerate(places)]
    if len(found) < compare_columns.MOST:
        st.button("Add a column", on_click=compare_columns.add, icon=":material/add:")
    return found


def _column(place: int, column: DeltaGenerator, names: dict[str, str]) -> Chosen:
    with column, st.container(border=True):
        choice = compare_columns.show(place, names)
        found = compare_columns.answered(choice, names)
        if found.study is None:
            st.error(sentences.escaped(found.reason))
        else:
            choice = compare_columns.show_technology(place, choice, found.study)
            found = compare_columns.with_technology(found, choice)
        compare_columns.keep(place, choice)
        if len(compare_columns.columns()) > 1:
            label = f"Remove column {place + 1}"
            st.button(label, on_click=compare_columns.remove, args=(place,), key=f"remove:{place}")
    return found


def _table(found: list[Chosen]) -> str:
    names = _part_names(found)
    measures = [
        comparison_table.measures(column.study, [column.result], names)
        for column in found
        if column.study and column.result
    ]
    rows = [
        comparison_table.Row(rows[0].label, rows[0].unit, tuple(row.cells[0] for row in rows), rows[0].kind)
        for rows in zip(*measures, strict=True)
    ]
    heads = [
        comparison_table.Column(_title(column), column.name, None if _has_total(column) else _why_not(column))
        for column in found
    ]
    return comparison_table.html(heads, rows)


def _has_total(column: Chosen) -> bool:
    """Whether the column has a design and a total."""
    return column.result is not None and column.result.tco_usd is not None


def _why_not(column: Chosen) -> str:
    return sentences.why_not(column.result) if column.result else column.reason


def _title(column: Chosen) -> str:
    return technology_name(column.choice.technology)


def _part_names(found: list[Chosen]) -> dict[str, str]:
    nics = {nic.id: nic.name for nic in answers.sources().catalog.nics.values()}
    return nics | {
        key: name
        for column in found
        if column.study
        for key, name in answers.names(column.study.scenario).items()
    }


def _differences(first: Chosen, other: Chosen) -> None:
    """One column against the first: the total, what was asked and built differently, each amount's cause."""
    if first.result is None or other.result is None:
        return
    found = compare(first.result, other.result, _part_names([first, other]))
    st.subheader(sentences.escaped(_heading(first, other, found)), anchor=False)
    for gap in found.gaps:
        st.warning(sentences.escaped(sentences.with_names(gap)))
    left, right = st.columns([3, 2])
    if found.causes:
        left.markdown("**Why, by kind of cost** (NPV in the base year)")
        left.markdown(words.bullets([cause.sentence for cause in found.causes]))
    elif not found.gaps:
        left.markdown("No amount differs.")
    labels = fields.labels(fields.groups(answers.sources()))
    asked = words.changes(first.document, other.document, labels)
    right.markdown("**Asked differently**")
    right.markdown(words.bullets(asked))
    if found.design:
        right.markdown("**Built differently, at the end of the horizon**")
        right.markdown(words.bullets(found.design))


def _heading(first: Chosen, other: Chosen, found: Comparison) -> str:
    one, two = (f"{_title(column)} ({column.name})" for column in (first, other))
    if first.name == other.name:
        one, two = _title(first), _title(other)
    if found.tco_usd is None:
        return f"{two} against {one}"
    return f"{two} against {one}: {signed(found.tco_usd)} of TCO"
