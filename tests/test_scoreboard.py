"""The scoreboard itself: jobs that do not do the same are no comparison, and what is printed is what was measured."""

from __future__ import annotations

import importlib
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bench import __main__ as board
from bench import rendering
from bench.growth import _exponent
from bench.logs import histogram_text
from bench.scoreboard import Effort, Job, Row, alternately, once
from rtlat.reading import read

ROWS = [Row("a", "ours / theirs", 0.5, 1.0, "1 ms / 2 ms"), Row("b<", "ours / limit", 3.0, 2.0), Row("c", "ours", 7.0)]


def test_jobs_with_different_answers_are_no_comparison() -> None:
    with pytest.raises(AssertionError, match="they do not do the same"):
        alternately({"one": Job("answer = 1"), "other": Job("answer = 2")}, 1)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        once(Job("answer = 1 / 0"))


def test_a_job_is_charged_for_its_work_and_not_for_its_setup() -> None:
    spin = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass\n"
    assert 0.1 <= once(Job(spin.format(0.1) + "answer = None", spin.format(0.5))).seconds < 0.5


def test_every_topic_yields_rows() -> None:
    for topic in board.TOPICS:
        assert callable(importlib.import_module(f"bench.{topic}").rows)


def test_a_row_says_whether_it_meets_its_goal() -> None:
    assert [row.verdict for row in ROWS] == ["met", "missed", ""]
    assert "0.5  (goal 1: met)" in rendering.line(ROWS[0])
    assert "| b< | ours / limit | 3 | 2 | missed |" in rendering.table(ROWS).splitlines()
    bars = ET.fromstring(rendering.picture(ROWS)).findall(".//{*}rect")
    assert [bar.get("fill") for bar in bars] == [rendering.COLOURS["met"], rendering.COLOURS["missed"]]


def test_exponents_are_those_of_powers() -> None:
    assert _exponent([1, 2, 4, 8], [3 * size**1.5 for size in (1, 2, 4, 8)]) == pytest.approx(1.5)


def test_what_is_written_is_a_whole_histogram(tmp_path: Path) -> None:
    (tmp_path / "run.hist").write_bytes(histogram_text(40, 3))
    recording = read(tmp_path / "run.hist")
    assert recording.runs["ended"].tolist() == ["complete"]
    assert json.loads(recording.runs["warnings"][0]) == []
    bins = recording.records.query("kind == 'bin' and of == 'all'")
    assert bins.groupby("series", observed=True)["n"].sum().tolist() == [2000, 2000, 2000]


def test_effort_scales_inputs() -> None:
    assert (Effort().many(1e7), Effort(1, 0.01).many(1e7), Effort(1, 0.01).many(10, 8)) == (10_000_000, 100_000, 8)
