"""The app and a browser, started once for all tests of a process that only look; their address and tab."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[2]
START_S = 60
CHROMIUM_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_app(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """The app, answering on a port of this machine; its library and log lie under ``folder``."""
    settings = {"port": str(port), "address": "localhost", "headless": "true", "fileWatcherType": "none"}
    flags = [part for key, value in settings.items() for part in (f"--server.{key}", value)]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *flags]
    environment = {**os.environ, "FABRIC_PLANNER_HOME": str(folder / "home")}
    with (folder / "app.log").open("a") as log:
        app = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        _wait_until_up(f"http://localhost:{port}/_stcore/health", app)
    except BaseException:
        app.kill()
        raise
    return app


@contextmanager
def app_running(folder: Path) -> Iterator[str]:
    """The app on a free port of this machine, its library and log under ``folder``; its address."""
    port = free_port()
    app = start_app(folder, port)
    try:
        yield f"http://localhost:{port}/"
    finally:
        app.terminate()
        app.wait(timeout=30)


def _wait_until_up(url: str, app: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        assert app.poll() is None, "the app ended by itself"
        try:
            with urllib.request.urlopen(url, timeout=5) as reply:
                if reply.status == 200:
                    return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"the app was not up after {START_S} s")


@pytest.fixture(scope="session")
def address(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One app for the tests of a process; each test has a session and a draft of its own."""
    with app_running(tmp_path_factory.mktemp("app")) as found:
        yield found


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, headless=True, args=CHROMIUM_FLAGS)
        yield found
        found.close()


@pytest.fixture
def errors() -> Iterator[list[str]]:
    """What the browsers' consoles say of errors: it has to be nothing."""
    found: list[str] = []
    yield found
    assert found == []
