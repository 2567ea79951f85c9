"""One row of a catalog file -> one frozen part. Faults are noted on the row, never raised."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from planner.catalog.parts import (
    Accelerator,
    CableAssembly,
    Fibre,
    NicModel,
    PatchPanel,
    ServerModel,
    SwitchModel,
    TrainedModel,
    Transceiver,
)
from planner.catalog.technologies import PROTOCOLS, TECHNOLOGIES
from pricing.csv_rows import Row

MEDIA = ("mmf", "smf")
CONNECTORS = ("mpo-12", "lc")
Fits = Mapping[tuple[str, str], Collection[str]]


def cage(row: Row) -> str:
    """A cage's id. Form factor, lanes and lane rate are for people, and only checked."""
    for column in ("lanes", "lane_gbps"):
        row.count(column)
    row.text("form_factor")
    row.source()
    return row.text("id")


def switch(row: Row, cages: Collection[str]) -> SwitchModel:
    """A switch; its ports fill its cages and its breakouts divide its port rate."""
    ports, per_cage = row.count("ports"), row.count("ports_per_cage")
    port_gbps, breakouts = row.count("port_gbps"), row.wholes("breakouts")
    uplinks = row.whole("uplink_ports")
    if per_cage and ports % per_cage:
        row.fault("ports_per_cage", f"{ports} ports do not fill cages of {per_cage}")
    if breakouts and (breakouts[0] != 1 or any(port_gbps % b for b in breakouts)):
        row.fault("breakouts", f"must hold 1 and divide the port's {port_gbps} Gb/s")
    return SwitchModel(
        id=row.text("id"),
        name=row.text("name"),
        vendor=row.text("vendor"),
        technologies=row.words("technologies", TECHNOLOGIES),
        ports=ports,
        port_gbps=port_gbps,
        ports_per_cage=per_cage,
        cage=row.one_of("cage", cages),
        breakouts=breakouts,
        power_w=row.number_or_none("power_w"),
        source=row.source(),
        uplink_ports=uplinks,
        uplink_gbps=row.count("uplink_gbps") if uplinks else 0,
        uplink_cage=row.one_of("uplink_cage", cages) if uplinks else "",
        switches_per_box=row.count("switches_per_box"),
        rack_units=row.number_or_none("rack_units"),
        power_source=row.source("power_") if row.maybe("power_w") else None,
    )


def nic(row: Row, cages: Collection[str]) -> NicModel:
    """A NIC."""
    return NicModel(
        id=row.text("id"),
        name=row.text("name"),
        vendor=row.text("vendor"),
        technologies=row.words("technologies", TECHNOLOGIES),
        ports=row.count("ports"),
        port_gbps=row.count("port_gbps"),
        cage=row.one_of("cage", cages),
        pcie_generation=row.count("pcie_generation"),
        power_w=row.number_or_none("power_w"),
        source=row.source(),
        max_total_gbps=row.whole_or_none("max_total_gbps"),
        power_source=row.source("power_") if row.maybe("power_w") else None,
    )


def _plugs(row: Row, fits: Fits, end: str) -> frozenset[str]:
    """The cages that a part's end plugs into; a fault where there are none."""
    found = frozenset(fits.get((row.maybe("id"), end), ()))
    if not found:
        row.fault("id", f"{row.maybe('id')!r} plugs into no cage of fits.csv (end {end})")
    return found


def transceiver(row: Row, fits: Fits) -> Transceiver:
    """An optical module; its lanes carry whole links at the greatest of its rates."""
    rates = row.wholes("rates_gbps")
    connectors, lanes = row.count("connectors"), row.count("lanes_per_connector")
    lane_gbps = row.count("lane_gbps")
    if rates and connectors * lanes * lane_gbps < rates[-1]:
        row.fault("rates_gbps", f"{rates[-1]} is more than {connectors} x {lanes} x {lane_gbps} Gb/s")
    row.source("power_")
    return Transceiver(
        id=row.text("id"),
        name=row.text("name"),
        cages=_plugs(row, fits, "m"),
        rates_gbps=frozenset(rates),
        optic=row.one_of("optic", ("sr", "dr", "fr", "lr")),
        medium=row.one_of("medium", MEDIA),
        connector=row.one_of("connector", CONNECTORS),
        connectors=connectors,
        lanes_per_connector=lanes,
        lane_gbps=lane_gbps,
        reach_m=row.number("reach_m"),
        protocols=row.words("protocols", PROTOCOLS),
        power_w=row.number("power_w"),
        source=row.source(),
    )


