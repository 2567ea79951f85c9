"""The web app's frame: page set-up, sign-in and navigation."""

from __future__ import annotations

import streamlit as st

from planner.ui import answers, people
from planner.ui.pages import compare, library, plan

st.set_page_config(page_title="Fabric planner", layout="wide", initial_sidebar_state="expanded")
answers.pool()  # its processes get ready while the page is made
people.gate()
pages = [
    st.Page(plan.render, title="Plan", url_path="plan", default=True),
    st.Page(compare.render, title="Compare", url_path="compare"),
    st.Page(library.render, title="Library", url_path="library"),
]
st.navigation(pages, position="top").run()
