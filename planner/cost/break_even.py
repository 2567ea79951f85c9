"""What efficiency is worth: the loss at which the dearer network pays, and the cost at equal output."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Two technologies: the ``dearer`` has the greater TCO, servers and power included.

    ``loss_ratio``: the share of output that the cheaper one may lose before the dearer costs less a
    TFLOP/s-year. ``actual_loss_ratio``: what it loses (negative where it delivers more).
    ``equal_output_usd``: TCO of the slower one scaled to the other's output, GPUs and all in proportion.
    """

    dearer: str
    cheaper: str
    network_difference_usd: float
    loss_ratio: float
    actual_loss_ratio: float
    slower: str
    added_gpus_ratio: float
    slower_usd: float
    faster_usd: float

    @property
    def dearer_pays(self) -> bool:
        """Whether the cheaper one loses more than the break-even."""
        return self.actual_loss_ratio > self.loss_ratio

    @property
    def equal_output_usd(self) -> float:
        """The slower one's TCO at the faster one's output, in proportion."""
        return self.slower_usd * (1.0 + self.added_gpus_ratio)


@dataclass(frozen=True, slots=True)
class Offer:
    """One technology's TCO, network TCO and delivered TFLOP/s-years, all in present value."""

    technology: str
    tco_usd: float
    network_tco_usd: float
    delivered: float


def break_even(a: Offer, b: Offer) -> BreakEven:
    """Levelised costs are equal where TCO_c / E_c = TCO_d / E_d: at a loss of 1 - TCO_c / TCO_d.

    100 against 95 M$ of cluster, network in: the cheaper may lose 5 % of output, whatever the networks cost.

    >>> round(break_even(Offer("x", 100.0, 30.0, 1.0), Offer("y", 95.0, 25.0, 0.9)).loss_ratio, 6)
    0.05
    """
    dear, cheap = (a, b) if a.tco_usd >= b.tco_usd else (b, a)
    slow, fast = (a, b) if a.delivered <= b.delivered else (b, a)
    return BreakEven(
        dearer=dear.technology,
        cheaper=cheap.technology,
        network_difference_usd=dear.network_tco_usd - cheap.network_tco_usd,
        loss_ratio=1.0 - cheap.tco_usd / dear.tco_usd,
        actual_loss_ratio=1.0 - cheap.delivered / dear.delivered,
        slower=slow.technology,
        added_gpus_ratio=fast.delivered / slow.delivered - 1.0,
        slower_usd=slow.tco_usd,
        faster_usd=fast.tco_usd,
    )


def break_evens(offers: list[Offer]) -> tuple[BreakEven, ...]:
    """The technology of least levelised cost against each other one, the next best first."""
    useful = [o for o in offers if o.delivered > 0 and o.tco_usd > 0]
    ranked = sorted(useful, key=lambda o: (o.tco_usd / o.delivered, o.technology))
    return tuple(break_even(ranked[0], other) for other in ranked[1:])
