"""The BOM CSV files: columns, order, and text that a spreadsheet must not run."""

from __future__ import annotations

import csv
import io
from dataclasses import fields, replace

import pytest

from planner.cost.bom_lines import BomLine
from planner.report.bom_table import BOM_COLUMNS, bom_files, bom_frame, bom_text
from planner.study.result import FabricResult
from planner.study.study import Study

HEADER = (
    "technology,year,section,tier,sku,description,manufacturer,quantity,spares,unit_price_usd,"
    "extended_price_usd,price_source,price_date,price_grade,power_w"
)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_header_is_the_contract_s_and_lines_end_as_rfc_4180_says(designed: FabricResult) -> None:
    text = bom_text(designed.bom)
    assert text.split("\r\n")[0] == HEADER
    assert text.endswith("\r\n")
    assert text.count("\n") == text.count("\r\n") == 3


def test_extended_price_is_unit_price_times_quantity_and_spares(designed: FabricResult) -> None:
    row = rows(bom_text(designed.bom))[1]
    assert (row["quantity"], row["spares"], row["unit_price_usd"]) == ("48", "1", "30000.0")
    assert float(row["extended_price_usd"]) == 49 * 30000


def test_rows_are_sorted_by_technology_year_section_tier_sku(designed: FabricResult) -> None:
    line = designed.bom[0]
    shuffled = [
        replace(line, technology="roce", year=2027),
        replace(line, year=2028),
        replace(line, year=2027, section="services"),
        replace(line, year=2027, tier="spine"),
        replace(line, year=2027, sku="b"),
        replace(line, year=2027, sku="a"),
    ]
    order = [
        (r["technology"], r["year"], r["section"], r["tier"], r["sku"]) for r in rows(bom_text(shuffled))
    ]
    assert order == [
        ("infiniband", "2027", "compute", "leaf", "a"),
        ("infiniband", "2027", "compute", "leaf", "b"),
        ("infiniband", "2027", "compute", "spine", "qm9700"),
        ("infiniband", "2027", "services", "leaf", "qm9700"),
        ("infiniband", "2028", "compute", "leaf", "qm9700"),
        ("roce", "2027", "compute", "leaf", "qm9700"),
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_text_that_a_spreadsheet_would_run_is_defused(designed: FabricResult, start: str) -> None:
    line = replace(designed.bom[0], description=f"{start}1+1", manufacturer="A-B")
    row = rows(bom_text([line]))[0]
    assert row["description"] == f"'{start}1+1"
    assert row["manufacturer"] == "A-B"


def test_a_negative_figure_is_not_taken_for_a_formula(designed: FabricResult) -> None:
    assert rows(bom_text([replace(designed.bom[0], unit_price_usd=-5.0)]))[0]["unit_price_usd"] == "-5.0"


def test_commas_quotes_and_other_scripts_come_back_as_they_went_in(designed: FabricResult) -> None:
    line = replace(designed.bom[0], description='Cable, 5 m, "DAC" \N{GREEK SMALL LETTER MU}')
    assert rows(bom_text([line]))[0]["description"] == 'Cable, 5 m, "DAC" \N{GREEK SMALL LETTER MU}'


def test_each_technology_with_a_design_has_a_file_and_all_of_them_one(
    study: Study, designed: FabricResult
) -> None:
    other: tuple[BomLine, ...] = (replace(designed.bom[0], technology="ethernet"),)
    second = replace(designed, plan=replace(designed.plan, technology="ethernet"), bom=other)
    files = bom_files(replace(study, results=(designed, *study.results[1:], second)))
    assert set(files) == {"bom_infiniband.csv", "bom_ethernet.csv", "bom_all.csv"}
    assert [row["technology"] for row in rows(files["bom_all.csv"])] == [
        "ethernet",
        "infiniband",
        "infiniband",
    ]
    assert [row["year"] for row in rows(files["bom_infiniband.csv"])] == ["2027", "2028"]


def test_every_field_of_a_line_has_a_column_once() -> None:
    names = [column.name for column in BOM_COLUMNS]
    assert len(set(names)) == len(names) == len({column.heading for column in BOM_COLUMNS})
    assert {field.name for field in fields(BomLine)} | {"extended_price_usd"} == set(names)


def test_a_frame_has_the_cells_of_the_file(designed: FabricResult) -> None:
    """But for order and for the apostrophe before what a spreadsheet would run."""
    frame = bom_frame(designed.bom)
    assert list(frame.columns) == HEADER.split(",")
    assert [tuple(map(str, row)) for row in frame.drop(columns="description").itertuples(index=False)][
        ::-1
    ] == [tuple(v for k, v in row.items() if k != "description") for row in rows(bom_text(designed.bom))]
