"""Words, in the languages of vendors, that change what a price means: tax, scale, time, condition, kind."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal

TaxWord = Literal["with", "without"]

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0xFFE5: 0xA5}
_TAX = (
    r"(?:vat|gst|hst|tax(?:es)?|mwst\.?|m\.w\.st\.|mehrwertsteuer|ust\.?|umsatzsteuer|tva|t\.v\.a\.|iva|i\.v\.a\."
    r"|btw|moms|mva|alv|pdv|dph|kdv|ндс|consumption tax)(?!\w)(?!\W*(?:id|no|nr|num|reg)\b)"
)
_RATE = r"(?:\d{1,2}(?:[.,]\d+)?\s*%\s*)?(?:of\s+|de\s+|la\s+)?"
_NOT = (
    r"(?:excl\w*|exkl\w*|ex|w/o|without|plus|zzgl\w*|zuz\w*|ohne|hors|sans|sin|m[áa]s|senza|escl\w*|before"
    r"|not incl\w*|not including|zonder|utan|bez|без|net of|\+)"
)
_WITHOUT_TAX = re.compile(
    rf"(?<!\w){_NOT}\.?\W*{_RATE}(?:statutory\s+|gesetzl\w*\.?\s+|der\s+|die\s+)?{_TAX}"
    rf"|\b{_TAX}\W*(?:is |are |ist |nicht |not |non |no )+(?:incl\w*|compris\w*|enthalten|inbegriffen)"
    rf"|\b{_TAX}\W*(?:excl\w*|exkl\w*|extra|esclusa|en sus)"
    r"|\bhors taxes?\b|\bh\.?t\.?(?!\w)|(?:不含|未含|未)\s*\d*\s*%?\s*(?:增值)?[税稅]|税抜|税別|税别",
    re.IGNORECASE,
)
_WITH_TAX = re.compile(
    rf"\b(?:incl\w*|inkl\w*|includ\w*|with|mit|avec|con|met|med|с|com|enthalten|contain)\.?\W*{_RATE}"
    rf"(?:statutory\s+|gesetzl\w*\.?\s+|der\s+|die\s+|all\s+)?{_TAX}"
    rf"|\b{_TAX}\W*{_RATE}\W*(?:incl\w*|inkl\w*|compris\w*|inbegriffen|enthalten|incluso)"
    r"|\bt\.?t\.?c\.?(?!\w)|toutes taxes comprises"
    r"|\b(?:gross|brutto)\W*(?:unit\s*)?(?:price|preis|prix|prezzo|amount|betrag|cost)"
    r"|(?:price|preis|amount|betrag)\w*\W+(?:is |are |sind )?(?:gross|brutto)\b"
    r"|含[^。;,，；]{0,8}?[税稅]|税込|[价價][税稅]合[计計]|增值税|专票",
    re.IGNORECASE,
)
_TAX_IN_HEADING = re.compile(
    rf"\b{_TAX}|\b(?:gross|brutto)\w*(?!\s*(?:weight|gewicht))|[税稅]", re.IGNORECASE
)
_PERCENT = re.compile(r"(\d{1,2}(?:[.,]\d+)?)\s*%")

_SCALES = (
    ("1000000", r"\bmio\b\.?|\bmillions?\b|\bm(?:€|\$|eur|usd)(?!\w)|百万"),
    ("10000000", r"\bcrores?\b"),
    ("100000", r"\blakhs?\b"),
    ("10000", r"[万萬]"),
    ("1000", r"thousands?|tausend|\btsd\b|\bt\s*(?:€|eur\b|usd\b|chf\b)|\bmiles de\b|\bmigliaia\b|千元"
             r"|\bk\s*(?:€|\$|£|¥|eur\b|usd\b|gbp\b|chf\b|cny\b)"
             r"|(?:€|\$|£|\busd|\beur|\bgbp)\s*k\b|\(k\)|'000|\b000'?s\b|\bx\s*1[.,' ]?000\b|\bmilliers?\b"),
    ("0.01", r"(?<!per )(?<!pour )(?<!por )\b(?:euro)?cents?\b|\bcts?\b\.?|¢|\bpence\b|\bgbx\b|\bcentimes?\b"
             r"|\bc[ée]ntimos?\b|\brappen\b|(?<![\w元])分(?!\w)"),
)  # fmt: skip
_SCALE = tuple((factor, re.compile(pattern, re.IGNORECASE)) for factor, pattern in _SCALES)
_OF_PRICES = re.compile(
    r"price|preis|prix|preci|prezz|amount|figure|value|betr[aä]g|angabe|[€$£¥]|\b(?:eur|usd|gbp|cny|rmb)\b"
    r"|单位|價|价|元",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"\b(?:per|a|pro|je|par|al|por|the)\s+(?:month|year|annum|day|week|hour|quarter|monat|jahr|tag|woche|mois|an|jour|mes"
    r"|año|mese|anno)\b"
    r"|/\s*(?:mo|month|mth|yr|year|day|week|hr|hour|monat|jahr|tag|mois|an|jour|mes|año|mese|anno)\b"
    r"|\b(?:monthly|yearly|annual(?:ly)?|quarterly|hourly|weekly|daily|monatlich|mtl|jährlich|mensuel\w*|annuel\w*"
    r"|mensual\w*|anual\w*|mensile|annuale|recurring|mrc)\b|\bp\.\s?[am]\.(?!\w)"
    r"|\b(?:rent|rental|lease|leasing|hire|miete|mietpreis|mietrate|loyer|alquiler|noleggio|subscription|abo"
    r"|abonnement|instal+ments?|deposit|down[- ]payment|trade[- ]in|anzahlung|acompte|anticipo)\b"
    r"|(?:每|/|按)\s*(?:月|年|天|日|季)|月租|年租|日租|月付|年付|包月|包年|年费|月费|租金|租赁|订阅|定金|首付",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    r"(?:\b(?:per|pro|je|par|por|al|a)\s+|/\s*)(?:m|met(?:re|er)s?|mètres?|metros?|metri|lfm|ft|foot|feet)\b"
    r"|laufmeter|\blfm\b|[每/]\s*米",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?<!be )(?<!is )(?<!are )(?<!when )\bused\b(?!\s+(?:for|in|with|by|as|to|on)\b)"
    r"|\brefurb\w*|\breconditioned\b|\bremanufactured\b|\brenewed\b|\bre-?certified\b|\bpre-?owned\b"
    r"|\bsecond[- ]?hand\b|\bopen[- ]box\b"
    r"|\bex[- ]?demo\b|\bdemo(?: unit| stock|gerät)?\b|\bb[- ](?:stock|ware|grade)\b|\bgrade [bc]\b"
    r"|\bgebraucht\w*|\b(?:general)?überholt\w*|\bwiederaufbereitet\w*|\baufgearbeitet\w*|\baufbereitet\w*"
    r"|\bd'occasion\b|\boccasion\b|\breconditionné\w*|\bremis à neuf\b|\busad[oa]s?\b|\breacondicionad\w*"
    r"|\bsegunda mano\b|\busat[oaie]\b|\bricondizionat\w*|\bgebruikt\w*|\bbegagnad\w*|\bб/у\b"
    r"|二手|翻新|拆机|旧货|中古|再生品",
    re.IGNORECASE,
)
_CONDITION_HEADING = re.compile(
    r"^(?:item )?condition$|^cond\.?$|^zustand$|^état$|^estado$|^stato$|^成色$|^状态$", re.I
)
_TERM_HEADING = re.compile(
    r"^(?:(?:contract |lease |rental )?term|billing(?: period| cycle)?|contract|laufzeit|duration"
    r"|durée|plazo|租期)$",
    re.I,
)
_MAKER_HEADING = re.compile(
    r"^(?:manufacturer(?: name)?|mfr\.?|mfg\.?|brand|make|maker|vendor|hersteller|marke|fabricant|marque"
    r"|fabricante|marca|produttore|品牌|厂家|厂商|メーカー)$",
    re.IGNORECASE,
)
_NEW = re.compile(
    r"(?:brand |factory )?new(?: in box|, sealed| sealed)?|nib|fnib|sealed|neu(?:ware)?|fabrikneu|neuf"
    r"|nuevo|nuovo|全新|新|new retail",
    re.IGNORECASE,
)
_OTHER_MAKE = re.compile(
    r"\bcompatible (?:with|for|to|replacement)\b|[\w]-compatible\b|\bcompatible\s*$|^\s*compatible\b"
    r"|\bequivalent\b|\bthird[- ]party\b|\b3rd[- ]party\b|\bkompatib\w+ (?:mit|zu)\b|\bnachbau\b"
    r"|\bcompatible (?:avec|con)\b|\boem alternative\b|\bgeneric\b|兼容|替代|国产",
    re.IGNORECASE,
)
_SERVICE = re.compile(
    r"^\W*(?:\d+\s*[- ]?(?:y|yr|years?|jahre?|ans?|年)\W*)?(?:[\w-]+\s+){0,2}?"
    r"(?:support|warranty|maintenance|licen[cs]e|service|wartung|garantie\w*|lizenz|soporte|garant[íi]a|assistenza|garanzia)\b"
    r"|\b(?:support|warranty|maintenance|licen[cs]e)\s+(?:for|contract|renewal|extension)\b|维保|延保|许可|服务费",
    re.IGNORECASE,
)
_DISCOUNT = re.compile(
    r"discount|\bdisc\b|\brebates?\b|rabatt|\bremise\b|descuento|nachlass|\bsconto\b|korting|折扣|\d\s*折|\d\s*%\s*off\b"
    r"|\bless\s+\d+\s*%",
    re.IGNORECASE,
)
_VALID = re.compile(
    r"\bvalid(?:ity)?\b(?!\s+(?:from|ab))\W*(?:of (?:the )?(?:quote|offer)\W*)?(?:period\W*)?"
    r"(?:until|till|to|thru|through|up to|for|date)?"
    r"|\bexpir(?:es|y|ation|ing|ed)\b(?: date| on)?"
    r"|\bgültig(?:keit)?\b(?!\s+ab)\s*(?:bis|für)?(?: zum)?|\bbindefrist\b|\bangebotsfrist\b"
    r"|\bvalables?\b\s*(?:jusqu['’]?\s*au|pendant)?|\bvalidité\b|\bválid[oa]s?\b\s*hasta(?: el)?|\bvalidez\b"
    r"|\bvalid[oaie]\b\s*fino al|\bgeldig\b(?: tot)?"
    r"|\d+\s*[天日]内?有效|有效期?(?:限)?(?:至|到|为|:|：)*|截止(?:日期)?(?:至|到|:|：)*|失效(?:日期)?|有効期限",
    re.IGNORECASE,
)  # fmt: skip


def half_width(text: str) -> str:
    """The text with the full-width letters, digits and marks of East Asia as plain ones.

    >>> half_width("单价（元，含１３％税）")
    '单价(元,含13%税)'
    """
    return text.translate(_FULL_WIDTH)


def tax_in(text: str, heading: bool = False) -> TaxWord | None:
    """Whether prices are said to be with or without tax. In a price ``heading`` a bare tax word means with.

    >>> tax_in("Prix TTC"), tax_in("Preise zzgl. 19 % MwSt."), tax_in("VAT ID DE1"), tax_in("含13%税")
    ('with', 'without', None, 'with')
    """
    plain = half_width(text)
    rest = _WITHOUT_TAX.sub(" ", plain)
    if _WITH_TAX.search(rest) or heading and _TAX_IN_HEADING.search(rest):
        return "with"
    return "without" if rest != plain else None


def percent_in(text: str) -> str | None:
    """The percentage that a text names: 13 of "incl. 13 % tax"."""
    found = _PERCENT.search(half_width(text))
    return found[1].replace(",", ".") if found else None


def scales_in(text: str) -> tuple[str, ...]:
    """What amounts are to be multiplied by, as a heading says: thousands, 10,000 yuan, cents.

    >>> scales_in("Price in cents"), scales_in("单价(万元)"), scales_in("Price (k USD)"), scales_in("Price")
    (('0.01',), ('10000',), ('1000',), ())
    """
    plain = half_width(text)
    return tuple(factor for factor, pattern in _SCALE if pattern.search(plain))


def scales_of_prices(note: str) -> tuple[str, ...]:
    """The same of a note, which must be about prices."""
    return scales_in(note) if is_of_prices(note) else ()


def is_of_prices(note: str) -> bool:
    """A note that is about prices or amounts."""
    return bool(_OF_PRICES.search(half_width(note)))


def is_for_a_time(text: str) -> bool:
    """A rent, a lease, an amount a month or year, a part payment."""
    return bool(_PERIOD.search(half_width(text)))


def is_for_a_length(text: str) -> bool:
    """A price a metre or foot."""
    return bool(_LENGTH.search(half_width(text)))


def is_not_new(text: str) -> bool:
    """Used, refurbished, demonstration or open-box goods.

    >>> is_not_new("QM9700, refurbished"), is_not_new("二手"), is_not_new("used for spine uplinks")
    (True, True, False)
    """
    return bool(_CONDITION.search(text))


def is_condition(heading: str) -> bool:
    """The heading of a column that says whether goods are new."""
    return bool(_CONDITION_HEADING.match(half_width(heading).strip()))


def is_term(heading: str) -> bool:
    """The heading of a column that says for how long a price buys the goods, or how it is paid."""
    return bool(_TERM_HEADING.match(half_width(heading).strip()))


def is_maker(heading: str) -> bool:
    """The heading of a column of makers."""
    return bool(_MAKER_HEADING.match(half_width(heading).strip()))


def is_new(text: str) -> bool:
    """What such a column says of new goods."""
    return not text or bool(_NEW.fullmatch(text.strip()))


def is_other_make(text: str) -> bool:
    """A part that is compatible with the one named, not it."""
    return bool(_OTHER_MAKE.search(text))


def is_service(text: str) -> bool:
    """Support, warranty or a licence for the part named."""
    return bool(_SERVICE.search(text))


def is_discount(text: str) -> bool:
    """A discount that is still to come off, or has."""
    return bool(_DISCOUNT.search(text))


def validity(text: str) -> str | None:
    """What follows the words "valid until", "gültig bis", "有效期至"; None without such words.

    >>> validity("报价有效期至2025年1月31日"), validity("Valid until: 31 Dec 2026"), validity("Price")
    ('2025年1月31日', '31 Dec 2026', None)
    """
    plain = half_width(text)
    found = _VALID.search(plain)
    return plain[found.end() :].strip(" :.") if found else None


def bare_heading(heading: str) -> str:
    """A heading in small letters without its words on tax, scale, time and what is in brackets."""
    plain = " ".join(half_width(heading).lower().replace("_", " ").split())
    plain = re.sub(r"\(.*?\)|\[.*?\]|（.*?）", " ", plain)
    for pattern in (_WITHOUT_TAX, _WITH_TAX, *(p for _, p in _SCALE), _PERIOD, _LENGTH):
        plain = pattern.sub(lambda m: "price" if "price" in m[0] else " ", plain)
    return re.sub(r"\s+(?:in|en|w)\s*$", "", " ".join(plain.split())).strip(" :/-*.,")


def share_of(percent: str) -> Decimal:
    """A percentage as a share of 1. Raises ValueError where it is none.

    >>> share_of("19 %")
    Decimal('0.19')
    """
    found = re.fullmatch(r"(\d{1,2}(?:[.,]\d+)?)\s*%", percent.strip())
    if not found:
        raise ValueError(percent)
    return Decimal(found[1].replace(",", ".")) / 100
