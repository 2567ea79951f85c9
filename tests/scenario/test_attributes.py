"""The attribute tables: complete, one with data and frozen values, and the source of the reference."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from planner.catalog.parts import ServerModel, TrainedModel
from planner.catalog.sources import load_sources
from planner.cli.main import main
from planner.scenario.attributes import Section, attributes_of
from planner.scenario.bill import Charges, Escalation, ManagementAsk, SparesAsk, Staff, Upkeep
from planner.scenario.bill_section import FAILING
from planner.scenario.cluster_keys import FabricSection, LayoutSection
from planner.scenario.faults import shown
from planner.scenario.job_keys import OperationsSection, WanSection, WorkloadSection
from planner.scenario.scenario import (
    Calibration,
    FabricAsk,
    FinanceAsk,
    Layout,
    Operations,
    PriceAsk,
    WanAsk,
    Workload,
)
from planner.scenario.sections import BY_HEADER, SECTIONS, default_of, every_attribute, sections_with

ROOM = Path(__file__).resolve().parents[2] / "planner" / "scenario"
REFERENCE = Path(__file__).resolve().parents[2] / ".github" / "SCENARIO.md"
DEFAULTS = load_sources().defaults
# Figures of the data that are no key: a table by class, and what the planner itself judges with.
NO_KEYS = ("prices.erosion.", "workload.max_tokens_per_step", "band.", "warnings.")


def test_every_key_has_a_sentence_and_one_default() -> None:
    """Without this, a key could be read that no document explains, or have two defaults that drift apart."""
    for _, row in every_attribute():
        assert row.sentence.endswith("."), row.path
        ways = [row.path in DEFAULTS, row.default is not None, row.required]
        assert sum(ways) == 1 or (sum(ways) == 0 and row.rule), row.path


def test_every_figure_of_the_data_is_a_key_s_default_in_the_same_unit() -> None:
    rows = {row.path: row for _, row in every_attribute()}
    for path, default in DEFAULTS.items():
        if not path.startswith(NO_KEYS):
            assert default.unit == rows[path].unit, path


@pytest.mark.parametrize(
    ("section", "kind"),
    [
        (WorkloadSection, Workload),
        (OperationsSection, Operations),
        (LayoutSection, Layout),
        (WanSection, WanAsk),
    ],
)
def test_a_value_made_by_hand_has_the_defaults_of_a_file(section: type[Section], kind: Any) -> None:
    """Operations() in a notebook must be what an empty [operations] means."""
    rows = attributes_of(section)
    for field in dataclasses.fields(kind):
        row = rows.get(field.name)
        if row is None or row.rule or field.default is dataclasses.MISSING:
            continue
        asked = DEFAULTS[row.path].value if row.path in DEFAULTS else row.default
        assert shown(field.default) == shown(type(field.default)(asked)), row.path


def test_every_key_is_read_by_name() -> None:
    """A key in a table that no value holds and no reader names would be taken and never used."""
    values = [Workload, Operations, Layout, WanAsk, FabricAsk, FinanceAsk, PriceAsk, Calibration, ServerModel]
    values += [TrainedModel, ManagementAsk, SparesAsk, Charges, Escalation, Staff, Upkeep]
    held = {field.name for kind in values for field in dataclasses.fields(kind)}
    readers = "".join(path.read_text(encoding="utf-8") for path in ROOM.glob("*_section.py"))
    built = {f"{name}_failures_per_year" for name in FAILING}
    built |= {f"{name}_by_technology" for name in ("e0", "alpha_us")}
    for _, row in every_attribute():
        named = f".{row.key}" in readers or f'"{row.key}"' in readers
        assert named or row.key in {*held, *built}, row.path


def test_types_and_ranges_are_said_in_words() -> None:
    rows = attributes_of(FabricSection)
    assert (rows["max_tiers"].kind, rows["max_tiers"].range) == ("whole number", "1 to 3")
    assert (rows["bandwidth_headroom"].kind, rows["bandwidth_headroom"].range) == (
        "number",
        "0 or more, less than 1",
    )
    assert rows["planes"].kind == "whole number, or a list of them"
    assert rows["max_oversubscription"].kind == 'ratio such as "2:1"'
    assert rows["technologies"].choices == ("infiniband", "roce", "spectrum-x", "ethernet")
    finance = attributes_of(BY_HEADER["finance"])
    assert finance["residual"].kind == "one of unexpired-life, market, none"
    assert (finance["discount_rate"].range, finance["horizon_years"].range) == (
        "more than -1, less than 1",
        "1 to 50",
    )


def test_a_default_is_told_with_its_source() -> None:
    finance = attributes_of(BY_HEADER["finance"])
    value, source = default_of(finance["pue"], DEFAULTS)
    assert value == "1.3"
    assert source.startswith("guess: ")
    assert default_of(finance["residual"], DEFAULTS) == ('"unexpired-life"', "rule")
    assert default_of(attributes_of(BY_HEADER["growth"])["gpus"], DEFAULTS) == ("required", "")


def test_a_misplaced_key_belongs_to_a_table_before_rows() -> None:
    assert sections_with("pue") == ["finance"]
    assert sections_with("link_gbps")[0] == "fabric"
    assert len({section.header for section in SECTIONS}) == len(SECTIONS)


def test_the_reference_is_what_the_tables_say() -> None:
    ran = CliRunner().invoke(main, ["list", "keys", "--markdown"])
    assert ran.exit_code == 0
    assert REFERENCE.read_text(encoding="utf-8") == ran.output
    assert all(f"`{row.key}`" in ran.output for _, row in every_attribute())


def test_a_document_is_for_the_keys_alone() -> None:
    ran = CliRunner().invoke(main, ["list", "servers", "--markdown"])
    assert ran.exit_code == 2
    assert "--markdown is for keys alone" in ran.output
