"""The scenario that cases from the field share: InfiniBand on the shipped catalog."""

from __future__ import annotations

from typing import Any

from planner.study.result import FabricResult
from tests.support.making import NOTHING_BESIDE, shipped_plan


def document(gpus: int | list[int], server: str = "hgx-h100", **sections: Any) -> dict[str, Any]:
    """InfiniBand on the catalog's 64 x 400G switch unless the fabric says otherwise, no headroom."""
    steps = [gpus] if isinstance(gpus, int) else gpus
    fabric = {
        "technologies": ["infiniband"], "switches": ["qm9700"], "bandwidth_headroom": 0.0, "min_spines": 1,
        **sections.pop("fabric", {}),
    }  # fmt: skip
    return {
        "schema": 1, "name": "field case", "base_year": 2027, "cluster": {"server": server},
        "growth": [{"year": 2027 + i, "gpus": n} for i, n in enumerate(steps)], "fabric": fabric,
        **{**NOTHING_BESIDE, **sections},
    }  # fmt: skip


def case(gpus: int | list[int], server: str = "hgx-h100", **sections: Any) -> FabricResult:
    return shipped_plan(document(gpus, server, **sections))
