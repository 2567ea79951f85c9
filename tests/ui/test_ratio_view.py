"""The InfiniBand ratio on the Prices page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.test_page import SMALL
from tests.ui.test_pages_run import opened


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FABRIC_PLANNER_HOME", str(tmp_path))


def test_the_prices_page_examines_the_ratio() -> None:
    app = opened("prices", SMALL)
    assert not app.exception
    assert "InfiniBand against Ethernet" in [s.value for s in app.subheader]
    frames = [d.value for d in app.dataframe]
    items = next(f for f in frames if "counterpart_sku" in f.columns)
    qm9700 = items.set_index("ib_sku").loc["qm9700"]
    assert (qm9700["counterpart_sku"], qm9700["rule_low"], qm9700["rule_high"]) == ("sn5400", 1.5, 2.0)
    assert any("bill_ratio" in f.columns for f in frames)
    assert len(next(f for f in frames if "scope" in f.columns)) == 19
