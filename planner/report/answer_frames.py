"""An answer as frames: a row a technology, a row a technology and year, a row a line of the bill."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, get_args

import pandas as pd

from planner.fabric.design import SwitchTier, largest_fabric
from planner.report.bom_table import bom_frame
from planner.report.json_answer import answer_text
from planner.report.printed_answer import study_text
from planner.study.result import TechnologyResult
from planner.study.study import Study


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a scenario, for a notebook: ``study`` has everything as frozen values, the methods make
    frames of it. Printed, it is the text of ``fabric-planner plan``."""

    study: Study

    @property
    def recommendation(self) -> str | None:
        """The technology that is recommended; "either" where the estimate cannot tell, None without any."""
        return self.study.recommendation.technology

    def to_frame(self) -> pd.DataFrame:
        """A row a technology and year. Columns: see ``years_frame``."""
        return years_frame(self.study.results)

    def totals_frame(self) -> pd.DataFrame:
        """A row a technology, with the reason where it has no design. Columns: see ``totals_frame``."""
        return totals_frame(self.study.results)

    def bom_frame(self) -> pd.DataFrame:
        """The bills of materials of all technologies, with the columns of the BOM's CSV files."""
        return bom_frame(line for result in self.study.results for line in result.bom)

    def to_json(self) -> str:
        """The whole answer as the command line's --json writes it."""
        return answer_text(self.study)

    def __str__(self) -> str:
        return study_text(self.study)


def totals_frame(results: Iterable[TechnologyResult]) -> pd.DataFrame:
    """A row a technology; money is missing where there is no design or a price is lacking.

    Columns: technology, status, levelised_usd_per_effective_tflops_year, tco_usd, network_tco_usd,
    network_share_ratio, usd_per_effective_tflops, gap, missing_prices, faults, reason.
    """
    return pd.DataFrame([_totals(result) for result in results])


def _totals(result: TechnologyResult) -> dict[str, Any]:
    return {
        "technology": result.technology,
        "status": result.plan.status,
        "levelised_usd_per_effective_tflops_year": result.levelised_usd_per_effective_tflops_year,
        "tco_usd": result.tco_usd,
        "network_tco_usd": result.network_tco_usd,
        "network_share_ratio": result.network_share_ratio,
        "usd_per_effective_tflops": result.usd_per_effective_tflops,
        "gap": result.plan.solver.gap,
        "missing_prices": ", ".join(result.missing_prices),
        "faults": "; ".join(result.faults),
        "reason": result.plan.reason or "",
    }


_TIERS: tuple[SwitchTier, ...] = get_args(SwitchTier)
_YEAR_COLUMNS = (
    "technology", "year", "gpus", "nodes", "tiers", "oversubscription_ratio",
    *(f"{tier}_{what}" for tier in _TIERS for what in ("switch", "switches")),
    "installed_links", "recabled_links", "capex_usd", "network_capex_usd", "opex_usd", "network_power_kw",
    "step_time_s", "mfu", "goodput", "effective_tflops",
)  # fmt: skip


def years_frame(results: Iterable[TechnologyResult]) -> pd.DataFrame:
    """A row a technology and year, of those with a design: what stands, is done, is paid, is delivered.

    Columns: technology, year, gpus, nodes, tiers, oversubscription_ratio; of each tier (leaf, spine, core)
    the model and the number of switches, as leaf_switch and leaf_switches; installed_links, recabled_links;
    capex_usd, network_capex_usd, opex_usd (nominal), network_power_kw; step_time_s, mfu, goodput,
    effective_tflops. Switches are of the compute fabric; of several islands ``tiers`` and the ratio are
    those of the one with the most GPUs.
    """
    rows = [_year(result, place) for result in results for place in range(len(result.designs))]
    return pd.DataFrame(rows, columns=list(_YEAR_COLUMNS))


def _year(result: TechnologyResult, place: int) -> dict[str, Any]:
    design, estimate = result.designs[place], result.estimates[place]
    totals, standing = result.years[place], {tier: (switch, n) for tier, switch, n in design.tiers}
    switches: dict[str, Any] = {}
    wiring = largest_fabric(design).wiring
    for tier in _TIERS:
        switches[f"{tier}_switch"], switches[f"{tier}_switches"] = standing.get(tier, ("", 0))
    return {
        "technology": result.technology,
        "year": design.year,
        "gpus": design.gpus,
        "nodes": design.nodes,
        "tiers": wiring.tiers,
        "oversubscription_ratio": float(wiring.oversubscription),
        **switches,
        "installed_links": design.change.installed_links,
        "recabled_links": design.change.recabled_links,
        "capex_usd": totals.capex_usd,
        "network_capex_usd": totals.network_capex_usd,
        "opex_usd": totals.opex_usd,
        "network_power_kw": totals.network_power_kw,
        "step_time_s": estimate.step_time_s,
        "mfu": estimate.mfu,
        "goodput": estimate.goodput,
        "effective_tflops": estimate.effective_tflops,
    }
