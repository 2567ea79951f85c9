"""The library: save, open, compare versions, copy, rename, delete and bring back, import and export."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import streamlit as st

from planner.charts import exports
from planner.library import scenarios
from planner.library.scenarios import Entry, Origin, Version
from planner.library.store import LibraryError, library
from planner.scenario.faults import ScenarioError
from planner.scenario.load import checked_text
from planner.ui.content import fields, sentences
from planner.ui.content import library as words
from planner.ui.session import answers, library_links, sign_in, state
from planner.ui.views import opening, saving

_LOG = logging.getLogger(__name__)
_OPENED_WORDS = "is open now: the Plan page shows its answer. Undo brings the scenario before back."


def render() -> None:
    """Saving on top, then the scenarios, the chosen one in detail, and the trash."""
    opening.start()
    labels = fields.labels(fields.groups(answers.sources()))
    st.header("Library", anchor=False)
    st.markdown("Each save is a version that stays as it is. Nobody overwrites anybody's.")
    messages = st.container()
    saving.show(labels)
    opening.show_steps()
    try:
        _show_scenarios(labels)
        st.caption(sentences.escaped(f"This library is {library().place}"))
    except LibraryError as fault:
        _LOG.info("the library cannot be read", exc_info=True)
        st.error(sentences.escaped(f"{fault}."))
        st.button("Try again")
    saving.forget()
    not_kept = state.keep()
    if not_kept:
        messages.warning(sentences.escaped(sentences.not_kept(not_kept)))


def _show_scenarios(labels: sentences.Names) -> None:
    found = scenarios.entries(library())
    st.subheader("Scenarios", anchor=False)
    if found:
        chosen = _chosen(found)
        _show_chosen(chosen, labels)
    else:
        st.info("Nothing is saved yet. Save the scenario above, or import a file.")
    left, right = st.columns(2)
    with left.expander("Import a scenario file (TOML)"):
        _show_import()
    with right.expander("Trash"):
        _show_trash()


def _chosen(found: Sequence[Entry]) -> Entry:
    """The scenario whose row is selected; the one that is open, else the latest, until one is."""
    order = ",".join(entry.id for entry in found)  # a selection is of a place, which moves with the order
    picked = st.dataframe(
        exports.inert(words.entries(found)), hide_index=True, on_select="rerun", selection_mode="single-row",
        key=f"rows:{order}",
    )  # fmt: skip
    rows = picked.selection.rows
    if rows and rows[0] < len(found):
        return found[rows[0]]
    origin = state.origin()
    return next((e for e in found if origin and e.id == origin.scenario_id), found[0])


def _show_chosen(entry: Entry, labels: sentences.Names) -> None:
    history = scenarios.history(library(), entry.id)
    by_number = {version.number: version for version in history}
    with st.container(border=True):
        st.markdown(f"**{sentences.escaped(entry.name)}**")
        number = st.selectbox(
            "Version", list(by_number), format_func=lambda n: words.version(by_number[n]),
            key=f"version:{entry.id}:{entry.head}",
        )  # fmt: skip
        version = by_number[number]
        _show_actions(version)
        _show_renaming(entry)
        if len(history) > 1:
            _show_difference(by_number, version, labels)


def _show_actions(version: Version) -> None:
    key = f"{version.scenario_id}:{version.number}"
    with st.container(horizontal=True):
        st.button("Open this version", on_click=_open, args=(version,), key=f"open:{key}")
        st.button("Duplicate", on_click=_duplicate, args=(version,), key=f"copy:{key}")
        st.download_button(
            "Export (TOML)", version.text.encode(), f"{version.scenario_id}-v{version.number}.toml",
            "application/toml", key=f"export:{key}", on_click="ignore",
        )  # fmt: skip
        st.button("Delete the scenario", on_click=_delete, args=(version,), key=f"delete:{key}", help=_DELETE)
    st.caption("Link that opens this version")
    st.code(library_links.address(version.origin), language=None)


_DELETE = "Into the trash, with all its versions. It can be brought back."


def _show_renaming(entry: Entry) -> None:
    key = f"rename:{entry.id}:{entry.head}"
    with st.expander("Rename"):
        st.text_input("New name", entry.name, max_chars=200, key=key)
        st.button("Rename", on_click=_rename, args=(entry, key), key=f"do-{key}")


def _show_difference(by_number: dict[int, Version], version: Version, labels: sentences.Names) -> None:
    others = [n for n in by_number if n != version.number]
    earlier = [n for n in others if n < version.number] or others
    other = st.selectbox(
        f"What version {version.number} changed since version", others, index=others.index(earlier[0]),
        key=f"since:{version.scenario_id}:{version.number}", width=320,
    )  # fmt: skip
    try:
        before, after = scenarios.document(by_number[other].text), scenarios.document(version.text)
    except LibraryError as fault:
        _LOG.info("versions cannot be compared", exc_info=True)
        st.error(sentences.escaped(f"These versions cannot be compared: {fault}."))
        return
    st.markdown(words.bullets(words.changes(before, after, labels)))


def _show_import() -> None:
    key = state.widget_key("library_file")
    st.file_uploader("Scenario file", ["toml"], key=key, on_change=_import, args=(key,), max_upload_size=1)


def _show_trash() -> None:
    deleted = scenarios.entries(library(), deleted=True)
    if not deleted:
        st.markdown("The trash is empty.")
    for entry in deleted:
        when = words.moment(entry.deleted_at or "")
        st.markdown(sentences.escaped(f"{entry.name}, version {entry.head}, deleted {when}"))
        st.button("Bring back", on_click=_bring_back, args=(entry,), key=f"back:{entry.id}")


def _done(change: Callable[[], object], said: str) -> None:
    """Runs a change of the library and says what came of it."""
    try:
        change()
    except LibraryError as refused:
        _LOG.info("a change of the library was refused", exc_info=True)
        saving.told("error", f"Not done: {refused}.")
    else:
        saving.told("done", said)


def _open(version: Version) -> None:
    try:
        state.open_text(version.text, version.origin)
    except ScenarioError as refused:
        _LOG.info("a version is no scenario", exc_info=True)
        saving.told("error", f"Not opened: {words.faults(refused)}.")
        return
    saving.told("done", f"Version {version.number} of {version.name} {_OPENED_WORDS}")


def _duplicate(version: Version) -> None:
    _done(
        lambda: scenarios.duplicate(library(), version.scenario_id, version.number, sign_in.author()),
        f"Copied as Copy of {version.name}.",
    )


def _rename(entry: Entry, key: str) -> None:
    """A rename is a version too; the scenario on the page goes with it where nothing else was edited."""
    name = str(st.session_state[key])

    def change() -> None:
        new = scenarios.rename(library(), entry.id, name, sign_in.author(), entry.head)
        here = state.origin()
        if here == Origin(entry.id, entry.head) and not state.has_edits():
            state.open_text(new.text, new.origin)

    _done(change, f"Renamed to {name}.")


def _delete(version: Version) -> None:
    _done(
        lambda: scenarios.delete(library(), version.scenario_id),
        f"{version.name} is in the trash below, with all its versions.",
    )


def _bring_back(entry: Entry) -> None:
    _done(lambda: scenarios.bring_back(library(), entry.id), f"{entry.name} is back.")


def _import(key: str) -> None:
    """Saves an uploaded file as a new scenario of the library. It is text: nothing of it is executed."""
    uploaded = st.session_state[key]
    if uploaded is None:
        return
    try:
        text = checked_text(uploaded.getvalue(), uploaded.name, answers.sources(), scenarios.MAX_BYTES)
    except ScenarioError as refused:
        _LOG.info("an imported file has faults", exc_info=True)
        saving.told("error", f"Not imported: {words.faults(refused)}.")
        return
    note = f"Imported from {uploaded.name}"
    _done(lambda: scenarios.save(library(), text, sign_in.author(), note), f"{uploaded.name} is imported.")
