"""What the shipped catalog can build: the cheapest medium that reaches, from the parts that fit."""

from __future__ import annotations

from fractions import Fraction

import pytest

from planner.catalog.sources import load_sources
from planner.fabric.cabling import LinkBundle, LinkEnd, Medium, cheapest_medium

CATALOG = load_sources().catalog
PRICES = load_sources().books["reference"]


def _usd(sku: str) -> float | None:
    price = PRICES.price(sku)
    return price.mid_usd if price else None


def _end(switch: str, gbps: int) -> LinkEnd:
    model = CATALOG.switches[switch]
    return LinkEnd(model.cage, model.ports_per_cage * model.port_gbps // gbps)


def _node_link(switch: str, nic: str, gbps: int, length_m: float, protocol: str) -> Medium | None:
    end = LinkEnd(CATALOG.nics[nic].cage, CATALOG.nics[nic].port_gbps // gbps)
    return cheapest_medium(
        CATALOG, LinkBundle(_end(switch, gbps), end, gbps, length_m, protocol, 1), _usd
    ).medium


def _switch_link(a: str, b: str, gbps: int, length_m: float, protocol: str) -> Medium | None:
    ask = LinkBundle(_end(a, gbps), _end(b, gbps), gbps, length_m, protocol, 4)
    return cheapest_medium(CATALOG, ask, _usd).medium


@pytest.mark.parametrize(
    ("length_m", "parts"),
    [
        (2.9, ("mcp7y00", "", "")),  # passive splitter copper
        (4, ("mca7j60", "", "")),  # active splitter copper
        (49, ("fibre-mpo12-om4-straight-50m", "mma4z00-ns", "mma4z00-ns400")),
        (51, ("fibre-mpo12-os2-straight-75m", "mms4x00-ns", "mms4x00-ns400")),
    ],
)
def test_400g_nic_link_takes_the_cheapest_medium_that_reaches(
    length_m: float, parts: tuple[str, str, str]
) -> None:
    """Without reaches per part: the dearest medium everywhere, or copper past its end."""
    medium = _node_link("qm9700", "connectx-7-400g-osfp", 400, length_m, "infiniband")
    assert medium is not None
    assert (medium.cable, medium.module_a, medium.module_b) == parts


def test_twin_port_switch_link_at_2_9_m_is_active_copper() -> None:
    """The straight passive cable ends at 2 m, the splitter's 3 m do not help it."""
    short = _switch_link("qm9700", "qm9700", 400, 2.0, "infiniband")
    longer = _switch_link("qm9700", "qm9700", 400, 2.9, "infiniband")
    assert short is not None and longer is not None
    assert (short.cable, longer.cable) == ("mcp4y10", "mca4j80")
    assert longer.links_per_cable == 2


@pytest.mark.parametrize(
    ("switch", "nic", "gbps", "protocol", "parts"),
    [
        ("sn5600", "connectx-7-400g-osfp", 400, "ethernet", "mma4z00-ns mma4z00-ns400"),
        ("sn5600", "bluefield-3-b3140h", 400, "ethernet", "mma4z00-ns mma1z00-ns400"),
        ("sn5400", "connectx-7-400g-osfp", 400, "ethernet", "qdd-400g-dr4 mms4x00-ns400"),
        ("sn4700", "thor-2-400g", 400, "ethernet", "qdd-400g-dr4 mms1x00-ns400"),
        ("arista-7060dx5-64s", "pollara-400", 400, "ethernet", "qdd-400g-dr4 mms1x00-ns400"),
        ("sn5610", "connectx-8-800g-osfp", 400, "ethernet", "mma4z00-ns mma4z00-ns-flt"),
        ("sn5600", "connectx-8-800g-osfp", 800, "ethernet", "mma4z00-ns mma4z00-ns-flt"),
        ("sn6600", "connectx-8-800g-osfp", 800, "ethernet", "mms4b10-xm 800g-osfp-rhs-dr4-eth"),
        ("q3400", "connectx-8-800g-osfp", 800, "infiniband", "mms4a00 mms4a20"),
        ("qm9700", "connectx-7-2x200g-qsfp112", 200, "infiniband", "mma4z00-ns mma1z00-ns400"),
        ("sb7800", "connectx-5-2x100g", 100, "infiniband", "mma1b00-e100 mma1b00-e100"),
        ("sn2700", "connectx-6-dx-2x100g", 100, "ethernet", "mma1b00-c100d mma1b00-c100d"),
        ("sn2410", "connectx-6-lx-2x25g", 25, "ethernet", "sfp-25g-sr-s sfp-25g-sr-s"),
    ],
)
def test_optical_node_links_at_20_m(switch: str, nic: str, gbps: int, protocol: str, parts: str) -> None:
    medium = _node_link(switch, nic, gbps, 20, protocol)
    assert medium is not None
    assert f"{medium.module_a} {medium.module_b}" == parts


@pytest.mark.parametrize(
    ("switch", "nic", "gbps", "cable", "links"),
    [
        ("qm8700", "connectx-6-vpi-200g", 200, "mfs1s00", 1),
        ("qm8700", "connectx-6-vpi-hdr100", 100, "mfs1s50", 2),
    ],
)
def test_hdr_links_at_20_m_are_active_optical_cables(
    switch: str, nic: str, gbps: int, cable: str, links: int
) -> None:
    medium = _node_link(switch, nic, gbps, 20, "infiniband")
    assert medium is not None
    assert (medium.cable, medium.links_per_cable, medium.module_a) == (cable, Fraction(links), "")


def test_800g_of_100g_lanes_takes_two_fibres_a_link() -> None:
    medium = _switch_link("sn5600", "sn5600", 800, 30, "ethernet")
    assert medium is not None
    assert (medium.links_per_cable, medium.cable) == (Fraction(1, 2), "fibre-mpo12-om4-straight-30m")


def test_a_twin_port_node_cage_takes_the_flat_top_module() -> None:
    server = CATALOG.servers["dgx-h100"]
    end = LinkEnd(server.nic_cage, server.nic_ports_per_cage)
    ask = LinkBundle(_end("qm9700", 400), end, 400, 20, "infiniband", 1)
    medium = cheapest_medium(CATALOG, ask, _usd).medium
    assert medium is not None
    assert (medium.module_a, medium.module_b) == ("mma4z00-ns", "mma4z00-ns-flt")


@pytest.mark.parametrize(
    ("switch", "nic", "gbps", "protocol"),
    [
        ("sn6600", "connectx-7-400g-osfp", 400, "ethernet"),  # 200G lanes against 100G lanes
        ("qm9700", "connectx-6-vpi-200g", 200, "infiniband"),  # 100G lanes against 50G lanes
        ("sn5400", "connectx-7-400g-osfp", 400, "infiniband"),  # an Ethernet-only module
        ("sn4700", "connectx-6-dx-2x100g", 100, "ethernet"),  # no 100G breakout optics held
    ],
)
def test_parts_of_other_lane_rates_or_protocols_do_not_meet(
    switch: str, nic: str, gbps: int, protocol: str
) -> None:
    assert _node_link(switch, nic, gbps, 20, protocol) is None


def test_every_switch_with_ports_to_plug_can_be_wired_to_its_like() -> None:
    """Each cage of a priced switch has optics at the port's own rate for 20 m."""
    bare = {
        s.id
        for s in CATALOG.switches.values()
        for protocol in ["infiniband" if "infiniband" in s.technologies else "ethernet"]
        if _switch_link(s.id, s.id, s.port_gbps, 20, protocol) is None
    }
    assert bare == {"q3450-ld"}  # co-packaged optics, unpriced
