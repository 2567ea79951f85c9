"""A process that plans one technology after another for the app, away from the pages.

It reads pickled (scenario text, technology or question) pairs from its standard input and answers each with
a pickled (kind, value): ("result", TechnologyResult) | ("said", sections) | ("refused", faults) | ("error",
sentence); before it any number of ("doing", words). Only the app that started it talks to it. It ends when
its input does, whatever it is doing then. Each task has a budget of time and memory; a limit of the system
stands behind that of memory, for what a single step may take.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import sys
import threading
import time
from dataclasses import dataclass, replace
from math import inf
from typing import BinaryIO

from planner.candidates.budget import GIGABYTE, Budget, budget_of
from planner.catalog.sources import Sources, load_sources
from planner.catalog.technologies import is_technology
from planner.decide.follow_ups import FollowUp, followed_up, is_follow_up
from planner.planning.planning_task import PlanOptions
from planner.report.follow_ups import Section, sections
from planner.scenario.faults import ScenarioError
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Scenario
from planner.study.study import plan_scenario, technology_result
from planner.text import log

Task = tuple[str, str]
TIME_LIMIT_S = 600.0
MEMORY_BYTES = 2 * GIGABYTE
_MOST_BYTES = 2 * MEMORY_BYTES  # where the system ends it
_EVERY_S = 0.3
_LOG = logging.getLogger(__name__)


def main() -> None:
    """Answers until the input ends."""
    log.start_as_told()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a solver that prints must not reach the answers
    tasks: queue.Queue[Task] = queue.Queue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, tasks), daemon=True).start()
    _limit_memory()
    sources, teller = load_sources(), Teller(answers)
    while True:
        task = tasks.get()
        budget = budget_of(TIME_LIMIT_S, MEMORY_BYTES, teller)
        pickle.dump(_answered(task, sources, budget), answers)
        answers.flush()


@dataclass
class Teller:
    """Passes on what is being done, not more often than a page shows it."""

    answers: BinaryIO
    told_s: float = -inf

    def __call__(self, doing: str) -> None:
        """Says it, unless something was said just now."""
        now = time.monotonic()
        if now - self.told_s >= _EVERY_S:
            self.told_s = now
            pickle.dump(("doing", doing), self.answers)
            self.answers.flush()


def _limit_memory() -> None:
    """The most memory that the system gives this process; where it can't be limited, no limit."""
    try:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = int(_MOST_BYTES) if hard == resource.RLIM_INFINITY else min(int(_MOST_BYTES), hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    except (ImportError, OSError, ValueError):
        _LOG.info("memory cannot be limited here", exc_info=True)


def _read(stream: BinaryIO, tasks: queue.Queue[Task]) -> None:
    try:
        while True:
            tasks.put(pickle.load(stream))
    except EOFError:
        os._exit(0)


def _answered(task: Task, sources: Sources, budget: Budget) -> tuple[str, object]:
    text, technology = task
    options = PlanOptions(budget=budget)
    try:
        scenario = scenario_from_text(text, sources, "scenario")
        if is_follow_up(technology):
            return "said", _followed_up(scenario, sources, technology, options)
        if not is_technology(technology):
            raise ValueError(f"{technology!r} is no technology")
        return "result", technology_result(scenario, sources, technology, options)
    except ScenarioError as refused:
        _LOG.info("the scenario was refused", exc_info=True)
        return "refused", refused.faults
    except MemoryError:
        _LOG.exception("planning %s took too much memory", technology)
        return "error", f"a single step took more than {_MOST_BYTES / GIGABYTE:g} GB of memory"
    except Exception as error:  # whatever it is, the page says it and the worker goes on
        _LOG.exception("planning %s broke off", technology)
        return "error", f"{type(error).__name__}: {error}"


def _followed_up(
    scenario: Scenario, sources: Sources, asked: FollowUp, options: PlanOptions
) -> tuple[Section, ...]:
    """A question beyond the plan, answered in sentences; the plan itself is made again for it."""
    study = plan_scenario(scenario, sources, replace(options, budget=options.budget.part(0.5)))
    return sections(asked, study, followed_up(study, sources, options, (asked,)))


if __name__ == "__main__":
    main()
