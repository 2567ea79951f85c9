"""``import planner`` in a notebook: light, and what the README shows runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import planner
from planner.report.bom_table import BOM_COLUMNS

ROOT = Path(__file__).parents[1]
LAB = "seed-university-lab-64"


def test_the_readme_s_example_runs() -> None:
    """The block below the heading, as it stands there; the frames that it names have rows."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.split("## From a notebook", 1)[1].split("\n## ", 1)[0]
    (example,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    found: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), found)  # noqa: S102
    frames = [
        name for name in re.findall(r"^(\w+) = ", example, re.MULTILINE) if hasattr(found[name], "columns")
    ]
    assert frames
    assert all(len(found[name]) for name in frames)  # type: ignore[arg-type]


def test_a_year_is_a_row_and_its_money_is_the_answer_s() -> None:
    answer = planner.plan(planner.load(LAB), technologies=["roce"])
    frame = answer.to_frame()
    (result,) = answer.study.results
    assert set(frame["technology"]) == {"roce"}
    assert frame["year"].tolist() == [design.year for design in result.plan.designs]
    assert frame["capex_usd"].tolist() == [totals.capex_usd for totals in result.years]
    assert frame["effective_tflops"].tolist() == [e.effective_tflops for e in result.estimates]
    tiers = {tier: n for tier, _, n in result.plan.designs[0].tiers}
    row = frame.iloc[0]
    assert [row[f"{tier}_switches"] for tier in ("leaf", "spine", "core")] == [
        tiers.get(tier, 0) for tier in ("leaf", "spine", "core")
    ]
    assert answer.totals_frame()["tco_usd"].tolist() == [result.tco_usd]
    bom = answer.bom_frame()
    assert list(bom.columns) == [column.name for column in BOM_COLUMNS]
    assert bom["extended_price_usd"].sum() == pytest.approx(sum(y.network_capex_usd for y in result.years))
    assert json.loads(answer.to_json())["scenario"] == answer.study.scenario.name
    assert str(answer).startswith(answer.study.scenario.name)


def test_a_technology_without_a_design_has_a_reason_and_no_year(tmp_path: Path) -> None:
    """One tier of switches holds no 100,000 GPUs."""
    ask = tmp_path / "ask.toml"
    ask.write_text(
        'schema = 1\nname = "Too large"\nbase_year = 2027\n[cluster]\nserver = "hgx-h100"\n'
        "[[growth]]\nyear = 2027\ngpus = 100000\n[fabric]\nmax_tiers = 1\n"
    )
    answer = planner.plan(planner.load(ask), technologies=["infiniband"])
    assert answer.to_frame().empty
    (row,) = answer.totals_frame().to_dict("records")
    assert row["reason"]
    assert row["tco_usd"] is None


def test_words_that_are_not_known_are_refused() -> None:
    lab = planner.load(LAB)
    with pytest.raises(ValueError, match="unknown technology 'token-ring'; known: infiniband"):
        planner.plan(lab, technologies=["token-ring"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="unknown objective 'capex'"):
        planner.plan(lab, objective="capex")
    with pytest.raises(FileNotFoundError, match='did you mean "growth-16k"'):
        planner.load("growth-16")
    assert LAB in planner.shipped()


def test_the_door_is_light_and_quiet() -> None:
    """A room that is imported by its full name runs the door first; and a library prints nothing unasked."""
    code = (
        "import sys, planner, logging; "
        "slow = {'pandas', 'pulp', 'streamlit', 'altair', 'pydantic'} & set(sys.modules); "
        "logging.getLogger('planner.x').warning('quiet'); sys.exit(', '.join(slow) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
