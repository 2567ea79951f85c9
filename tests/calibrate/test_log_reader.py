"""Logs of a test bed: read exactly, or refused with the line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.calibrate.log_lines import log_lines
from planner.calibrate.log_reader import FORMATS, read_log_file
from planner.calibrate.readings import Tool
from tests.calibrate.log_cases import LOGS, RAW, codes, figures, read


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_samples_are_read_as_their_json_says(path: Path) -> None:
    wanted = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    got = read_log_file(path).document()
    assert got == wanted
    assert json.dumps(got) == json.dumps(wanted)  # also 1 against 1.0, and the order of the keys


def test_two_runs_in_one_log() -> None:
    reading = read(RAW["g3"] + b"$ ./ib_write_bw -a\n" + RAW["g5"] + RAW["g1"])
    assert reading.status == "ok"
    assert [run.get("collective", run.get("test")) for run in reading.runs] == [
        "reduce_scatter", "ib_write_bw", "all_reduce",
    ]  # fmt: skip
    assert reading.runs[2]["rows"][0]["line"] == 29 + 1 + 43 + 25


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        (b"", [(0, "empty_file")]),
        (b"\n  \n", [(0, "empty_file")]),
        (b"\nConnecting to host a, port 5201\n[ 5] 0-1 sec 1.1 GBytes\n", [(2, "unsupported_tool")]),
        (b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 9, [(1, "unsupported_tool")]),
        (b"23436.53\n", [(1, "unsupported_tool")]),  # perftest --output=bandwidth: no unit
        (b"Couldn't connect to node-b:18515\n Unable to init the socket connection\n", [(1, "no_results")]),
    ],
    ids=["empty", "blank", "iperf", "binary", "bare-number", "no-connection"],
)
def test_what_is_no_log_of_these_tools_is_refused(raw: bytes, wanted: list[tuple[int, str]]) -> None:
    assert codes(raw) == wanted
    assert (read(raw).status, read(raw).runs) == ("error", ())


def test_bytes_that_are_no_text() -> None:
    noise = RAW["g2"].replace(b"Bootstrap: Using", b"Bootstrap: \xff\xfeUsing")
    assert (codes(noise), read(noise).status) == ([(24, "undecodable_line")], "ok")
    row = RAW["g1"].replace(b"    36.93", b"   \xff36.93")
    assert (codes(row), read(row).status) == ([(32, "undecodable_line")], "partial")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    reading = read_log_file(tmp_path / "none.log")
    assert (reading.status, [fault.code for fault in reading.diagnostics]) == ("error", ["unreadable_file"])
    assert read_log_file(tmp_path).status == "error"


@settings(max_examples=150)
@given(st.sampled_from(sorted(RAW)), st.data())
def test_a_cut_log_is_never_taken_for_whole(name: str, data: st.DataObject) -> None:
    raw = RAW[name]
    cut = raw[: data.draw(st.integers(0, len(raw)))]
    reading = read(cut)
    whole = figures(read(raw))
    if reading.status == "ok":
        assert figures(reading) == whole
    for run, full in zip(figures(reading), whole, strict=False):
        assert run["rows"] == full["rows"][: len(run["rows"])]  # and what was read before the cut is right


@settings(max_examples=150)
@given(st.sampled_from(sorted(RAW)), st.binary(max_size=40), st.data())
def test_any_bytes_anywhere_never_crash_the_reader(name: str, extra: bytes, data: st.DataObject) -> None:
    raw = RAW[name]
    first = data.draw(st.integers(0, len(raw)))
    after = data.draw(st.integers(first, min(len(raw), first + 300)))
    reading = read(raw[:first] + extra + raw[after:])
    assert reading.status in ("ok", "partial", "error")
    assert (reading.status == "error") == (not reading.runs)
    assert (reading.status == "ok") == (not any(f.severity == "error" for f in reading.diagnostics))
    json.dumps(reading.document(), allow_nan=False)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_log_carries_the_marks_of_one_format_alone(path: Path) -> None:
    """A format that marked another's lines would take its logs, whatever the order of the formats."""
    lines = log_lines(path.read_bytes())
    marked = {known.tool for known in FORMATS if any(known.marked(line.text) for line in lines)}
    assert marked == {run["tool"] for run in read_log_file(path).runs}
    assert len(marked) == 1


def test_every_format_has_a_name_of_its_own() -> None:
    assert sorted(known.tool for known in FORMATS) == sorted(get_args(Tool))
    assert len({known.said for known in FORMATS}) == len(FORMATS)
