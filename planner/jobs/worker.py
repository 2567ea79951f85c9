"""A process that plans one technology after another for the app, away from the pages.

It reads pickled (scenario text, technology or question) pairs from its standard input and answers each with
a pickled (kind, value): ("result", TechnologyResult) | ("said", sections) | ("refused", faults) | ("error",
sentence). Only the app that started it talks to it. It ends when its input does, whatever it is doing then.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import sys
import threading
from typing import BinaryIO

from planner.catalog.sources import Sources, load_sources
from planner.catalog.technologies import is_technology
from planner.decide.follow_ups import FollowUp, followed_up, is_follow_up
from planner.planning.task import PlanOptions
from planner.report.follow_ups import Section, sections
from planner.scenario.faults import ScenarioError
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Scenario
from planner.study.study import plan_scenario, technology_result
from planner.text import log

Task = tuple[str, str]
_LOG = logging.getLogger(__name__)


def main() -> None:
    """Answers until the input ends."""
    log.start_as_told()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a solver that prints must not reach the answers
    tasks: queue.Queue[Task] = queue.Queue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, tasks), daemon=True).start()
    sources = load_sources()
    while True:
        pickle.dump(_answered(tasks.get(), sources), answers)
        answers.flush()


def _read(stream: BinaryIO, tasks: queue.Queue[Task]) -> None:
    try:
        while True:
            tasks.put(pickle.load(stream))
    except EOFError:
        os._exit(0)


def _answered(task: Task, sources: Sources) -> tuple[str, object]:
    text, technology = task
    try:
        scenario = scenario_from_text(text, sources, "scenario")
        if is_follow_up(technology):
            return "said", _followed_up(scenario, sources, technology)
        if not is_technology(technology):
            raise ValueError(f"{technology!r} is no technology")
        return "result", technology_result(scenario, sources, technology)
    except ScenarioError as refused:
        _LOG.info("the scenario was refused", exc_info=True)
        return "refused", refused.faults
    except Exception as error:  # whatever it is, the page says it and the worker goes on
        _LOG.exception("planning %s broke off", technology)
        return "error", f"{type(error).__name__}: {error}"


def _followed_up(scenario: Scenario, sources: Sources, asked: FollowUp) -> tuple[Section, ...]:
    """A question beyond the plan, answered in sentences; the plan itself is made again for it."""
    options = PlanOptions()
    study = plan_scenario(scenario, sources, options)
    return sections(asked, study, followed_up(study, sources, options, (asked,)))


if __name__ == "__main__":
    main()
