"""The sections on the rest of the bill -> ``planner.scenario.bill``: defaults from the data, ids checked."""

from __future__ import annotations

from dataclasses import replace

from planner.scenario.bill import (
    Bill,
    Charges,
    Colocation,
    Escalation,
    Lease,
    ManagementAsk,
    SideAsk,
    SparesAsk,
    Staff,
    Upkeep,
)
from planner.scenario.cluster_keys import FrontendFabricSection, ManagementSection, StorageFabricSection
from planner.scenario.document_reader import DocumentReader
from planner.scenario.money_keys import (
    ChargesSection,
    ColocationSection,
    EscalationSection,
    FinanceSection,
    LeaseSection,
    SparesSection,
    StaffSection,
    UpkeepSection,
)

FAILING = ("switch", "nic", "transceiver", "cable", "fibre")


def bill(reader: DocumentReader) -> Bill:
    """Everything in the bill beside the compute fabric; what is left out has its default."""
    spares, money = reader.table(SparesSection), reader.table(FinanceSection)
    asked = SparesAsk(
        **reader.filled(spares, SparesAsk),
        failures_per_year={
            name: float(reader.value(spares, f"{name}_failures_per_year")) for name in FAILING
        },
    )
    return Bill(
        storage=_side(reader, reader.table(StorageFabricSection)),
        frontend=_side(reader, reader.table(FrontendFabricSection)),
        management=ManagementAsk(**reader.filled(reader.table(ManagementSection), ManagementAsk)),
        spares=asked,
        charges=Charges(**reader.filled(reader.table(ChargesSection), Charges)),
        colocation=_colocation(reader),
        escalation=Escalation(**reader.filled(reader.table(EscalationSection), Escalation)),
        staff=Staff(**reader.filled(reader.table(StaffSection), Staff)),
        upkeep=Upkeep(**reader.filled(reader.table(UpkeepSection), Upkeep)),
        lease=_lease(reader),
        fiscal_year_start_month=money.fiscal_year_start_month or 1,
        declining_ratio_per_year=reader.value(money, "declining_ratio_per_year"),
    )


def _side(reader: DocumentReader, section: StorageFabricSection | FrontendFabricSection) -> SideAsk:
    """A side fabric; what is optional stays open, its defaults follow from the server."""
    for i, switch in enumerate(section.switches or ()):
        reader.known_id((section.header, "switches", i), switch, reader.sources.catalog.switches, "switch")
    if not reader.value(section, "enabled"):
        return SideAsk()
    asked = SideAsk(
        enabled=True,
        ports=section.ports,
        link_gbps=section.link_gbps,
        switches=tuple(section.switches) if section.switches else None,
    )
    if isinstance(section, FrontendFabricSection):
        return replace(
            asked,
            max_oversubscription=reader.value(section, "max_oversubscription"),
            carries_storage=bool(section.carries_storage),
        )
    per_node = reader.value(section, "server_ports_per_node") if section.server_ports is None else 0.0
    return replace(
        asked,
        max_oversubscription=reader.value(section, "max_oversubscription"),
        gbytes_per_s_per_node=section.gbytes_per_s_per_node,
        server_ports=section.server_ports,
        server_ports_per_node=per_node,
    )


def _colocation(reader: DocumentReader) -> Colocation:
    section = reader.table(ColocationSection)
    if section.usd_per_kw_month is None:
        if section.includes_power is not None:
            reader.fault(("colocation", "usd_per_kw_month"), "is missing", "write what a kW and month costs")
        return Colocation()
    if section.includes_power is None:
        reader.fault(
            ("colocation", "includes_power"), "is missing", "say whether the price includes the electricity"
        )
    return Colocation(section.usd_per_kw_month, bool(section.includes_power))


def _lease(reader: DocumentReader) -> Lease | None:
    section = reader.table(LeaseSection)
    given = section.term_years, section.rate_ratio_per_year
    if given == (None, None):
        return None
    reader.required(("lease", "term_years"), section.term_years, "write the years of the lease")
    reader.required(
        ("lease", "rate_ratio_per_year"),
        section.rate_ratio_per_year,
        "write a payment as a share of the price",
    )
    return Lease(section.term_years or 1, section.rate_ratio_per_year or 1.0)
