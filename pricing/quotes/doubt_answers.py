"""What the user answered to the doubts of a price list, and the ways out of a row that cannot be taken."""

from __future__ import annotations

from collections.abc import Mapping

from pricing.quotes.quote_values import SKIP, Doubt, QuoteError


class Answers:
    """The user's answers by the key of the doubt; keeps the doubts that nobody answered."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given
        self._used: set[str] = set()
        self.open: dict[str, Doubt] = {}

    def ask(self, doubt: Doubt, general: str | None = None) -> str | None:
        """The answer, by the doubt's key or a ``general`` one for the whole file; None leaves it open.

        Raises QuoteError for an answer that is none of the choices.
        """
        for key in (doubt.key, general):
            if key is not None and key in self._given:
                self._used.add(key)
                answer = self._given[key].strip()
                if doubt.choices and answer not in doubt.choices:
                    if key == general:  # it answers other rows
                        continue
                    said = f"{answer!r} is no answer to {doubt.key}: {' | '.join(doubt.choices)}"
                    raise QuoteError(said)
                return answer
        self.open.setdefault(doubt.key, doubt)
        return None

    def known(self, key: str) -> str | None:
        """The answer to ``key`` if there is one, without a question."""
        if key in self._given:
            self._used.add(key)
        return self._given.get(key)

    def check(self, general: tuple[str, ...] = ()) -> None:
        """Raises QuoteError for answers to questions that nobody asked."""
        unasked = sorted(set(self._given) - self._used - set(general))
        if unasked:
            raise QuoteError(f"nothing was asked about {', '.join(unasked)}")


class Left(Exception):  # noqa: N818  # no error: the way out of a row that is not taken
    """A row is left out, for this reason."""


class Open(Exception):  # noqa: N818  # no error: the way out of a row with an open doubt
    """A row cannot be read further before its doubt is answered."""


def wanted(answer: str | None) -> str:
    """The answer, or the way out of the row: left out by the user, or still open."""
    if answer is None:
        raise Open
    if answer == SKIP:
        raise Left("left out, as you said")
    return answer
