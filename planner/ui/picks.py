"""What the reader looks at: a technology and a year, kept when another page is opened."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from planner.study import Study, TechnologyResult
from planner.ui import tables, texts

_TECHNOLOGY = "looked_at_technology"
_YEAR = "looked_at_year"


def technology(study: Study, page: str) -> TechnologyResult | None:
    """A technology with a design: the one picked before, else the best. None where none has one."""
    designed = {texts.technology(r.technology): r for r in study.results if tables.has_design(r)}
    if not designed:
        st.info("No technology has a design. The Plan page says why.")
        return None
    best = tables.best_of(study)
    first = texts.technology(best.technology) if best else next(iter(designed))
    before = st.session_state.get(_TECHNOLOGY)
    picked = st.segmented_control(
        "Technology", list(designed), default=before if before in designed else first, required=True,
        key=f"{page}:technology:{','.join(designed)}",
    )  # fmt: skip
    st.session_state[_TECHNOLOGY] = picked or first
    return designed[picked or first]


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
