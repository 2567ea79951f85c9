"""What a scenario file comes to: defaults, ids looked up, open choices, own switches and prices."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.scenario.faults import ScenarioError
from planner.scenario.load import checked_text, load_scenario, scenario_from_document, scenario_from_text
from planner.scenario.scenario import GrowthStep, Layout, Limits, Operations, Scenario, WanAsk
from pricing.price_book import ITEM_CLASSES, ItemClass
from pricing.provenance import Grade
from tests.scenario.scenario_small import CLUSTER, GROWTH, HEAD, MINIMAL, checked, said, small_sources


def test_the_defaults_of_the_contract() -> None:
    scenario = checked(MINIMAL)
    fabric = scenario.fabric
    assert (scenario.name, scenario.base_year, scenario.growth) == ("test", 2027, (GrowthStep(2027, 1024),))
    assert fabric.technologies == ("infiniband", "roce", "spectrum-x", "ethernet")
    assert (fabric.link_gbps, fabric.nic_ports_per_node, fabric.rail_optimised) == ((400,), (8,), (True,))
    assert (fabric.planes, fabric.nic_port_split, fabric.max_oversubscription) == ((1,), (1,), Fraction(1))
    assert (fabric.spine_oversubscription, fabric.max_tiers, fabric.min_spines) == (Fraction(1), 3, 2)
    assert (fabric.nodes_per_scalable_unit, fabric.reserved_fabric_ports, fabric.switches) == (None, 0, None)
    assert fabric.bandwidth_headroom == 0.20
    assert scenario.years == range(2027, 2032)
    assert (scenario.finance.discount_rate, scenario.finance.life_years) == (0.08, 5)
    assert scenario.finance.residual == "unexpired-life"
    assert (scenario.prices.infiniband_pricing, scenario.prices.infiniband_price_ratio) == ("ratio", 1.75)
    assert scenario.prices.erosion_per_year == dict.fromkeys(ITEM_CLASSES, 0.0)
    assert (scenario.operations, scenario.layout) == (Operations(), Layout())
    assert (scenario.limits, scenario.wan) == (Limits(), WanAsk())


def test_what_was_not_given_is_said_with_its_grade_and_what_was_given_is_not() -> None:
    used = checked(MINIMAL + "[finance]\npue = 1.2\n").defaults_used
    assert "finance.discount_rate = 0.08 (guess: made up for a test)" in used
    assert "finance.life_years = 5 (guess: made up for a test)" in used
    assert 'fabric.max_oversubscription = "1:1"' in used
    assert not [sentence for sentence in used if sentence.startswith("finance.pue")]


@pytest.mark.parametrize(("last", "years"), [(2028, 5), (2029, 5), (2030, 6), (2033, 9)])
def test_the_horizon_is_five_years_and_at_least_three_from_the_last_step(last: int, years: int) -> None:
    scenario = checked(f"{MINIMAL}[[growth]]\nyear = {last}\ngpus = 2048\n")
    assert scenario.finance.horizon_years == years


@pytest.mark.parametrize(("gpus", "model"), [(47, "llama3-8b"), (48, "gpt3-175b")])
def test_the_default_model_is_gpt3_where_it_fits(gpus: int, model: str) -> None:
    """18 bytes x 175e9 over 80 GB takes 39.4 GPUs: TP 8 x PP 6, the next divisor of 96 layers."""
    assert checked(MINIMAL.replace("1024", str(gpus))).workload.model.id == model


def test_lists_open_choices_and_single_values_do_not() -> None:
    keys = (
        "planes = [1, 8]\nnic_port_split = [1, 2]\nlink_gbps = [400, 200]\nrail_optimised = [true, false]\n"
    )
    ports = MINIMAL.replace(CLUSTER, CLUSTER + "nic_ports_per_node = [4, 8]\n")
    fabric = checked(f"{ports}[fabric]\n{keys}").fabric
    assert (fabric.nic_ports_per_node, fabric.planes, fabric.nic_port_split) == ((4, 8), (1, 8), (1, 2))
    assert (fabric.link_gbps, fabric.rail_optimised) == ((400, 200), (True, False))


@pytest.mark.parametrize(
    ("keys", "rail"),
    [
        ("planes = 1", True),
        ("planes = 4", True),
        ("planes = 8", False),
        ("nic_port_split = 2\nplanes = 16", False),
    ],
)
def test_rail_optimised_where_a_node_has_more_than_one_port_in_a_plane(keys: str, rail: bool) -> None:
    assert checked(f"{MINIMAL}[fabric]\n{keys}\n").fabric.rail_optimised == (rail,)


def test_a_split_port_halves_the_default_rate() -> None:
    text = MINIMAL.replace("dgx-h100", "dgx-b300") + "[fabric]\nnic_port_split = 2\nplanes = 2\n"
    assert checked(text).fabric.link_gbps == (400,)


def test_ratios_are_held_as_fractions() -> None:
    fabric = checked(
        MINIMAL + '[fabric]\nmax_oversubscription = "7:5"\nspine_oversubscription = "1:2"\n'
    ).fabric
    assert (fabric.max_oversubscription, fabric.spine_oversubscription) == (Fraction(7, 5), Fraction(1, 2))


def test_a_server_may_be_changed_and_another_nic_rate_drops_its_nic() -> None:
    keys = "gpus_per_node = 4\nnic_ports_per_node = 2\nnic_port_gbps = 25\n"
    keys += "node_power_w = 700\naccelerator = 'a100'\n"
    scenario = checked(MINIMAL.replace(CLUSTER, CLUSTER + keys) + "[fabric]\ntechnologies = ['roce']\n")
    server = scenario.server
    assert (server.gpus_per_node, server.nvlink_domain_gpus, server.nic_ports_per_node) == (4, 4, 2)
    assert (server.nic_port_gbps, server.nic_id, server.nic_cage, server.nic_ports_per_cage) == (
        25,
        "",
        "",
        1,
    )
    assert (server.power_w, server.accelerator) == (700.0, "a100")
    assert scenario.fabric.link_gbps == (25,)


def test_a_node_price_is_the_price_of_its_price_unit() -> None:
    text = HEAD + '[cluster]\nserver = "gb200-nvl72"\nnode_price_usd = 150000\n' + GROWTH
    price = checked(text).prices.overrides["server-gb200-nvl72"]
    assert (price.mid_usd, price.item_class, price.source.grade) == (18 * 150000.0, "server", Grade.QUOTE)


def test_own_switches_join_with_the_usual_cage_and_their_own_price() -> None:
    row = '[[switch]]\nid = "generic-32x400"\ntechnologies = ["infiniband", "roce"]\nports = 32\n'
    scenario = checked(f"{MINIMAL}{row}port_gbps = 400\nbreakouts = [2]\nprice_usd = 20000\npower_w = 700\n")
    (switch,) = scenario.own_switches
    assert (switch.ports, switch.port_gbps, switch.ports_per_cage, switch.breakouts) == (32, 400, 1, (1, 2))
    assert (switch.cage, switch.vendor, switch.power_w) == ("qsfp112-4x100", "own", 700.0)
    assert switch.technologies == frozenset({"infiniband", "roce"})
    price = scenario.prices.overrides["generic-32x400"]
    assert (price.mid_usd, price.book, price.source.grade) == (20000.0, "scenario", Grade.QUOTE)
    assert (price.source.text, price.source.date, price.manufacturer) == ("given in s.toml", "2027", "own")


def test_an_own_switch_without_price_or_power_is_kept_without() -> None:
    row = (
        '[[switch]]\nid = "mine"\ntechnologies = ["roce"]\nports = 32\nport_gbps = 400\nports_per_cage = 2\n'
    )
    scenario = checked(MINIMAL + row)
    assert (scenario.own_switches[0].power_w, scenario.own_switches[0].cage) == (None, "osfp-8x100")
    assert scenario.prices.overrides == {}


def test_an_own_switch_makes_its_rate_plannable_and_its_vendor_known() -> None:
    row = "[[switch]]\nid = 'mine'\ntechnologies = ['infiniband']\nports = 32\nport_gbps = 25\n"
    ask = "[fabric]\ntechnologies = ['infiniband', 'roce']\nlink_gbps = 25\nswitches = ['mine']\n"
    scenario = checked(f"{MINIMAL}{row}{ask}[constraints]\nswitch_vendors = ['own']\n")
    assert scenario.limits == Limits(("own",))
    assert "is not a known switch vendor" in said(f"{MINIMAL}[constraints]\nswitch_vendors = ['own']\n")[0]


def test_overrides_are_taken_as_they_are() -> None:
    price = checked(f"{MINIMAL}[prices.overrides]\nqm9700 = 12345\n").prices.overrides["qm9700"]
    assert (price.low_usd, price.mid_usd, price.high_usd) == (12345.0, 12345.0, 12345.0)
    assert (price.source.grade, price.description, price.manufacturer) == (
        Grade.QUOTE,
        "the qm9700",
        "NVIDIA",
    )


def test_erosion_is_one_number_or_by_class() -> None:
    def erosion(value: str) -> dict[ItemClass, float]:
        return dict(checked(f"{MINIMAL}[prices]\nerosion_per_year = {value}\n").prices.erosion_per_year)

    assert erosion("0.1") == dict.fromkeys(ITEM_CLASSES, 0.1)
    assert erosion("{switch = 0.2}") == {**dict.fromkeys(ITEM_CLASSES, 0.0), "switch": 0.2}
    by_class = erosion('"by-class"')
    assert (by_class["switch"], by_class["service"], len(by_class)) == (0.1, -0.02, 10)


def test_a_model_is_an_id_or_columns_or_both() -> None:
    changed = checked(MINIMAL + "[workload]\nmodel = 'gpt3-175b'\nsequence = 4096\n").workload.model
    assert (changed.params, changed.sequence) == (175e9, 4096)
    own = checked(
        MINIMAL + "[workload]\nmodel = 'mine'\nparams = 1e9\nlayers = 4\nhidden = 64\nheads = 4\n"
    ).workload
    assert (own.model.id, own.model.ffn_hidden, own.model.kv_heads) == ("mine", 256, 4)
    assert own.tensor_parallel is None


def test_sites_and_side_fabrics() -> None:
    text = "[wan]\nsites = 2\nlink_gbps = 100\nround_trip_ms = 20\nusd_per_year = 5e5\n"
    text += "[management]\nenabled = false\n"
    assert checked(MINIMAL + text).wan == WanAsk(2, 100.0, 20.0, 1.0, 5e5)


def test_a_document_is_read_like_its_text_and_its_faults_have_no_lines() -> None:
    document = tomllib.loads(MINIMAL)
    assert scenario_from_document(document, small_sources(), "s.toml") == checked(MINIMAL)
    document["growth"][0]["gpus"] = -1
    with pytest.raises(
        ScenarioError, match=r"^edited: growth\[1\].gpus = -1: is too small; write at least 1$"
    ):
        scenario_from_document(document, small_sources(), "edited")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00", ":1: is not UTF-8 text"),
        (b"schema = 1\nname = '\xff'\n", ":2: is not UTF-8 text"),
        (b"a\x00b = 1", "is not TOML"),
        (b"#" * 1_000_001, "is larger than 1,000,000 bytes"),
    ],
)
def test_files_that_are_no_scenario(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(content)
    with pytest.raises(ScenarioError, match=message):
        load_scenario(path, small_sources())


def test_a_file_is_read_also_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(b"\xef\xbb\xbf" + MINIMAL.replace("\n", "\r\n").encode())
    assert replace(load_scenario(path, small_sources()), own_switches=()) == checked(MINIMAL)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"name = \xff", "ask.toml:1: is not UTF-8 text"),
        (b"#" * 2_001, "is larger than 2,000 bytes"),
        (b"cluster = 5", "cluster = 5: is not a table"),
    ],
)
def test_a_file_handed_in_is_refused_with_its_faults(content: bytes, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        checked_text(content, "ask.toml", small_sources(), 2_000)


def test_a_file_handed_in_is_kept_as_it_is_written() -> None:
    """But for the mark that some editors put before it."""
    text = MINIMAL + "# by hand\n"
    assert checked_text(b"\xef\xbb\xbf" + text.encode(), "ask.toml", small_sources()) == text


def test_a_missing_file_and_a_directory_are_one_message(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read: No such file"):
        load_scenario(tmp_path / "none.toml", small_sources())
    with pytest.raises(ScenarioError, match="cannot be read: is a directory"):
        load_scenario(tmp_path, small_sources())


WORDS = """
    schema name base_year cluster growth fabric switch workload finance prices operations layout wan
    constraints
    management server year gpus id technologies ports port_gbps breakouts link_gbps planes nic_port_split pue
    max_oversubscription overrides erosion_per_year qm9700 model params layers hidden heads sites x
