"""What several tests share: the seed of random examples, hand-made answers, and the system's browser."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy

from planner.catalog.parts import ServerModel, TrainedModel
from planner.cost.bom_lines import BomLine
from planner.cost.tco import CostLine, YearTotals
from planner.fabric.design import Change, Design, Plan, Size, SolverReport, Wiring
from planner.scenario.scenario import (
    FabricAsk,
    FinanceAsk,
    GrowthStep,
    Layout,
    Limits,
    Operations,
    PriceAsk,
    Scenario,
    WanAsk,
    Workload,
)
from planner.study.recommendation import Recommendation
from planner.study.result import FabricResult
from planner.study.study import Study
from planner.throughput.result import Estimate
from pricing.provenance import Grade, Source
from tests.support.examples import Examples

# No limit on the time of an example: a busy machine is no fault of the code.
for profile in ("submission", "fresh"):
    settings.register_profile(
        profile, deadline=None, database=None, derandomize=False, suppress_health_check=[HealthCheck.too_slow]
    )
PROFILE = os.environ.get("HYPOTHESIS_PROFILE") or ("submission" if os.environ.get("CI") else "fresh")
settings.load_profile(PROFILE)

MADE_UP = Source("made up for a test", "2026", Grade.GUESS)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Chooses the seed of all random examples, before xdist hands the options to its workers."""
    if config.option.hypothesis_seed is None:
        chosen = 0 if PROFILE == "submission" else random.SystemRandom().getrandbits(32)
        config.option.hypothesis_seed = str(chosen)


def pytest_report_header(config: pytest.Config) -> str:
    found = config.option.hypothesis_seed
    return f"random examples: profile {PROFILE}; the same again with --hypothesis-seed={found}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Says the seed again beside what failed; ``-q`` prints no header."""
    if terminalreporter.stats.get("failed"):
        terminalreporter.write_line(pytest_report_header(config))


@pytest.fixture
def examples(request: pytest.FixtureRequest) -> Examples:
    """Tries a check on random examples that differ from test to test, parameters included.

    Hypothesis alone gives every parameter of a test the same examples.
    """
    number = f"{request.config.option.hypothesis_seed} {request.node.nodeid}"

    def on_examples(check: Callable[..., None], count: int, *drawn: SearchStrategy[Any]) -> None:
        seed(number)(settings(max_examples=count)(given(*drawn)(check)))()

    return on_examples


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the system's chromium. Skips without one, fails where REQUIRE_BROWSER=1 asks for it."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    reason = "no chromium on this machine (Debian: apt-get install chromium)"
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(f"REQUIRE_BROWSER=1, but {reason}")
    pytest.skip(reason)


@pytest.fixture
def asked() -> Scenario:
    """1,024 GPUs in 2027, 2,048 in 2028; horizon 2027 and 2028."""
    server = ServerModel(
        "dgx-h100", "DGX H100", "h100", 8, 8, 400, 2, "connectx-7-400g", "osfp", 5, 8, 1, 9000.0, MADE_UP
    )
    model = TrainedModel("tiny", "Tiny", 1e9, 8, 1024, 4096, 8, 8, 32000, 2048, False, False, MADE_UP)
    fabric = FabricAsk(
        technologies=("infiniband", "roce"),
        link_gbps=(400,),
        rail_optimised=(True,),
        planes=(1,),
        nic_port_split=(1,),
        nic_ports_per_node=(8,),
        max_oversubscription=Fraction(1),
        spine_oversubscription=Fraction(1),
        max_tiers=3,
        min_spines=2,
        nodes_per_scalable_unit=None,
        reserved_fabric_ports=0,
        bandwidth_headroom=0.2,
        switches=None,
    )
    finance = FinanceAsk(
        horizon_years=2,
        discount_rate=0.08,
        electricity_usd_per_kwh=0.08,
        pue=1.3,
        residual="unexpired-life",
        life_years=5,
        market_resale_ratio=0.3,
        support_ratio_per_year=0.05,
        server_power_use_ratio=0.8,
    )
    return Scenario(
        name="1,024 GPUs growing to 2,048",
        base_year=2027,
        server=server,
        growth=(GrowthStep(2027, 1024), GrowthStep(2028, 2048)),
        fabric=fabric,
        own_switches=(),
        workload=Workload(model),
        finance=finance,
        prices=PriceAsk(
            book="reference", infiniband_pricing="ratio", infiniband_price_ratio=1.75, erosion_per_year={}
        ),
        operations=Operations(),
        layout=Layout(),
        limits=Limits(),
        wan=WanAsk(),
        defaults_used=("discount_rate = 0.08",),
    )


