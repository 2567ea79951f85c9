"""Storage and frontend fabrics: each is planned as a fabric of its own, by the same rules and programme.

Their nodes are the cluster's, each with the ports that the fabric is given, and for storage the storage
servers, two ports each. The training job does not cross them, so that no headroom binds them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil
from typing import Literal, assert_never

from planner.candidates.design_space import RatioCaps
from planner.candidates.switch_models import switch_choice
from planner.catalog.parts import ServerModel
from planner.catalog.sources import Sources
from planner.catalog.technologies import Technology
from planner.cost.ancillaries import ancillaries_of
from planner.cost.management_network import NetworkGear, fabric_managers, network_gear
from planner.cost.tariff import Tariff, tariff
from planner.fabric.demand import YearDemand
from planner.fabric.design import Design, Plan
from planner.fabric.fat_tree import radix
from planner.fabric.nic_attachment import NicAttachment
from planner.planning.plan import plan_technology
from planner.planning.planning_task import PlanOptions, Task
from planner.scenario.bill import SideAsk
from planner.scenario.scenario import FabricAsk, GrowthStep, Limits, Scenario

SideSection = Literal["storage", "frontend"]
MODELS = 3  # cheapest by Gb/s, and as many by box
BUDGET_SHARE = 0.3  # of the time that a technology's plan has left
PORTS = 2  # of a node and of a storage server, where nothing else is said


@dataclass(frozen=True, slots=True)
class SideFabric:
    """A side fabric's own scenario, plan and prices. ``servers`` by year (t): storage servers on it."""

    section: SideSection
    scenario: Scenario
    plan: Plan
    tariff: Tariff
    servers: Mapping[int, int]
    missing: tuple[str, ...] = ()


@dataclass
class KnownSideFabrics:
    """Side fabrics already planned in a study: technologies share them."""

    found: dict[tuple[str, str, int], SideFabric] = field(default_factory=dict)


def known_side_fabrics(answers: Iterable[tuple[SideFabric, ...]]) -> KnownSideFabrics:
    """The side fabrics of answers, for what is planned beside them."""
    known = KnownSideFabrics()
    for side in (side for sides in answers for side in sides):
        known.found[side.section, side.plan.technology, side.scenario.growth[0].year] = side
    return known


def side_fabrics_of(
    scenario: Scenario,
    technology: Technology,
    sources: Sources,
    options: PlanOptions,
    known: KnownSideFabrics,
) -> tuple[SideFabric, ...]:
    """The side fabrics that the scenario does not switch off."""
    bill, plans = scenario.bill, list[SideFabric]()
    over: Technology = "infiniband" if technology == "infiniband" else "roce"
    if bill.storage.enabled and not (bill.frontend.enabled and bill.frontend.carries_storage):
        plans.append(_planned_once("storage", scenario, over, sources, options, known))
    if bill.frontend.enabled:
        plans.append(_planned_once("frontend", scenario, "ethernet", sources, options, known))
    return tuple(plans)


def _planned_once(
    section: SideSection,
    scenario: Scenario,
    technology: Technology,
    sources: Sources,
    options: PlanOptions,
    known: KnownSideFabrics,
) -> SideFabric:
    key = section, technology, scenario.growth[0].year  # an island of servers begins in a year of its own
    if key not in known.found:
        known.found[key] = _planned(section, scenario, technology, sources, options)
    return known.found[key]


def _planned(
    section: SideSection, scenario: Scenario, technology: Technology, sources: Sources, options: PlanOptions
) -> SideFabric:
    models = _cheapest(section, scenario, technology, tariff(scenario, technology, sources), sources)
    asked, servers = side_scenario(section, scenario, technology, models, sources)
    rates = tariff(asked, technology, sources)
    ancillaries, missing = ancillaries_of(asked, technology, sources.catalog, rates, None)
    task = Task(
        scenario=ancillaries.scenario,
        technology=technology,
        catalog=sources.catalog,
        tariff=rates,
        constant_usd=0.0,
        output=lambda wiring, year: 0.0,
        ancillaries=ancillaries,
        caps=_uncapped,
        keep_dominated=False,
    )
    budget = options.budget.part(BUDGET_SHARE).naming(f"{section} fabric")
    alone = replace(options, lp_dir=None, objective="tco", ratio_usd=None, budget=budget)
    plan = plan_technology(task, alone)
    if not plan.designs:
        missing = (*missing, f"{section} fabric: {plan.reason}")
    return SideFabric(section, task.scenario, plan, rates, servers, missing)


