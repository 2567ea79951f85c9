"""The titles of the pages' charts: each says what the chart shows."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from planner.catalog.technologies import technology_name
from planner.fabric.design import Design
from planner.fabric.port_use import TierPorts
from planner.planning.bandwidth_headroom import TierHeadroom
from planner.report import throughput_frames
from planner.study.result import TechnologyResult
from planner.study.study import Study
from planner.text import format as form

_PLURALS = {"leaf": "leaves", "spine": "spines", "core": "cores"}


def drawing(technology: str, design: Design) -> str:
    """The finding of a topology drawing."""
    w = design.wiring
    counts = ", ".join(form.counted(n, tier, _PLURALS[tier]) for tier, _, n in design.tiers)
    ratio = (
        ""
        if not w.leaf_up
        else "; non-blocking"
        if w.oversubscription == 1
        else f"; {form.ratio(w.oversubscription)}"
    )
    name = technology_name(technology)
    return f"{name} {design.year}: {form.counted(design.gpus, 'GPU')} on {counts}{ratio}"


def ports(found: Sequence[TierPorts]) -> str:
    """The finding of the port-use chart: where ports stay dark."""
    dark = [t for t in found if t.dark]
    if not dark:
        return "Every port of every tier is wired"
    worst = max(dark, key=lambda t: t.dark / t.total)
    whole = "; all others are wired" if len(dark) == 1 and len(found) > 1 else ""
    share = form.percent_whole(worst.dark / worst.total)
    of = f"{form.count(worst.dark)} of {form.count(worst.total)}"
    return f"{share} of the {worst.tier} ports are dark ({of}){whole}"


def step(study: Study, year: int) -> str:
    """The finding of the step-time chart: who waits least and most for the fabric."""
    shares = [
        (found, technology_name(r.technology))
        for r in study.results
        if (found := throughput_frames.fabric_share(r, year)) is not None
    ]
    if not shares:
        return "No technology has a design"
    (low, best), (high, worst) = min(shares), max(shares)
    words = f"In {year} a step waits for the fabric {form.percent_whole(low)} of its time with {best}"
    return words if best == worst else f"{words}, {form.percent_whole(high)} with {worst}"


def waiting(study: Study) -> str:
    """The finding of the chart of fabric waiting over the years, for the best technology."""
    best = study.best
    if best is None:
        return "Share of a step that waits for the fabric"
    first, last = best.designs[0].year, best.designs[-1].year
    start, end = throughput_frames.fabric_share(best, first), throughput_frames.fabric_share(best, last)
    name = technology_name(best.technology)
    return (
        f"With {name} the wait for the fabric goes from {form.percent_whole(start or 0.0)} of a step "
        f"in {first} to {form.percent_whole(end or 0.0)} in {last}"
    )


def growth(result: TechnologyResult) -> str:
    """The finding of the chart of switches over the years."""
    first, last = result.designs[0], result.designs[-1]
    start, end = (sum(n for _, _, n in d.tiers) for d in (first, last))
    name = technology_name(result.technology)
    if start == end:
        return f"{name} stays at {form.counted(end, 'switch', 'switches')} throughout"
    return (
        f"{name} grows from {form.counted(start, 'switch', 'switches')} in {first.year} to {form.count(end)} "
        f"in {last.year}"
    )


def gpus(result: TechnologyResult) -> str:
    """The finding of the chart of GPUs over the years."""
    first, last = result.designs[0], result.designs[-1]
    if first.gpus == last.gpus:
        return f"{form.counted(first.gpus, 'GPU')} in every year"
    grown = next(d for d in result.designs if d.gpus == last.gpus)
    return f"{form.counted(first.gpus, 'GPU')} in {first.year}, {form.count(last.gpus)} from {grown.year}"


def cost_by_year(frame: pd.DataFrame, technology: str, network_only: bool) -> str:
    """The finding of the chart of cost by kind and year: the dearest year, the dearest kind."""
    paid = frame[frame["amount_usd"] > 0]
    years, kinds = paid.groupby("year")["amount_usd"].sum(), paid.groupby("kind")["amount_usd"].sum()
    year, share = years.idxmax(), float(years.max() / years.sum())
    what = "network spending" if network_only else "spending"
    return (
        f"{form.percent_whole(share)} of the {what} with {technology_name(technology)} falls in {year}; "
        f"the largest part is {kinds.idxmax()}"
    )


def cash_flow(frame: pd.DataFrame) -> str:
    """The finding of the cash-flow chart: the cheapest and the dearest at the end."""
    last = frame[frame["year"] == frame["year"].max()].sort_values("paid_usd")
    low, high = last.iloc[0], last.iloc[-1]
    name, paid = technology_name(low["technology"]), form.usd(low["paid_usd"])
    words = f"By the start of {low['year']} {name} has cost {paid}"
    if len(last) == 1:
        return words
    dearest, more = technology_name(high["technology"]), form.usd(high["paid_usd"] - low["paid_usd"])
    return f"{words}, {dearest} as much" if more == form.usd(0.0) else f"{words}; {dearest} {more} more"


def cost_title(frame: pd.DataFrame, network_only: bool) -> str:
    """The finding of the chart of cost by kind."""
    totals = frame.groupby("technology", sort=False)["npv_usd"].sum().sort_values(kind="stable")
    kinds = frame.groupby("kind")["npv_usd"].sum()
    what = "Network TCO" if network_only else "TCO"
    largest = f"the largest part is {kinds.idxmax()}" if len(kinds) else ""
    low, high = str(totals.index[0]), str(totals.index[-1])
    if len(totals) == 1:
        return f"{what} of {technology_name(low)} is {form.usd(float(totals.iloc[0]))}, {largest}"
    return (
        f"{what} runs from {form.usd(float(totals.iloc[0]))} ({technology_name(low)}) to "
        f"{form.usd(float(totals.iloc[-1]))} ({technology_name(high)}), {largest}"
    )


def value_title(frame: pd.DataFrame) -> str:
    """The finding of the chart of cost against throughput."""
    ordered = frame.sort_values("levelised_usd")
    best, worst = ordered.iloc[0], ordered.iloc[-1]
    words = f"{technology_name(best['technology'])} gives the most work for the money"
    if len(ordered) == 1:
        return words
    more = form.percent(worst["levelised_usd"] / best["levelised_usd"] - 1)
    return f"{words}; {technology_name(worst['technology'])} costs {more} more for the same work"


def value_subtitle(frame: pd.DataFrame) -> str:
    """How to read the chart of cost against throughput."""
    best = technology_name(frame.sort_values("levelised_usd").iloc[0]["technology"])
    return f"Both against {best} = 100%. Above the dashed line a TFLOP/s-year costs more than with {best}."


def headroom(tiers: Sequence[TierHeadroom]) -> str:
    """The tightest of the tiers that the job crosses."""
    asked = form.percent_whole(tiers[0].headroom_ratio)
    crossed = [tier for tier in tiers if tier.crossed]
    if not crossed:
        return f"The job stays inside its nodes: all bandwidth is free, {asked} is asked for"
    worst = max(crossed, key=lambda tier: tier.used_ratio)
    used, free = form.percent_whole(worst.used_ratio), form.percent_whole(worst.free_ratio)
    most = f"The job takes at most {used} of a tier's bandwidth ({worst.tier})"
    return f"{most}: {free} is free, {asked} is asked for"
