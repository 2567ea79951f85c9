"""What a link is made of: the cheapest medium that reaches, and how many pieces it takes.

A medium is one cable assembly (DAC, ACC, AEC, AOC), or two modules and a fibre. Which part fits
which cage is data; here is the arithmetic of connectors, splitters and twin-port cages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Literal

from planner.catalog.parts import CableAssembly, Catalog, Fibre, Transceiver

Hub = Literal["a", "b"]  # the end of a bundle at which the links of a cable are together


@dataclass(frozen=True, slots=True)
class LinkEnd:
    """One end of a bundle: its cage and how many links of this rate leave each cage.

    ``apart``: the links of a cage may go to different devices (a leaf's down ports, a node's ports).
    """

    cage: str
    links_per_cage: int


@dataclass(frozen=True, slots=True)
class LinkBundle:
    """A bundle to be wired: both ends, rate (Gb/s), length (m), protocol.

    ``links_per_pair`` is how many links run between the same two devices; 1 where every link of a
    cage may lead elsewhere.
    """

    a: LinkEnd
    b: LinkEnd
    gbps: int
    length_m: float
    protocol: str
    links_per_pair: int


@dataclass(frozen=True, slots=True)
class Medium:
    """What the links of a bundle are made of.

    ``module_a`` / ``module_b`` are "" with an assembly; ``cable`` is the assembly or the fibre.
    ``links_per_cable`` of them run in one cable, counted at end ``hub`` (a | b), where it is 2 or more
    for a splitter or a cable that carries parallel links; 1/2: a link takes two fibres.
    """

    cable: str
    links_per_cable: Fraction
    hub: Hub
    assembly: bool
    split: bool
    module_a: str = ""
    module_b: str = ""
    power_w_per_end: float = 0.0

    def cables(self, links: int) -> int:
        """Cables for the ``links`` of one device at the hub end."""
        return ceil(links / self.links_per_cable)


UnitPrice = Callable[[str], "float | None"]


@dataclass(frozen=True, slots=True)
class MediumChoice:
    """The medium found, or None with the parts that lack a price (empty: nothing fits or reaches)."""

    medium: Medium | None
    unpriced: tuple[str, ...] = ()


def cheapest_medium(catalog: Catalog, ask: LinkBundle, price: UnitPrice) -> MediumChoice:
    """The medium with the least price a link among those that fit, reach and have prices.

    Ties go to assemblies, then to the names, so that the same input gives the same answer.
    """
    best: tuple[float, bool, str, str] | None = None
    chosen: Medium | None = None
    unpriced: set[str] = set()
    for medium in _media(catalog, ask, price):
        usd, missing = _price_per_link(medium, ask, price)
        unpriced.update(missing)
        key = (usd, not medium.assembly, medium.cable, medium.module_a + medium.module_b)
        if not missing and (best is None or key < best):
            best, chosen = key, medium
    return MediumChoice(chosen, () if chosen else tuple(sorted(unpriced)))


def _price_per_link(medium: Medium, ask: LinkBundle, price: UnitPrice) -> tuple[float, list[str]]:
    """Price of one link (USD) where every cage and cable is full, and the parts without a price."""
    parts = [(medium.cable, 1 / medium.links_per_cable)]
    if not medium.assembly:
        parts.append((medium.module_a, Fraction(1, ask.a.links_per_cage)))
        parts.append((medium.module_b, Fraction(1, ask.b.links_per_cage)))
    usd, missing = 0.0, []
    for sku, share in parts:
        unit = price(sku)
        if unit is None:
            missing.append(sku)
        else:
            usd += unit * float(share)
    return usd, missing


def _media(catalog: Catalog, ask: LinkBundle, price: UnitPrice) -> Iterator[Medium]:
    """Every medium that fits and reaches; of fibres alike but for their length the cheapest."""
    for assembly in catalog.assemblies.values():
        yield from _assembly_media(assembly, ask)
    modules_a = [m for m in catalog.transceivers.values() if _module_fits(m, ask.a, ask)]
    modules_b = [m for m in catalog.transceivers.values() if _module_fits(m, ask.b, ask)]
    for module_a in modules_a:
        for module_b in modules_b:
            yield from _optical_media(catalog, module_a, module_b, ask, price)


def _assembly_media(assembly: CableAssembly, ask: LinkBundle) -> Iterator[Medium]:
    """The ways in which this assembly could make the bundle's links: straight, hub at a, hub at b."""
    if ask.protocol not in assembly.protocols or ask.gbps not in assembly.rates_gbps:
        return
    if ask.length_m > assembly.reach_m:
        return
    links = Fraction(assembly.hub_gbps, ask.gbps)
    power = assembly.power_w_per_end
    ways: tuple[tuple[Hub, LinkEnd, LinkEnd], ...] = (("a", ask.a, ask.b), ("b", ask.b, ask.a))
    for hub, near, far in ways:
        if near.cage not in assembly.cages_a or far.cage not in assembly.cages_b:
            continue
        if near.links_per_cage != links:
            continue
        straight = assembly.ends_b == 1
        # a straight cable takes all links of both cages to one device; a splitter's tails end apart
        ok = (
            far.links_per_cage == links and ask.links_per_pair % links == 0
            if straight
            else (links == assembly.ends_b and far.links_per_cage == 1)
        )
        if ok:
            yield Medium(assembly.id, links, hub, True, not straight, power_w_per_end=power)


