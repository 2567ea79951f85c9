"""Planning in processes beside the app: shared by all sessions, by technology, and it can be cancelled.

A job is one scenario text. Two sessions that ask the same wait for the same job. One job never takes every
worker, so that a second user's is begun at once.
"""

from __future__ import annotations

import atexit
import logging
import os
import pickle
import subprocess
import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from planner.catalog.sources import Sources
from planner.report.follow_ups import Section
from planner.scenario.faults import ScenarioError
from planner.scenario.scenario import Scenario
from planner.study.result import TechnologyResult
from planner.study.study import Study, compared

_LOG = logging.getLogger(__name__)
_MOST_KEPT = 64  # answers
_UNWANTED_S = 10.0  # how long a job goes on that no page waits for, as after a reload
_MOST_WORKERS = 9
WORKER = "planner.jobs.worker"
_ROOT = Path(__file__).resolve().parents[2]
Process = subprocess.Popen[bytes]


class PlanningError(Exception):
    """The planning broke off by a fault of the planner or the machine: one sentence."""


@dataclass(eq=False)
class Job:
    """One scenario being planned, or a question about it. Change and read it by the pool only.

    ``waiting`` and ``running`` are its tasks: a technology each, or the question. ``doing``: what each of the
    running ones was last heard to do.
    """

    text: str
    scenario: Scenario
    waiting: list[str]
    running: list[str] = field(default_factory=list)
    doing: dict[str, str] = field(default_factory=dict)
    results: dict[str, TechnologyResult] = field(default_factory=dict)
    waiters: int = 0
    study: Study | None = None
    said: tuple[Section, ...] | None = None
    failed: Exception | None = None
    cancelled: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.study is not None or self.said is not None or self.failed is not None or self.cancelled


