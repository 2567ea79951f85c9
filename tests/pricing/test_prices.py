"""The shipped prices, counterparts and defaults, their loaders, and the ratio rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.catalog.data_files import data_dir
from planner.catalog.parts import NicModel, SwitchModel
from planner.catalog.sources import load_sources
from pricing.csv_rows import DataFileError
from pricing.infiniband_rule import Counterpart, infiniband_prices, load_counterparts
from pricing.price_book import ITEM_CLASSES, Price, PriceBook
from pricing.price_files import load_book, load_part_numbers
from pricing.provenance import Grade, Source

SOURCES = load_sources()
CATALOG = SOURCES.catalog
BOOK = SOURCES.books["reference"]
CAPACITY_GBPS = {
    s.id: float(s.ports * s.port_gbps * s.switches_per_box) for s in CATALOG.switches.values()
} | {n.id: float(n.ports * n.port_gbps) for n in CATALOG.nics.values()}
UNPRICED = {"q3450-ld", "connectx-4-lx-2x25g"}  # said so in not_found.csv


def test_every_part_is_priced_except_those_said_to_be_missing() -> None:
    by_class = {
        "switch": set(CATALOG.switches),
        "nic": set(CATALOG.nics),
        "transceiver": set(CATALOG.transceivers),
        "cable": set(CATALOG.assemblies),
        "fibre": {*CATALOG.fibres, *CATALOG.panels},
        "server": {server.sku for server in CATALOG.servers.values()},
        "service": {"svc-install-link", "svc-recable-link"},
        "manager": {"fabric-manager-server"},
        "rack": {"network-rack"},
        "licence": {"ufm-licence-endpoint-year"},
    }
    assert tuple(by_class) == ITEM_CLASSES
    for item_class, skus in by_class.items():
        priced = {sku for sku, price in BOOK.prices.items() if price.item_class == item_class}
        assert priced == skus - UNPRICED, item_class
    assert BOOK.price("q3450-ld") is None


def test_every_price_says_source_date_and_grade() -> None:
    for price in BOOK.prices.values():
        assert price.source.text and price.source.date[:2] == "20", price.sku
        assert price.low_usd <= price.mid_usd <= price.high_usd, price.sku
        assert price.low_usd > 0, price.sku
        if price.source.text.startswith(("guess", "planner guess")):
            assert price.source.grade is Grade.GUESS, price.sku


@pytest.mark.parametrize(
    ("server", "mid_usd"),
    [
        ("dgx-a100", 199_000 - 8 * 1_300),
        ("dgx-h100", 400_000 - 8 * 2_188),
        ("hgx-h800", 270_000 - 8 * 2_188),
        ("dgx-b300", 500_000 - 8 * 2_519),
        ("gb200-nvl72", 3_200_000 - 72 * 2_188),  # a rack: 18 trays of 4
        ("hgx-a100", 150_000),  # comes without NICs
        ("mi300x", 220_000),
    ],
)
def test_server_prices_are_net_of_the_nics_that_they_include(server: str, mid_usd: float) -> None:
    """Otherwise NICs, which are BOM lines of their own, would be paid twice."""
    assert BOOK.prices[f"server-{server}"].mid_usd == mid_usd


@pytest.mark.parametrize(
    ("sku", "usd"),
    [
        ("fibre-mpo12-om4-straight-1m", 59),  # list
        ("fibre-mpo12-om4-straight-30m", 45 + 14.25 * 5 + 12 * 5 + 2.3 * 20),
        ("fibre-mpo12-om4-split2-20m", 122 + 14.25 * 4 + 12 * 5 + 2.3 * 10),
        ("fibre-mpo12-os2-straight-50m", 105 + 2.3 * 49),
        ("fibre-mpo12-os2-split2-20m", 150 + 2.3 * 19),
        ("fibre-lc-om4-20m", 13),
        ("fibre-lc-os2-2000m", 405),
        ("svc-install-link", 12 / 60 * 140),
        ("svc-recable-link", 15 / 60 * 140),
    ],
)
def test_prices_by_rule(sku: str, usd: float) -> None:
    assert BOOK.prices[sku].mid_usd == pytest.approx(usd)


def test_the_band_of_a_service_is_minutes_times_wage_at_both_ends() -> None:
    install = BOOK.prices["svc-install-link"]
    assert (install.low_usd, install.high_usd) == (11, 68.75)  # 6 min x 110, 25 min x 165 USD/h


@pytest.mark.parametrize(
    ("sku", "usd"),
    [
        ("qm9700", 33_600 / 25_600 * 25_600 * 1.75),  # 58,800
        ("qm8700", 18_000 / 6_400 * 8_000 * 1.75),  # 39,375: 40 ports against 32
        ("sb7800", 10_000 / 3_200 * 3_600 * 1.75),
        ("q3200", 51_999 / 51_200 * 57_600 * 1.75),  # both switches of the box
        ("connectx-7-400g-osfp", 2_188 * 1.75),  # its own counterpart
    ],
)
def test_infiniband_costs_the_ratio_per_port_gbps(sku: str, usd: float) -> None:
    price = infiniband_prices(BOOK, SOURCES.counterparts, CAPACITY_GBPS, 1.75)[sku]
    assert price.mid_usd == pytest.approx(usd)
    assert (price.sku, price.book, price.source.grade) == (sku, "ratio", Grade.DERIVED)
    assert price.description == BOOK.prices[sku].description


def _price(sku: str, usd: float, grade: Grade) -> Price:
    return Price(sku, "switch", usd * 0.5, usd, usd * 2, Source("test", "2026", grade), "own")


def test_the_ratio_scales_the_whole_band_and_a_guess_stays_a_guess() -> None:
    book = PriceBook("own", {"eth": _price("eth", 100, Grade.GUESS)})
    pairs = {"ib": Counterpart("ib", "eth", "switch")}
    price = infiniband_prices(book, pairs, {"ib": 300.0, "eth": 200.0}, 2.0)["ib"]
    assert (price.low_usd, price.mid_usd, price.high_usd) == (150, 300, 600)
    assert price.source.grade is Grade.GUESS
    assert price.source.text == "derived: 2 x eth's price per port-Gb/s (100 USD)"


def test_parts_without_a_priced_counterpart_are_left_to_the_book() -> None:
    pairs = {"ib": Counterpart("ib", "eth", "switch")}
    own = PriceBook("own", {"ib": _price("ib", 7, Grade.LIST)})
    assert infiniband_prices(own, pairs, {}, 1.75) == {}
    assert infiniband_prices(own, {}, {}, 1.75) == {}


def test_a_part_of_unknown_capacity_is_an_error_not_a_price_of_0() -> None:
    book = PriceBook("own", {"eth": _price("eth", 100, Grade.LIST)})
    pairs = {"ib": Counterpart("ib", "eth", "switch")}
    with pytest.raises(ValueError, match="ib has no capacity"):
        infiniband_prices(book, pairs, {"eth": 200.0}, 1.75)


def test_every_priced_infiniband_part_has_a_counterpart() -> None:
    parts: list[SwitchModel | NicModel] = [*CATALOG.switches.values(), *CATALOG.nics.values()]
    infiniband = {part.id for part in parts if "infiniband" in part.technologies} - UNPRICED
    assert set(SOURCES.counterparts) == infiniband
    roce = {part.id for part in parts if "roce" in part.technologies}
    assert {c.counterpart_sku for c in SOURCES.counterparts.values()} <= roce


def test_every_default_lies_in_its_band_and_says_who_says_so() -> None:
    for key, default in SOURCES.defaults.items():
        assert (default.low is None) == (default.high is None), key
        if default.low is not None and default.high is not None:
            assert default.low <= default.value <= default.high, key
        assert default.source.text and default.unit, key


def test_price_erosion_has_a_default_for_every_item_class() -> None:
    found = {key.removeprefix("prices.erosion.") for key in SOURCES.defaults if ".erosion." in key}
    assert found == set(ITEM_CLASSES)


HEADER = (
    "sku,item_class,description,manufacturer,unit,currency,low_usd,mid_usd,high_usd,"
    "price_date,source,grade,note"
)


def _file(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "book.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_book_is_named_after_its_file(tmp_path: Path) -> None:
    book = load_book(_file(tmp_path, HEADER, "a,nic,A,M,each,USD,1,2,3,2026,someone,quote,"))
    assert (book.name, book.prices["a"].mid_usd, book.prices["a"].book) == ("book", 2.0, "book")
    assert book.prices["a"].source == Source("someone", "2026", Grade.QUOTE)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("a,nic,A,M,each,USD,5,2,3,2026,s,list,", "column mid_usd: low 5 <= mid 2 <= high 3 does not hold"),
        ("a,nic,A,M,each,USD,1,,3,2026,s,list,", "column mid_usd: is empty"),
        ("a,nic,A,M,each,USD,1,nan,3,2026,s,list,", "column mid_usd: 'nan' is not finite"),
        ("a,nic,A,M,each,EUR,1,2,3,2026,s,list,", "column currency: 'EUR' is none of USD"),
        ("a,hat,A,M,each,USD,1,2,3,2026,s,list,", "column item_class: 'hat' is none of"),
        ("a,nic,A,M,each,USD,1,2,3,2026,s,rumour,", "column grade: 'rumour' is none of"),
        ("a,nic,A,M,each,USD,1,2,3,,s,list,", "column price_date: is empty"),
        ("a,nic,A,M", "4 cells of 13"),
    ],
)
def test_a_faulty_price_row_is_named(tmp_path: Path, row: str, fault: str) -> None:
    with pytest.raises(DataFileError) as caught:
        load_book(_file(tmp_path, HEADER, "z,nic,Z,M,each,USD,1,2,3,2026,s,list,", row))
    assert any(text.startswith("book.csv, line 3") and fault in text for text in caught.value.faults)


def test_a_counterpart_on_another_basis_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, "ib_sku,counterpart_sku,item_class,basis,note", "a,b,switch,usd per box,")
    with pytest.raises(DataFileError, match="line 2, column basis: 'usd per box' is none of"):
        load_counterparts(path)


def test_the_book_on_disk_is_the_one_loaded() -> None:
    prices = data_dir() / "prices"
    numbers = load_part_numbers(prices / "part_numbers.csv")
    assert load_book(prices / "reference.csv").ordered_as(numbers) == BOOK
    assert set(numbers) <= set(BOOK.prices)
    assert BOOK.prices["mma4z00-ns"].order_as == "MMA4Z00-NS, 2x MPO-12/APC"
    assert BOOK.prices["mcp7y00"].order_as == "MCP7Y00-Nxxx, OSFP finned -> 2xOSFP flat, 3 m"
