"""``fabric-planner calibrate``: a test bed's logs -> constants of the fabric, and the plot of their fit."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from planner.calibrate.alpha_beta_fit import series_of
from planner.calibrate.calibration_answer import calibration_answer
from planner.calibrate.log_reader import read_log_file
from planner.calibrate.readings import Reading
from planner.catalog.sources import load_sources
from planner.charts.picture_process import PictureError
from planner.cli.inputs import InputError, check_technologies, loaded_scenario, may_read, write_files
from planner.cli.output import say_line
from planner.study.study import plan_scenario


@click.command()
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="LOG...")
@click.option("--out", "out_file", required=True, type=click.Path(path_type=Path), metavar="FILE")
@click.option("--scenario", metavar="SCENARIO", help="Whose answer to compare before and after.")
@may_read
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
    readable: tuple[Path, ...],
) -> None:
    """Takes constants of the fabric from a test bed's LOGs: nccl-tests, perftest, training.

    Exit status: 0 every log was used; 1 a log could not be used, the others were; 2 the input is at fault.
    """
    check_technologies((technology,) if technology else ())
    _check_plot(plot_file)
    study = plan_scenario(loaded_scenario(scenario, readable=readable), load_sources()) if scenario else None
    readings = [read_log_file(path) for path in logs]
    answer = calibration_answer(readings, load_sources(), study, link_gbps, technology)
    files: dict[Path, str | bytes] = {out_file: answer.text}
    if plot_file:
        files[plot_file] = _fit_picture(readings, plot_file)
    write_files(files)
    for path, reading in zip(logs, readings, strict=True):
        for fault in reading.diagnostics:
            say_line(f"{path}:{fault.line}: {fault.severity}: {fault.code}: {fault.message}", err=True)
    for line in answer.words():
        say_line(line)
    sys.exit(0 if answer.complete else 1)


def _check_plot(file: Path | None) -> None:
    """Raises InputError where the name says of no picture that can be made."""
    if file is not None and file.suffix.lower() not in (".svg", ".png"):
        raise InputError(f'--plot "{file}" is neither .svg nor .png')


def _fit_picture(readings: Sequence[Reading], file: Path) -> bytes:
    """Measured points and fitted lines, as the file's name says: SVG or PNG."""
    from planner.charts import (
        calibration_charts,  # slow to import
        exports,
    )

    series = series_of(readings)
    chart = calibration_charts.fit_chart(calibration_charts.fit_frame(series))
    made = exports.chart_png if file.suffix.lower() == ".png" else exports.chart_svg
    try:
        return made(chart, calibration_charts.fit_title(series))
    except PictureError as error:
        raise InputError(f"{file}: {error}") from error
