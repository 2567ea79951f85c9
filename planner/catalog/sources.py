"""The shipped facts that every plan reads: catalog, price books, counterparts, defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from planner.catalog.data_files import data_dir
from planner.catalog.defaults import Default, load_defaults
from planner.catalog.load import load_catalog
from planner.catalog.parts import Catalog
from pricing.infiniband_rule import Counterpart, Observation, load_counterparts, load_ratio_observations
from pricing.price_book import PriceBook
from pricing.price_files import load_book, load_part_numbers


@dataclass(frozen=True, slots=True)
class Sources:
    """Catalog, price books by name, InfiniBand counterparts by SKU, defaults by key.

    The ratio rule prices ``counterparts``; ``optics_counterparts`` are only compared.
    """

    catalog: Catalog
    books: Mapping[str, PriceBook]
    counterparts: Mapping[str, Counterpart]
    defaults: Mapping[str, Default]
    optics_counterparts: Mapping[str, Counterpart] = field(default_factory=dict)
    ratio_observations: tuple[Observation, ...] = ()


@cache
def load_sources() -> Sources:
    """Reads the shipped data once."""
    data = data_dir()
    prices = data / "prices"
    numbers = load_part_numbers(prices / "part_numbers.csv")
    return Sources(
        catalog=load_catalog(data / "catalog"),
        books={"reference": load_book(prices / "reference.csv").ordered_as(numbers)},
        optics_counterparts=load_counterparts(prices / "infiniband_optics.csv", ("transceiver", "cable")),
        ratio_observations=load_ratio_observations(prices / "ratio_observations.csv"),
        counterparts=load_counterparts(prices / "infiniband_counterparts.csv"),
        defaults=load_defaults(data / "defaults.csv"),
    )
