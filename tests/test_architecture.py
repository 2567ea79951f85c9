"""The rules that keep the tree readable: who may import whom, how long a file may be, what lies where."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {"README.md", "app.py", "data", "planner", "pricing", "pyproject.toml", "tests"}

# A module imports from its own layer and those before it. A new module finds its layer by the first
# pattern that it meets; give it one where none does.
LAYERS = {
    "prices": "pricing pricing.*",
    "facts": """planner planner.resources planner.format planner.catalog* planner.sources planner.scenario*
        planner.calibration_file planner.finance planner.topology planner.design planner.throughput_types""",
    "fabrics": """planner.demand planner.cabling planner.panels planner.parts planner.frontier
        planner.frontier_set planner.pods planner.cost_bound planner.search planner.media planner.trunks
        planner.pairs planner.candidates planner.stem_table planner.switch_choice planner.recabling
        planner.cable_list""",
    "answers": """planner.optimize planner.optimize.* planner.costing planner.move_cost planner.throughput*
        planner.estimate_runs planner.run_rows planner.run_columns planner.run_words_file
        planner.training_runs_file planner.fit_throughput planner.spares planner.extras
        planner.operations_state planner.wide_link planner.headroom planner.tier_headroom
        planner.port_room planner.warnings_ports planner.limits planner.infeasible
        planner.ties planner.plan_years planner.bom planner.tco planner.ratio_* planner.grades
        planner.check* planner.generations""",
    "study": """planner.planning planner.spans planner.path* planner.worthwhile planner.least_cost
        planner.least_ratio planner.task planner.owned planner.myopic* planner.foresight planner.flip*
        planner.problem_of planner.panel_choice planner.side planner.warnings_for
        planner.breakeven planner.money_reports planner.unit_costs planner.equal_output planner.fixed_costs
        planner.recommendation planner.study* planner.islands planner.island_sums planner.island_ratio
        planner.calibrate planner.calibrate.* planner.quote_parts
        planner.report planner.report.* planner.library planner.library.* planner.compare*""",
    "doors": "planner.ui planner.ui.* planner.cli planner.cli_* planner.__main__",
    "app": "app",
}
ONLY_IN = {
    "pulp": ("planner.optimize", "planner.optimize.*"),
    "highspy": ("planner.optimize", "planner.optimize.*"),
    "streamlit": ("app", "planner.ui", "planner.ui.*"),
    "sqlalchemy": ("planner.library", "planner.library.*"),
    "altair": ("app", "planner.ui", "planner.ui.*"),
}
PRODUCT_LINES, TEST_LINES, FUNCTION_LINES = 300, 400, 40


def product_files() -> list[Path]:
    packages = [path for name in ("planner", "pricing") for path in (ROOT / name).rglob("*.py")]
    return sorted([*packages, *ROOT.glob("app.py")])


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in product_files()}


@cache
def imports(module: str) -> frozenset[str]:
    """The full names that a module imports, anywhere in it; a module of ours by its own name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: a relative import hides what is imported"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name for name in inner if name in MODULES} or {str(node.module)}
    return frozenset(found)


def layer(module: str) -> int:
    for position, patterns in enumerate(LAYERS.values()):
        if matches(module, tuple(patterns.split())):
            return position
    pytest.fail(f"{module} has no layer: add it to LAYERS")


def matches(module: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(module, pattern) for pattern in patterns)


def reached_from(module: str) -> set[str]:
    """Everything that a module imports, directly or through modules of ours."""
    reached: set[str] = set()
    waiting = [module]
    while waiting:
        for name in imports(waiting.pop()) - reached:
            reached.add(name)
            waiting += [name] if name in MODULES else []
    return reached


@pytest.mark.parametrize("module", MODULES)
def test_imports_only_go_down(module: str) -> None:
    ours = [name for name in imports(module) if name in MODULES]
    assert [name for name in ours if layer(name) > layer(module)] == []


