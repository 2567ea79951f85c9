"""The command line, ``fabric-planner``. Exit status: 0 answered, 1 a technology has no design,
2 the input is at fault, 3 the solver gave up with no design."""

from __future__ import annotations

import math
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

import click

from planner.calibrate.calibration import calibration_answer
from planner.calibrate.log_reader import read_log_file
from planner.catalog.sources import load_sources
from planner.catalog.technologies import TECHNOLOGIES
from planner.cli.app import app
from planner.cli.faults import InputError
from planner.cli.listing import list_command
from planner.cli.plot import check_plot, fit_picture
from planner.cli.quotes import quotes
from planner.decide.equal_output import with_equal_output
from planner.decide.flips import with_flips
from planner.decide.technology_change import with_paths
from planner.planning.task import PlanOptions
from planner.report.bom_csv import bom_files
from planner.report.files import write_all
from planner.report.islands import generation_words
from planner.report.json_answer import answer_text
from planner.report.printed_answer import study_text
from planner.scenario.faults import ScenarioError, suggest
from planner.scenario.load import load_scenario, scenario_from_document, shipped_scenarios
from planner.scenario.scenario import Scenario
from planner.study.study import Study, plan_scenario
from planner.throughput.runs.estimate import TableError, predicted_table

_STANDARD_OUTPUT = "-"
OBJECTIVES = ("tco", "levelised-cost")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="fabric-planner")
def main() -> None:
    """Plans the network of a growing AI cluster: design, cost and training throughput."""


@main.command()
@click.argument("scenario")
@click.option("--technology", "technologies", multiple=True, metavar="T", help="Only this one; repeatable.")
@click.option(
    "--objective", default="tco", show_default=True, metavar="NAME", help="Made least: tco or levelised-cost."
)
@click.option("--solver", type=click.Choice(["highs", "cbc"]), default="highs", show_default=True)
@click.option(
    "--time-limit", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Of one solve."
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
def plan(
    scenario: str,
    technologies: tuple[str, ...],
    objective: str,
    solver: str,
    time_limit: float | None,
    json_file: str | None,
    bom_dir: Path | None,
    lp_dir: Path | None,
    foresight: bool,
    flips: bool,
) -> None:
    """Optimises every technology of SCENARIO and compares them.

    SCENARIO is a TOML file or the id of a shipped scenario. Exit status: 0 answered; 1 a technology has
    no design; 2 the input is at fault; 3 the solver gave up with no design.
    """
    _check_objective(objective)
    if time_limit is not None and not math.isfinite(time_limit):
        raise InputError("--time-limit is not a number of seconds")
    _check_technologies(technologies)
    asked = _load(scenario, technologies)
    with tempfile.TemporaryDirectory() as scratch:
        lp_scratch = Path(scratch) if lp_dir else None
        options = PlanOptions(None, objective, solver, time_limit, lp_scratch, foresight=foresight)
        study = _planned(asked, options)
        study = with_flips(study, load_sources(), options) if flips else study
        files = _outputs(study, json_file, bom_dir)
        if lp_dir:
            files |= {lp_dir / lp.name: lp.read_text(encoding="utf-8") for lp in Path(scratch).iterdir()}
    _write(files)
    if bom_dir:
        _warn_of_stale_boms(study, bom_dir)
    if json_file == _STANDARD_OUTPUT:
        click.echo(answer_text(study).encode(), nl=False)  # UTF-8, whatever the terminal's encoding
    else:
        click.echo(study_text(study), nl=False)
    sys.exit(exit_status(study))


@main.command()
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="LOG...")
@click.option("--out", "out_file", required=True, type=click.Path(path_type=Path), metavar="FILE")
@click.option("--scenario", metavar="SCENARIO", help="Whose answer to compare before and after.")
@click.option("--link-gbps", type=click.FloatRange(min=0, min_open=True), help="Rate of the link under test.")
@click.option("--technology", metavar="T", help="What the collectives ran over.")
@click.option("--plot", "plot_file", type=click.Path(path_type=Path), metavar="FILE",
              help="The measured points and fitted lines as a picture, .svg or .png.")  # fmt: skip
def calibrate(
    logs: tuple[Path, ...],
    out_file: Path,
    scenario: str | None,
    link_gbps: float | None,
    technology: str | None,
    plot_file: Path | None,
) -> None:
    """Takes constants of the fabric from a test bed's LOGs: nccl-tests, perftest, training.

    Exit status: 0 every log was used; 1 a log could not be used, the others were; 2 the input is at fault.
    """
    _check_technologies((technology,) if technology else ())
    check_plot(plot_file)
    study = _planned(_load(scenario), PlanOptions()) if scenario else None
    readings = [read_log_file(path) for path in logs]
    answer = calibration_answer(readings, load_sources(), study, link_gbps, technology)
    _write({out_file: answer.text} | ({plot_file: fit_picture(readings, plot_file)} if plot_file else {}))
    for path, reading in zip(logs, readings, strict=True):
        for fault in reading.diagnostics:
            click.echo(f"{path}:{fault.line}: {fault.severity}: {fault.code}: {fault.message}", err=True)
    for line in answer.words():
        click.echo(line)
    sys.exit(0 if answer.complete else 1)


