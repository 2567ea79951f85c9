"""Patch panels: the cheapest parts, against a look at every one."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from planner.catalog.parts import Fibre, PatchPanel
from planner.catalog.sources import load_sources
from planner.fabric.patch_panels import panel_parts
from tests.support.making import MADE_UP

CATALOG = load_sources().catalog
PANELS = [
    replace(next(iter(CATALOG.panels.values())), id=f"p{n}", connector="lc", ports=n) for n in (8, 24, 96)
]
CORDS = [Fibre(f"f{n}", "f", "mmf", "lc", 1, float(n), MADE_UP) for n in (1, 2, 3, 5, 10)]


@settings(max_examples=120)
@given(
    st.lists(st.integers(1, 50) | st.none(), min_size=3, max_size=3),
    st.lists(st.integers(1, 5) | st.none(), min_size=5, max_size=5),
    st.sampled_from([0.5, 2.0, 4.0, 11.0]),
)
def test_no_panel_is_cheaper_a_port_and_no_cord_that_is_long_enough(
    panels: list[int | None], cords: list[int | None], jumper_m: float
) -> None:
    """Every priced part is looked at; what none has a price for is named as lacking, not free."""
    ids = [*(p.id for p in PANELS), *(f.id for f in CORDS)]
    usd = {sku: float(p) for sku, p in zip(ids, [*panels, *cords], strict=True) if p is not None}
    catalog = replace(CATALOG, panels={p.id: p for p in PANELS}, fibres={f.id: f for f in CORDS})
    found, lacking = panel_parts(catalog, usd.get, jumper_m)
    by_port = [usd[p.id] / p.ports for p in PANELS if p.id in usd]
    long_enough = [(usd[f.id], f.length_m) for f in CORDS if f.id in usd and f.length_m >= jumper_m]
    assert len(lacking) == (not by_port) + (not long_enough)
    if by_port:
        panel = found.panels["lc"]
        assert isinstance(panel, PatchPanel) and usd[panel.id] / panel.ports == min(by_port)
    if long_enough:
        cord = catalog.fibres[found.cords["mmf", "lc"]]
        assert (usd[cord.id], cord.length_m) == min(long_enough)
