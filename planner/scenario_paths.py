"""[fabric] paths -> changes of technology to plan beside the technologies."""

from __future__ import annotations

from collections.abc import Sequence

from planner.catalog import TECHNOLOGIES
from planner.design import TechnologyPath
from planner.scenario import GrowthStep
from planner.scenario_faults import suggest
from planner.scenario_form import Form
from planner.scenario_schema import Fabric

USUAL = ("roce", "infiniband")  # what the seed warns of: a change once the cluster has outgrown RoCE


def paths(
    form: Form, section: Fabric, technologies: Sequence[str], growth: Sequence[GrowthStep], *, whole: bool
) -> tuple[TechnologyPath, ...]:
    """The changes asked for. ``whole``: the cluster has one fabric, not islands of server generations.

    Left out: RoCE, then InfiniBand from the second build year on, where both are planned, there is a second
    build year and one fabric.
    """
    years = [step.year for step in growth][1:]
    if section.paths is None:
        if not whole or not years or not set(USUAL) <= set(technologies):
            return ()
        form.defaults_used.append(f"fabric.paths = {USUAL[0]}, then {USUAL[1]} from {years[0]}")
        return (TechnologyPath(*USUAL, years[0]),)
    found = list[TechnologyPath]()
    for i, row in enumerate(section.paths):
        path = _path(form, i, row, years)
        if path in found:
            form.fault(("fabric", "paths", i), "names a path twice", "name each path once")
        elif path is not None:
            found.append(path)
    if found and not whole:
        form.fault(
            ("fabric", "paths"),
            "can't be planned over islands of server generations",
            "write fabric.join_generations = true, or paths = []",
        )
    return tuple(found)


def _path(form: Form, i: int, row: Sequence[object], years: list[int]) -> TechnologyPath | None:
    """One row; None with a fault."""
    where = ("fabric", "paths", i)
    if len(row) not in (2, 3):
        remedy = 'write ["roce", "infiniband"], or with the year of the change as a third value'
        form.fault(where, "is not a first and a later technology", remedy)
        return None
    sound = True
    for name in row[:2]:
        if name not in TECHNOLOGIES:
            near = suggest(name if isinstance(name, str) else "", TECHNOLOGIES)
            form.fault(where, f"names {str(name)!r:.40}, which is not a technology", near)
            sound = False
    if sound and row[0] == row[1]:
        form.fault(where, "changes from a technology to itself", "name two different ones")
        sound = False
    known = ", ".join(map(str, years))
    if not years:
        form.fault(where, "needs a second build year", "add a row to [[growth]], or write paths = []")
        return None
    year = row[2] if len(row) == 3 else years[0]
    if isinstance(year, bool) or year not in years:
        form.fault(where, f"changes in {year}, no build year after the first", f"write one of: {known}")
        return None
    return TechnologyPath(str(row[0]), str(row[1]), int(str(year))) if sound else None
