"""The scenario that is being edited: a plain document, apart from the widgets that show it.

Streamlit forgets a widget's value when its page is left, and everything when the page is reloaded:
so the document has a key of its own in the session and a draft on disk.
"""

from __future__ import annotations

import tomllib
from typing import Any

import streamlit as st

from planner.scenario_write import dump_document
from planner.ui import drafts

Document = dict[str, Any]

_DOCUMENT = "scenario_document"
_OPENED = "scenario_opened"
_PREVIOUS = "scenario_before_opening"
_PLANNED = "scenario_planned"
_KEPT = "scenario_kept"
_AT_START = "scenario_at_start"
_DRAFT = "draft_id"
_GENERATION = "widget_generation"
ADDRESS_KEY = "s"


def start(default_text: str) -> None:
    """Puts the draft that the address names, else the default scenario, into a new session."""
    state = st.session_state
    if _DOCUMENT not in state:
        asked = st.query_params.get(ADDRESS_KEY)
        state[_DRAFT] = asked if drafts.is_id(asked) else drafts.new_id()
        edited = drafts.load(asked, "edited")
        document = None if edited is None else _parsed(edited)
        if document is None:
            edited, document = None, tomllib.loads(default_text)
        state[_DOCUMENT] = document
        state[_OPENED] = drafts.load(asked, "opened") if edited else dump_document(document)
        state[_PLANNED] = drafts.load(asked, "planned") if edited else None
        state[_KEPT] = {}
        state[_AT_START] = dump_document(document)
        state[_GENERATION] = 0
    if st.query_params.get(ADDRESS_KEY) != state[_DRAFT]:
        st.query_params[ADDRESS_KEY] = state[_DRAFT]


def _parsed(text: str) -> Document | None:
    try:
        return tomllib.loads(text)
    except ValueError:
        return None


def document() -> Document:
    """The scenario as edited so far, perhaps with faults. Change it by ``set_value`` only."""
    found: Document = st.session_state[_DOCUMENT]
    return found


def text() -> str:
    """The document as TOML."""
    return dump_document(document())


def value(section: str, key: str) -> Any:
    """What the document says under a key, None where it says nothing."""
    return document().get(section, {}).get(key)


def set_value(section: str, key: str, new: object | None) -> None:
    """Sets one key; None takes it out, so that its default holds."""
    table = document().setdefault(section, {})
    if new is None:
        table.pop(key, None)
    else:
        table[key] = new


def overrides() -> Document:
    """The user's own prices by SKU, as typed."""
    found = value("prices", "overrides")
    return found if isinstance(found, dict) else {}


def set_override(sku: str, price: object | None) -> None:
    """Sets the user's own price of a part; None takes it out."""
    given = {**overrides(), sku: price}
    set_value("prices", "overrides", {k: v for k, v in given.items() if v is not None} or None)


def set_name(name: str) -> None:
    """Renames the scenario."""
    document()["name"] = name


def set_growth(rows: list[Document]) -> None:
    """Replaces the growth rows; the base year is the first build year."""
    document()["growth"] = rows
    if rows and isinstance(rows[0].get("year"), int):
        document()["base_year"] = rows[0]["year"]


def widget_key(name: str) -> str:
    """A widget's key, new whenever another scenario has been opened."""
    return f"{name}:{st.session_state[_GENERATION]}"


def faulty_groups() -> set[str]:
    """The titles of the groups of inputs in which something was wrong so far."""
    found: set[str] = st.session_state.setdefault("faulty_groups", set())
    return found


def open_text(new_text: str) -> None:
    """Opens another scenario; the one before can be brought back."""
    state = st.session_state
    state[_PREVIOUS] = (text(), state[_OPENED])
    state[_DOCUMENT] = tomllib.loads(new_text)
    state[_OPENED] = text()
    state[_GENERATION] += 1


def reset() -> None:
    """Takes every edit back to the scenario as it was opened."""
    open_text(st.session_state[_OPENED])


def has_edits() -> bool:
    """Whether anything was changed since the scenario was opened."""
    return bool(text() != st.session_state[_OPENED])


def has_previous() -> bool:
    """Whether there is something that ``bring_back`` would bring back."""
    previous = st.session_state.get(_PREVIOUS)
    return previous is not None and previous[0] != text()


def bring_back() -> None:
    """Swaps the scenario with the one that was there before the last opening or reset."""
    state = st.session_state
    before, opened = state[_PREVIOUS]
    open_text(before)
    state[_OPENED] = opened


def planned_text() -> str | None:
    """The last scenario that had an answer, as TOML."""
    found: str | None = st.session_state[_PLANNED]
    return found


def set_planned(planned: str) -> None:
    """Notes that this scenario has an answer."""
    st.session_state[_PLANNED] = planned


def keep() -> str | None:
    """Saves the draft where it changed; nothing before the first edit.

    Returns why it could not be saved, else None.
    """
    state = st.session_state
    parts = {"opened": state[_OPENED], "planned": state[_PLANNED], "edited": text()}
    kept = state[_KEPT]
    if not kept and parts["edited"] == state[_AT_START]:
        return None
    try:
        for part, content in parts.items():
            if content is not None and kept.get(part) != content:
                drafts.save(state[_DRAFT], part, content)
                kept[part] = content
    except (OSError, ValueError) as fault:
        return str(fault)
    return None
