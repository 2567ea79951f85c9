"""``fabric-planner quotes`` from a vendor's file to a scenario that is priced with it."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from planner.catalog.sources import load_sources
from planner.cli.main import main
from planner.planning.planning_task import PlanOptions
from planner.scenario.load import load_scenario
from planner.study.study import plan_scenario

FAULTY = Path(__file__).parents[1] / "pricing" / "price_list_with_faults.csv"
STATED = (
    "--currency", "EUR=1.08@2026-11-01", "--currency", "GBP=1.31@2026-11-01", "--today", "2026-11-30",
    "--in", "USD", "--decimal", ",", "--packs", "per-pack", "--alias", "MSN2700-CS2F=sn2700",
)  # fmt: skip
LEFT = (
    "encoding=take", "10.expired=skip", "14.price=33000.00", "16.zero=skip", "17.unit=1",
    "18.valid_until=take", "duplicate.mcp7y10=20", "25.price=4200.00",
)  # fmt: skip


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["quotes", *words])


def answers() -> list[str]:
    return [word for answer in LEFT for word in ("--answer", answer)]


def test_doubts_are_printed_with_their_keys_and_nothing_is_written(tmp_path: Path) -> None:
    out = tmp_path / "quotes.csv"
    done = run(str(FAULTY), "--out", str(out), *STATED)
    assert done.exit_code == 1
    assert (
        "  10.expired: line 10: '30.06.2026' the quote ended before 2026-11-30 [take | skip]" in done.output
    )
    assert "  line 6: QM9700 is qm9700: 30500.00 EUR = 32,940.00 USD a piece" in done.output
    assert "  line 13: 'auf Anfrage' is no price (MCP7Y00 | Kabel | auf Anfrage | EUR)" in done.output
    assert list(tmp_path.iterdir()) == []


def test_answered_quotes_price_a_scenario_and_the_file_is_kept(tmp_path: Path) -> None:
    done = run(str(FAULTY), "--out", str(tmp_path / "quotes.csv"), *STATED, *answers())
    assert done.exit_code == 0, done.output
    kept = list((tmp_path / "originals").iterdir())
    assert [path.read_bytes() for path in kept] == [FAULTY.read_bytes()]
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        'schema = 1\nname = "x"\nbase_year = 2027\n[cluster]\nserver = "dgx-h100"\n'
        '[[growth]]\nyear = 2027\ngpus = 64\n[fabric]\ntechnologies = ["infiniband"]\nswitches = ["qm9700"]\n'
        '[prices]\nquotes = "quotes.csv"\n',
        encoding="utf-8",
    )
    asked = load_scenario(scenario, load_sources())
    bom = plan_scenario(asked, load_sources(), PlanOptions()).results[0].bom
    line = next(x for x in bom if x.sku == "qm9700")
    assert (line.unit_price_usd, line.price_grade) == (30_500 * 1.08, "quote")
    assert line.price_source.startswith("quotes: price_list_with_faults.csv, line 6: QM9700 30500.00 EUR")


def test_what_cannot_be_read_or_asked_ends_with_2(tmp_path: Path) -> None:
    bad = tmp_path / "bad.xlsx"
    bad.write_bytes(b"PK\x03\x04broken")
    for words, said in (
        ([str(tmp_path / "none.csv")], "none.csv cannot be read: No such file or directory"),
        ([str(bad)], "bad.xlsx is no readable XLSX workbook"),
        ([str(FAULTY), "--map", "prize=4"], "--map prize is no field"),
        ([str(FAULTY), "--map", "price=Prize"], "no heading of line 5 is 'Prize'"),
        ([str(FAULTY), "--currency", "EUR=1.08"], "is no rate with its day"),
        ([str(FAULTY), "--in", "dollars"], "--in dollars is no currency"),
        ([str(FAULTY), "--answer", "x"], "is not written as NAME=VALUE"),
    ):
        done = run(*words)
        assert (done.exit_code, said in done.output) == (2, True), done.output


def test_columns_may_be_mapped_by_heading_or_number(tmp_path: Path) -> None:
    sheet = tmp_path / "list.csv"
    sheet.write_text("a,b\nqm9700,30007 USD\n", encoding="utf-8")
    for b in ("b", "2"):
        done = run(str(sheet), "--map", "sku=a", "--map", f"price={b}")
        assert (done.exit_code, "QM9700" in done.output, "= 30,007.00 USD" in done.output) == (0, False, True)


def test_a_list_of_which_nothing_is_taken_ends_with_2_and_writes_nothing(tmp_path: Path) -> None:
    sheet, out = tmp_path / "list.csv", tmp_path / "quotes.csv"
    sheet.write_text("sku,price\nqm9700,on request\n", encoding="utf-8")
    done = run(str(sheet), "--out", str(out))
    assert (done.exit_code, out.exists()) == (2, False)
    assert "no price was taken, 1 rows were left out; line 2: 'on request' is no price" in done.output


def test_the_encoding_of_a_list_may_be_stated(tmp_path: Path) -> None:
    sheet = tmp_path / "list.csv"
    sheet.write_bytes("型号,单价（USD）\nQM9700,33894\n".encode("gb18030"))
    assert "  encoding: line 1: '型号,单价（USD）' is not UTF-8" in run(str(sheet)).output
    done = run(str(sheet), "--encoding", "gb18030")
    assert (done.exit_code, "33894 USD" in done.output) == (0, True), done.output
