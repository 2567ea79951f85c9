"""One run's rows -> the line through them that a constant is taken from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from planner.calibrate.nccl_rows import bus_factor
from planner.calibrate.readings import Reading, Run, Tool

_FEWEST = 3


@dataclass(frozen=True, slots=True)
class Fit:
    """time = intercept_us + us_per_byte * bytes. ``residual_ratio`` is the rms error over the time."""

    intercept_us: float
    us_per_byte: float
    residual_ratio: float
    points: int
    from_bytes: float
    to_bytes: float

    def time_us(self, size_bytes: float) -> float:
        """The fitted time of a message."""
        return self.intercept_us + self.us_per_byte * size_bytes


def fit_line(points: Sequence[tuple[float, float]]) -> Fit | None:
    """The line through (bytes, us), each point weighted by 1/time^2; None where there is no line.

    A small message counts as much as a large one, since its relative error does. There is no line through
    fewer than three points or through points of one size.

    >>> line = fit_line([(0.0, 5.0), (100.0, 15.0), (200.0, 25.0)])
    >>> round(line.intercept_us, 9), round(line.us_per_byte, 9)
    (5.0, 0.1)
    """
    if len(points) < _FEWEST or len({x for x, _ in points}) < 2:
        return None
    weights = [1 / y**2 for _, y in points]
    total = math.fsum(weights)
    mean_x = math.fsum(w * x for w, (x, _) in zip(weights, points, strict=True)) / total
    mean_y = math.fsum(w * y for w, (_, y) in zip(weights, points, strict=True)) / total
    both = math.fsum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points, strict=True))
    spread = math.fsum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points, strict=True))
    slope = both / spread
    intercept = mean_y - slope * mean_x
    errors = [((intercept + slope * x) / y - 1) ** 2 for x, y in points]
    residual = math.sqrt(math.fsum(errors) / len(points))
    sizes = [x for x, _ in points]
    return Fit(intercept, slope, residual, len(points), min(sizes), max(sizes))


_LARGE_BYTES = 2**20  # collectives: below, the library changes protocol with the size
_STREAM_BYTES = 2**16  # perftest bandwidth: below, the message rate limits it
_SMALL_BYTES = 4_096  # perftest latency: one packet
_FEW = 4
_WORST_RESIDUAL = 0.1
LINK_RATES_GBPS = (10, 25, 40, 50, 100, 200, 400, 800, 1_600)
PASSES = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1}  # of the ring


@dataclass(frozen=True, slots=True)
class Series:
    """The points (bytes, us) of one run, the line through them, and the log that they are of."""

    log: str
    run: Run
    points: tuple[tuple[float, float], ...]
    fit: Fit | None

    @property
    def gbytes_per_s(self) -> float | None:
        """Bytes over time at large messages: the line's, else the largest message's; None if none fits."""
        if self.fit is not None:
            good = self.fit.us_per_byte > 0 and self.fit.residual_ratio <= _WORST_RESIDUAL
            return 1e-3 / self.fit.us_per_byte if good else None
        size, time = max(self.points)
        return size / time / 1e3


def collectives(readings: Sequence[Reading]) -> list[Series]:
    """Ring collectives: bus bytes against time, from 1 MiB where there are enough sizes."""
    found = []
    for reading, run in _runs(readings, "nccl-tests"):
        factor = bus_factor(run["collective"], run["ranks"])
        ring = run["collective"] in PASSES and run.get("groups", 1) == 1 and "time_is" not in run
        if not ring or not factor or not run["nodes"]:
            continue
        halves = [(row["size_bytes"], row[h]) for row in run["rows"] for h in ("out_of_place", "in_place")]
        points = [(size * factor, half["time_us"]) for size, half in halves if size and half]
        found.append(_series(reading, run, points, factor * _LARGE_BYTES))
    return [series for series in found if series.points]


def bandwidths(readings: Sequence[Reading]) -> list[Series]:
    """perftest bandwidth: bytes of a message against the time it takes in the stream, one direction."""
    found = []
    for reading, run in _runs(readings, "perftest"):
        if run["kind"] != "bandwidth":
            continue
        ways = 2 if run["bidirectional"] else 1
        points = [
            (row["size_bytes"], row["size_bytes"] * 8 / 1e3 / (row["bw_avg_gbits_per_s"] / ways))
            for row in run["rows"]
            if row["size_bytes"] >= _STREAM_BYTES
        ]
        if points:
            found.append(_series(reading, run, points, _STREAM_BYTES))
    return found


def latencies(readings: Sequence[Reading]) -> list[Series]:
    """perftest latency of small messages: bytes against the time one way."""
    found = []
    for reading, run in _runs(readings, "perftest"):
        if run["kind"] != "latency":
            continue
        ways = 2 if run["latency_is"] == "the whole round trip" else 1
        times = [(row["size_bytes"], row["t_typical_us"] or row["t_avg_us"]) for row in run["rows"]]
        points = [(size, time / ways) for size, time in times if size <= _SMALL_BYTES and time]
        if points:
            found.append(_series(reading, run, points, 0))
    return found


def series_of(readings: Sequence[Reading]) -> list[Series]:
    """Everything that a line can be drawn through: collectives, bandwidths, latencies."""
    return [*collectives(readings), *bandwidths(readings), *latencies(readings)]


def _runs(readings: Sequence[Reading], tool: Tool) -> list[tuple[Reading, Run]]:
    usable = [reading for reading in readings if reading.usable]
    return [(reading, run) for reading in usable for run in reading.runs_of(tool)]


def _series(reading: Reading, run: Run, points: Sequence[tuple[float, float]], from_bytes: float) -> Series:
    large = [point for point in points if point[0] >= from_bytes]
    used = tuple(large if len({x for x, _ in large}) >= _FEW else points)
    return Series(reading.log, run, used, fit_line(used))


def link_rate_gbps(measured_gbps: float) -> int | None:
    """The standard rate next above what was measured; None above all of them.

    >>> link_rate_gbps(197.3), link_rate_gbps(387.6)
    (200, 400)
    """
    return next((rate for rate in LINK_RATES_GBPS if rate >= measured_gbps), None)
