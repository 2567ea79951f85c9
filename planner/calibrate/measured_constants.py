"""Readings -> the constants of the model that they measure, each with its band and its fit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal, assert_never

from planner.calibrate.accelerator_names import accelerator_of
from planner.calibrate.alpha_beta_fit import (
    PASSES,
    Fit,
    Series,
    bandwidths,
    collectives,
    latencies,
    link_rate_gbps,
)
from planner.calibrate.readings import Reading
from planner.catalog.technologies import Technology
from planner.throughput.constants import Constants, load_constants

ConstantName = Literal[
    "e0",
    "alpha_us",
    "nvlink_busbw_gbytes_per_s",
    "nvlink_alpha_us",
    "fabric_busbw_gbytes_per_s",
    "stack_factor",
]
_TECHNOLOGIES: Mapping[str, Technology] = {"InfiniBand": "infiniband", "Ethernet": "roce"}  # by link layer
_LOW_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class MeasuredConstant:
    """One constant. ``of`` says what it holds for (a technology, an accelerator; "" for the job).

    ``low`` and ``high`` span the logs it was taken from, or the two ways it can be taken. ``accelerator`` is
    the one that a technology's constant holds for, where its collective was run on one ("" for every one).
    """

    name: ConstantName
    of: str
    value: float
    low: float
    high: float
    unit: str
    how: str
    logs: tuple[str, ...]
    fit: Fit | None = None
    accelerator: str = ""

    def document(self) -> dict[str, Any]:
        """As plain values for JSON."""
        fit = self.fit
        line = fit and {
            "model": "time_us = intercept_us + us_per_byte * bytes, least squares of the relative error",
            "intercept_us": fit.intercept_us,
            "us_per_byte": fit.us_per_byte,
            "residual_ratio": fit.residual_ratio,
            "points": fit.points,
            "from_bytes": fit.from_bytes,
            "to_bytes": fit.to_bytes,
            "intercept_error_us": fit.intercept_error_us,
        }
        plain = {"value": self.value, "low": self.low, "high": self.high, "unit": self.unit}
        on = {"accelerator": self.accelerator} if self.accelerator else {}
        return {**plain, "how": self.how, "logs": list(self.logs), "fit": line, **on}


def constants_of(
    readings: Sequence[Reading],
    model: Constants,
    link_gbps: float | None = None,
    technology: str | None = None,
) -> tuple[MeasuredConstant, ...]:
    """Every constant that the usable readings give; none is made up where they give none.

    ``model`` holds the model's own constants, which are taken off where a run measures several together.

    ``link_gbps`` is the rate of the link under test, by default the standard rate above what was measured;
    ``technology`` is what the collectives ran over, by default what perftest found, where that is one.
    """
    lines = collectives(readings)
    over = technology or _only_technology(readings)
    return tuple(
        [
            *_efficiencies(bandwidths(readings), link_gbps),
            *_message_latencies(latencies(readings), [s for s in lines if s.run["nodes"] > 1], over, model),
            *_scale_up([s for s in lines if s.run["nodes"] == 1]),
            *_across_nodes([s for s in lines if s.run["nodes"] > 1], over),
        ]
    )


def _technology(series: Series) -> str | None:
    return _TECHNOLOGIES.get(series.run["link_layer"] or "")


def _only_technology(readings: Sequence[Reading]) -> str | None:
    found = {_technology(series) for series in (*bandwidths(readings), *latencies(readings))} - {None}
    return found.pop() if len(found) == 1 else None


def _by_technology(series: Iterable[Series]) -> Mapping[str, list[Series]]:
    found: dict[str, list[Series]] = {}
    for one in series:
        name = _technology(one)
        if name is not None:
            found.setdefault(name, []).append(one)
    return found


def _efficiencies(series: Sequence[Series], link_gbps: float | None) -> list[MeasuredConstant]:
    """e0: the rate of large messages over the link's."""
    found = []
    for technology, several in _by_technology(series).items():
        shares: list[tuple[float, Series]] = []
        for one in several:
            rate = one.gbytes_per_s
            link = link_gbps or (link_rate_gbps(rate * 8) if rate else None)
            if rate and link and rate * 8 <= link:
                shares.append((rate * 8 / link, one))
        if not shares:
            continue
        said = f"of {link_gbps:g} Gb/s" if link_gbps else "of the standard link rate next above"
        how = f"payload of messages from 64 KiB, {said}; median of {len(shares)} runs"
        if min(share for share, _ in shares) < _LOW_SHARE:
            how += "; low: check the link rate and the fabric before it is used"
        found.append(_of_several("e0", technology, shares, "ratio of the link rate", how))
    return found


