from __future__ import annotations

import math
import re
from pathlib import Path

import pandas as pd
import pytest

import rtlat
from rtlat.display import answers, markup, tables
from rtlat.errors import SelectionError
from rtlat.statistics.results import Bounds, refused

PERCENTS = ["50", "99", "99.9"]
NAMES = ["p50", "p99", "p99.9"]
HISTOGRAM = """\
# /dev/cpu_dma_latency set to 0us
# Histogram
000002 {0:06d}\t000100
000030 000000\t000001
# Total: {0:09d} 000000101
# Min Latencies: 00002 00002
# Avg Latencies: {4:05d} 00002
# Max Latencies: {1:05d} 00030
# Histogram Overflows: {2:05d} 00000
# Histogram Overflow at cycle number:
# Thread 0:{3}
# Thread 1:
"""


@pytest.fixture
def recording(tmp_path: Path) -> rtlat.Recording:
    """Two runs of two threads each, one with an overflow, and a card that tells what was compared."""
    (tmp_path / "idle.hist").write_text(HISTOGRAM.format(9000, 2, 0, "", 2))
    (tmp_path / "busy.hist").write_text(HISTOGRAM.format(900, 2750, 1, " 00017", 5))
    (tmp_path / "runs.toml").write_text(
        '[defaults]\nmachine = "<board>"\nnote = "a & b"\nduration = "1h"\n'
        '[runs."idle*"]\napproach = "EVL"\nload = "idle"\n[runs."busy*"]\napproach = "PREEMPT_RT"\nload = "a<b"\n'
    )
    return rtlat.read(tmp_path)


def cells(text: str) -> list[list[str]]:
    """Return the rows of a table in HTML, as text without footnote marks."""
    plain = re.sub(r"<sup>.*?</sup>|<style>.*?</style>", "", text)
    rows = re.findall(r"<tr>(.*?)</tr>", plain)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_pooled_each_or_one(recording: rtlat.Recording) -> None:
    summary = rtlat.summary(recording, PERCENTS)
    runs = recording.runs
    assert tables.chosen(summary, runs)["name"].tolist() == ["busy", "idle"]
    assert tables.chosen(summary, runs)["n"].tolist() == [900 + 1 + 101, 9000 + 101]
    assert tables.chosen(summary, runs, "each")["name"].tolist() == ["busy t0", "busy t1", "idle t0", "idle t1"]
    assert tables.chosen(summary, runs, "t1")["n"].tolist() == [101, 101]
    assert tables.chosen(summary, runs, quantity="thread")["name"].tolist() == ["busy", "idle"]


def test_what_is_not_there_is_refused_with_the_nearest(recording: rtlat.Recording) -> None:
    summary = rtlat.summary(recording, PERCENTS)
    with pytest.raises(SelectionError, match="no quantity 'thraed' here; did you mean 'thread'"):
        tables.chosen(summary, recording.runs, quantity="thraed")
    with pytest.raises(SelectionError, match="no series 't2' here"):
        tables.chosen(summary, recording.runs, "t2")


def test_approaches_side_by_side(recording: rtlat.Recording) -> None:
    """The worst observed and the counts are those of the footers that the fixture writes."""
    rows = tables.chosen(rtlat.summary(recording, PERCENTS), recording.runs)
    table = tables.side_by_side(rows, recording.runs, NAMES)
    assert table["approach"].tolist() == ["EVL", "PREEMPT_RT"], "lowest p99.9 first"
    assert table["load"].tolist() == ["idle", "a<b"]
    assert table["n"].tolist() == [9101, 1002]
    assert table["duration"].tolist() == ["1 h", "1 h"]
    assert [(cell.low, cell.high) for cell in table["p50"]] == [(2, 3), (2, 3)]
    assert [(cell.low, cell.high) for cell in table["worst observed"]] == [(30, 31), (2750, 2751)]
    assert list(table.columns[-4:]) == ["iqr", "p99.9-p50", "range", "std"]


def test_a_table_is_escaped_and_explains_its_refusals(recording: rtlat.Recording) -> None:
    rows = tables.chosen(rtlat.summary(recording, ["50", "99.99"]), recording.runs)
    text = markup.shown(tables.side_by_side(rows, recording.runs, ["p50", "p99.99"]))
    assert cells(text)[1] == ["thread (wake-up latency: timer expiry to the woken thread) [us]"]
    assert cells(text)[3][:3] == ["PREEMPT_RT", "a&lt;b", "busy"]
    assert "<b>" not in text
    assert text.count("<li>") == 1, "p99.99 of a thousand observations"
    assert "95 % confidence" in text
    assert text._repr_html_() == str(text)
    assert len(repr(text)) < 40, "the plain form in a notebook is not the HTML once more"


