"""Every fault of a scenario is named with line, key, value and remedy, and all of them at once."""

from __future__ import annotations

import pytest

from planner.scenario.faults import Fault, Lines, ScenarioError, nearest, shown, spelled
from tests.scenario.scenario_small import CLUSTER, GROWTH, HEAD, MINIMAL, checked, faults, said

UNPRICED = '[[switch]]\nid = "mine"\ntechnologies = ["roce"]\nports = 32\nport_gbps = 400\n'


def there(sku: str) -> str:
    """A row of pieces that are there before the base year."""
    return f'[[installed]]\nsku = "{sku}"\nquantity = 2\nbought_year = 2026\n'


def only(text: str) -> str:
    messages = said(text)
    assert len(messages) == 1, messages
    return messages[0]


def test_a_fault_is_one_line() -> None:
    fault = Fault("a.toml", 7, "finance.pue", "0.5", "is too small", "write at least 1")
    assert str(fault) == "a.toml:7: finance.pue = 0.5: is too small; write at least 1"
    assert (
        str(Fault("a.toml", None, "name", None, "is missing", "give it"))
        == "a.toml: name: is missing; give it"
    )
    assert str(ScenarioError((fault,))) == str(fault)
    assert str(ScenarioError((fault, fault))).splitlines() == ["2 faults:", str(fault), str(fault)]


def test_all_faults_are_said_at_once_in_the_order_of_the_file() -> None:
    text = (
        'schema = 2\nname = ""\nbase_year = 2027\n[cluster]\nserver = "dgx-h10"\ngpu_per_node = 8\n'
        '[fabric]\nplanes = 0\n[finance]\npue = 0.5\ndiscount_rate = "8 %"\n' + GROWTH
    )
    assert [(f.line, f.key, f.value) for f in faults(text)] == [
        (1, "schema", "2"),
        (2, "name", '""'),
        (5, "cluster.server", '"dgx-h10"'),
        (6, "cluster.gpu_per_node", "8"),
        (8, "fabric.planes", "0"),
        (10, "finance.pue", "0.5"),
        (11, "finance.discount_rate", '"8 %"'),
    ]


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("[finance]\ndiscount_rates = 1", 'is not a known key; did you mean "discount_rate"?'),
        ("[fabric]\npue = 1.3", "fabric.pue = 1.3: is not a key here; it belongs to [finance]"),
        ("[fabrik]\nplanes = 1", 'fabrik = {...}: is not a known key; did you mean "fabric"?'),
        ("[fabric]\nplanes = true", "is not a whole number"),
        ("[fabric]\nplanes = [1, 1]", "names a value twice"),
        ("[fabric]\nplanes = []", "is an empty list"),
        ("[fabric]\nplanes = 3", "3 does not divide a node's 8 endpoints; write a divisor"),
        ("[fabric]\nplanes = [1, 16]", "16 does not divide a node's 8 endpoints; write a divisor"),
        ("[fabric]\nnic_port_split = 3", "3 does not divide the NIC port's 400G"),
        ("[fabric]\ntechnologies = []", "is an empty list"),
        ("[fabric]\ntechnologies = ['rocee']", 'is not a technology; did you mean "roce"?'),
        ("[fabric]\nbandwidth_headroom = 1.0", "is too large; write less than 1.0"),
        ("[fabric]\nbandwidth_headroom = -0.1", "is too small; write at least 0.0"),
        ("[fabric]\nswitches = ['qm9701']", 'is not a known switch; did you mean "qm9700"?'),
        ("[fabric]\nmax_tiers = 4", "is too large; write at most 3"),
        ("[finance]\ndiscount_rate = 1.0", "is too large; write less than 1"),
        ("[finance]\ndiscount_rate = -1.0", "is too small; write more than -1"),
        ("[finance]\ndiscount_rate = nan", "is not a finite number"),
        ("[finance]\nelectricity_usd_per_kwh = inf", "is not a finite number"),
        ("[finance]\nelectricity_usd_per_kwh = -0.1", "is too small; write at least 0.0"),
        ("[finance]\nhorizon_years = 51", "is too large; write at most 50"),
        ("[finance]\nhorizon_years = 5.0", "is not a whole number"),
        ("[finance]\nresidual = 'half'", "write 'unexpired-life', 'market' or 'none'"),
        ("[workload]\nmodel = 'gpt3-175'", 'is not a known model; did you mean "gpt3-175b"?'),
        ("[workload]\nprecision = 'fp4'", 'did you mean "fp8"? known: bf16, fp8'),
        ("[workload]\ntensor_parallel = 8\npipeline_parallel = 256", "take 2048 GPUs, of 1024 in the first"),
        ("[workload]\nlayers = 4\nhidden = 64\nheads = 4", "workload.params: is missing"),
        ("[workload]\nmodel = 'gpt3-175b'\nheads = 7", "hidden must be a multiple of heads"),
        ("[prices]\nbook = 'referense'", 'is not a known price book; did you mean "reference"?'),
        ("[prices]\nerosion_per_year = 1.5", "is not between -1 and 1"),
        ("[prices]\nerosion_per_year = {switches = 0.1}", "has the unknown class switches"),
        ("[prices.overrides]\nqm9701 = 5", 'is not a known SKU; did you mean "qm9700"?'),
        ("[prices.overrides]\nqm9700 = -5", "is too small; write at least 0.0"),
        ("[layout]\nnode_leaf_m = -1", "is too small; write at least 0.0"),
        ("[operations]\nroce_tuning = 'good'", "write 'tuned', 'default', 'off-tune' or 'wrong-class'"),
        ("[management]\nnodes_per_rack = 0", "is too small; write at least 1"),
        ("[constraints]\nswitch_vendors = ['Nvidea']", 'did you mean "NVIDIA"?'),
        (there("server-dgx-h100"), "is a server, no gear of the network that could be there"),
        (there("qm9701"), 'is not a known SKU; did you mean "qm9700"?'),
        (there("mine") + UNPRICED, "has no price; give the switch its price_usd, or leave it out"),
        ("[wan]\nlink_gbps = 100", "has no sites to link; write sites = 2 in [wan]"),
    ],
)  # fmt: skip
def test_one_fault_of_a_section(section: str, message: str) -> None:
    assert message in only(f"{MINIMAL}{section}\n")


