"""The web app's frame: page set-up, sign-in and navigation."""

from __future__ import annotations

import streamlit as st

from planner.text import log
from planner.ui.pages import (
    bom,
    calibration,
    compare,
    growth,
    library,
    method,
    plan,
    prices,
    throughput,
    topology,
)
from planner.ui.session import answers, sign_in

log.start_as_told()
st.set_page_config(page_title="Fabric planner", layout="wide", initial_sidebar_state="expanded")
answers.pool()  # its processes get ready while the page is made
sign_in.gate()
pages = [
    st.Page(plan.render, title="Plan", url_path="plan", default=True),
    st.Page(topology.render, title="Topology", url_path="topology"),
    st.Page(bom.render, title="Bill of materials", url_path="bom"),
    st.Page(prices.render, title="Prices", url_path="prices"),
    st.Page(throughput.render, title="Throughput", url_path="throughput"),
    st.Page(calibration.render, title="Calibration", url_path="calibration"),
    st.Page(growth.render, title="Growth", url_path="growth"),
    st.Page(compare.render, title="Compare", url_path="compare"),
    st.Page(library.render, title="Library", url_path="library"),
    st.Page(method.render, title="Method and sources", url_path="method"),
]
st.navigation(pages, position="top").run()
