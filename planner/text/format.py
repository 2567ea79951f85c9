"""Numbers become text for people here and nowhere else. Unknown figures read "n/a", never 0."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

NOT_KNOWN = "n/a"
_SUMMED = 1e-12  # relative: what summing floats may add to a figure that is round


def usd(amount_usd: float | None) -> str:
    """Money, short. Cents below $1,000, whole dollars below $100,000, then k, M and B.

    >>> usd(48.5), usd(20000), usd(123456), usd(1_234_567), usd(2.345e9), usd(-4e6), usd(None)
    ('$48.50', '$20,000', '$123k', '$1.2M', '$2.35B', '-$4.0M', 'n/a')
    """
    if amount_usd is None or not math.isfinite(amount_usd):
        return NOT_KNOWN
    sign, size = ("-" if amount_usd < 0 else ""), abs(amount_usd)
    if size < 999.995:
        text = f"{size:.2f}"
        return f"${text}" if float(text) == 0 else f"{sign}${text}"
    if size < 99_999.5:
        return f"{sign}${size:,.0f}"
    if size < 999_500:
        return f"{sign}${size / 1e3:.0f}k"
    if size < 999.95e6:
        return f"{sign}${size / 1e6:.1f}M"
    return f"{sign}${size / 1e9:,.2f}B"


def raised_to(least: float, decimals: int = 0) -> str:
    """A figure to raise a limit to, as a scenario writes it: rounded up, so that ``least`` keeps it.

    >>> raised_to(0.12, 3), raised_to(3.2416, 3), raised_to(1_234_567.01), raised_to(60.0)
    ('0.12', '3.242', '1234568', '60')
    """
    scale = 10**decimals
    steps = math.ceil(least * scale * (1 - _SUMMED))
    whole, part = divmod(steps, scale)
    return f"{whole}.{part:0{decimals}d}".rstrip("0").rstrip(".") if decimals and part else str(whole)


def gbps(rate_gbps: float | None) -> str:
    """A bandwidth; Tb/s from 10,000 Gb/s.

    >>> gbps(400), gbps(12.5), gbps(1600), gbps(51200), gbps(None)
    ('400 Gb/s', '12.5 Gb/s', '1,600 Gb/s', '51.2 Tb/s', 'n/a')
    """
    if rate_gbps is None:
        return NOT_KNOWN
    if rate_gbps >= 10_000:
        return f"{_trimmed(rate_gbps / 1000)} Tb/s"
    return f"{_trimmed(rate_gbps)} Gb/s"


def ratio(value: Fraction | None) -> str:
    """An oversubscription in lowest terms, down : up.

    >>> ratio(Fraction(2)), ratio(Fraction(14, 10)), ratio(Fraction(31, 32)), ratio(None)
    ('2:1', '7:5', '31:32', 'n/a')
    """
    return NOT_KNOWN if value is None else f"{value.numerator}:{value.denominator}"


def percent(share: float | None) -> str:
    """A share of 1 as a percentage with one decimal.

    >>> percent(0.1234), percent(1), percent(None)
    ('12.3%', '100.0%', 'n/a')
    """
    return NOT_KNOWN if share is None else f"{100 * share:.1f}%"


def count(number: int | None) -> str:
    """A number of things, with thousands apart.

    >>> count(16384), count(0), count(None)
    ('16,384', '0', 'n/a')
    """
    return NOT_KNOWN if number is None else f"{number:,d}"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "leaf", "leaves"), counted(2048, "GPU")
    ('1 leaf', '2,048 GPUs')
    """
    return f"{count(number)} {singular if number == 1 else plural or singular + 's'}"


def tflops(rate_tflops: float | None) -> str:
    """A sustained computing rate, to four significant digits, always in TFLOP/s.

    >>> tflops(412.34), tflops(6_553_812.0), tflops(None)
    ('412.3 TFLOP/s', '6,554,000 TFLOP/s', 'n/a')
    """
    return NOT_KNOWN if rate_tflops is None else f"{_significant(rate_tflops, 4)} TFLOP/s"


def kw(power_kw: float | None) -> str:
    """Electrical power; MW from 10,000 kW.

    >>> kw(9.52), kw(1234.4), kw(12_345), kw(None)
    ('9.5 kW', '1,234 kW', '12.3 MW', 'n/a')
    """
    if power_kw is None:
        return NOT_KNOWN
    if power_kw >= 9_999.5:
        return f"{power_kw / 1000:,.1f} MW"
    return f"{power_kw:,.0f} kW" if power_kw >= 99.95 else f"{power_kw:.1f} kW"


def seconds(time_s: float | None) -> str:
    """A time to three significant digits, always in seconds.

    >>> seconds(2.93678), seconds(300), seconds(0.0004321), seconds(None)
    ('2.94 s', '300 s', '0.000432 s', 'n/a')
    """
    return NOT_KNOWN if time_s is None else f"{_significant(time_s, 3)} s"


def plain(value: object) -> str:
    """A value of a scenario as its author would write it: no grouping, no unit; "" for None.

    >>> plain(2027), plain(1.75), plain(2.0), plain(1e-07), plain("2:1"), plain(None)
    ('2027', '1.75', '2', '0.0000001', '2:1', '')
    """
    if isinstance(value, float) and math.isfinite(value):
        text = f"{Decimal(repr(value)):f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return "" if value is None else str(value)


def percent_change(share: float) -> str:
    """A change as a percentage with its sign; what rounds to nothing has none.

    >>> percent_change(0.0123), percent_change(-0.05), percent_change(0.0001)
    ('+1.2%', '-5.0%', '0.0%')
    """
    text = f"{100 * share:+.1f}%"
    return text[1:] if float(text[:-1]) == 0 else text


def percent_whole(share: float) -> str:
    """A share of 1 as a whole percentage; what would round to nothing reads "<1%".

    >>> percent_whole(0.314), percent_whole(0.004), percent_whole(0.0)
    ('31%', '<1%', '0%')
    """
    return "<1%" if 0 < share < 0.005 else f"{100 * share:.0f}%"


def percent_points(share: float) -> str:
    """A share of 1 in per cent, exactly as it was written, without the sign.

    >>> percent_points(0.08), percent_points(0.085), percent_points(0.07), percent_points(1)
    ('8', '8.5', '7', '100')
    """
    return plain(float(Decimal(repr(share)) * 100))


def _trimmed(number: float) -> str:
    """At most one decimal, none where it is 0."""
    return f"{number:,.1f}".removesuffix(".0")


def _significant(number: float, digits: int) -> str:
    if number == 0:
        return "0"
    rounded = float(f"{number:.{digits - 1}e}")
    decimals = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{max(decimals, 0)}f}"