class Pool:
    """The workers and their jobs. Its methods may be called from any thread."""

    def __init__(self, sources: Sources, workers: int | None = None) -> None:
        self._sources = sources
        self._change = threading.Condition()
        self._jobs: OrderedDict[tuple[str, str], Job] = OrderedDict()  # by text and question
        self._on: dict[int, tuple[Process, Job | None]] = {}
        self._closed = False
        self._size = workers or min((os.cpu_count() or 1) + 1, _MOST_WORKERS)
        for number in range(self._size):
            threading.Thread(target=self._work, args=(number,), daemon=True, name=f"planner-{number}").start()
        atexit.register(self.close)

    def job(self, text: str, scenario: Scenario, question: str = "") -> Job:
        """The job of a scenario, or of one of FOLLOW_UPS about it: the one that is known, unless it came to
        nothing, else a new one."""
        key = (text, question)
        with self._change:
            found = self._jobs.get(key)
            if found is None or found.failed is not None or found.cancelled:
                found = Job(text, scenario, [question] if question else list(scenario.fabric.technologies))
                self._jobs[key] = found
                self._forget_oldest()
                self._change.notify_all()
            self._jobs.move_to_end(key)
            return found

    def finished(self, text: str) -> Study | None:
        """The answer to a scenario where it is there already."""
        with self._change:
            found = self._jobs.get((text, ""))
            return found.study if found else None

    def hold(self, job: Job) -> None:
        """Says that a page waits for the job; ``release`` says that it no longer does."""
        with self._change:
            job.waiters += 1

    def release(self, job: Job) -> None:
        """The reverse of ``hold``. A job that nobody waits for is dropped after some seconds."""
        with self._change:
            job.waiters -= 1
            if job.waiters or job.over:
                return
        timer = threading.Timer(_UNWANTED_S, self.drop, (job,))
        timer.daemon = True
        timer.start()

    def wait(self, job: Job, seconds: float) -> bool:
        """Waits until the job is over, for so long at most; whether it is. Raises what it failed by."""
        with self._change:
            self._change.wait_for(lambda: job.over, seconds)
            if job.failed is not None:
                raise job.failed
            return job.over

    def progress(self, job: Job) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The technologies that are planned, and those that are being planned."""
        with self._change:
            return tuple(job.results), tuple(job.running)

    def doing(self, job: Job) -> dict[str, str]:
        """What is being done for each of the running tasks that have said so."""
        with self._change:
            return {task: job.doing[task] for task in job.running if task in job.doing}

    def drop(self, job: Job) -> None:
        """Ends a job that no page waits for; its solves are ended at once."""
        with self._change:
            if job.waiters or job.over:
                return
            job.cancelled = True
            self._kill(job)
            self._change.notify_all()

    def _kill(self, job: Job) -> None:
        """Ends the processes of a job at once; their threads take note."""
        for process, owner in self._on.values():
            if owner is job:
                process.kill()

    def close(self) -> None:
        """Ends every worker."""
        with self._change:
            self._closed = True
            processes = [process for process, _ in self._on.values()]
            self._on.clear()
            self._change.notify_all()
        for process in processes:
            _end(process)

    def _forget_oldest(self) -> None:
        over = [key for key, job in self._jobs.items() if job.over]
        for key in over[: max(0, len(self._jobs) - _MOST_KEPT)]:
            del self._jobs[key]

    def _work(self, number: int) -> None:
        """The life of one worker: it takes a task, hands it to its process, keeps what that says."""
        while True:
            with self._change:
                if self._closed:
                    return
                if number not in self._on and number < max(1, self._size - 1):
                    self._on[number] = (_start(), None)  # gets ready meanwhile; the last one on demand
                self._change.wait_for(lambda: self._closed or self._next() is not None)
                job = self._next()
                if self._closed or job is None:
                    return
                process = self._on[number][0] if number in self._on else _start()
                if process.poll() is not None:
                    _end(process)
                    process = _start()
                technology = job.waiting.pop(0)
                job.running.append(technology)
                self._on[number] = (process, job)
            said = _asked(process, job, technology)
            with self._change:
                self._took(number, job, technology, said)
                self._change.notify_all()

    def _next(self) -> Job | None:
        """The job whose turn it is: the one with the fewest workers, the oldest of these."""
        most = max(1, self._size - 1)
        open_ = [j for j in self._jobs.values() if j.waiting and not j.over and len(j.running) < most]
        return min(open_, key=lambda job: len(job.running), default=None)

    def _took(self, number: int, job: Job, technology: str, said: tuple[str, object] | None) -> None:
        job.running.remove(technology)
        process, _ = self._on.pop(number, (None, None))
        if process is not None and (said is None or job.over):
            _end(process)  # killed, or dead by itself; the next task gets a new one
        elif process is not None:
            self._on[number] = (process, None)
        if job.over or self._closed:
            return
        kind, value = said or ("error", "the planning process ended by itself; too little memory?")
        if kind == "result" and isinstance(value, TechnologyResult):
            job.results[technology] = value
        elif kind == "said" and isinstance(value, tuple):
            job.said = value
        elif kind == "refused" and isinstance(value, tuple):
            job.failed = ScenarioError(value)
        else:
            job.failed = PlanningError(str(value))
        if job.failed is not None:
            self._kill(job)  # what the others find nobody would see
        asked = job.scenario.fabric.technologies
        if len(job.results) == len(asked):
            job.study = compared(job.scenario, self._sources, tuple(job.results[t] for t in asked))


def _start() -> Process:
    path = os.pathsep.join(p for p in (str(_ROOT), os.environ.get("PYTHONPATH")) if p)
    return subprocess.Popen(
        [sys.executable, "-m", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip


def _asked(process: Process, job: Job, technology: str) -> tuple[str, object] | None:
    """What a worker says to a task, its progress noted meanwhile; None where its process is gone."""
    if process.stdin is None or process.stdout is None:
        return None
    try:
        pickle.dump((job.text, technology), process.stdin)
        process.stdin.flush()
        said: tuple[str, object] = pickle.load(process.stdout)
        while said[0] == "doing":
            job.doing[technology] = str(said[1])
            said = pickle.load(process.stdout)
    except (OSError, EOFError, ValueError, pickle.UnpicklingError):
        _LOG.info("the process that planned %s is gone", technology, exc_info=True)
        return None
    return said


def _end(process: Process) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:  # what was still to be written to a killed process
                continue
