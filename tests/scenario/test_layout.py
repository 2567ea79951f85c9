"""[layout] patch_panels at the door of the scenario, and back into text."""

from __future__ import annotations

import tomllib

import pytest

from planner.catalog.sources import load_sources
from planner.scenario.faults import ScenarioError
from planner.scenario.load import scenario_from_text
from planner.scenario.scenario import Layout
from planner.scenario.write import dump_document

HEAD = """schema = 1
name = "panels"
base_year = 2027
[cluster]
server = "dgx-h100"
[[growth]]
year = 2027
gpus = 64
[layout]
"""


def layout_of(keys: str) -> Layout:
    """The layout of a text, which is written and read again before it is taken."""
    written = dump_document(tomllib.loads(HEAD + keys))
    return scenario_from_text(written, load_sources(), "panels.toml").layout


@pytest.mark.parametrize(
    ("keys", "ways", "panels"),
    [
        ("", (False,), False),
        ("patch_panels = true", (True,), True),
        ("patch_panels = [true, false]", (True, False), False),
    ],
)
def test_one_way_or_both(keys: str, ways: tuple[bool, ...], panels: bool) -> None:
    layout = layout_of(keys)
    assert (layout.patch_panels, layout.panels) == (ways, panels)
    assert (layout.jumper_m, layout.panel_labour_ratio, layout.panel_downtime_ratio) == (3.0, 0.4, 0.5)


def test_shares_are_shares_and_a_way_is_named_once() -> None:
    with pytest.raises(ScenarioError) as raised:
        layout_of('patch_panels = [true, true]\npanel_labour_ratio = 1.5\njumper_m = -1\npatch_pannels = "x"')
    said = str(raised.value)
    for words in (
        "patch_panels = [true, true]: names a value twice",
        "panel_labour_ratio = 1.5: is too large",
        "jumper_m = -1: is too small",
        "patch_panels",
    ):
        assert words in said
