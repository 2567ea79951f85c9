"""Which inputs differ from their default, and who says what the default is."""

from __future__ import annotations

from planner.catalog.sources import Sources
from planner.scenario.scenario import Scenario
from planner.ui.content import sentences
from planner.ui.content.fields import Field


def changed(field: Field, value: object, defaults: Scenario | None) -> str:
    """The mark under an input whose value is not the default, "" under any other."""
    if value is None or defaults is None or field.required or not _differs(field, value, defaults):
        return ""
    return f"● Changed. {sentences.default(field, defaults)}"


def _differs(field: Field, value: object, defaults: Scenario) -> bool:
    """Whether a value of the document, as typed or picked, is another than the default."""
    default = field.resolved(defaults)
    given = tuple(value) if isinstance(value, list | tuple) else (value,)
    known = default if isinstance(default, tuple) else (default,)
    return [str(x) for x in _plain(given)] != [str(x) for x in _plain(known)]


def _plain(values: tuple[object, ...]) -> list[object]:
    """Values that are compared as text: numbers without their type, ratios as they are written."""
    return [float(x) if isinstance(x, int | float) and not isinstance(x, bool) else _ratio(x) for x in values]


def _ratio(value: object) -> object:
    numerator = getattr(value, "numerator", None)
    if isinstance(value, bool) or numerator is None:
        return value
    return f"{numerator}:{value.denominator}"  # type: ignore[attr-defined]


def source(field: Field, sources: Sources) -> str:
    """Who says the default, "" where it is a rule of the planner."""
    found = sources.defaults.get(field.path)
    return f"Source: {found.source.text} ({found.source.grade.value})." if found else ""
