"""What a workbook hides, strikes through, formats or spreads over two rows of headings is asked about."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Callable, Mapping

import pytest
from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

from pricing.quotes.columns import propose_mapping
from pricing.quotes.intake import preview
from pricing.quotes.quote_values import Part, QuotePreview, Settings
from pricing.quotes.tables import read_quote
from pricing.quotes.workbook import odd_format

PARTS = {sku: Part(sku, "switch") for sku in ("qm9700", "sn5600")}
ROWS: tuple[tuple[object, ...], ...] = (
    ("SKU", "Price", "Currency"),
    ("QM9700", 30_000, "USD"),
    ("SN5600", 40_000, "USD"),
)


def workbook(
    rows: tuple[tuple[object, ...], ...] = ROWS, change: Callable[[Worksheet], object] = lambda sheet: None
) -> bytes:
    book = Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    for row in rows:
        sheet.append(row)
    change(sheet)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def read(data: bytes, answers: Mapping[str, str] | None = None) -> QuotePreview:
    table = read_quote(data, "list.xlsx")
    return preview(table, propose_mapping(table), Settings(dt.date(2026, 11, 30)), PARTS, answers)


def shown(
    rows: tuple[tuple[object, ...], ...] = ROWS,
    change: Callable[[Worksheet], object] = lambda sheet: None,
    answers: Mapping[str, str] | None = None,
) -> QuotePreview:
    return read(workbook(rows, change), answers)


def keys(found: QuotePreview) -> list[str]:
    return [doubt.key for doubt in found.doubts]


def prices(found: QuotePreview) -> dict[str, float]:
    return {row.sku: row.usd for row in found.good}


def test_a_hidden_row_is_not_taken_unasked() -> None:
    def hide(sheet: Worksheet) -> None:
        sheet.row_dimensions[3].hidden = True

    found = shown(change=hide)
    assert (keys(found), prices(found)) == (["3.hidden"], {"qm9700": 30_000})
    assert prices(shown(change=hide, answers={"hidden": "take"})) == {"qm9700": 30_000, "sn5600": 40_000}
    left = shown(change=hide, answers={"hidden": "skip"})
    assert [(row.line, row.reason) for row in left.rejected] == [(3, "left out, as you said")]


def test_a_row_of_no_height_is_hidden() -> None:
    def flatten(sheet: Worksheet) -> None:
        sheet.row_dimensions[2].height = 0.0001

    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook(change=flatten))) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'ht="0.0001"', b'ht="0"'))
    assert keys(read(packed.getvalue())) == ["2.hidden"]


def test_a_hidden_column_that_is_read_is_asked_about() -> None:
    def hide(sheet: Worksheet) -> None:
        sheet.column_dimensions["B"].hidden = True

    assert [d.message for d in shown(change=hide).doubts] == ["the workbook hides the column of the price"]


def test_a_hidden_sheet_is_passed_over_for_one_that_is_shown() -> None:
    def hide(sheet: Worksheet) -> None:
        sheet.sheet_state = "hidden"
        other = sheet.parent.create_sheet("current")
        for row in (("SKU", "Price", "Currency"), ("QM9700", 31_000, "USD")):
            other.append(row)

    found = shown(change=hide)
    assert (found.table.sheet, keys(found), prices(found)) == ("current", ["sheet"], {"qm9700": 31_000})


def test_a_price_that_is_struck_through_is_asked_about() -> None:
    def strike(sheet: Worksheet) -> None:
        sheet["B2"].font = Font(strike=True)

    assert keys(shown(change=strike)) == ["2.struck"]


def test_a_percentage_is_no_price() -> None:
    """0.5 shown as 50 % is a discount; as a price it is 0.50 USD."""

    def format_percent(sheet: Worksheet) -> None:
        sheet["B2"].value, sheet["B2"].number_format = 0.5, "0%"

    found = shown(change=format_percent)
    assert (keys(found), prices(found)) == ([], {"sn5600": 40_000})
    assert found.rejected[0].reason == "0.5 is a percentage, no price (shown as 0%)"


@pytest.mark.parametrize("written", ['#,##0,"k"', '0.00"万"', "0.0,", '0 "per 100"', "0.00E+00", "# ?/?"])
def test_a_number_that_is_shown_as_something_else_is_asked_about(written: str) -> None:
    def format_cell(sheet: Worksheet) -> None:
        sheet["B2"].number_format = written

    assert keys(shown(change=format_cell)) == ["2.format"]


@pytest.mark.parametrize(
    "written",
    [
        "General", "0.00", "#,##0", "@", "#,##0.00 €", '"$"#,##0.00', '#,##0.00 "EUR"', "[$€-407] #,##0.00",
        '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-', "_($* #,##0.00_);_($* (#,##0.00)", "[Red]#,##0;-#,##0",
    ],
)  # fmt: skip
def test_a_number_in_a_currency_is_a_plain_amount(written: str) -> None:
    assert odd_format(written) == ""


UPPER = ("SKU", "Price", None, "Currency"), (None, "List", "Net", None)
LOWER = (None, "Price", None, None), ("SKU", "Catalogue", "Yours", "Currency")


@pytest.mark.parametrize(("headings", "words"), [(UPPER, ("List", "Net")), (LOWER, ("Catalogue", "Yours"))])
def test_headings_of_two_rows_are_read_together(
    headings: tuple[tuple[object, ...], ...], words: tuple[str, str]
) -> None:
    """The upper row alone says that the first of two columns is the price: 50,000 in place of 33,894."""
    rows = (*headings, ("QM9700", 50_000, 33_894, "USD"))
    found = shown(rows)
    assert found.mapping.headings == ("SKU", f"Price {words[0]}", f"Price {words[1]}", "Currency")
    assert [(d.key, d.choices) for d in found.doubts] == [("column.price", ("2", "3", "skip"))]
    answered = shown(rows, answers={"column.price": "3"})
    assert (keys(answered), prices(answered)) == ([], {"qm9700": 33_894})


def test_a_row_of_units_under_the_headings_says_more_of_them() -> None:
    rows = (("SKU", "Price"), (None, "USD, excl. VAT"), ("QM9700", 33_894))
    assert prices(shown(rows)) == {"qm9700": 33_894}


def test_a_title_of_goods_under_the_headings_is_no_heading() -> None:
    rows = (("SKU", "Price", "Currency"), ("Switches", None, None), ("QM9700", 33_894, "USD"))
    found = shown(rows)
    assert (found.mapping.headings, prices(found)) == (("SKU", "Price", "Currency"), {"qm9700": 33_894})
