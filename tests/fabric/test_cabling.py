"""Which cable or pair of modules a link is made of, on parts small enough to see through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from planner.catalog.parts import CableAssembly, Catalog, Fibre, Transceiver
from planner.catalog.technologies import Protocol
from planner.fabric.cabling import LinkBundle, LinkEnd, cheapest_medium
from pricing.provenance import Grade, Source

SOURCE = Source("made up for a test", "2026", Grade.GUESS)
BOTH: frozenset[Protocol] = frozenset({"ethernet", "infiniband"})
TWIN = Transceiver(
    "twin",
    "twin",
    frozenset({"twin-cage"}),
    frozenset({200, 400}),
    "sr",
    "mmf",
    "mpo-12",
    2,
    4,
    100,
    50.0,
    BOTH,
    17.0,
    SOURCE,
)
SINGLE = replace(TWIN, id="single", cages=frozenset({"nic-cage"}), connectors=1)
LONG = replace(TWIN, id="long", optic="dr", medium="smf", reach_m=500.0)
DAC = CableAssembly(
    "dac",
    "dac",
    "DAC",
    frozenset({"twin-cage"}),
    frozenset({"twin-cage"}),
    1,
    800,
    frozenset({400}),
    2.0,
    BOTH,
    0.1,
    SOURCE,
)
SPLITTER = replace(DAC, id="splitter", cages_b=frozenset({"nic-cage"}), ends_b=2, reach_m=3.0)
FIBRES = [Fibre(f"f{n}", "f", "mmf", "mpo-12", 1, float(n), SOURCE) for n in (5, 30, 50)]
HALVES = Fibre("halves", "f", "mmf", "mpo-12", 2, 50.0, SOURCE)
SWITCH, NIC = LinkEnd("twin-cage", 2), LinkEnd("nic-cage", 1)
PRICES = {"twin": 100.0, "single": 60.0, "long": 300.0, "dac": 40.0, "splitter": 30.0, "halves": 9.0}
PRICES |= {"f5": 1.0, "f30": 3.0, "f50": 5.0}


def catalog(*assemblies: CableAssembly) -> Catalog:
    modules = {m.id: m for m in (TWIN, SINGLE, LONG)}
    fibres = {f.id: f for f in (*FIBRES, HALVES)}
    return Catalog({}, {}, modules, {a.id: a for a in assemblies}, fibres, {}, {}, {})


def book(prices: Mapping[str, float]) -> Callable[[str], float | None]:
    return lambda sku: prices.get(sku)


def between_switches(length_m: float, pair: int = 2) -> LinkBundle:
    return LinkBundle(SWITCH, SWITCH, 400, length_m, "ethernet", pair)


def to_nic(length_m: float) -> LinkBundle:
    return LinkBundle(SWITCH, NIC, 400, length_m, "infiniband", 1)


def test_two_modules_and_the_cheapest_fibre_that_is_long_enough() -> None:
    choice = cheapest_medium(catalog(), between_switches(30.0), book(PRICES))
    assert choice.medium is not None
    assert (choice.medium.cable, choice.medium.module_a, choice.medium.module_b) == ("f30", "twin", "twin")
    assert cheapest_medium(catalog(), between_switches(30.5), book(PRICES)).medium == replace(
        choice.medium, cable="f50"
    )
    dear = cheapest_medium(catalog(), between_switches(30.0), book({**PRICES, "f30": 5.5})).medium
    assert dear is not None and dear.cable == "f50", "5 USD for 50 m, not 5.5 for the 30 m that would do"


def test_an_assembly_where_it_reaches_and_is_cheaper() -> None:
    """40 for two links against 2 x 100 / 2 x ... + fibre; past 2 m the modules."""
    found = cheapest_medium(catalog(DAC), between_switches(2.0), book(PRICES)).medium
    assert found is not None and (found.cable, found.links_per_cable, found.assembly) == ("dac", 2, True)
    far = cheapest_medium(catalog(DAC), between_switches(2.1), book(PRICES)).medium
    assert far is not None and not far.assembly
    dear = cheapest_medium(catalog(DAC), between_switches(2.0), book({**PRICES, "dac": 1000.0})).medium
    assert dear is not None and dear.cable == "f5"


def test_a_twin_port_assembly_needs_two_links_to_the_same_device() -> None:
    """An odd bundle leaves half of a cable unused: it is not offered."""
    found = cheapest_medium(catalog(DAC), between_switches(2.0, pair=3), book(PRICES)).medium
    assert found is not None and not found.assembly


def test_a_splitter_serves_two_nics_from_one_cage() -> None:
    found = cheapest_medium(catalog(SPLITTER, DAC), to_nic(3.0), book(PRICES)).medium
    assert found is not None
    assert (found.cable, found.hub, found.split, found.links_per_cable) == ("splitter", "a", True, 2)
    assert [found.cables(n) for n in (1, 2, 3)] == [1, 1, 2]


def test_modules_of_other_optics_never_face_each_other() -> None:
    """The NIC's module is multi-mode: a link of 51 m has none, however good the switch's long module is."""
    assert cheapest_medium(catalog(SPLITTER), to_nic(51.0), book(PRICES)).medium is None


def test_links_of_half_a_connector_share_a_splitter_fibre() -> None:
    """200G on a 4 x 100G connector: four links a twin-port module, led apart by 1:2 fibres to the NICs."""
    ask = LinkBundle(replace(SWITCH, links_per_cage=4), NIC, 200, 20.0, "ethernet", 1)
    found = cheapest_medium(catalog(), ask, book(PRICES)).medium
    assert found is not None
    assert (found.cable, found.split, found.links_per_cable, found.hub) == ("halves", True, Fraction(2), "a")


def test_a_part_without_a_price_is_named_not_free() -> None:
    lacking = {k: v for k, v in PRICES.items() if k != "single"}
    choice = cheapest_medium(catalog(), to_nic(20.0), book(lacking))
    assert (choice.medium, choice.unpriced) == (None, ("single",))


def test_a_dearer_way_with_prices_beats_one_without() -> None:
    lacking = {k: v for k, v in PRICES.items() if k != "splitter"}
    choice = cheapest_medium(catalog(SPLITTER), to_nic(3.0), book(lacking))
    assert choice.medium is not None and choice.medium.module_b == "single" and choice.unpriced == ()


OTHERS = {m.id: m for m in (TWIN, SINGLE, LONG, replace(TWIN, id="twin-2"), replace(SINGLE, id="single-2"))}
LENGTHS = {f.id: f for f in (*FIBRES, HALVES, replace(HALVES, id="halves-5", length_m=5.0))}
PARTS = Catalog({}, {}, OTHERS, {a.id: a for a in (DAC, SPLITTER)}, LENGTHS, {}, {}, {})
BUNDLES = {
    "switches": (SWITCH, SWITCH, 400), "nic": (SWITCH, NIC, 400), "fast nic": (NIC, SWITCH, 400),
    "half rate": (replace(SWITCH, links_per_cage=4), NIC, 200),
    "half rate between switches": (replace(SWITCH, links_per_cage=4), replace(SWITCH, links_per_cage=4), 200),
}  # fmt: skip


def fits(module: Transceiver, end: LinkEnd, gbps: int, length_m: float) -> bool:
    lanes = module.connectors * module.lanes_per_connector
    lit = end.links_per_cage * gbps // module.lane_gbps
    return (
        end.cage in module.cages and gbps in module.rates_gbps and length_m <= module.reach_m and lit <= lanes
    )


def links_in_a_fibre(fibre: Fibre, on_a: int, on_b: int, parallel: int) -> int | None:
    """``on_a`` links leave a connector at one end, ``on_b`` at the other."""
    if fibre.split == 1:
        return on_a if on_a == on_b and parallel % on_a == 0 else None
    apart = on_a != on_b or parallel % on_a != 0
    return fibre.split if apart and sorted((on_a, on_b)) == [1, fibre.split] else None


def by_trial(bundle: LinkBundle, usd: Mapping[str, float]) -> float | None:
    """The least price a link over every cable and every two modules, priced by what a full cage takes."""
    found = []
    for part, (near, far) in product((DAC, SPLITTER), ((bundle.a, bundle.b), (bundle.b, bundle.a))):
        links = part.hub_gbps // bundle.gbps
        plugged = near.cage in part.cages_a and far.cage in part.cages_b and near.links_per_cage == links
        tails = far.links_per_cage == links // part.ends_b
        together = part.ends_b > 1 or bundle.links_per_pair % links == 0
        reaches = bundle.gbps in part.rates_gbps and bundle.length_m <= part.reach_m
        if plugged and tails and together and reaches and part.id in usd:
            found.append(usd[part.id] / links)
    for a, b, fibre in product(OTHERS.values(), OTHERS.values(), LENGTHS.values()):
        if not {a.id, b.id, fibre.id} <= usd.keys() or (a.optic, a.medium) != (b.optic, b.medium):
            continue
        ends = ((a, bundle.a), (b, bundle.b))
        if not all(fits(m, end, bundle.gbps, bundle.length_m) for m, end in ends):
            continue
        on_a, on_b = (-(-end.links_per_cage // m.connectors) for m, end in ends)
        links_each = links_in_a_fibre(fibre, on_a, on_b, bundle.links_per_pair)
        if links_each and fibre.medium == a.medium and fibre.length_m >= bundle.length_m:
            shares = usd[a.id] / bundle.a.links_per_cage + usd[b.id] / bundle.b.links_per_cage
            found.append(shares + usd[fibre.id] / links_each)
    return min(found, default=None)


SKUS = (*OTHERS, *LENGTHS, "dac", "splitter")


@settings(max_examples=150)
@given(
    st.sampled_from(list(BUNDLES)),
    st.sampled_from([1.0, 3.0, 5.0, 20.0, 50.0, 51.0]),
    st.integers(1, 4),
    st.lists(st.integers(1, 200) | st.none(), min_size=len(SKUS), max_size=len(SKUS)),
)
def test_no_other_medium_is_cheaper(name: str, length_m: float, pair: int, usd: list[int | None]) -> None:
    a, b, gbps = BUNDLES[name]
    bundle = LinkBundle(a, b, gbps, length_m, "ethernet", pair)
    prices = {sku: float(price) for sku, price in zip(SKUS, usd, strict=True) if price is not None}
    least, medium = by_trial(bundle, prices), cheapest_medium(PARTS, bundle, prices.get).medium
    if medium is None:
        assert least is None
        return
    paid = prices[medium.cable] / float(medium.links_per_cable)
    if not medium.assembly:
        paid += prices[medium.module_a] / a.links_per_cage + prices[medium.module_b] / b.links_per_cage
    assert least is not None and abs(paid - least) < 1e-9
