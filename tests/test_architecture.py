"""The rules that keep the tree readable: who may import whom, how long a file may be, what lies where."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {"README.md", "app.py", "data", "planner", "pricing", "pyproject.toml", "tests"}

# The house, from the ground up: a module imports from its own room and from those before it in this list.
ROOMS = (
    "pricing",
    "pricing.quotes",
    "planner.text",
    "planner.catalog",
    "planner.scenario",
    "planner.fabric",
    "planner.throughput",
    "planner.throughput.runs",
    "planner.cost",
    "planner.candidates",
    "planner.optimize",
    "planner.planning",
    "planner.check",
    "planner.study",
    "planner.decide",
    "planner.report",
    "planner.calibrate",
    "planner.library",
    "planner.jobs",
    "planner.charts",
    "planner.ui.content",
    "planner.ui.session",
    "planner.ui.views",
    "planner.ui.pages",
    "planner.cli",
)
DOORS = ("planner", "planner.__main__", "app")  # over all rooms
ONLY_IN = {
    "pulp": ("planner.optimize",),
    "highspy": ("planner.optimize",),
    "streamlit": ("planner.ui", "app"),
    "sqlalchemy": ("planner.library",),
    "altair": ("planner.charts", "planner.ui"),
}
MOST_FILES = 20  # of a room
PRODUCT_LINES, TEST_LINES, FUNCTION_LINES = 400, 400, 40


def product_files() -> list[Path]:
    packages = [path for name in ("planner", "pricing") for path in (ROOT / name).rglob("*.py")]
    return sorted([*packages, *ROOT.glob("app.py")])


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in product_files()}


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@cache
def imports(module: str) -> frozenset[str]:
    """The full names that a module imports, anywhere in it; a module of ours by its own name."""
    found: set[str] = set()
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: a relative import hides what is imported"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name for name in inner if name in MODULES} or {str(node.module)}
    return frozenset(found)


def room(module: str) -> str:
    """The room that a module lies in: the longest name that its own begins with."""
    if module in DOORS:
        return "doors"
    found = [name for name in ROOMS if module == name or module.startswith(f"{name}.")]
    return max(found, key=len, default="")


def inside(module: str, places: tuple[str, ...]) -> bool:
    return any(module == place or module.startswith(f"{place}.") for place in places)


def reached_from(module: str) -> set[str]:
    """Everything that a module imports, directly or through modules of ours."""
    reached: set[str] = set()
    waiting = [module]
    while waiting:
        for name in imports(waiting.pop()) - reached:
            reached.add(name)
            waiting += [name] if name in MODULES else []
    return reached


def test_every_module_lies_in_a_room() -> None:
    homeless = {m for m, path in MODULES.items() if not room(m) and path.name != "__init__.py"}
    assert homeless == set()


def test_imports_only_go_down() -> None:
    place = {name: position for position, name in enumerate((*ROOMS, "doors"))}
    upward = [
        f"{module} imports {name}"
        for module in MODULES
        if room(module)
        for name in sorted(imports(module))
        if name in MODULES and room(name) and place[room(name)] > place[room(module)]
    ]
    assert upward == []


def test_no_room_is_crowded() -> None:
    files = Counter(path.parent.relative_to(ROOT).as_posix() for path in MODULES.values())
    assert {name: number for name, number in files.items() if number > MOST_FILES} == {}


def test_the_package_itself_holds_only_its_doors() -> None:
    here = {path.name for path in (ROOT / "planner").iterdir() if path.is_file()}
    assert here == {"__init__.py", "__main__.py", "py.typed"}


def test_no_module_imports_itself_through_others() -> None:
    graph = {module: {name for name in imports(module) if name in MODULES} for module in MODULES}
    assert set(TopologicalSorter(graph).static_order()) == set(MODULES)


@pytest.mark.parametrize("library", ONLY_IN)
def test_solver_and_page_libraries_stay_in_their_corner(library: str) -> None:
    users = {m for m in MODULES for name in imports(m) if name.split(".")[0] == library}
    assert {module for module in users if not inside(module, ONLY_IN[library])} == set()


def test_the_checker_cannot_reach_what_it_checks() -> None:
    reached = {name for m in MODULES if room(m) == "planner.check" for name in reached_from(m)}
    judged = ("pulp", "highspy", "planner.candidates", "planner.optimize", "planner.planning")
    assert {name for name in reached if inside(name, judged)} == set()


def test_prices_know_nothing_of_the_planner() -> None:
    reached = {name for m in MODULES if m.startswith("pricing") for name in reached_from(m)}
    assert {name for name in reached if name.split(".")[0] in ("planner", "app")} == set()


def test_charts_are_made_without_the_page() -> None:
    reached = {name for m in MODULES if room(m) == "planner.charts" for name in reached_from(m)}
    assert not any(name.startswith("streamlit") for name in reached)


# Modules that product code does not import: they are started.
STARTED = {
    "planner.cli.main": "the console script",
    "planner.jobs.worker": "python -m, by the pool",
    "planner.throughput.runs.fit": "python -m, by hand",
}

# Public names that product code does not use, each with its reason.
KEPT = {
    f"planner.report.answer_frames.{name}": "a notebook's: what planner.plan answers with"
    for name in ("to_frame", "totals_frame", "to_json")
}


def test_every_module_is_used() -> None:
    used = {name for module in MODULES for name in imports(module)} | STARTED.keys() | set(DOORS)
    assert {m for m, path in MODULES.items() if m not in used and path.name != "__init__.py"} == set()


def names_used(node: ast.AST) -> Iterator[str]:
    """Names that a piece of code reads: variables, attributes, what is imported from a module."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr


