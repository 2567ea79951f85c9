"""What the command line prints where it can't: a full disk, an encoding without the letters."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from planner.cli.app import _free_port
from planner.cli.inputs import InputError

FULL = Path("/dev/full")


def run(*arguments: str, redirect: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = 'exec "$0" -m planner "$@" ' + redirect
    return subprocess.run(
        ["bash", "-c", command, sys.executable, *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
def test_a_full_output_is_one_sentence() -> None:
    ended = run("list", "models", redirect="> /dev/full")
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [b"Error: the answer cannot be printed: No space left on device"]


def test_a_closed_output_is_no_traceback() -> None:
    ended = run("list", "models", redirect=">&-")
    assert b"Traceback" not in ended.stderr


def test_a_name_of_other_letters_is_printed_in_an_encoding_without_them(tmp_path: Path) -> None:
    text = 'schema = 1\nname = "机房 é"\nbase_year = 2027\n[cluster]\nserver = "dgx-h100"\n'
    file = tmp_path / "a.toml"
    file.write_text(f"{text}[[growth]]\nyear = 2027\ngpus = 64\n", encoding="utf-8")
    ended = run("check", str(file), PYTHONUTF8="0", LC_ALL="C", PYTHONIOENCODING="latin-1")
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"no faults. \\u673a\\u623f \xe9\n" in ended.stdout


def test_a_file_whose_name_is_no_utf_8_is_checked(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"\xff.toml")
    text = 'schema = 1\nname = "a"\nbase_year = 2027\n[cluster]\nserver = "dgx-h100"\n'
    file.write_text(f"{text}[[growth]]\nyear = 2027\ngpus = 64\n", encoding="utf-8")
    ended = run("check", str(file))
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"no faults" in ended.stdout


@pytest.mark.parametrize("address", ["::1", "127.0.0.1", "localhost"])
def test_addresses_of_both_kinds_are_served(address: str) -> None:
    if address == "::1" and not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    assert _free_port(None, address) >= 8501


@pytest.mark.parametrize("address", ["a" * 300, "1.2.3.4.5", "::g", "192.0.2.1"])
def test_an_address_of_no_machine_is_one_sentence(address: str) -> None:
    with pytest.raises(InputError, match="is no address of this machine"):
        _free_port(None, address)
