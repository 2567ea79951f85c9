"""Pieces that a price is for: packs, dozens, pairs, kits and "10x" in free text, and prices per hundred."""

from __future__ import annotations

import re

from pricing.price_book import ItemClass
from pricing.quotes.words import half_width

_NUMBER = r"(\d{1,3}(?:[,.']\d{3})+|\d{1,5})"
_PACK_WORD = (
    r"(?:pack|pkg|package|packet|box|set|case|lot|bundle|bag|kit|carton|karton|beutel|satz|paket|bo[iî]te|paquet|sachet"
    r"|paquete|caja|bolsa|juego|confezione|scatola|tray|reel)"
)
_PIECE = (
    r"(?:pcs|pieces|pces|pièces|piezas|pezzi|pk|packs?|pkg|stk|stück|st\.|units|unités|unidades"
    r"|uds|modules?|transceivers?|cables?)"
)
_PACK = re.compile(
    rf"\b{_PACK_WORD}s?\.?\s*(?:of|a|à|de|da|di|con|mit|von|zu|per|=|:|x|/)?\s*{_NUMBER}(?![\w.,]*\d)\b"
    rf"|(?<![\w.,]){_NUMBER}\s*[-\u2010\u2011 ]?\s*(?:er[- ]?)?{_PIECE}(?!\w)"
    rf"|(?<![\w.,]){_NUMBER}\s*(?:/|per|pro|par|por|je|a)\s*(?:{_PACK_WORD}|ve|pk)\b"
    rf"|\b(?:vpe|moq|ve)\s*[:=]?\s*{_NUMBER}\b"
    rf"|(?<![\w.,]){_NUMBER}\s*[个只条根块件支台套]|[每装盒包箱]\s*{_NUMBER}\s*[个只条根块件支台]?",
    re.IGNORECASE,
)
_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10, "twelve": 12, "twenty": 20,
    "fifty": 50, "hundred": 100,
}  # fmt: skip
_SPELT = re.compile(
    rf"\b{_PACK_WORD}s? of (?:a )?({'|'.join(_WORDS)})\b|\b({'|'.join(_WORDS)})[- ]{_PIECE}(?!\w)",
    re.I,
)
_NAMED = (
    (12, re.compile(r"\bdozens?\b|\bdoz\b|\bdz\.?(?!\w)|\bdutzend\b|\bdouzaines?\b|\bdocenas?\b|\bdozzin\w+"
                    r"|[一每/]打", re.I)),
    (2, re.compile(r"(?<!twisted )(?<!twisted-)(?<!fibre )(?<!fiber )\b(?:pairs?|paar|paires?|pares|paia)\b"
                   r"(?! cable)|\btwin[- ]?packs?\b|\bdoppelpack\b|\bduo[- ]?pack\b|[一每/]对|成对", re.I)),
)  # fmt: skip
_TIMES = re.compile(
    r"(?P<start>^\W*)?(?<![\w.,])(?P<n>\d{1,4})\s*[x×*](?!\s*\d)\s*(?P<next>[^\W\d][\w-]*)?(?P<after>.*)$"
    r"|(?:^|[\s,(;])[x×*]\s*(?P<last>\d{1,4})\s*(?:\)|$)",
    re.IGNORECASE,
)
# what a switch, server or cable has several of: no pack
_COMPONENTS = re.compile(
    r"(?:o?sfp|qsfp|rj|port|gpu|cpu|nic|nvme|ssd|psu|dimm|xeon|epyc|fan|lane|mpo|mtp|lc|fib|sr|dr|fr|lr|ndr|hdr|edr|xdr"
    r"|gbe|ge|gb|tb|connectx|nvidia|hgx|h100|h200|b200|b300|a100)",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"(?:\b(?:to|auf|vers|a|nach|and|und|et)|->|→|/|:)\s*$", re.IGNORECASE)
_PER = re.compile(
    r"(?:\b(?:per|pro|par|je|for|für|por|les|of)|(?<!\d)/)\s*(\d{1,5})\b(?!\s*%)", re.IGNORECASE
)
_HUNDRED = re.compile(r"/\s*C\b|\b[Pp]er C\b|%\s*St|(?i:\b(?:per|pro|je|a|the)\s+(?:hundred|hundert)\b|%stk)"
                      r"|(?i:\b(?:pour|le|par|al?) (?:cents?|centaine|ciento|centinaio)\b)|每百")  # fmt: skip
_THOUSAND = re.compile(
    r"(?i:\b(?:per|pro|je|le|por|al)\s+(?:thousand|tausend|mille|mill?ar|mil)\b)|‰|每千|\bper M\b|/\s*M\b"
)


def packs_in(text: str, item_class: ItemClass | None = None) -> tuple[int, ...]:
    """Every pack of more than one piece that ``text`` names. Ports of a switch and ends of a cable are none.

    >>> packs_in("DAC 2 m, 10-pack"), packs_in("QM9700 64 x 400G"), packs_in("10x OSFP 2xSR4")
    ((10,), (), (10,))
    """
    plain = half_width(text)
    counts = [_whole(next(part for part in found if part)) for found in _PACK.findall(plain)]
    counts += [_WORDS[(a or b).lower()] for a, b in _SPELT.findall(plain)]
    counts += [pieces for pieces, pattern in _NAMED if pattern.search(plain)]
    counts += _times(plain, item_class)
    return tuple(dict.fromkeys(n for n in counts if n > 1))


def _whole(digits: str) -> int:
    return int(re.sub(r"\D", "", digits))


def _times(text: str, item_class: ItemClass | None) -> list[int]:
    """Counts written "10x", "x10" or "(10 x)" that are no count of ports, lanes or ends."""
    counts, rest = [], text
    while found := _TIMES.search(rest):
        if found["last"]:
            counts.append(int(found["last"]))
            break
        before, following = rest[: found.start("n")], found["next"] or ""
        at_start = rest is text and not re.search(r"\w", before)
        inner = bool(_COMPONENTS.match(following)) and not (
            at_start and item_class in (None, "transceiver", "fibre")
        )
        if not inner and not _SPLIT.search(before):
            counts.append(int(found["n"]))
        rest = rest[found.end("n") + 1 :]
    return counts


def priced_per(text: str) -> tuple[int, ...]:
    """The pieces that a heading or unit prices at a time: 100 of "Price/C" or "Preis je 100".

    >>> priced_per("Price/C"), priced_per("Preis je 100 EUR"), priced_per("Price per dozen")
    ((100,), (100,), (12,))
    """
    plain = half_width(text)
    counts = [int(n) for n in _PER.findall(plain)]
    counts += [pieces for pieces, pattern in _NAMED if pattern.search(plain)]
    counts += [100] if _HUNDRED.search(plain) else []
    counts += [1000] if _THOUSAND.search(plain) else []
    return tuple(dict.fromkeys(n for n in counts if n > 1))


def bare_of_per(heading: str) -> str:
    """A heading without the words that say how many pieces its price is for.

    >>> bare_of_per("price/C"), bare_of_per("Price per 100"), bare_of_per("Price per pack")
    ('price', 'Price', 'Price per pack')
    """
    for pattern in (_HUNDRED, _THOUSAND, _PER):
        heading = pattern.sub(" ", heading)
    for _, pattern in _NAMED:
        heading = re.sub(rf"(?:\b(?:per|pro|par|por)\s+|/\s*)(?:{pattern.pattern})", " ", heading, flags=re.I)
    return " ".join(heading.split())
