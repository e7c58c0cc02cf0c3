"""LinuxCNC's lines. No log of a real run was at hand: the one here was written after their description."""

from __future__ import annotations

import math

import pytest
from conftest import ROOT

from rtlat.errors import LogError
from rtlat.formats.linuxcnc_histogram import parse
from rtlat.protocol import Run
from rtlat.source import Source

MADE = (ROOT / "tests/data/linuxcnc/nox-made.txt").read_text()


def runs(text: str) -> list[Run]:
    return list(parse(Source(None, "log", text.encode())))


def test_the_last_line_of_each_thread_says_all() -> None:
    (run,) = runs(MADE)
    rows = run.rows.arrays()
    assert rows["series"].tolist() == ["base", "servo"]
    assert rows["low"].tolist() == [-12310, -9750]
    assert rows["high"].tolist() == [81004, 9700]
    assert rows["line"].tolist() == [4, 5]
    assert set(rows["quantity"]) == {"period_jitter"}
    assert rows["n"].tolist() == [-1, -1]
    assert run.facts["duration"] == 2
    assert run.ignored.total == 3


def test_a_deviation_that_may_have_overflown_is_not_kept() -> None:
    (run,) = runs(MADE)
    assert [math.isnan(std) for std in run.rows.arrays()["std"]] == [True, False]
    assert run.rows.arrays()["std"][1] == 1060
    assert any("line 4: base: the standard deviation" in warning for warning in run.warnings)


@pytest.mark.parametrize(
    "line",
    [
        "3 secs servo min: -4.100 us max: 9.700 us sdev: 0.9 us",
        "3 secs servo min: -9.750 us max: 5.000 us sdev: 0.9 us",
        "1 secs servo min: -9.750 us max: 9.700 us sdev: 0.9 us",
    ],
)
def test_extremes_that_shrink_begin_another_run(line: str) -> None:
    first, second = runs(f"{MADE}{line}\n")
    assert list(first.rows.arrays()["series"]) == ["base", "servo"]
    assert list(second.rows.arrays()["series"]) == ["servo"]


@pytest.mark.parametrize("line", ["3 secs servo min: x us", "3 secs servo min: 5 us max: 2 us sdev: 0.1 us"])
def test_a_damaged_line_is_none(line: str) -> None:
    (run,) = runs(f"{MADE}{line}\n")
    assert run.rejected.reasons == {"damaged line": [1, 6]}
    assert len(run.rows) == 2
    with pytest.raises(LogError, match="no readable line"):
        runs(f"{line}\n")


def test_units_may_be_spelt_otherwise_or_left_out() -> None:
    for line in ("3 secs servo min: -5 uS max: 9 uS sdev: 1 uS\n", "3 sec servo min:-5 max:9 sdev:1\n"):
        assert [run.rows.arrays()["high"].tolist() for run in runs(line)] == [[9000]]
