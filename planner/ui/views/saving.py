"""Saving the scenario as a version, and what to do when somebody else has saved one meanwhile."""

from __future__ import annotations

import logging

import streamlit as st

from planner.library import scenarios
from planner.library.differences import merge
from planner.library.scenarios import ConflictError, Origin, Version
from planner.library.store import LibraryError, library
from planner.scenario.faults import ScenarioError
from planner.scenario.write import dump_document
from planner.ui.content import library as words
from planner.ui.content import sentences
from planner.ui.session import sign_in, state

_LOG = logging.getLogger(__name__)
_CONFLICT = "library_conflict"
_SAID = "library_said"
_NOTE = "library_note"


def show(labels: sentences.Names) -> None:
    """The scenario on the page, who saves it, the note, the buttons, and a conflict where there is one."""
    origin = state.origin()
    name = str(state.document().get("name", ""))
    with st.container(border=True):
        st.markdown(f"**{sentences.escaped(words.standing(origin, name, state.has_edits()))}**")
        left, right = st.columns(2)
        with left:
            sign_in.show()
        with right:
            st.text_input("Note", key=_NOTE, max_chars=500, help="What you changed and why.")
        with st.container(horizontal=True):
            if origin is not None:
                label, unchanged = f"Save as version {origin.version + 1}", not state.has_edits()
                st.button(label, on_click=_save, args=(origin,), disabled=unchanged)
            label = "Save as a new scenario" if origin else "Save to the library"
            st.button(label, on_click=_save, args=(None,))
        say()
    conflict: ConflictError | None = st.session_state.get(_CONFLICT)
    if conflict is not None and origin is not None and origin.scenario_id == conflict.head.scenario_id:
        _show_conflict(conflict, origin, labels)


def say() -> None:
    """What came of the last click."""
    kind, text = st.session_state.get(_SAID, ("", ""))
    if kind == "error":
        st.error(sentences.escaped(text))
    elif kind:
        st.success(sentences.escaped(text))


def told(kind: str, text: str) -> None:
    """Notes what came of a click, for the next run to say: "done" or "error"."""
    st.session_state[_SAID] = (kind, text)


def forget() -> None:
    """Forgets what came of an earlier click."""
    st.session_state.pop(_SAID, None)


def _save(origin: Origin | None) -> None:
    _saved(state.text(), origin)


def _saved(text: str, origin: Origin | None) -> Version | None:
    """Saves a text as a version after ``origin``, as a new scenario where that is None."""
    note = str(st.session_state.get(_NOTE, ""))
    try:
        found = scenarios.save(library(), text, sign_in.author(), note, origin)
    except ConflictError as conflict:
        _LOG.info("a save met a later version", exc_info=True)
        st.session_state[_CONFLICT] = conflict
        forget()
        return None
    except LibraryError as refused:
        _LOG.info("a save was refused", exc_info=True)
        told("error", f"Not saved: {refused}. Your edits are still here.")
        return None
    st.session_state[_CONFLICT] = None
    st.session_state[_NOTE] = ""
    state.saved_as(found.origin)
    told("done", f"Saved as version {found.number} of {found.name}.")
    return found


def _show_conflict(conflict: ConflictError, origin: Origin, labels: sentences.Names) -> None:
    theirs = conflict.head
    base = _version_text(origin)
    with st.container(border=True):
        st.error(sentences.escaped(f"Not saved, and nothing is lost: {conflict}."))
        if base is None:
            return
        try:
            base_doc, their_doc = scenarios.document(base), scenarios.document(theirs.text)
        except LibraryError as fault:
            _LOG.info("the versions of a conflict cannot be compared", exc_info=True)
            st.error(sentences.escaped(f"The versions cannot be compared: {fault}."))
            st.button("Save mine as a new scenario", on_click=_save, args=(None,))
            return
        left, right = st.columns(2)
        left.markdown(f"**Your changes since version {origin.version}**")
        left.markdown(words.bullets(words.changes(base_doc, state.document(), labels)))
        right.markdown(f"**{sentences.escaped(words.version(theirs))}**")
        right.markdown(words.bullets(words.changes(base_doc, their_doc, labels)))
        _, clashes = merge(base_doc, state.document(), their_doc, {})
        chosen = {}
        for clash in clashes:
            key = f"clash:{theirs.number}:{clash.key}"
            chosen[clash.key] = st.radio(
                words.clash(clash, labels), [True, False], format_func=words.way, horizontal=True, key=key
            )
        merged, _ = merge(base_doc, state.document(), their_doc, chosen)
        head = theirs.origin
        with st.container(horizontal=True):
            label = f"Save both together as version {theirs.number + 1}"
            st.button(label, on_click=_merge, args=(dump_document(merged), theirs.text, head))
            st.button("Save mine as a new scenario", on_click=_save, args=(None,))
            st.button("Open theirs instead", on_click=_open, args=(theirs.text, head), help=_OPEN_HELP)


_OPEN_HELP = "Undo brings yours back."


def _version_text(origin: Origin) -> str | None:
    try:
        return scenarios.version(library(), origin.scenario_id, origin.version).text
    except LibraryError as fault:
        _LOG.info("a version cannot be read", exc_info=True)
        st.error(sentences.escaped(str(fault)))
        return None


def _merge(text: str, their_text: str, head: Origin) -> None:
    """The merged text goes onto the page first: where the save fails, it is there still."""
    try:
        state.replace_text(text, their_text, head)
    except ScenarioError as refused:
        _LOG.info("a merge is no scenario", exc_info=True)
        told("error", f"Not saved: {words.faults(refused)}. Your edits are still here.")
        return
    _saved(state.text(), head)


def _open(text: str, origin: Origin) -> None:
    try:
        state.open_text(text, origin)
    except ScenarioError as refused:
        _LOG.info("a version is no scenario", exc_info=True)
        told("error", f"Not opened: {words.faults(refused)}.")
        return
    st.session_state[_CONFLICT] = None
    told("done", f"Version {origin.version} is open now. Undo brings yours back.")