def _module_fits(module: Transceiver, end: LinkEnd, ask: LinkBundle) -> bool:
    """Plugs into the cage, runs the rate and the protocol, and serves every link of the cage."""
    return (
        end.cage in module.cages
        and ask.gbps in module.rates_gbps
        and ask.protocol in module.protocols
        and ask.length_m <= module.reach_m
        and module.links(ask.gbps) >= end.links_per_cage
    )


def _optical_media(
    catalog: Catalog, a: Transceiver, b: Transceiver, ask: LinkBundle, price: UnitPrice
) -> Iterator[Medium]:
    """Fibres that join two modules of the same optic, connector and lane rate."""
    if (a.optic, a.medium, a.connector, a.lane_gbps) != (b.optic, b.medium, b.connector, b.lane_gbps):
        return
    for split, links, hub in _fibre_ways(a, b, ask):
        fibre = cheapest_fibre(catalog, (a.medium, a.connector, split), ask.length_m, price)
        if fibre:
            yield Medium(fibre.id, links, hub, False, split > 1, a.id, b.id)


def _fibre_ways(a: Transceiver, b: Transceiver, ask: LinkBundle) -> Iterator[tuple[int, Fraction, Hub]]:
    """(split, links a fibre carries, hub end) for two modules.

    A link that takes whole connectors runs in straight fibres, as does one that has a connector to
    itself at both ends. Where links share a connector at one end only, a splitter leads them apart; where
    they do at both, a straight fibre carries them together between the same two devices.
    """
    share_a, share_b = a.connectors_per_link(ask.gbps), b.connectors_per_link(ask.gbps)
    if share_a <= 1 and share_b <= 1:
        yield from _shared(a, b, ask)
    elif share_a == share_b:
        yield 1, 1 / share_a, "a"


def _shared(a: Transceiver, b: Transceiver, ask: LinkBundle) -> Iterator[tuple[int, Fraction, Hub]]:
    """Fibres where a link fills a connector or part of it."""
    on_a, on_b = (ceil(end.links_per_cage / m.connectors) for end, m in ((ask.a, a), (ask.b, b)))
    if on_a == on_b and ask.links_per_pair % on_a == 0:
        yield 1, Fraction(on_a), "a"
    elif on_b == 1:
        yield on_a, Fraction(on_a), "a"
    elif on_a == 1:
        yield on_b, Fraction(on_b), "b"


def cheapest_fibre(
    catalog: Catalog, kind: tuple[str, str, int], length_m: float, price: UnitPrice
) -> Fibre | None:
    """The cheapest stocked fibre of a kind (medium, connector, split) that is long enough, the shortest of
    equals; one without a price only where none has one. None where none is long enough."""
    stocked = catalog.fibres.values()
    fitting = [f for f in stocked if (f.medium, f.connector, f.split) == kind and f.length_m >= length_m]

    def rank(fibre: Fibre) -> tuple[bool, float, float, str]:
        usd = price(fibre.id)
        return usd is None, usd or 0.0, fibre.length_m, fibre.id

    return min(fitting, key=rank, default=None)


def longest_m(catalog: Catalog, reaches: Callable[[float], bool]) -> float | None:
    """The greatest length (m) at which ``reaches`` holds, of those that some part ends at; None: at none."""
    ends = {fibre.length_m for fibre in catalog.fibres.values()}
    ends |= {assembly.reach_m for assembly in catalog.assemblies.values()}
    ends |= {module.reach_m for module in catalog.transceivers.values()}
    return next((length_m for length_m in sorted(ends, reverse=True) if reaches(length_m)), None)
