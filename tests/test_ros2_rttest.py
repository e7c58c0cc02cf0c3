"""ROS 2's rttest: samples and statistics as the files print them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from conftest import ROOT

from rtlat.errors import LogError
from rtlat.formats import ros2_rttest
from rtlat.formats.ros2_rttest import parse
from rtlat.protocol import Run
from rtlat.source import Source

DATA = ROOT / "tests/data/ros2"
MADE = (DATA / "rttest-made.txt").read_text()
HEADING, *ROWS = MADE.splitlines()


def one(text: str, keep: int = 100_000) -> Run:
    (run,) = parse(Source(None, "log", text.encode(), keep))
    return run


def test_the_public_run_against_its_rows_and_its_statistics(logs: Path) -> None:
    folder = logs / "public/other-tools"
    text = (folder / "rttest-pendulum-stress60-full.txt").read_text()
    latencies = [int(line.split()[2]) for line in text.splitlines()[1:]]
    run = one(text)
    rows = run.rows.arrays()
    assert rows["low"].tolist() == rows["high"].tolist() == latencies
    assert rows["seq"].tolist() == list(range(60_000))
    assert run.facts["period"] == 1e6
    beside = one((folder / "rttest-pendulum-stress60-statistics.txt").read_text())
    (low,), (high,), (mean,), (n,) = (beside.rows.arrays()[name].tolist() for name in ("low", "high", "avg", "n"))
    assert (low, high, n) == (min(latencies), max(latencies), -1) == (6890, 773023, -1)
    assert mean == pytest.approx(sum(latencies) / 60_000, abs=1e-3)
    assert any("17607 samples overrun" in warning for warning in beside.warnings)


def test_iterations_that_were_never_run_are_no_samples() -> None:
    run = one(MADE)
    rows = run.rows.arrays()
    assert rows["low"].tolist() == [int(row.split()[2]) for row in ROWS[:36]]
    assert run.facts["ended"] == "interrupted"
    assert run.warnings == ["line 38: the last 4 iterations are zeros, they were never run"]
    assert run.rejected.total == 0


def test_batches_end_where_they_like(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = one(MADE)
    for size in (1, 2, 7, 38):
        monkeypatch.setattr(ros2_rttest, "_BATCH", size)
        run = one(MADE)
        assert run.rows.arrays()["low"].tolist() == whole.rows.arrays()["low"].tolist()
        assert (run.warnings, run.rejected.reasons) == (whole.warnings, {})


def test_zeros_between_samples_are_no_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [*ROWS[:36]]
    rows[5] = "5 5000000 0 0 0"
    for size in (3, 6, 100):
        monkeypatch.setattr(ros2_rttest, "_BATCH", size)
        run = one("\n".join([HEADING, *rows]) + "\n")
        assert run.rejected.reasons == {"zeros between samples": [1, 7]}
        assert len(run.rows) == 35


@pytest.mark.parametrize(
    ("place", "row"),
    [
        (7, "7 7000001 9000 0 0"),
        (7, "70 7000000 9000 0 0"),
        (7, "7 7000000 9000 0"),
        (7, "7 7000000 9x00 0 0"),
        (0, "0 1 9000 0 0"),
        (1, "1 10000000 9000 0 0"),
        (7, "6 6000000 9000 0 0"),
    ],
)
def test_a_damaged_row_costs_itself_only(place: int, row: str) -> None:
    rows = [*ROWS[:36]]
    rows[place] = row
    run = one("\n".join([HEADING, *rows]) + "\n")
    assert [first for _, first in run.rejected.reasons.values()] == [place + 2]
    assert run.rejected.total == 1
    kept = [*range(place), *range(place + 1, 36)]
    assert run.rows.arrays()["seq"].tolist() == kept
    assert any("1 iterations are missing" in warning for warning in run.warnings)


def test_a_cut_last_row_is_no_sample() -> None:
    run = one("\n".join([HEADING, *ROWS[:9]]))
    assert (len(run.rows), run.facts["ended"]) == (8, "cut")


def test_statistics_of_the_console() -> None:
    run = one((DATA / "rttest-console-made.txt").read_text())
    rows = run.rows.arrays()
    assert [rows[name].tolist() for name in ("low", "high", "avg")] == [[7961], [1974464], [14049.55105]]
    assert math.isnan(rows["std"][0])  # 131 cannot be true of that maximum
    assert run.ignored.total == 6


def test_statistics_that_are_cut_are_marked() -> None:
    text = (DATA / "rttest-statistics-made.txt").read_text()
    whole, cut = one(text), one("".join(text.splitlines(keepends=True)[:1]))
    assert (whole.facts["ended"], cut.facts["ended"]) == ("unknown", "cut")
    assert cut.rows.arrays()["high"].tolist() == [math.inf]


def test_nothing_to_read_is_an_error() -> None:
    for text in (f"{HEADING}\n0 0 0 0 0\n", "Min latency: x\nMin latency: 5 miles\n"):
        with pytest.raises(LogError, match="no result"):
            one(text)
