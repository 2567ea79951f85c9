"""``fabric-planner plan``: every technology optimised and compared."""

from __future__ import annotations

import math
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import get_args

import click

from planner.catalog.sources import load_sources
from planner.cli.inputs import InputError, check_technologies, loaded_scenario, may_read, write_files
from planner.cli.output import say, say_line
from planner.cli.progress import asked_budget, terminal_progress
from planner.decide.follow_ups import FollowUp, FollowUps, followed_up
from planner.optimize.solve import Solver
from planner.planning.planning_task import PlanOptions
from planner.report.bom_table import bom_files
from planner.report.json_answer import answer_text
from planner.report.printed_answer import study_text
from planner.scenario.faults import suggest
from planner.scenario.scenario import OBJECTIVES, Objective, is_objective
from planner.study.study import Study, plan_scenario
from pricing.guarded_files import file_text

_STANDARD_OUTPUT = "-"
_MOST_LP_BYTES = 4_000_000_000
STUDY_SHARE = 0.7  # of the time, where questions beyond the plan may follow it


@click.command()
@click.argument("scenario")
@click.option("--technology", "technologies", multiple=True, metavar="T", help="Only this one; repeatable.")
@click.option(
    "--objective", default="tco", show_default=True, metavar="NAME", help="Made least: tco or levelised-cost."
)
@click.option("--solver", type=click.Choice(get_args(Solver)), default="highs", show_default=True)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Of the whole plan: then the best so far, with its gap.",
)
@click.option(
    "--memory-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="GB",
    help="Likewise.  [default: half of the machine's]",
)
@click.option("--json", "json_file", metavar="FILE", help='The answer as JSON; "-" is standard output.')
@click.option(
    "--bom", "bom_dir", type=click.Path(path_type=Path), metavar="DIR", help="Bills of materials as CSV."
)
@click.option(
    "--lp", "lp_dir", type=click.Path(path_type=Path), metavar="DIR", help="The programmes as LP files."
)
@click.option("--foresight", is_flag=True, help="What the cheapest plan without looking ahead would cost.")
@click.option("--flips", is_flag=True, help="What changes with another horizon or residual rule.")
@may_read
def plan(
    scenario: str,
    technologies: tuple[str, ...],
    objective: str,
    solver: Solver,
    time_limit: float | None,
    memory_limit: float | None,
    json_file: str | None,
    bom_dir: Path | None,
    lp_dir: Path | None,
    foresight: bool,
    flips: bool,
    readable: tuple[Path, ...],
) -> None:
    """Optimises every technology of SCENARIO and compares them.

    SCENARIO is a TOML file or the id of a shipped scenario. Exit status: 0 answered; 1 a technology has
    no design; 2 the input is at fault; 3 the solver gave up with no design.
    """
    made_least = _objective(objective)
    for name, limit in (("--time-limit", time_limit), ("--memory-limit", memory_limit)):
        if limit is not None and not math.isfinite(limit):
            raise InputError(f"{name} is not a number")
    progress = terminal_progress()
    budget = asked_budget(time_limit, memory_limit, progress)
    check_technologies(technologies)
    asked, sources = loaded_scenario(scenario, technologies, readable), load_sources()
    with tempfile.TemporaryDirectory() as scratch:
        lp_scratch = Path(scratch) if lp_dir else None
        options = PlanOptions(None, made_least, solver, budget, lp_scratch)
        share = STUDY_SHARE if foresight or flips or len(asked.fabric.technologies) > 1 else 1.0
        study = plan_scenario(asked, sources, replace(options, budget=budget.part(share)))
        beside = followed_up(study, sources, options, _follow_ups(foresight, flips))
        if progress:
            progress.clear()
        files = _outputs(study, beside, json_file, bom_dir)
        if lp_dir:
            files |= {lp_dir / lp.name: file_text(lp, _MOST_LP_BYTES) for lp in Path(scratch).iterdir()}
    write_files(files)
    if bom_dir:
        _warn_of_stale_boms(study, bom_dir)
    if json_file == _STANDARD_OUTPUT:
        click.echo(answer_text(study, beside).encode(), nl=False)  # UTF-8, whatever the terminal's encoding
    else:
        say(study_text(study, beside))
    sys.exit(exit_status(study))


def exit_status(study: Study) -> int:
    """The exit status that tells how a study ended."""
    without = [result.plan for result in study.results if not result.plan.designs]
    if any(plan.solver.status == "none" for plan in without):
        return 3
    return 1 if without else 0


def _objective(word: str) -> Objective:
    if is_objective(word):
        return word
    raise InputError(f'--objective "{word}" is not known; {suggest(word, OBJECTIVES)}')


def _follow_ups(foresight: bool, flips: bool) -> list[FollowUp]:
    """What is worked out beside the plan: paths and equal output always, the rest on demand."""
    asked: list[FollowUp] = ["paths", "equal-output"]
    asked += ["foresight"] if foresight else []
    asked += ["flips"] if flips else []
    return asked


def _outputs(study: Study, beside: FollowUps, json_file: str | None, bom_dir: Path | None) -> dict[Path, str]:
    files = {}
    if json_file and json_file != _STANDARD_OUTPUT:
        files[Path(json_file)] = answer_text(study, beside)
    if bom_dir:
        files |= {bom_dir / name: text for name, text in bom_files(study, beside.paths).items()}
    return files


def _warn_of_stale_boms(study: Study, bom_dir: Path) -> None:
    """Names the files of an earlier run that this one has no design for; they are left alone."""
    for result in study.results:
        stale = bom_dir / f"bom_{result.technology}.csv"
        if not result.plan.designs and stale.exists():
            say_line(f"{stale} is of an earlier run: {result.technology} has no design now", err=True)
