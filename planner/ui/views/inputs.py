"""The inputs of the first page, and what is wrong with them. They edit the document in ``state``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

import pandas as pd
import streamlit as st

from planner.scenario.faults import Fault, shown, spelled
from planner.scenario.scenario import Scenario
from planner.text import format as form
from planner.ui.content import marks, texts
from planner.ui.content.fields import Field, Group
from planner.ui.content.parse import UnreadableError, read_decimal, read_percent, read_whole
from planner.ui.session import answers, state
from planner.ui.views import growth_kinds

GROWTH_COLUMNS = ("year", "gpus")
KIND_COLUMNS = ("server", "link_gbps")  # of a row that brings another server generation
_OR = " or "
_MOST_CHARACTERS = 100  # of what is kept of a faulty input; no number is longer
_READERS: dict[str, Callable[[str], int | Decimal]] = {
    "whole": read_whole,
    "decimal": read_decimal,
    "percent": read_percent,
}


def read_typed(kind: str, text: str) -> int | float | str:
    """The number that the text means; the text itself where it means none, to be put right later."""
    try:
        number = _READERS[kind](text)
    except UnreadableError:
        return text
    return float(number) if isinstance(number, Decimal) else number


def typed_text(kind: str, value: object) -> str:
    """The text that shows a value of the document; the reverse of ``read_typed``."""
    if value is None or isinstance(value, str):
        return value or ""
    if kind == "percent" and isinstance(value, int | float):
        return form.percent_points(value)
    return form.count(value) if kind == "whole" and isinstance(value, int) else form.plain(value)


def typed_faults(document: Mapping[str, Any], fields: Sequence[Field]) -> list[Fault]:
    """The numbers that could not be read, each with what to write instead."""
    found = [
        _fault(field.path, field.kind, document.get(field.section, {}).get(field.key))
        for field in fields
        if field.kind in _READERS
    ]
    for i, row in enumerate(document.get("growth", ())):
        found += [_fault(f"growth[{i + 1}].{key}", "whole", row.get(key)) for key in GROWTH_COLUMNS]
        rates = row.get("link_gbps")
        typed = [r for r in (rates if isinstance(rates, list) else [rates]) if isinstance(r, str)]
        found += [_fault(f"growth[{i + 1}].link_gbps", "whole", rate) for rate in typed[:1]]
    own = document.get("prices", {}).get("overrides", {})
    if isinstance(own, Mapping):
        found += [
            _fault(spelled(("prices", "overrides", sku)), "decimal", price) for sku, price in own.items()
        ]
    return [fault for fault in found if fault is not None]


def _fault(path: str, kind: str, value: object) -> Fault | None:
    if not isinstance(value, str):
        return None
    try:
        _READERS[kind](value)
    except UnreadableError as refused:
        return Fault("", None, path, shown(value), refused.message, refused.remedy)
    return None


def show_growth_table(place: str = "growth", width: int | Literal["stretch"] = "stretch") -> None:
    """The growth table. Its source frame stays as it was when the table appeared.

    ``place`` tells the table of one page from that of another: each has edits of its own.

    The editor lays the user's edits over its source; a source made from its own result would take
    every second edit back.
    """
    st.markdown("**Growth**")
    st.caption("One row a build year. GPUs may rise, never fall. Type into the empty row to add a year.")
    table, rows = st.container(), state.document().get("growth", [])
    kinds = growth_kinds.toggle(rows, state.widget_key(f"{place}_kinds"))
    key, source = state.widget_key(f"{place}_by_server" if kinds else place), f"{place}_source"
    if key not in st.session_state:
        st.session_state[source] = growth_frame(rows, kinds)
    with table:
        edited = st.data_editor(
            st.session_state[source],
            key=key,
            width=width,
            num_rows="dynamic",
            hide_index=True,
            column_config=growth_kinds.columns(answers.sources().catalog, kinds),
        )
    state.set_growth(growth_rows(edited))


def growth_frame(rows: Sequence[Mapping[str, object]], kinds: bool = False) -> pd.DataFrame:
    """The growth rows as text; a year is not grouped, GPUs are. ``kinds``: with the columns of a server."""
    texts_ = [[form.plain(row.get("year")), typed_text("whole", row.get("gpus"))] for row in rows]
    if kinds:
        rates = [_rates(row.get("link_gbps")) for row in rows]
        named = [
            [form.plain(row.get("server") or growth_kinds.SAME), r]
            for row, r in zip(rows, rates, strict=True)
        ]
        texts_ = [one + other for one, other in zip(texts_, named, strict=True)]
    columns = (*GROWTH_COLUMNS, *KIND_COLUMNS) if kinds else GROWTH_COLUMNS
    return pd.DataFrame(texts_, columns=list(columns), dtype="str")


def _rates(value: object) -> str:
    """One rate as text, or several that the planner may choose among."""
    return _OR.join(typed_text("whole", v) for v in (value if isinstance(value, list) else [value]))


def _read_row(texts_: Mapping[str, str]) -> state.Document:
    row: state.Document = {k: read_typed("whole", texts_[k]) for k in GROWTH_COLUMNS if texts_.get(k)}
    if texts_.get("server", growth_kinds.SAME) not in ("", growth_kinds.SAME):
        row["server"] = texts_["server"]
    if rates := [read_typed("whole", part) for part in texts_.get("link_gbps", "").split(_OR) if part]:
        row["link_gbps"] = rates[0] if len(rates) == 1 else rates
    return row


def growth_rows(frame: pd.DataFrame) -> list[state.Document]:
    """The rows of the edited table in the order of their years; rows without any text are left out."""
    rows: list[state.Document] = []
    for record in frame.to_dict("records"):
        texts_ = {str(k): text.strip() for k, text in record.items() if isinstance(text, str)}
        if row := _read_row(texts_):
            rows.append(row)
    if all(isinstance(row.get("year"), int) for row in rows):
        rows.sort(key=lambda row: row["year"])
    return rows


def show_group(group: Group, defaults: Scenario | None, faults: Sequence[Fault]) -> None:
    """The inputs of one group, in a fold; where something was wrong, it opens and stays open."""
    own = [f for f in faults if any(f.key.startswith(field.path) for field in group.fields)]
    faulty = state.faulty_groups()
    if own:
        faulty.add(group.title)
    with st.expander(group.title, expanded=group.title in faulty):
        for field in group.fields:
            show_field(field, defaults)
            show_faults([f for f in own if f.key.startswith(field.path)], {field.path: field.label})


def show_faults(faults: Sequence[Fault], labels: texts.Names) -> None:
    """Faults beside the input that they belong to.

    The container is there without faults too: what comes and goes would make the page build
    everything after it anew, and close what the user has opened.
    """
    with st.container():
        for fault in faults:
            st.error(texts.escaped(texts.fault(fault, labels)))


def show_field(field: Field, defaults: Scenario | None) -> None:
    """One input with its unit, default, source and meaning, marked where it is not the default."""
    _show_widget(field, defaults)
    with st.container():  # always there, as in ``show_faults``
        mark = marks.changed(field, state.value(field.section, field.key), defaults)
        if mark:
            st.caption(texts.escaped(mark))


def _show_widget(field: Field, defaults: Scenario | None) -> None:
    """The input itself. What it holds at first is its default, not put into the session's state: a browser
    sends such a value back late, and an edit in between would come with an emptied input."""
    key = state.widget_key(field.path)
    default = texts.default(field, defaults)
    common: dict[str, Any] = {
        "label": f"{field.label} ({field.unit})" if field.unit else field.label,
        "key": key,
        "help": texts.escaped(f"{field.meaning} {default} {marks.source(field, answers.sources())}".strip()),
        "on_change": _changed,
        "args": (field, key),
        "placeholder": texts.placeholder(field, defaults),
    }
    value = _held(state.value(field.section, field.key))
    if field.kind in _READERS:
        st.text_input(**common, value=typed_text(field.kind, value))
        return
    if field.kind == "many":
        given = value if isinstance(value, tuple) else () if value is None else (value,)
        st.multiselect(
            **common, options=field.options, default=given, format_func=lambda v: texts.option(field, v)
        )
        return
    options = field.options if value is None or value in field.options else (*field.options, value)
    unset = 0 if field.required else None
    st.selectbox(
        **common,
        options=options,
        index=unset if value is None else options.index(value),
        format_func=lambda v: texts.option(field, v),
        accept_new_options=field.kind == "open-choice",
    )


def _held(value: Any) -> Any:
    """A value of the document as widgets hold it: lists become tuples, lists of one their value."""
    if isinstance(value, list):
        return value[0] if len(value) == 1 else tuple(value)
    return value


def _changed(field: Field, key: str) -> None:
    value = st.session_state[key]
    if field.kind in _READERS:
        value = read_typed(field.kind, value[:_MOST_CHARACTERS]) if value and value.strip() else None
    elif isinstance(value, list | tuple):
        value = list(value) or None
    state.set_value(field.section, field.key, value)
