"""Numbers as typed or pasted: taken as written, or refused with what to write instead."""

from __future__ import annotations

from decimal import Decimal

import pytest

from planner.ui.content.typed_numbers import (
    UnreadableError,
    read_decimal,
    read_percent,
    read_typed,
    read_whole,
    typed_text,
)
from planner.ui.views.growth_table import rows_of, source_frame
from planner.ui.views.inputs import typed_faults


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1024", 1024),
        (" 1024 ", 1024),
        ("1,024", 1024),
        ("1 024", 1024),
        ("1\u202f024", 1024),
        ("1\u00a0048\u00a0576", 1048576),
        ("10,000,000", 10_000_000),
        ("0", 0),
    ],
)
def test_whole_numbers_may_be_grouped_in_thousands(text: str, number: int) -> None:
    assert read_whole(text) == number


@pytest.mark.parametrize(
    "text",
    ["23,4", "1,02", "1,0240", "1024,", ",024", "1.024", "10.0", "-8", "+8", "1e3", "0x10", "1_024", "٣",
     "many", "", "1, 024", "1,024 000", "9" * 31],
)  # fmt: skip
def test_no_other_text_becomes_a_whole_number(text: str) -> None:
    """Without the rule 23,4 becomes 234."""
    with pytest.raises(UnreadableError):
        read_whole(text)


@pytest.mark.parametrize(
    ("text", "number"), [("0.08", "0.08"), (".5", "0.5"), ("-1.5", "-1.5"), ("12", "12"), ("+3", "3")]
)
def test_decimals_have_a_point(text: str, number: str) -> None:
    assert read_decimal(text) == Decimal(number)


@pytest.mark.parametrize("text", ["23,4", "1,234.5", "1,024", "1.2.3", "1.", "nan", "inf", "1e3", "8 %", ""])
def test_no_other_text_becomes_a_decimal(text: str) -> None:
    """Without the rule 23,4 becomes 234 and 1,024 may be one or a thousand."""
    with pytest.raises(UnreadableError):
        read_decimal(text)


def test_a_comma_is_refused_with_the_way_to_write_it() -> None:
    with pytest.raises(UnreadableError) as refused:
        read_decimal("23,4")
    assert refused.value.message == "can be read in two ways because of the comma"
    assert refused.value.remedy == "write decimals after a point and do not group thousands, like 1234.5"


def test_a_percentage_is_a_hundredth_exactly() -> None:
    """Without decimal arithmetic 7 % is 0.07000000000000001."""
    assert read_typed("percent", "7") == 0.07
    assert read_typed("percent", "8.5 %") == 0.085
    assert read_percent("100%") == 1


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("whole", 16384, "16,384"),
        ("decimal", 1.75, "1.75"),
        ("decimal", 1, "1"),
        ("percent", 0.07, "7"),
        ("percent", 0.2, "20"),
        ("whole", "23,4", "23,4"),
        ("whole", None, ""),
    ],
)
def test_what_an_input_shows_reads_back_as_the_same_value(kind: str, value: object, text: str) -> None:
    assert typed_text(kind, value) == text
    if value is not None:
        assert read_typed(kind, text) == value


def test_growth_rows_survive_the_editor_as_typed_and_in_the_order_of_years() -> None:
    rows = [{"year": 2027, "gpus": 1024}, {"year": 2029, "gpus": 4096}]
    frame = source_frame(rows)
    assert frame.to_dict("records") == [{"year": "2027", "gpus": "1,024"}, {"year": "2029", "gpus": "4,096"}]
    assert rows_of(frame) == rows
    frame.loc[2] = ["2028", "2048"]
    frame.loc[3] = [None, " "]
    assert rows_of(frame) == [rows[0], {"year": 2028, "gpus": 2048}, rows[1]]


def test_an_unreadable_cell_is_kept_as_typed_and_named() -> None:
    frame = source_frame([{"year": 2027, "gpus": "23,4"}])
    document = {"growth": rows_of(frame)}
    assert document["growth"] == [{"year": 2027, "gpus": "23,4"}]
    (fault,) = typed_faults(document, [])
    assert (fault.key, fault.value) == ("growth[1].gpus", '"23,4"')
    assert (fault.message, fault.remedy) == ("is not a whole number", "write it like 1024 or 1,024")
