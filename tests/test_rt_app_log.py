"""rt-app's logs against their own columns, read by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT, SHARED

from rtlat.errors import LogError
from rtlat.formats.rt_app_log import parse
from rtlat.protocol import Run
from rtlat.source import Source

OURS = ROOT / "tests/data/rt-app/negative.log"
LOGS = [OURS, *sorted(SHARED.glob("logs/recorded/other-tools/host-rt-app-*.log"))]


def one(text: str, keep: int = 1000) -> Run:
    (run,) = parse(Source(None, "log", text.encode(), keep))
    return run


def signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_each_log_against_its_own_columns(path: Path) -> None:
    text = path.read_text()
    heading, *rows = [line.split() for line in text.splitlines() if not line.startswith("# Policy")]
    column = {name: [int(row[place]) for row in rows] for place, name in enumerate(heading)}
    run = one(text)
    arrays = run.rows.arrays()
    assert arrays["low"].tolist() == arrays["high"].tolist() == [1000 * signed(v) for v in column["wu_lat"]]
    assert set(arrays["series"]) == {f"t{column['#idx'][0]}"}
    assert set(arrays["quantity"]) == {"thread"}
    assert arrays["time"].tolist() == [start / 1e6 for start in column["rel_st"]]
    assert arrays["line"].tolist() == list(range(3, 3 + len(rows)))
    (series,) = run.series.values()
    assert series == {"n": len(rows), "policy": "fifo", "priority": 50, "period": 1000 * column["c_period"][0]}
    assert run.rejected.total == 0
    negative = sum(signed(value) < 0 for value in column["wu_lat"])
    assert [w.split()[0] for w in run.warnings if "2^64" in w] == ([str(negative)] if negative else [])


def test_two_threads_in_one_file_are_two_runs() -> None:
    text = OURS.read_text()
    first, second = parse(Source(None, "log", (text + text.replace("   1  ", "   0  ")).encode()))
    assert [list(run.series) for run in (first, second)] == [["t1"], ["t0"]]


ROWS = "#idx run rel_st slack c_period wu_lat\n" + "".join(f"0 4 {i}000 {5 - i} 1000 {i % 3}\n" for i in range(9))


def test_columns_are_found_by_their_heading() -> None:
    run = one(ROWS)
    assert run.rows.arrays()["low"].tolist() == [1000 * (i % 3) for i in range(9)]
    assert any("3 activations were not done in their period" in warning for warning in run.warnings)


def test_many_samples_are_counted_by_value() -> None:
    run = one(ROWS, keep=5)
    arrays = run.rows.arrays()
    bins = arrays["kind"] == "bin"
    assert bins.sum() == 3
    assert arrays["n"][bins].tolist() == [3, 3, 3]
    assert run.facts["bin_edges"] == "samples"


@pytest.mark.parametrize(
    "row", ["0 4 9 x 1000 1", "0 4 9 1000 1", "0 4 9 1 1000 1 1", "0 4 9 1 1000 -9007199254740992"]
)
def test_a_damaged_row_is_no_sample(row: str) -> None:
    run = one(ROWS + row + "\n")
    assert len(run.rows) == 9
    assert run.rejected.reasons == {"damaged row": [1, 11]}
    assert any("(the first in line 11)" in warning for warning in run.warnings)


def test_a_cut_last_row_is_no_sample() -> None:
    run = one(ROWS + "0 4 9 1 1000 1")
    assert (len(run.rows), run.facts["ended"]) == (9, "cut")


def test_nothing_to_read_is_an_error() -> None:
    with pytest.raises(LogError, match="columns #idx perf run period"):
        one("#idx perf run period\n0 1 2 3\n")
    with pytest.raises(LogError, match="no readable row"):
        one(ROWS.splitlines()[0] + "\n")
