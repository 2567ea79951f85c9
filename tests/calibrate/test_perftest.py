"""perftest logs: what each year prints, and rows that are refused."""

from __future__ import annotations

from tests.calibrate.log_cases import RAW, codes, read, replaced


def test_a_last_figure_that_lost_its_tail_is_refused() -> None:
    """ "0.023482" cut to "0.0234" is still a figure."""
    raw = RAW["g5"][: RAW["g5"].index(b"0.023482") + 6]
    assert codes(raw) == [(39, "truncated_row"), (39, "missing_footer")]
    assert read(raw).runs[0]["rows"][-1]["size_bytes"] == 524288


def test_a_log_that_ends_after_a_row() -> None:
    raw = b"\n".join(RAW["g8"].split(b"\n")[:28]) + b"\n"
    assert codes(raw) == [(28, "missing_footer")]
    assert read(raw).status == "partial"


def test_a_lost_size_of_perftest() -> None:
    lines = RAW["g7"].split(b"\n")
    assert codes(b"\n".join(lines[:24] + lines[25:])) == [(25, "validation_failed")]


def test_a_counter_that_wrapped_is_refused() -> None:
    raw = replaced(RAW["g8"], 28, b" 1048576    1000             46148.98            -9.11\t\t     0.046046")
    assert codes(raw) == [(28, "validation_failed")]
    assert read(raw).runs == ()


def test_rates_in_an_unknown_unit_are_refused() -> None:
    assert codes(RAW["g6"].replace(b"[Gb/sec]", b"[GB/sec]")) == [(37, "no_results")]


def test_latency_tables_of_2015_and_of_duration_runs() -> None:
    lines = RAW["g7"].split(b"\n")[:17]
    old = [
        b" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]",
        b" 2   1000  1.68  3.91  1.73",
    ]
    rule = b"-" * 87
    row = read(b"\n".join([*lines, *old, rule, b""])).runs[0]["rows"][0]
    assert (row["t_typical_us"], row["t_avg_us"], row["t_p99_us"]) == (1.73, None, None)
    timed = [
        b" #bytes        #iterations       t_avg[usec]    tps average",
        b" 2   2936082   1.70   293606.34",
    ]
    row = read(b"\n".join([*lines, *timed, rule, b""])).runs[0]["rows"][0]
    assert (row["t_avg_us"], row["tps"], row["t_min_us"]) == (1.7, 293606.34, None)


def test_read_latency_is_the_whole_round_trip() -> None:
    run = read(RAW["g7"].replace(b"Send Latency Test", b"RDMA_Read Latency Test")).runs[0]
    assert (run["test"], run["latency_is"]) == ("ib_read_lat", "the whole round trip")
