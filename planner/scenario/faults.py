"""What is wrong with a scenario, said so that its author can put it right: file, line, key, value, remedy."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from planner.text.terminal import one_line

Path = tuple[str | int, ...]  # a key's place in the document: ("growth", 1, "gpus")

_SHOWN_CHARACTERS = 60
_MOST_SHOWN = 100  # faults in one message
_MOST_LEVELS = 8  # of tables in tables whose keys' lines are kept


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. ``value`` is as shown in a message; None where nothing was given."""

    file: str
    line: int | None
    key: str
    value: str | None
    message: str
    remedy: str

    def __str__(self) -> str:
        """One line, whatever the file is called: ``file:line: key = value: message; remedy``."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        what = self.key if self.value is None else f"{self.key} = {self.value}"
        parts = [place, what, self.message] if what else [place, self.message]
        return one_line(": ".join(parts) + f"; {self.remedy}")


class ScenarioError(Exception):
    """A scenario that cannot be planned; ``faults`` holds every fault found, in the file's order."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        """Takes at least one fault."""
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        """One readable message, a fault a line."""
        if len(self.faults) == 1:
            return str(self.faults[0])
        more = len(self.faults) - _MOST_SHOWN
        rest = [f"... and {more} more"] if more > 0 else []
        return "\n".join([f"{len(self.faults)} faults:", *map(str, self.faults[:_MOST_SHOWN]), *rest])


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word whose spelling is nearest in any case, None where none is near.

    >>> nearest("Gpu", ["gpus", "year"])
    'gpus'
    """
    words = {name.lower(): name for name in sorted(known)}
    found = difflib.get_close_matches(word[:_SHOWN_CHARACTERS].lower(), list(words), n=1, cutoff=0.5)
    return words[found[0]] if found else None


def suggest(word: str, known: Iterable[str], many: int = 12) -> str:
    """A remedy for an unknown word: the nearest known one, and the known ones where they are few.

    >>> suggest("gpu", ["gpus", "year"])
    'did you mean "gpus"? known: gpus, year'
    """
    words = sorted(known)
    near = nearest(word, words)
    listed = ", ".join(words[:many]) + (", ..." if len(words) > many else "")
    if near is None:
        return f"known: {listed}" if words else "leave it out"
    return f'did you mean "{near}"?' + (f" known: {listed}" if len(words) <= many else "")


def shown(value: object) -> str:
    """A value as a message shows it: TOML spelling, cut where long, never nested."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{...}"
    if isinstance(value, Fraction):
        return f'"{value.numerator}:{value.denominator}"'
    if isinstance(value, list | tuple):
        inner = ", ".join("[...]" if isinstance(v, list | tuple) else shown(v) for v in value[:8])
        return _cut(f"[{inner}{', ...' if len(value) > 8 else ''}]")
    if isinstance(value, str):
        plain = value[: _SHOWN_CHARACTERS + 1].encode("unicode_escape").decode("ascii")
        return f'"{_cut(plain)}"'
    if isinstance(value, int) and abs(value) >= 10**_SHOWN_CHARACTERS:
        return "a very large number"  # int to text is refused beyond 4,300 digits
    return _cut(str(value))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."


def spelled(path: Path) -> str:
    """A path as text; rows of a table array count from 1.

    >>> spelled(("growth", 1, "gpus"))
    'growth[2].gpus'
    """
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            text += ("." if text else "") + _cut(part.encode("unicode_escape").decode("ascii"))
    return text


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|\#[^\n]*|[\[\]{}=\n]'
    r"|[^\[\]{}=\n\"'#]+|.",
    re.DOTALL,
)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """The line and the head (table header, or what stands left of "=") of each statement."""
    line, depth, start, head, in_value = 1, 0, 1, "", False
    for token in _TOKEN.findall(text):
        if token == "\n" and depth <= 0:
            if head.strip():
                yield start, head.strip()
            depth, head, in_value = 0, "", False
        elif token == "=" and depth <= 0:
            in_value = True
        elif not in_value and not token.startswith("#"):
            start = start if head.strip() else line
            head += token
        depth += (token in ("[", "{")) - (token in ("]", "}"))
        line += token.count("\n")
    if head.strip():
        yield start, head.strip()


def _names(dotted: str) -> list[str]:
    """The parts of a dotted TOML key, quotes taken off; [] where it is none."""
    if _BARE.fullmatch(dotted):
        return [dotted]
    try:
        table: object = tomllib.loads(f"{dotted} = 0")
    except (ValueError, RecursionError):
        return []
    names: list[str] = []
    while isinstance(table, dict) and table and len(names) < _MOST_LEVELS:
        name, table = next(iter(table.items()))
        names.append(name)
    return names


class Lines:
    """On which line each key of a TOML text stands."""

    def __init__(self, text: str) -> None:
        """Takes TOML that has been parsed without an error."""
        self._lines: dict[Path, int] = {}
        self._rows: dict[Path, int] = {}  # of each table array, the number of rows so far
        section: Path = ()
        for line, head in _statements(text):
            if head.startswith("[["):
                section = self._row(head[2:-2])
            elif head.startswith("["):
                section = self._place(_names(head[1:-1]))
            else:
                self._note(section + tuple(_names(head)), len(section), line)
                continue
            self._note(section, 0, line)

    def line(self, path: Path) -> int | None:
        """The line of the key, else of the nearest table around it that has one."""
        for length in range(len(path), 0, -1):
            found = self._lines.get(path[:length])
            if found is not None:
                return found
        return None

    def _note(self, path: Path, above: int, line: int) -> None:
        for length in range(above + 1, min(len(path), _MOST_LEVELS) + 1):
            self._lines.setdefault(path[:length], line)

    def _place(self, names: list[str]) -> Path:
        """The path of a table: where a name is a table array, its last row is meant."""
        path: Path = ()
        for name in names:
            path += (name,)
            if path in self._rows:
                path += (self._rows[path] - 1,)
        return path

    def _row(self, dotted: str) -> Path:
        *outer, last = _names(dotted) or [""]
        path = (*self._place(outer), last)
        self._rows[path] = self._rows.get(path, 0) + 1
        return (*path, self._rows[path] - 1)
