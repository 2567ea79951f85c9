"""What the sections of a scenario file are made of: ranges, lists, ratios. No defaults here."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from planner.catalog.technologies import TECHNOLOGIES, Technology
from planner.scenario.faults import suggest

SCHEMA_VERSION = 1
MAX_GPUS = 10_000_000
MAX_HORIZON_YEARS = 50

_MOST_VALUES = 100
_RATIO = re.compile(r"([1-9][0-9]{0,5}):([1-9][0-9]{0,5})")


def wrong(message: str, remedy: str) -> PydanticCustomError:
    """An error that carries its own words, told by its type "said"."""
    return PydanticCustomError("said", "{message}", {"message": message, "remedy": remedy})


def ratio(value: object) -> Fraction:
    """Down : up as a Fraction, from text such as "2:1". Raises where it is anything else.

    >>> ratio("7:5")
    Fraction(7, 5)
    """
    if isinstance(value, Fraction):
        return value
    found = _RATIO.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise wrong("is not a ratio of down to up", 'write two positive whole numbers in quotes, as "2:1"')
    return Fraction(int(found[1]), int(found[2]))


def schema_version(value: object) -> object:
    """The file's schema number, which must be the one that this planner reads."""
    if value is not None and (value != SCHEMA_VERSION or not isinstance(value, int) or value is True):
        raise wrong("is no schema that this planner reads", f"write {SCHEMA_VERSION}")
    return value


def _listed(value: object) -> object:
    """A single value as a list of one; a repeated value is refused."""
    if not isinstance(value, list):
        return [value]
    if not value:
        raise wrong("is an empty list", "name at least one value, or leave the key out")
    if len(value) > _MOST_VALUES:
        raise wrong("is too long a list", f"name at most {_MOST_VALUES} values")
    if any(other == v and type(other) is type(v) for i, v in enumerate(value) for other in value[:i]):
        raise wrong("names a value twice", "name each value once")
    return value


def _technology(value: object) -> object:
    if value not in TECHNOLOGIES:
        raise wrong("is not a technology", suggest(value if isinstance(value, str) else "", TECHNOLOGIES))
    return value


Whole = Annotated[int, Field(ge=1, le=1_000_000)]
NotNegative = Annotated[float, Field(ge=0, le=1e15)]
Positive = Annotated[float, Field(gt=0, le=1e15)]
Share = Annotated[float, Field(ge=0, le=1)]
Rate = Annotated[float, Field(gt=-1, lt=1)]
Words = Annotated[str, Field(min_length=1, max_length=200)]
Several = BeforeValidator(_listed)
Listed = Annotated[list[Words], Several]
Technologies = Annotated[list[Annotated[Technology, BeforeValidator(_technology)]], Several]
Ratio = Annotated[Fraction, BeforeValidator(ratio)]
Wholes = Annotated[list[Whole], Several]
Count = Annotated[int, Field(ge=0, le=1_000_000)]


class Section(BaseModel):
    """A section: no key beyond those named, no value turned from one type into another."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, arbitrary_types_allowed=True)
