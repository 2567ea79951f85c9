"""What the model takes where nothing was measured: the value beside a measured one."""

from __future__ import annotations

from planner.calibrate.constants import Constant
from planner.throughput_constants import constants

_US = 1e6
_KEYS = {
    "e0": ("{}.efficiency", 1.0),
    "alpha_us": ("{}.alpha_s", _US),
    "nvlink_busbw_gbytes_per_s": ("{}.busbw_gbytes_per_s", 1.0),
    "nvlink_alpha_us": ("{}.collective_s", _US),
}


def shipped_value(constant: Constant) -> float | None:
    """The shipped value of what a constant measures, in its unit; None where none is shipped.

    A measured stack factor stands against the model's own stack, 1.
    """
    if constant.name == "stack_factor":
        return 1.0
    key, factor = _KEYS.get(constant.name, ("", 1.0))
    found = constants().get(key.format(constant.of))
    return found.value * factor if found else None