def _message_latencies(
    small: Sequence[Series], rings: Sequence[Series], over: str | None, model: Constants
) -> list[MeasuredConstant]:
    """alpha0 of each technology, less the one hop that every message has."""
    found, hop_us, by_technology = list[MeasuredConstant](), model.hop_s * 1e6, _by_technology(small)
    if len(_by_accelerator(rings)) > 1:  # each library and GPU has its own, and a technology has one
        rings = []
    for technology in dict.fromkeys([*by_technology, *([over] if over else [])]):
        messages = [(_small_us(one) - hop_us, one) for one in by_technology.get(technology, [])]
        ring_steps = [(ring_alpha_us(one, model), one) for one in rings if technology == over]
        steps = [(us - hop_us, one) for us, one in ring_steps if us is not None and us > hop_us]
        if messages or steps:
            found.append(_message_latency(technology, messages, steps))
    return found


def _message_latency(
    technology: str, messages: Sequence[tuple[float, Series]], steps: Sequence[tuple[float, Series]]
) -> MeasuredConstant:
    """What a message costs beside its bytes: the longer of small messages and of a ring's steps (medians)."""
    medians = [median([us for us, _ in pairs]) for pairs in (messages, steps) if pairs]
    longest = max(0.0, *medians)
    of_ring = bool(steps) and longest == medians[-1]
    nearest = _nearest(steps if of_ring else messages)
    how = "small messages one way (perftest), less one hop; the collective's software is not in it"
    band = 0.0
    if of_ring:
        band = nearest.intercept_band_us / PASSES["all_reduce"] / (nearest.run["nodes"] - 1)
        how = "intercept of a ring all-reduce over its steps between nodes, less one hop"
    return MeasuredConstant(
        name="alpha_us",
        of=technology,
        value=longest,
        low=max(0.0, min(*medians, longest - band)),
        high=longest + band,
        unit="us",
        how=how,
        logs=_logs([*messages, *steps]),
        fit=nearest.fit,
        accelerator=_accelerator(steps[0][1]) if of_ring else "",
    )


def _small_us(series: Series) -> float:
    """Latency of the smallest message: the line's intercept, else the smallest one's own."""
    return series.fit.intercept_us if series.fit else min(series.points)[1]


def ring_alpha_us(series: Series, model: Constants) -> float | None:
    """One step between nodes in a ring all-reduce, us, the steps inside nodes taken off.

    None where the intercept is no more than those steps: then the run does not tell.
    """
    run, intercept_us = series.run, series.intercept_us
    if intercept_us is None or run["collective"] != "all_reduce" or run["nodes"] < 2:
        return None
    inside = (run["ranks"] - run["nodes"]) * model.scale_up_step_s * 1e6
    alpha = (intercept_us / PASSES["all_reduce"] - inside) / (run["nodes"] - 1)
    return alpha if alpha > 0 else None


def _scale_up(series: Sequence[Series]) -> list[MeasuredConstant]:
    """Bus bandwidth and latency of an all-reduce inside a node, of each accelerator that was measured."""
    found = []
    for accelerator, own in _by_accelerator(series).items():
        found += _inside_a_node(accelerator, own)
    return found


def _by_accelerator(series: Iterable[Series]) -> Mapping[str, list[Series]]:
    found: dict[str, list[Series]] = {}
    for one in series:
        found.setdefault(_accelerator(one), []).append(one)
    return found


