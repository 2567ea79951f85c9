"""The log: quiet by default; with -v what a refusal came of, on standard error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("flags", "logged"), [((), False), (("-v",), True), (("-vv",), True)])
def test_a_refusal_is_one_sentence_and_with_v_a_line_of_the_log(
    flags: tuple[str, ...], logged: bool, tmp_path: Path
) -> None:
    (tmp_path / "ask.toml").write_text("schema = 1\ngpu = 8\n")
    command = [sys.executable, "-m", "planner", *flags, "check", str(tmp_path / "ask.toml")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "name: is missing" in done.stderr
    assert ("INFO planner.cli.inputs: refused" in done.stderr) is logged
    assert ("Traceback" in done.stderr) is logged, "the exception behind the sentence"
