"""The shipped catalog: complete against its sources, strict against faults, and possible to build."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from planner.catalog.data_files import data_dir
from planner.catalog.defaults import load_defaults
from planner.catalog.load import load_catalog
from planner.catalog.parts import Catalog
from planner.catalog.sources import load_sources
from planner.catalog.technologies import protocol_of
from planner.fabric.fat_tree import radix
from pricing.csv_rows import DataFileError
from pricing.provenance import Grade

FOLDER = data_dir() / "catalog"
CATALOG = load_sources().catalog

# Every row of the gathered source tables must be a part's name or stand in not_found.csv.
SOURCE_ROWS = """
SB7800|QM8700|QM8790|QM9700|QM9790|CS9500|Q3400-RA|Q3200-RA|Q3450-LD|SN2201|SN2410|SN2700|SN3700|SN4600C
SN4600|SN4700|SN5400|SN5600|SN5610|SN6600|FS N9600-64OD|Arista 7060X6-64PE|Arista 7060X6-32PE
Arista 7060DX5-64S|Arista 7050DX4-32S|Arista 7050SX3-48YC8|Arista 7050CX3-32S
Arista 7800R4C-36PE (line card)|Dell Z9864F-ON|Celestica DS5000|Edgecore AIS800-64O|Cisco N9364E-SG2X-O
Cisco 9364D-GX2A|Cisco 9332D-GX2B|Cisco 9232E|Edgecore AS9716-32D (DCS510)|Dell S5248F-ON
Tomahawk 6 box (generic; e.g. Arista 7060XE7)|ConnectX-8 C8180 (800G OSFP)
ConnectX-8 C8240 (2x400G QSFP112)|ConnectX-7 MCX75310AAS-NEAT (400G OSFP)
ConnectX-7 MCX755106AS-HEAT (2x200G QSFP112)|ConnectX-6 VPI HDR 200G|ConnectX-6 Dx 100G 2-port
ConnectX-6 Lx 25G 2-port|ConnectX-5 100G 2-port|ConnectX-4 Lx 25G|BlueField-3 B3140H (400G SuperNIC)
BlueField-3 B3220 (2x200G)|BlueField-3 B3240 (2x400G)|Broadcom Thor 2 BCM57608 (400G)|AMD Pollara 400
Intel E810-CQDA2 (100G)|ConnectX-9 / BlueField-4 / Thor Ultra / Vulcano|25G SFP28 DAC 5 m|25G SFP28 SR
100G QSFP28 DAC|100G -> 4x25G DAC breakout 3 m|100G QSFP28 AOC 3 m|100G QSFP28 SR4|200G QSFP56 DAC
200G QSFP56 AOC|400G(2x200G) AOC splitter|400G QSFP-DD DAC|400G QSFP-DD -> 2xQSFP56 DAC 2 m
400G QSFP-DD ACC 3 m|400G QSFP-DD AOC 3 m|800G OSFP twin-port DAC (2x400G to 2x400G)
800G twin-port DAC splitter to 2x400G OSFP|800G twin-port DAC splitter to 2x400G QSFP112
800G twin-port DAC splitter to 4x200G|800G ACC (twin-port)|800G active splitter to 2x400G QSFP112 3 m
800G AEC splitter to 2x400G OSFP|400G QSFP-DD DR4 500 m|400G OSFP SR4 (NIC side)
400G QSFP112 SR4 (NIC/DPU side)|400G OSFP DR4 (NIC side)|400G QSFP112 DR4
800G OSFP twin-port 2xSR4 (switch side)|800G OSFP twin-port 2xDR4 100 m|800G OSFP twin-port 2xDR4 500 m
800G OSFP twin-port 2xFR4 2 km|800G OSFP 10 km|800G LPO DR8|1.6T OSFP twin-port XDR (2x800G) 500 m
1.6T XDR|MPO-12 OM4 crossover fibre (straight)|MPO-12 OM4 1:2 splitter fibre
MPO-12 OS2 crossover fibre (straight)|MPO-12 OS2 1:2 splitter fibre|200G QSFP56 SR4
800G OSFP single-port, NIC side (ConnectX-8)|LC duplex OM4 fibre (25G SR)|LC duplex OS2 fibre (FR4, LR)
DGX A100|PCIe A100 node (Fire-Flyer)|HGX H100 8-GPU server|HGX H100 8-GPU baseboard only|DGX H100
Lenovo SR675 V3 8x H100 NVL|H800 8-GPU server|HGX H200 8-GPU server|DGX B200|DGX B300|GB200 NVL72
GB300 NVL72 rack|VR200 NVL72 rack|MI300X 8-GPU server|MI355X 8-GPU server
"""

CONTRACT_SWITCHES = (
    "qm8700 qm8790 qm9700 qm9790 q3400 q3200 sn2410 sn2700 sn3700 sn4700 sn5400 sn5600 sn5610 "
    "arista-7060x6-64pe arista-7060dx5-64s"
)
CONTRACT_SERVERS = (
    "dgx-a100 hgx-a100 dgx-h100 hgx-h100 hgx-h800 dgx-h200 dgx-b200 dgx-b300 gb200-nvl72 mi300x"
)


def test_the_ids_that_scenarios_rely_on_exist() -> None:
    assert set(CONTRACT_SWITCHES.split()) <= set(CATALOG.switches)
    assert set(CONTRACT_SERVERS.split()) <= set(CATALOG.servers)
    assert {"gpt3-175b", "gpt-1t", "llama3-8b", "llama3-70b", "llama3-405b"} <= set(CATALOG.models)


def test_every_source_row_is_a_part_or_said_to_be_missing() -> None:
    parts = [
        part.name
        for kind in (
            CATALOG.switches,
            CATALOG.nics,
            CATALOG.transceivers,
            CATALOG.assemblies,
            CATALOG.fibres,
            CATALOG.servers,
        )
        for part in kind.values()
    ]
    rows, told = SOURCE_ROWS.strip().replace("\n", "|").split("|"), (*parts, *CATALOG.not_found)
    assert [row for row in rows if not any(text.startswith(row) for text in told)] == []


@pytest.mark.parametrize(
    ("switch", "gbps", "ports"),
    [
        ("qm9700", 200, 128), ("sn5600", 400, 128), ("sn5600", 200, 256), ("sn5400", 200, 128),
        ("sn5400", 100, 256), ("arista-7060x6-64pe", 200, 256), ("cisco-9364d-gx2a", 100, 256),
        ("qm8700", 100, 80), ("q3400", 800, 144), ("q3400", 50, 0),
    ],
)  # fmt: skip
def test_the_logical_ports_that_vendors_publish(switch: str, gbps: int, ports: int) -> None:
    """What a breakout makes of ports and cages, against the port counts of the vendors' documents."""
    assert radix(CATALOG.switches[switch], gbps) == ports


