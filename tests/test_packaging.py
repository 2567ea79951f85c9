"""The wheel holds everything that runs: it works where the checkout is not."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from planner.catalog.sources import load_sources
from planner.cli import plan
from planner.scenario.load import load_scenario

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's contents, built from this checkout without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(unpacked: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs Python beside the unpacked wheel, outside the checkout."""
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=unpacked.parent, env={**os.environ, "PYTHONPATH": str(unpacked)}, capture_output=True, text=True,
    )  # fmt: skip


def test_the_wheel_carries_every_data_file_and_the_app_byte_for_byte(unpacked: Path) -> None:
    kept = [path for path in (ROOT / "data").rglob("*") if path.is_file()]
    shipped = {path: unpacked / "planner" / "_data" / path.relative_to(ROOT / "data") for path in kept}
    assert len(kept) >= 8
    assert {path for path, copy in shipped.items() if copy.read_bytes() != path.read_bytes()} == set()
    for name in ("app.py", ".streamlit/config.toml"):
        assert (unpacked / "planner" / "_app" / name).read_bytes() == (ROOT / name).read_bytes()


def test_the_wheel_carries_every_module_its_types_and_nothing_else(unpacked: Path) -> None:
    for package in ("planner", "pricing"):
        modules = {path.relative_to(ROOT) for path in (ROOT / package).rglob("*.py")}
        shipped = {path.relative_to(unpacked) for path in (unpacked / package).rglob("*.py")}
        assert shipped - {Path("planner/_app/app.py")} == modules
        assert (unpacked / package / "py.typed").is_file()
    tops = {path.name for path in unpacked.iterdir() if not path.name.endswith(".dist-info")}
    assert tops == {"planner", "pricing"}


def test_the_unpacked_wheel_reads_its_own_data_and_app(unpacked: Path) -> None:
    shown = run(
        unpacked,
        "-c",
        "from planner.catalog.data_files import app_file, data_dir; print(data_dir(), app_file())",
    )
    here = unpacked / "planner"
    assert shown.stdout.split() == [str(here / "_data"), str(here / "_app" / "app.py")]


def test_a_shipped_scenario_is_planned_from_the_unpacked_wheel(unpacked: Path) -> None:
    shown = run(unpacked, "-m", "planner", "plan", "growth-16k", "--technology", "roce", "--json", "-")
    assert shown.returncode == 0, shown.stderr
    (technology,) = json.loads(shown.stdout)["technologies"]
    assert (technology["technology"], technology["status"]) == ("roce", "optimal")
    assert technology["years"][-1]["gpus"] == 16384


def test_each_dependency_has_both_bounds_and_a_stated_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for dependency in tomllib.loads(text)["project"]["dependencies"]:
        line = next(line for line in text.splitlines() if f'"{dependency}"' in line)
        assert ">=" in dependency and ",<" in dependency
        assert len(line.split("#", 1)[1].split()) >= 3


def test_the_readme_s_scenario_has_no_fault_and_its_commands_are_real(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "ask.toml").write_text(example, encoding="utf-8")
    assert [step.gpus for step in load_scenario(tmp_path / "ask.toml", load_sources()).growth] == [1024, 4096]
    options = {name for option in plan.plan.params for name in option.opts}
    shown = set(re.findall(r"(?<=[ `])--(?:technology|json|bom|lp|solver|time-limit)\b", readme))
    assert len(shown) == 6
    assert shown <= options


def test_the_readme_has_one_command_for_the_app_and_one_for_the_tests() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    commands = [line.split("&&")[-1].strip() for line in lines if line.startswith("python3 -m venv ")]
    assert commands == [".venv/bin/fabric-planner app", ".venv/bin/pytest -n auto --dist worksteal"]
