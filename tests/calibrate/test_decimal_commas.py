"""Tables with a decimal comma: read where every fraction has one, refused by row where a point stands too."""

from __future__ import annotations

import re

import pytest

from tests.calibrate.log_cases import RAW, codes, figures, labelled, read, replaced

TABLES = ("g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8")


def with_commas(raw: bytes) -> bytes:
    """As a tool prints in a locale of decimal commas: every figure of the table and below it."""
    at = re.search(rb"#\s+size |#bytes ", raw)
    assert at is not None
    figure = rb"(?<![\w.,])(\d+)\.(\d+(?:e[+-]?\d+)?)(?=\s|node|$)"  # g2: a host's name is glued to one
    return raw[: at.start()] + re.sub(figure, rb"\1,\2", raw[at.start() :])


@pytest.mark.parametrize("name", TABLES)
def test_a_table_with_commas_alone_gives_the_same_figures(name: str) -> None:
    raw = with_commas(RAW[name])
    heading = 1 + next(i for i, line in enumerate(raw.split(b"\n")) if re.search(rb"#\s+size |#bytes ", line))
    assert codes(raw) == [(heading, "decimal_comma")]
    assert (read(raw).status, figures(read(raw))) == ("ok", figures(read(RAW[name])))


@pytest.mark.parametrize("name", ["g1", "g5", "g7"])
def test_one_fraction_with_a_point_refuses_the_others_by_row(name: str) -> None:
    """Then a comma may be a slip, or a mark of thousands."""
    raw = with_commas(RAW[name])
    row = read(RAW[name]).runs[0]["rows"][-1]["line"]
    mixed = replaced(raw, row, RAW[name].split(b"\n")[row - 1])
    found = codes(mixed)
    assert (row, "decimal_comma") not in found
    assert (row - 1, "decimal_comma") in found
    assert not read(mixed).usable


def test_a_comma_that_marks_thousands_is_not_taken_for_a_point() -> None:
    """ "12,345" us for 12.345: the bandwidth of the row says that it is not."""
    raw = with_commas(RAW["g1"])
    row = read(RAW["g1"]).runs[0]["rows"][-1]
    line = raw.split(b"\n")[row["line"] - 1]
    time = f"{row['out_of_place']['time_us']:g}".encode().replace(b".", b",")
    changed = replaced(raw, row["line"], line.replace(time, time[:1] + b"," + time[1:].replace(b",", b""), 1))
    assert row["line"] in [line for line, _ in codes(changed)]


def test_commas_behind_a_launcher_s_label() -> None:
    raw = labelled(with_commas(RAW["g3"]), b" 0: ")
    assert (read(raw).status, figures(read(raw))) == ("ok", figures(read(RAW["g3"])))
