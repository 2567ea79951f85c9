"""Every section of a scenario file in the order of the reference, and what is asked of all of them.

Rows of a section lie beside those of its like (cluster, job, money). What is given is made into frozen values
in ``cluster_section`` (cluster, growth, layout, wan), ``generations_section`` (growth's servers),
``fabric_section`` (fabric, switch), ``job_section`` (workload, operations), ``calibration_section``,
``money_section`` (finance, prices, constraints, installed) and ``bill_section`` (side fabrics, management,
spares to lease).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from inspect import getdoc

from planner.catalog.defaults import Default
from planner.scenario import cluster_keys as cluster
from planner.scenario import job_keys as job
from planner.scenario import money_keys as money
from planner.scenario.attributes import Attribute, Section, attributes_of
from planner.scenario.faults import shown
from planner.text.format import plain

SECTIONS: tuple[type[Section], ...] = (
    cluster.ClusterSection,
    cluster.GrowthSection,
    cluster.FabricSection,
    cluster.SwitchSection,
    cluster.LayoutSection,
    cluster.InstalledSection,
    job.WorkloadSection,
    job.OperationsSection,
    job.WanSection,
    job.CalibrationSection,
    money.FinanceSection,
    money.PricesSection,
    money.ConstraintsSection,
    cluster.StorageFabricSection,
    cluster.FrontendFabricSection,
    cluster.ManagementSection,
    money.SparesSection,
    money.ChargesSection,
    money.ColocationSection,
    money.EscalationSection,
    money.StaffSection,
    money.UpkeepSection,
    money.LeaseSection,
)
BY_HEADER: Mapping[str, type[Section]] = {section.header: section for section in SECTIONS}


def sections_with(key: str) -> list[str]:
    """The sections that know the key, those of one table first: where a misplaced key belongs."""
    ordered = sorted(SECTIONS, key=lambda section: section.repeated)
    return [section.header for section in ordered if key in attributes_of(section)]


def attribute(section: str, key: str) -> Attribute:
    """The row of a key. Raises KeyError where there is none."""
    return attributes_of(BY_HEADER[section])[key]


def every_attribute() -> Iterator[tuple[type[Section], Attribute]]:
    """Every row with its section, the keys above the first section first."""
    every: tuple[type[Section], ...] = (cluster.TopSection, *SECTIONS)
    for section in every:
        for row in attributes_of(section).values():
            yield section, row


def default_of(row: Attribute, defaults: Mapping[str, Default]) -> tuple[str, str]:
    """The default of a key as people read it, and who says so: the data's source with its grade, a rule."""
    found = defaults.get(row.path)
    if found is not None:
        also = f"; {row.rule}" if row.rule else ""
        return plain(found.value) + also, f"{found.source.grade.value}: {found.source.text}"
    if row.required:
        return "required", ""
    if row.rule:
        return row.rule, "rule"
    return shown(row.default), "rule"


_REFERENCE = """# The keys of a scenario file

Made by `fabric-planner list keys --markdown` from the attribute tables in `planner/scenario`; edit those, a
test holds the two equal. A key left out has its default: a figure of `data/defaults.csv` with its source and
grade, or a rule of the planner. A list of values opens the choice to the planner.
"""
_COLUMNS = ("key", "type", "unit", "default", "source", "meaning")


def reference(defaults: Mapping[str, Default]) -> str:
    """Every key of every section, as a document in Markdown."""
    lines, title = [_REFERENCE.rstrip()], ""
    for section, row in every_attribute():
        name = section.title() or "Above the first section"
        if name != title:
            title = name
            lines += ["", f"## {name}", "", (getdoc(section) or "").split("\n")[0], ""]
            lines += [_cells(_COLUMNS), _cells(["---"] * len(_COLUMNS))]
        kind = f"{row.kind}: {row.range}" if row.range else row.kind
        cells = (f"`{row.key}`", kind, row.unit, *default_of(row, defaults), row.sentence)
        lines.append(_cells(cells))
    return "\n".join(lines) + "\n"


def _cells(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
