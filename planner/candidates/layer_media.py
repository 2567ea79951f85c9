"""Which medium each layer of a wiring takes, and the wiring's Kit of parts."""

from __future__ import annotations

from dataclasses import dataclass

from planner.candidates.design_space import DesignSpace
from planner.candidates.dominance import bundle_kind
from planner.catalog.parts import SwitchModel
from planner.catalog.technologies import protocol_of
from planner.fabric.cabling import LinkBundle, Medium
from planner.fabric.design import Wiring
from planner.fabric.nic_attachment import NicAttachment
from planner.fabric.part_counts import Kit, switch_end

_BUNDLES = (1, 2, 4)  # links of a bundle that may take other media


@dataclass(frozen=True, slots=True)
class TierMedia:
    """Switch models by tier, and the media that the links of each layer may take; () where there is none."""

    leaf: SwitchModel
    node_leaf: Medium
    spine: SwitchModel | None = None
    core: SwitchModel | None = None
    uplink_gbps: int = 0
    leaf_spine: tuple[Medium, ...] = ()
    spine_core: tuple[Medium, ...] = ()


def node_medium(space: DesignSpace, attachment: NicAttachment, leaf: SwitchModel) -> Medium | None:
    """The medium from a node's cage to a leaf."""
    gbps = attachment.base.link_gbps
    ends = switch_end(leaf, gbps), attachment.node_end
    bundle = LinkBundle(*ends, gbps, space.layout.node_leaf_m, protocol_of(space.technology), 1)
    return space.medium(bundle).medium


def switch_medium(
    space: DesignSpace, near: SwitchModel, far: SwitchModel, gbps: int, length_m: float, pair: int
) -> Medium | None:
    """The medium of a bundle of ``pair`` links between two switches; four parallel links at most
    share a cable, so only that much of ``pair`` matters."""
    ends = switch_end(near, gbps), switch_end(far, gbps)
    bundle = LinkBundle(*ends, gbps, length_m, protocol_of(space.technology), bundle_kind(pair))
    return space.medium(bundle).medium


def media_of_bundles(
    space: DesignSpace, near: SwitchModel, far: SwitchModel, gbps: int, length_m: float
) -> tuple[Medium, ...]:
    """The media that bundles of 1, 2 or 4 links would take, without repeats."""
    found = (switch_medium(space, near, far, gbps, length_m, links) for links in _BUNDLES)
    return tuple(dict.fromkeys(m for m in found if m))


def kit_of(space: DesignSpace, wiring: Wiring, attachment: NicAttachment) -> Kit | None:
    """The parts of a wiring; None where a layer has no medium."""
    models = space.by_id
    leaf, spine, core = models[wiring.leaf], models.get(wiring.spine), models.get(wiring.core)
    layout, gbps = space.layout, wiring.uplink_gbps
    node_leaf, leaf_spine, spine_core = node_medium(space, attachment, leaf), None, None
    if wiring.pair_links:
        leaf_spine = switch_medium(space, leaf, leaf, gbps, layout.leaf_spine_m, wiring.pair_links)
    if spine:
        leaf_spine = switch_medium(space, leaf, spine, gbps, layout.leaf_spine_m, wiring.links_per_pair)
    if spine and core:
        pair = wiring.spine_up // wiring.cores_per_group
        spine_core = switch_medium(space, spine, core, gbps, layout.spine_core_m, pair)
    if node_leaf is None or (wiring.leaf_up and leaf_spine is None) or (core and spine_core is None):
        return None
    return Kit(
        nic=attachment.nic.id,
        nics_per_node=attachment.nics_per_node,
        nic_cages_per_node=attachment.nic_cages_per_node,
        leaf=leaf,
        spine=spine,
        core=core,
        node_leaf=node_leaf,
        leaf_spine=leaf_spine,
        spine_core=spine_core,
        populate_all_cages=layout.populate_all_cages,
    )