def test_technologies_of_parts_follow_from_their_protocol() -> None:
    """What speaks InfiniBand speaks nothing else, unless it is a NIC of both; Spectrum-X runs RoCE, too."""
    for switch in CATALOG.switches.values():
        assert len({protocol_of(t) for t in switch.technologies}) == 1, switch.id
    served = {part.id: part.technologies for part in CATALOG.switches.values()}
    served |= {part.id: part.technologies for part in CATALOG.nics.values()}
    assert [id for id, words in served.items() if "spectrum-x" in words and "roce" not in words] == []


def test_a_price_unit_of_trays_is_one_nvlink_domain() -> None:
    """72 GPUs in 18 trays: a rack taken for a node has one leaf, a tray taken for a price pays 18 racks."""
    racks = [s for s in CATALOG.servers.values() if s.nodes_per_price_unit > 1]
    assert racks
    for rack in racks:
        assert rack.nodes_per_price_unit * rack.gpus_per_node == rack.nvlink_domain_gpus, rack.id


def test_server_power_is_net_of_its_nics() -> None:
    assert CATALOG.servers["dgx-h100"].power_w == 10_200 - 8 * 26
    assert CATALOG.servers["mi300x"].power_w == 10_500  # comes without NICs
    assert CATALOG.servers["gb200-nvl72"].power_w == pytest.approx(125_000 / 18 - 4 * 26, abs=0.05)


def test_peaks_are_dense() -> None:
    """Twice the rate at half the bits; a sparse figure beside a dense one would make it four times."""
    for gpu in CATALOG.accelerators.values():
        peaks = gpu.peak_tflops
        if "fp8" in peaks:  # absent, not 0, where a GPU has none
            assert peaks["fp8"] / peaks["bf16"] == pytest.approx(2.0, rel=0.01), gpu.id


def test_parameters_follow_from_the_shape() -> None:
    gpt, llama = CATALOG.models["gpt3-175b"], CATALOG.models["llama3-8b"]
    hidden, layers = gpt.hidden, gpt.layers
    by_equation_2 = 12 * layers * hidden**2 + 13 * layers * hidden + (gpt.vocab + gpt.sequence) * hidden
    assert gpt.params == pytest.approx(by_equation_2, rel=1e-9)
    assert CATALOG.models["gpt-1t"].params == pytest.approx(1.008e12, rel=1e-3)
    assert llama.params == 8_030_261_248  # as the published checkpoint counts
    assert (llama.gated_mlp, llama.causal_flops, gpt.gated_mlp, gpt.causal_flops) == (
        True,
        True,
        False,
        False,
    )


