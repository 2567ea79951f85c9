"""How cables, fibres and modules can make the links of a layer, from the facts of the parts alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from planner.catalog.parts import CableAssembly, Catalog, Fibre, SwitchModel, Transceiver

Hub = Literal["near", "far", ""]


@dataclass(frozen=True, slots=True)
class End:
    """A cage and the links that leave it. ``uplinks``: a cage of a switch's separate uplink ports."""

    cage: str
    links: int
    uplinks: bool = False


@dataclass(frozen=True, slots=True)
class Bundle:
    """The links of a layer: both ends, rate, length, protocol. ``parallel`` divides the number of
    links between any two of its devices."""

    near: End
    far: End
    gbps: int
    length_m: float
    protocol: str
    parallel: int


@dataclass(frozen=True, slots=True)
class Join:
    """How a cable makes a bundle's links. ``hub`` near | far: the end from which a splitter leads
    ``per_cable`` links apart, "" for a cable from one device to one other. Modules "" with an assembly."""

    cable: str
    per_cable: Fraction
    hub: Hub
    near_module: str = ""
    far_module: str = ""


def switch_end(model: SwitchModel, gbps: int) -> End | None:
    """The cage that a switch's links at ``gbps`` leave, None where it has none."""
    split = model.port_gbps // gbps
    if split * gbps == model.port_gbps and split in model.breakouts:
        return End(model.cage, model.ports_per_cage * split)
    if model.uplink_ports and gbps == model.uplink_gbps:
        return End(model.uplink_cage, 1, uplinks=True)
    return None


def joins(
    catalog: Catalog, bundle: Bundle, cable: str, near: frozenset[str], far: frozenset[str]
) -> Iterator[Join]:
    """Every way in which the cable makes the bundle with modules of the SKUs at either end."""
    assembly, fibre = catalog.assemblies.get(cable), catalog.fibres.get(cable)
    if assembly:
        yield from _assembled(assembly, bundle)
    if fibre and fibre.length_m >= bundle.length_m:
        for a in (catalog.transceivers[sku] for sku in sorted(near)):
            for b in (catalog.transceivers[sku] for sku in sorted(far)):
                if _plugs(a, bundle.near, bundle) and _plugs(b, bundle.far, bundle) and _faces(a, b, fibre):
                    yield from _patched(fibre, a, b, bundle)


def _assembled(part: CableAssembly, bundle: Bundle) -> Iterator[Join]:
    if bundle.gbps not in part.rates_gbps or bundle.protocol not in part.protocols:
        return
    if bundle.length_m > part.reach_m:
        return
    links = Fraction(part.hub_gbps, bundle.gbps)
    ways: tuple[tuple[Hub, End, End], ...] = (
        ("near", bundle.near, bundle.far), ("far", bundle.far, bundle.near),
    )  # fmt: skip
    for hub, one, other in ways:
        if one.cage not in part.cages_a or other.cage not in part.cages_b or one.links != links:
            continue
        if part.ends_b > 1 and links == part.ends_b and other.links == 1:
            yield Join(part.id, links, hub)
        if part.ends_b == 1 and other.links == links and bundle.parallel % links == 0:
            yield Join(part.id, links, "")
            return


def _plugs(module: Transceiver, end: End, bundle: Bundle) -> bool:
    """Fits the cage, and serves all of its links: no single-port module in a twin-port cage."""
    return (
        end.cage in module.cages
        and bundle.gbps in module.rates_gbps
        and bundle.protocol in module.protocols
        and bundle.length_m <= module.reach_m
        and module.connectors * module.lanes_per_connector * module.lane_gbps >= end.links * bundle.gbps
    )


def _faces(a: Transceiver, b: Transceiver, fibre: Fibre) -> bool:
    """The two modules speak alike and take this fibre."""
    alike = (a.optic, a.lane_gbps) == (b.optic, b.lane_gbps)
    plugs = {(part.medium, part.connector) for part in (a, b, fibre)}
    return alike and len(plugs) == 1


def _patched(fibre: Fibre, a: Transceiver, b: Transceiver, bundle: Bundle) -> Iterator[Join]:
    """The ways of a fibre between two modules, by how much of a connector a link takes at each."""
    share_a, share_b = (Fraction(bundle.gbps, m.lane_gbps * m.lanes_per_connector) for m in (a, b))
    if fibre.split == 1:
        whole = share_a >= 1 or (bundle.parallel % (1 / share_a) == 0 == bundle.near.links % (1 / share_a))
        if share_a == share_b and whole:
            yield Join(fibre.id, 1 / share_a, "", a.id, b.id)
        return
    ways: tuple[tuple[Hub, Fraction, End, Fraction, tuple[Transceiver, End]], ...] = (
        ("near", share_a, bundle.near, share_b, (b, bundle.far)),
        ("far", share_b, bundle.far, share_a, (a, bundle.near)),
    )
    for hub, share, end, other, tails in ways:
        # the links that share a connector leave one cage; each tail has a connector of its own
        apart = share == Fraction(1, fibre.split) and end.links % fibre.split == 0
        if apart and other <= 1 and tails[1].links <= tails[0].connectors:
            yield Join(fibre.id, Fraction(fibre.split), hub, a.id, b.id)
