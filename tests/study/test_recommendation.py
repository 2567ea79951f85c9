"""The recommendation: the technology of least levelised cost, and no difference claimed inside the band."""

from __future__ import annotations

from hypothesis import strategies as st

from planner.catalog.technologies import TECHNOLOGIES, Technology
from planner.study.recommendation import Recommendation, recommend, with_book_prices
from tests.support.examples import Examples


def test_the_cheapest_is_recommended_and_every_other_is_told_its_distance() -> None:
    """50 against 60 with a band of 10 %: 20 % more is a difference. What has no total is not compared."""
    found = recommend({"roce": 50.0, "infiniband": 60.0, "ethernet": None}, 0.1)
    assert found.technology == "roce"
    assert found.reasons == (
        "roce has the lowest levelised cost: $50.00 per effective TFLOP/s-year.",
        "infiniband: $60.00, 20.0% more.",
        "ethernet is not compared: it has no design or no total.",
    )


def test_inside_the_band_no_difference_is_claimed() -> None:
    found = recommend({"roce": 50.0, "infiniband": 54.0}, 0.1)
    assert found.technology == "either"
    assert found.reasons[-1] == "infiniband within 10.0% of roce: inside the band of the throughput estimate."


def test_without_a_total_nothing_is_recommended() -> None:
    assert recommend({"roce": None}, 0.1).technology is None
    assert recommend({}, 0.1).technology is None


def test_a_cost_below_nothing_ranks_nothing() -> None:
    """Gear sold for 100 beside costs of 60: over outputs of 4 and 5, -10 and -8. By these the technology that
    delivers less would be recommended, the other being "-20 % more"."""
    found = recommend({"ethernet": -10.0, "roce": -8.0}, 0.05)
    assert found.technology is None
    assert found.reasons[0].startswith("A cost per output of 0 or less ranks nothing")
    assert recommend({"ethernet": 0.0, "roce": 8.0}, 0.05).technology is None


def test_a_recommended_technology_beats_each_other_one_by_more_than_the_band(examples: Examples) -> None:
    """Tried one against one: where a technology is named, no other comes within the band of it."""

    def check(costs: dict[Technology, float | None], band: float) -> None:
        named = recommend(costs, band).technology
        known = {t: usd for t, usd in costs.items() if usd is not None}
        winners = [t for t in known if all(known[t] * (1 + band) < usd for o, usd in known.items() if o != t)]
        if not known:
            assert named is None
        else:
            assert named == (winners[0] if winners else "either")

    usd = st.one_of(st.none(), st.integers(1, 40).map(float))
    examples(
        check, 200, st.dictionaries(st.sampled_from(TECHNOLOGIES), usd), st.sampled_from([0.0, 0.1, 0.5])
    )


def test_a_supposed_price_is_said_beside_the_books_own() -> None:
    advice = Recommendation("roce", ("cheapest",))
    said = with_book_prices(advice, "ratio 1.75", 2e6, 1e6)
    assert (said.technology, len(said.reasons)) == ("roce", 2)
    assert "$2.0M of compute fabric; at the book's own prices it is $1.0M" in said.reasons[-1]
    assert with_book_prices(advice, "ratio 1.75", None, 1e6) == advice
