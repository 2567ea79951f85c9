"""An input in words: its choices, its default and who says it, the mark where it holds another value."""

from __future__ import annotations

from fractions import Fraction

from planner.catalog.sources import Sources
from planner.scenario.scenario import Scenario
from planner.text import format as form
from planner.ui.content.fields import Field


def option(field: Field, value: object) -> str:
    """A choice as a list shows it; several values mean that the planner chooses among them."""
    name = field.name_of(value)
    if name is not None:
        return name
    if isinstance(value, tuple | list):
        return " or ".join(option(field, item) for item in value)
    return form.ratio(value) if isinstance(value, Fraction) else form.plain(value)


def placeholder(field: Field, defaults: Scenario | None) -> str:
    """What an empty input stands for."""
    found = _default(field, defaults)
    return "Default" if found is None else f"{found} (default)"


def default(field: Field, defaults: Scenario | None) -> str:
    """The default as a sentence."""
    found = _default(field, defaults)
    return "" if field.required or found is None else f"Default: {found}."


def _default(field: Field, defaults: Scenario | None) -> str | None:
    if defaults is None:
        return None
    value = field.resolved(defaults)
    if value is None:
        return "chosen by the planner"
    if isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    if field.kind == "percent" and isinstance(value, int | float):
        return form.percent_points(value)
    if field.kind == "many" and isinstance(value, tuple):
        return ", ".join(option(field, item) for item in value)
    return option(field, value)


def changed(field: Field, value: object, defaults: Scenario | None) -> str:
    """The mark under an input whose value is not the default, "" under any other."""
    if value is None or defaults is None or field.required or not _differs(field, value, defaults):
        return ""
    return f"● Changed. {default(field, defaults)}"


def _differs(field: Field, value: object, defaults: Scenario) -> bool:
    """Whether a value of the document, as typed or picked, is another than the default."""
    default = field.resolved(defaults)
    given = tuple(value) if isinstance(value, list | tuple) else (value,)
    known = default if isinstance(default, tuple) else (default,)
    return _comparable(given) != _comparable(known)


def _comparable(values: tuple[object, ...]) -> list[str]:
    """Values as text: numbers without their type, ratios as they are written."""
    return [
        str(float(x)) if isinstance(x, int | float) and not isinstance(x, bool)
        else form.ratio(x) if isinstance(x, Fraction)
        else str(x)
        for x in values
    ]  # fmt: skip


def source(field: Field, sources: Sources) -> str:
    """Who says the default, "" where it is a rule of the planner."""
    found = sources.defaults.get(field.path)
    return f"Source: {found.source.text} ({found.source.grade.value})." if found else ""
