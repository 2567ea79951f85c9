"""Which column of a price list is what: a proposal, with how sure it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pricing.quotes.amounts import CODES
from pricing.quotes.doubt_answers import Answers
from pricing.quotes.packs import bare_of_per
from pricing.quotes.quote_values import SKIP, ColumnMap, Doubt, QuoteError, RawRow, RawTable
from pricing.quotes.words import bare_heading, is_discount

_LOOKED_AT = 60
_MOST_HEADING_ROWS = 3
# field -> headings that mean it (confidence 1.0), and words in a heading that hint at it (0.6)
_EXACT = {
    "sku": """sku|part number|part no|part no.|part #|p/n|pn|part|item number|item no|item no.|product number|
        product code|article|article number|article no|artikelnummer|artikel-nr.|artikel-nr|art.-nr.|art-nr|
        art. nr.|bestellnummer|materialnummer|mpn|manufacturer part number|référence|reference|referencia|
        codice|código|артикул|型番|品番|품번|货号|型号|料号|规格型号|产品型号|物料编码""",
    "description": """description|desc|product|product description|item description|bezeichnung|beschreibung|
        artikelbezeichnung|désignation|descripción|descrizione|name|product name|描述|名称|产品名称""",
    "price": """price|unit price|net price|net unit price|price each|your price|quote price|quoted price|
        preis|einzelpreis|nettopreis|stückpreis|ep|prix|prix unitaire|prix net|precio|precio unitario|prezzo|
        prezzo unitario|preço|preço unitário|prijs|cena|цена|単価|価格|단가|가격|
        单价|价格|price per unit|price per piece|preis pro stück|preis je stück""",
    "total": """amount|total|total price|line total|line amount|ext price|ext. price|extended price|
        extended amount|gp|gesamtpreis|gesamt|gesamtbetrag|betrag|summe|positionspreis|zeilensumme|montant|
        total ligne|prix total|importe|importe total|precio total|total línea|importo|totale|prezzo totale|
        bedrag|wartość|сумма|金額|合計|금액|小计|金额|总价|合计|总金额|总计""",
    "currency": "currency|curr|cur|ccy|währung|waehrung|devise|moneda|moeda|valuta|waluta|валюта|通貨"
    "|币种|货币",
    "pack": """price unit|preiseinheit|pe|per|pro|
        pack|pack size|pack qty|package|packing|unit|uom|unit of measure|sales unit|packaging|ve|vpe|
        verpackungseinheit|einheit|unité|unidad|unità|pkg|pcs per pack|单位|包装|计量单位""",
    "quantity": """qty|qty.|quantity|order qty|q'ty|menge|anzahl|bestellmenge|qté|qte|quantité|cantidad|cant.|
        quantità|quantidade|aantal|ilość|количество|数量|수량""",
    "valid_until": """valid until|valid to|valid thru|valid through|validity|expires|expiry|expiry date|
        expiration|expiration date|quote expires|gültig bis|gueltig bis|valable jusqu'au|válido hasta|
        有效期|有效期至""",
    "date": "date|price date|quote date|valid from|angebotsdatum|preisdatum|datum|as of|stand|日期|报价日期",
}
_HINTS = {
    "sku": r"\bsku\b|part|item\s*(no|num|code)|article|artikel|product\s*(id|code|no)|mpn|model|型号",
    "description": r"descr|bezeichn|beschreib|name",
    "price": r"price|preis|prix|precio|prezzo|preço|prijs|cena|цена|価|단가|cost"
    r"|rate\b|tarif|msrp|uvp|list\b|net\b|usd|eur|rmb|cny|[价價]",
    "total": r"total|extended|\bext\b|amount|\bsum\b|summe|gesamt|betrag|montant|importe|金额|总价|小计",
    "currency": r"curr|währ",
    "pack": r"pack|\buom\b|einheit|包装|pcs|pieces|/\s*(?:ctn|box|bag|pk)\b",
    "quantity": r"qty|quantity|menge|anzahl|数量",
    "valid_until": r"valid|expir|gültig|gueltig|有效",
    "date": r"\bdate\b|datum",
}
_KNOWN = {f: {w.strip() for w in words.replace("\n", " ").split("|")} for f, words in _EXACT.items()}
_ONLY_IF_KNOWN = ("quantity", "total")  # a figure beside the price is of use only where it is sure what it is
_OF_A_PIECE = re.compile(
    r"unit|each|einzel|stück|\bep\b|unitair|unitari|apiece|/\s*(?:pc|pcs|ea|unit|stk|st)\b|单价|單價",
    re.IGNORECASE,
)
_CODE = re.compile(rf"\b(?:{'|'.join(CODES)}|rmb)\b|[€$£¥]|us\$|人民币|美元|欧元|元", re.IGNORECASE)


def propose_mapping(table: RawTable) -> ColumnMap:
    """The heading row and the columns as their headings say, each with its confidence.

    A column that is not sure to be the field, or is one of several that could be, is a doubt that names them.
    Raises QuoteError where no row has headings for both a SKU and a price: then the user has to map by hand.
    """
    looked_at = table.rows[:_LOOKED_AT]
    scored = [(_score([c.text for c in row.cells]), -row.line, row) for row in looked_at]
    best, _, row = max(scored, key=lambda found: found[:2])
    if best < 2:  # headings of two rows, the price in the upper one and the SKU in the lower
        pairs = zip(looked_at, looked_at[1:], strict=False)
        joined = [
            (_score(_joined([upper, lower])), -upper.line, upper)
            for upper, lower in pairs
            if _is_words(lower)
        ]
        best, _, row = max(joined, key=lambda found: found[:2], default=(0.0, 0, row))
    if best < 2:
        raise QuoteError(f"{table.name} has no heading row with a SKU and a price: map its columns by hand")
    return map_columns(table, row.line, {})


def map_columns(table: RawTable, header_line: int, given: Mapping[str, int]) -> ColumnMap:
    """The mapping of a heading row; ``given`` columns (from 0) are as the user says.

    Raises QuoteError where the table has no such line or column.
    """
    rows = _heading_rows(table, header_line)
    headings = tuple(_joined(rows))
    columns, confidence, doubts = dict(given), dict.fromkeys(given, 1.0), list[Doubt]()
    for name in _KNOWN:
        found = [] if name in given else _candidates(name, headings, given)
        if not found:
            continue
        columns[name], confidence[name] = found[0]
        if name in _ONLY_IF_KNOWN:
            continue
        same = [column for column, sure in found if sure == found[0][1] or name == "price"]
        if len(same) > 1 or found[0][1] < 1:
            doubts.append(_which(name, same, headings, header_line))
    if "price" not in columns and "total" in columns:
        columns["price"], confidence["price"] = columns.pop("total"), confidence.pop("total")
    for name in _ONLY_IF_KNOWN:
        if confidence.get(name, 1.0) < 1 and (name != "quantity" or not _is_total(columns, headings)):
            del columns[name], confidence[name]
    wide = max(len(r.cells) for r in table.rows)
    missing = [f for f in ("sku", "price") if f not in columns]
    if missing or any(not 0 <= column < wide for column in columns.values()):
        raise QuoteError(f"{table.name}: no column is mapped to {' and '.join(missing) or 'what was given'}")
    return ColumnMap(header_line, columns, confidence, headings, rows[-1].line, tuple(doubts))


def settled(mapping: ColumnMap, answers: Answers) -> ColumnMap:
    """The mapping with the user's columns where one was not sure. Raises QuoteError without SKU or price."""
    columns = dict(mapping.columns)
    for doubt in mapping.doubts:
        answer, name = answers.ask(doubt), doubt.key.removeprefix("column.")
        if answer == SKIP and name in ("sku", "price"):
            raise QuoteError(f"no column is the {name}, as you said: map the columns by hand")
        if answer == SKIP:
            del columns[name]
        elif answer is not None:
            columns[name] = int(answer) - 1
    return replace(mapping, columns=columns)


