"""What launchers and container platforms put before each line changes no figure."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from planner.calibrate.launcher_prefixes import without_prefixes
from tests.calibrate.log_cases import RAW, codes, figures, labelled, read

STAMP = b"2026-11-30T01:02:03.123456789Z "
PREFIXES = {
    "srun --label, padded": b" 0: ",
    "pdsh": b"node-a01: ",
    "pdsh by address": b"10.0.0.17: ",
    "clush, a full name": b"gpu-1.rack_2.example.org: ",
    "mpirun 4 --tag-output": b"[1,0]<stdout>:",
    "mpirun 4 --timestamp-output": b"Mon Nov 30 01:02:03 2026[1,0]<stdout>:",
    "mpirun 5 --output tag": b"[1,0]<stdout>: ",
    "mpirun 5 --output tag-fullname": b"[prterun-node-a01-40211@1,0]<stdout>: ",
    "mpirun 5 --output tag-detailed": b"[prterun-node-a01-40211@1,0][node-a01:40213]<stdout>: ",
    "mpirun 5 --output tag,timestamp": b"2026-11-30 01:02:03.45 [1,0]<stdout>: ",
    "a hosted mpirun": b"[1,mpirank:0,algo-1]<stdout>:",
    "Hydra -prepend-rank": b"[0] ",
    "torchrun": b"[default0]:",
    "kubectl --timestamps": STAMP,
    "kubectl --prefix": b"[pod/nccl-launcher-x7/main] ",
    "kubectl --prefix --timestamps": b"[pod/nccl-launcher-x7/main] " + STAMP,
    "kubectl and mpirun": STAMP + b"[1,0]<stdout>:",
    "kubectl and pdsh": STAMP + b"node-a01: ",
    "a container runtime's file": STAMP + b"stdout F ",
    "compose": b"bench-1  | ",
    "journald": b"Nov 30 01:02:03 node-a01 bench[4711]: ",
    "journald, short-iso": b"2026-11-30T01:02:03+0100 node-a01 bench.service[4711]: ",
    "ts": b"Nov 30 01:02:03 ",
    "ts with a bracket": b"[2026-11-30 01:02:03] ",
}


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
@pytest.mark.parametrize("name", ["g1", "g2", "g7"])
def test_a_label_before_every_line_changes_no_figure(name: str, prefix: bytes) -> None:
    """Also where the label's trailing blank was cut off of lines with nothing else on them."""
    plain = figures(read(RAW[name]))
    long = labelled(RAW[name], prefix)
    assert (figures(read(long)), read(long).status) == (plain, "ok")
    cut = long.replace(prefix.rstrip() + b" \n", prefix.rstrip() + b"\n")
    assert (figures(read(cut)), read(cut).status) == (plain, "ok")


def test_a_container_s_json_file_changes_no_figure() -> None:
    lines = RAW["g1"].decode().split("\n")[:-1]
    entries = [{"log": f"{line}\n", "stream": "stdout", "time": "2026-11-30T01:02:03Z"} for line in lines]
    raw = "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in entries).encode()
    assert (figures(read(raw)), read(raw).status) == (figures(read(RAW["g1"])), "ok")


def test_lines_of_other_tasks_fall_between_the_rows() -> None:
    """Each task's lines are labelled; the others' debug output is no part of the first one's table."""
    lines = labelled(RAW["g1"], b" 0: ").split(b"\n")
    mixed = b"\n".join(
        line + (b"\n11: node-a02:7:8 [3] NCCL INFO comm 0x55 rank 11" if i % 3 == 0 else b"")
        for i, line in enumerate(lines)
    )
    assert (figures(read(mixed)), read(mixed).status) == (figures(read(RAW["g1"])), "ok")


@pytest.mark.parametrize(
    "label", [lambda i: b"%d: " % i, lambda i: b"node-a%02d: " % i], ids=["srun", "pdsh"]
)
def test_two_hosts_that_run_a_test_each_are_two_runs(label: Callable[[int], bytes]) -> None:
    """Line by line they alternate. Read as one table their rows would make one run of doubled rows."""
    streams = [labelled(RAW[name], label(i)).split(b"\n")[:-1] for i, name in enumerate(("g1", "g3"))]
    longest = max(map(len, streams))
    turns = [stream[i] for i in range(longest) for stream in streams if i < len(stream)]
    reading = read(b"\n".join([b"srun: job 17 has been allocated resources", *turns, b""]))
    assert (reading.status, figures(reading)) == (
        "ok",
        [*figures(read(RAW["g1"])), *figures(read(RAW["g3"]))],
    )


def test_a_word_before_a_colon_is_a_label_only_where_it_stands_before_a_table() -> None:
    texts = ["rccl-tests: Version develop:1", "step: 3, time: 2 s", "# size", "node-a01: Test NCCL failure x"]
    assert [line.text for line in without_prefixes(texts)] == texts
    failure = b"node-c01: Test NCCL failure common.cu:303 'unhandled system error / '"
    cut = b"\n".join([*RAW["g4"].split(b"\n")[:41], failure, b""])
    assert codes(cut) == [(42, "no_results")]
    assert codes(labelled(cut, b"node-c01: ")) == [(42, "no_results")]


@pytest.mark.parametrize("line", ["", " ", "[", '{"log":', '{"log":3}', '{"log":' + "[" * 3_000, "0: ", "x:"])
def test_odd_lines_are_left_as_they_are_or_emptied(line: str) -> None:
    (written,) = without_prefixes([line])
    assert written.text in (line, "")
