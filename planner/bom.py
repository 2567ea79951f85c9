"""The bill of materials: what is bought in each year, priced line by line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BomLine:
    """One row of the BOM CSV: pieces bought in ``year``. Sections and tiers as in the contract.

    ``unit_price_usd`` is the price of that year, after erosion; ``power_w`` is of one piece.
    """

    technology: str
    year: int
    section: str  # compute | storage | frontend | management | services
    tier: str  # node | node-leaf | leaf | leaf-spine | spine | spine-core | core | fabric
    sku: str
    description: str
    manufacturer: str
    quantity: int
    spares: int
    unit_price_usd: float
    price_source: str
    price_date: str
    price_grade: str
    power_w: float

    @property
    def extended_price_usd(self) -> float:
        """Unit price x (quantity + spares)."""
        return self.unit_price_usd * (self.quantity + self.spares)
