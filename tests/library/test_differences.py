"""Documents key by key: what differs, in words, and merging two people's edits."""

from __future__ import annotations

from typing import Any

from planner.library.differences import Clash, Difference, differences, in_words, merge

BASE: dict[str, Any] = {
    "name": "Two steps",
    "base_year": 2027,
    "growth": [{"year": 2027, "gpus": 1024}, {"year": 2029, "gpus": 4096}],
    "finance": {"pue": 1.3, "horizon_years": 5},
}


def changed(**sections: Any) -> dict[str, Any]:
    return {**BASE, **sections}


def words(after: dict[str, Any], labels: dict[str, str] | None = None) -> list[str]:
    return [in_words(found, labels) for found in differences(BASE, after)]


def test_every_kind_of_change_has_its_sentence() -> None:
    growth = [{"year": 2027, "gpus": 2048}, {"year": 2028, "gpus": 3000}]
    after = changed(
        growth=growth, finance={"horizon_years": 5, "discount_rate": 0.1}, fabric={"planes": [1, 8]}
    )
    assert words(after, {"finance.pue": "PUE"}) == [
        "growth 2027: 2,048 GPUs instead of 1,024 GPUs",
        "growth 2029: taken out (4,096 GPUs)",
        "PUE: back to the default (1.3)",
        "growth 2028: added, 3,000 GPUs",
        "finance.discount_rate: 0.1 instead of the default",
        "fabric.planes: 1, 8 instead of the default",
    ]
    assert words(BASE) == []


def test_true_is_not_one() -> None:
    before, after = {"fabric": {"rail_optimised": 1}}, {"fabric": {"rail_optimised": True}}
    assert [in_words(d) for d in differences(before, after)] == ["fabric.rail_optimised: yes instead of 1"]


def test_rows_that_cannot_be_told_apart_are_one_value() -> None:
    twice = [{"year": 2027, "gpus": 1}, {"year": 2027, "gpus": 2}]
    assert [d.key for d in differences(BASE, changed(growth=twice))] == ["growth"]


def test_edits_of_different_keys_go_together() -> None:
    mine = changed(finance={"pue": 1.3, "horizon_years": 7})
    theirs = changed(name="Renamed", growth=[*BASE["growth"], {"year": 2031, "gpus": 8192}])
    merged, clashes = merge(BASE, mine, theirs, {})
    assert clashes == ()
    assert merged == {**theirs, "finance": {"pue": 1.3, "horizon_years": 7}}


def test_the_same_edit_of_both_is_no_clash() -> None:
    both = changed(name="Renamed")
    assert merge(BASE, both, both, {}) == (both, ())


def test_a_clash_is_theirs_until_mine_is_chosen() -> None:
    mine = changed(growth=[{"year": 2027, "gpus": 512}], finance={"horizon_years": 5})
    theirs = changed(
        growth=[{"year": 2027, "gpus": 256}, BASE["growth"][1]], finance={**BASE["finance"], "pue": 1.1}
    )
    merged, clashes = merge(BASE, mine, theirs, {})
    assert clashes == (
        Clash(
            ("growth", "2027"), BASE["growth"][0], {"year": 2027, "gpus": 512}, {"year": 2027, "gpus": 256}
        ),
        Clash(("finance", "pue"), 1.3, None, 1.1),
    )
    assert [clash.key for clash in clashes] == ["growth 2027", "finance.pue"]
    assert merged == {**theirs, "growth": [{"year": 2027, "gpus": 256}]}, "2029 was taken out by mine alone"
    chosen, _ = merge(BASE, mine, theirs, {"growth 2027": True, "finance.pue": True})
    assert chosen == {**BASE, "growth": [{"year": 2027, "gpus": 512}], "finance": {"horizon_years": 5}}


def test_documents_that_are_no_scenarios_can_still_be_compared_and_merged() -> None:
    """What an earlier version of the planner let into a library."""
    base, mine, theirs = {"cluster": 5}, {"cluster": {"server": "a"}}, {"cluster": [1], "growth": "no"}
    assert [found.key for found in differences(mine, theirs)] == ["cluster", "growth"]
    merged, clashes = merge(base, mine, theirs, {"cluster": True})
    assert merged == {"cluster": {"server": "a"}, "growth": "no"}
    assert [clash.key for clash in clashes] == ["cluster"]


def test_the_content_of_a_file_is_shown_cut_and_in_one_line() -> None:
    text = in_words(Difference(("prices", "quotes_csv"), None, "sku,price\n" * 10_000))
    assert text.startswith("prices.quotes_csv: sku,price sku,price")
    assert (len(text) < 300, "\n" in text) == (True, False)
