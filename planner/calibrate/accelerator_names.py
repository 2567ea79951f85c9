"""The accelerator that a driver's device name is of, in the words of the catalog's ids."""

from __future__ import annotations

import re

_MAKERS = re.compile(
    r"\b(?:nvidia|amd|instinct|tesla|geforce|radeon|quadro|graphics|corporation)\b", re.IGNORECASE
)
_MODEL = re.compile(
    r"\b(?:(?P<line>RTX(?: PRO)?|TITAN) )?(?P<model>[A-Z]{0,3}\d{2,4}[A-Z]{0,3})\b", re.IGNORECASE
)
_FORMS = (
    ("pcie", re.compile(r"\bPCIE\b", re.IGNORECASE)),  # no NVSwitch: another bus bandwidth altogether
    ("nvl", re.compile(r"\bNVL\b", re.IGNORECASE)),  # bridged in pairs
    ("mig", re.compile(r"\bMIG\b", re.IGNORECASE)),  # a slice of one
)
_LONGEST = 40


def accelerator_of(device: str | None) -> str:
    """The family as in the catalog ("h100" is the SXM part), with its form where that is another.

    "" only where the log names no device, or several: what nobody knows is a name of its own, never that
    of a known one.

    >>> accelerator_of("NVIDIA H100 80GB HBM3"), accelerator_of("NVIDIA H100 PCIe")
    ('h100', 'h100-pcie')
    >>> accelerator_of("NVIDIA L40S"), accelerator_of("NVIDIA GH200 480GB"), accelerator_of(None)
    ('l40s', 'gh200', '')
    """
    if not device:
        return ""
    forms = [form for form, pattern in _FORMS if pattern.search(device)]
    plain = _MAKERS.sub(" ", device)
    found = _MODEL.search(re.sub("[-_]", " ", " ".join(plain.split())))
    name = f"{found['line'] or ''} {found['model']}" if found else plain
    return "-".join(re.findall("[a-z0-9]+", name.lower()[:_LONGEST]) + forms) or device.lower()[:_LONGEST]
