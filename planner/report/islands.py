"""Islands of server generations in words and as plain values."""

from __future__ import annotations

from typing import Any

from planner.scenario.generations import gpus_of, steps_of
from planner.scenario.scenario import Scenario
from planner.study.islands import island_name, islands
from planner.study.result import Island
from planner.text.format import count, counted, gbps


def island_head(island: Island) -> dict[str, Any]:
    """Which island a row of the JSON answer is of."""
    rates = island.scenario.fabric.link_gbps
    return {
        "name": island.name,
        "server": island.scenario.server.id,
        "link_gbps": rates[0] if len(rates) == 1 else list(rates),
        "first_year": island.scenario.growth[0].year,
    }


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
