"""Who uses the page: signed in where the server asks for it, else by the name they give."""

from __future__ import annotations

import logging

import streamlit as st

from planner.library.store import LibraryError, library, set_setting, setting

_LOG = logging.getLogger(__name__)
_AUTHOR = "author"
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


def asks_for_sign_in() -> bool:
    """Whether the server's secrets have a section [auth], as Streamlit's own sign-in (OIDC) wants it."""
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets


def gate() -> None:
    """Ends the page with a sign-in button where the server asks for one and nobody is signed in."""
    if not asks_for_sign_in() or st.user.is_logged_in:
        return
    st.header("Fabric planner", anchor=False)
    st.markdown("This server asks you to sign in.")
    st.button("Sign in", on_click=st.login)
    st.stop()


def author() -> str:
    """The name that a save carries; "" where none was given yet."""
    if asks_for_sign_in():
        return str(st.user.get("name") or st.user.get("email") or "signed in")
    if _AUTHOR not in st.session_state:
        try:
            kept = setting(library(), _AUTHOR) if _is_local() else None
        except LibraryError:
            _LOG.info("the author's name cannot be kept or found", exc_info=True)
            kept = None
        st.session_state[_AUTHOR] = kept or ""
    return str(st.session_state[_AUTHOR])


def show() -> None:
    """The author's name: asked once, or who is signed in."""
    if asks_for_sign_in():
        st.caption(f"Signed in as {author()}")
        st.button("Sign out", on_click=st.logout)
        return
    st.text_input("Your name", author(), key="author_input", max_chars=100, on_change=_named, help=_HELP)


_HELP = "Stands beside each version that you save. Asked once and kept."


def _named() -> None:
    name = str(st.session_state["author_input"]).strip()
    st.session_state[_AUTHOR] = name
    if name and _is_local():  # others' names are nobody's business on a server for many
        try:
            set_setting(library(), _AUTHOR, name)
        except LibraryError:
            _LOG.info("the author's name cannot be kept or found", exc_info=True)
            return  # asked again next time


def _is_local() -> bool:
    return st.get_option("server.address") in _THIS_MACHINE
