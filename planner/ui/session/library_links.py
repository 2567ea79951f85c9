"""Addresses that open a scenario: ?scenario=ID&version=N of the library, ?shipped=ID of the planner's own."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping
from typing import NoReturn

import streamlit as st

from planner.library import scenarios
from planner.library.scenarios import Origin
from planner.library.store import LibraryError, library
from planner.scenario.load import shipped_scenarios, shipped_text
from planner.ui.content import sentences

KEYS = ("scenario", "version", "shipped")
_ID = re.compile(r"[0-9a-f]{12}")
_NUMBER = re.compile(r"[0-9]{1,6}")


def asked_for(query: Mapping[str, str]) -> tuple[str, Origin | None] | None:
    """The text that an address asks for and the version it is; None where it asks for none.

    Raises LibraryError where there is no such scenario or version.
    """
    shipped, scenario, version = (query.get(key) for key in ("shipped", "scenario", "version"))
    if scenario is not None:
        if not _ID.fullmatch(scenario) or not _NUMBER.fullmatch(version or "0"):
            raise LibraryError("the link is not complete; copy it again from the Library page")
        found = scenarios.version(library(), scenario, int(version) if version else None)
        return found.text, found.origin
    if shipped is not None:
        if shipped not in shipped_scenarios():
            raise LibraryError(f'there is no shipped scenario "{shipped}"')
        return shipped_text(shipped), None
    return None


def address(origin: Origin) -> str:
    """The address that opens a version; from the app's root where that is not known."""
    page = str(st.context.url or "").partition("?")[0]
    root = page.removesuffix("/library").rstrip("/")
    return f"{root}/?scenario={origin.scenario_id}&version={origin.version}"


def forget(query: MutableMapping[str, str]) -> None:
    """Takes what was asked for out of the address: the draft stands there from now on."""
    for key in KEYS:
        query.pop(key, None)


def stop_with(fault: LibraryError) -> NoReturn:
    """Says why the page cannot be opened, and ends it there: an empty page would look like a loss."""
    st.error(sentences.escaped(f"This address could not be opened: {fault}."))
    st.button("Try again")
    st.link_button("Open the first scenario instead", "?")
    st.stop()
