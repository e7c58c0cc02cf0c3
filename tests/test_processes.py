from __future__ import annotations

import functools
import io
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from tasks import work

from rtlat.reporting.processes import Progress, results
from rtlat.reporting.report import report


def test_what_fails_or_dies_costs_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RTLAT_TEST", "told")
    monkeypatch.chdir(tmp_path)
    tasks = {name: name for name in ("fail", "die", "one", "lost", "two")} | {"again": str(tmp_path / "mark")}
    said = io.StringIO()
    found = results(work, tasks, Progress(said, len(tasks)))
    assert list(found) == list(tasks), "in their order"
    assert [str(found[name]) for name in ("fail", "die", "lost")] == [
        "no", "its process ended with status -9", "gone for good"
    ]  # fmt: skip
    assert found["again"].startswith("second")
    answers = [found[name].split() for name in ("one", "two")]
    assert [answer[2:] for answer in answers] == [["told", str(tmp_path)]] * 2, (
        "environment and folder are the caller's"
    )
    assert len({answer[1] for answer in answers} | {str(os.getpid())}) == 3, "each in a process of its own"
    lines = said.getvalue().splitlines()
    assert sorted(line.partition(",")[0] for line in lines if "failed" in line) == [
        "die: failed", "fail: failed", "lost: failed"
    ]  # fmt: skip
    assert len(lines) == len(tasks)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_has_a_bar_that_fits_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    said = Terminal()
    results(work, {"one": "one", "a name of so many characters that the bar would not fit": "two"}, Progress(said, 2))
    painted = said.getvalue().replace("\n", "\r\x1b[K").split("\r\x1b[K")
    bars = [part for part in painted if part.startswith("[")]
    assert all(re.match(r"\[[#.]{24}\] [01] of 2  (one|a name)", bar) for bar in bars)
    assert any("one: at work" in bar for bar in bars)
    assert max(map(len, bars)) < 60
    assert said.getvalue().endswith("\r\x1b[K"), "nothing of the bar is left"


def write(path: Path, *code: str) -> None:
    """Write a notebook of code cells, the first of them its parameters."""
    first, *others = map(new_code_cell, code)
    first.metadata.tags = ["parameters"]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=[first, *others], metadata={"kernelspec": kernel}), path)


def alive(pid: int) -> bool:
    """Return whether a process runs."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def within(seconds: float, met: Callable[[], bool]) -> bool:
    """Return whether a condition is met in time."""
    end = time.monotonic() + seconds
    while not met() and time.monotonic() < end:
        time.sleep(0.1)
    return met()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc to look for kernels in")
def test_an_interrupt_leaves_neither_a_kernel_nor_half_a_report(tmp_path: Path) -> None:
    mark, out = tmp_path / "pid", tmp_path / "out"
    code = f"import os, time\nopen({str(mark)!r}, 'w').write(f'{{os.getpid()}} ')\ntime.sleep(600)"
    write(tmp_path / "slow.ipynb", "limit: int = 1  # none", code)
    command = [sys.executable, "-m", "rtlat", "report", str(tmp_path / "slow.ipynb"), "-o", str(out)]
    heard = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # who runs in the background ignores it
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=heard)
    try:
        assert within(60, lambda: mark.exists() and mark.read_text().endswith(" "))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert said == b""
    assert list(out.iterdir()) == []
    assert within(30, lambda: not alive(int(mark.read_text())))


def test_folders_of_one_name_that_hold_the_same_have_reports_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rtlat.reporting.question import apart, question

    for folder in ("a/x", "b/x"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "one.log").write_text("same\n")
    monkeypatch.chdir(tmp_path)
    write(Path("n.ipynb"), "data: list[str] = []  # logs")
    asked = [question("n.ipynb", [folder], {}) for folder in ("a/x", "b/x", "a/x")]
    assert len({one.name for one in asked}) == 1
    apart_ = apart(asked)
    assert list(apart_) == ["n of a/x", "n of b/x"]
    assert len({one.name for one in apart_.values()}) == 2
    assert list(apart(asked[:1])) == ["n"]


def test_each_campaign_has_its_report_and_a_failure_is_counted_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rtlat.cli import main

    for name in ("good", "bad", "gone", "kind"):
        (tmp_path / "lab" / name).mkdir(parents=True)
        (tmp_path / "lab" / name / "one.log").write_text(name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lab/gone/one.log").chmod(0)
    check = "from pathlib import Path\nassert not data[0].endswith('bad'), 'a bad campaign'\nPath(data[0])"
    write(Path("n.ipynb"), "data: list[str] = []  # logs", check)
    assert main(["report", "n.ipynb", "--each", "lab/*/"]) == 1
    out, err = capsys.readouterr()
    made = sorted(Path(line).name.rpartition("-")[0] for line in out.splitlines())
    unreadable = os.geteuid() != 0  # root reads everything
    assert made == sorted(["n-good", "n-kind"] + ["n-gone"] * (not unreadable))
    assert f"rtlat: {1 + unreadable} of 4 reports failed:" in err
    assert "rtlat: n of lab/bad: cell 3: AssertionError: a bad campaign (see reports/n-bad" in err
    assert unreadable == ("lab/gone/one.log: found a file that cannot be read" in err)
    index = (tmp_path / "reports" / "index.html").read_text()
    assert all(Path(line).name in index for line in out.splitlines())
    assert len(report("n.ipynb", "lab/good")) == 1