@pytest.mark.parametrize("file", ["switches", "nics", "transceivers", "assemblies", "servers"])
def test_every_power_figure_says_source_date_and_grade(file: str) -> None:
    with (FOLDER / f"{file}.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row.get("power_w") or row.get("power_w_per_end")]
    assert rows
    for row in rows:
        assert row["power_grade"] in tuple(Grade), row["id"]
        assert row["power_source"], row["id"]
        assert row["power_date"][:2] in ("19", "20"), row["id"]
        if row["power_source"].startswith("not found"):
            assert row["power_grade"] == "guess", row["id"]


def test_a_part_without_power_has_none_and_not_0() -> None:
    assert CATALOG.switches["q3450-ld"].power_w is None
    assert CATALOG.switches["q3450-ld"].power_source is None
    powered = [s for s in CATALOG.switches.values() if s.id != "q3450-ld"]
    assert all(s.power_w and s.power_source for s in powered)


def _with(tmp_path: Path, file: str, old: str, new: str) -> Path:
    folder = tmp_path / "catalog"
    if not folder.is_dir():
        shutil.copytree(FOLDER, folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


def _faults(folder: Path) -> tuple[str, ...]:
    with pytest.raises(DataFileError) as caught:
        load_catalog(folder)
    return caught.value.faults


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("fits.csv", "osfp-8x100,mcp7y00,a", "osfp-9x100,mcp7y00,a", "column cage: 'osfp-9x100' is none of"),
        ("fits.csv", "rj45,cat6-rj45,both", "rj45,cat9,both", "column part: 'cat9' is no cable"),
        ("switches.csv", "qsfp28-4x25,1;2;4", "qsfp28-4x25,1;3", "column breakouts: must hold 1 and divide"),
        ("switches.csv", "sn5610,", "sn5600,", "column id: 'sn5600' is there twice"),
        ("switches.csv", "roce;spectrum-x;ethernet", "roce;spectrum", "'spectrum' is none of"),
        ("nics.csv", ",power_w,", ",power,", "line 1, column power_w: is missing"),
        ("servers.csv", ",osfp-flat-8x100,", ",sofa,", "column nic_cage: 'sofa' is none of"),
        ("models.csv", "12288,49152,96", "12288,49152,97", "column heads: 97 heads do not divide 12288"),
        ("switches.csv", "infiniband,40,200,1,", "infiniband,40,200,3,", "40 ports do not fill cages of 3"),
        ("transceivers.csv", ",sr,mmf,", ",zr,mmf,", "column optic: 'zr' is none of dr, fr, lr, sr"),
        (
            "assemblies.csv",
            "DAC,1,25,25,",
            "DAC,1,25,24,",
            "column rates_gbps: must divide the hub's 25 Gb/s",
        ),
        (
            "fits.csv",
            "osfp-8x100,mcp7y00,a",
            "osfp-8x100,mcp7y00,c",
            "column end: 'c' is none of a, b, both, module",
        ),
        ("accelerators.csv", "A100 SXM 80GB,312,", "A100 SXM 80GB,,", "column bf16_tflops: is empty"),
        ("panels.csv", "mpo-12,64,", "mpo-12,0,", "column ports: must be 1 or more"),
        ("not_found.csv", "CS9500,", ",", "column part: is empty"),
    ],
)
def test_a_fault_names_file_line_and_column(
    tmp_path: Path, file: str, old: str, new: str, fault: str
) -> None:
    faults = _faults(_with(tmp_path, file, old, new))
    assert any(text.startswith(f"{file}, line ") and fault in text for text in faults), faults


def test_all_faults_come_at_once_with_their_lines(tmp_path: Path) -> None:
    _with(tmp_path, "fibres.csv", "mmf,mpo-12,1,1,", "mmf,mpo-12,1,x,")
    folder = _with(tmp_path, "transceivers.csv", ",lc,1,1,25,100,", ",lc,1,1,25,-100,")
    (folder / "accelerators.csv").unlink()
    faults = _faults(folder)
    assert "fibres.csv, line 2, column length_m: 'x' is not a number" in faults
    assert "transceivers.csv, line 2, column reach_m: -100 is negative" in faults
    assert "accelerators.csv: is missing" in faults


def test_the_catalog_loads_the_same_twice() -> None:
    again: Catalog = load_catalog(FOLDER)
    assert again == CATALOG


def test_a_default_outside_its_band_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "defaults.csv"
    path.write_text("key,value,low,high,unit,source,date,grade,note\na.b,5,6,7,m,s,2026,guess,\n")
    with pytest.raises(DataFileError, match="line 2, column value: 5 is outside its band"):
        load_defaults(path)
