"""BOM + prices + operations -> cost lines a year -> TCO."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CostLine:
    """One kind of cost in one year. Capex falls at the year's start, opex and residual at its end.

    ``amount_usd`` is nominal; a residual or a sale is negative. ``npv_usd`` is discounted to the
    base year. ``network``: counts into the network's share (False for servers and their power).
    """

    year: int
    kind: str  # servers | switches | NICs | transceivers | cables | fibre | services | electricity | ...
    flow: str  # capex | opex | residual
    network: bool
    amount_usd: float
    npv_usd: float


@dataclass(frozen=True, slots=True)
class YearTotals:
    """The money and power of one year, nominal."""

    year: int
    capex_usd: float
    network_capex_usd: float
    opex_usd: float
    network_power_kw: float
