"""The technologies: ids, the protocol of each, and a change from one to another."""

from __future__ import annotations

from dataclasses import dataclass

TECHNOLOGY_NAMES = (
    ("infiniband", "InfiniBand"),
    ("roce", "RoCE"),
    ("spectrum-x", "Spectrum-X"),
    ("ethernet", "Ethernet TCP"),
)
TECHNOLOGIES = tuple(technology for technology, _ in TECHNOLOGY_NAMES)


def protocol_of(technology: str) -> str:
    """The wire protocol of a technology, as transceivers and cables name it.

    >>> protocol_of("roce"), protocol_of("infiniband")
    ('ethernet', 'infiniband')
    """
    return "infiniband" if technology == "infiniband" else "ethernet"


@dataclass(frozen=True, slots=True)
class TechnologyPath:
    """One technology first, and another from the build year ``from_year`` on."""

    first: str
    later: str
    from_year: int

    @property
    def name(self) -> str:
        """As files and answers call it.

        >>> TechnologyPath("roce", "infiniband", 2029).name
        'roce-then-infiniband-2029'
        """
        return f"{self.first}-then-{self.later}-{self.from_year}"
