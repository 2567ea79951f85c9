"""What every part costs in the base year under one technology: from list prices to net prices.

The steps, lowest first: the reference book, the scenario's own books stacked on it, the InfiniBand ratio (on
reference prices of InfiniBand parts only), discounts (on everything but quotes and the user's own prices),
and the user's own prices on top. The labour of a link moved at a patch panel follows from them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from planner.catalog.parts import Catalog, NicModel, SwitchModel
from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology
from planner.scenario.scenario import Scenario
from pricing.discounts import net_prices
from pricing.infiniband_rule import infiniband_prices
from pricing.price_book import Price, PriceBook
from pricing.provenance import Grade, Source

# SKUs that rules buy, of no part of the catalog
INSTALL_LINK = "svc-install-link"
RECABLE_LINK = "svc-recable-link"
MOVE_CORD = "svc-move-cord"  # a link moved at a patch panel
MANAGER, LICENCE, RACK = "fabric-manager-server", "ufm-licence-endpoint-year", "network-rack"


def list_prices(scenario: Scenario, sources: Sources) -> PriceBook:
    """The reference book with the scenario's own books on it: no ratio, no discount, no own price."""
    return sources.books[scenario.prices.book].under(scenario.prices.stacked)


def net_price_list(
    scenario: Scenario, technology: Technology, sources: Sources, left_out: Collection[str] = ()
) -> PriceBook:
    """The net prices of a technology, without the user's own prices of the SKUs ``left_out``."""
    book = list_prices(scenario, sources)
    if technology == "infiniband" and scenario.prices.infiniband_pricing == "ratio":
        capacity = capacity_gbps(sources.catalog)
        ratio = scenario.prices.infiniband_price_ratio
        book = book.over(infiniband_prices(book, sources.counterparts, capacity, ratio))
    own = {sku: price for sku, price in scenario.prices.overrides.items() if sku not in left_out}
    book = net_prices(book, scenario.prices.discounts).over(own)
    return book.over(_cord_price(scenario, book))


def parts_own_prices(scenario: Scenario, sources: Sources) -> PriceBook:
    """What each part is worth by itself, whichever technology is planned: for pieces that are there already.

    A switch or NIC that only InfiniBand uses is at its price there, by the ratio rule where that holds; any
    other part at its price without the rule. Empty where a scenario has no such pieces.
    """
    if not scenario.installed:
        return PriceBook("installed")
    plain = net_price_list(scenario, "ethernet", sources)
    of_infiniband = net_price_list(scenario, "infiniband", sources).prices
    catalog = sources.catalog
    parts: list[SwitchModel | NicModel] = [
        *catalog.switches.values(),
        *scenario.own_switches,
        *catalog.nics.values(),
    ]
    only = [p.id for p in parts if set(p.technologies) == {"infiniband"} and p.id in of_infiniband]
    return plain.over({sku: of_infiniband[sku] for sku in only})


def server_price(scenario: Scenario, sources: Sources, sku: str) -> Price | None:
    """The net price of a server, which is the same under every technology; None where there is none."""
    return net_price_list(scenario, "ethernet", sources).price(sku)


def _cord_price(scenario: Scenario, book: PriceBook) -> dict[str, Price]:
    """The labour of a link moved at a panel: a share of that of a direct cable; none without panels."""
    direct = book.price(RECABLE_LINK)
    if direct is None or not scenario.layout.panels:
        return {}
    ratio = scenario.layout.panel_labour_ratio
    said = f"{ratio:g} x {RECABLE_LINK} ([layout] panel_labour_ratio)"
    cord = replace(
        direct,
        sku=MOVE_CORD,
        low_usd=ratio * direct.low_usd,
        mid_usd=ratio * direct.mid_usd,
        high_usd=ratio * direct.high_usd,
        source=Source(said, direct.source.date, Grade.GUESS),
        description="move one patch cord at a panel, relabel and test",
    )
    return {MOVE_CORD: cord}


def capacity_gbps(catalog: Catalog) -> dict[str, float]:
    """Port-Gb/s of every switch box and NIC: what the InfiniBand ratio is a price of."""
    boxes = {s.id: float(s.ports * s.port_gbps * s.switches_per_box) for s in catalog.switches.values()}
    return boxes | {n.id: float(n.ports * n.port_gbps) for n in catalog.nics.values()}
