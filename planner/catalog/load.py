"""Reads the catalog's data files into frozen parts; every fault of every file at once."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from planner.catalog import part_rows as parts
from planner.catalog.parts import Catalog
from pricing.csv_rows import Row, raise_faults, read_rows

_ENDS = {"a": "a", "b": "b", "both": "ab", "module": "m"}
_SOURCED = "source date grade note"
_POWERED = f"power_source power_date power_grade {_SOURCED}"
_COLUMNS = {
    "cages": f"id form_factor lanes lane_gbps {_SOURCED}",
    "fits": "cage part end",
    "switches": "id name vendor technologies ports port_gbps ports_per_cage cage breakouts uplink_ports "
    f"uplink_gbps uplink_cage switches_per_box rack_units power_w {_POWERED}",
    "nics": "id name vendor technologies ports port_gbps cage pcie_generation max_total_gbps power_w "
    f"{_POWERED}",
    "transceivers": "id name rates_gbps optic medium connector connectors lanes_per_connector lane_gbps "
    f"reach_m protocols power_w {_POWERED}",
    "assemblies": f"id name kind ends_b hub_gbps rates_gbps reach_m protocols power_w_per_end {_POWERED}",
    "fibres": f"id name medium connector split length_m {_SOURCED}",
    "panels": f"id name connector ports {_SOURCED}",
    "accelerators": "id name bf16_tflops fp8_tflops fp4_tflops hbm_gbytes hbm_tbytes_per_s "
    f"nvlink_gbytes_per_s {_SOURCED}",
    "servers": "id name accelerator gpus_per_node nic_ports_per_node nic_port_gbps nic_ports_per_cage "
    "nic_id nic_cage pcie_generation nvlink_domain_gpus nodes_per_price_unit frontend_ports "
    f"frontend_gbps storage_ports storage_gbps bmc_ports power_w {_POWERED}",
    "models": "id name params layers hidden ffn_hidden heads kv_heads vocab sequence gated_mlp "
    "causal_flops experts experts_per_token expert_ffn_hidden shared_experts dense_layers attention_params "
    f"attention_width {_SOURCED}",
    "not_found": "part figure looked note",
}
_WITHOUT_ID = ("fits", "not_found")


def load_catalog(folder: Path) -> Catalog:
    """The catalog in a folder of CSV files.

    Raises DataFileError with every fault of every file: file, line, column.
    """
    faults: list[str] = []
    rows = {name: _rows(folder, name, faults) for name in _COLUMNS}
    cages = {parts.cage(row) for row in rows["cages"]}
    fits = _fits(rows["fits"], cages)
    accelerators = {r.maybe("id"): parts.accelerator(r) for r in rows["accelerators"]}
    nics = {r.maybe("id"): parts.nic(r, cages) for r in rows["nics"]}
    catalog = Catalog(
        switches={r.maybe("id"): parts.switch(r, cages) for r in rows["switches"]},
        nics=nics,
        transceivers={r.maybe("id"): parts.transceiver(r, fits) for r in rows["transceivers"]},
        assemblies={r.maybe("id"): parts.assembly(r, fits) for r in rows["assemblies"]},
        fibres={r.maybe("id"): parts.fibre(r) for r in rows["fibres"]},
        panels={r.maybe("id"): parts.panel(r) for r in rows["panels"]},
        accelerators=accelerators,
        servers={r.maybe("id"): parts.server(r, cages, accelerators, nics) for r in rows["servers"]},
        models={r.maybe("id"): parts.model(r) for r in rows["models"]},
        not_found=tuple(parts.not_found(r) for r in rows["not_found"]),
    )
    _check_ends(rows["fits"], catalog)
    raise_faults(faults)
    return catalog


def _rows(folder: Path, name: str, faults: list[str]) -> list[Row]:
    key = None if name in _WITHOUT_ID else "id"
    return list(read_rows(folder / f"{name}.csv", _COLUMNS[name].split(), key, faults))


def _fits(rows: list[Row], cages: set[str]) -> parts.Fits:
    """Cages by part and end: a | b of a cable, m of a module."""
    fits: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        cage, part = row.one_of("cage", cages), row.text("part")
        for end in _ENDS.get(row.one_of("end", _ENDS), ""):
            if cage in fits[part, end]:
                row.fault("cage", f"{part!r} (end {end}) is named twice for {cage}")
            fits[part, end].add(cage)
    return fits


def _check_ends(rows: list[Row], catalog: Catalog) -> None:
    """Every row of fits.csv names a module as a module and a cable by its ends."""
    for row in rows:
        part = row.maybe("part")
        known = catalog.transceivers if row.maybe("end") == "module" else catalog.assemblies
        if part and part not in known:
            row.fault("part", f"{part!r} is no {'module' if row.maybe('end') == 'module' else 'cable'}")
