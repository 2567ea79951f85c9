"""Price lists as they come from vendors: every fault is reported, the good rows are taken."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from planner.catalog.sources import load_sources
from planner.cli.quotes import quote_parts
from pricing.price_book import Price, PriceBook
from pricing.price_files import load_book
from pricing.provenance import Grade, Source
from pricing.quotes.columns import map_columns, propose_mapping
from pricing.quotes.files import load_quote, store_original
from pricing.quotes.intake import accept, preview, quotes_csv
from pricing.quotes.quote_values import QuoteError, QuotePreview, Rate, Settings
from pricing.quotes.tables import read_quote

PARTS = {
    sku: replace(part, usd=None) for sku, part in quote_parts(load_sources()).items()
}  # any price is near
TODAY = dt.date(2026, 11, 30)
EURO = {"EUR": Rate(1.08, "2026-11-01")}
FAULTY = Path(__file__).with_name("price_list_with_faults.csv")
GOOD = {"qm9700": 30_500 * 1.08, "mma4z00-ns400": 1_234.5 * 1.08, "sn2201": 4_200.0, "sn4700": 21_000 * 1.08}
DOUBTS = {
    "encoding": "is not UTF-8",
    "8.price": "may be either amount",
    "9.pack": "a pack of 10",
    "10.expired": "the quote ended before 2026-11-30",
    "11.sku": "matches no part; perhaps sn2700",
    "14.currency": "the sign stands for several currencies",
    "rate.GBP": "what is 1 GBP in USD",
    "16.zero": "the price is 0",
    "17.unit": "is an unknown unit",
    "18.valid_until": "cannot tell whether the quote holds on 2026-11-30",
    "duplicate.mcp7y10": "at different prices (line 20: 299 EUR for 1, line 21: 305.50 EUR for 1)",
}
LEFT_OUT = {
    7: "repeats line 6 at the same price", 12: "no price, which is never 0", 13: "'auf Anfrage' is no price",
    19: "repeats the headings", 22: "'-5,00 EUR' is no price", 24: "no SKU",
}  # fmt: skip
ANSWERS = {
    "encoding": "take", "8.price": "1234", "9.pack": "per-pack", "10.expired": "skip", "11.sku": "sn2700",
    "14.currency": "USD", "rate.GBP": "1.31@2026-11-01", "16.zero": "skip", "17.unit": "1",
    "18.valid_until": "take", "duplicate.mcp7y10": "20",
}  # fmt: skip


def shown(
    data: bytes, name: str = "list.csv", answers: dict[str, str] | None = None, **stated: object
) -> QuotePreview:
    table = read_quote(data, name)
    settings = Settings(TODAY, **({"rates": EURO} | stated))  # type: ignore[arg-type]
    return preview(table, propose_mapping(table), settings, PARTS, answers)


def prices(found: QuotePreview) -> dict[str, float]:
    return {row.sku: row.usd for row in found.good}


def test_a_list_with_every_fault_reports_each_and_takes_the_good_rows() -> None:
    found = shown(FAULTY.read_bytes(), FAULTY.name)
    assert found.mapping.header_line == 5
    assert prices(found) == pytest.approx(GOOD)
    assert {d.key for d in found.doubts} == set(DOUBTS)
    assert all(DOUBTS[d.key] in d.message for d in found.doubts)
    assert {r.line: r.reason for r in found.rejected} == LEFT_OUT


def test_nothing_is_taken_before_every_doubt_is_answered() -> None:
    found = shown(FAULTY.read_bytes())
    with pytest.raises(QuoteError, match="8.price: may be either amount"):
        accept(found)
    with pytest.raises(QuoteError, match="not answered yet: 17.unit"):
        accept(found, {k: v for k, v in ANSWERS.items() if k != "17.unit"})


def test_the_answers_are_what_is_taken() -> None:
    book = accept(shown(FAULTY.read_bytes()), ANSWERS)
    answered = {
        "mms4x00-ns": 1_234 * 1.08, "mma4z00-ns": 879 * 1.08, "sn2700": 8_000 * 1.08, "sn5400": 33_000.0,
        "connectx-7-400g-osfp": 1_500 * 1.31, "fibre-mpo12-om4-straight-5m": 116 * 1.08,
        "sn3700": 18_000 * 1.08,
        "mcp7y10": 299 * 1.08,
    }  # fmt: skip
    assert {sku: p.mid_usd for sku, p in book.prices.items()} == pytest.approx(GOOD | answered)
    assert {p.source.grade for p in book.prices.values()} == {Grade.QUOTE}


def test_a_price_says_where_it_came_from_and_converts_back() -> None:
    found = shown(FAULTY.read_bytes(), FAULTY.name)
    price = accept(found, ANSWERS).prices["mma4z00-ns"]
    assert price.source.text == (
        "price_list_with_faults.csv, line 9: MMA4Z00-NS 8790.00 EUR for 10 pieces "
        "at 1.08 USD/EUR of 2026-11-01; "
        f"sha256 {found.table.sha256}"
    )
    assert price.mid_usd / 1.08 * 10 == pytest.approx(8_790, rel=1e-9)


def test_the_book_comes_back_from_its_file_and_the_original_is_kept_by_its_sum(tmp_path: Path) -> None:
    table = load_quote(FAULTY)
    kept = store_original(table, tmp_path / "kept")
    book = accept(shown(table.original, table.name), ANSWERS)
    (tmp_path / "quotes.csv").write_text(quotes_csv(book), encoding="utf-8")
    assert load_book(tmp_path / "quotes.csv") == book
    assert kept.name.startswith(table.sha256) and kept.read_bytes() == FAULTY.read_bytes()
    assert store_original(table, tmp_path / "kept") == kept


def test_an_answer_to_nothing_and_an_answer_that_is_no_choice_are_refused() -> None:
    with pytest.raises(QuoteError, match="nothing was asked about 99.price"):
        shown(FAULTY.read_bytes(), answers={"99.price": "1"})
    with pytest.raises(QuoteError, match="'12.34' is no answer to 8.price: 1234 | 1.234 | skip"):
        shown(FAULTY.read_bytes(), answers={"8.price": "12.34"})


HEAD = "sku,description,price,currency\n"


@pytest.mark.parametrize(
    ("text", "stated", "key"),
    [
        (HEAD + "qm9700,QM9700,1,234.00\n", {}, "2.currency"),  # moved by one: never 1 USD
        (HEAD + "qm9700,QM9700,1,234.00,USD\n", {"currency": "USD"}, "2.currency 2.cells"),
        ("sku,price,description\nqm9700,12,50\n", {"currency": "USD"}, "2.cells"),
        (HEAD + "qm9700,QM9700,$30,\n", {"currency": "EUR"}, "2.currency"),
        (HEAD + "qm9700,QM9700,€30,USD\n", {}, "2.currency"),
        (HEAD + "qm9700,QM9700,30,\n", {}, "2.currency"),
        (HEAD + 'qm9700,QM9700,"1,23",USD\n', {"decimal": "."}, "2.price"),
        ("Prices incl. VAT,,,\n" + HEAD + "qm9700,QM9700,30,USD\n", {}, "tax"),
        ("Valid until,2026-10-31,,\n" + HEAD + "qm9700,QM9700,30,USD\n", {}, "1.list"),
        ("sku,list price,net price\nqm9700,30 USD,20 USD\n", {}, "column.price"),
        (
            "sku,price,valid until\nqm9700,30 USD,2026-12-31\n",
            {"needed_on": dt.date(2027, 1, 1)},
            "2.expired",
        ),
        ("sku,price,discount %\nqm9700,30 USD,20\n", {}, "heading.3"),
        ("sku,price (k USD)\nqm9700,30.5\n", {}, "scale"),
        ("sku,price per 100 USD\nqm9700,30.5\n", {}, "2.pack"),
        ("sku,price,PE\nqm9700,30 USD,100\n", {}, "2.pack"),
        ("sku,price,date\nqm9700,30 USD,03/04/2026\n", {}, "2.date"),
        ("sku,price,unit\nqm9700,30 USD,pack of 5\nsn4700,2 USD,\n", {}, "2.pack"),
    ],
)
def test_what_a_file_does_not_say_is_asked(text: str, stated: dict[str, Any], key: str) -> None:
    found = shown(text.encode(), **stated)
    assert {d.key for d in found.doubts} == set(key.split())
    of_the_file = ("tax", "1.list", "column.price", "heading.3", "scale")
    assert ("qm9700" in prices(found)) == (key in of_the_file)


def test_the_users_column_is_taken_where_two_could_be_the_price() -> None:
    text = b"sku,list price,net price\nqm9700,30 USD,20 USD\n"
    assert prices(shown(text, answers={"column.price": "3"})) == {"qm9700": 20}


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfSKU;Preis\nqm9700;1.234,50 EUR\n",
        "SKU\tPreis\nqm9700\t1.234,50 EUR\n".encode("utf-16"),
        b"sep=;\nSKU;Preis\nqm9700;1.234,50 EUR\n",
        'SKU,Preis\nqm9700,"1\u00a0234,50\u00a0€"\n'.encode(),
        b"Angebot\n\n\nSKU|Preis\r\nqm9700|1'234.50 EUR\r\n",
    ],
)
def test_dialects(data: bytes) -> None:
    found = shown(data)
    assert (found.doubts, prices(found)) == ((), pytest.approx({"qm9700": 1_234.5 * 1.08}))


def test_an_alias_and_general_answers_serve_every_row() -> None:
    text = b"sku,price\nACME-1,1.234\nsn4700,2.345\n"
    found = shown(text, answers={"decimal": ",", "currency": "EUR"}, aliases={"ACME-1": "qm9700"})
    assert prices(found) == pytest.approx({"qm9700": 1_234 * 1.08, "sn4700": 2_345 * 1.08})


def workbook(*rows: tuple[object, ...]) -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    book.create_sheet("other").append(("more", 1))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_a_workbook_s_numbers_and_days_are_exact_and_its_formulas_are_not_run() -> None:
    data = workbook(
        ("SKU", "Price USD", "Valid until"),
        ("qm9700", 1.234, dt.date(2026, 12, 31)),
        ("sn4700", "=1+1", None),
    )
    found = shown(data, "list.xlsx")
    assert prices(found) == {"qm9700": 1.234}
    assert [d.key for d in found.doubts] == ["sheet"]
    assert [(r.line, r.reason) for r in found.rejected] == [
        (3, "'(formula without a stored result)' is no price")
    ]


def test_a_stored_result_of_a_formula_is_asked_about() -> None:
    plain = workbook(("SKU", "Price USD"), ("qm9700", 2))
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(plain)) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name.endswith("sheet1.xml"):
                text = text.replace(b"<v>2</v>", b"<f>1+1</f><v>2</v>")
            new.writestr(name, text)
    found = shown(packed.getvalue(), "list.xlsx", {"sheet": "take"})
    assert [(d.key, d.given) for d in found.doubts] == [("2.formula", "2")]


def bomb() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", b"0" * 50_000_000)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"), (b"\n\n", "is empty"), (b"a\0b", "is neither text nor an XLSX workbook"),
        (b"PK\x03\x04broken", "is no readable XLSX workbook"),
        (b"\xd0\xcf\x11\xe0" + b"0" * 600, "save it as XLSX"),
        (b"one,two\n1,2\n", "has no heading row with a SKU and a price"),
        (b"x" * 20_000_001, "is larger than"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(QuoteError, match=said):
        shown(data)


def test_a_workbook_that_unpacks_to_far_too_much_is_refused_unread() -> None:
    with pytest.raises(QuoteError, match="unpacks to 50,000,000 bytes"):
        read_quote(bomb(), "list.xlsx")


def test_columns_may_be_mapped_by_hand() -> None:
    table = read_quote(b"a,b,c\nqm9700,x,7 USD\n", "list.csv")
    mapping = map_columns(table, 1, {"sku": 0, "price": 2})
    assert prices(preview(table, mapping, Settings(TODAY), PARTS)) == {"qm9700": 7}
    with pytest.raises(QuoteError, match="no column is mapped to price"):
        map_columns(table, 1, {"sku": 0})


def test_the_name_of_somebody_s_file_is_no_formula_in_the_price_file() -> None:
    """A source begins with the name of the price list, and a spreadsheet would run it."""
    source = Source("=cmd.csv, line 2", "2026", Grade.QUOTE)
    book = PriceBook("quotes", {"a": Price("a", "switch", 1.0, 1.0, 1.0, source, "quotes")})
    assert ",'=cmd.csv, line 2" in quotes_csv(book).replace('"', "")
