"""Readings -> the answer of the command ``calibrate``: constants, how far they move a scenario, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.calibrate.constants import Constant, constants_of
from planner.calibrate.document import calibration_text
from planner.calibrate.moves import ALL, Move, moves, stack_factors
from planner.calibrate.readings import Reading
from planner.sources import Sources
from planner.study import Study


@dataclass(frozen=True, slots=True)
class CalibrationAnswer:
    """What a set of logs gives."""

    readings: tuple[Reading, ...]
    constants: tuple[Constant, ...]
    moves: tuple[Move, ...]

    @property
    def text(self) -> str:
        """The JSON file."""
        return calibration_text(self.readings, self.constants, [move.document() for move in self.moves])

    @property
    def complete(self) -> bool:
        """Whether every log could be used."""
        return all(reading.usable for reading in self.readings)

    def words(self) -> list[str]:
        """The constants, and what all of them together change, a line each."""
        rows = [
            f"{one.name}{f' ({one.of})' if one.of else ''} = {one.value:.4g} {one.unit}: {one.how}"
            for one in self.constants
        ]
        rows += [
            f"{move.technology} {move.year}: {move.before_tflops:,.0f} -> {move.after_tflops:,.0f} effective "
            f"TFLOP/s ({move.change_ratio:+.1%}) with all of them"
            for move in self.moves
            if move.constant == ALL
        ]
        return rows or ["no constant: no log could be used, or none measures one"]


def calibration_answer(
    readings: Sequence[Reading],
    sources: Sources,
    study: Study | None = None,
    link_gbps: float | None = None,
    technology: str | None = None,
) -> CalibrationAnswer:
    """Constants of the usable readings; with a study, also the stack factor and the moves of its answer."""
    found = constants_of(readings, link_gbps, technology)
    if study is None:
        return CalibrationAnswer(tuple(readings), found, ())
    found += stack_factors(readings, found, study, sources, technology)
    return CalibrationAnswer(tuple(readings), found, moves(found, study, sources))
