"""How the attribute table of a section is written: one row a key, with type, range, unit, default, sentence.

The tables are the classes in ``cluster_keys``, ``job_keys`` and ``money_keys``: a class is
a section, a field of it a row. From them come the check of the file (pydantic), the defaults, the command
``list keys``, the app's inputs and ``.github/SCENARIO.md``.

A new key takes a row there, a field of the same name in the frozen value (``planner.scenario.scenario`` or
``bill``), and its use; a default that is a figure and somebody's judgement is a row of ``data/defaults.csv``.
Then ``fabric-planner list keys --markdown`` makes the reference anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from planner.catalog.technologies import TECHNOLOGIES, Technology, is_technology
from planner.scenario.faults import suggest
from planner.text.terminal import is_plain

SCHEMA_VERSION = 1
MAX_GPUS = 10_000_000
MAX_HORIZON_YEARS = 50

_MOST_VALUES = 100
_RATIO = re.compile(r"([1-9][0-9]{0,5}):([1-9][0-9]{0,5})")
_KINDS = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false"}


class Section(BaseModel):
    """A section: no key beyond those named, no value turned from one type into another.

    ``header`` is its name in the file, ``repeated`` whether it is a list of rows ([[growth]]). A key left
    out is None; what stands in for it is the row's default.
    """

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, arbitrary_types_allowed=True)
    header: ClassVar[str] = ""
    repeated: ClassVar[bool] = False

    @classmethod
    def title(cls) -> str:
        """The header as the file spells it; "" for the keys above the first section."""
        if not cls.header:
            return ""
        return f"[[{cls.header}]]" if cls.repeated else f"[{cls.header}]"


def key(
    sentence: str,
    *,
    unit: str = "",
    default: object = None,
    rule: str = "",
    required: bool = False,
    alias: str | None = None,
) -> Any:
    """A row of an attribute table: the field of a section, its type and range being the annotation.

    ``default`` holds where neither the scenario nor ``data/defaults.csv`` gives the key; ``rule`` says in
    words what does where that follows from other keys. At most one of the three is there.
    """
    row: Any = {"unit": unit, "fallback": default, "rule": rule, "required": required}
    return Field(default=None, alias=alias, description=sentence, json_schema_extra=row)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One row of an attribute table, as people and programs read it."""

    section: str  # its header
    key: str
    kind: str
    range: str
    unit: str
    default: Any
    rule: str
    required: bool
    sentence: str
    choices: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The key as messages and ``data/defaults.csv`` spell it."""
        return f"{self.section}.{self.key}" if self.section else self.key


@cache
def attributes_of(section: type[Section]) -> Mapping[str, Attribute]:
    """The attribute table of a section, by key as the file spells it.

    >>> from planner.scenario.money_keys import FinanceSection
    >>> pue = attributes_of(FinanceSection)["pue"]
    >>> pue.kind, pue.range, pue.unit
    ('number', '1 to 10', 'facility power / IT power')
    """
    shapes = section.model_json_schema()["properties"]
    return {
        name: _attribute(section.header, name, shapes[name], field)
        for field_name, field in section.model_fields.items()
        for name in [field.alias or field_name]
    }


def _attribute(section: str, name: str, shape: Mapping[str, Any], field: FieldInfo) -> Attribute:
    """One row, from a field and its JSON schema."""
    value = next((s for s in shape.get("anyOf", [shape]) if s.get("type") != "null"), shape)
    inner = value.get("items") or value.get("additionalProperties") or value
    row: Any = field.json_schema_extra  # as ``key`` made it
    return Attribute(
        section=section,
        key=name,
        kind=_kind(value),
        range=_range(inner),
        unit=row["unit"],
        default=row["fallback"],
        rule=row["rule"],
        required=row["required"],
        sentence=field.description or "",
        choices=tuple(inner.get("enum", ())),
    )


def _kind(shape: Mapping[str, Any]) -> str:
    """A type in words."""
    if "words" in shape:
        return str(shape["words"])
    if "enum" in shape:
        return f"one of {', '.join(map(str, shape['enum']))}"
    if "const" in shape:
        return str(shape["const"])
    if shape.get("type") == "array":
        return f"{_kind(shape['items'])}, or a list of them"
    if shape.get("type") == "object":
        return f"table with a {_kind(shape.get('additionalProperties', {}))} each"
    return _KINDS.get(str(shape.get("type")), "any")


def _range(shape: Mapping[str, Any]) -> str:
    """A range in words, "" where there is none that a person would ask for."""
    low, above = shape.get("minimum"), shape.get("exclusiveMinimum")
    high, below = shape.get("maximum"), shape.get("exclusiveMaximum")
    if high in (1e15, 1_000_000):  # guards against a slip of the keyboard
        high = None
    if low is not None and high is not None:
        return f"{low:g} to {_grouped(high)}"
    least = f"{low:g} or more" if low is not None else f"more than {above:g}" if above is not None else ""
    most = f"at most {_grouped(high)}" if high is not None else f"less than {below:g}" if below else ""
    return ", ".join(words for words in (least, most) if words)


def _grouped(number: float) -> str:
    """A bound, its digits grouped where they are more than a year's."""
    return f"{number:,}" if isinstance(number, int) and number > 9_999 else f"{number:g}"


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


def _plain(text: str) -> str:
    """A name, which answers print: one line that no terminal obeys."""
    if not is_plain(text):
        raise wrong("holds a line break or another control character", "write it in one line of plain text")
    return text


def _technology(value: object) -> object:
    if not is_technology(value):
        raise wrong("is not a technology", suggest(value if isinstance(value, str) else "", TECHNOLOGIES))
    return value


Whole = Annotated[int, Field(ge=1, le=1_000_000)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
FreePorts = Annotated[int, Field(ge=0, le=1024)]  # more are nodes, and wanted as such
Few = Annotated[int, Field(ge=1, le=64)]
Year = Annotated[int, Field(ge=1990, le=2200)]
NotNegative = Annotated[float, Field(ge=0, le=1e15)]
Positive = Annotated[float, Field(gt=0, le=1e15)]
Weeks = Annotated[float, Field(ge=0, le=520)]  # ten years
Failures = Annotated[float, Field(ge=0, le=52)]  # of one piece a year: one a week
Share = Annotated[float, Field(ge=0, le=1)]
ShareBelowOne = Annotated[float, Field(ge=0, lt=1)]
PositiveShare = Annotated[float, Field(gt=0, le=1)]
Rate = Annotated[float, Field(gt=-1, lt=1)]
Bytes = Annotated[float, Field(gt=0, le=8)]  # of a number on the wire
Words = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_plain)]
Content = Annotated[str, Field(min_length=1, max_length=400_000)]  # of a file that a scenario carries
Several = BeforeValidator(_listed)
Listed = Annotated[list[Words], Several]
Technologies = Annotated[list[Annotated[Technology, BeforeValidator(_technology)]], Several]
Wholes = Annotated[list[Whole], Several]
Choices = Annotated[list[bool], Several]
Ratio = Annotated[
    Fraction, BeforeValidator(ratio), WithJsonSchema({"type": "string", "words": 'ratio such as "2:1"'})
]
