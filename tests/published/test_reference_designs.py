"""Published fat-trees come out of ``plan`` exactly. Each row of reference_designs.csv names its source.

A row's scenario allows the row's switch only, one spine, no headroom, and one year. Where the published
design uses a switch that the catalog lacks, it is given as a switch of one's own.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from planner.study.result import FabricResult
from tests.support.making import NOTHING_BESIDE, shipped_plan, toml

TABLE = Path(__file__).with_name("reference_designs.csv")
ROOT = TABLE.parents[2]
ROWS = {row["case"]: row for row in csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines())}
BY_COMMAND = ("h100-superpod-3su", "b200-superpod-16su", "atop-rail-only-1024")


def document(row: dict[str, str]) -> dict[str, Any]:
    """The scenario of a row."""
    gbps, ports, generic = (
        int(row["endpoint_gbps"]),
        int(row["nic_ports_per_node"]),
        "generic" in row["switch"],
    )
    fabric: dict[str, Any] = {
        "technologies": ["roce" if generic else "infiniband"],
        "link_gbps": gbps,
        "planes": int(row["planes"]),
        "rail_optimised": row["rail_optimised"] == "true",
        "switches": [row["switch"]],
        "max_oversubscription": row["max_leaf_oversubscription"],
        "min_spines": 1,
        "bandwidth_headroom": 0.0,
    }
    if row["nodes_per_scalable_unit"]:
        fabric["nodes_per_scalable_unit"] = int(row["nodes_per_scalable_unit"])
    own = {
        "id": row["switch"], "technologies": ["roce"], "ports": int(row["radix"]), "port_gbps": gbps,
        "price_usd": 20000, "power_w": 700,
    }  # fmt: skip
    return {
        "schema": 1, "name": row["case"], "base_year": 2027,
        "cluster": {"server": "dgx-h100", "nic_ports_per_node": ports, "nic_port_gbps": gbps},
        "growth": [{"year": 2027, "gpus": 8 * int(row["nodes"])}],
        "fabric": fabric, "finance": {"horizon_years": 1}, **NOTHING_BESIDE,
        **({"switch": [own]} if generic else {}),
    }  # fmt: skip


def expected(row: dict[str, str]) -> dict[str, int]:
    columns = (
        "tiers",
        "leaf",
        "spine",
        "core",
        "links_endpoint_leaf",
        "links_leaf_spine",
        "links_spine_core",
    )
    return {column: int(row[column]) for column in columns}


def found(result: FabricResult) -> dict[str, int]:
    """The first year's counts, all planes together."""
    design = result.plan.designs[0]
    size, planes = design.size, design.wiring.planes
    return {
        "tiers": design.wiring.tiers,
        "leaf": size.leaves * planes,
        "spine": size.spines * planes,
        "core": size.cores * planes,
        "links_endpoint_leaf": size.endpoints * planes,
        "links_leaf_spine": size.leaf_spine_links * planes,
        "links_spine_core": size.spine_core_links * planes,
    }


def test_every_published_row_is_tested() -> None:
    assert len(ROWS) == 12 and set(BY_COMMAND) < set(ROWS)


@pytest.mark.parametrize("case", ROWS)
def test_plan_is_the_published_design(case: str) -> None:
    result = shipped_plan(document(ROWS[case]))
    assert (result.plan.status, result.plan.reason) == ("optimal", None)
    assert found(result) == expected(ROWS[case])


@pytest.mark.parametrize("case", BY_COMMAND)
def test_the_command_line_gives_the_published_design(case: str, tmp_path: Path) -> None:
    scenario, answer = tmp_path / "row.toml", tmp_path / "answer.json"
    scenario.write_text(toml(document(ROWS[case])), encoding="utf-8")
    command = [sys.executable, "-m", "planner", "plan", str(scenario), "--json", str(answer)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    year = json.loads(answer.read_text(encoding="utf-8"))["technologies"][0]["years"][0]
    topology = year["topology"]
    tier_count = {t: (topology[t] or {"count": 0})["count"] for t in ("leaf", "spine", "core")}
    links = {
        f"links_{layer}": year["links"][layer] for layer in ("endpoint_leaf", "leaf_spine", "spine_core")
    }
    assert {"tiers": topology["tiers"], **tier_count, **links} == expected(ROWS[case])
