"""The fabric of a technology and year: drawing, words, port use, headroom."""

from __future__ import annotations

import streamlit as st

from planner.charts import fabric_charts, topology_svg
from planner.fabric.design import Design
from planner.fabric.port_use import tier_ports
from planner.report import fabric_frames
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.ui.content import chart_titles, column_configs, design_sentences, sentences
from planner.ui.session import answers
from planner.ui.views import current_answer, opening, pickers, tables_and_charts

_HEADROOM_NOTE = (
    "Traffic: the bytes that cross a tier in a training step over the step's time on an ideal fabric. Left: "
    "what remains of the wired bandwidth beyond the traffic and the headroom asked for."
)


def render() -> None:
    """Technology and year first, then the drawing to scale, then how its ports are used."""
    opening.start()
    study = current_answer.page("Topology", "The compute fabric of one year, drawn to scale of its counts.")
    if study is None:
        return
    result = pickers.technology(study, "topology")
    if result is not None:
        _fabric(study, result)


def _fabric(study: Study, result: TechnologyResult) -> None:
    by_year = {design.year: design for design in result.designs}
    year = pickers.year(list(by_year), study.scenario.growth[-1].year, "topology")
    fabrics = design_sentences.by_name(result, by_year[year])
    island = pickers.island(fabrics, "topology")
    design, names = fabrics[island], answers.names(study.scenario)
    _drawing(result, design, island, names)
    st.subheader("In words", anchor=False)
    st.markdown(sentences.escaped(design_sentences.design(design, names)))
    st.markdown(
        sentences.escaped(design_sentences.change(design, design_sentences.first_year(result, island), names))
    )
    _port_use(study, result, design, names)
    _headroom(result, list(by_year).index(year))


def _drawing(result: TechnologyResult, design: Design, island: str, names: sentences.Names) -> None:
    """The drawing in the colours of the page, and on paper's to take away."""
    title = chart_titles.drawing(result.technology, design) + (f" ({island})" if island else "")
    st.markdown(f"**{sentences.escaped(title)}**")
    dark = st.context.theme.type == "dark"
    shown = topology_svg.drawing(design, names, topology_svg.ON_DARK if dark else topology_svg.ON_LIGHT)
    paper = topology_svg.drawing(design, names, topology_svg.PAPER, title)
    name = f"topology_{result.technology}_{design.year}"
    name += f"_{design_sentences.file_part(island)}" if island else ""
    tables_and_charts.drawing(paper, shown, f"{title}. {design_sentences.design(design, names)}", name)


def _port_use(study: Study, result: TechnologyResult, design: Design, names: sentences.Names) -> None:
    st.subheader("Port use", anchor=False)
    switches = answers.switches(study.scenario)
    frame = fabric_frames.port_shares(design, switches)
    title = chart_titles.ports(list(tier_ports(design, switches)))
    note = "Physical ports: a port that is split counts once. Dark ports are the room for growth."
    key = f"{result.technology}_{design.year}"
    tables_and_charts.chart(title, fabric_charts.port_use(frame), f"ports_{key}", note)
    shown = frame.assign(switch=frame["switch"].map(lambda found: names.get(found, found)))
    tables_and_charts.table(
        shown.drop(columns="rank"), column_configs.ports(), f"port_table_{key}", ["tier", "use"]
    )


def _headroom(result: TechnologyResult, position: int) -> None:
    """What the job takes of each tier's bandwidth; nothing where it is not known, as with islands."""
    tiers = result.headroom_at(position)
    if not tiers:
        return
    st.subheader("Headroom", anchor=False)
    st.markdown(f"**{sentences.escaped(chart_titles.headroom(tiers))}**")
    st.caption(sentences.escaped(_HEADROOM_NOTE))
    name = f"headroom_{result.technology}_{result.designs[position].year}"
    tables_and_charts.table(fabric_frames.headroom(tiers), column_configs.headroom(), name)
