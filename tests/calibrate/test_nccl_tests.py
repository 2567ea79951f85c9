"""nccl-tests logs: debug output between the rows, and damage that the arithmetic shows."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.calibrate.log_cases import LOGS, RAW, codes, figures, read, replaced


def test_all_eight_samples_are_there() -> None:
    assert [path.stem[:2] for path in LOGS] == [f"g{i}" for i in range(1, 9)]


@pytest.mark.parametrize("name", RAW)
@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw.replace(b"\n", b"\r\n"),
        lambda raw: b"\xef\xbb\xbf" + raw,
        lambda raw: b"\n".join(b"[1,0]<stdout>:" + line for line in raw.split(b"\n")),
        lambda raw: b"\n".join(b"2026-11-30T01:02:03.4Z " + line for line in raw.split(b"\n")),
        lambda raw: b"\x1b[0m" + raw.replace(b"\n", b"\x1b[0m\n"),
        lambda raw: raw.decode().encode("utf-16"),
    ],
    ids=["crlf", "bom", "mpirun", "kubectl", "ansi", "utf-16"],
)
def test_what_launchers_do_to_lines_changes_no_figure(name: str, change: Any) -> None:
    assert figures(read(change(RAW[name]))) == figures(read(RAW[name]))
    assert read(change(RAW[name])).status == "ok"


def test_columns_are_found_by_heading() -> None:
    """-I 1 adds columns to each half; here busbw also stands before algbw."""
    table = b"""# nThread 1 nGpus 8 minBytes 1024 maxBytes 1024 step: 2(factor) warmup iters: 1 validation: 1
#  Rank  0 Group  0 Pid 7 on n1 device 0 [0x1b] H100
#  Rank  1 Group  0 Pid 8 on n2 device 0 [0x1b] H100
#       size         count      type   redop    root     time   busbw   algbw #wrong  i_min  i_max     time
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)           (us)   (us)     (us)
"""
    head = table.replace(b"  i_max     time\n", b"  i_max  time busbw algbw #wrong i_min i_max\n")
    row = b"  1000000 250000 float sum -1 100.0 10.00 10.00 0 99.0 101.0 50.00 20.00 20.00 0 49.0 51.0\n"
    tail = b"# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 15\n"
    reading = read(head + row + tail)
    assert (reading.status, reading.runs[0]["nodes"], reading.runs[0]["collective"]) == ("ok", 2, None)
    half = reading.runs[0]["rows"][0]["in_place"]
    assert half == {"time_us": 50.0, "algbw_gbytes_per_s": 20.0, "busbw_gbytes_per_s": 20.0, "wrong": 0}


def test_not_validated_is_not_zero_errors() -> None:
    """-c 0 prints N/A in both halves."""
    raw = re.sub(rb" 0(?=    |\n)", b" N/A", RAW["g1"].replace(b"validation: 1", b"validation: 0"))
    raw = raw.replace(b"values : N/A OK", b"values : 0 OK")
    run = read(raw).runs[0]
    assert run["validation"] is False
    assert run["rows"][0]["out_of_place"]["wrong"] is None


def test_debug_output_within_a_row_twice() -> None:
    row = b"     4194304       1048576     float     sum      -1    68.36   61.36  115.04      0    68.14"
    cut = b"     4194304       1048576     float     sum      -1"
    noise = b"node-a02:41337:41392 [0] NCCL INFO Channel 1 2 3"
    split = RAW["g1"].replace(
        row,
        cut
        + noise
        + b"\n    68.36   61.36  115.04      0"
        + b"[2026-11-30 01:02:03] "
        + noise
        + b"\n    68.14",
    )
    reading = read(split)
    assert figures(reading) == figures(read(RAW["g1"]))
    assert [
        r["continued_on_line"] - r["line"] for r in reading.runs[0]["rows"] if "continued_on_line" in r
    ] == [2]


def test_the_command_line_names_the_collective() -> None:
    raw = b"$ mpirun -np 16 ./build/all_reduce_perf -b 8 -e 1G -f 2\n" + RAW["g1"]
    run = read(raw).runs[0]
    assert (run["collective"], run["collective_from"]) == ("all_reduce", "command line")


def test_a_log_cut_within_a_row() -> None:
    raw = (
        b"\n".join(RAW["g1"].split(b"\n")[:39])
        + b"\n      262144         65536     float     sum      -1    47.9"
    )
    assert codes(raw) == [(40, "truncated_row"), (40, "missing_footer")]
    reading = read(raw)
    assert (reading.status, len(reading.runs[0]["rows"]), reading.runs[0]["complete"]) == (
        "partial",
        15,
        False,
    )
    assert reading.runs[0]["rows"][-1]["size_bytes"] == 131072


def test_decimal_commas_are_refused_by_row() -> None:
    raw = RAW["g1"].replace(b"   130.7  128.33  240.62", b"   130,7  128,33  240,62")
    assert codes(raw) == [(46, "decimal_comma")]
    assert len(read(raw).runs[0]["rows"]) == 27


def test_wrong_values_fail_the_log_at_the_summary() -> None:
    raw = RAW["g1"].replace(b"Out of bounds values : 0 OK", b"Out of bounds values : 3 FAILED")
    assert codes(raw) == [(53, "validation_failed")]
    assert read(raw).runs[0]["out_of_bounds"] == 3


def test_wrong_values_are_told_at_their_own_row() -> None:
    """Only the summary's line was told, which does not say at which size the data was corrupted."""
    row = b"   130.7  128.33  240.62      0"
    assert RAW["g1"].count(row) == 1
    raw = RAW["g1"].replace(row, row[:-1] + b"7")
    assert codes(raw) == [(46, "validation_failed")]  # also where the summary does not count it
    counted = raw.replace(b"Out of bounds values : 0 OK", b"Out of bounds values : 7 FAILED")
    assert codes(counted) == [(46, "validation_failed"), (53, "validation_failed")]
    assert "7 wrong values: data was corrupted" in read(counted).diagnostics[0].message