@pytest.mark.parametrize(
    "ratio", ['"0:1"', '"1:0"', '"2"', '"a:b"', '"2:1:1"', '"-2:1"', '"1.5:1"', "0.5", "2", "true"]
)
def test_a_ratio_is_two_whole_numbers_in_quotes(ratio: str) -> None:
    message = only(f"{MINIMAL}[fabric]\nmax_oversubscription = {ratio}\n")
    assert message.endswith(
        'is not a ratio of down to up; write two positive whole numbers in quotes, as "2:1"'
    )


@pytest.mark.parametrize("gpus", ["0", "-8", "10000001", "1024.0", "true", '"1024"', "nan"])
def test_gpus_are_whole_and_from_1_to_10_million(gpus: str) -> None:
    fault = faults(f"{HEAD}{CLUSTER}[[growth]]\nyear = 2027\ngpus = {gpus}\n")[0]
    assert (fault.line, fault.key) == (8, "growth[1].gpus")


def test_growth_rises_from_the_base_year_and_never_falls() -> None:
    rows = "[[growth]]\nyear = 2028\ngpus = 64\n[[growth]]\nyear = 2028\ngpus = 32\n"
    assert said(HEAD + CLUSTER + rows) == [
        "s.toml:7: growth[1].year = 2028: is not base_year; write 2027, or change base_year",
        "s.toml:10: growth[2].year = 2028: does not rise; write a year after 2028",
        "s.toml:11: growth[2].gpus = 32: falls; write at least 64, as in the row before",
    ]


def test_the_horizon_reaches_the_last_growth_year() -> None:
    text = MINIMAL + "[[growth]]\nyear = 2030\ngpus = 2048\n[finance]\nhorizon_years = {}\n"
    assert "ends before the growth step of 2030; write at least 4" in only(text.format(3))
    assert checked(text.format(4)).years == range(2027, 2031)


def test_what_is_required_is_missed_by_name() -> None:
    assert [f.key for f in faults("# nothing\n")] == [
        "schema",
        "name",
        "base_year",
        "growth",
        "cluster.server",
    ]


def test_a_rate_that_no_switch_and_no_nic_has_names_those_there_are() -> None:
    switch, nic = said(f"{MINIMAL}[fabric]\ntechnologies = ['infiniband']\nlink_gbps = 100\n")
    assert "100G is a rate of no switch of infiniband; write one of the rates there are: 200, 400" in switch
    assert "needs a NIC port of 100G, which no NIC of infiniband has" in nic


def test_a_rate_set_by_the_cluster_is_blamed_on_the_cluster() -> None:
    keys = {f.key for f in faults(MINIMAL.replace(CLUSTER, CLUSTER + "nic_port_gbps = 10\n"))}
    assert keys == {"cluster.nic_port_gbps"}


