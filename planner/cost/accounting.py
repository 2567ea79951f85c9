"""Reports beside the NPV: depreciation, cash against book, fiscal years, leasing. None changes a plan.

Assets are capitalised at what was paid with freight, duty, tax and contingency; licences and labour are
expenses. Book and cash are nominal; the lease is compared in present value. Gear that was there before the
base year is in the books of the horizon's years only: they open with what is left of its cost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never, get_args

from planner.cost.cheapest_holdings import cheapest_holdings
from planner.cost.finance import UnitCost, capex_factor
from planner.cost.spares import part_of
from planner.cost.tariff import INTANGIBLE, Tariff
from planner.cost.tco import CostLine, Flow
from planner.fabric.design import Holding, Plan
from planner.scenario.bill import Lease
from planner.scenario.generations import nodes_by_server

Method = Literal["straight-line", "declining-balance"]
METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True, slots=True)
class InstalledValue:
    """One piece that was there before the base year: its price (USD) when it was bought, and what it brings
    when it goes."""

    price_usd: float
    resale_usd: float


@dataclass(frozen=True, slots=True)
class Asset:
    """Pieces held over [bought, until), years counted from the base year; below 0 they were bought before
    it, and ``installed`` says at what price."""

    unit: UnitCost
    quantity: int
    bought: int
    until: int
    installed: InstalledValue | None = None

    @property
    def cost_usd(self) -> float:
        """What was paid, charges included."""
        price_usd = self.installed.price_usd if self.installed else self.unit.price_usd[self.bought]
        return self.quantity * price_usd * (1.0 + self.unit.charges_ratio)

    @property
    def resale_usd(self) -> float:
        """What the pieces bring when they go, or at the end of the horizon."""
        if self.installed:
            return self.quantity * self.installed.resale_usd
        return self.quantity * self.unit.resale_usd(self.bought, self.until)


@dataclass(frozen=True, slots=True)
class BookYear:
    """One year of the books (USD, nominal). ``written_off`` is book value that left with sold assets."""

    year: int
    bought_usd: float
    depreciation_usd: float
    written_off_usd: float
    resale_usd: float
    closing_book_usd: float


def assets_of(plan: Plan, tariff: Tariff) -> list[Asset]:
    """The assets of a fabric's plan, those among them that were there before."""
    return [_asset(h, tariff) for h in plan.holdings if not _intangible(h, tariff)]


def _asset(holding: Holding, tariff: Tariff) -> Asset:
    base = tariff.scenario.base_year
    bought, until = holding.bought_year - base, holding.until_year - base
    installed = None
    if bought < 0:
        installed = InstalledValue(
            tariff.installed_price_usd(holding.sku, bought),
            tariff.installed_resale_usd(holding.sku, holding.bought_year, until),
        )
    return Asset(tariff.unit_cost(holding.sku), holding.quantity, bought, until, installed)


def _intangible(holding: Holding, tariff: Tariff) -> bool:
    return tariff.book.prices[part_of(holding.sku)].item_class in INTANGIBLE


def server_assets(plan: Plan, tariff: Tariff) -> list[Asset]:
    """The servers of a plan; none where they have no price."""
    found = list[Asset]()
    for server, nodes in nodes_by_server(tariff.scenario, tariff.scenario.years) if plan.designs else ():
        if tariff.price_usd(server.sku) is not None:
            unit = tariff.unit_cost(server.sku)
            need = [-(-n // server.nodes_per_price_unit) for n in nodes]
            found += [Asset(unit, n, a, b) for a, b, n in cheapest_holdings(unit, need).bought]
    return found


def depreciation_usd(cost_usd: float, life_years: int, method: Method, declining: float) -> tuple[float, ...]:
    """Depreciation of each year of a life; the sum is the cost. The last year writes off the rest.

    >>> depreciation_usd(100.0, 5, "straight-line", 0.4)
    (20.0, 20.0, 20.0, 20.0, 20.0)
    >>> [round(x, 2) for x in depreciation_usd(100.0, 5, "declining-balance", 0.4)]
    [40.0, 24.0, 14.4, 8.64, 12.96]
    """
    if method == "straight-line":
        return (cost_usd / life_years,) * life_years
    if method == "declining-balance":
        left, rows = cost_usd, list[float]()
        for _ in range(life_years - 1):
            rows.append(left * declining)
            left -= rows[-1]
        return (*rows, left)
    assert_never(method)


def books(
    assets: Iterable[Asset], base_year: int, horizon: int, method: Method, declining: float
) -> tuple[BookYear, ...]:
    """The books of every year of the horizon. An asset held to its end stays in the closing book.

    They open with what is left of the cost of assets that were there before: no purchase of these years.
    """
    sums = [dict.fromkeys(("bought", "depreciation", "off", "resale"), 0.0) for _ in range(horizon)]
    book = 0.0
    for asset in assets:
        yearly = depreciation_usd(asset.cost_usd, asset.unit.life_years, method, declining)
        held = asset.until - asset.bought
        if asset.bought < 0:
            book += sum(yearly[-asset.bought :])
        else:
            sums[asset.bought]["bought"] += asset.cost_usd
        for t in range(max(0, asset.bought), asset.until):
            sums[t]["depreciation"] += yearly[t - asset.bought]
        if asset.until < horizon:
            sums[asset.until]["off"] += sum(yearly[held:])
            sums[asset.until]["resale"] += asset.resale_usd
    rows = list[BookYear]()
    for t, row in enumerate(sums):
        book += row["bought"] - row["depreciation"] - row["off"]
        figures = row["bought"], row["depreciation"], row["off"], row["resale"]
        rows.append(BookYear(base_year + t, *figures, book))
    return tuple(rows)


def fiscal_years(lines: Sequence[CostLine], start_month: int) -> dict[tuple[int, Flow], float]:
    """Nominal USD by (fiscal year, flow). A fiscal year is named by the calendar year in which it ends.

    Capex falls on 1 January, a residual on 31 December, opex evenly over the months of its year.
    """
    total: dict[tuple[int, Flow], float] = defaultdict(float)
    late = 0.0 if start_month == 1 else (13 - start_month) / 12.0
    for line in lines:
        after = {"capex": 0.0, "opex": late, "residual": 1.0 if start_month > 1 else 0.0}[line.flow]
        for year, share in ((line.year, 1.0 - after), (line.year + 1, after)):
            if share:
                total[year, line.flow] += line.amount_usd * share
    return dict(sorted(total.items()))


@dataclass(frozen=True, slots=True)
class LeaseComparison:
    """Present value (USD) of owning the assets, with their resale, and of leasing them."""

    buy_usd: float
    lease_usd: float

    @property
    def cheaper(self) -> Literal["lease", "buy"]:
        """Which of the two costs less."""
        return "lease" if self.lease_usd < self.buy_usd else "buy"


def lease_against_buy(assets: Iterable[Asset], lease: Lease) -> LeaseComparison:
    """Owning against leasing the same assets over the same years. What was there before is owned already: it
    is in neither.

    A payment is a share of the price, in advance. A term that has begun is paid in full, also past the end of
    the horizon; nothing is sold at its end. Freight, duty and tax are the lessor's.
    """
    buy = rent = 0.0
    for a in (asset for asset in assets if asset.bought >= 0):
        rate = a.unit.discount_rate
        buy += a.quantity * a.unit.holding_usd(a.bought, a.until)
        for start in range(a.bought, a.until, lease.term_years):
            payment = a.quantity * a.unit.price_usd[start] * lease.rate_ratio_per_year
            rent += sum(payment * capex_factor(rate, start + k) for k in range(lease.term_years))
    return LeaseComparison(buy, rent)
