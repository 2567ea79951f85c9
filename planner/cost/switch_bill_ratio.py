"""Switch bills by size: an InfiniBand fat-tree against an Ethernet one, of which one may need a tier more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from planner.catalog.parts import Catalog, SwitchModel
from planner.catalog.sources import Sources
from planner.cost.price_list import list_prices
from planner.fabric.fat_tree import core_layouts, divisors, radix
from planner.scenario.scenario import Scenario
from pricing.price_book import PriceBook
from pricing.provenance import Grade

SIZES = (256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536)
_KNOWN_PRICE = (Grade.QUOTE, Grade.LIST, Grade.STREET)


@dataclass(frozen=True, slots=True)
class Tree:
    """The switches of a non-blocking fat-tree of one model, one plane."""

    tiers: int
    switches: int


@dataclass(frozen=True, slots=True)
class ScaleRow:
    """Two switch models at one size; the ratio of their switch bills. None: no tree of three tiers fits.

    ``port_price_ratio`` is that of one port: what the bill's ratio is where both need the same tiers.
    """

    endpoints: int
    link_gbps: int
    ib_switch: str
    ethernet_switch: str
    ib_radix: int
    ethernet_radix: int
    ib_tiers: int | None
    ethernet_tiers: int | None
    ib_switches: int | None
    ethernet_switches: int | None
    port_price_ratio: float
    bill_ratio: float | None


def two_tier_limit(ports: int) -> int:
    """Most endpoints of two non-blocking tiers: radix^2 / 2.

    >>> [two_tier_limit(k) for k in (64, 128, 144)]
    [2048, 8192, 10368]
    """
    return ports * ports // 2


def smallest_tree(endpoints: int, ports: int) -> Tree | None:
    """The non-blocking fat-tree of one model of this radix with the fewest tiers; full pods of three.

    Every leaf has radix / 2 endpoints and as many uplinks, spread evenly over its spines (at least 2).
    None where three tiers do not hold them.

    >>> smallest_tree(2048, 64), smallest_tree(4096, 64), smallest_tree(4096, 128)
    (Tree(tiers=2, switches=96), Tree(tiers=3, switches=320), Tree(tiers=2, switches=96))
    """
    if endpoints <= ports:
        return Tree(1, 1)
    up = ports // 2
    leaves = ceil(endpoints / up)
    if leaves <= ports:
        spines = next(s for s in divisors(up) if s >= 2 and leaves * (up // s) <= ports)
        return Tree(2, leaves + spines)
    pods = ceil(leaves / up)
    cores = core_layouts(up, up, pods, ports) if pods <= ports else ()
    if not cores:
        return None
    groups, per_group = cores[0]
    return Tree(3, leaves + pods * up + groups * per_group)


def scale_rows(scenario: Scenario, sources: Sources, sizes: Sequence[int] = SIZES) -> tuple[ScaleRow, ...]:
    """Every priced InfiniBand switch of the scenario's rates against Ethernet switches of known price.

    Known means quoted, listed or on the street; the InfiniBand price is the book's, whatever its grade.
    """
    book = list_prices(scenario, sources)
    rates = scenario.fabric.link_gbps
    return tuple(row for gbps in rates for row in _rows(sources.catalog, book, gbps, sizes))


def _rows(catalog: Catalog, book: PriceBook, gbps: int, sizes: Sequence[int]) -> Iterator[ScaleRow]:
    able = [s for s in catalog.switches.values() if radix(s, gbps) and book.price(s.id)]
    ib = [s for s in able if "infiniband" in s.technologies]
    ethernet = [
        s for s in able if "roce" in s.technologies and book.prices[s.id].source.grade in _KNOWN_PRICE
    ]
    for one in ib:
        for other in ethernet:
            yield from (_row(one, other, gbps, n, book) for n in sizes)


def _row(ib: SwitchModel, ethernet: SwitchModel, gbps: int, endpoints: int, book: PriceBook) -> ScaleRow:
    one, other = _bill(ib, gbps, endpoints, book), _bill(ethernet, gbps, endpoints, book)
    return ScaleRow(
        endpoints=endpoints,
        link_gbps=gbps,
        ib_switch=ib.id,
        ethernet_switch=ethernet.id,
        ib_radix=one.ports,
        ethernet_radix=other.ports,
        ib_tiers=one.tree.tiers if one.tree else None,
        ethernet_tiers=other.tree.tiers if other.tree else None,
        ib_switches=one.tree.switches if one.tree else None,
        ethernet_switches=other.tree.switches if other.tree else None,
        port_price_ratio=one.port_usd / other.port_usd,
        bill_ratio=one.bill_usd / other.bill_usd if one.bill_usd and other.bill_usd else None,
    )


@dataclass(frozen=True, slots=True)
class _Bill:
    ports: int
    tree: Tree | None
    port_usd: float

    @property
    def bill_usd(self) -> float | None:
        return self.tree.switches * self.ports * self.port_usd if self.tree else None


def _bill(switch: SwitchModel, gbps: int, endpoints: int, book: PriceBook) -> _Bill:
    ports = radix(switch, gbps)
    usd = book.prices[switch.id].mid_usd / switch.switches_per_box
    return _Bill(ports, smallest_tree(endpoints, ports), usd / ports)


@dataclass(frozen=True, slots=True)
class TierLimit:
    """Most endpoints of one switch model without oversubscription, by tiers."""

    switch: str
    link_gbps: int
    radix: int
    two_tiers: int
    three_tiers: int


def tier_limits(scenario: Scenario, sources: Sources) -> tuple[TierLimit, ...]:
    """Every switch of the catalog at the scenario's rates and at its own: where the next tier begins."""
    found = []
    for s in sources.catalog.switches.values():
        for gbps in sorted({*scenario.fabric.link_gbps, s.port_gbps}):
            ports = radix(s, gbps)
            if ports:
                found.append(TierLimit(s.id, gbps, ports, two_tier_limit(ports), ports**3 // 4))
    return tuple(sorted(found, key=lambda limit: (limit.link_gbps, limit.radix, limit.switch)))
