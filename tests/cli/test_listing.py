"""``fabric-planner list``: a newcomer finds every id, key and column that the planner reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.catalog.sources import load_sources
from planner.cli.listing import LISTS, table
from planner.cli.main import main
from planner.scenario.load import shipped_scenarios
from planner.scenario.sections import every_attribute
from planner.throughput.runs import rows as run_rows
from planner.throughput.runs.columns import COLUMNS, NEEDED
from planner.throughput.runs.rows import more_training_runs, training_runs

CATALOG = load_sources().catalog


def listed(what: str) -> list[str]:
    ran = CliRunner().invoke(main, ["list", what])
    assert ran.exit_code == 0, ran.output
    return ran.output.splitlines()


@pytest.mark.parametrize(
    ("what", "ids"),
    [
        ("servers", list(CATALOG.servers)), ("models", list(CATALOG.models)),
        ("switches", list(CATALOG.switches)), ("scenarios", list(shipped_scenarios())),
    ],
)  # fmt: skip
def test_every_id_stands_first_in_a_line(what: str, ids: list[str]) -> None:
    assert [line.split()[0] for line in listed(what)] == ids


def test_a_line_tells_what_the_id_stands_for() -> None:
    assert "dgx-h100     DGX H100                  8 GPUs a node  8 x 400 Gb/s" in listed("servers")
    assert any(re.fullmatch(r"gpt-1b3 .* 1\.3 billion parameters .*", line) for line in listed("models"))
    assert any(
        line.startswith("growth-16k ") and "16,384 GPUs in 2029" in line for line in listed("scenarios")
    )


def test_every_key_of_a_scenario_is_listed_with_its_default() -> None:
    lines = listed("keys")
    every = [f"{section.title()} {row.key}".strip() for section, row in every_attribute()]
    assert [line.split("  ")[0] for line in lines] == every
    headroom = r"\[fabric\] bandwidth_headroom +0\.2, fraction of each tier, analyst\. The share of .+ free\."
    assert any(re.fullmatch(headroom, line) for line in lines)
    assert any(re.fullmatch(r"\[fabric\] planes +by rule\. Separate, .+", line) for line in lines)


def test_every_column_that_estimate_reads_is_listed() -> None:
    """A column read but not listed is one that nobody would think of. Two words are those of software."""
    names = [name for name, _, _ in COLUMNS]
    assert len(names) == len(set(names))
    assert set(names) >= {column for row in (*training_runs(), *more_training_runs()) for column in row}
    of_software = {"overlap", "attention"}
    code = Path(str(run_rows.__file__)).read_text(encoding="utf-8")
    assert set(re.findall(r'(?:number|whole|_needed|_flag|_word)\(row, "(\w+)"', code)) <= {
        *names,
        *of_software,
    }
    assert [name for name, _, empty in COLUMNS if empty == NEEDED] == [
        "gpu", "layers", "hidden", "seq", "global_batch",
    ]  # fmt: skip
    assert [line.split()[0] for line in listed("run-columns")] == names


def test_what_is_not_known_names_the_lists() -> None:
    ran = CliRunner().invoke(main, ["list", "gpus"])
    assert ran.exit_code == 2
    assert "is not one of 'servers', 'models'" in ran.output
    assert all(what in ran.output for what in LISTS)


def test_columns_line_up() -> None:
    assert table([("a", "long"), ("bcd",)]) == "a    long\nbcd"
