"""Planning in processes beside the app: the same answer, shared, cancelled, and never a stuck page."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from planner.catalog.sources import load_sources
from planner.decide.follow_ups import FollowUp, followed_up
from planner.fabric.design import Plan
from planner.jobs import pool as jobs
from planner.jobs.pool import Job, PlanningError, Pool
from planner.planning.planning_task import PlanOptions
from planner.report.follow_ups import sections
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Scenario
from planner.study.study import Study, plan_scenario
from tests.support.making import one_fabric

SOURCES = load_sources()
SMALL = """schema = 1
name = "Small, all four technologies"
base_year = 2027
[cluster]
server = "hgx-h100"
[[growth]]
year = 2027
gpus = 128
"""
SLOW = "SLEEP NOW"
LONG_S = 60.0


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = Pool(SOURCES, workers=3)
    yield made
    made.close()


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Workers that take a minute for a text with the words SLEEP NOW in it, and die at "DIE NOW"."""
    module = tmp_path / "slow_worker.py"
    module.write_text(
        "import os, time\n"
        "from planner.jobs import worker\n"
        "plain = worker._answered\n"
        "def slow(task, sources, budget):\n"
        "    budget.told('counting ports')\n"
        "    if 'DIE ONE' in task[0] and task[1] == 'roce': os._exit(1)\n"
        "    if 'SLEEP NOW' in task[0]: time.sleep(60)\n"
        "    if 'DIE NOW' in task[0]: os._exit(1)\n"
        "    return plain(task, sources, budget)\n"
        "worker._answered = slow\n"
        "worker.main()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(jobs, "WORKER", "slow_worker")
    return module


def scenario(text: str = SMALL) -> Scenario:
    return scenario_from_text(text, SOURCES, "lab")


def begun(pool: Pool, job: Job, technologies: int) -> None:
    until = time.monotonic() + LONG_S
    while len(pool.progress(job)[1]) < technologies:
        assert time.monotonic() < until
        time.sleep(0.02)


def unclocked(plan: Plan) -> Plan:
    return replace(plan, solver=replace(plan.solver, seconds=0.0, build_seconds=0.0))


def without_seconds(study: Study) -> list[object]:
    """The results but for what the clock said."""
    return [
        replace(
            r,
            plan=unclocked(r.plan),
            sides=tuple(replace(side, plan=unclocked(side.plan)) for side in r.sides),
        )
        for r in map(one_fabric, study.results)
    ]


def test_the_answer_is_that_of_planning_in_one_go(pool: Pool) -> None:
    job = pool.job(SMALL, scenario())
    assert pool.wait(job, LONG_S)
    expected = plan_scenario(scenario(), SOURCES)
    assert job.study is not None
    assert without_seconds(job.study) == without_seconds(expected)
    assert job.study.recommendation == expected.recommendation
    assert job.study.notes == expected.notes
    assert pool.finished(SMALL) is job.study
    assert pool.job(SMALL, scenario()) is job, "asked again, it is not planned again"


def test_a_long_plan_leaves_a_worker_to_the_next_user(slow: Path, pool: Pool) -> None:
    text = f"{SMALL}\n# {SLOW}"
    long = pool.job(text, scenario())
    pool.hold(long)
    begun(pool, long, 2)
    short = pool.job(SMALL, scenario())
    assert pool.wait(short, LONG_S / 2), "without the rule the long plan has every worker"
    assert short.study is not None
    assert not long.over


def test_a_cancelled_plan_ends_its_solves_at_once(slow: Path, pool: Pool) -> None:
    text = f"{SMALL}\n# {SLOW}"
    job = pool.job(text, scenario())
    pool.hold(job)
    begun(pool, job, 2)
    pool.drop(job)
    assert not job.over, "another page still waits for it"
    pool.release(job)
    began = time.monotonic()
    pool.drop(job)
    assert pool.wait(job, LONG_S)
    assert job.cancelled
    assert job.study is None
    begun_again = pool.job(SMALL, scenario())
    assert pool.wait(begun_again, LONG_S / 2), "the workers are there again"
    assert time.monotonic() - began < LONG_S / 2
    assert pool.job(text, scenario()) is not job, "asked again, it is planned anew"


def test_what_no_page_waits_for_is_dropped(slow: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_UNWANTED_S", 0.2)
    job = pool.job(f"{SMALL}\n# {SLOW}", scenario())
    pool.hold(job)
    begun(pool, job, 1)
    pool.release(job)
    assert pool.wait(job, LONG_S / 2)
    assert job.cancelled


def test_a_process_that_dies_is_a_sentence_and_not_a_stuck_page(slow: Path, pool: Pool) -> None:
    job = pool.job(f"{SMALL}\n# DIE NOW", scenario())
    with pytest.raises(PlanningError, match="ended by itself"):
        pool.wait(job, LONG_S)
    after = pool.job(SMALL, scenario())
    assert pool.wait(after, LONG_S)
    assert after.study is not None


def test_a_worker_that_is_killed_ends_the_other_workers_of_its_job(slow: Path, pool: Pool) -> None:
    """One of two technologies dies; the other would sleep on for a minute and keep its worker."""
    job = pool.job(f"{SMALL}\n# DIE ONE {SLOW}", scenario())
    with pytest.raises(PlanningError, match="ended by itself"):
        pool.wait(job, LONG_S)
    began = time.monotonic()
    while pool.progress(job)[1]:
        assert time.monotonic() < began + LONG_S / 2, "the others work on for nobody"
        time.sleep(0.02)
    assert "ended by itself" in str(job.failed), "the first reason stays"
    after = pool.job(SMALL, scenario())
    assert pool.wait(after, LONG_S) and after.study is not None


def test_progress_is_heard_while_a_technology_is_planned(slow: Path, pool: Pool) -> None:
    job = pool.job(f"{SMALL}\n# {SLOW}", scenario())
    pool.hold(job)
    until = time.monotonic() + LONG_S
    while not (heard := pool.doing(job)):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert set(heard.values()) == {"counting ports"} and set(heard) <= set(pool.progress(job)[1])
    pool.release(job)
    pool.drop(job)


def test_two_sessions_that_ask_the_same_share_one_plan(pool: Pool) -> None:
    found: list[Job] = []

    def ask() -> None:
        job = pool.job(SMALL, scenario())
        pool.wait(job, LONG_S)
        found.append(job)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(map(id, found))) == 1


@pytest.mark.parametrize("question", ["foresight", "paths"])
def test_a_question_beyond_the_plan_is_answered_beside_it(pool: Pool, question: FollowUp) -> None:
    """128 GPUs growing to 256: the command line's sentences; the plan's job stays its own."""
    text = SMALL + "[[growth]]\nyear = 2028\ngpus = 256\n"
    scenario = scenario_from_text(text, SOURCES, "scenario")
    job = pool.job(text, scenario, question)
    assert pool.wait(job, LONG_S)
    assert job is not pool.job(text, scenario) and job.study is None
    options = PlanOptions()
    study = plan_scenario(scenario, SOURCES, options)
    assert job.said == sections(question, study, followed_up(study, SOURCES, options, [question]))
    headings = [heading for heading, _ in job.said or ()]
    path = "roce-then-infiniband-2028: RoCE first, InfiniBand from 2028"
    assert headings == ([path] if question == "paths" else list(scenario.fabric.technologies))