def _uncapped(attachment: NicAttachment, year: YearDemand) -> RatioCaps:
    """No cap on oversubscription: the ratio that the scenario gives is all."""
    return RatioCaps(year.site_nodes, None, None)


def _ask(section: SideSection, scenario: Scenario) -> SideAsk:
    """What the scenario asks of a side fabric."""
    match section:
        case "storage":
            return scenario.bill.storage
        case "frontend":
            return scenario.bill.frontend
        case _:
            assert_never(section)


def _cheapest(
    section: SideSection, scenario: Scenario, technology: Technology, rates: Tariff, sources: Sources
) -> tuple[str, ...]:
    """The switch models that a side fabric is planned with: those named, else the few cheapest that run the
    rate, by Gb/s and by box."""
    ask = _ask(section, scenario)
    if ask.switches:
        return ask.switches
    gbps = _server(section, ask, scenario.server).nic_port_gbps
    found = switch_choice(
        replace(
            scenario,
            fabric=replace(scenario.fabric, switches=None),
            own_switches=(),
            limits=_limits(scenario, technology, sources),
        ),
        technology,
        sources.catalog,
        rates.price_usd,
    ).models
    priced = [(rates.price_usd(s.id) or 0.0, s) for s in found if radix(s, gbps)]
    by_rate = sorted((usd / (s.ports * s.port_gbps * s.switches_per_box), s.id) for usd, s in priced)
    by_box = sorted((usd, s.id) for usd, s in priced)
    return tuple(sorted({id_ for _, id_ in (*by_rate[:MODELS], *by_box[:MODELS])}))


def side_scenario(
    section: SideSection,
    scenario: Scenario,
    technology: Technology,
    models: tuple[str, ...],
    sources: Sources,
) -> tuple[Scenario, dict[int, int]]:
    """The scenario of a side fabric, a node a "GPU", and the storage servers on it by year (t)."""
    ask = _ask(section, scenario)
    server = _server(section, ask, scenario.server)
    ratio = side_ratio(ask, server)
    carries = section == "storage" or (ask.carries_storage and scenario.bill.storage.enabled)
    steps, servers, ratios = list[GrowthStep](), dict[int, int](), list[Fraction]()
    for step in scenario.growth:
        nodes = ceil(step.gpus / scenario.server.gpus_per_node)
        count = storage_servers(scenario, nodes) if carries else 0
        servers[step.year - scenario.base_year] = count
        ratios.append(blended(ratio, nodes, count))
        steps.append(GrowthStep(step.year, nodes + count))
    ports = server.nic_ports_per_node
    single = _most_ports(models, server.nic_port_gbps, sources) >= steps[0].gpus * ports
    # a node's ports never share a switch: two fabrics, A and B, where one switch could take them all
    planes = ports if section == "frontend" or single else 1
    fabric = FabricAsk(
        technologies=(technology,), link_gbps=(server.nic_port_gbps,),
        rail_optimised=(ports > planes,), planes=(planes,), nic_port_split=(1,),
        nic_ports_per_node=(ports,), max_oversubscription=min(ratios),
        spine_oversubscription=Fraction(1), max_tiers=3, min_spines=scenario.fabric.min_spines,
        nodes_per_scalable_unit=None, reserved_fabric_ports=0, bandwidth_headroom=0.0,
        switches=models,
    )  # fmt: skip
    # two ports on two switches: moving one at a time stops no job
    run = replace(scenario.operations, recabling_downtime_hours=0.0)
    limits = _limits(scenario, technology, sources)
    asked = replace(
        scenario,
        server=server,
        growth=tuple(steps),
        fabric=fabric,
        own_switches=(),
        installed=(),
        generations=(),
        operations=run,
        layout=replace(scenario.layout, patch_panels=(False,)),
        limits=limits,
    )
    return asked, servers


