"""RTAI's latency, preempt and switches: collected logs against their own rows, made runs against their samples."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from latency_tool import Tool
from rtai_tool import Latency, Preempt, switches

import rtlat
from rtlat.errors import LogError
from rtlat.formats.rtd_table import parse
from rtlat.protocol import Run
from rtlat.source import Source

DATA = ROOT / "tests/data/rtai"
INF = math.inf

# collected log: RTD lines of latency as printed, how many are left, period [us], overruns, how it ended
LATENCY = {
    "19_*": (25, 24, 1000, 0, "interrupted"),
    "24_*": (5, 5, None, 0, "unknown"),
    "30_*": (1994, 1993, None, 0, "interrupted"),
    "32_*": (1999, 1998, None, 19_711, "interrupted"),
    "34_*": (1998, 1997, None, 722, "interrupted"),
}
# RTD lines of preempt as printed, and how many are left
PREEMPT = {"22_*": (10, 10), "30_*": (98 + 1, 98), "32_*": (98 + 1, 98), "34_*": (18, 17)}
# average switch times [ns]
SWITCHES = {
    "23_*": [43_814, 47_476, 63_158],
    "25_*": [145, 158, 186],
    "30_*": [145, 151, 188],
    "32_*": [144, 150, 187],
}


def read(text: str | bytes | list[str]) -> list[Run]:
    """Parse a log that a test holds."""
    if isinstance(text, list):
        text = "\n".join(text) + "\n"
    return list(parse(Source(None, "made.log", text if isinstance(text, bytes) else text.encode())))


def one(text: str | bytes | list[str]) -> Run:
    (run,) = read(text)
    return run


def table(run: Run, kind: str) -> dict[str, Any]:
    """The columns of one kind of row."""
    columns = run.rows.arrays()
    return {name: column[columns["kind"] == kind] for name, column in columns.items()}


def path_of(logs: Path, pattern: str) -> Path:
    (path,) = (logs / "public/xenomai-rtai-evl").glob(pattern)
    return path


def printed(path: Path, cells: int) -> np.ndarray[Any, Any]:
    """The RTD rows of so many integers, as they stand in a log."""
    rows = re.findall(rf"RTD\|((?: *-?\d+\|){{{cells - 1}}} *-?\d+)\s*$", path.read_text(), re.MULTILINE)
    return np.array([[int(cell) for cell in row.split("|")] for row in rows])


def of_tool(runs: list[Run], tool: str) -> Run:
    (run,) = (run for run in runs if run.tool == tool)
    return run


def made(lines: int = 3, each: int = 1000, seed: int = 7) -> list[list[int | None]]:
    """Samples of some lines [ns], the same at every run of the test; the first ones show that they may be negative."""
    numbers = np.random.default_rng(seed).integers(-2_000, 60_000, size=(lines, each))
    return [[int(number) for number in row] for row in numbers]


@pytest.mark.parametrize("pattern", LATENCY)
def test_every_latency_log_gives_the_lines_it_prints(pattern: str, logs: Path) -> None:
    path = path_of(logs, pattern)
    lines, left, period, overruns, ended = LATENCY[pattern]
    run = of_tool(read(path.read_bytes()), "rtai latency")
    expected, windows, summary = printed(path, 6), table(run, "window"), table(run, "summary")
    assert (len(expected), len(windows["n"])) == (lines, left)
    clean = np.isfinite(windows["high"])
    assert clean.sum() >= left - 1  # of the first line of 32 nobody knows how many of its samples are overruns
    np.testing.assert_array_equal(windows["low"], expected[:left, 0])
    np.testing.assert_array_equal(windows["avg"][clean], expected[:left, 2][clean])
    np.testing.assert_array_equal(windows["high"][clean], expected[:left, 3][clean])
    low, high = expected[:, 0].min(), expected[:, 3].max()
    assert (summary["low"][0], summary["high"][0], summary["missed"][0]) == (low, high, overruns)
    assert windows["n"].tolist() == [period or -1] * left
    assert (run.facts["printed_unit"], run.facts["approach"], run.facts["context"]) == ("ns", "RTAI", "kernel")
    assert run.facts["ended"] == ended


@pytest.mark.parametrize("pattern", PREEMPT)
def test_every_preempt_log_gives_its_extremes(pattern: str, logs: Path) -> None:
    path = path_of(logs, pattern)
    run = of_tool(read(path.read_bytes()), "rtai preempt")
    expected, windows, summary = printed(path, 5), table(run, "window"), table(run, "summary")
    assert (len(expected), len(windows["n"])) == PREEMPT[pattern]
    assert windows["avg"].tolist() == expected[: len(windows["n"]), 1].tolist()
    last = expected[-1]
    assert (summary["low"][0], summary["high"][0]) == (last[0], last[2])
    assert summary["low"][1:].tolist() == [-last[3], -last[4]]
    assert set(windows["n"]) == {-1}


@pytest.mark.parametrize("pattern", SWITCHES)
def test_every_switches_log_gives_its_averages(pattern: str, logs: Path) -> None:
    path = path_of(logs, pattern)
    run = of_tool(read(path.read_bytes()), "rtai switches")
    rows = table(run, "summary")
    assert rows["avg"].tolist() == SWITCHES[pattern]
    assert rows["n"].tolist() == [20_000 if pattern == "23_*" else 40_000] * 3
    assert rows["series"].tolist() == ["SUSP/RES", "SEM SIG/WAIT", "RPC/RCV-RET"]
    assert set(rows["quantity"]) == {"switch"}
    assert np.isinf(rows["low"]).all()
    assert run.warnings == []


def test_a_published_report_left_out_the_worst(logs: Path) -> None:
    path = path_of(logs, "32_*")
    run = of_tool(read(path.read_bytes()), "rtai latency")
    windows = table(run, "window")
    spread = (windows["high"] - windows["low"])[10:]  # the report skips ten lines and calls this the jitter
    assert (spread.max(), round(spread.mean()), round(spread.std())) == (3680, 218, 182)
    assert len(spread) == 1989 - 1  # it counts the line that ^C prints again
    assert table(run, "summary")["high"].tolist() == [697_876]
    (told,) = (warning for warning in run.warnings if "test summary" in warning)
    assert re.search(
        r"n 1980, ovlmax 3680 ns, maxover 0; the log has 1998 lines, .* 697876 ns and 19711 overruns", told
    )
    first, *_ = rtlat.summary(rtlat.read(path)).to_dict("records")
    assert (first["max"].low, first["max"].high, first["missed"]) == (697.876, 697.876, 19_711)


def test_the_script_tells_of_the_machine(logs: Path) -> None:
    for pattern, load in (
        ("30_*", "idle; load average 0.00 0.00 0.00"),
        ("34_*", "cpu: stress -c 2; io: stress --hdd-bytes 128M -d 2; mem: stress -m 2; net: ping -f localhost; "),
    ):
        path = path_of(logs, pattern)
        text, runs = path.read_text(), read(path.read_bytes())
        for run in runs:
            assert run.facts["load"].startswith(load)
            assert run.facts["kernel"] == re.findall(r"Running kernel \(uname -r\): (.*)", text)[0]
            assert f"model name        : {run.facts['cpu']}" in text
            assert run.facts["machine"].startswith("FUJITSU ESPRIMO P710")
            assert (run.facts["cpu_mhz"], run.facts["version"]) == (3392.0, "rtai-5.2")
            (parameters,) = re.findall(r"/proc/cmdline\):\n((?:  .*\n)+)", text)
            assert run.facts["cmdline"].split() == parameters.split()
        assert runs[0].series["all"]["cpu"] == 1
        assert [run.tool for run in runs] == [
            f"rtai {test}" for test in ("latency", "switches", "preempt") if test != "switches" or pattern == "30_*"
        ]


def test_a_made_run_says_of_its_samples_what_they_are() -> None:
    lines = made(lines=25)
    run = one(Latency(lines).log())
    windows, summary = table(run, "window"), table(run, "summary")
    assert windows["low"].tolist() == [min(filter(None, line)) for line in lines]
    assert windows["high"].tolist() == [max(filter(None, line)) for line in lines]
    assert (windows["n"].tolist(), windows["time"].tolist()) == ([1000] * 25, [float(place) for place in range(25)])
    assert (summary["n"].tolist(), summary["high"].tolist()) == ([25_000], [max(windows["high"])])
    assert run.facts["period"] == 1e6
    assert run.warnings == ["line 38: repeats the line before after ^C, and is left out"]


def test_an_overrun_is_no_latency_of_zero() -> None:
    lines = made(lines=4)
    lines[1][500:503] = [203_117, None, None]
    lines[2] = [None] * 1000
    run = one(Latency(lines).log())
    windows, summary = table(run, "window"), table(run, "summary")
    assert windows["missed"].tolist() == [
        0,
        2,
        1000,
        0,
    ]  # RTD|          0|      -2000|          0|          0|  ...|1002
    assert np.isinf(windows["low"]).tolist() == [False, False, True, False]
    assert np.isinf(windows["high"]).tolist() == [False, True, True, False]
    assert np.isnan(windows["avg"]).tolist() == [False, True, True, False]
    assert (summary["high"].tolist(), summary["missed"].tolist()) == ([203_117], [1002])
    assert run.facts["overrun_policy"] == "counted; the sample of an overrun is stored as 0"
    assert any("1002 overruns" in warning and "203117" in warning for warning in run.warnings)


def test_a_run_of_nothing_but_overruns_has_no_extremes() -> None:
    run = one(Latency([[None] * 1000] * 2).log()[:-2])
    rows = run.rows.arrays()
    assert np.isinf(rows["low"]).all()
    assert np.isinf(rows["high"]).all()
    assert table(run, "summary")["missed"].tolist() == [2000]


def test_overruns_before_the_first_line_are_not_its_own() -> None:
    positive = [[300 + abs(sample or 0) for sample in line] for line in made()]
    run = one(Latency(positive, before=722).log())
    assert table(run, "window")["missed"].tolist() == [0, 0, 0]  # a stored 0 would be the minimum
    assert np.isfinite(table(run, "window")["high"]).all()
    assert table(run, "summary")["missed"].tolist() == [722]
    perhaps = one(Latency(made(), before=722).log())
    assert table(perhaps, "window")["missed"].tolist() == [-1, 0, 0]
    assert np.isinf(table(perhaps, "window")["high"]).tolist() == [True, False, False]


def test_a_periodic_timer_makes_them_differences_of_periods() -> None:
    head, rows = Latency(made()).head(), Latency(made()).rows()
    for log, quantity in (
        (Latency(made()).log(), "thread"),
        (Latency(made(), mode="periodic").log(), "period_jitter"),
        ([head[-1], *rows], "unknown"),
        ([head[-1].replace("KERNEL", "USER"), *rows], "thread"),
        ([head[-1].replace("KERNEL", "KERNEL threads"), *rows], "thread"),
        (["RTAI Testsuite - KERNEL space latency test (output data in nanoseconds)", *rows], "thread"),
        (rows, "unknown"),
    ):
        run = one(log)
        assert set(run.rows.arrays()["quantity"]) == {quantity}
        assert any("timer's mode is not printed" in warning for warning in run.warnings) == (quantity == "unknown")


def test_the_period_stands_before_or_after_the_head() -> None:
    rows = Latency(made()).rows()
    for head in (
        [
            "RTAI Testsuite - KERNEL space latency test (output data in nanoseconds)",
            "",
            "*** latency verification tool with real time hardened LINUX kernel threads ***",
            "***    period = 1000000 (ns),  avrgtime = 1 (s)    ***",
        ],
        [
            "RTAI testsuite and calibration tool (all data in nanoseconds)",
            "# period = 1000000 (ns) ",
            "# average time = 1 (s)",
        ],
    ):
        run = one([*head, *rows])
        assert table(run, "window")["n"].tolist() == [1000] * 3
    assert one(rows).warnings[-1].startswith("the period is not printed")
    slow = Latency(made(each=100), period=10_000_000).log()
    assert table(one(slow), "window")["n"].tolist() == [100] * 3


def test_the_users_display_prints_the_time_above_each_head() -> None:
    tool = Latency(made(lines=22))
    text = [line for row in tool.rows() for line in (["2009/11/30 00:00:24", row] if row.startswith("RTH") else [row])]
    run = one([*tool.head()[:-1], tool.head()[-1].replace("KERNEL", "USER"), *text])
    assert (run.facts["started"], run.facts["context"]) == ("2009/11/30 00:00:24", "user")
    assert len(table(run, "window")["n"]) == 22


def test_a_sum_that_leaves_its_32_bits_gives_no_average() -> None:
    lines = made()
    lines[1] = [3_000_000 + abs(sample or 0) for sample in lines[1]]
    run = one(Latency(lines).log())
    assert np.isnan(table(run, "window")["avg"]).tolist() == [False, True, False]
    assert np.isfinite(table(run, "window")["high"]).all()


def test_lines_that_are_missing_are_noticed() -> None:
    tool = Latency(made(lines=45))
    log = tool.log()
    rows = [place for place, line in enumerate(log) if line.startswith("RTD")]
    gone = one([line for place, line in enumerate(log) if place not in rows[5:7]])
    assert any("2 of 21 RTD lines before it are missing" in warning for warning in gone.warnings)
    assert table(gone, "summary")["n"].tolist() == [-1]
    assert np.isnan(table(gone, "window")["time"][-1])
    lines = [list(line) for line in tool.lines]
    lines[42][0] = 99_000  # no RTH line after it shows that one is missing
    log = Latency(lines).log()
    rows = [place for place, line in enumerate(log) if line.startswith("RTD")]
    told = one([line for place, line in enumerate(log) if place != rows[42]])
    assert any("ovl max 99000 ns, the lines" in warning for warning in told.warnings)
    assert (table(told, "summary")["high"].tolist(), table(told, "summary")["n"].tolist()) == ([99_000], [-1])
    assert np.isnan(table(told, "window")["time"]).tolist() == [False] * 42 + [True] * 2
    piece = one([log[rows[0] - 1], *log[rows[4] :]])
    assert any("not the first of its test" in warning for warning in piece.warnings)
    assert set(table(piece, "window")["seq"]) == {-1}


def test_preempt_prints_extremes_and_jitter() -> None:
    blocks = [[-30, 40, 20], [-10, 10, 30], [-50, 10, 80]]
    jitter = [(100, 900), (100, 950), (120, 950)]
    kernel = one(Preempt(blocks, jitter).log())
    windows, summary = table(kernel, "window"), table(kernel, "summary")
    assert windows["low"].tolist() == [-INF, -INF, -50]  # only a new extreme was seen in its own block
    assert windows["high"].tolist() == [INF, INF, 80]
    assert windows["avg"].tolist() == [10, 10, 13]
    assert summary["series"].tolist() == ["all", "fast", "slow"]
    assert summary["quantity"].tolist() == ["thread", "period_jitter", "period_jitter"]
    assert summary["low"].tolist() == [-50, -120, -950]  # the kernel negates the deviation of a period
    assert summary["high"].tolist() == [80, INF, INF]
    user = one(Preempt(blocks, jitter, "LXRT").log())
    assert table(user, "summary")["quantity"].tolist() == ["thread", "unknown", "unknown"]
    assert table(user, "summary")["high"].tolist() == [80, 120, 950]
    assert (kernel.facts["context"], user.facts["context"]) == ("kernel", "user")
    latency, fast, *_ = rtlat.summary(rtlat.read(DATA / "preempt_user.txt")).to_dict("records")
    assert [(latency[end].low, latency[end].high) for end in ("min", "max")] == [(-0.655, -0.655), (5.077, 5.077)]
    assert (fast["max"].low, fast["max"].high, fast["min"].status) == (10.951, 10.951, "refused")


def test_switches_are_averages_and_nothing_more() -> None:
    for fpu in (True, False):
        run = one(["Wait for it ...", "", *switches(fpu=fpu)])
        rows = table(run, "summary")
        assert rows["avg"].tolist() == [145, 170, 195]  # 5.812345 ms, and 1 and 2 ms more, over 40000 switches
        assert run.series["SUSP/RES"] == {"n": 40_000}
        assert run.facts["ended"] == "complete"
        assert run.facts.get("context") == ("kernel" if fpu else None)
    assert len(read([*switches(), *switches()])) == 2
    assert one(switches()[:2]).facts["ended"] == "unknown"
    wrong = one([line.replace("145 (ns)", "185 (ns)") for line in switches()])
    assert wrong.warnings == ["line 1: 40000 switches of 185 ns are 7.4 ms, the line says 5 ms"]


def test_a_damaged_line_of_switches_is_counted() -> None:
    run = one(
        [line.replace("40000, SWITCH TIME (", "400x0, SWITCH TIME (") if "SEM" in line else line for line in switches()]
    )
    assert table(run, "summary")["series"].tolist() == ["SUSP/RES", "RPC/RCV-RET"]
    assert run.rejected.reasons == {"damaged line": [1, 2]}


def test_the_kernels_log_repeats_what_the_script_has_shown() -> None:
    log = (DATA / "makertai.txt").read_text()
    runs = read(log)
    assert [run.tool for run in runs] == ["rtai latency", "rtai switches", "rtai preempt"]
    assert runs[0].ignored.reasons["kernel log that repeats a result"][0] == 3
    only = log[log.index("Hostname") :]
    assert [run.tool for run in read(only)] == ["rtai switches"]  # where nobody has shown it, it is a result


def test_equal_lines_at_the_end_are_one() -> None:
    tool = Latency(made())
    rows = tool.rows()
    for log in ([*tool.head(), *rows, rows[-1]], [*tool.head(), *rows, rows[-1], "----------", "", "text"]):
        run = one(log)
        assert len(table(run, "window")["n"]) == 3
        assert run.facts["ended"] == "interrupted"
        assert any("repeats the line before, as ^C makes it" in warning for warning in run.warnings)
    inside = one([*tool.head(), *rows[:2], rows[1], *rows[2:]])  # a quiet machine prints equal lines
    assert len(table(inside, "window")["n"]) == 4
    alone = one([*tool.head(), *rows, "^C"])
    assert (len(table(alone, "window")["n"]), alone.facts["ended"]) == (3, "interrupted")


@pytest.mark.parametrize(
    "damage",
    [
        lambda row: row.replace("|      ", "|   ^C   ", 1),
        lambda row: row[:20] + "^C" + row[20:],
        lambda row: row[:-8] + "^C" + row[-8:],
        lambda row: re.sub(r"\d(\d*)$", r"x\1", row),
        lambda row: row[:60],
        lambda row: row + "|          0",
        lambda row: row[:30] + row[31:],
        lambda row: row.replace("RTD|", "RTD||"),
    ],
)
def test_a_damaged_line_gives_no_number_and_costs_no_other(damage: Any) -> None:
    tool = Latency(made(lines=5))
    log = [*tool.head(), *tool.rows()]
    good = one(log)
    place = next(place for place, line in enumerate(log) if line.startswith("RTD")) + 2
    run = one([*log[:place], damage(log[place]), *log[place + 1 :]])
    assert run.rejected.reasons == {"damaged line": [1, place + 1]}
    kept = [0, 1, 3, 4]
    for column in ("low", "high", "avg", "line"):
        assert table(run, "window")[column].tolist() == table(good, "window")[column][kept].tolist()
    assert table(run, "summary")["n"].tolist() == [-1]


def test_totals_that_go_back_are_damage_or_another_run() -> None:
    tool = Latency([[*line[:-1], None] for line in made()])
    log = [*tool.head(), *tool.rows()]
    back = one([*log[:-2], log[-2][:-1] + "0", log[-1]])  # overruns 1, 0, 3
    assert back.rejected.total == 1
    other = Latency(made(seed=8))
    runs = read([*log, *other.rows()[1:]])  # without a head between them
    assert [len(table(run, "window")["n"]) for run in runs] == [3, 3]


def test_other_tools_tables_in_the_same_log() -> None:
    xenomai, rtai = Tool([[4_000, 9_000] * 500] * 3), Latency(made())
    for log in (
        [*xenomai.log(), *rtai.log()],
        [*rtai.log(), *xenomai.log()],
        [*rtai.rows(), *xenomai.log()[4:]],
        [*xenomai.log()[:-2], *rtai.rows()],
    ):
        runs = {run.tool: run for run in read(log)}
        assert sorted(runs) == ["rtai latency", "xenomai latency"]
        assert table(runs["xenomai latency"], "window")["high"].tolist() == [9_000] * 3
        assert len(table(runs["rtai latency"], "window")["n"]) == 3
    old = [
        "RTH|    lat min|    lat avg|    lat max|    ovl max|   overruns|  freq.cntr",
        "RTD|" + "|".join(["          1"] * 6),
    ]
    with pytest.raises(LogError, match="RTAI latency without ovl min"):
        read(old)


def test_what_a_terminal_a_mail_or_a_page_makes_of_a_log_is_read_all_the_same() -> None:
    log = Latency(made(lines=22)).log()
    expected = one(log).rows.arrays()
    for changed in (
        [f"\t\t{line}" for line in log],
        [line.rstrip() + " " * 40 for line in log],
        [f"> {line}" for line in log],
        [re.sub(r" +", " ", line) for line in log],
        [line + "\r" for line in log],
        [piece for line in log for piece in ([line[:72], line[72:]] if len(line) > 72 else [line])],
        [f"Apr  7 16:08:45 host tests: {line}" for line in log],
    ):
        got = one(changed).rows.arrays()
        for column in ("kind", "low", "high", "avg", "n", "missed", "time"):
            np.testing.assert_array_equal(got[column], expected[column])


def test_a_mail_that_breaks_lines_at_blanks_swallows_some() -> None:
    log = Latency(made(lines=22)).log()
    broken = []
    for line in log:
        if line.startswith("RTD"):
            head, tail = line[:72].rstrip(), line[72:].lstrip()
            broken += [head, tail] if tail else [head]
        else:
            broken.append(line)
    run = one(broken)
    assert table(run, "window")["high"].tolist() == table(one(log), "window")["high"].tolist()


@pytest.mark.parametrize("name", ["latency_oneshot.txt", "preempt_user.txt", "switches_user.txt", "makertai.txt"])
def test_a_cut_log_states_nothing_that_the_whole_one_does_not(name: str) -> None:
    data = (DATA / name).read_bytes()
    known = {
        (run.tool, row[0]): row[1:]
        for run in read(data)
        for row in zip(
            *(table(run, "window")[c].tolist() for c in ("line", "low", "high", "avg", "missed")), strict=True
        )
    }
    averages = {(row[0], row[1]) for run in read(data) for row in pairs(run)}
    for end in sorted({match.end() - back for match in re.finditer(rb"\n", data) for back in range(4)} - {len(data)}):
        try:
            runs = read(data[:end])
        except LogError:
            continue
        for run in runs:
            assert run.facts["ended"] != "complete" or run.tool == "rtai switches"
            windows = table(run, "window")
            for line, *row in zip(
                *(windows[c].tolist() for c in ("line", "low", "high", "avg", "missed")), strict=True
            ):
                assert str(tuple(row)) == str(known[run.tool, line])  # NaN is not equal to itself
            assert {(row[0], row[1]) for row in pairs(run)} <= averages


def pairs(run: Run) -> list[tuple[int, float]]:
    """Line and average of each kind of switch."""
    rows = table(run, "summary")
    return [(line, avg) for line, avg in zip(rows["line"].tolist(), rows["avg"].tolist(), strict=True) if avg == avg]


def test_a_hostile_log_takes_no_time() -> None:
    head = Latency(made()).rows()[0]
    with pytest.raises(LogError, match="without results"):
        read([head, *["RTD|" + " " * 4000 + "1|" * 400] * 200, *["FOR 10 TASKS: TIME " + "1" * 4000] * 200])
    lines = [
        "kern/latency test:",
        "Kernel parameter (x):",
        *["  " + "a b" * 1000] * 2000,
        *["Load: " + " " * 4000] * 50,
    ]
    with pytest.raises(LogError):
        read([*lines, *["RTH|" + "general|" * 1000, "RTD|" + "1|" * 1000] * 50])


def test_a_damaged_line_after_one_that_was_printed_twice_costs_no_other() -> None:
    text = (
        "*** latency verification tool with RTAI own real time kernel tasks ***\n"
        "***    period = 100000 (ns),  avrgtime = 1 (s)    ***\n\n"
        "RTH|    lat min|    ovl min|    lat avg|    lat max|    ovl max|   overruns\n"
        "RTD|         12|         12|        204|      51220|      51220|          0\n"
        "RTD|         11|         11|        198|        871|      51220|          0\n"
        "RTD|         11|         11|        198|        871|      51220|          0\n"
        "RTD|         -4|        188|        744|       1204|       1377\n"
    )
    run = one(text)
    assert table(run, "window")["high"].tolist() == [51220, 871]
    assert run.rejected.reasons == {"damaged line": [1, 8]}
