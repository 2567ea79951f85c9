"""TOML text -> a document, with what a text may cost bounded before it is parsed.

Parsing takes time and memory with the square of a key's parts, and a stack frame for every bracket within a
bracket: 200 KB of dots take many gigabytes. So every text, whoever wrote it, comes through ``parsed``.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

MAX_CHARACTERS = 1_000_000
_MOST_KEY_PARTS, _MOST_LEVELS, _MOST_HEADERS = 10, 20, 20_000

# Strings and comments, also unclosed ones; possessive, so that no text makes the search begin anew.
_STRINGS = re.compile(
    r'"""(?:[^"\\]++|\\(?:.|\Z)|"{1,2}+(?!"))*+(?:"{3,5}|\Z)'
    r"|'''(?:[^']++|'{1,2}+(?!'))*+(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]++|\\[^\n]?)*+"?'
    r"|'[^'\n]*+'?|\#[^\n]*+",
    re.DOTALL,
)
_HUGE = re.compile(r"\b0[xob][0-9A-Fa-f_]{100}")  # Python reads it and cannot write it any more
_PART = r"[^\s.=,\[\]{}]"
_DOTTED = re.compile(rf"(?<!{_PART})(?:{_PART}++[ \t]*+\.[ \t]*+){{{_MOST_KEY_PARTS}}}")


class TomlError(ValueError):
    """A text is no TOML document, or none that anybody would write; where that is known, on which line."""

    def __init__(self, message: str, remedy: str, line: int | None = None) -> None:
        """Takes what is wrong with the text, as "is empty", and what to do about it."""
        super().__init__(message)
        self.message, self.remedy, self.line = message, remedy, line


def parsed(text: str) -> dict[str, Any]:
    """The document in a TOML text. Raises TomlError for anything else."""
    if len(text) > MAX_CHARACTERS:
        raise TomlError(f"is larger than {MAX_CHARACTERS:,} characters", "name a scenario file")
    bare = _STRINGS.sub(lambda found: "" if found[0].startswith("#") else "s", text)
    if _is_deep(bare):
        raise TomlError("is nested too deeply", "write it as the shipped scenarios are")
    if _HUGE.search(bare):
        raise TomlError("is not TOML: a value cannot be read", "write numbers of at most 64 bits")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise TomlError("is nested too deeply", "write it as the shipped scenarios are") from error
    except ValueError as error:  # also a number of more digits than Python converts
        raise _syntax(text, str(error)) from error


def _is_deep(bare: str) -> bool:
    """Whether, in a text without its strings, a key has very many parts, brackets stand in very many others,
    or headers are very many."""
    if _DOTTED.search(bare) or bare.count("[") > _MOST_HEADERS:
        return True
    level = 0
    for bracket in re.findall(r"[\[\]{}]", bare):
        level += 1 if bracket in "[{" else -1
        if level > _MOST_LEVELS:
            return True
    return False


def _syntax(text: str, said: str) -> TomlError:
    """The parser names the line in words, or the end of the document."""
    found = re.search(r"\(at (?:line (\d+), column (\d+)|end of document)\)", said)
    what = said[: found.start()].strip() if found else "a value cannot be read"
    line = int(found[1]) if found and found[1] else (text.rstrip().count("\n") + 1 if found else None)
    column = f" at column {found[2]}" if found and found[2] else ""
    what = what.encode("unicode_escape").decode("ascii")
    return TomlError(f"is not TOML{column}: {what}", "write key = value under [section] headers", line)
