"""The fabric of a technology and year: drawing, port use, words."""

from __future__ import annotations

import streamlit as st

from planner.charts import topology_svg
from planner.charts import years as year_charts
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.ui.content import chart_titles, column_configs, port_use, texts
from planner.ui.content import islands as island_words
from planner.ui.session import answers
from planner.ui.views import current_answer, display, pickers
from planner.ui.views import headroom as headroom_view


def render() -> None:
    """Technology and year first, then the drawing to scale, then how its ports are used."""
    current_answer.start()
    study = current_answer.page("Topology", "The compute fabric of one year, drawn to scale of its counts.")
    if study is None:
        return
    result = pickers.technology(study, "topology")
    if result is not None:
        _fabric(study, result)


def _fabric(study: Study, result: TechnologyResult) -> None:
    designs = {design.year: design for design in result.plan.designs}
    design = designs[pickers.year(list(designs), study.scenario.growth[-1].year, "topology")]
    fabrics = island_words.by_name(result, design)
    island = pickers.island(fabrics, "topology")
    design, names = fabrics[island], answers.names(study.scenario)
    title = chart_titles.drawing(result.technology, design) + (f" ({island})" if island else "")
    st.markdown(f"**{texts.escaped(title)}**")
    dark = st.context.theme.type == "dark"
    shown = topology_svg.drawing(design, names, topology_svg.ON_DARK if dark else topology_svg.ON_LIGHT)
    paper = topology_svg.drawing(design, names, topology_svg.PAPER, title)
    name = f"topology_{result.technology}_{design.year}"
    name += f"_{island_words.file_part(island)}" if island else ""
    display.drawing(paper, shown, f"{title}. {texts.design(design, names)}", name)
    first_year = island_words.first_year(result, island)
    st.subheader("In words", anchor=False)
    st.markdown(texts.escaped(texts.design(design, names)))
    st.markdown(texts.escaped(texts.change(design, first_year, names)))
    st.subheader("Port use", anchor=False)
    switches = answers.switches(study.scenario)
    frame = port_use.frame(design, switches)
    used = list(port_use.tier_ports(design, switches))
    note = "Physical ports: a port that is split counts once. Dark ports are the room for growth."
    display.chart(
        chart_titles.ports(used),
        year_charts.port_use(frame),
        f"ports_{result.technology}_{design.year}",
        note,
    )
    display.table(
        frame.assign(switch=frame["switch"].map(lambda found: names.get(found, found))).drop(columns="rank"),
        column_configs.ports(), f"port_table_{result.technology}_{design.year}", ["tier", "use"],
    )  # fmt: skip
    position = list(designs).index(design.year)
    tiers = result.headroom[position] if result.headroom else ()
    headroom_view.render(tiers, f"headroom_{result.technology}_{design.year}")
