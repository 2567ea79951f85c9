"""One line of a training log -> its step, and the times on it with what each is said to be the time of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

# said to be the step's; merely "time"; tokens a second of a GPU; a time of something else
Kind = Literal["step", "time", "rate", "other"]
LONGEST = 2_000  # characters of a line in which a step and its time are looked for
_SECONDS = {
    "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0,
    **dict.fromkeys(("\N{MICRO SIGN}s", "\N{GREEK SMALL LETTER MU}s"), 1e-6),
    **dict.fromkeys(("usec", "usecs", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("msec", "msecs", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("hr", "hrs", "hour", "hours"), 3600.0),
}  # fmt: skip
_WORD = r"[a-z\N{MICRO SIGN}\N{GREEK SMALL LETTER MU}]+"
_NUMBER = r"-?(?:nan|inf|\d[\d.,]*(?:e[+-]?\d+)?)"
_MAYBE = re.compile("tim(?:e|ing)|duration|elapsed|took|latency|tps|wps|tokens", re.IGNORECASE)
_STEP = re.compile(
    r"(?<![\w.])(?<!per )(?:global[ _])?(?:train(?:ing)?[ _])?(?:steps?|iter|iteration)\s*[=:#]?\s*\[?\s*"
    r"(?P<step>\d{1,3}(?:,\d{3})+|\d+)(?:\.0+)?(?![\d.,]*\d)(?:\s*/\s*\d+)?",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?<![a-z])(?P<before>(?:[a-z]+[ _/-]+){0,4})(?P<word>time|timing|duration|elapsed|took|latency)"
    r"(?P<per>(?:[ _-]+per[ _/-]+|/)(?:train(?:ing)?[ _-])?(?:step|iter|iteration))?"
    rf"(?:[ _]*[(\[](?P<within>{_WORD})[)\]]|[ _]in[ _](?P<named>{_WORD})|_(?P<ending>{_WORD}))?"
    rf"\s*[=:]?\s*(?P<figure>\d+(?::\d\d){{1,2}}(?:\.\d+)?|{_NUMBER})(?P<gap>\s*)(?P<after>{_WORD})?"
    r"(?=[\s,;|\])}/]|$)",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"(?<![a-z])(?P<label>[tw]ps|tokens?(?:/| per |_per_)s(?:ec|econd)?(?:/| per |_per_)(?:gpu|device))"
    r"\s*[=:]\s*(?P<figure>\d[\d.,]*)",
    re.IGNORECASE,
)
_OF_A_GPU = re.compile(r"\b(?:mfu|tflops)\s*[=:]")  # torchtitan's "tps" is that of one GPU
_ASIDE = re.compile(  # a line of something between the steps, unless it only names a figure beside the step's
    r"\b(?:eval(?:uation|uating)?|valid(?:ation|ating)?|checkpoint(?:ing)?|saving|saved)\b"
    r"(?!\s+(?:step\s+)?(?:time|timing|loss|ppl|acc))",
    re.IGNORECASE,
)
_FIGURES = {*_SECONDS, "nan", "inf"}  # the end of the figure before, not a word of this one
_OF_STEP = {"step", "iter", "iteration"}
_NEUTRAL = {"elapsed", "took", "avg", "average", "mean", "median", "last", "current"}
_OF_A_PART = {
    "data", "dataloader", "load", "loading", "forward", "fwd", "backward", "bwd", "optimizer", "optim",
    "comm", "communication", "remaining", "eta", "total", "cumulative", "overall", "wall", "clock", "eval",
    "evaluation", "valid", "validation", "val", "test", "checkpoint", "save", "compile", "start", "since",
    "left", "min", "max", "gpu", "cpu", "kernel", "compute", "bubble", "idle", "wait", "first", "micro",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Printed:
    """A time (or a rate) as a line prints it; ``unit`` is "" where it has none.

    ``rest`` is the line from behind the step's number.
    """

    step: int
    kind: Kind
    label: str
    figure: str
    unit: str
    rest: str

    @property
    def clock(self) -> bool:
        """Whether it is written as hours, minutes and seconds."""
        return ":" in self.figure


class UnitError(ValueError):
    """The unit of a time is not known, or two stand beside it."""


def printed_times(text: str) -> list[Printed]:
    """Every time on the line of a step, [] on any other line; most lines are passed over at once.

    >>> [(t.kind, t.figure, t.unit) for t in printed_times("step 3: data time 1 s, iter_time_ms=250")]
    [('other', '1', 's'), ('step', '250', 'ms')]
    """
    text = text[:LONGEST].replace('"', "")
    if not _MAYBE.search(text):
        return []
    at = _STEP.search(text)
    if at is None or _ASIDE.search(text[: at.start()]):
        return []
    step, rest = int(at["step"].replace(",", "")), text[at.end() :]
    found = [
        _time(step, rest, match) for match in _TIME.finditer(rest) if not _ASIDE.search(rest[: match.start()])
    ]
    rate = _RATE.search(rest)
    if rate is not None and (len(rate["label"]) > 3 or _OF_A_GPU.search(rest)):
        found.append(Printed(step, "rate", rate["label"].lower(), rate["figure"].rstrip(",."), "", rest))
    return _plain(found)


def _time(step: int, rest: str, match: re.Match[str]) -> Printed:
    before = [word for word in re.split(r"[ _/-]+", match["before"].lower())[:-1] if word not in _FIGURES]
    beside = (match["within"] or match["named"] or match["ending"] or "").lower()
    if beside in _NEUTRAL | _OF_A_PART and not match["named"]:  # "(min)" may be the least; "in min" is not
        before, beside = [beside, *before], ""
    kind = _kind(before, match["per"] is not None)
    words = [*before, match["word"].lower(), *re.findall("[a-z]+", (match["per"] or "").lower())]
    return Printed(step, kind, " ".join(words), match["figure"].rstrip(",."), _unit(match, beside), rest)


def _kind(before: Sequence[str], per_step: bool) -> Kind:
    """What the words before "time" say that it is a time of; what is not known is no step's."""
    if not _OF_A_PART.isdisjoint(before):
        return "other"
    if per_step or (before and before[-1] in _OF_STEP):
        return "step"
    return "time" if set(before) <= _NEUTRAL else "other"


