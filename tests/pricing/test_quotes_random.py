"""Random price lists: a price is taken exactly or asked about, and no bytes break the reader."""

from __future__ import annotations

import csv
import datetime as dt
import io
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from pricing.quotes.columns import propose_mapping
from pricing.quotes.intake import preview
from pricing.quotes.quote_values import Part, QuoteError, Rate, Settings
from pricing.quotes.tables import read_quote

TODAY = dt.date(2026, 11, 30)
PARTS = {f"part-{i}": Part(f"part-{i}", "switch") for i in range(6)}
RATES = {"EUR": Rate(1.08, "2026-11-01")}
ROWS = st.lists(
    st.tuples(st.sampled_from(sorted(PARTS)), st.integers(1, 10**8), st.integers(0, 3)),
    min_size=1,
    max_size=6,
)
MARKS = st.sampled_from([(d, t) for d in ",." for t in ("", ",", ".", " ", "'") if d != t])


@st.composite
def price_lists(draw: st.DrawFn) -> tuple[str, dict[str, set[Decimal]]]:
    """A list in one style of numbers, with its true prices by SKU."""
    rows, (decimal, thousands) = draw(ROWS), draw(MARKS)
    delimiter, quoted = draw(st.sampled_from(";,\t|")), draw(st.booleans())
    true: dict[str, set[Decimal]] = {}
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
    writer.writerow(("SKU", "Price", "Currency"))
    lines = []
    for sku, digits, decimals in rows:
        amount = Decimal(digits).scaleb(-decimals)
        true.setdefault(sku, set()).add(amount)
        whole, _, cents = f"{amount:.{decimals}f}".partition(".")
        lines.append(
            (sku, f"{int(whole):,}".replace(",", thousands) + (decimal + cents if cents else ""), "EUR")
        )
    if draw(st.booleans()):  # a vendor that forgets to quote
        text = "".join(delimiter.join(line) + "\n" for line in lines)
        return stream.getvalue() + text, true
    writer.writerows(lines)
    return stream.getvalue(), true


@settings(max_examples=300)
@given(price_lists())
def test_a_price_is_the_vendor_s_or_a_doubt(found: tuple[str, dict[str, set[Decimal]]]) -> None:
    text, true = found
    table = read_quote(text.encode(), "list.csv")
    shown = preview(table, propose_mapping(table), Settings(TODAY, RATES), PARTS)
    taken = {row.sku: row.amount for row in shown.good}
    assert all(amount in true[sku] for sku, amount in taken.items())
    asked = (
        {d.line for d in shown.doubts} | {r.line for r in shown.rejected} | {row.line for row in shown.good}
    )
    assert {row.line for row in table.rows[1:]} <= asked or any(d.key.startswith("dup") for d in shown.doubts)


@settings(max_examples=300)
@given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    for head in (b"", b"SKU,Price\n", b"PK\x03\x04", b"\xff\xfe"):
        try:
            table = read_quote(head + data, "list.csv")
            preview(table, propose_mapping(table), Settings(TODAY, RATES), PARTS)
        except QuoteError as error:
            assert str(error)
