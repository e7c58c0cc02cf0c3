"""lil's messages and the kernel trace: what the mail's lines state, and what damage leaves of them."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from rtlat.errors import LogError
from rtlat.formats.lil_dmesg import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

ROOT = Path(__file__).resolve().parent.parent
LIL = ROOT / "data/seeds/lil.txt"
TRACE = ROOT / "data/seeds/patch-ikd-trace.txt"


def parse(text: str) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", text.encode())))


def check_lil(run: Run) -> None:
    rows = run.rows.arrays()
    assert run.tool == "lil"
    assert rows["unit"].tolist() == ["cycles"] * 5
    assert rows["kind"].tolist() == ["sample"] * 4 + ["summary"]
    assert rows["of"].tolist() == ["over"] * 4 + ["all"]
    assert rows["low"].tolist() == [1653, 2009, 1914, 2100, 542]
    assert rows["high"].tolist() == [1653, 2009, 1914, 2100, 2100]
    assert rows["seq"].tolist() == [252593, 254190, 1560602, 1560659, -1]
    assert rows["n"].tolist() == [1, 1, 1, 1, 2_000_000]
    assert rows["avg"][4] == 542
    assert run.facts["ended"] == "complete"
    assert run.facts["command"] == "insmod ./lil.o irq=3 num=2000000 detect=1"
    assert "threshold" not in run.facts


def check_trace(run: Run, text: str) -> None:
    rows = run.rows.arrays()
    assert run.tool == "patch-ikd"
    printed = [round(1000 * float(time)) for time in re.findall(r"> \((\d\.\d\d)\) pid", text)]
    assert rows["low"].tolist() == rows["high"].tolist() == printed
    assert len(printed) == 29
    assert rows["seq"].tolist() == list(range(1, 30))
    assert set(rows["of"]) == {"part"}
    names, counts = np.unique(rows["series"].astype(str), return_counts=True)
    assert dict(zip(names.tolist(), counts.tolist(), strict=True)) == {"trace1": 9, "trace2": 9, "trace3": 11}
    sums = [rows["low"][rows["series"] == name].sum() for name in names]
    assert sums == [9860, 6760, 9360]


def test_the_mail_as_it_stands(seeds: Path) -> None:
    (mail,) = seeds.glob("002_*")
    runs = list(FORMAT.parse(Source(mail, mail.name)))
    assert [(run.tool, run.quoted) for run in runs] == [("lil", False), ("lil", True), ("patch-ikd", False)]
    check_lil(runs[0])
    check_lil(runs[1])
    check_trace(runs[2], mail.read_text("utf-8"))
    assert runs[0].rows.arrays()["line"].tolist() == [15, 16, 17, 18, 19]
    assert runs[1].rows.arrays()["line"].tolist() == [36, 37, 38, 39, 40]
    assert [run.rejected.total for run in runs] == [0, 0, 0]


def test_the_lines_in_data_are_the_mails(seeds: Path) -> None:
    (mail,) = seeds.glob("002_*")
    text = mail.read_text("utf-8")
    assert LIL.read_text() in text
    assert all(line in text for line in TRACE.read_text().split("\n"))


def test_the_lines_alone() -> None:
    (run,) = FORMAT.parse(Source(LIL, "lil.txt"))
    check_lil(run)
    (run,) = FORMAT.parse(Source(TRACE, "trace.txt"))
    check_trace(run, TRACE.read_text())


def test_only_the_mail_is_claimed(seeds: Path) -> None:
    claimed = [
        path.name[:3]
        for path in sorted(seeds.iterdir())
        if any(mark.match(line.text) for line in Source(path, path.name).head() for mark in FORMAT.marks)
    ]
    assert claimed == ["002"]


def test_prefixes_two_runs_and_a_cut_end() -> None:
    path = ROOT / "tests/data/seeds/lil-dmesg-syslog-cut.txt"
    first, second = FORMAT.parse(Source(path, path.name))
    rows = first.rows.arrays()
    assert (rows["low"].tolist(), rows["high"].tolist()) == ([1800, 530], [1800, 1800])
    assert rows["n"].tolist() == [1, -1]  # no insmod line: nothing says how many interrupts there were
    assert first.facts["ended"] == "complete"
    assert first.ignored.reasons == {"no line of lil or of a trace": [2, 3]}
    assert second.rows.arrays()["high"].tolist() == [2001]
    assert second.facts["ended"] == "cut"
    assert second.rejected.reasons == {"cut last line": [1, 8]}
    assert any("mean, max and min is missing" in warning for warning in second.warnings)


@pytest.mark.parametrize(
    "damaged",
    [
        "latency cycles: mean 5x2, max 2100, min 542",
        "latency cycles: mean 542, max 2100",
        "latency cycles: mean 542, max 21, min 542",
        "latency cycles: mean 542, max 99999999999999999999, min 542",
    ],
)
def test_a_damaged_summary_gives_no_number(damaged: str) -> None:
    (run,) = parse(LIL.read_text().replace("latency cycles: mean 542, max 2100, min 542", damaged))
    assert set(run.rows.arrays()["of"]) == {"over"}
    assert run.facts["ended"] == "cut"
    assert run.rejected.reasons == {"damaged message": [1, 7]}


def test_a_damaged_slow_irq_is_counted() -> None:
    (run,) = parse(LIL.read_text().replace("latency 2009, eip", "latency eip"))
    assert run.rows.arrays()["seq"].tolist() == [252593, 1560602, 1560659, -1]
    assert run.rejected.reasons == {"damaged message": [1, 4]}


def test_lil_contradicting_itself_is_a_warning() -> None:
    text = LIL.read_text()
    (run,) = parse(text.replace("max 2100", "max 2050"))
    assert any("2050" in warning and "2100" in warning for warning in run.warnings)
    (run,) = parse(text.replace("num=2000000", "num=200000"))
    assert run.rows.arrays()["n"].tolist()[-1] == -1
    assert any("1560659" in warning and "200000" in warning for warning in run.warnings)
    (run,) = parse(text.replace("mean 542", "mean 54"))
    assert math.isnan(run.rows.arrays()["avg"][-1])
    assert any("mean 54 " in warning for warning in run.warnings)


def test_the_insmod_line_belongs_to_the_run_after_it() -> None:
    text = LIL.read_text()
    first, second = parse(text + text.split("\n", 1)[1])
    assert [run.rows.arrays()["n"].tolist()[-1] for run in (first, second)] == [2_000_000, -1]
    assert "command" not in second.facts


def test_a_wrapped_comment_goes_on_and_a_sentence_ends_the_series() -> None:
    step = "c010c133 do_IRQ +<4f/54> (0,63) pid(226)"
    (run,) = parse(f"{step} # returns to\ndo_bottom_half of irq0\n{step}\nNow the rest.\n{step}\n")
    rows = run.rows.arrays()
    assert rows["series"].tolist() == ["trace1", "trace1", "trace2"]
    assert rows["low"].tolist() == [630.0] * 3


def test_a_cut_step_is_no_data() -> None:
    (run,) = parse(TRACE.read_text().rstrip("\n")[:-8])
    assert len(run.rows) == 28
    assert run.rejected.reasons == {"cut last line": [1, 31]}


def test_nothing_but_a_banner_is_no_run() -> None:
    with pytest.raises(LogError, match=r"^log: found no latency"):
        parse("Linux Interrupt Latency benchmark - Copyright (C) 1998 Andrea Arcangeli\n")
