"""rtirq tables: what the article's table states, and what damage leaves of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rtlat.errors import LogError
from rtlat.formats.rtirq_results import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "data/seeds/rtirq-results.txt"

SMALL = """interval: 1000 loops: 1000
Interrupt statistics
0.40 100 (10.000000)
0.50 600 (70.000000)
0.60 200 (90.000000)
0.70 70 (97.000000)
0.80 20 (99.000000)
0.90 9 (99.900000)
1.00 1 (100.000000)
"""


def parse(text: str | bytes) -> Run:
    (run,) = FORMAT.parse(Source(None, "log", text.encode() if isinstance(text, str) else text))
    return run


def table(run: Run) -> dict[float, int]:
    """Lower edge [ns] -> count."""
    rows = run.rows.arrays()
    return dict(zip(rows["low"].tolist(), rows["n"].tolist(), strict=True))


def by_hand(text: str) -> list[tuple[int, int]]:
    """Tenths of a microsecond and count of each row, by the simplest means."""
    rows = re.findall(r"^(\d+)\.(\d)0 (\d+) \(", text, re.MULTILINE)
    return [(10 * int(whole) + int(tenth), int(count)) for whole, tenth, count in rows]


def check_article(path: Path, text: str) -> None:
    (run,) = FORMAT.parse(Source(path, path.name))
    rows = run.rows.arrays()
    tenths = (rows["low"] / 100).round().astype(int)
    assert list(zip(tenths.tolist(), rows["n"].tolist(), strict=True)) == by_hand(text)
    assert len(rows["n"]) == 39
    assert rows["n"].sum() == 60000
    assert (tenths * rows["n"]).sum() == 494465
    assert (rows["high"] - rows["low"]).round(6).tolist() == [100.0] * 39
    assert set(rows["kind"]) == {"bin"}
    assert set(rows["quantity"]) == {"irq"}
    assert [line for line in text.split("\n") if line.startswith("0.40 1333")] == [
        text.split("\n")[rows["line"][0] - 1]
    ]
    assert run.facts["approach"] == "rtirq"
    assert run.facts["ended"] == "complete"
    assert run.facts["period"] == 1e6
    assert run.facts["duration"] == 60.0
    assert run.facts["nominal_n"] == 60000
    assert run.rejected.total == 0
    assert len(run.warnings) == 1
    assert "lower edge" in run.warnings[0]


def test_the_article_as_it_stands(seeds: Path) -> None:
    (article,) = seeds.glob("000_*")
    check_article(article, article.read_text("utf-8"))
    (run,) = FORMAT.parse(Source(article, "article"))
    assert run.facts["evidence"] == "printed table"


def test_the_table_alone() -> None:
    check_article(RESULTS, RESULTS.read_text())
    (run,) = FORMAT.parse(Source(RESULTS, "results"))
    assert run.facts["evidence"] == "log"


def test_the_copy_in_data_is_the_articles_table(seeds: Path) -> None:
    (article,) = seeds.glob("000_*")
    assert "\n".join(RESULTS.read_text().split("\n")[1:-1]) in article.read_text("utf-8")


def test_only_the_article_is_claimed(seeds: Path) -> None:
    claimed = [
        path.name[:3]
        for path in sorted(seeds.iterdir())
        if any(mark.match(line.text) for line in Source(path, path.name).head() for mark in FORMAT.marks)
    ]
    assert claimed == ["000"]


def test_decimal_commas_crlf_indent_and_a_glued_interval() -> None:
    path = ROOT / "tests/data/seeds/rtirq-letter-comma-crlf.txt"
    (run,) = FORMAT.parse(Source(path, path.name))
    assert table(run) == {400.0: 500, 500.0: 1200, 600.0: 299, 2100.0: 1}
    assert (run.facts["period"], run.facts["duration"], run.facts["ended"]) == (500_000.0, 1.0, "complete")
    assert run.facts["evidence"] == "printed table"


def test_a_quoted_table_is_marked() -> None:
    run = parse("".join(f"> {line}\n" for line in SMALL.splitlines()))
    assert run.quoted
    assert sum(table(run).values()) == 1000
    assert run.facts["ended"] == "complete"


def test_two_tables_are_two_runs() -> None:
    runs = list(FORMAT.parse(Source(None, "log", (SMALL + SMALL.replace("0.40 ", "0.30 ")).encode())))
    assert [min(table(run)) for run in runs] == [400.0, 300.0]
    assert [run.facts["ended"] for run in runs] == ["complete", "complete"]


def test_a_last_row_without_line_end_is_whole_as_its_parenthesis_closes() -> None:
    assert parse(SMALL.rstrip("\n")).facts["ended"] == "complete"
    cut = parse(SMALL.rstrip(")\n"))
    assert cut.facts["ended"] == "cut"
    assert cut.rejected.reasons == {"cut last line": [1, 9]}


@pytest.mark.parametrize("line", range(3, 10))
def test_a_missing_row_leaves_a_partial_table(line: int) -> None:
    lines = SMALL.splitlines(keepends=True)
    lost = int(lines[line - 1].split()[1])
    run = parse("".join(lines[: line - 1] + lines[line:]))
    assert run.facts["ended"] == "cut"
    assert sum(table(run).values()) == 1000 - lost
    assert any(f"hold {1000 - lost} interrupts, loops says 1000" in warning for warning in run.warnings)


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        ("0.60 2x0 (90.000000)", "damaged row"),
        ("0.60 200 (90.0", "damaged row"),
        ("0.60 200", "damaged row"),
        ("0.60 200 7 (90.000000)", "not a row"),
        ("x.60 200 (90.000000)", "not a row"),
        ("0.60 9223372036854775808 (90.000000)", "count beyond 2^63 - 1"),
        ("0.30 200 (90.000000)", "label out of order"),
        ("9.60 200 (90.000000)", "label out of order"),
        ("0.65 200 (90.000000)", "label off the bins"),
    ],
)
def test_a_damaged_row_gives_no_number(damaged: str, reason: str) -> None:
    run = parse(SMALL.replace("0.60 200 (90.000000)", damaged))
    assert table(run) == {400.0: 100, 500.0: 600, 700.0: 70, 800.0: 20, 900.0: 9, 1000.0: 1}
    assert run.facts["ended"] == "cut"
    assert run.rejected.reasons == {reason: [1, 5]}
    assert any("line 5" in warning for warning in run.warnings)


def test_a_label_that_stands_twice_tells_nothing() -> None:
    run = parse(SMALL.replace("0.60 200", "0.50 200"))
    assert table(run) == {400.0: 100, 700.0: 70, 800.0: 20, 900.0: 9, 1000.0: 1}
    assert run.rejected.total == 2


def test_a_repeated_line_counts_once() -> None:
    row = "0.60 200 (90.000000)\n"
    run = parse(SMALL.replace(row, row + row))
    assert sum(table(run).values()) == 1000
    assert run.facts["ended"] == "complete"
    assert run.rejected.total == 1


def test_contradictions_name_both_numbers() -> None:
    run = parse(SMALL.replace("(90.000000)", "(91.500000)"))
    assert run.facts["ended"] == "complete"
    assert any("line 5" in warning and "91.500000" in warning and "90.000000" in warning for warning in run.warnings)


def test_a_run_stopped_by_hand_is_shorter_not_cut() -> None:
    run = parse(SMALL.replace("loops: 1000", "loops: 60000"))
    assert (run.facts["ended"], run.facts["duration"]) == ("interrupted", 1.0)
    assert sum(table(run).values()) == 1000


def test_without_interval_and_loops_the_percentages_decide() -> None:
    bare = SMALL.split("\n", 1)[1]
    assert parse(bare).facts["ended"] == "complete"
    assert "period" not in parse(bare).facts
    assert parse(bare.replace("1.00 1 (100.000000)\n", "")).facts["ended"] == "cut"


def test_other_widths_are_inferred_only_if_all_labels_fit() -> None:
    wide = "Interrupt statistics\n0.50 1 (25.000000)\n1.00 2 (75.000000)\n2.00 1 (100.000000)\n"
    run = parse(wide)
    assert run.facts["resolution"] == 500.0
    assert run.rows.arrays()["high"].tolist() == [1000.0, 1500.0, 2500.0]
    assert any("0.5 us wide" in warning for warning in run.warnings)


def test_counts_that_no_sum_holds_are_refused() -> None:
    text = "Interrupt statistics\n0.40 9223372036854775807 (50.0)\n0.50 9223372036854775807 (100.0)\n"
    with pytest.raises(LogError, match=r"^log:1: found .* at most 2\^63 - 1"):
        parse(text)


def test_a_headline_without_rows_is_no_run() -> None:
    with pytest.raises(LogError, match="no readable row"):
        parse("Interrupt statistics\n\nThere was no table, only a headline.\n")
