"""The sections on the rest of the bill -> ``planner.scenario.bill``: defaults from the data, ids checked."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

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
from planner.scenario.form import Form
from planner.scenario.schema import FinanceSection
from planner.scenario.schema_bill import (
    ChargesSection,
    ColocationSection,
    EscalationSection,
    FrontendFabric,
    LeaseSection,
    Management,
    Spares,
    StaffSection,
    StorageFabric,
    UpkeepSection,
)

_ON = {"enabled": True}
FAILING = ("switch", "nic", "transceiver", "cable", "fibre")


def bill(form: Form, money: FinanceSection) -> Bill:
    """Everything in the bill beside the compute fabric; what is left out has its default."""
    spares = form.table("spares", Spares)
    upkeep = form.table("upkeep", UpkeepSection)
    asked = SparesAsk(
        **form.filled("spares", spares, SparesAsk, fixed=_ON),
        failures_per_year={
            name: float(form.value("spares", spares, f"{name}_failures_per_year", 0.0)) for name in FAILING
        },
    )
    return Bill(
        storage=_side(form, "storage_fabric", form.table("storage_fabric", StorageFabric), Fraction(4, 3)),
        frontend=_side(form, "frontend_fabric", form.table("frontend_fabric", FrontendFabric), Fraction(1)),
        management=ManagementAsk(
            **form.filled("management", form.table("management", Management), ManagementAsk, fixed=_ON)
        ),
        spares=asked,
        charges=Charges(**form.filled("charges", form.table("charges", ChargesSection), Charges)),
        colocation=_colocation(form),
        escalation=Escalation(
            **form.filled("escalation", form.table("escalation", EscalationSection), Escalation)
        ),
        staff=Staff(**form.filled("staff", form.table("staff", StaffSection), Staff, fixed=_ON)),
        upkeep=Upkeep(**form.filled("upkeep", upkeep, Upkeep, fixed={"replace_failures": True})),
        lease=_lease(form),
        fiscal_year_start_month=money.fiscal_year_start_month or 1,
        declining_ratio_per_year=form.value("finance", money, "declining_ratio_per_year", 0.4),
    )


def _side(form: Form, name: str, section: Any, ratio: Fraction) -> SideAsk:
    """A side fabric; what is optional stays open, its defaults follow from the server."""
    enabled = bool(form.value(name, section, "enabled", True))
    if not enabled:
        return SideAsk()
    for i, switch in enumerate(section.switches or ()):
        form.known_id((name, "switches", i), switch, form.sources.catalog.switches, "switch")
    storage = isinstance(section, StorageFabric)
    shared = (
        form.value(name, section, "server_ports_per_node", 0.0)
        if storage and section.server_ports is None
        else 0.0
    )
    return SideAsk(
        enabled=True,
        ports=section.ports,
        link_gbps=section.link_gbps,
        max_oversubscription=form.value(name, section, "max_oversubscription", ratio),
        gbytes_per_s_per_node=section.gbytes_per_s_per_node if storage else None,
        server_ports=section.server_ports if storage else None,
        server_ports_per_node=shared,
        carries_storage=not storage and bool(section.carries_storage),
        switches=tuple(section.switches) if section.switches else None,
    )


def _colocation(form: Form) -> Colocation:
    section = form.table("colocation", ColocationSection)
    if section.usd_per_kw_month is None:
        if section.includes_power is not None:
            form.fault(("colocation", "usd_per_kw_month"), "is missing", "write what a kW and month costs")
        return Colocation()
    if section.includes_power is None:
        form.fault(
            ("colocation", "includes_power"), "is missing", "say whether the price includes the electricity"
        )
    return Colocation(section.usd_per_kw_month, bool(section.includes_power))


def _lease(form: Form) -> Lease | None:
    section = form.table("lease", LeaseSection)
    given = section.term_years, section.rate_ratio_per_year
    if given == (None, None):
        return None
    form.required(("lease", "term_years"), section.term_years, "write the years of the lease")
    form.required(
        ("lease", "rate_ratio_per_year"),
        section.rate_ratio_per_year,
        "write a payment as a share of the price",
    )
    return Lease(section.term_years or 1, section.rate_ratio_per_year or 1.0)