@main.command()
@click.argument("runs", type=click.Path(path_type=Path), metavar="RUNS.csv")
@click.option("--out", "out_file", required=True, type=click.Path(path_type=Path), metavar="PREDICTED.csv")
@click.option("--anchor", is_flag=True, help="The first run on the fewest GPUs of a series fixes its level.")
def estimate(runs: Path, out_file: Path, anchor: bool) -> None:
    """Predicts every training run of a table: step time, MFU, exposed share of the fabric.

    The same rows come back in the same order with the predictions, or a reason why there is none.
    """
    try:
        text = runs.read_bytes().decode("utf-8-sig")
        predicted = predicted_table(text, load_sources().catalog, anchor)
    except TableError as error:
        raise InputError(f"{runs}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f'"{runs}" cannot be read: {error}') from error
    _write({out_file: predicted})


@main.command()
@click.argument("scenario")
def check(scenario: str) -> None:
    """Checks SCENARIO and names every fault at once, with file, line, key, value and remedy."""
    asked = _load(scenario)
    click.echo(f"{scenario}: no faults. {asked.name}")
    for line in generation_words(asked):
        click.echo(f"  {line}")
    for default in asked.defaults_used:
        click.echo(f"  assumed: {default}")


main.add_command(app)
main.add_command(quotes)
main.add_command(list_command)


def exit_status(study: Study) -> int:
    """The exit status that tells how a study ended."""
    without = [result.plan for result in study.results if not result.plan.designs]
    if any(plan.solver.status == "none" for plan in without):
        return 3
    return 1 if without else 0


def _check_objective(objective: str) -> None:
    if objective not in OBJECTIVES:
        raise InputError(f'--objective "{objective}" is not known; {suggest(objective, OBJECTIVES)}')


def _check_technologies(technologies: tuple[str, ...]) -> None:
    unknown = [technology for technology in technologies if technology not in TECHNOLOGIES]
    if unknown:
        said = (f'--technology "{word}" is not known; {suggest(word, TECHNOLOGIES)}' for word in unknown)
        raise InputError("\n".join(said))


def _load(scenario: str, technologies: tuple[str, ...] = ()) -> Scenario:
    """Reads a file, or the shipped scenario of this id where no such file exists.

    ``technologies`` take the place of the scenario's own: a rate that none of them has is a fault.
    """
    path, shipped = Path(scenario), shipped_scenarios()
    if not path.exists():
        if scenario not in shipped:
            missing = f'there is no file "{scenario}", nor a shipped scenario of this id'
            raise InputError(f"{missing}; {suggest(scenario, shipped)}")
        path = shipped[scenario]
    try:
        loaded = load_scenario(path, load_sources())
        if not technologies:
            return loaded
        text = path.read_text(encoding="utf-8-sig")
        document = tomllib.loads(text)
        document.setdefault("fabric", {})["technologies"] = list(dict.fromkeys(technologies))
        return scenario_from_document(document, load_sources(), str(path), text)
    except ScenarioError as error:
        raise InputError(str(error)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f'"{scenario}" cannot be read: {error}') from error


def _planned(scenario: Scenario, options: PlanOptions) -> Study:
    try:
        sources = load_sources()
        study = with_paths(plan_scenario(scenario, sources, options), sources, options)
        return with_equal_output(study, sources, options)
    except ScenarioError as error:
        raise InputError(str(error)) from error


def _outputs(study: Study, json_file: str | None, bom_dir: Path | None) -> dict[Path, str]:
    files = {}
    if json_file and json_file != _STANDARD_OUTPUT:
        files[Path(json_file)] = answer_text(study)
    if bom_dir:
        files |= {bom_dir / name: text for name, text in bom_files(study).items()}
    return files


def _write(files: Mapping[Path, str | bytes]) -> None:
    try:
        write_all(files)
    except OSError as error:
        raise InputError(f"the answer cannot be written: {error.filename}: {error.strerror}") from error


def _warn_of_stale_boms(study: Study, bom_dir: Path) -> None:
    """Names the files of an earlier run that this one has no design for; they are left alone."""
    for result in study.results:
        stale = bom_dir / f"bom_{result.technology}.csv"
        if not result.plan.designs and stale.exists():
            click.echo(f"{stale} is of an earlier run: {result.technology} has no design now", err=True)
