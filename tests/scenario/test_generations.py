"""[[growth]] rows with a server of their own at the door: every fault at once; written and compared."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from planner.catalog.sources import load_sources
from planner.cli.main import main
from planner.library.differences import differences, in_words
from planner.scenario.faults import ScenarioError
from planner.scenario.load import scenario_from_document, scenario_from_text
from planner.scenario.write import dump_document
from tests.support.generations_case import Row, scenario_of, sources, text_of
from tests.support.making import Box, toml

FOUR, FAST = Box("four", 4, 1000.0), Box("fast", 4, 500.0, gbps=200)
FIRST = {"year": 2027, "gpus": 2}


def faults(*rows: dict[str, Any], **asked: Any) -> dict[str, str]:
    with pytest.raises(ScenarioError) as refused:
        scenario_of([FIRST, *rows], [FOUR, FAST], **asked)
    return {f.key: f"{f.message}; {f.remedy}" for f in refused.value.faults}


def shipped(*rows: dict[str, Any], **asked: Any) -> dict[str, str]:
    """The faults of a scenario over the shipped catalog, that begins with 1,024 GPUs in dgx-h100."""
    growth = [{"year": 2027, "gpus": 1024}, *rows]
    head = {"schema": 1, "name": "x", "base_year": 2027, "cluster": {"server": "dgx-h100"}, "growth": growth}
    try:
        scenario_from_text(toml({**head, **asked}), load_sources(), "x.toml")
    except ScenarioError as refused:
        return {f.key: f"{f.message}; {f.remedy}" for f in refused.faults}
    return {}


def test_every_fault_of_the_rows_is_said_at_once() -> None:
    found = faults(
        {"year": 2028, "gpus": 4, "server": "nod-200"},
        {"year": 2029, "gpus": 4, "server": "node-b"},
        {"year": 2030, "gpus": 8, "server": "node-200", "link_gbps": 300},
    )
    assert set(found) == {"growth[2].server", "growth[3].gpus", "growth[4].link_gbps"}
    assert "node-200" in found["growth[2].server"]
    assert "adds no GPUs" in found["growth[3].gpus"] and "more than 4" in found["growth[3].gpus"]


def test_the_first_row_is_of_the_cluster_s_own_server() -> None:
    with pytest.raises(ScenarioError) as refused:
        scenario_of([{**FIRST, "server": "node-b", "link_gbps": 200}], [FOUR, FAST])
    assert {f.key for f in refused.value.faults} == {"growth[1].server", "growth[1].link_gbps"}


def test_what_couples_islands_is_refused_and_kept_where_they_are_joined() -> None:
    """A cap on the money of a year binds both islands: planned one by one each would spend all of it."""
    asked: dict[str, Any] = {
        "constraints": {"capex_usd_per_year": 1e9, "network_power_kw": 9.0, "rack_units": 90},
        "wan": {"sites": 2, "link_gbps": 100, "round_trip_ms": 1.0},
    }
    row = {"year": 2029, "gpus": 6, "server": "node-b"}
    keys = {"constraints.capex_usd_per_year", "constraints.network_power_kw", "constraints.rack_units"}
    assert set(faults(row, **asked)) == {*keys, "wan.sites"}
    scenario_of([FIRST, row], [FOUR, FAST], fabric={"join_generations": True}, **asked)


def test_storage_ports_in_all_belong_to_no_island() -> None:
    storage = {"storage_fabric": {"server_ports": 8}}
    assert "storage_fabric.server_ports" in shipped(
        {"year": 2029, "gpus": 2048, "server": "dgx-b300"}, **storage
    )


def test_a_generation_has_room_for_a_copy_of_the_model() -> None:
    job = {"workload": {"tensor_parallel": 2, "pipeline_parallel": 1}}
    found = faults({"year": 2029, "gpus": 3, "server": "node-200"}, **job)
    assert "adds 1 GPU as an island, where one copy of the model takes 2" in found["growth[2].gpus"]


def test_planes_and_precision_hold_for_every_server() -> None:
    """A GB200 tray has 4 NIC ports, which 8 planes do not divide; an A100 has no fp8."""
    rows = {"year": 2029, "gpus": 2048, "server": "gb200-nvl72"}
    assert "8 planes" in shipped(rows, fabric={"planes": 8})["growth[2].server"]
    a100 = {"year": 2029, "gpus": 2048, "server": "dgx-a100"}
    assert "fp8" in shipped(a100, workload={"precision": "fp8"})["growth[2].server"]


def test_generations_with_other_ends_cannot_be_joined() -> None:
    """The differences by name: a DGX B300 has 800G ports in single cages; the B200 another frontend rate."""
    join = {"fabric": {"join_generations": True}}
    b300 = shipped({"year": 2029, "gpus": 2048, "server": "dgx-b300"}, **join)["growth[2].server"]
    for words in (
        "Gb/s a NIC port 800, there 400",
        "NIC cage osfp-flat-4x200",
        "ports a NIC cage 1, there 2",
    ):
        assert words in b300
    b200 = {"year": 2029, "gpus": 2048, "server": "dgx-b200"}
    assert "frontend ports 2 x 400G, there 2 x 200G" in shipped(b200, **join)["growth[2].server"]
    assert shipped(b200, **join, frontend_fabric={"enabled": False}) == {}
    assert shipped({"year": 2029, "gpus": 2048, "server": "dgx-h200"}, **join) == {}


def test_joined_generations_share_no_node() -> None:
    """1,020 GPUs fill 127.5 nodes: the half of the last one could be of neither kind."""
    rows = [{"year": 2027, "gpus": 1020}, {"year": 2029, "gpus": 2048, "server": "dgx-h200"}]
    head = {"schema": 1, "name": "x", "base_year": 2027, "cluster": {"server": "dgx-h100"}, "growth": rows}
    with pytest.raises(ScenarioError) as refused:
        scenario_from_text(toml({**head, "fabric": {"join_generations": True}}), load_sources(), "x.toml")
    assert [f.key for f in refused.value.faults] == ["growth[1].gpus"]


def test_the_new_keys_are_written_as_they_were_read() -> None:
    rows: list[Row] = [FIRST, {"year": 2029, "gpus": 5, "server": "node-200", "link_gbps": 200}]
    document = tomllib.loads(text_of(rows, [FOUR, FAST], fabric={"join_generations": False}))
    assert tomllib.loads(dump_document(document)) == document
    first, second = scenario_of(rows, [FOUR, FAST]).generations
    assert (first.server.id, second.server.id, second.fabric.link_gbps) == ("node", "node-200", (200,))
    assert scenario_from_document(document, sources(), "by-hand.toml").generations == (first, second)


def test_versions_are_compared_in_words() -> None:
    plain = {"growth": [FIRST, {"year": 2029, "gpus": 5}]}
    other = {"growth": [FIRST, {"year": 2029, "gpus": 5, "server": "node-200", "link_gbps": 200}]}
    (found,) = differences(plain, other)
    assert in_words(found) == "growth 2029: 5 GPUs, server node-200, link_gbps 200 instead of 5 GPUs"


def test_check_names_the_islands(tmp_path: Path) -> None:
    head = {"schema": 1, "name": "x", "base_year": 2027, "cluster": {"server": "dgx-h100"}}
    rows = [{"year": 2027, "gpus": 1024}, {"year": 2029, "gpus": 3072, "server": "dgx-b300"}]
    file = tmp_path / "ask.toml"
    file.write_text(toml({**head, "growth": rows}), encoding="utf-8")
    said = CliRunner().invoke(main, ["check", str(file)]).output
    assert "island 1: DGX H100 at 400G from 2027: 1,024 GPUs in 2027" in said
    assert "island 2: DGX B300 at 800G from 2029: 2,048 GPUs in 2029" in said
