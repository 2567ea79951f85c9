"""The fit plot of the command ``calibrate``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from planner.calibrate.alpha_beta_fit import series_of
from planner.calibrate.readings import Reading
from planner.cli.faults import InputError


def check_plot(file: Path | None) -> None:
    """Raises InputError where the name says of no picture that can be made."""
    if file is not None and file.suffix.lower() not in (".svg", ".png"):
        raise InputError(f'--plot "{file}" is neither .svg nor .png')


def fit_picture(readings: Sequence[Reading], file: Path) -> bytes:
    """Measured points and fitted lines, as the file's name says: SVG or PNG."""
    from planner.charts import calibration as charts_calibration  # slow to import
    from planner.charts import exports
    from planner.ui.content import calibration as calibration_words  # slow to import

    series = series_of(readings)
    chart = charts_calibration.fit_chart(charts_calibration.fit_frame(series))
    made = exports.chart_png if file.suffix.lower() == ".png" else exports.chart_svg
    return made(chart, calibration_words.fit(series))
