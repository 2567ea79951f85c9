"""How fast the app is, in the browser: from a cold start to an answer, from an edit to the updated page.

Run by ``pytest tests/benchmarks/test_app_speed.py --benchmark-enable``. Goals for ``growth-16k`` on 2 cores:
3 s cold, 1 s after an edit, at most twice as long beside 5 sessions.
"""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.ui.conftest import CHROMIUM_FLAGS, app_running, free_port, start_app

COLD_ROUNDS, EDITS = 5, 25
THINKING_S = 10.0  # between two reruns of one of the other sessions
WAIT_MS = 60_000
READY = """before => {
  const table = document.querySelector('.fp-table tr.fp-main');
  const app = document.querySelector('[data-testid=stApp]');
  const still = app && app.getAttribute('data-test-script-state') === 'notRunning';
  const folds = [...document.querySelectorAll('summary')];
  const end = folds.some(fold => fold.innerText.includes('Assumptions, warnings'));
  return table && still && end && table.closest('table').innerText !== before;
}"""
TABLE = "() => document.querySelector('.fp-table').innerText"


@pytest.fixture(autouse=True)
def only_when_asked_for(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("benchmark_enable"):
        pytest.skip("a benchmark; --benchmark-enable runs it")


@pytest.fixture
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, headless=True, args=CHROMIUM_FLAGS)
        yield found
        found.close()


def shown(tab: Page, before: str = "") -> str:
    """Waits for an answer other than the one before, with the page at rest; its table."""
    tab.wait_for_function(READY, arg=before, polling="raf", timeout=WAIT_MS)
    return str(tab.evaluate(TABLE))


def told(benchmark: Any) -> None:
    """p50 and p95 beside what the benchmark prints of itself."""
    assert benchmark.stats is not None
    times = sorted(benchmark.stats.stats.data)
    p50, p95 = times[len(times) // 2], times[min(len(times) - 1, round(0.95 * (len(times) - 1)))]
    benchmark.extra_info |= {"p50_s": round(p50, 3), "p95_s": round(p95, 3), "n": len(times)}
    print(f"\n{benchmark.name}: p50 {p50:.2f} s, p95 {p95:.2f} s of {len(times)}")


def test_a_cold_start_to_the_first_full_answer(benchmark: Any, browser: Browser, tmp_path: Path) -> None:
    running: list[tuple[subprocess.Popen[bytes], Page]] = []

    def start() -> None:
        port = free_port()
        app, tab = start_app(tmp_path, port), browser.new_page()
        running.append((app, tab))
        tab.goto(f"http://localhost:{port}/?shipped=growth-16k")
        shown(tab)

    def end() -> None:
        app, tab = running.pop()
        tab.close()
        app.terminate()
        app.wait(timeout=30)

    benchmark.pedantic(start, teardown=end, rounds=COLD_ROUNDS)
    told(benchmark)


@pytest.mark.parametrize("others", [0, 5, 20])
def test_an_edit_to_the_updated_page(benchmark: Any, browser: Browser, tmp_path: Path, others: int) -> None:
    with app_running(tmp_path) as address, sessions(address, others):
        tab = browser.new_page(viewport={"width": 1440, "height": 1000})
        tab.goto(f"{address}?shipped=growth-16k")
        shown(tab)
        tab.get_by_text("Finance and power").click()
        benchmark.pedantic(editing(tab), rounds=EDITS, warmup_rounds=2)
    told(benchmark)


def editing(tab: Page) -> Callable[[], None]:
    """Types one electricity price after another, each of them new to the app."""
    prices = (f"0.{number}" for number in itertools.count(101))
    box = tab.get_by_role("textbox", name="Electricity price")
    table = str(tab.evaluate(TABLE))

    def edit() -> None:
        nonlocal table
        box.fill(next(prices))
        box.press("Enter")
        table = shown(tab, table)

    return edit


@contextmanager
def sessions(address: str, count: int) -> Iterator[None]:
    """So many other people: each with a websocket of their own, whose page is made anew every few seconds."""
    stop, ready, taken = threading.Event(), threading.Barrier(2), [0] * count

    def run() -> None:
        asyncio.run(_all(address, taken, stop, ready))

    thread = threading.Thread(target=run)
    thread.start()
    ready.wait(timeout=WAIT_MS / 1000)
    yield
    stop.set()
    thread.join()
    assert all(messages > 100 for messages in taken), "every session got whole pages"


async def _all(address: str, taken: list[int], stop: threading.Event, ready: threading.Barrier) -> None:
    people = [asyncio.create_task(_one(address, number, taken, stop)) for number in range(len(taken))]
    await asyncio.sleep(THINKING_S if taken else 0)  # everybody's first page is made
    await asyncio.to_thread(ready.wait)
    await asyncio.gather(*people)


async def _one(address: str, number: int, taken: list[int], stop: threading.Event) -> None:
    url = f"{address.replace('http', 'ws')}_stcore/stream"
    message = BackMsg()
    message.rerun_script.query_string = "shipped=growth-16k"
    async with connect(url, subprotocols=[Subprotocol("streamlit")], max_size=None) as socket:
        reading = asyncio.create_task(_read(socket, number, taken))
        await asyncio.sleep(number / len(taken) * THINKING_S)
        while not stop.is_set():
            await socket.send(message.SerializeToString())
            for _ in range(int(THINKING_S * 10)):
                if not stop.is_set():
                    await asyncio.sleep(0.1)
    await reading


async def _read(socket: ClientConnection, number: int, taken: list[int]) -> None:
    """Takes and counts what the server sends."""
    try:
        while True:
            await socket.recv()
            taken[number] += 1
    except ConnectionClosed:
        return
