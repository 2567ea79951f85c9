"""[calibration] of a scenario: a file of the command ``calibrate``, or figures given in place of it."""

from __future__ import annotations

import dataclasses
import json
import logging
import math
from collections.abc import Mapping
from typing import Any

from planner.catalog.parts import ServerModel
from planner.catalog.technologies import TECHNOLOGIES
from planner.scenario.document_reader import DocumentReader
from planner.scenario.job_keys import CalibrationSection
from planner.scenario.scenario import Calibration, Workload

_LOG = logging.getLogger(__name__)
_MAX_BYTES = 50_000_000
_RDMA = ("infiniband", "roce", "spectrum-x")
_BY_TECHNOLOGY = ("e0", "alpha_us")
NVLINK = ("nvlink_busbw_gbytes_per_s", "nvlink_alpha_us")
_POSITIVE = ("e0", "nvlink_busbw_gbytes_per_s")  # nothing would ever arrive
_MOST_LOGS, _LONGEST_NAME = 100, 200  # what a scenario may hold
_LIMITS = {"e0": (0.0, 1.0), "stack_factor": (0.01, 100.0)}


def calibration(
    reader: DocumentReader, server: ServerModel | None
) -> tuple[Calibration | None, float | None]:
    """(measured constants, measured stack factor), each None where nothing was measured.

    A file is looked for in the scenario's folder. A figure given in the scenario goes before the file's;
    ``technologies`` says what e0 and alpha_us given here hold for, by default every RDMA fabric; those
    by technology go before all.
    """
    section = reader.table(CalibrationSection)
    found = _of_file(reader, section.file, server) if section.file is not None else {}
    for name in _BY_TECHNOLOGY:
        given = getattr(section, name)
        every = {} if given is None else dict.fromkeys(section.technologies or _RDMA, given)
        each = getattr(section, f"{name}_by_technology") or {}
        for of in each:
            reader.known_id(("calibration", f"{name}_by_technology", of), of, TECHNOLOGIES, "technology")
        if every or each:
            found[name] = {**found.get(name, {}), **every, **each}
    for name in (*NVLINK, "stack_factor"):
        if getattr(section, name) is not None:
            found[name] = getattr(section, name)
    if section.technologies is not None and section.e0 is None and section.alpha_us is None:
        where = ("calibration", "technologies")
        reader.fault(where, "has nothing to hold for", "give e0 or alpha_us beside it")
    stack_factor = found.pop("stack_factor", None)
    return (Calibration(**found) if found else None), stack_factor


def on_measured_stack(
    reader: DocumentReader, job: Workload | None, stack_factor: float | None
) -> Workload | None:
    """The job with a measured stack factor, unless [workload] gives one itself."""
    given = reader.doc.get("workload", {})
    if job is None or stack_factor is None or (isinstance(given, Mapping) and "stack_factor" in given):
        return job
    reader.defaults_used[:] = [
        x for x in reader.defaults_used if not x.startswith("workload.stack_factor = ")
    ]
    return dataclasses.replace(job, stack_factor=stack_factor, calibrated=True)


def _of_file(reader: DocumentReader, name: str, server: ServerModel | None) -> dict[str, Any]:
    where = ("calibration", "file")
    raw = reader.file_named(where, name, "the other keys of calibration", _MAX_BYTES)
    if raw is None:
        return {}
    try:
        constants = json.loads(raw.decode("utf-8-sig"))["constants"]
        found, left_out = figures_for(constants, server)
        reader.defaults_used += left_out
        return found
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        _LOG.info("%s is no calibration", name, exc_info=True)
        reader.fault(where, "is no calibration", "name a file that calibrate has written")
    return {}


def figures_for(
    constants: Mapping[str, Any], server: ServerModel | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """(the figures of a calibration's constants that hold for a server, what is left out and why).

    What was measured on an accelerator holds for that one alone, a figure of a fabric for every one unless it
    names one. Raises ValueError, KeyError, TypeError or AttributeError where they are no constants.
    """
    found: dict[str, Any] = {}
    left_out = []
    for name in _BY_TECHNOLOGY:
        measured = {of: _figure(name, entry) for of, entry in constants.get(name, {}).items()}
        for of, entry in constants.get(name, {}).items():
            accelerator = entry.get("accelerator", "")
            if accelerator and not is_of(accelerator, server):
                left_out.append(_not_taken(f"{name} of {of}", accelerator))
                del measured[of]
        if "roce" in measured:
            measured.setdefault("spectrum-x", measured["roce"])  # the same NICs and frames
        if measured:
            found[name] = measured
    for name in NVLINK:
        by_accelerator = constants.get(name, {})
        if "value" in by_accelerator:  # of an accelerator that its log does not name
            by_accelerator = {"": by_accelerator}
        for of, entry in sorted(by_accelerator.items(), key=lambda item: len(item[0])):
            value = _figure(name, entry)
            if is_of(of, server):
                found[name] = value
            else:
                left_out.append(_not_taken(name, of))
    if "stack_factor" in constants:
        found["stack_factor"] = _figure("stack_factor", constants["stack_factor"])
    return found, tuple(left_out)


def is_of(measured_on: str, server: ServerModel | None) -> bool:
    """Whether the server has the accelerator that was measured, by id or by family ("a100" for "a100-80gb").

    One that no log names, or no known server, is never the same.
    """
    own = server.accelerator if server is not None else ""
    return measured_on != "" and measured_on in (own, own.split("-")[0])


def _not_taken(name: str, measured_on: str) -> str:
    return f"calibration: {name} was measured on {measured_on or 'an unnamed device'}, so it is not taken"


def section_of(constants: Mapping[str, Any], server: ServerModel | None) -> dict[str, Any]:
    """[calibration] of a scenario on that server with these constants; empty where none holds for it.

    Raises as ``figures_for``.
    """
    found, _ = figures_for(constants, server)
    found = {name: _short(value) for name, value in found.items()}
    logs = {log for log in _logs(constants) if isinstance(log, str) and 0 < len(log) <= _LONGEST_NAME}
    named = {"logs": sorted(logs)[:_MOST_LOGS]} if found and logs else {}
    return {**named, **{f"{k}_by_technology" if k in _BY_TECHNOLOGY else k: v for k, v in found.items()}}


def _short(value: Any) -> Any:
    """Figures to six digits: nothing was measured closer, and a person reads them."""
    if isinstance(value, Mapping):
        return {key: _short(each) for key, each in value.items()}
    return float(f"{value:.6g}")


def _logs(entry: object) -> list[object]:
    """What the constants were read from, at any depth."""
    if not isinstance(entry, Mapping):
        return []
    own = entry.get("logs")
    below = [log for value in entry.values() for log in _logs(value)]
    return [*(own if isinstance(own, list | tuple) else ()), *below]


def _figure(name: str, entry: Mapping[str, Any]) -> float:
    """A constant's value; raises ValueError where it is no figure or out of range."""
    value = entry["value"]
    low, high = _LIMITS.get(name, (0.0, math.inf))
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(name)
    if value == 0 and name in _POSITIVE or not math.isfinite(value):
        raise ValueError(name)
    return float(value)
