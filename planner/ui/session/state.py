"""The scenario that is being edited: a plain document, apart from the widgets that show it.

Streamlit forgets a widget's value when its page is left, and everything when the page is reloaded:
so the document has a key of its own in the session and a draft in the library's store.
"""

from __future__ import annotations

import json
import logging
from typing import Any

import streamlit as st

from planner.library import drafts
from planner.library.drafts import DraftTakenError
from planner.library.scenarios import Origin
from planner.library.store import LibraryError, library
from planner.scenario.faults import ScenarioError
from planner.scenario.load import document_of, editable_document
from planner.scenario.write import dump_document
from planner.ui.session import edit_history, library_links
from planner.ui.session.edit_history import Edits, Snapshot

_LOG = logging.getLogger(__name__)

Document = dict[str, Any]

_DOCUMENT = "scenario_document"
_OPENED = "scenario_opened"
_ORIGIN = "scenario_origin"
_EDITS = "scenario_edits"
_PLANNED = "scenario_planned"
_KEPT = "scenario_kept"
_REVISION = "draft_revision"
_AT_START = "scenario_at_start"
_DRAFT = "draft_id"
_GENERATION = "widget_generation"
ADDRESS_KEY = "s"


def start(default_text: str) -> None:
    """Puts the draft that the address names, the scenario it links to, or the default into a new session."""
    state = st.session_state
    if _DOCUMENT not in state:
        try:
            _begin(default_text)
        except LibraryError as fault:
            _LOG.info("the draft cannot be opened", exc_info=True)
            library_links.stop_with(fault)
    if st.query_params.get(ADDRESS_KEY) != state[_DRAFT]:
        st.query_params[ADDRESS_KEY] = state[_DRAFT]


def _begin(default_text: str) -> None:
    state = st.session_state
    asked = st.query_params.get(ADDRESS_KEY)
    parts, revision = drafts.load(library(), asked)
    edited = parts.get("edited")
    document = None if edited is None else _parsed(edited)
    linked = None
    if document is None:
        parts = {}
        linked = library_links.asked_for(dict(st.query_params))
        document = _linked(linked[0]) if linked else document_of(default_text, ADDRESS_KEY)
    text_ = dump_document(document)
    state[_DRAFT] = asked if drafts.is_id(asked) else drafts.new_id()
    state[_REVISION], state[_KEPT], state[_GENERATION] = revision, {}, 0
    opened = parts.get("opened", text_)
    state[_OPENED] = text_ if _parsed(opened) is None else opened
    state[_PLANNED] = parts.get("planned")
    state[_ORIGIN] = linked[1] if linked else _origin_of(parts.get("origin"))
    state[_AT_START] = None if linked else text_  # what a link opened is kept at once: a reload finds it
    state[_EDITS] = edit_history.loaded(parts.get("history"), Snapshot(text_, state[_OPENED], state[_ORIGIN]))
    state[_DOCUMENT] = document
    library_links.forget(st.query_params)


def _parsed(text: str) -> Document | None:
    try:
        return editable_document(text, "draft")
    except ScenarioError:
        _LOG.info("a draft is no scenario", exc_info=True)
        return None


def _linked(text: str) -> Document:
    try:
        return editable_document(text, "the scenario that it names")
    except ScenarioError as refused:
        raise LibraryError(str(refused)) from refused


def _origin_of(text: str | None) -> Origin | None:
    found = json.loads(text or "null")
    return Origin(*found) if found else None


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


def set_section(section: str, table: Document | None) -> None:
    """Puts a whole section in the place of what was there; None takes it out."""
    if table is None:
        document().pop(section, None)
    else:
        document()[section] = table


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


def open_text(new_text: str, origin: Origin | None = None) -> None:
    """Opens another scenario; undo brings the one before back. Raises ScenarioError where it is none."""
    opened = dump_document(editable_document(new_text, "scenario"))
    _show(Snapshot(opened, opened, origin))
    _record()


