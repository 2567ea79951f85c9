"""Published network bills against the book's low and high prices of the network that the planner designs.

DeepSeek-V3 insights (ISCA 2025), Table 3: two-tier FT2 of 2,048 endpoints 9 million USD, three-tier FT3 of
65,536 endpoints 491 million USD, 400G InfiniBand. Switches, modules and fibre are compared, as the table
counts no NICs.
"""

from __future__ import annotations

import pytest

from planner.catalog.sources import load_sources
from tests.published.test_reference_designs import ROWS, document
from tests.support.making import shipped_plan

BOOK = load_sources().books["reference"]
NETWORK = {"switch", "transceiver", "cable", "fibre"}


def bands_usd(case: str) -> tuple[float, float, float]:
    """Low, mid and high of what the plan of a case buys, at the book's own prices."""
    lines = [x for x in shipped_plan(document(ROWS[case])).bom if x.section == "compute"]
    bought = [(BOOK.prices[x.sku], x.quantity) for x in lines]
    parts = [((p.low_usd, p.mid_usd, p.high_usd), n) for p, n in bought if p.item_class in NETWORK]
    bands, counts = zip(*(usd for usd, _ in parts), strict=True), [n for _, n in parts]
    low, mid, high = (sum(n * usd for usd, n in zip(band, counts, strict=True)) for band in bands)
    return low, mid, high


@pytest.mark.parametrize(
    ("case", "published_usd", "deviation"),
    [("deepseek-ft2", 9e6, -0.111), ("deepseek-ft3", 491e6, -0.189)],
)
def test_the_published_bill_lies_between_low_and_high(
    case: str, published_usd: float, deviation: float
) -> None:
    """FT2: 7.5 to 10.1, mid 8.0 million USD; FT3: 379 to 506, mid 398. ``deviation`` is mid's, stated."""
    low, mid, high = bands_usd(case)
    assert low <= published_usd <= high
    assert mid / published_usd - 1 == pytest.approx(deviation, abs=5e-4)