"""
KEYS = st.sampled_from(WORDS.split())
PLAIN = st.one_of(
    st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.dates(),
    st.sampled_from([1, 2027, 8, 400, "roce", "dgx-h100", "gb200-nvl72", "2:1", "qm9700", "by-class", 2**70]),
)  # fmt: skip
TREES = st.recursive(PLAIN, lambda v: st.lists(v, max_size=3) | st.dictionaries(KEYS, v, max_size=5))
DOCUMENTS = st.dictionaries(KEYS, TREES, max_size=8)


def scenario_or_fault(read: object) -> None:
    assert isinstance(read, Scenario | ScenarioError)
    assert not isinstance(read, ScenarioError) or (read.faults and str(read))


@settings(max_examples=300)
@given(DOCUMENTS, st.booleans())
def test_any_document_is_a_scenario_or_faults(document: dict[str, object], on_top: bool) -> None:
    base = tomllib.loads(MINIMAL) if on_top else {}
    try:
        scenario_or_fault(scenario_from_document({**base, **document}, small_sources(), "s.toml"))
    except ScenarioError as error:
        scenario_or_fault(error)


@settings(max_examples=300)
@given(
    st.one_of(
        st.binary(max_size=200), st.tuples(st.integers(0, 90), st.integers(0, 90), st.binary(max_size=4))
    )
)
def test_any_bytes_are_a_scenario_or_faults(change: bytes | tuple[int, int, bytes]) -> None:
    if isinstance(change, tuple):
        start, length, new = change
        raw = MINIMAL.encode()
        change = raw[:start] + new + raw[start + length :]
    try:
        scenario_or_fault(scenario_from_text(change.decode("utf-8", "replace"), small_sources(), "s.toml"))
    except ScenarioError as error:
        scenario_or_fault(error)
