"""A catalog of a few parts with made-up figures, for tests of the scenario file."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from planner.catalog.defaults import Default
from planner.catalog.parts import Accelerator, Catalog, NicModel, ServerModel, SwitchModel, TrainedModel
from planner.catalog.sources import Sources, load_sources
from planner.catalog.technologies import TECHNOLOGIES, Technology
from planner.scenario.faults import Fault, ScenarioError
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Scenario
from pricing.price_book import ItemClass, Price, PriceBook
from pricing.provenance import Grade, Source

MADE_UP = Source("made up for a test", "2026", Grade.GUESS)
ONE_TO_ONE = Fraction(1)


def _named(technologies: str) -> frozenset[Technology]:
    return frozenset(name for name in TECHNOLOGIES if name in technologies.split())


def _switch(
    id: str, technologies: str, gbps: int, per_cage: int, cage: str, breakouts: tuple[int, ...]
) -> SwitchModel:
    return SwitchModel(
        id, id.upper(), "NVIDIA", _named(technologies), 64, gbps, per_cage, cage, breakouts, 700.0, MADE_UP
    )  # fmt: skip


def _nic(id: str, technologies: str, ports: int, gbps: int, cage: str) -> NicModel:
    return NicModel(id, id, "NVIDIA", _named(technologies), ports, gbps, cage, 5, 20.0, MADE_UP)


def _server(id: str, gpu: str, gbps: int, nic: str, per_cage: int = 1, nodes: int = 1) -> ServerModel:
    gpus = 8 if nodes == 1 else 4
    return ServerModel(
        id, id, gpu, gpus, gpus, gbps, per_cage, nic, "osfp-flat-4x100" if nic else "", 5,
        gpus * nodes, nodes, 9000.0, MADE_UP,
    )  # fmt: skip


def _model(id: str, params: float, layers: int, hidden: int, heads: int) -> TrainedModel:
    return TrainedModel(
        id, id, params, layers, hidden, 4 * hidden, heads, heads, 51200, 2048, False, False, MADE_UP
    )  # fmt: skip


def _catalog() -> Catalog:
    ethernet = "roce spectrum-x ethernet"
    switches = [
        _switch("qm9700", "infiniband", 400, 2, "osfp-8x100", (1, 2)),
        _switch("sn2410", "roce ethernet", 25, 1, "sfp28-1x25", (1,)),
        _switch("sn5600", ethernet, 800, 1, "osfp-8x100", (1, 2, 4)),
    ]
    nics = [
        _nic("connectx-7-400g", "infiniband roce ethernet", 1, 400, "osfp-flat-4x100"),
        _nic("connectx-8-800g", f"infiniband {ethernet}", 1, 800, "osfp-flat-4x200"),
        _nic("bluefield-3-400g", ethernet, 1, 400, "qsfp112-4x100"),
        _nic("connectx-6-lx-2x25g", "roce ethernet", 2, 25, "sfp28-1x25"),
    ]
    servers = [
        _server("dgx-h100", "h100", 400, "connectx-7-400g", per_cage=2),
        _server("hgx-a100", "a100", 200, ""),
        _server("dgx-b300", "h100", 800, "connectx-8-800g"),
        _server("gb200-nvl72", "h100", 400, "connectx-7-400g", nodes=18),
    ]
    gpus = [
        Accelerator("h100", "H100", {"bf16": 989.0, "fp8": 1979.0}, 80.0, 3.35, 450.0, MADE_UP),
        Accelerator("a100", "A100", {"bf16": 312.0}, 80.0, 2.0, 300.0, MADE_UP),
    ]
    models = [_model("gpt3-175b", 175e9, 96, 12288, 96), _model("llama3-8b", 8e9, 32, 4096, 32)]
    return Catalog(
        {s.id: s for s in switches}, {n.id: n for n in nics}, {}, {}, {}, {a.id: a for a in gpus},
        {s.id: s for s in servers}, {m.id: m for m in models},
    )  # fmt: skip


_DEFAULTS: dict[str, Any] = {
    "finance.discount_rate": 0.08, "finance.electricity_usd_per_kwh": 0.07, "finance.pue": 1.3,
    "finance.life_years": 5, "finance.market_resale_ratio": 0.25, "finance.support_ratio_per_year": 0.05,
    "finance.server_power_use_ratio": 0.8, "prices.infiniband_price_ratio": 1.75,
    "prices.erosion.switch": 0.1, "prices.erosion.nic": 0.05, "prices.erosion.transceiver": 0.15,
    "prices.erosion.cable": 0.0, "prices.erosion.fibre": 0.0, "prices.erosion.server": 0.1,
    "prices.erosion.service": -0.02, "prices.erosion.manager": 0.0, "prices.erosion.rack": 0.0,
    "prices.erosion.licence": 0.0,
}  # fmt: skip


def small_sources() -> Sources:
    """Three switches, four NICs, four servers, two GPUs, two models, a book of two prices."""
    priced: list[tuple[str, ItemClass, float]] = [
        ("qm9700", "switch", 30000.0),
        ("server-dgx-h100", "server", 300000.0),
    ]
    prices = {
        sku: Price(sku, kind, usd, usd, usd, MADE_UP, "reference", f"the {sku}", "NVIDIA")
        for sku, kind, usd in priced
    }
    book = PriceBook("reference", prices)
    shipped = {key: default.value for key, default in load_sources().defaults.items()}
    defaults = {
        key: Default(key, value, None, None, "", MADE_UP) for key, value in {**shipped, **_DEFAULTS}.items()
    }
    return Sources(_catalog(), {"reference": book}, {}, defaults)


HEAD = 'schema = 1\nname = "test"\nbase_year = 2027\n'
CLUSTER = '[cluster]\nserver = "dgx-h100"\n'
GROWTH = "[[growth]]\nyear = 2027\ngpus = 1024\n"
MINIMAL = HEAD + CLUSTER + GROWTH


def checked(text: str) -> Scenario:
    return scenario_from_text(text, small_sources(), "s.toml")


def faults(text: str) -> tuple[Fault, ...]:
    try:
        checked(text)
    except ScenarioError as error:
        return error.faults
    return ()


def said(text: str) -> list[str]:
    return [str(fault) for fault in faults(text)]