def test_own_switches_are_checked_too() -> None:
    row = "[[switch]]\nid = 'qm9700'\ntechnologies = ['roce']\nports = 33\n"
    row += "port_gbps = 400\nports_per_cage = 2\n"
    assert said(f"{MINIMAL}{row}breakouts = [3]\n[[switch]]\nport_gbps = 40\n")[:4] == [
        's.toml:10: switch[1].id = "qm9700": is already taken; choose an id of your own',
        "s.toml:12: switch[1].ports = 33: does not fill whole cages; write a multiple of ports_per_cage",
        "s.toml:15: switch[1].breakouts = [3]: splits 400G into 3 links of a rate that is not whole; "
        "write divisors of 400",
        "s.toml:16: switch[2].id: is missing; give it: a switch needs one",
    ]
    assert "switch[2].form_factor: is missing, and ports of 40G have no usual cage; name one of: osfp" in str(
        said(f"{MINIMAL}{row}[[switch]]\nport_gbps = 40\n")
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "is empty"),
        (" \n", None, "is empty"),
        ("schema = 1\nname = \n", 2, "is not TOML at column 8: Invalid value"),
        ("a,b,c\n1,2,3\n", 1, "is not TOML at column 2"),
        ('{"schema": 1}', 1, "is not TOML at column 1"),
        ("schema = 1\nschema = 1\n", 2, "is not TOML at column 11: Cannot overwrite a value"),
        ("x = [[[[[" + "[" * 5000, None, "is nested too deeply"),
        ("a." * 5000 + "a = 1", None, "is nested too deeply"),
        ("x = " + "9" * 5000, None, "is not TOML: a value cannot be read"),
        ("x = '" + "y" * 1_000_000 + "'", None, "is larger than 1,000,000 characters"),
    ],
)
def test_text_that_is_no_scenario_is_one_message(text: str, line: int | None, message: str) -> None:
    (fault,) = faults(text)
    assert fault.line == line
    assert message in str(fault)


def test_lines_are_found_through_strings_arrays_and_quoted_keys() -> None:
    text = (
        'a = """\nb = 1\n[x]\n"""\n'  # 1-4
        "list = [\n  1, # ]\n  2,\n]\n"  # 5-8
        "[[row]]\n\"q.k\" = 'x = 1'\n[row.sub]\nc.d = 1\n"  # 9-12
        "[[row]]\nq = {z = 1}\n"  # 13-14
    )
    lines = Lines(text)
    expected = {
        ("a",): 1, ("list",): 5, ("row", 0): 9, ("row", 0, "q.k"): 10, ("row", 0, "sub"): 11,
        ("row", 0, "sub", "c", "d"): 12, ("row", 1): 13, ("row", 1, "q", "z"): 14, ("row", 1, "missing"): 13,
        ("row",): 9,
    }  # fmt: skip
    assert {path: lines.line(path) for path in expected} == expected
    assert lines.line(("b",)) is None


def test_values_are_shown_short_and_in_one_line() -> None:
    assert shown("a\nb") == '"a\\nb"'
    assert shown("x" * 100) == '"' + "x" * 57 + '..."'
    assert shown(10**5000) == "a very large number"
    assert shown([1, [2], {"a": 1}, True]) == "[1, [...], {...}, true]"
    assert spelled(("growth", 0, "gpus")) == "growth[1].gpus"
    assert nearest("nvidia", ["NVIDIA", "Arista"]) == "NVIDIA"


def test_a_nics_cage_is_one_of_the_catalog() -> None:
    """The letter O for a zero."""
    message = only(MINIMAL.replace(CLUSTER, CLUSTER + 'nic_cage = "osfp-flat-4x10O"\n'))
    assert 'is not a known cage; did you mean "osfp-flat-4x100"?' in message


@pytest.mark.parametrize("section", ["storage_fabric", "frontend_fabric"])
def test_switches_of_a_section_that_is_switched_off_are_checked_too(section: str) -> None:
    message = only(f'{MINIMAL}[{section}]\nenabled = false\nswitches = ["qm9701"]\n')
    assert 'is not a known switch; did you mean "qm9700"?' in message


@pytest.mark.parametrize(("ratio", "remedy"), [("0.1", "write at least 0.2"), ("175", "write at most 20")])
def test_a_price_ratio_is_no_share_and_no_percentage(ratio: str, remedy: str) -> None:
    assert remedy in only(f"{MINIMAL}[prices]\ninfiniband_price_ratio = {ratio}\n")


def test_more_pieces_than_a_cluster_can_have_are_a_slip_of_the_keyboard() -> None:
    """1,024 GPUs have 1,024 NIC ports: up to 16 pieces of a SKU each."""
    row = '[[installed]]\nsku = "qm9700"\nquantity = {}\nbought_year = 2026\n'
    message = only(MINIMAL + row.format(1_000_000))
    assert "quantity = 1000000: is more than such a cluster can have; write at most 16384" in message
    assert checked(MINIMAL + row.format(16_384)).installed


def test_switches_that_serve_no_technology_asked_for_are_to_be_replaced() -> None:
    """The rate is not at fault: no switch named there speaks Ethernet."""
    asked = f"{MINIMAL}[fabric]\ntechnologies = ['roce']\nswitches = ['{{}}']\n"
    message = only(asked.format("qm9700"))
    assert message.endswith("name switches of roce there, or leave fabric.switches out")
    assert checked(asked.format("sn5600")).fabric.switches == ("sn5600",)
