"""The greatest observations with their lines: against the log itself, whether its samples are kept or folded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rtlat
from rtlat.timeline.course import told
from rtlat.timeline.greatest import greatest

HEADER = "Max CPUs = 2\n# /dev/cpu_dma_latency set to 0us\nThread 0 Interval: 1000\nThread 1 Interval: 1500\n"


@pytest.fixture(scope="module")
def verbose(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60,000 samples of two threads."""
    random = np.random.default_rng(17)
    path = tmp_path_factory.mktemp("logs") / "v.log"
    values = random.lognormal(3, 1, 60_000).astype(int)
    path.write_text(HEADER + "".join(f"{n % 2:8d}:{n // 2:8d}:{value:8d}\n" for n, value in enumerate(values)))
    return path


@pytest.mark.parametrize("keep", [10**6, 500])
def test_each_stands_in_its_line(verbose: Path, keep: int) -> None:
    recording = rtlat.read(verbose, keep=keep)
    table = greatest(recording, list(told(recording)), most=50)
    lines = verbose.read_text().splitlines()
    expected = sorted((-int(line.split(":")[2]), number) for number, line in enumerate(lines[4:], 5))[:50]
    assert [
        (-int(latency), int(where.split(":")[1]))
        for latency, where in zip(table["latency"], table["where"], strict=True)
    ] == (expected)
    for row in table.to_dict("records"):
        thread, cycle, value = (int(cell) for cell in lines[int(row["where"].split(":")[1]) - 1].split(":"))
        assert (row["series"], row["cycle"], row["latency"]) == (f"t{thread}", f"{cycle:,}", str(value))
        assert row["where"].startswith("v.log:")
        assert row["when"].startswith("about ")


def test_windows_are_lines_where_a_tool_prints_them(tmp_path: Path) -> None:
    row = "RTD|{:11.3f}|{:11.3f}|{:11.3f}|{:8d}|{:6d}|{:11.3f}|{:11.3f}\n"
    head = "== Sampling period: 1000 us\n== Test mode: periodic user-mode task\n== All results in microseconds\n"
    highs = [30.0, 90.5, 20.0, 90.5, 70.0]
    rows = [row.format(1, 5, high, 0, 0, 1, max(highs[: n + 1])) for n, high in enumerate(highs)]
    (tmp_path / "latency.log").write_text(head + "".join(rows))
    recording = rtlat.read(tmp_path / "latency.log")
    table = greatest(recording, list(told(recording)), most=3)
    assert table["latency"].tolist() == ["90.5", "90.5", "70"]
    assert table["where"].tolist() == ["latency.log:5", "latency.log:7", "latency.log:8"]
    assert table["cycle"].tolist() == ["unknown"] * 3 or table["cycle"].tolist() == ["window 2", "window 4", "window 5"]


def test_a_histogram_has_no_single_observations() -> None:
    recording = rtlat.read("data/seeds")
    table = greatest(recording, list(told(recording)))
    kinds = recording.records.groupby("run", observed=True)["kind"].agg(set)
    assert set(table["run"]) <= {run for run, found in kinds.items() if found & {"sample", "window"}}
