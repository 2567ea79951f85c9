"""What the bill holds beside the compute fabric: side fabrics, spares, charges, staff, space, lease.

The values here are those of a bill that holds nothing more; the scenario file's defaults are in the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class SideAsk:
    """A storage or frontend fabric. ``ports`` of ``link_gbps`` a node; None: what the server has.

    ``max_oversubscription`` is of the nodes' ports; ``gbytes_per_s_per_node`` caps it further. Storage:
    ``server_ports`` in all (None: ``server_ports_per_node`` for each node), uplinks sized for 1:1.
    Frontend: ``carries_storage`` puts the storage servers' ports here and drops the storage fabric.
    """

    enabled: bool = False
    ports: int | None = None
    link_gbps: int | None = None
    max_oversubscription: Fraction = Fraction(1)
    gbytes_per_s_per_node: float | None = None
    server_ports: int | None = None
    server_ports_per_node: float = 0.0
    carries_storage: bool = False
    switches: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ManagementAsk:
    """Out-of-band network, racks of network gear, fabric managers and their licences (InfiniBand)."""

    enabled: bool = False
    nodes_per_rack: int = 4
    racks_per_row: int = 16
    pdus_per_rack: int = 2
    rack_units_per_rack: int = 36
    uplink_m: float = 30.0
    manager_power_w: float = 0.0


@dataclass(frozen=True, slots=True)
class SparesAsk:
    """Spares by Poisson. ``failures_per_year`` is of one piece, by item class."""

    enabled: bool = False
    service_level_ratio: float = 0.95
    replenishment_weeks: float = 4.0
    failures_per_year: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Charges:
    """Named rates on bought hardware: freight on its price, duty on price and freight, sales tax on
    price, freight and duty, contingency on the price."""

    freight_ratio: float = 0.0
    duty_ratio: float = 0.0
    sales_tax_ratio: float = 0.0
    contingency_ratio: float = 0.0

    def shares(self) -> dict[str, float]:
        """Each charge as a share of the hardware's price.

        >>> Charges(0.1, 0.5, 0.2).shares()["duty"]
        0.55
        """
        duty = self.duty_ratio * (1.0 + self.freight_ratio)
        landed = 1.0 + self.freight_ratio + duty
        found = {
            "freight": self.freight_ratio,
            "duty": round(duty, 12),
            "sales-tax": self.sales_tax_ratio * landed,
            "contingency": self.contingency_ratio,
        }
        return {name: share for name, share in found.items() if share}


@dataclass(frozen=True, slots=True)
class Colocation:
    """Space by the power drawn. ``includes_power``: then no electricity is charged beside it."""

    usd_per_kw_month: float = 0.0
    includes_power: bool = False


@dataclass(frozen=True, slots=True)
class Escalation:
    """Yearly rise of running costs from the base year on; support rises at each renewal."""

    electricity: float = 0.0
    support: float = 0.0
    labour: float = 0.0
    colocation: float = 0.0


@dataclass(frozen=True, slots=True)
class Staff:
    """Network engineers: hours a switch and year. Failed parts without a support contract are bought
    anew once their warranty has ended."""

    enabled: bool = False
    hours_per_switch_year: float = 0.0
    labour_usd_per_hour: float = 0.0


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Support's term and the warranty. Support is renewed, at escalated prices, every ``term`` years."""

    support_term_years: int = 1
    warranty_years: float = 0.0
    replace_failures: bool = False


@dataclass(frozen=True, slots=True)
class Lease:
    """An offer to lease what would be bought: payments of ``rate_ratio`` of the price a year, in advance,
    for ``term_years``."""

    term_years: int = 0
    rate_ratio_per_year: float = 0.0


@dataclass(frozen=True, slots=True)
class Bill:
    """Everything in the bill beside the compute fabric and the servers."""

    storage: SideAsk = SideAsk()
    frontend: SideAsk = SideAsk()
    management: ManagementAsk = ManagementAsk()
    spares: SparesAsk = SparesAsk()
    charges: Charges = Charges()
    colocation: Colocation = Colocation()
    escalation: Escalation = Escalation()
    staff: Staff = Staff()
    upkeep: Upkeep = Upkeep()
    lease: Lease | None = None
    fiscal_year_start_month: int = 1
    declining_ratio_per_year: float = 0.4
