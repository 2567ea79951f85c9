"""The whole bill's ratio moves with scale: a radix of 64 needs its third tier at 4,096 endpoints."""

from __future__ import annotations

import pytest

from planner.scenario_file import scenario_from_document
from planner.sources import load_sources
from planner.study_at_sizes import bills_at_sizes
from tests.making import NOTHING_BESIDE

SOURCES = load_sources()


def test_the_whole_bill_rises_where_only_infiniband_needs_a_third_tier() -> None:
    document = {
        "schema": 1, "name": "x", "base_year": 2027, "cluster": {"server": "dgx-h100"},
        "growth": [{"year": 2027, "gpus": 64}], "fabric": {"switches": ["qm9700", "sn5610"]},
        "prices": {"infiniband_pricing": "book"}, **NOTHING_BESIDE,
    }  # fmt: skip
    scenario = scenario_from_document(document, SOURCES, "x.toml")
    rows = {row.gpus: row for row in bills_at_sizes(scenario, SOURCES, (2048, 4096, 16_384))}
    tiers = {gpus: (row.infiniband_tiers, row.roce_tiers) for gpus, row in rows.items()}
    assert tiers == {2048: (2, 2), 4096: (3, 2), 16_384: (3, 3)}
    ratios = {gpus: row.bill_ratio or 0 for gpus, row in rows.items()}
    assert ratios[4096] > 1.2 * ratios[2048] and ratios[4096] > 1.2 * ratios[16_384]
    switch_usd = 96 * 32_870 - 48 * 51_999
    difference = (rows[2048].infiniband_usd or 0) - (rows[2048].roce_usd or 0)
    assert difference == pytest.approx(switch_usd, abs=1)


def test_a_size_that_cannot_be_built_has_no_ratio() -> None:
    document = {
        "schema": 1, "name": "x", "base_year": 2027, "cluster": {"server": "dgx-h100"},
        "growth": [{"year": 2027, "gpus": 64}], "fabric": {"switches": ["qm9700", "sn5610"], "max_tiers": 1},
    }  # fmt: skip
    scenario = scenario_from_document(document, SOURCES, "x.toml")
    (row,) = bills_at_sizes(scenario, SOURCES, (1024,))
    assert (row.infiniband_usd, row.roce_usd, row.bill_ratio) == (None, None, None)