def test_a_lost_row_shows_in_the_average() -> None:
    lines = RAW["g1"].split(b"\n")
    raw = b"\n".join(lines[:44] + lines[45:])
    assert codes(raw) == [(53, "validation_failed")]


def test_tables_of_one_rank_are_refused() -> None:
    """Built without MPI: each process prints a table of its own, with a bus bandwidth of 0."""
    lines = [line for line in RAW["g1"].split(b"\n") if not re.match(rb"#  Rank +[1-9]", line)]
    assert codes(b"\n".join(lines)) == [(4, "no_results")]


def test_a_failed_test_names_the_line_of_the_failure() -> None:
    lines = RAW["g4"].split(b"\n")[:41]
    failure = b"node-c01: Test NCCL failure common.cu:303 'unhandled system error / '"
    assert codes(
        b"\n".join([*lines, failure, b" .. node-c01 pid 41200: Test failure common.cu:585", b""])
    ) == [(42, "no_results")]


@settings(max_examples=150)
@given(st.sampled_from(["g1", "g2", "g3", "g4"]), st.data())
def test_a_changed_digit_of_a_size_or_count_is_noticed(name: str, data: st.DataObject) -> None:
    """Size is count x type, once or once a rank."""
    raw = RAW[name]
    lines = raw.split(b"\n")
    rows = [row for row in read(raw).runs[0]["rows"] if row["size_bytes"] and "continued_on_line" not in row]
    row = data.draw(st.sampled_from(rows))
    text = lines[row["line"] - 1]
    cell = data.draw(st.sampled_from(list(re.finditer(rb"\S+", text))[:2]))
    at = data.draw(st.integers(cell.start(), cell.end() - 1))
    digit = data.draw(st.sampled_from([d for d in b"0123456789" if d != text[at]]))
    changed = replaced(raw, row["line"], text[:at] + bytes([digit]) + text[at + 1 :])
    assert read(changed).status == "partial"
    assert row["line"] in [fault.line for fault in read(changed).diagnostics]
