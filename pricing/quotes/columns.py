"""Which column of a price list is what: a proposal, with how sure it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pricing.quotes.values import ColumnMap, Doubt, QuoteError, RawRow, RawTable

_LOOKED_AT = 60
# field -> headings that mean it (confidence 1.0), and words in a heading that hint at it (0.6)
_EXACT = {
    "sku": """sku|part number|part no|part no.|part #|p/n|pn|part|item number|item no|item no.|product number|
        product code|article|article number|article no|artikelnummer|artikel-nr.|artikel-nr|art.-nr.|art-nr|
        art. nr.|bestellnummer|materialnummer|mpn|manufacturer part number|référence|reference|referencia|
        codice|货号|型号|料号""",
    "description": """description|desc|product|product description|item description|bezeichnung|beschreibung|
        artikelbezeichnung|désignation|descripción|descrizione|name|product name|描述|名称""",
    "price": """price|unit price|net price|net unit price|price each|your price|quote price|quoted price|
        preis|einzelpreis|nettopreis|stückpreis|ep|prix|prix unitaire|prix net|precio|precio unitario|prezzo|
        list price|listenpreis|msrp|单价|价格""",
    "currency": "currency|curr|cur|ccy|währung|waehrung|devise|moneda|valuta|币种",
    "pack": """price unit|preiseinheit|pe|per|pro|
        pack|pack size|pack qty|package|packing|unit|uom|unit of measure|sales unit|packaging|ve|vpe|
        verpackungseinheit|einheit|unité|unidad|pkg|pcs per pack|单位""",
    "valid_until": """valid until|valid to|valid thru|valid through|validity|expires|expiry|expiry date|
        expiration|expiration date|quote expires|gültig bis|gueltig bis|valable jusqu'au|válido hasta|
        有效期""",
    "date": "date|price date|quote date|valid from|angebotsdatum|preisdatum|datum|as of|stand|日期",
}
_HINTS = {
    "sku": r"\bsku\b|part|item\s*(no|num|code)|article|artikel|product\s*(id|code|no)|mpn|model",
    "description": r"descr|bezeichn|beschreib|name",
    "price": r"price|preis|prix|precio|prezzo|cost|amount|betrag|usd|eur",
    "currency": r"curr|währ",
    "pack": r"pack|\buom\b|einheit",
    "valid_until": r"valid|expir|gültig|gueltig",
    "date": r"\bdate\b|datum",
}
_KNOWN = {f: {w.strip() for w in words.replace("\n", " ").split("|")} for f, words in _EXACT.items()}


def propose_mapping(table: RawTable) -> ColumnMap:
    """The heading row and the columns as their headings say, each with its confidence.

    Two columns that could both be the price, SKU or another field are a doubt that names both. Raises
    QuoteError where no row has headings for both a SKU and a price: then the user has to map by hand.
    """
    scored = [(_score(row), -row.line, row) for row in table.rows[:_LOOKED_AT]]
    best, _, row = max(scored, key=lambda found: found[:2])
    if best < 2:
        raise QuoteError(f"{table.name} has no heading row with a SKU and a price: map its columns by hand")
    return map_columns(table, row.line, {})


def map_columns(table: RawTable, header_line: int, given: dict[str, int]) -> ColumnMap:
    """The mapping of a heading row; ``given`` columns (from 0) are as the user says.

    Raises QuoteError where the table has no such line or column.
    """
    row = next((r for r in table.rows if r.line == header_line), None)
    if row is None:
        raise QuoteError(f"{table.name} has no filled line {header_line}")
    headings = tuple(cell.text for cell in row.cells)
    columns, confidence, doubts = dict(given), dict.fromkeys(given, 1.0), list[Doubt]()
    for name in _KNOWN:
        if name in given:
            continue
        found = _candidates(name, headings, given)
        if not found:
            continue
        columns[name], confidence[name] = found[0]
        rivals = [column for column, sure in found if sure == found[0][1]]
        if len(rivals) > 1:
            doubts.append(_which(name, rivals, headings, header_line))
    wide = max(len(r.cells) for r in table.rows)
    missing = [f for f in ("sku", "price") if f not in columns]
    if missing or any(not 0 <= column < wide for column in columns.values()):
        raise QuoteError(f"{table.name}: no column is mapped to {' and '.join(missing) or 'what was given'}")
    return ColumnMap(header_line, columns, confidence, headings, tuple(doubts))


def _which(name: str, rivals: Sequence[int], headings: Sequence[str], line: int) -> Doubt:
    titles = tuple(headings[column] for column in rivals)
    said = f"{len(titles)} columns may be the {name}: {', '.join(titles)}"
    return Doubt(f"column.{name}", line, titles[0], said, tuple(str(column + 1) for column in rivals))


def _score(row: RawRow) -> float:
    """How much a row looks like headings: known fields; 0 without SKU and price."""
    headings = [cell.text for cell in row.cells]
    sure = {name: found[0][1] for name in _KNOWN if (found := _candidates(name, headings, {}))}
    return sum(sure.values()) + 0.9 if {"sku", "price"} <= sure.keys() else 0.0


def _candidates(name: str, headings: Sequence[str], given: dict[str, int]) -> list[tuple[int, float]]:
    """Columns that may be the field, the surest first."""
    found = []
    for column, heading in enumerate(headings):
        sure = _confidence(name, heading)
        if sure and column not in given.values():
            found.append((column, sure))
    return sorted(found, key=lambda item: -item[1])


def _confidence(name: str, heading: str) -> float:
    """1.0 for a heading that is known (a currency in it aside), 0.6 for one with a hint, else 0."""
    plain = " ".join(heading.lower().replace("_", " ").split())
    bare = re.sub(r"\(.*?\)|\[.*?\]|\b(usd|eur|gbp|chf|cny|jpy|sgd)\b|[€$£¥]", "", plain).strip(" :/-*")
    if bare in _KNOWN[name] or plain in _KNOWN[name]:
        return 1.0
    if not plain or len(plain) > 40 or any(bare in words for words in _KNOWN.values()):
        return 0.0
    total = name == "price" and re.search(r"total|ext|sum|summe|gesamt", plain)
    return 0.6 if re.search(_HINTS[name], plain) and not total else 0.0
