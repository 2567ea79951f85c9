"""One run's rows -> the line through them that a constant is taken from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from planner.calibrate.nccl_rows import bus_factor
from planner.calibrate.readings import Reading, Run, Tool

_FEWEST = 3


@dataclass(frozen=True, slots=True)
class Fit:
    """time = intercept_us + us_per_byte * bytes. ``residual_ratio`` is the rms error over the time.

    ``intercept_error_us`` is the standard error of the intercept, by how the points scatter about the line.
    """

    intercept_us: float
    us_per_byte: float
    residual_ratio: float
    points: int
    from_bytes: float
    to_bytes: float
    intercept_error_us: float = 0.0

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
    scatter = math.sqrt(math.fsum(errors) / (len(points) - 2))
    error = scatter * math.sqrt(1 / total + mean_x**2 / spread)
    return Fit(intercept, slope, residual, len(points), min(sizes), max(sizes), error)


_LARGE_BYTES = 2**20  # collectives: below, the library changes protocol with the size
_STREAM_BYTES = 2**16  # perftest bandwidth: below, the message rate limits it
_SMALL_BYTES = 4_096  # perftest latency: one packet
_FEW = 4
_WORST_RESIDUAL = 0.1
_ENOUGH_BYTES = 2**24  # collectives: below, time is mostly latency, so bytes over time are no bandwidth
_LATENCY_SPAN = 8  # sizes that lie closer than this tell no intercept
_CLEAR = 2  # standard errors
_FALL = 0.8  # of bytes over time from a size to the next: another protocol
LINK_RATES_GBPS = (10, 25, 40, 50, 100, 200, 400, 800, 1_600)
PASSES = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1}  # of the ring


@dataclass(frozen=True, slots=True)
class Jump:
    """Where more bytes a message go slower: the time steps up by more than the bytes do."""

    size_bytes: int
    before_us: float
    after_us: float


@dataclass(frozen=True, slots=True)
class Series:
    """The points (bytes, us) of one run, the line through them, and the log that they are of.

    ``enough_bytes`` is the least that the largest message must have for a bandwidth; ``jump`` is the last one
    near or among the points, ``broken`` where it lies among them and too few are left above it.
    """

    log: str
    run: Run
    points: tuple[tuple[float, float], ...]
    fit: Fit | None
    enough_bytes: float = 0.0
    jump: Jump | None = None
    broken: bool = False

    @property
    def span(self) -> float:
        """The largest message over the smallest."""
        sizes = [size for size, _ in self.points]
        return max(sizes) / min(sizes) if min(sizes) else math.inf

    @property
    def gbytes_per_s(self) -> float | None:
        """Bytes over time at large messages: the line's, else the largest message's; None if none fits."""
        size, time = max(self.points)
        if size < self.enough_bytes:
            return None
        if self.fit is not None and self.span >= _FEW and not self.broken:
            good = self.fit.us_per_byte > 0 and self.fit.residual_ratio <= _WORST_RESIDUAL
            return 1e-3 / self.fit.us_per_byte if good else None
        return size / time / 1e3

    @property
    def intercept_us(self) -> float | None:
        """The line's start; None where the sizes lie too close together, or scatter, to tell one."""
        fit = self.fit
        if fit is None or self.broken or self.span < _LATENCY_SPAN or fit.residual_ratio > _WORST_RESIDUAL:
            return None
        return fit.intercept_us if fit.intercept_us > _CLEAR * fit.intercept_error_us else None

    @property
    def intercept_band_us(self) -> float:
        """Two standard errors of the line's start."""
        return _CLEAR * self.fit.intercept_error_us if self.fit else 0.0


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
        if points:
            found.append(_collective(reading, run, points, factor))
    return found


def _collective(reading: Reading, run: Run, points: Sequence[tuple[float, float]], factor: float) -> Series:
    """The line of the messages above the last jump, where enough are left of one protocol."""
    jump = last_jump([point for point in points if point[0] >= factor * _LARGE_BYTES / 4])
    at = 0.0 if jump is None else jump.size_bytes
    large = _large(points, max(at, factor * _LARGE_BYTES))
    used = large if len(large) < len(points) else _large(points, at)
    broken = min(used)[0] < at
    plain = jump and Jump(round(jump.size_bytes / factor), jump.before_us, jump.after_us)
    return Series(reading.log, run, used, fit_line(used), factor * _ENOUGH_BYTES, plain, broken)


def last_jump(points: Sequence[tuple[float, float]]) -> Jump | None:
    """The last size at which bytes over time fall by a fifth or more; a larger message is never slower else.

    >>> last_jump([(100, 10), (200, 12), (300, 30), (400, 33)])
    Jump(size_bytes=300, before_us=12.0, after_us=30.0)
    """
    times: dict[float, list[float]] = {}
    for size, time in sorted(points):
        times.setdefault(size, []).append(time)
    means = [(size, fmean(several)) for size, several in times.items()]
    jumps = [Jump(round(b), x, y) for (a, x), (b, y) in pairwise(means) if b / y < _FALL * a / x]
    return jumps[-1] if jumps else None


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
    used = _large(points, from_bytes)
    return Series(reading.log, run, used, fit_line(used))


def _large(points: Sequence[tuple[float, float]], from_bytes: float) -> tuple[tuple[float, float], ...]:
    """The messages from a size on, where there are enough sizes of them; else all."""
    large = [point for point in points if point[0] >= from_bytes]
    return tuple(large if len({x for x, _ in large}) >= _FEW else points)


def doubts(readings: Sequence[Reading]) -> list[str]:
    """What the collectives' sizes cannot tell, and where their time jumps: a sentence each."""
    found = []
    for one in collectives(readings):
        if one.jump is not None:
            then = "no line is taken" if one.broken else "the line is of the messages above"
            found.append(
                f"{one.log}: the time jumps from {one.jump.before_us:.4g} to {one.jump.after_us:.4g} us at "
                f"{one.jump.size_bytes:,} bytes, as where the library changes its protocol: {then}"
            )
        if one.gbytes_per_s is None:
            found.append(f"{one.log}: no bandwidth is taken: {_why_no_rate(one)}")
        if one.intercept_us is None:
            found.append(f"{one.log}: no latency is taken: {_why_no_intercept(one)}")
    return found


def _why_no_rate(series: Series) -> str:
    if max(series.points)[0] < series.enough_bytes:
        return "the largest message is below 16 MiB"
    return "the times do not lie on a line"


def _why_no_intercept(series: Series) -> str:
    if series.broken:
        return "too few of its messages are above the jump"
    if series.span < _LATENCY_SPAN:
        return f"its messages lie too close together (the largest is {series.span:.2g} times the smallest)"
    return "the times of its messages scatter by more than what it would be"


def link_rate_gbps(measured_gbps: float) -> int | None:
    """The standard rate next above what was measured; None above all of them.

    >>> link_rate_gbps(197.3), link_rate_gbps(387.6)
    (200, 400)
    """
    return next((rate for rate in LINK_RATES_GBPS if rate >= measured_gbps), None)
