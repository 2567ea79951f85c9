"""A scenario with several server generations -> one scenario for each island of its fabric, and their words.

An island has fabrics, managers, racks and a training job of its own. Its scenario keeps the study's base
year, so that erosion, escalation and discounting count from there; its first build year is later.
"""

from __future__ import annotations

from dataclasses import replace

from planner.scenario.generations import gpus_of, measured_on, steps_of
from planner.scenario.scenario import GrowthStep, Scenario, Workload
from planner.text.format import count, counted, gbps
from planner.throughput.constants import load_constants
from planner.throughput.estimate import job_of_size
from planner.throughput.job import wanted_batch_sequences


def islands(scenario: Scenario) -> tuple[Scenario, ...]:
    """The islands in the order of their first years; the scenario itself where there is one fabric."""
    kinds = scenario.generations
    if not kinds or scenario.fabric.join_generations:
        return (scenario,)
    steps = [steps_of(scenario, i) for i in range(len(kinds))]
    found = [_island(scenario, i, steps[i]) for i in range(len(kinds)) if steps[i]]
    return tuple(found) if len(found) > 1 else (replace(found[0], name=scenario.name),)


def island_name(scenario: Scenario) -> str:
    """What an island is called: its servers, its rate and its first year."""
    rates = ", ".join(f"{rate}G" for rate in scenario.fabric.link_gbps)
    return f"{scenario.server.name} at {rates} from {scenario.growth[0].year}"


def _island(scenario: Scenario, index: int, steps: tuple[GrowthStep, ...]) -> Scenario:
    kind = scenario.generations[index]
    return replace(
        scenario,
        server=kind.server,
        growth=steps,
        fabric=kind.fabric,
        workload=_job(scenario, steps[0].gpus),
        calibration=measured_on(scenario, kind.server.accelerator),
        installed=() if index else scenario.installed,
        generations=(),
    )


def _job(scenario: Scenario, gpus: int) -> Workload:
    """The job of an island: a batch in proportion to its GPUs, as the batch of one cluster grows."""
    job, first = scenario.workload, scenario.growth[0].gpus
    if job.fixed_batch or job.global_batch_sequences is None or gpus == first:
        return job
    if gpus < first:
        return replace(job_of_size(job, gpus, first), job_mix=job.job_mix)
    wanted = wanted_batch_sequences(job, gpus, first, load_constants())
    return replace(job, global_batch_sequences=int(wanted))


def server_words(scenario: Scenario) -> str:
    """The servers of a scenario, a later generation with its first year and rate."""
    return ", ".join([scenario.server.name, *later_servers(scenario)])


def later_servers(scenario: Scenario) -> list[str]:
    """Each later generation in words; none where all servers are alike."""
    words = []
    for kind in scenario.generations[1:]:
        rates = " or ".join(map(gbps, kind.fabric.link_gbps))
        words.append(f"{kind.server.name} at {rates} from {kind.first_year}")
    return words


def generation_words(scenario: Scenario) -> list[str]:
    """The server generations of a scenario, a line each; none where all are alike."""
    if not scenario.generations:
        return []
    if scenario.fabric.join_generations:
        last = gpus_of(scenario, scenario.growth[-1].year)
        kinds = [f"{count(n)} on {g.server.name}" for n, g in zip(last, scenario.generations, strict=True)]
        return [f"one fabric over {counted(len(kinds), 'server generation')}: {', '.join(kinds)}"]
    rows = []
    for i, part in enumerate(islands(scenario)):
        steps = ", ".join(f"{count(s.gpus)} GPUs in {s.year}" for s in steps_of(scenario, i))
        rows.append(f"island {i + 1}: {island_name(part)}: {steps}")
    return rows