def test_no_module_imports_itself_through_others() -> None:
    graph = {module: {name for name in imports(module) if name in MODULES} for module in MODULES}
    assert set(TopologicalSorter(graph).static_order()) == set(MODULES)


@pytest.mark.parametrize("library", ONLY_IN)
def test_solver_and_page_libraries_stay_in_their_corner(library: str) -> None:
    users = {m for m in MODULES for name in imports(m) if name.split(".")[0] == library}
    assert {module for module in users if not matches(module, ONLY_IN[library])} == set()


def test_the_checker_cannot_reach_the_solver() -> None:
    reached = reached_from("planner.check")
    assert {name for name in reached if name.startswith(("pulp", "highspy", "planner.optimize"))} == set()


def test_prices_know_nothing_of_the_planner() -> None:
    reached = {name for m in MODULES if m.startswith("pricing") for name in reached_from(m)}
    assert {name for name in reached if name.split(".")[0] in ("planner", "app")} == set()


def test_charts_are_made_without_the_page() -> None:
    assert not any(name.startswith("streamlit") for name in reached_from("planner.ui.charts"))


@pytest.mark.parametrize("path", product_files(), ids=module_name)
def test_product_files_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= PRODUCT_LINES


def test_test_files_are_short() -> None:
    lengths = {
        p.name: len(p.read_text(encoding="utf-8").splitlines()) for p in (ROOT / "tests").rglob("*.py")
    }
    assert {name: length for name, length in lengths.items() if length > TEST_LINES} == {}


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("path", product_files(), ids=module_name)
def test_functions_fit_on_a_screen(path: Path) -> None:
    """Counted from ``def`` to the end; a docstring is not counted."""
    lengths = {}
    for function in functions(path):
        body = function.body[1:] if ast.get_docstring(function) is not None else function.body
        first = body[0].lineno if body else function.lineno
        lengths[function.name] = (function.end_lineno or first) - first + 1
    assert {name: length for name, length in lengths.items() if length > FUNCTION_LINES} == {}


def tree_files(*which: str) -> list[Path]:
    """Files of the tree as ``git ls-files`` lists them; without git, what is no build product."""
    if shutil.which("git") and (ROOT / ".git").exists():
        command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", *which]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        names = [Path(name) for name in listed.stdout.split("\0") if name]
        return [name for name in names if (ROOT / name).is_file()]
    found = [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file()]
    return [p for p in found if "__pycache__" not in p.parts and not p.parts[0].startswith(".")]


def test_the_top_level_is_fixed_and_only_dotfiles_may_join_it() -> None:
    tracked = {name.parts[0] for name in tree_files() if not name.parts[0].startswith(".")}
    assert tracked <= TOP_LEVEL
    assert {name for name in TOP_LEVEL if not (ROOT / name).exists()} == set()


def test_no_file_names_a_place_on_somebody_s_machine() -> None:
    machine_path = re.compile(r"(?<![\w./:-])/(?:work|tmp|root|home|Users)/\w")
    found = []
    for name in tree_files("--cached", "--others", "--exclude-standard", "--", ".ci", *sorted(TOP_LEVEL)):
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture or another binary
        found += [f"{name}: {line.strip()[:80]}" for line in text.splitlines() if machine_path.search(line)]
    assert found == []


def test_only_loaders_and_doors_touch_files() -> None:
    """Who may touch files: loaders, the writer of reports, the command line, the pages' uploads."""
    loaders = (
        "pricing.csv_rows",
        "*_files",
        "*_file",
        "planner.resources",
        "planner.sources",
        "planner.throughput_constants",
    )
    doors = ("planner.report.files", "planner.cli", "planner.ui.*", "planner.optimize.*", "app")
    touching = re.compile(r"\b(?:open|read_text|write_text|read_bytes|write_bytes)\(")
    users = {m for m, path in MODULES.items() if touching.search(path.read_text(encoding="utf-8"))}
    assert {module for module in users if not matches(module, loaders + doors)} == set()
