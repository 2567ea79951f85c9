"""Choosing between numbers, for one value or for an array of them: one formula, two users.

The step's formulas are written for ``float``. ``estimate_many`` hands them numpy arrays in the same
places: whatever is only added, multiplied or divided works as it is, and what compares comes here.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np


def _array(*values: Any) -> bool:
    return any(isinstance(value, np.ndarray) for value in values)


def larger(first: float, second: float) -> float:
    """The larger of two, element by element.

    >>> larger(1.0, 2.0)
    2.0
    """
    return cast(float, np.maximum(first, second)) if _array(first, second) else max(first, second)


def smaller(first: float, second: float) -> float:
    """The smaller of two, element by element."""
    return cast(float, np.minimum(first, second)) if _array(first, second) else min(first, second)


def pick(condition: bool, yes: float, no: float) -> float:
    """``yes`` where the condition holds, else ``no``; both are worked out beforehand."""
    return cast(float, np.where(condition, yes, no)) if _array(condition) else (yes if condition else no)


def both(first: bool, second: bool) -> bool:
    """Whether both conditions hold, element by element."""
    return cast(bool, np.logical_and(first, second)) if _array(first, second) else first and second


def root(number: float) -> float:
    """The square root."""
    return cast(float, np.sqrt(number)) if _array(number) else math.sqrt(number)


def nearest(number: float) -> float:
    """The nearest whole number; a half goes to the even one."""
    return cast(float, np.rint(number)) if _array(number) else round(number)


def pieces(whole: float, part: float) -> float:
    """How many ``part`` it takes to hold ``whole``: a whole number.

    >>> pieces(9, 8)
    2
    """
    return -(-whole // part)
