"""The inputs of the first page, and what is wrong with them. They edit the document in ``state``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from planner.scenario.faults import Fault, shown, spelled
from planner.scenario.scenario import Scenario
from planner.ui.content import input_words, sentences
from planner.ui.content.fields import Field, Group
from planner.ui.content.typed_numbers import READERS, UnreadableError, read_typed, typed_text
from planner.ui.session import answers, state
from planner.ui.views.growth_table import GROWTH_COLUMNS

_MOST_CHARACTERS = 100  # of what is kept of a faulty input; no number is longer


def typed_faults(document: Mapping[str, Any], fields: Sequence[Field]) -> list[Fault]:
    """The numbers that could not be read, each with what to write instead."""
    found = [
        _fault(field.path, field.kind, document.get(field.section, {}).get(field.key))
        for field in fields
        if field.kind in READERS
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
        READERS[kind](value)
    except UnreadableError as refused:
        return Fault("", None, path, shown(value), refused.message, refused.remedy)
    return None


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


def show_faults(faults: Sequence[Fault], labels: sentences.Names) -> None:
    """Faults beside the input that they belong to.

    The container is there without faults too: what comes and goes would make the page build
    everything after it anew, and close what the user has opened.
    """
    with st.container():
        for fault in faults:
            st.error(sentences.escaped(sentences.fault(fault, labels)))


def show_field(field: Field, defaults: Scenario | None) -> None:
    """One input with its unit, default, source and meaning, marked where it is not the default."""
    _show_widget(field, defaults)
    with st.container():  # always there, as in ``show_faults``
        mark = input_words.changed(field, state.value(field.section, field.key), defaults)
        if mark:
            st.caption(sentences.escaped(mark))


def _show_widget(field: Field, defaults: Scenario | None) -> None:
    """The input itself. What it holds at first is its default, not put into the session's state: a browser
    sends such a value back late, and an edit in between would come with an emptied input."""
    key = state.widget_key(field.path)
    default = input_words.default(field, defaults)
    common: dict[str, Any] = {
        "label": f"{field.label} ({field.unit})" if field.unit else field.label,
        "key": key,
        "help": sentences.escaped(
            f"{field.meaning} {default} {input_words.source(field, answers.sources())}".strip()
        ),
        "on_change": _changed,
        "args": (field, key),
        "placeholder": input_words.placeholder(field, defaults),
    }
    value = _fitting(field, _held(state.value(field.section, field.key)))
    if field.kind in READERS:
        st.text_input(**common, value=typed_text(field.kind, value))
        return
    if field.kind == "many":
        given = value if isinstance(value, tuple) else () if value is None else (value,)
        given = tuple(each for each in given if each in field.options)
        st.multiselect(
            **common, options=field.options, default=given, format_func=lambda v: input_words.option(field, v)
        )
        return
    options = field.options if value is None or value in field.options else (*field.options, value)
    unset = 0 if field.required else None
    st.selectbox(
        **common,
        options=options,
        index=unset if value is None else options.index(value),
        format_func=lambda v: input_words.option(field, v),
        accept_new_options=field.kind == "open-choice",
    )


def _fitting(field: Field, value: Any) -> Any:
    """The value where a widget of this kind can hold it; None, as if it were not given, where its type is
    another, which the faults beside the input say."""
    single = (str, int, float, bool)
    if isinstance(value, tuple) and field.kind not in READERS:
        return value if all(isinstance(each, single) for each in value) else None
    return value if isinstance(value, single) else None


def _held(value: Any) -> Any:
    """A value of the document as widgets hold it: lists become tuples, lists of one their value."""
    if isinstance(value, list):
        return value[0] if len(value) == 1 else tuple(value)
    return value


def _changed(field: Field, key: str) -> None:
    value = st.session_state[key]
    if field.kind in READERS:
        value = read_typed(field.kind, value[:_MOST_CHARACTERS]) if value and value.strip() else None
    elif isinstance(value, list | tuple):
        value = list(value) or None
    state.set_value(field.section, field.key, value)
