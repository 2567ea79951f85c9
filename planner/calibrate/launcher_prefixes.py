"""What launchers and container platforms put before a line, and what the program itself wrote there."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

_DATE = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?"
_SYSLOG = r"(?:\w{3} )?\w{3} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?(?: \d{4})?"
_NO_DEBUG = r"(?! *\S+ NCCL)"  # a stamp of the library's own, which tells its lines from a table's
_STAMP = "|".join(
    [
        _DATE + r" (?:stdout|stderr) [FP](?: |$)",  # a container runtime's file
        rf"(?:{_DATE}|{_SYSLOG}) \S+ [\w./@-]+\[\d+\]:(?: |$)",  # journald: host and unit[process]
        rf"{_DATE}(?: |(?=[#\[-])|$){_NO_DEBUG}",  # kubectl --timestamps
        rf"{_SYSLOG}(?: |(?=[#\[])|$){_NO_DEBUG}",
        rf"\[{_DATE}\](?: |$){_NO_DEBUG}",
    ]
)
_LABEL = "|".join(
    [
        # mpirun --output tag (once --tag-output), tag-detailed and tag-fullname
        r"\[[^\[\]\s]{1,80}\](?:\[[^\[\]\s]{1,80}\])?<std(?:out|err)>: ?",
        r"\[pod/[^\[\]\s]{1,300}\](?: |$)",  # kubectl --prefix
        r"\[(?:rank|default|trainer|worker)?\d+\](?:: ?| |$)",  # torchrun; Hydra -prepend-rank
        r" *\d+: ",  # srun --label pads the task's number
    ]
)
_PREFIX = re.compile(f"(?P<stamp>{_STAMP})|(?P<label>{_LABEL})")
# pdsh, clush and compose: a word that a log may hold itself, so the log has to show that it is a label
_HOST = re.compile(r"[A-Za-z0-9][\w.-]*(?::(?: |$)|\s+\|(?: |$))")
_MOST = 4  # prefixes of one line: a platform's, its stamp, a launcher's, its stamp


@dataclass(frozen=True, slots=True)
class Written:
    """A line without its prefixes; ``label`` names the task or host that wrote it, "" where none stands."""

    label: str
    text: str


def without_prefixes(lines: Sequence[str]) -> list[Written]:
    """Each line's label and own text.

    A host's name with a colon (pdsh) or a bar (compose) is a label where the log shows that it is one: it
    stands before a line that begins with "#", as headings of tables do.

    >>> [line.text for line in without_prefixes([" 0:   8  2", "a | # size", "a | b: x"])]
    ['  8  2', '# size', 'b: x']
    """
    found = [_without_marks(line) for line in lines]
    known = {host for line in found if (host := _host(line.text)) and _before_table(line.text, host)}
    return [_own(line, host) if (host := _host(line.text)) in known else line for line in found]


def _without_marks(line: str) -> Written:
    """Without stamps, and without the labels that no program writes itself."""
    label, text = "", _of_container(line)
    for _ in range(_MOST):
        found = _PREFIX.match(text)
        if found is None:
            break
        label += (found["label"] or "").strip()
        text = text[found.end() :]
    return Written(label, text)


def _of_container(line: str) -> str:
    """The line that a container's JSON file holds, else the line itself."""
    if not line.startswith('{"log":'):
        return line
    try:
        text = json.loads(line)["log"]
    except (ValueError, RecursionError):
        return line
    return text.rstrip("\r\n") if isinstance(text, str) else line


def _host(text: str) -> str:
    """What stands where a host's label does, without blanks; "" where nothing does."""
    found = _HOST.match(text)
    return found[0].rstrip() if found else ""


def _before_table(text: str, host: str) -> bool:
    return _without_marks(text[len(host) :].removeprefix(" ")).text.lstrip().startswith("#")


def _own(line: Written, host: str) -> Written:
    inner = _without_marks(line.text[len(host) :].removeprefix(" "))
    return Written(line.label + host + inner.label, inner.text)
