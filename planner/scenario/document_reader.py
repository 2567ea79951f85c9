"""A scenario document while it is being checked: its sections, its faults, the defaults it took."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from planner.catalog.sources import Sources
from planner.scenario.attributes import Section, attributes_of
from planner.scenario.faults import Fault, Lines, Path, shown, spelled, suggest
from planner.scenario.sections import BY_HEADER, sections_with
from pricing.guarded_files import NamedFiles, OutsideError, file_bytes
from pricing.provenance import Grade, Source

S = TypeVar("S", bound=Section)
_LOG = logging.getLogger(__name__)
_MOST_FAULTS = 200  # of one section: a message with more helps nobody

# pydantic's error type -> what is wrong, and what to write instead
_SAID: dict[str, tuple[str, str]] = {
    "int_type": ("is not a whole number", "write a whole number without quotes or decimal point"),
    "int_from_float": ("is not a whole number", "write a whole number without decimal point"),
    "float_type": ("is not a number", "write a number without quotes, with a point for decimals"),
    "finite_number": ("is not a finite number", "write a finite number"),
    "bool_type": ("is neither true nor false", "write true or false without quotes"),
    "string_type": ("is not text", "put text in quotes"),
    "string_too_short": ("is empty", "give it, or leave the key out"),
    "string_too_long": ("is too long", "write at most {max_length} characters"),
    "string_pattern_mismatch": ("is not an id", "write lower-case letters, digits, hyphens and dots"),
    "dict_type": ("is not a table", "write it as a section of its own"),
    "literal_error": ("is not one of the choices", "write {expected}"),
    "greater_than_equal": ("is too small", "write at least {ge}"),
    "greater_than": ("is too small", "write more than {gt}"),
    "less_than_equal": ("is too large", "write at most {le}"),
    "less_than": ("is too large", "write less than {lt}"),
}


class DocumentReader:
    """Collects every fault of a document instead of stopping at the first."""

    def __init__(
        self, doc: Mapping[str, Any], sources: Sources, file: str, text: str | None, named: NamedFiles
    ) -> None:
        """Takes a document, the TOML text that it was read from where there is one, and the files that it
        may name."""
        self.doc = doc
        self._named = named
        self.sources = sources
        self.file = file
        self.defaults_used: list[str] = []
        self.faults: list[Fault] = []
        self._read: dict[type[Section], Any] = {}  # what each section came to, checked once
        self._text = text
        self._lines: Lines | None = None

    def fault(self, path: Path, message: str, remedy: str) -> None:
        """Adds a fault of the key at ``path``; its value is looked up in the document."""
        if self._lines is None and self._text is not None:
            self._lines = Lines(self._text)
        if path and isinstance(path[-1], int) and not isinstance(self._value(path[:-1]), list):
            path = path[:-1]  # a single value, checked as a list of one
        line = self._lines.line(path) if self._lines else None
        value = self._value(path)
        given = None if value is None else shown(value)
        found = Fault(self.file, line, key=spelled(path), value=given, message=message, remedy=remedy)
        self.faults.append(found)

    def required(self, path: Path, value: object, remedy: str) -> None:
        """Adds a fault where a required key was not given (a faulty one has its fault already)."""
        inside = self._value(path[:-1])
        if value is None and self._value(path) is None and (inside is None or isinstance(inside, Mapping)):
            self.fault(path, "is missing", remedy)

    def faulty(self, *keys: str) -> bool:
        """Whether a fault was found in one of these keys or tables."""
        return any(fault.key.startswith(keys) for fault in self.faults)

    def known_id(self, path: Path, value: str, known: Iterable[str], what: str) -> bool:
        """Whether ``value`` is a known id; a fault with the nearest one where not."""
        ids = set(known)
        if value in ids:
            return True
        many = len(self.faults) >= _MOST_FAULTS  # then the search for near words would take minutes
        self.fault(path, f"is not a known {what}", "see the faults above" if many else suggest(value, ids))
        return False

    @property
    def reads_files(self) -> bool:
        """Whether the document may name files at all."""
        return self._named.folder is not None

    def file_named(self, path: Path, name: str, carried_as: str, most_bytes: int) -> bytes | None:
        """What the file holds that the key at ``path`` names; a fault where it may not be read or cannot be.

        ``carried_as`` is where the file's content may stand in the scenario itself.
        """
        try:
            return file_bytes(self._named.path(name), most_bytes)
        except OutsideError as error:
            _LOG.info("the scenario names the file %r, which %s", name, error.strerror)
            if self.reads_files:
                said = "lies outside the scenario's folder"
                remedy = "move it into that folder, or name it on the command line too: --may-read FILE"
            else:
                said = "names a file, and only a scenario file on the command line may name one"
                remedy = (
                    f"put what the file holds into the scenario, as {carried_as}; "
                    "fabric-planner embed SCENARIO.toml --out FILE does it"
                )
            self.fault(path, said, remedy)
        except OSError as error:
            _LOG.info("the file %r that the scenario names cannot be read", name, exc_info=True)
            self.fault(path, f"cannot be read: {error.strerror}", "name a file beside the scenario's")
        return None

    def scenario_source(self) -> Source:
        """The provenance of a figure that the scenario itself gives."""
        year = self.doc.get("base_year")
        return Source(f"given in {self.file}", shown(year) if isinstance(year, int) else "", Grade.QUOTE)

    def given_rows(self, name: str) -> list[Mapping[str, Any]]:
        """The rows of ``[[name]]`` as they stand in the document, in order or not."""
        raw = self.doc.get(name)
        return [row for row in raw if isinstance(row, Mapping)] if isinstance(raw, list) else []

    def gives(self, name: str, key: str) -> bool:
        """Whether ``[name]`` has the key, in order or not."""
        table = self.doc.get(name)
        return isinstance(table, Mapping) and table.get(key) is not None

    def section(self, model: type[S], raw: object, path: Path) -> S:
        """The keys of a section that are in order; the others become faults."""
        if not isinstance(raw, Mapping):
            self.fault(path, "is not a table", f"put its keys under a header [{path[0]}]")
            return model()
        named = {key: value for key, value in raw.items() if isinstance(key, str)}
        for key in raw.keys() - named.keys():
            self.fault((*path, str(key)), "is not a text key", f"known: {', '.join(attributes_of(model))}")
        try:
            return model.model_validate(named)
        except ValidationError as error:
            errors = error.errors(include_url=False)
            for detail in errors[:_MOST_FAULTS]:
                self._translate(model, path, detail)
            bad = {str(detail["loc"][0]) for detail in errors}
            return model.model_validate({k: v for k, v in named.items() if k not in bad})

    def table(self, model: type[S]) -> S:
        """The section of one table, empty where it is left out."""
        if model not in self._read:
            self._read[model] = self.section(model, self._part(model.header, {}), (model.header,))
        found: S = self._read[model]
        return found

    def rows(self, model: type[S]) -> list[S]:
        """The rows of a repeated section, none where it is left out."""
        if model not in self._read:
            self._read[model] = self._checked_rows(model)
        found: list[S] = self._read[model]
        return found

    def _checked_rows(self, model: type[S]) -> list[S]:
        raw = self._part(model.header, [])
        if not isinstance(raw, list):
            self.fault((model.header,), "is not a list of tables", f"open each row with {model.title()}")
            return []
        return [self.section(model, row, (model.header, i)) for i, row in enumerate(raw)]

    def value(self, section: Section, key: str, ruled: object = None) -> Any:
        """What was given, else the default, which is noted: the data's, else ``ruled`` (what a rule makes of
        other keys), else that of the attribute table; None where there is none."""
        given = getattr(section, key)
        if given is not None:
            return given
        row = attributes_of(type(section))[key]
        default = self.sources.defaults.get(row.path)
        if default is None:
            value = row.default if ruled is None else ruled
            if value is not None:
                self.defaults_used.append(f"{row.path} = {shown(value)}")
            return value
        # Lax: the data holds decimals only, also for years and counts.
        value = getattr(type(section).model_validate({key: default.value}, strict=False), key)
        source = default.source
        self.defaults_used.append(f"{row.path} = {shown(value)} ({source.grade}: {source.text})")
        return value

    def filled(self, section: Section, kind: type[Any], skip: frozenset[str] = frozenset()) -> dict[str, Any]:
        """A value for each field of the dataclass ``kind`` that the section has too: given, or its default.

        A field that has neither and that the dataclass needs is a fault.
        """
        values = {}
        for field in dataclasses.fields(kind):
            if field.name in skip or field.name not in type(section).model_fields:
                continue
            values[field.name] = self.value(section, field.name)
            if values[field.name] is None and field.default is dataclasses.MISSING:
                path = (section.header, field.name)
                self.required(path, None, "give it: the data has no default for it")
        return values

    def _part(self, name: str, empty: object) -> object:
        raw = self.doc.get(name)
        return empty if raw is None else raw

    def _value(self, path: Path) -> object:
        value: object = self.doc
        for part in path:
            if isinstance(value, Mapping) and isinstance(part, str):
                value = value.get(part)
            elif isinstance(value, list) and isinstance(part, int) and part < len(value):
                value = value[part]
            else:
                return None
        return value

    def _translate(self, model: type[Section], path: Path, detail: ErrorDetails) -> None:
        where = (*path, *detail["loc"])
        context = detail.get("ctx", {})
        if detail["type"] == "extra_forbidden":
            self._unknown(model, path, where)
        elif detail["type"] == "said":
            self.fault(where, context["message"], context["remedy"])
        else:
            message, remedy = _SAID.get(detail["type"], (detail["msg"], "see the scenario reference"))
            self.fault(where, message, remedy.format(**context))

    def _unknown(self, model: type[Section], path: Path, where: Path) -> None:
        key = str(where[-1])
        elsewhere = sections_with(key)
        if elsewhere:
            self.fault(where, "is not a key here", f"it belongs to [{elsewhere[0]}]")
            return
        known = attributes_of(model) if path else (*attributes_of(model), *BY_HEADER)
        self.fault(where, "is not a known key", suggest(key, known))
