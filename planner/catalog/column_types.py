"""What a cell of a catalog file may hold: the column types of the row models, and how a row is checked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import isfinite
from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, ValidationInfo
from pydantic_core import PydanticCustomError

from planner.catalog.technologies import PROTOCOLS, TECHNOLOGIES, Protocol, Technology
from pricing.csv_rows import Row
from pricing.provenance import Grade, Source

M = TypeVar("M", bound=BaseModel)


def _text(cell: str) -> str:
    if not cell:
        raise ValueError("is empty")
    return cell


def _signed(cell: str) -> float:
    try:
        value = float(_text(cell))
    except ValueError:
        raise ValueError(f"{cell!r} is not a number" if cell else "is empty") from None
    if not isfinite(value):
        raise ValueError(f"{cell!r} is not finite")
    return value


def _number(cell: str) -> float:
    value = _signed(cell)
    if value < 0:
        raise ValueError(f"{value:g} is negative")
    return value


def _whole(cell: str) -> int:
    if not _text(cell).isdecimal():
        raise ValueError(f"{cell!r} is not a whole number")
    return int(cell)


def _count(cell: str) -> int:
    value = _whole(cell)
    if value < 1:
        raise ValueError("must be 1 or more")
    return value


def _wholes(cell: str) -> tuple[int, ...]:
    parts = _text(cell).split(";")
    if not all(part.isdecimal() for part in parts):
        raise ValueError(f"{cell!r} is not a list of whole numbers")
    numbers = tuple(int(part) for part in parts)
    if numbers[0] < 1 or list(numbers) != sorted(set(numbers)):
        raise ValueError(f"{cell!r} does not rise from 1 or more")
    return numbers


def _known(cell: str, known: Collection[str]) -> str:
    if _text(cell) not in known:
        raise ValueError(f"{cell!r} is none of {', '.join(sorted(known))}")
    return cell


def _optional(read: Callable[[str], Any], empty: object = None) -> BeforeValidator:
    """The reader of a cell that may be empty, and what it then stands for."""
    return BeforeValidator(lambda cell: read(cell) if cell else empty)


def one_of(words: Any) -> BeforeValidator:
    """The reader of a cell that holds a word of a Literal."""
    return BeforeValidator(lambda cell: _known(cell, get_args(words)))


def several_of(words: Collection[str]) -> BeforeValidator:
    """The reader of a cell that holds words, parted by semicolons."""
    return BeforeValidator(lambda cell: frozenset(_known(word, words) for word in _text(cell).split(";")))


def id_of(file: str, *, optional: bool = False) -> BeforeValidator:
    """The reader of a cell that holds an id of another file, which the context lists."""

    def read(cell: str, info: ValidationInfo) -> str:
        known: Mapping[str, Collection[str]] = info.context or {}
        return cell if optional and not cell else _known(cell, known[file])

    return BeforeValidator(read)


Text = Annotated[str, BeforeValidator(_text)]
Signed = Annotated[float, BeforeValidator(_signed)]
SignedOrNone = Annotated[float | None, _optional(_signed)]
Number = Annotated[float, BeforeValidator(_number)]  # 0 or more
NumberOrNone = Annotated[float | None, _optional(_number)]  # empty is never 0
NumberOrZero = Annotated[float, _optional(_number, 0.0)]
Whole = Annotated[int, BeforeValidator(_whole)]  # 0 or more
WholeOrNone = Annotated[int | None, _optional(_whole)]
WholeOrZero = Annotated[int, _optional(_whole, 0)]
Count = Annotated[int, BeforeValidator(_count)]  # 1 or more
Rising = Annotated[tuple[int, ...], BeforeValidator(_wholes)]  # parted by semicolons
Flag = Annotated[bool, BeforeValidator(lambda cell: _known(cell, ("0", "1")) == "1")]
GradeCell = Annotated[Grade, BeforeValidator(lambda cell: Grade(_known(cell, tuple(Grade))))]
Technologies = Annotated[frozenset[Technology], several_of(TECHNOLOGIES)]
Protocols = Annotated[frozenset[Protocol], several_of(PROTOCOLS)]


class SourcedRow(BaseModel):
    """A row whose figures have a source."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    source: Text
    date: Text
    grade: GradeCell
    note: str

    def provenance(self) -> Source:
        """Where the row's figures come from."""
        return Source(self.source, self.date, self.grade)


class PoweredRow(SourcedRow):
    """A row whose power has a source of its own."""

    power_source: Text
    power_date: Text
    power_grade: GradeCell


class MaybePoweredRow(SourcedRow):
    """A row whose power may be unknown, and has a source of its own where it is known."""

    power_w: NumberOrNone
    power_source: str
    power_date: str
    power_grade: str

    def power_provenance(self) -> Source | None:
        """Where the power comes from, None where it is not known."""
        if self.power_w is None:
            return None
        return Source(self.power_source, self.power_date, Grade(self.power_grade))


def fault_of(column: str, problem: str) -> PydanticCustomError:
    """A fault of several columns together, told of the one to look at first."""
    return PydanticCustomError("column", "{problem}", {"column": column, "problem": problem})


def checked(model: type[M], row: Row, ids: Mapping[str, Collection[str]] | None = None) -> M | None:
    """The row as its model reads it; None with every fault noted on the row.

    ``ids``: those of other files, by file, which the row may name. A column that the file lacks is a fault
    of its header, and not noted again.
    """
    try:
        return model.model_validate(dict(row.cells), context=ids)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            context = detail.get("ctx", {})
            if detail["type"] == "column":
                row.fault(context["column"], context["problem"])
            elif detail["type"] != "missing":
                row.fault(str(detail["loc"][0]), str(context.get("error", detail["msg"])))
        return None
