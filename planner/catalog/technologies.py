"""The technologies: ids and display names once, the protocol of each, and a change from one to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeGuard, get_args

Technology = Literal["infiniband", "roce", "spectrum-x", "ethernet"]
Protocol = Literal["infiniband", "ethernet"]
TECHNOLOGIES: tuple[Technology, ...] = get_args(Technology)
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)
TECHNOLOGY_NAMES: Mapping[Technology, str] = {
    "infiniband": "InfiniBand",
    "roce": "RoCE",
    "spectrum-x": "Spectrum-X",
    "ethernet": "Ethernet TCP",
}


def is_technology(word: object) -> TypeGuard[Technology]:
    """Whether a word from outside is the id of a technology.

    >>> is_technology("roce"), is_technology("token-ring")
    (True, False)
    """
    return word in TECHNOLOGIES


def technology_name(word: str) -> str:
    """What people call a technology; any other word, such as a path's name, stays as it is.

    >>> technology_name("ethernet"), technology_name("roce-then-infiniband-2029")
    ('Ethernet TCP', 'roce-then-infiniband-2029')
    """
    return TECHNOLOGY_NAMES[word] if is_technology(word) else word


def protocol_of(technology: str) -> Protocol:
    """The wire protocol of a technology, as transceivers and cables name it.

    Raises ValueError for an unknown technology.

    >>> protocol_of("roce"), protocol_of("infiniband")
    ('ethernet', 'infiniband')
    """
    if not is_technology(technology):
        raise ValueError(f"{technology!r} is no technology")
    return "infiniband" if technology == "infiniband" else "ethernet"


@dataclass(frozen=True, slots=True)
class TechnologyPath:
    """One technology first, and another from the build year ``from_year`` on."""

    first: Technology
    later: Technology
    from_year: int

    @property
    def name(self) -> str:
        """As files and answers call it.

        >>> TechnologyPath("roce", "infiniband", 2029).name
        'roce-then-infiniband-2029'
        """
        return f"{self.first}-then-{self.later}-{self.from_year}"

    def technology_in(self, year: int) -> Technology:
        """The technology that serves in a year.

        >>> path = TechnologyPath("roce", "infiniband", 2029)
        >>> path.technology_in(2028), path.technology_in(2029)
        ('roce', 'infiniband')
        """
        return self.first if year < self.from_year else self.later
