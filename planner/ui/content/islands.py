"""Islands of server generations on the pages: which one is looked at, what each is in words."""

from __future__ import annotations

from planner.fabric.design import Design, Plan
from planner.report.islands import islands_in
from planner.study.result import TechnologyResult
from planner.ui.content import texts


def by_name(result: TechnologyResult, design: Design) -> dict[str, Design]:
    """The fabrics in service in the year of a design, by the name of their island; "" where there is one."""
    if not design.islands:
        return {"": design}
    return {island.name: own for island, own in islands_in(result, design)}


def fabrics(result: TechnologyResult) -> list[tuple[str, Plan]]:
    """Every fabric with its plan: the sections, those of several islands each with the island's servers."""
    rows = [(island.scenario.server.name, island.result) for island in result.islands] or [("", result)]
    found = []
    for servers, one in rows:
        sections = [("compute", one.plan), *((side.section, side.plan) for side in one.sides)]
        found += [(f"{section}, {servers}" if servers else section, plan) for section, plan in sections]
    return found


def design(result: TechnologyResult, found: Design, names: texts.Names) -> list[str]:
    """The fabrics of a year and what is done to them, a line or two each."""
    lines = []
    for name, own in by_name(result, found).items():
        head = f"{name}: " if name else ""
        changed = texts.change(own, first_year(result, name), names)
        lines += [f"{head}{texts.design(own, names)}", changed]
    return lines


def first_year(result: TechnologyResult, name: str) -> int:
    """The first year of an island, of the whole cluster where there is one fabric."""
    firsts = {island.name: island.scenario.growth[0].year for island in result.islands}
    return firsts.get(name, result.plan.designs[0].year)


def file_part(name: str) -> str:
    """An island's name as a part of a file's.

    >>> file_part("DGX H100 at 400G from 2027")
    'dgx-h100-at-400g-from-2027'
    """
    return "-".join(name.lower().replace(",", "").split())
