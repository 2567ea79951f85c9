"""Price lists on disk: read, and kept as they came."""

from __future__ import annotations

import re
from pathlib import Path

from pricing.guarded_files import file_bytes
from pricing.quotes.quote_values import QuoteError, RawTable
from pricing.quotes.tables import MAX_BYTES, read_quote


def load_quote(path: Path, sheet: str | None = None, encoding: str | None = None) -> RawTable:
    """The price list in a file. Raises QuoteError where it cannot be read."""
    try:
        return read_quote(file_bytes(path, MAX_BYTES), path.name, sheet, encoding)
    except OSError as error:
        raise QuoteError(f"{path} cannot be read: {error.strerror}") from None


def store_original(table: RawTable, folder: Path) -> Path:
    """Keeps the file as it came, named after its SHA-256; a copy that is there already stays."""
    folder.mkdir(parents=True, exist_ok=True)
    safe = re.sub(r"[^A-Za-z0-9._-]+", "_", Path(table.name).name).lstrip(".") or "quote"
    kept = folder / f"{table.sha256}_{safe[-80:]}"
    if not kept.exists():
        kept.write_bytes(table.original)
    return kept