def _server(section: SideSection, ask: SideAsk, server: ServerModel) -> ServerModel:
    """The node as the side fabric sees it. Ports that it has of the rate asked are part of its price."""
    has = (
        (server.storage_ports, server.storage_gbps)
        if section == "storage"
        else (server.frontend_ports, server.frontend_gbps)
    )
    ports = ask.ports or has[0] or PORTS
    gbps = ask.link_gbps or has[1] or server.nic_port_gbps
    return replace(
        server, gpus_per_node=1, nvlink_domain_gpus=1, nodes_per_price_unit=1, nic_ports_per_node=ports,
        nic_port_gbps=gbps, nic_ports_per_cage=1, nic_id="", nic_cage="",
        nics_in_server=(has[0] >= ports and has[1] == gbps),
    )  # fmt: skip


def side_ratio(ask: SideAsk, server: ServerModel) -> Fraction:
    """The greatest oversubscription: that given, or less where a node must have so many GB/s.

    2 ports of 400G carry 100 GB/s; 75 GB/s a node allow 4:3.
    """
    if ask.gbytes_per_s_per_node is None:
        return ask.max_oversubscription
    wire = Fraction(server.nic_ports_per_node * server.nic_port_gbps, 8)
    return min(ask.max_oversubscription, wire / Fraction(ask.gbytes_per_s_per_node))


def _most_ports(models: tuple[str, ...], gbps: int, sources: Sources) -> int:
    """Ports of the largest of these switches at the rate."""
    return max((radix(sources.catalog.switches[m], gbps) for m in models), default=0)


def blended(ratio: Fraction, nodes: int, servers: int) -> Fraction:
    """The ratio of leaves that nodes at ``ratio`` share with servers at 1:1, all with the same ports.

    127 nodes at 4:3 and 24 servers: 151 down to 127 x 3/4 + 24 up.

    >>> blended(Fraction(4, 3), 127, 24)
    Fraction(604, 477)
    """
    return Fraction(nodes + servers) / (nodes / ratio + servers)


def storage_servers(scenario: Scenario, nodes: int) -> int:
    """Storage servers of two ports each, equally many at every site."""
    ask = scenario.bill.storage
    ports = ask.server_ports if ask.server_ports is not None else ask.server_ports_per_node * nodes
    sites = scenario.wan.sites
    return ceil(round(ports / PORTS, 6) / sites) * sites


def _limits(scenario: Scenario, technology: Technology, sources: Sources) -> Limits:
    """The vendors asked for, unless none of them has a switch of this technology."""
    vendors = scenario.limits.switch_vendors
    found = {s.vendor for s in sources.catalog.switches.values() if technology in s.technologies}
    kept = vendors if vendors and found.intersection(vendors) else None
    return Limits(switch_vendors=kept, available_from=scenario.limits.available_from)


def _models(design: Design) -> tuple[str, str, str]:
    """The switch models of a design."""
    return design.wiring.leaf, design.wiring.spine, design.wiring.core


def other_gear(
    scenario: Scenario, sides: tuple[SideFabric, ...], rack_units: Mapping[str, float]
) -> dict[int, NetworkGear]:
    """1G ports and rack units of the side fabrics' switches, managers and storage servers by year (t)."""
    total, first = dict[int, NetworkGear](), scenario.growth[0].year - scenario.base_year
    for t in range(first, scenario.finance.horizon_years):
        ports, height = 0, 0.0
        for side in sides:
            if not side.plan.designs:
                continue
            design = side.plan.designs[t - first]
            managers = fabric_managers(side.plan.technology, design.wiring)
            boxes = Counter[str]()
            for (tier, sku), n in design.need_by_tier.items():
                if tier in ("leaf", "spine", "core") and sku in _models(design):
                    boxes[sku] += n
            last = max((s for s in side.servers if s <= t), default=0)
            gear = network_gear(boxes, managers, rack_units)
            ports, height = ports + gear.ports + side.servers.get(last, 0), height + gear.rack_units
        total[t] = NetworkGear(ports, height)
    return total
