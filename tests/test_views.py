"""What `rtlat read` says of a log: which format and why, its runs, what was kept, ignored, rejected, contradicted."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

from rtlat.cli import main
from rtlat.reading import read_all
from rtlat.views import account, evidence

DATA = ROOT / "tests" / "data"
STATUS = "T: 0 (  9) P:80 I:1000 C:    200 Min:     17 Act:   24 Avg:   49 Max:    1074\n"


def accounts(*paths: Path) -> list[dict[str, Any]]:
    return account(*read_all(list(paths), card=os.devnull))


def shown(*paths: Path) -> list[str]:
    return evidence(*read_all(list(paths), card=os.devnull)).split("\n")


def test_every_line_of_a_log_is_accounted_for(tmp_path: Path) -> None:
    """Two lines of prose, a status line, a damaged one."""
    (tmp_path / "q.txt").write_text(f"Hello,\n{STATUS}T: 1 ( 10) P:80 I:1500 C:  x\nBye\n")
    (log,) = accounts(tmp_path / "q.txt")
    assert log["formats"] == [{"format": "cyclictest_text", "line": 2, "text": STATUS.strip()[:60]}]
    (run,) = log["runs"]
    assert [(part["kind"], part["statements"], part["lines"]) for part in run["kept"]] == [("summary", 1, [2, 2])]
    assert run["ignored"] == {"not of cyclictest": [2, 1]}
    assert run["rejected"] == {"unreadable status line": [1, 3]}
    assert shown(tmp_path / "q.txt")[1:] == [
        f"  format    cyclictest_text, by line 2: {STATUS.strip()[:60]!r}",
        "  run       q: cyclictest, status lines, complete",
        "  kept      1 statements: 1 summary of thread (t0; line 2)",
        "  ignored   2 lines: not of cyclictest (2, from line 1)",
        "  rejected  1 lines: unreadable status line (1, from line 3)",
    ]


def test_a_contradiction_stands_among_the_warnings_with_both_numbers(tmp_path: Path) -> None:
    text = (DATA / "cyclictest/old_v0.74_H20_q.txt").read_text()
    total = next(line for line in text.split("\n") if line.startswith("# Total:"))
    (tmp_path / "h.txt").write_text(text.replace(total, total.replace("0", "9", 1)))
    lines = [line for line in shown(tmp_path / "h.txt") if line.startswith("  warning")]
    assert any("add up to" in line and "# Total" in line for line in lines)


def test_several_tools_and_several_runs_are_told_one_by_one(tmp_path: Path) -> None:
    hwlat = (DATA / "rt-tests/hwlatdetect.txt").read_text()
    again = STATUS.replace("(  9)", "( 12)")
    (tmp_path / "lab.txt").write_text(f"{STATUS}\n{again}\n$ hwlatdetect\n{hwlat}")
    (log,) = accounts(tmp_path / "lab.txt")
    assert [found["format"] for found in log["formats"]] == ["cyclictest_text", "hwlatdetect"]
    assert [run["tool"] for run in log["runs"]] == ["cyclictest", "cyclictest", "hwlatdetect"]
    assert [run["run"] for run in log["runs"]] == ["lab#1", "lab#2", "lab#3"]


def test_indentation_bytes_and_choices_are_reasons_too(tmp_path: Path) -> None:
    (tmp_path / "i.txt").write_text(f"as I said:\n\n    {STATUS}")
    assert accounts(tmp_path / "i.txt")[0]["indented_by"] == 4
    assert "  indented  by 4" in shown(tmp_path / "i.txt")
    assert accounts(DATA / "jitterdebugger/nsec/samples.raw")[0]["formats"][0]["why"] == "by its first bytes"
    asked = account(*read_all(tmp_path / "i.txt", format="cyclictest_text", card=os.devnull))
    assert asked[0]["formats"] == [{"format": "cyclictest_text", "why": "as asked for"}]


def test_the_json_says_the_same_and_names_what_could_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(STATUS)
    Path("b.txt").write_text("nothing\n")
    assert main(["read", "--json", "a.txt", "b.txt", "-o", "stored"]) == 1
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert [log["source"] for log in document["logs"]] == ["a.txt", "b.txt"]
    assert document["logs"][0]["runs"][0]["kept"][0]["series"] == ["t0"]
    assert document["logs"][1]["error"].startswith("b.txt:1: found 'nothing'")
    assert "wrote stored" in told.err


def test_control_characters_of_a_log_do_not_reach_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(f"T\x07x\n{STATUS}\x08\n")
    assert all(line.isprintable() for line in shown(tmp_path / "t.txt"))
