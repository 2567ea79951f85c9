"""What the reader looks at: a technology and a year, kept when another page is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from planner.catalog.technologies import technology_name
from planner.fabric.design import Design
from planner.study.result import TechnologyResult
from planner.study.study import Study

_TECHNOLOGY = "looked_at_technology"
_YEAR = "looked_at_year"
_ISLAND = "looked_at_island"


def technology(study: Study, page: str) -> TechnologyResult | None:
    """A technology with a design: the one picked before, else the best. None where none has one."""
    designed = {technology_name(r.technology): r for r in study.results if r.has_design}
    if not designed:
        st.info("No technology has a design. The Plan page says why.")
        return None
    best = study.best
    first = technology_name(best.technology) if best else next(iter(designed))
    before = st.session_state.get(_TECHNOLOGY)
    picked = st.segmented_control(
        "Technology", list(designed), default=before if before in designed else first, required=True,
        key=f"{page}:technology:{','.join(designed)}",
    )  # fmt: skip
    st.session_state[_TECHNOLOGY] = picked or first
    return designed[picked or first]


def island(fabrics: Mapping[str, Design], page: str) -> str:
    """One of the islands in service: the one picked before, else the one with the most GPUs; "" with one."""
    if len(fabrics) == 1:
        return next(iter(fabrics))
    largest = max(fabrics, key=lambda name: fabrics[name].gpus)
    before = st.session_state.get(_ISLAND)
    picked = st.segmented_control(
        "Island", list(fabrics), default=before if before in fabrics else largest, required=True,
        key=f"{page}:island:{','.join(fabrics)}",
    )  # fmt: skip
    st.session_state[_ISLAND] = picked or largest
    return str(picked or largest)


def year(years: Sequence[int], first: int, page: str) -> int:
    """One of the years: the one picked before, else ``first``."""
    before = st.session_state.get(_YEAR)
    picked = st.segmented_control(
        "Year", [str(y) for y in years], required=True,
        default=str(before if before in years else first),
        key=f"{page}:year:{','.join(map(str, years))}",
    )  # fmt: skip
    st.session_state[_YEAR] = int(picked) if picked else first
    return int(st.session_state[_YEAR])