def _unit(match: re.Match[str], beside: str) -> str:
    """The units at the label and after the figure, with a blank between where they differ.

    A word after a gap that is no unit belongs to what follows ("2.5 loss 3.1").
    """
    after = (match["after"] or "").lower()
    if match["gap"] and after not in _SECONDS:
        after = ""
    return " ".join(dict.fromkeys(unit for unit in (beside, after) if unit))


def _plain(found: list[Printed]) -> list[Printed]:
    """Of several times that nothing tells apart none can be taken for the step's."""
    plain = [one for one in found if one.kind == "time"]
    if len(plain) < 2:
        return found
    return [one for one in found if one.kind != "time"] + [
        Printed(one.step, "other", one.label, one.figure, one.unit, one.rest) for one in plain
    ]


def seconds(printed: Printed, decimal_comma: bool) -> float:
    """The time in seconds, also without a unit. Raises ValueError, and UnitError of its unit."""
    if printed.clock:
        parts = [float(part) for part in printed.figure.split(":")]
        return sum(part * 60.0**power for power, part in enumerate(reversed(parts)))
    value = float(plain_figure(printed.figure, decimal_comma))
    units = {_SECONDS.get(unit) for unit in printed.unit.split()} or {1.0}
    factor = units.pop()
    if factor is None or units:
        raise UnitError(printed.unit)
    return value if factor == 1 else round(value * factor, 9)


def plain_figure(figure: str, decimal_comma: bool) -> str:
    """The figure with a decimal point and no marks of thousands, where it leaves no doubt which is which.

    >>> [plain_figure(text, False) for text in ("2.5", "1,234.5", "1,234")], plain_figure("36,46", True)
    (['2.5', '1234.5', '1,234'], '36.46')
    """
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+\.\d+", figure):
        return figure.replace(",", "")
    return figure.replace(",", ".") if decimal_comma else figure