def test_cells_say_what_a_result_says() -> None:
    frame = pd.DataFrame(
        {
            "run": ["a", "b" * 60],
            "n": pd.array([1_234_567, None], "Int64"),
            "p99": [Bounds(400, 1476, "overflow", rank=1_230_000, worst=1475), refused("<why>")],
            "std": [Bounds(0.271507, 1158.18, "ok"), refused("<why>")],
        }
    )
    text = markup.shown(frame)
    head, first, second = cells(text)
    assert head == ["run", "n", "p99", "std"]
    assert first == ["a", "1,234,567", "&gt;= 400", "0.2715-1159"], "rounded outwards"
    assert second[1:] == ["unknown", "refused", "refused"]
    assert second[0].startswith("bbb")
    assert "…" in second[0]
    assert text.count("<li>&lt;why&gt;</li>") == 1
    assert "&gt;= 400 (max 1475)" in text
    assert "rank 1,230,000" in text
    assert markup.shown(frame[:0], "No <row>.") == "<p>No &lt;row&gt;.</p>"


def test_the_answer_names_lowest_highest_and_worst(recording: rtlat.Recording) -> None:
    rows = tables.chosen(rtlat.summary(recording, PERCENTS), recording.runs)
    text = re.sub(r"<[^>]*>", "", answers.levels(rows, recording.runs, NAMES) + answers.caveats(rows, recording.runs))
    assert "the lowest p99.9 is 2-3 us (EVL · idle), the highest 30-31 us (PREEMPT_RT · a&lt;b, busy)" in text
    assert "Worst observed: 2750-2751 us (PREEMPT_RT · a&lt;b, busy; n 1,002, 1 h)." in text
    assert "Loads differ (a&lt;b, idle)" in text
    assert "not ranked" not in text, "there is one quantity"
    assert "Note: a &amp; b." in text


def test_the_answer_says_what_logs_do_not_tell_apart() -> None:
    def row(run: str, low: float, high: float, quantity: str = "thread", unit: str = "us") -> dict[str, object]:
        cell = Bounds(low, high, "ok")
        about = {"run": run, "name": run, "quantity": quantity, "unit": unit, "n": 5, "pooled": False}
        return about | {"p50": cell, "max": cell}

    def told(*rows: dict[str, object]) -> str:
        frame = pd.DataFrame(rows).astype({"n": "Int64"})
        names = list(dict.fromkeys(frame["run"]))
        columns = {"approach": "", "load": "", "group": "g", "duration": math.nan, "note": ""}
        runs = pd.DataFrame({"run": names, **columns})
        return re.sub(r"<[^>]*>", "", answers.levels(frame, runs, ["p50"]) + answers.caveats(frame, runs))

    assert "do not tell the p50 of 2 runs apart" in told(row("a", 5, 9), row("b", 8, 12))
    assert "of 2 runs the lowest p50 is 5-8 us (a), the highest 9-12 us (b)" in told(row("a", 5, 8), row("b", 9, 12))
    assert "(1 more may be as low)" in told(row("a", 5, 8), row("b", 9, 12), row("c", 6, 7))
    assert "p50 is 5-8 us (a). Worst observed: 5-8 us (a; n 5, duration unknown)." in told(row("a", 5, 8))
    several = told(row("a", 5, 8), row("a", 1, 2, "irq", "cycles"))
    assert "Quantities are not ranked against each other" in several
    assert "interrupt raised to its handler" in several
    assert "Cycles stand apart" in several


def test_context_shows_only_what_differs(recording: rtlat.Recording) -> None:
    differing = tables.context_differences(recording.runs)
    assert sorted(map(tuple, differing.to_numpy())) == [
        ("approach", "EVL", "idle"),
        ("approach", "PREEMPT_RT", "busy"),
        ("load", "a<b", "busy"),
        ("load", "idle", "idle"),
    ]
    shared = tables.context_shared(recording.runs).set_index("what")["value"]
    assert (shared["machine"], shared["duration"]) == ("<board>", "1 h")
    assert "kernel" not in shared, "not stated"
    rows = tables.chosen(rtlat.summary(recording, PERCENTS), recording.runs)
    text = markup.context(rows, recording.runs)
    assert "machine: &lt;board&gt;" in text
    one = markup.context(rows[:1], recording.runs)
    assert "1 run" in one
    assert "<table" not in one


