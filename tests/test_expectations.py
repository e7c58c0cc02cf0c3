"""Every log of the collection against what it says of itself: the table that make_expectations.py wrote."""

from __future__ import annotations

import csv
import math
import os
from pathlib import Path
from typing import Any

import pytest
from conftest import SHARED

import rtlat
from rtlat.errors import LogError

TABLE = Path(__file__).with_name("expectations.tsv")
with TABLE.open(encoding="utf-8", newline="") as stream:
    ROWS = {row["file"]: row for row in csv.DictReader(stream, delimiter="\t")}


def series_of(recording: rtlat.Recording) -> list[dict[str, Any]]:
    """The series of all runs, as the summary's JSON tells them."""
    document = rtlat.summary_json(recording, ["50"])
    return [series for run in document["runs"] for series in run["series"] if not series.get("pooled")]


def total(numbers: list[int | None]) -> int | None:
    return None if None in numbers or not numbers else sum(number for number in numbers if number is not None)


def outermost(series: list[dict[str, Any]], which: str) -> tuple[float, float]:
    """Between what the least minimum or the greatest maximum lies. [ns, cycles or what the log prints]"""
    better = min if which == "min" else max
    told = [(one[which], 1000 if one["unit"] == "us" else 1) for one in series]
    told = [(bounds, by) for bounds, by in told if bounds["low"] is not None or bounds["high"] is not None]
    low = better(-math.inf if bounds["low"] is None else round(bounds["low"] * by, 3) for bounds, by in told)
    high = better(math.inf if bounds["high"] is None else round(bounds["high"] * by, 3) for bounds, by in told)
    return low, high


@pytest.mark.parametrize("name", ROWS)
def test_a_log_says_what_it_says_of_itself(logs: Path, name: str) -> None:
    row, path = ROWS[name], logs / name
    if row["format"] == "-":
        with pytest.raises(LogError):
            rtlat.read(path, card=os.devnull)
        return
    recording = rtlat.read(path, card=os.devnull)
    series = series_of(recording)
    assert set(recording.runs["format"]) == {row["format"]}
    assert (len(recording.runs), len(series)) == (int(row["runs"]), int(row["series"]))
    if row["n"]:
        assert total([one["n"] for one in series]) == int(row["n"])
    if row["overflow"]:
        assert total([one["overflow"] for one in series]) == int(row["overflow"])
    for which in ("min", "max"):
        if row[which]:
            low, high = outermost(series, which)
            assert low <= float(row[which]) <= high, which
            assert not (math.isinf(low) and math.isinf(high)), which


def test_the_table_names_every_log(logs: Path) -> None:
    assert set(ROWS) == {path.relative_to(logs).as_posix() for path in logs.rglob("*") if path.is_file()}


def test_the_table_is_what_the_logs_say() -> None:
    if not (SHARED / "logs").is_dir():
        pytest.skip("no log collection: set RTLAT_LOGS")
    from make_expectations import table

    assert TABLE.read_text("utf-8").splitlines() == table(SHARED / "logs")