def _accelerator(series: Series) -> str:
    return accelerator_of(series.run["device"])


def _inside_a_node(accelerator: str, series: Sequence[Series]) -> list[MeasuredConstant]:
    """Of an all-reduce; of the scatter where there is no other."""
    whole = [one for one in series if one.run["collective"] == "all_reduce"] or list(series)
    rates = [(rate, one) for one in whole if (rate := one.gbytes_per_s) is not None]
    if not rates:
        return []
    nearest = _nearest(rates)
    kind, ranks = nearest.run["collective"], nearest.run["ranks"]
    how = f"bus bytes over time of {kind} on {ranks} GPUs of a node; median of {len(rates)} runs"
    found = [_of_several("nvlink_busbw_gbytes_per_s", accelerator, rates, "GB/s", how)]
    if nearest.intercept_us is not None:
        # the model's figure is of an all-reduce of 8 GPUs: two passes, growing as the root of the ranks
        scale = 2 / PASSES[kind] / math.sqrt(ranks / 8)
        alpha, band = nearest.intercept_us * scale, nearest.intercept_band_us * scale
        found.append(
            MeasuredConstant(
                name="nvlink_alpha_us",
                of=accelerator,
                value=alpha,
                low=alpha - band,
                high=alpha + band,
                unit="us",
                how=f"intercept of {kind}, as two passes over 8 GPUs",
                logs=(nearest.log,),
                fit=nearest.fit,
            )
        )
    return found


def _across_nodes(series: Sequence[Series], over: str | None) -> list[MeasuredConstant]:
    """All-reduce bus bandwidth across nodes: shown, not put into the model, which computes it."""
    rates = [(rate, one) for one in series if (rate := one.gbytes_per_s) is not None]
    whole = [pair for pair in rates if pair[1].run["collective"] == "all_reduce"] or rates
    if not whole:
        return []
    run = _nearest(whole).run
    names = sorted({_accelerator(one).upper() for _, one in whole} - {""})
    on = f" ({', '.join(names)})" if names else ""
    how = (
        f"bus bytes over time of {run['collective']} on {run['ranks']} GPUs of {run['nodes']} nodes{on}; "
        "a check of the model, which takes e0 and the links of a node instead"
    )
    return [_of_several("fabric_busbw_gbytes_per_s", over or "", whole, "GB/s", how)]


def _of_several(
    name: ConstantName, of: str, pairs: Sequence[tuple[float, Series]], unit: str, how: str
) -> MeasuredConstant:
    """The median of several series' figures, with the line of the one nearest to it."""
    values = [figure for figure, _ in pairs]
    fit = _nearest(pairs).fit
    return MeasuredConstant(name, of, median(values), min(values), max(values), unit, how, _logs(pairs), fit)


def _nearest(pairs: Sequence[tuple[float, Series]]) -> Series:
    """The series whose figure is nearest to the median of all."""
    middle = median([figure for figure, _ in pairs])
    return min(pairs, key=lambda pair: abs(pair[0] - middle))[1]


def _logs(pairs: Iterable[tuple[float, Series]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.log for _, one in pairs))


_US = 1e6


def shipped_value(constant: MeasuredConstant) -> float | None:
    """The shipped value of what a constant measures, in its unit; None where none is shipped.

    A measured stack factor stands against the model's own stack, 1.
    """
    rows, of = load_constants().rows, constant.of
    match constant.name:
        case "e0":
            row, factor = rows.get(f"{of}.efficiency"), 1.0
        case "alpha_us":
            row, factor = rows.get(f"{of}.alpha_s"), _US
        case "nvlink_busbw_gbytes_per_s":
            row, factor = rows.get(f"{of}.busbw_gbytes_per_s"), 1.0
        case "nvlink_alpha_us":
            row, factor = rows.get(f"{of}.collective_s"), _US
        case "stack_factor":
            return 1.0
        case "fabric_busbw_gbytes_per_s":
            return None  # the model computes it
        case _:
            assert_never(constant.name)
    return row.value * factor if row else None