def is_line_total(heading: str) -> bool:
    """A heading that means, or may mean, the price of a whole line: Amount, GP, 小计."""
    return _confidence("total", heading) > 0


def is_of_a_piece(heading: str) -> bool:
    """A heading that says that its price is of one piece: Unit price, EP, 单价."""
    return bool(_OF_A_PIECE.search(heading))


def _is_total(columns: Mapping[str, int], headings: Sequence[str]) -> bool:
    column = columns.get("price")
    return column is not None and column < len(headings) and is_line_total(headings[column])


def _heading_rows(table: RawTable, header_line: int) -> list[RawRow]:
    """The heading row and those under it that only say more of its columns: List and Net under Price."""
    after = [row for row in table.rows if row.line >= header_line]
    if not after or after[0].line != header_line:
        raise QuoteError(f"{table.name} has no filled line {header_line}")
    rows = [after[0]]
    for row in after[1:_MOST_HEADING_ROWS]:
        sure = [
            name for name, column in _first(_joined(rows)).items() if name == "sku" and row.cell(column).text
        ]
        if sure or not _is_words(row) or not _says_more(rows, row):
            break
        rows.append(row)
    return rows


def _first(headings: Sequence[str]) -> dict[str, int]:
    return {name: found[0][0] for name in _KNOWN if (found := _candidates(name, headings, {}))}