def replace_text(new_text: str, opened: str, origin: Origin | None) -> None:
    """Puts another text in place of the scenario, as of a merge; undo brings the one before back.

    Raises ScenarioError where it is none.
    """
    _show(Snapshot(dump_document(editable_document(new_text, "scenario")), opened, origin))
    _record()


def reset() -> None:
    """Takes every edit back to the scenario as it was opened; undo brings them again."""
    state = st.session_state
    _show(Snapshot(state[_OPENED], state[_OPENED], state[_ORIGIN]))
    _record()


def saved_as(origin: Origin) -> None:
    """Notes that the scenario as it stands is that version of the library now."""
    st.session_state[_OPENED], st.session_state[_ORIGIN] = text(), origin
    _record()


def origin() -> Origin | None:
    """The version of the library that the scenario was opened from or last saved as."""
    found: Origin | None = st.session_state[_ORIGIN]
    return found


def has_edits() -> bool:
    """Whether anything was changed since the scenario was opened or saved."""
    return bool(text() != st.session_state[_OPENED])


def steps() -> tuple[int, int]:
    """How many steps undo can take, and redo."""
    _record()
    found = _edits()
    return len(found.undo), len(found.redo)


def undo() -> None:
    """Takes the last edit back, whichever page it was made on."""
    _record()
    _go(edit_history.undone(_edits()))


def redo() -> None:
    """Takes back the last undo."""
    _record()
    _go(edit_history.redone(_edits()))


def _edits() -> Edits:
    found: Edits = st.session_state[_EDITS]
    return found


def _record() -> None:
    """Every edit since the last call becomes one step."""
    state = st.session_state
    state[_EDITS] = edit_history.recorded(_edits(), Snapshot(text(), state[_OPENED], state[_ORIGIN]))


def _go(where: Edits) -> None:
    if where == _edits():
        return
    try:
        _show(where.now)
    except ScenarioError:  # kept by an earlier version of the planner
        _LOG.info("a step of the history is no scenario", exc_info=True)
    else:
        st.session_state[_EDITS] = where


def _show(snapshot: Snapshot) -> None:
    state = st.session_state
    state[_DOCUMENT] = editable_document(snapshot.text, "scenario")
    state[_OPENED], state[_ORIGIN] = snapshot.opened, snapshot.origin
    state[_GENERATION] += 1


def planned_text() -> str | None:
    """The last scenario that had an answer, as TOML."""
    found: str | None = st.session_state[_PLANNED]
    return found


def set_planned(planned: str) -> None:
    """Notes that this scenario has an answer."""
    st.session_state[_PLANNED] = planned


def keep() -> str | None:
    """Saves the draft where it changed; nothing before the first edit.

    Returns why it could not be saved, else None. A draft that another session has changed since is
    left alone: this session's edits go on under an address of their own.
    """
    state = st.session_state
    _record()
    if not state[_KEPT] and text() == state[_AT_START]:
        return None
    try:
        try:
            _save()
        except DraftTakenError:
            _LOG.info("another session has changed the draft", exc_info=True)
            state[_DRAFT], state[_REVISION], state[_KEPT] = drafts.new_id(), 0, {}
            _save()
            st.query_params[ADDRESS_KEY] = state[_DRAFT]
            st.toast(
                "This address was edited elsewhere too. Your edits go on under an address of their own; "
                "nothing is lost on either side.",
                duration="long",
            )
    except (LibraryError, ValueError) as fault:
        _LOG.info("the draft was not saved", exc_info=True)
        return str(fault)
    return None


def _save() -> None:
    state = st.session_state
    where = state[_ORIGIN]
    parts = {
        "opened": state[_OPENED],
        "planned": state[_PLANNED],
        "edited": text(),
        "origin": json.dumps([where.scenario_id, where.version] if where else None),
        "history": edit_history.dumped(_edits()),
    }
    kept = state[_KEPT]
    changed = {part: new for part, new in parts.items() if new is not None and kept.get(part) != new}
    if changed:
        state[_REVISION] = drafts.save(library(), state[_DRAFT], changed, state[_REVISION])
        kept.update(changed)
