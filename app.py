"""The web app's frame: page set-up and navigation."""

from __future__ import annotations

import streamlit as st

from planner.ui import answers
from planner.ui.pages import plan

st.set_page_config(page_title="Fabric planner", layout="wide", initial_sidebar_state="expanded")
answers.pool()  # its processes get ready while the page is made
st.navigation([st.Page(plan.render, title="Plan", url_path="plan", default=True)], position="top").run()