def _says_more(rows: Sequence[RawRow], row: RawRow) -> bool:
    """A row with words under the price or under a blank heading beside it, of three cells at least."""
    headings = _joined(rows)
    found = _first(headings)
    if "sku" not in found or "price" not in found:
        return bool(_score(_joined([*rows, row])))
    price = [
        found["price"],
        *(i for i in range(found["price"] + 1, len(row.cells)) if not _text(headings, i)),
    ]
    return any(row.cell(i).text for i in price)


def _is_words(row: RawRow) -> bool:
    """A row of words only: no digit, no number."""
    return not any(re.search(r"\d", cell.text) for cell in row.cells)


def _text(headings: Sequence[str], column: int) -> str:
    return headings[column] if column < len(headings) else ""


def _joined(rows: Sequence[RawRow]) -> list[str]:
    """The headings of several rows as one; an upper one holds for blanks right of it with a lower one."""
    found = [cell.text for cell in rows[0].cells]
    for row in rows[1:]:
        wide, over, joined = max(len(found), len(row.cells)), "", list[str]()
        for column in range(wide):
            upper, lower = _text(found, column), row.cell(column).text
            over = upper or (over if lower and not _is_of_its_own(lower) else "")
            joined.append(f"{over} {lower}".strip() if lower else upper)
        found = joined
    return found


def _is_of_its_own(heading: str) -> bool:
    """A heading that needs no word from above: Currency, Qty, SKU."""
    return any(_confidence(name, heading) == 1 for name in _KNOWN if name not in ("price", "total"))


def _which(name: str, rivals: Sequence[int], headings: Sequence[str], line: int) -> Doubt:
    titles = [headings[column] for column in rivals]
    said = f"it is not sure that this column is the {name}"
    if len(titles) > 1:
        said = f"{len(titles)} columns may be the {name}: {', '.join(titles)}"
    return Doubt(f"column.{name}", line, titles[0], said, (*(str(column + 1) for column in rivals), SKIP))


def _score(headings: Sequence[str]) -> float:
    """How much texts look like headings: known fields; 0 without a SKU and a price or total."""
    sure = {name: found[0][1] for name in _KNOWN if (found := _candidates(name, headings, {}))}
    return sum(sure.values()) + 0.9 if "sku" in sure and sure.keys() & {"price", "total"} else 0.0


def _candidates(name: str, headings: Sequence[str], given: Mapping[str, int]) -> list[tuple[int, float]]:
    """Columns that may be the field, the surest first."""
    found = []
    for column, heading in enumerate(headings):
        sure = _confidence(name, heading)
        if sure and column not in given.values():
            found.append((column, sure))
    return sorted(found, key=lambda item: -item[1])


def _confidence(name: str, heading: str) -> float:
    """1.0 for a heading that is known (its currency, tax, scale aside), 0.6 for one with a hint, else 0."""
    plain = " ".join(heading.lower().replace("_", " ").split())
    bare = bare_heading(_CODE.sub(" ", bare_heading(bare_of_per(heading))))
    if bare in _KNOWN[name] or plain in _KNOWN[name]:
        return 1.0
    if not plain or len(plain) > 40 or any(bare in words or plain in words for words in _KNOWN.values()):
        return 0.0
    other = name == "price" and (
        re.search(_HINTS["total"], plain) or is_discount(plain) and "price" not in plain
    )
    return 0.6 if re.search(_HINTS[name], plain) and not other else 0.0
