"""Readings of a test bed's logs -> what they give: constants, and what these change of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.calibrate.alpha_beta_fit import doubts
from planner.calibrate.calibration_file import Saved, calibration_text
from planner.calibrate.effects_on_answer import ALL, Effect, effects
from planner.calibrate.measured_constants import MeasuredConstant, constants_of
from planner.calibrate.readings import Reading
from planner.calibrate.stack_factor import stack_factors
from planner.catalog.parts import ServerModel
from planner.catalog.sources import Sources
from planner.scenario.calibration_section import NVLINK, is_of
from planner.study.study import Study
from planner.throughput.constants import load_constants


@dataclass(frozen=True, slots=True)
class CalibrationAnswer:
    """What a set of logs gives; ``refused`` says what a scenario does not take of it, and why.

    ``doubts`` say what the logs cannot tell.
    """

    readings: tuple[Reading, ...]
    constants: tuple[MeasuredConstant, ...]
    effects: tuple[Effect, ...]
    refused: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The JSON file."""
        return calibration_text(self.readings, self.constants, [effect.document() for effect in self.effects])

    @property
    def complete(self) -> bool:
        """Whether every log could be used, by the scenario too where there is one."""
        return not self.refused and all(reading.usable for reading in self.readings)

    def words(self) -> list[str]:
        """The constants, and what all of them together change, a line each."""
        rows = [
            f"{one.name}{f' ({one.of})' if one.of else ''} = {one.value:.4g} {one.unit}: {one.how}"
            for one in self.constants
        ]
        rows += [
            f"{one.technology} {one.year}: {one.before_tflops:,.0f} -> {one.after_tflops:,.0f} effective "
            f"TFLOP/s ({one.change_ratio:+.1%}) with all of them"
            for one in self.effects
            if one.constant == ALL
        ]
        return (rows or ["no constant: no log could be used, or none measures one"]) + [
            *self.doubts,
            *self.refused,
        ]


_NOTHING_SAVED = Saved()


def calibration_answer(
    readings: Sequence[Reading],
    sources: Sources,
    study: Study | None = None,
    link_gbps: float | None = None,
    technology: str | None = None,
    saved: Saved = _NOTHING_SAVED,
) -> CalibrationAnswer:
    """Constants of the usable readings; with a study, also the stack factor and the effects on its answer.

    Saved constants hold where no reading measures the same; a stack factor is worked out anew from saved
    step times, since it is of the job at hand.
    """
    every = (*readings, *saved.readings)
    measured = constants_of(readings, load_constants(), link_gbps, technology)
    found = first_of_each((*measured, *saved.constants))
    doubted = tuple(doubts(readings))
    if study is None:
        return CalibrationAnswer(every, found, (), doubts=doubted)
    others = [one for one in found if one.name != "stack_factor"]
    stack = stack_factors(every, others, study, sources, technology)
    found = first_of_each((*stack.constants, *(found if stack.constants or not stack.refused else others)))
    found = tuple(sorted(found, key=lambda one: one.name == "stack_factor"))
    refused = (*_of_others(found, study.scenario.server), *stack.refused)
    return CalibrationAnswer(every, found, effects(found, study, sources) if found else (), refused, doubted)


def _of_others(constants: Sequence[MeasuredConstant], server: ServerModel) -> list[str]:
    """The constants that were measured on another accelerator than the server's, a sentence each."""
    return [
        f"{', '.join(one.logs)}: {one.name} was measured on {on.upper() or 'an unnamed device'}, and the "
        f"scenario's servers have {server.accelerator.upper()}: it is not taken"
        for one in constants
        if (one.name in NVLINK or one.accelerator) and not is_of(on := one.accelerator or one.of, server)
    ]


def first_of_each(constants: Sequence[MeasuredConstant]) -> tuple[MeasuredConstant, ...]:
    """The first constant of each name and of what it holds for."""
    found: dict[tuple[str, str], MeasuredConstant] = {}
    for one in constants:
        found.setdefault((one.name, one.of), one)
    return tuple(found.values())
