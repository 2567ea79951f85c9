"""Reads the catalog's data files into frozen parts; every fault of every file at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from planner.catalog import part_rows as rows
from planner.catalog.column_types import checked
from planner.catalog.parts import Catalog
from pricing.csv_rows import Row, raise_faults, read_rows

B = TypeVar("B", bound=BaseModel)
_ENDS = {"a": "a", "b": "b", "both": "ab", "module": "m"}
_FILES: Mapping[str, type[BaseModel]] = {
    "cages": rows.CageRow,
    "fits": rows.FitRow,
    "switches": rows.SwitchRow,
    "nics": rows.NicRow,
    "transceivers": rows.TransceiverRow,
    "assemblies": rows.AssemblyRow,
    "fibres": rows.FibreRow,
    "panels": rows.PanelRow,
    "accelerators": rows.AcceleratorRow,
    "servers": rows.ServerRow,
    "models": rows.ModelRow,
    "not_found": rows.NotFoundRow,
}


class _Reader:
    """The rows of every file, and the ids in them, which the rows of other files may name."""

    def __init__(self, folder: Path) -> None:
        self.faults: list[str] = []
        self._rows = {name: self._read(folder, name) for name in _FILES}
        self.ids: Mapping[str, Collection[str]] = {
            name: [row.maybe("id") for row in found] for name, found in self._rows.items()
        }

    def _read(self, folder: Path, name: str) -> list[Row]:
        columns = _FILES[name].model_fields
        return list(
            read_rows(folder / f"{name}.csv", columns, "id" if "id" in columns else None, self.faults)
        )

    def good(self, name: str, model: type[B]) -> Iterator[tuple[Row, B]]:
        """The rows of a file that are in order; faults of the others are noted."""
        for row in self._rows[name]:
            found = checked(model, row, self.ids)
            if found is not None:
                yield row, found


def load_catalog(folder: Path) -> Catalog:
    """The catalog in a folder of CSV files.

    Raises DataFileError with every fault of every file: file, line, column.
    """
    reader = _Reader(folder)
    fits = _fits(reader)
    list(reader.good("cages", rows.CageRow))  # only checked
    catalog = Catalog(
        switches={r.id: r.part() for _, r in reader.good("switches", rows.SwitchRow)},
        nics={r.id: r.part() for _, r in reader.good("nics", rows.NicRow)},
        transceivers={
            r.id: r.part(fits)
            for row, r in reader.good("transceivers", rows.TransceiverRow)
            if _plugged(row, fits, "m")
        },
        assemblies={
            r.id: r.part(fits)
            for row, r in reader.good("assemblies", rows.AssemblyRow)
            if _plugged(row, fits, "ab")
        },
        fibres={r.id: r.part() for _, r in reader.good("fibres", rows.FibreRow)},
        panels={r.id: r.part() for _, r in reader.good("panels", rows.PanelRow)},
        accelerators={r.id: r.part() for _, r in reader.good("accelerators", rows.AcceleratorRow)},
        servers={r.id: r.part() for _, r in reader.good("servers", rows.ServerRow)},
        models={r.id: r.part() for _, r in reader.good("models", rows.ModelRow)},
        not_found=tuple(r.sentence() for _, r in reader.good("not_found", rows.NotFoundRow)),
    )
    raise_faults(reader.faults)
    return catalog


def _fits(reader: _Reader) -> rows.Fits:
    """Cages by part and end: a | b of a cable, m of a module."""
    fits: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    modules, cables = reader.ids["transceivers"], reader.ids["assemblies"]
    for row, fit in reader.good("fits", rows.FitRow):
        if fit.part not in (modules if fit.end == "module" else cables):
            row.fault("part", f"{fit.part!r} is no {'module' if fit.end == 'module' else 'cable'}")
        for end in _ENDS[fit.end]:
            if fit.cage in fits[fit.part, end]:
                row.fault("cage", f"{fit.part!r} (end {end}) is named twice for {fit.cage}")
            fits[fit.part, end].add(fit.cage)
    return fits


def _plugged(row: Row, fits: rows.Fits, ends: str) -> bool:
    """Whether each end of a part plugs into some cage; a fault where one does not."""
    loose = [end for end in ends if not fits.get((row.maybe("id"), end))]
    for end in loose:
        row.fault("id", f"{row.maybe('id')!r} plugs into no cage of fits.csv (end {end})")
    return not loose