def assembly(row: Row, fits: Fits) -> CableAssembly:
    """A cable with fixed ends; a splitter's ends share its hub rate."""
    hub_gbps, ends, rates = row.count("hub_gbps"), row.count("ends_b"), row.wholes("rates_gbps")
    if rates and any(hub_gbps % rate for rate in rates):
        row.fault("rates_gbps", f"must divide the hub's {hub_gbps} Gb/s")
    if rates and ends > 1 and rates[-1] * ends != hub_gbps:
        row.fault("ends_b", f"{ends} ends of {rates[-1]} Gb/s are not the hub's {hub_gbps}")
    row.source("power_")
    return CableAssembly(
        id=row.text("id"),
        name=row.text("name"),
        kind=row.one_of("kind", ("DAC", "ACC", "AEC", "AOC")),
        cages_a=_plugs(row, fits, "a"),
        cages_b=_plugs(row, fits, "b"),
        ends_b=ends,
        hub_gbps=hub_gbps,
        rates_gbps=frozenset(rates),
        reach_m=row.number("reach_m"),
        protocols=row.words("protocols", PROTOCOLS),
        power_w_per_end=row.number("power_w_per_end"),
        source=row.source(),
    )


def fibre(row: Row) -> Fibre:
    """A fibre of one stocked length."""
    return Fibre(
        id=row.text("id"),
        name=row.text("name"),
        medium=row.one_of("medium", MEDIA),
        connector=row.one_of("connector", CONNECTORS),
        split=row.count("split"),
        length_m=row.number("length_m"),
        source=row.source(),
    )


def panel(row: Row) -> PatchPanel:
    """A patch panel of one connector."""
    return PatchPanel(
        id=row.text("id"),
        name=row.text("name"),
        connector=row.one_of("connector", CONNECTORS),
        ports=row.count("ports"),
        source=row.source(),
    )


def accelerator(row: Row) -> Accelerator:
    """An accelerator; a precision without a figure is absent."""
    peaks = {p: row.number_or_none(f"{p}_tflops") for p in ("bf16", "fp8", "fp4")}
    row.text("bf16_tflops")
    return Accelerator(
        id=row.text("id"),
        name=row.text("name"),
        peak_tflops={p: value for p, value in peaks.items() if value is not None},
        hbm_gbytes=row.number("hbm_gbytes"),
        hbm_tbytes_per_s=row.number("hbm_tbytes_per_s"),
        nvlink_gbytes_per_s=row.number_or_none("nvlink_gbytes_per_s"),
        source=row.source(),
    )


def server(
    row: Row, cages: Collection[str], accelerators: Collection[str], nics: Collection[str]
) -> ServerModel:
    """A server, net of its NICs; one that comes without NICs has neither NIC nor cage."""
    has_nic = bool(row.maybe("nic_id"))
    row.source("power_")
    return ServerModel(
        id=row.text("id"),
        name=row.text("name"),
        accelerator=row.one_of("accelerator", accelerators),
        gpus_per_node=row.count("gpus_per_node"),
        nic_ports_per_node=row.count("nic_ports_per_node"),
        nic_port_gbps=row.count("nic_port_gbps"),
        nic_ports_per_cage=row.count("nic_ports_per_cage"),
        nic_id=row.one_of("nic_id", nics) if has_nic else "",
        nic_cage=row.one_of("nic_cage", cages) if has_nic else "",
        pcie_generation=row.count("pcie_generation"),
        nvlink_domain_gpus=row.count("nvlink_domain_gpus"),
        nodes_per_price_unit=row.count("nodes_per_price_unit"),
        power_w=row.number_or_none("power_w"),
        source=row.source(),
        sku=f"server-{row.maybe('id')}",
        frontend_ports=row.whole("frontend_ports"),
        frontend_gbps=row.whole("frontend_gbps"),
        storage_ports=row.whole("storage_ports"),
        storage_gbps=row.whole("storage_gbps"),
        bmc_ports=row.whole("bmc_ports"),
    )


def model(row: Row) -> TrainedModel:
    """A trained model; its heads divide the hidden size. Empty columns of experts: a dense model."""
    hidden, heads = row.count("hidden"), row.count("heads")
    if heads and hidden % heads:
        row.fault("heads", f"{heads} heads do not divide {hidden}")
    return TrainedModel(
        id=row.text("id"),
        name=row.text("name"),
        params=row.number("params"),
        layers=row.count("layers"),
        hidden=hidden,
        ffn_hidden=row.count("ffn_hidden"),
        heads=heads,
        kv_heads=row.count("kv_heads"),
        vocab=row.count("vocab"),
        sequence=row.count("sequence"),
        gated_mlp=row.flag("gated_mlp"),
        causal_flops=row.flag("causal_flops"),
        source=row.source(),
        experts=row.whole_or_none("experts") or 0,
        experts_per_token=row.whole_or_none("experts_per_token") or 0,
        expert_ffn_hidden=row.whole_or_none("expert_ffn_hidden") or 0,
        shared_experts=row.whole_or_none("shared_experts") or 0,
        dense_layers=row.whole_or_none("dense_layers") or 0,
        attention_params=row.number_or_none("attention_params") or 0.0,
        attention_width=row.whole_or_none("attention_width") or 0,
    )


def not_found(row: Row) -> str:
    """What was looked for and not found, in words."""
    note = row.maybe("note")
    return f"{row.text('part')}: {row.text('figure')} (looked in: {row.text('looked')})" + (
        f"; {note}" if note else ""
    )
