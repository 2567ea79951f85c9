"""The table of constants: bands, families, and that the model takes every row."""

from __future__ import annotations

import ast
from dataclasses import fields, replace
from pathlib import Path

import pytest

import planner.throughput
from planner.throughput.constants import (
    AcceleratorFigures,
    Constants,
    accelerator_figures,
    constants_of,
    load_constants,
    read_rows,
    with_values,
)
from tests.throughput.cases import (
    CONSTANTS,
)


def test_constants_have_bands_and_families() -> None:
    assert CONSTANTS.rows["kappa"].low < CONSTANTS.kappa < CONSTANTS.rows["kappa"].high
    assert accelerator_figures(CONSTANTS, "a100-40gb").busbw_gbytes_per_s == 229.0
    assert accelerator_figures(CONSTANTS, "h800").busbw_gbytes_per_s is None  # its NVLink is cut down


def test_a_constant_outside_its_band_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "bad.csv"
    table.write_text("key,value,low,high,unit,source,date,grade,note\nkappa,2,0,1,ratio,x,2026,guess,\n")
    with pytest.raises(ValueError, match="kappa"):
        read_rows(table)


def test_the_model_takes_every_constant() -> None:
    """A row that no formula reads is dead weight with a source: each field is used somewhere."""
    room = Path(planner.throughput.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in room.rglob("*.py")}
    code = "\n".join(text for path, text in texts.items() if path.name != "constants.py")
    figures = [field.name for field in fields(AcceleratorFigures)]
    unused = [name for name in figures if f"figures.{name}" not in code]
    unused += [f.name for f in fields(Constants) if f"constants.{f.name}" not in code]
    assert [name for name in unused if name != "accelerators"] == []


def test_a_row_too_many_or_too_few_is_refused() -> None:
    rows = CONSTANTS.rows
    with pytest.raises(ValueError, match="no row of kappa, ecmp_z"):
        constants_of({key: row for key, row in rows.items() if key not in ("kappa", "ecmp.z")})
    strange = replace(rows["kappa"], key="kapa")
    for key in ("kapa", "roce.efficency", "a101.attention"):
        with pytest.raises(ValueError, match=f"no constant of the model: {key}"):
            constants_of({**rows, key: strange})


def test_another_value_leaves_the_others_and_the_shipped_ones() -> None:
    tried = with_values(CONSTANTS, {"kappa": 0.5, "a100.attention_2023": 0.1})
    assert (tried.kappa, tried.elementwise_passes) == (0.5, CONSTANTS.elementwise_passes)
    assert accelerator_figures(tried, "a100-40gb").attention_2023 == 0.1
    assert load_constants().kappa == CONSTANTS.kappa != 0.5
    assert (tried.rows["kappa"].value, tried.rows["kappa"].high) == (0.5, CONSTANTS.rows["kappa"].high)


def test_nothing_below_the_doors_loads_constants() -> None:
    """A formula that loaded them itself would not see what a fit or a test bed puts in their place."""
    room = Path(str(planner.throughput.__file__)).parent
    calling = {path.name for path in room.glob("*.py") if "load_constants()" in code_of(path)}
    assert calling == {"constants.py"}  # which defines it


def code_of(path: Path) -> str:
    """A module without its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)