@pytest.fixture
def two_tier_wiring() -> Wiring:
    """The published 1,024-endpoint fabric: leaves 32 down, 32 up, two links to each of 16 spines."""
    return Wiring(
        planes=1, nic_port_split=1, nic_ports_per_node=8, link_gbps=400, rail_optimised=True,
        nic="connectx-7-400g", tiers=2, leaf="qm9700", leaf_breakout=1, nodes_per_unit=32, leaves_per_unit=8,
        down=32, up=32, uplink_gbps=400, spine="qm9700", spines=16,
    )  # fmt: skip


@pytest.fixture
def two_tier_design(two_tier_wiring: Wiring) -> Design:
    size = Size(128, 1024, leaves=32, pods=1, spines=16, cores=0, leaf_spine_links=1024, spine_core_links=0)
    change = Change({"qm9700": 48}, {}, 2048, 0, (0, 0, 0), 0.0)
    return Design(
        2027, 1024, 128, two_tier_wiring, size, {"qm9700": 48}, {"qm9700": 48}, change,
        {("leaf", "qm9700"): 48}, 512, 1536,
    )  # fmt: skip


@pytest.fixture
def grown_design(two_tier_wiring: Wiring) -> Design:
    """The same fabric a year on, doubled."""
    wiring = two_tier_wiring
    size = Size(256, 2048, leaves=64, pods=1, spines=32, cores=0, leaf_spine_links=2048, spine_core_links=0)
    change = Change({"qm9700": 48}, {"old-switch": 2}, 2048, 512, (0, 512, 0), 512.0)
    return Design(
        2028, 2048, 256, wiring, size, {"qm9700": 96}, {"qm9700": 96}, change,
        {("leaf", "qm9700"): 96}, 1024, 3072,
    )  # fmt: skip


def _bom_line(year: int, sku: str, description: str) -> BomLine:
    return BomLine(
        "infiniband", year, "compute", "leaf", sku, description, "NVIDIA", 48, 1, 30000.0,
        "made up for a test", "2026", "guess", 640.0,
    )  # fmt: skip


@pytest.fixture
def designed(two_tier_design: Design, grown_design: Design) -> FabricResult:
    """InfiniBand, with a design in both years."""
    solver = SolverReport("HiGHS", "optimal", 52e6, 52e6, 0.0, 0.25, 7, 0.5, 120)
    shares = {"compute": 0.75, "exposed_fabric": 0.25}
    plan = Plan(
        "infiniband", "optimal", None, ("q3400: no price",), solver, (two_tier_design, grown_design),
        warnings=("no reserved port",),
    )  # fmt: skip
    return FabricResult(
        plan=plan,
        bom=(_bom_line(2028, "qm9700", "Switch, 64 ports"), _bom_line(2027, "qm9700", "=HYPERLINK(1)")),
        costs=(CostLine(2027, "switches", "capex", True, 1.47e6, 1.47e6),),
        years=(YearTotals(2027, 40e6, 2e6, 1e6, 123.4), YearTotals(2028, 20e6, 1.5e6, 2e6, 246.8)),
        estimates=(
            Estimate(1024, 1024, 8, 4, 32, 1536, 5.0, 0.41, 0.99, 400_000.0, shares),
            Estimate(2048, 2048, 8, 4, 64, 3072, 5.1, 0.4, 0.98, 790_000.0, shares, ("small batch",)),
        ),
        tco_usd=52e6,
        network_tco_usd=5.2e6,
        usd_per_effective_tflops=100.0,
        levelised_usd_per_effective_tflops_year=48.5,
    )


@pytest.fixture
def undesigned() -> FabricResult:
    """RoCE, proven infeasible."""
    solver = SolverReport("HiGHS", "infeasible", None, None, None, 0.1)
    return FabricResult(Plan("roce", "infeasible", "max_tiers = 1 ends at 64 endpoints", (), solver))


@pytest.fixture
def study(asked: Scenario, designed: FabricResult, undesigned: FabricResult) -> Study:
    advice = Recommendation("infiniband", ("the only one with a design",))
    return Study(asked, (designed, undesigned), advice, ("storage fabric: not counted",))