def test_runs_of_the_same_context_share_a_row() -> None:
    from rtlat.frames import frame
    from rtlat.schema import RUNS

    runs = frame(RUNS, {"run": list("abcdef"), "load": ["x"] * 5 + [""], "period": [1e6] * 5 + [math.nan]})
    assert tables.context_differences(runs).to_numpy().tolist() == [
        ["load", "x", "a, b, c and 2 more"],
        ["load", "unknown", "f"],
        ["period", "1 ms", "a, b, c and 2 more"],
        ["period", "unknown", "f"],
    ]
    assert tables.context_differences(runs[1:5]).empty
    assert tables.context_differences(runs[4:])["runs"].tolist() == ["e", "f"] * 2


def test_every_warning_stands_once_with_its_runs(tmp_path: Path, recording: rtlat.Recording) -> None:
    (tmp_path / "no.log").write_text("nothing of interest\n")
    (tmp_path / "cut.hist").write_text(HISTOGRAM.format(900, 2, 0, "", 2).split("# Total")[0])
    (tmp_path / "runs.toml").unlink()
    cut, readings = rtlat.read_all(tmp_path)
    table = tables.warnings(cut, readings)
    assert table["warning"].is_unique
    about = table[table["runs"].str.contains("cut")]
    assert len(about) > 0, "a histogram without its footer is worth a warning"
    assert table.set_index("warning")["runs"]["not read"].count("no.log") == 1
    assert tables.warnings(recording).to_numpy().tolist() == [["a & b", "busy, idle"]]


def test_claims_stand_apart() -> None:
    recording = rtlat.read(Path(__file__).parent.parent / "data" / "seeds")
    claims = tables.claims(recording).set_index("run")
    assert claims["claimed"]["RedHawk, as claimed"] == "10 us"
    source, line = claims["where"]["RedHawk, as claimed"].split(":")
    text = (Path(__file__).parent.parent / "data" / source).read_text().splitlines()[int(line) - 1]
    assert text == "[[fact]]" or "10" in text
    rows = tables.chosen(rtlat.summary(recording, PERCENTS), recording.runs)
    assert not set(rows["run"]) & set(claims.index)


def test_counts_of_each_quantity_below_each_other() -> None:
    recording = rtlat.read(Path(__file__).parent.parent / "data" / "seeds")
    rows = tables.chosen(rtlat.summary(recording, PERCENTS), recording.runs)
    table = tables.histograms(recording, rows)
    assert table["n"].sum() == 60_000, "the rtirq table is the only histogram"
    shares = tables.exceedances(recording, rows)
    assert {("irq", "us"), ("irq", "cycles")} <= set(zip(shares["quantity"], shares["unit"], strict=True))
    assert tables.histograms(recording, rows[rows["quantity"] == "deviation"]).empty


def test_series_too_many_to_draw_are_pooled_by_run(recording: rtlat.Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tables.chosen(rtlat.summary(recording, PERCENTS), recording.runs)
    apart = tables.histograms(recording, rows)
    monkeypatch.setattr(tables, "MOST_SERIES", 3)
    pooled = tables.histograms(recording, rows)
    assert set(apart["series"]) == {"t0", "t1"}
    assert set(pooled["series"]) == {"all"}
    closed = [table[table["high"] < math.inf] for table in (apart, pooled)]
    apart_, pooled_ = (table.groupby(["run", "low", "high"])["n"].sum().to_dict() for table in closed)
    assert pooled_ == apart_
    assert pooled["n"].sum() == apart["n"].sum()
    reach = tables.exceedances(recording, rows).set_index(["run", "value"])
    assert reach.loc[("busy", 30.0), ["low", "high"]].tolist() == pytest.approx([2 / 1002] * 2), "30 and 2750"


def test_histograms_of_different_length_are_not_ranked_by_where_they_end() -> None:
    short = {"p50": Bounds(200, 201, "ok"), "p99": Bounds(300, 9000, "overflow"), "max": Bounds(9000, 9001, "ok")}
    long = {"p50": Bounds(100, 101, "ok"), "p99": Bounds(1000, 5000, "overflow"), "max": Bounds(5000, 5001, "ok")}
    common = {"quantity": "thread", "unit": "us"}
    rows = pd.DataFrame([common | {"name": "short"} | short, common | {"name": "long"} | long])
    assert tables.deciding(rows.to_dict("records"), ["p50", "p99"]) == ["p50", "p99"]
    assert [row["name"] for row in tables.ordered(rows, ["p50", "p99"])] == ["long", "short"]
