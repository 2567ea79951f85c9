"""Names and cells that a terminal would obey never reach it raw: of scenarios, files, price lists, logs."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planner.cli.main import main
from planner.text import log
from planner.text.terminal import is_plain, one_line, terminal_text

HOSTILE = "a\x1b[2J\x9b31m\u202e\rb"
SCENARIO = """schema = 1
name = {}
base_year = 2027
[cluster]
server = "dgx-h100"
[[growth]]
year = 2027
gpus = 64
"""
BOOK = (
    "sku,item_class,description,manufacturer,unit,currency,low_usd,mid_usd,high_usd,"
    "price_date,source,grade,note\n"
)
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]")


def of(*arguments: object) -> Result:
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert not isinstance(done.exception, Exception) or isinstance(done.exception, SystemExit)
    assert RAW.search(done.output) is None
    return done


@pytest.mark.parametrize("name", ['"a\\u001b[2Jb"', '"a\\nfake: no faults"', '"a\\u009b31m"', '"\\u202ea"'])
def test_a_name_that_a_terminal_would_obey_is_a_fault(tmp_path: Path, name: str) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO.format(name))
    said = of("check", tmp_path / "s.toml")
    assert said.exit_code == 2
    assert (
        "holds a line break or another control character; write it in one line of plain text" in said.output
    )
    assert "\nfake" not in said.output


def test_so_is_a_cell_of_a_price_book(tmp_path: Path) -> None:
    row = 'qm9700,switch,"two\nlines",NVIDIA,each,USD,1,1,1,2026,\x1b[2J,quote,\n'
    (tmp_path / "own.csv").write_text(BOOK + row)
    (tmp_path / "s.toml").write_text(SCENARIO.format('"a"') + '[prices]\nquotes = "own.csv"\n')
    said = of("check", tmp_path / "s.toml").output
    assert "column description: 'two\\nlines' holds a line break or another control character" in said
    assert "column source: '\\x1b[2J' holds" in said


@pytest.mark.parametrize("command", ["check", "calibrate", "estimate", "quotes"])
def test_the_name_of_a_file_is_said_without_what_it_holds(tmp_path: Path, command: str) -> None:
    path = tmp_path / f"{HOSTILE}\nfake.toml"
    more = ["--out", tmp_path / "out"] if command in ("calibrate", "estimate") else []
    for content in (None, "x\n"):
        if content:
            path.write_text(content)
        said = of(command, path, *more)
        assert said.exit_code != 0
        assert "a\\x1b[2J\\x9b31m\\u202e\\rb\\nfake.toml" in said.output
        assert "\nfake" not in said.output


def test_cells_of_a_price_list_stay_in_their_line(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(
        f'SKU,Price USD,Description\n"{HOSTILE}\nTaken (99):",100,x\nQM9700,5,y\n'
    )
    assert "\nTaken (99)" not in of("quotes", tmp_path / "list.csv").output


def test_half_characters_in_an_argument_are_no_traceback() -> None:
    assert "\\udcff" in of("check", "a\udcff.toml").output


def test_the_log_has_a_line_for_each_record(capsys: pytest.CaptureFixture[str]) -> None:
    record = logging.makeLogRecord({"msg": "of %s", "args": ("a\nINFO forged\x1b[2J",), "levelname": "INFO"})
    said = log.Formatter("%(levelname)s: %(message)s").format(record)
    assert said == "INFO: of a\\nINFO forged\\x1b[2J"


def test_what_is_plain_stays_as_it_is() -> None:
    text = "Größe 4 µm\t≤ 10 %, 中文"
    assert (one_line(text), terminal_text(f"{text}\n"), is_plain(text)) == (text, f"{text}\n", True)
    assert not is_plain("a\n")
