"""What an answer with several server generations rests on, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from planner.islands import island_name, islands
from planner.scenario import Scenario


def generation_notes(scenario: Scenario) -> Iterator[str]:
    """How the generations share a fabric, or do not; nothing where all servers are alike."""
    kinds = scenario.generations
    if not kinds:
        return
    if scenario.fabric.join_generations:
        names = " and ".join(dict.fromkeys(kind.server.name for kind in kinds))
        yield (
            f"One fabric over {names}: the training job spans all of them and is paced by the slowest GPU; "
            "its MFU is a share of the peak of all GPUs. Servers and their power are counted by generation."
        )
        return
    names = "; ".join(island_name(part) for part in islands(scenario))
    yield (
        f"Each server generation is an island ({names}) with fabrics, fabric managers, racks and spares of "
        "its own, and runs a training job of its own: effective TFLOP/s are added, MFU is over the peak of "
        "all GPUs, the batch of an island's job is in proportion to its GPUs. [fabric] join_generations = "
        "true asks for one fabric where the ends of the links are alike."
    )
    yield (
        "Gear that an island no longer uses is sold, not offered to another island: at its unexpired life "
        "that is worth nearly as much; with other residual values an exchange by hand may be cheaper."
    )
