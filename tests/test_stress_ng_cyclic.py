"""stress-ng --cyclic: what it prints against what is read, in every log there is, cut anywhere, and live."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, SHARED

import rtlat
from rtlat.detection import detect
from rtlat.errors import LogError, UnsupportedFormatError
from rtlat.formats.stress_ng_cyclic import parse
from rtlat.protocol import Run
from rtlat.source import Source

DATA = ROOT / "tests/data/stress-ng"
RECORDED = SHARED / "logs/recorded/other-tools"
LOGS = [*sorted(DATA.iterdir()), *sorted(RECORDED.rglob("*stress-ng-cyclic*.txt"))]
NUMBER = r"(-?\d+(?:\.\d+)?)"


def one(text: str) -> Run:
    (run,) = parse(Source(None, "log", text.encode()))
    return run


def table(run: Run, kind: str) -> dict[str, Any]:
    """The columns of one kind of row."""
    columns = run.rows.arrays()
    return {name: column[columns["kind"] == kind] for name, column in columns.items()}


def numbers(pattern: str, text: str) -> list[float]:
    """The numbers of the one line that a pattern finds."""
    found = re.search(pattern, text)
    assert found
    return [float(number) for number in found.groups()]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_each_log_against_its_own_lines(path: Path) -> None:
    text = path.read_text()
    run = one(text)
    (captured,) = numbers(r"(\d+) samples\n", text)
    (mean,) = numbers(rf"mean: {NUMBER} ns", text)
    low, high, std = numbers(rf"min: {NUMBER} ns, max: {NUMBER} ns, std\.dev\. {NUMBER}", text)
    summary = table(run, "summary")
    assert [summary[name].tolist() for name in ("low", "high", "n", "avg", "std")] == [
        [low],
        [high],
        [captured],
        [mean],
        [std],
    ]
    printed = [(float(q), float(value)) for q, value in re.findall(rf"{NUMBER}%: +(\d+) ns", text)]
    quantiles = table(run, "quantile")
    assert len(printed) == 9
    assert [round(100 * q, 2) for q in quantiles["q"]] == [q for q, _ in printed]
    assert quantiles["low"].tolist() == quantiles["high"].tolist() == [value for _, value in printed]
    rows = [(int(label), int(n)) for label, n in re.findall(r"cyclic: {3,}(\d+) +(\d+)\n", text)]
    bins = table(run, "bin")
    if rows:
        width, shown, buckets = numbers(r"\((\d+) ns intervals\):\n.*first (\d+) buckets of (\d+)\)", text)
        assert bins["n"].sum() == captured
        inside = [*zip(bins["low"].tolist(), bins["n"].tolist(), strict=True)][: sum(n > 0 for _, n in rows)]
        assert inside == [(label, n) for label, n in rows if n]
        beyond = captured - sum(n for _, n in rows)
        assert bins["n"][np.isinf(bins["high"])].sum() == beyond
        assert not beyond or bins["low"][-1] == shown * width
        assert (shown < buckets) == (high >= shown * width)
    else:
        assert not len(bins["n"])
    assert run.facts["ended"] == "complete"
    assert run.rejected.total == 0
    needed = re.search(r"needed to be (\d+)", text)
    assert run.facts.get("nominal_n") == (int(needed[1]) if needed else None)
    assert ("duration" in run.facts) == (needed is None)
    if needed:
        assert any(f"first {captured:.0f} of {needed[1]} cycles" in warning for warning in run.warnings)


def test_what_verbose_tells() -> None:
    run = one((DATA / "all-captured.txt").read_text())
    assert run.facts["version"] == "0.15.06"
    assert run.facts["kernel"].endswith("#1 SMP PREEMPT_DYNAMIC @0")
    assert run.facts["command"].startswith("stress-ng --cyclic 1 --cyclic-policy fifo")
    assert run.facts["variant"] == "delay 100000 ns, method clock_ns"
    assert "approach" not in run.facts
    assert run.facts["duration"] == 1.0  # of the metrics
    assert run.series == {"t0": {"policy": "fifo", "n": 8151}}
    assert "vm" not in run.facts["kernel"]  # the host's name


def test_the_last_percentile_is_the_maximum_and_says_so() -> None:
    run = one((DATA / "other.txt").read_text())
    assert any("of 10000 samples the 99.99 % is the maximum" in warning for warning in run.warnings)
    assert any("2 instances ran" in warning for warning in run.warnings)


def test_polling_the_clock_is_no_wakeup() -> None:
    run = one((DATA / "zeros-poll.txt").read_text())
    assert set(run.rows.arrays()["quantity"]) == {"unknown"}


def test_percentiles_come_from_the_bins_where_there_are_some() -> None:
    """The printed percentile of each lies in what the summary answers."""
    recording = rtlat.read(str(DATA / "dist.txt"))
    asked = ["25", "50", "75", "90", "99", "99.9"]
    (series,) = rtlat.summary_json(recording, asked)["runs"][0]["series"]
    printed = dict(re.findall(r" (\d+\.\d\d)%: +(\d+) ns", (DATA / "dist.txt").read_text()))
    for q in asked:
        answer = series["percentiles"][q]
        assert answer["low"] <= int(printed[f"{float(q):.2f}"]) / 1000 <= answer["high"]
    assert series["n"] == 10000


REPORT = (DATA / "zeros-poll.txt").read_text()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("          20          3\n", "          20          2\n", "warning"),  # beyond the histogram are then 2
        ("           0         56\n", "           0         99\n", "holds 102 of 60"),
        ("          40          0\n", "", "not complete"),
        ("          ..         ..\n", "", ""),  # the second line of dots says nothing
        ("        4960          0\n", "", "not complete"),
        ("          20          3\n", "          25          3\n", "not complete"),
        (" 75.00%:", " 57.00%:", "not complete"),
        ("mean: 248.87 ns", "mean: 24887.00 ns", "lies outside min 0 and max 14602"),
        ("99.00%:      14602 ns", "99.00%:      14692 ns", "do not rise"),
        ("min: 0 ns, max: 14602 ns", "min: 9 ns, max: 2 ns", "could not be read"),
        ("max: 14602 ns", "max: 54602 ns", "max 54602"),
    ],
)
def test_damage_is_said(old: str, new: str, said: str) -> None:
    assert REPORT.count(old) == 1
    before = one(REPORT).warnings
    run = one(REPORT.replace(old, new))
    warnings = [warning for warning in run.warnings if warning not in before]
    if said == "warning":  # the counts still can be true
        assert table(run, "bin")["n"].sum() == 60
    elif said:
        assert any(said in warning for warning in warnings)
        assert run.facts["ended"] == "cut" or "cut" not in said


def test_negative_samples_may_be_in_the_first_bucket_or_nowhere() -> None:
    lines = [line for line in REPORT.splitlines() if "cyclic:" in line]
    run = one("\n".join(lines).replace("min: 0 ns", "min: -3 ns") + "\n")
    bins = table(run, "bin")
    assert (bins["low"][0], bins["high"][0]) == (-20, 20)
    assert (bins["low"][-1], bins["high"][-1], bins["n"][-1]) == (-math.inf, math.inf, 1)


def test_two_reports_are_two_runs() -> None:
    text = REPORT + (DATA / "other.txt").read_text()
    first, second = parse(Source(None, "log", text.encode()))
    assert [run.series["t0"]["n"] for run in (first, second)] == [60, 10000]
    assert second.series["t0"]["policy"] == "rr"
    assert first.ignored.total > 0
    assert second.ignored.total == 0


def test_a_report_without_numbers_is_refused() -> None:
    with pytest.raises(LogError, match="ends before its numbers"):
        one("stress-ng: info:  [7] cyclic: sched SCHED_FIFO: 100000 ns delay, 3 samples\n")
    with pytest.raises(LogError, match="no report of the cyclic stressor"):
        one("stress-ng: info:  [7] cyclic: SCHED_FIFO: no latency information available\n")


@pytest.mark.parametrize("name", ["timer.txt", "schedmix.txt", "cyclic.yaml"])
def test_a_load_is_no_latency(logs: Path, name: str) -> None:
    with pytest.raises(UnsupportedFormatError, match="stress-ng"):
        detect(Source(logs / "recorded/other-tools" / f"host-stress-ng-{name}", name))


def test_live(tmp_path: Path) -> None:
    """The tool as it is installed, for two seconds."""
    tool = shutil.which("stress-ng")
    if tool is None:
        if "CI" in os.environ:
            pytest.fail("stress-ng is not installed")
        pytest.skip("stress-ng is not installed")
    command = [tool, "--cyclic", "1", "--cyclic-dist", "20000", "-t", "2", "--metrics", "--temp-path", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    text = done.stdout + done.stderr
    if "cyclic: sched" not in text:
        pytest.skip(f"stress-ng may not set a real-time policy here: {text[-200:]}")
    found, line = detect(Source(None, "live", text.encode()))
    assert (found.name, "cyclic: sched" in line.text) == ("stress_ng_cyclic", True)
    run = one(text)
    low, high, std = numbers(rf"min: {NUMBER} ns, max: {NUMBER} ns, std\.dev\. {NUMBER}", text)
    summary = table(run, "summary")
    assert (summary["low"][0], summary["high"][0], summary["std"][0]) == (low, high, std)
    assert summary["n"][0] == numbers(r"(\d+) samples", text)[0] == table(run, "bin")["n"].sum()
    assert run.facts["ended"] == "complete"
    assert len(table(run, "quantile")["q"]) == 9