def public_definitions(module: str) -> Iterator[tuple[str, ast.AST]]:
    """Functions and classes of a module, and methods, that others may use."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, node


def test_what_no_product_code_calls_is_gone() -> None:
    """By name: a function, class or method whose name is read nowhere but in itself."""
    everywhere = Counter(name for module in MODULES for name in names_used(tree(module)))
    unused = {
        f"{module}.{name}"
        for module in MODULES
        if module not in DOORS
        for name, node in public_definitions(module)
        if everywhere[name] == Counter(names_used(node))[name]
    }
    commands = {f"{m}.{n}" for m in MODULES if room(m) == "planner.cli" for n, _ in public_definitions(m)}
    assert unused - commands - KEPT.keys() == set()
    assert KEPT.keys() <= unused


def test_types_are_stated_and_not_claimed() -> None:
    """``cast`` tells mypy what nobody has checked. A row at fault is refused, so its word is never used."""
    claiming = {module for module in MODULES if "cast" in set(names_used(tree(module)))}
    assert claiming <= {"pricing.csv_rows"}


def test_the_flow_chart_of_the_readme_names_every_room() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    chart = readme.split("```mermaid")[1].split("```")[0]
    rooms = {name.removeprefix("planner.").split(".")[0] for name in ROOMS}
    assert {name for name in rooms if f"<b>{name}</b>" not in chart} == set()


def test_documents_name_files_that_are_there() -> None:
    """README, .github and docstrings of rooms would otherwise age unseen."""
    documents = [ROOT / "README.md", *(ROOT / ".github").glob("*.md"), ROOT / "data" / "mathematics.md"]
    named = re.compile(r"`((?:planner|pricing|data|tests|\.ci|\.github)/[\w./-]+)`|\]\(([\w./-]+\.md)\)")
    missing = {
        f"{path.name}: {inside or linked}"
        for path in documents
        for inside, linked in named.findall(path.read_text(encoding="utf-8"))
        if not (ROOT / inside if inside else path.parent / linked).exists()
    }
    assert missing == set()


def test_examples_are_new_at_each_run_and_pages_are_waited_for() -> None:
    """The seed is the run's (tests/conftest.py); a fixed sleep is either too short or too long."""
    told = re.compile(r"derandomize=True|@seed\(|wait_for_timeout\(")
    allowed = {"conftest.py", "test_architecture.py"}
    found = {
        f"{path.name}: {line.strip()}"
        for path in (ROOT / "tests").rglob("*.py")
        if path.name not in allowed
        for line in path.read_text(encoding="utf-8").splitlines()
        if told.search(line)
    }
    assert found == set()


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_product_files_hold_one_idea() -> None:
    assert {m: lines(path) for m, path in MODULES.items() if lines(path) > PRODUCT_LINES} == {}


def test_test_files_are_short() -> None:
    lengths = {
        p.name: len(p.read_text(encoding="utf-8").splitlines()) for p in (ROOT / "tests").rglob("*.py")
    }
    assert {name: length for name, length in lengths.items() if length > TEST_LINES} == {}


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from the first after the signature to the last; a docstring is not counted."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    first = body[0].lineno if body else function.lineno
    return (function.end_lineno or first) - first + 1


def test_functions_fit_on_a_screen() -> None:
    long = {
        f"{module}.{function.name}": length(function)
        for module, path in MODULES.items()
        for function in functions(path)
        if length(function) > FUNCTION_LINES
    }
    assert long == {}


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


def test_files_are_opened_in_one_place() -> None:
    """To read one is ``pricing.guarded_files``'; reports and kept price lists are written by two others."""
    touching = re.compile(
        r"(?<!os\.)\bopen\(|\b(?:read_text|write_text|read_bytes|write_bytes|read_csv|read_excel)\("
    )
    users = {m for m, path in MODULES.items() if touching.search(path.read_text(encoding="utf-8"))}
    writers = {"planner.report.write_files", "pricing.quotes.files"}
    assert users - writers == {"planner.optimize.solve"}  # the null device
    assert {module for module in MODULES if "pricing.guarded_files" in imports(module)} == {
        "pricing.csv_rows", "pricing.price_files", "pricing.quotes.files", "planner.catalog.data_files",
        "planner.scenario.load", "planner.scenario.document_reader", "planner.throughput.constants",
        "planner.throughput.runs.columns", "planner.throughput.runs.rows", "planner.calibrate.log_reader",
        "planner.optimize.solve", "planner.cli.inputs", "planner.cli.main", "planner.cli.plan",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("call", "places"),
    [
        ("tomllib.loads(", {"planner.text.toml_document", "planner.scenario.faults"}),  # text; one parsed key
        ("click.echo(", {"planner.cli.output", "planner.cli.progress", "planner.cli.plan"}),  # plan: JSON
    ],
)
def test_what_guards_a_call_is_the_only_one_to_make_it(call: str, places: set[str]) -> None:
    """A text that is parsed may be a bomb; a line that is printed may hold what a terminal obeys."""
    assert {m for m, path in MODULES.items() if call in path.read_text(encoding="utf-8")} == places
