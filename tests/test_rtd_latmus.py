"""EVL's latmus: the collected logs against their own lines, made runs against their samples, -g of every libevl."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from latency_tool import Tool
from latmus_tool import Latmus

import rtlat
from rtlat.errors import LogError
from rtlat.formats.rtd_table import parse
from rtlat.protocol import Run
from rtlat.source import Source

DATA = ROOT / "tests/data/evl"
INF = math.inf


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


def made(lines: int = 3, each: int = 1000, seed: int = 7, high: int = 60_000) -> list[list[int]]:
    """Latencies of some lines [ns], the same at every run of the test."""
    numbers = np.random.default_rng(seed).integers(2_000, high, size=(lines, each))
    return [[int(number) for number in row] for row in numbers]


@pytest.mark.parametrize(
    ("pattern", "quantity", "lines", "ended"), [("14_*", "thread", 6, "interrupted"), ("16_*", "round_trip", 10, "cut")]
)
def test_every_log_gives_the_lines_it_prints(pattern: str, quantity: str, lines: int, ended: str, logs: Path) -> None:
    (path,) = (logs / "public/xenomai-rtai-evl").glob(pattern)
    run = one(path.read_bytes())
    printed = [[float(cell) for cell in row.split("|")] for row in re.findall(r"RTD\|([^A-Z\n]*)", path.read_text())]
    windows = table(run, "window")
    for place, column in enumerate(("low", "avg", "high")):
        np.testing.assert_allclose(windows[column], [row[place] * 1000 for row in printed], rtol=1e-12)
    assert windows["n"].tolist() == [1000] * lines  # 1000 us period
    assert windows["missed"].tolist() == [0] * lines
    assert set(windows["quantity"]) == {quantity}
    assert (run.tool, run.facts["ended"], run.facts["context"], run.facts["approach"]) == (
        "evl latmus",
        ended,
        "user",
        "EVL",
    )


def test_the_summary_is_about_the_unfinished_line_too(logs: Path) -> None:
    (path,) = (logs / "public/xenomai-rtai-evl").glob("14_*")
    run = one(path.read_bytes())
    summary = table(run, "summary")
    # RTS|     10.119|     27.029|     31.204|       0|     0|    00:00:06/00:00:06, where no line has less than 26.653
    assert (summary["low"][0], summary["avg"][0], summary["high"][0], summary["n"][0]) == (10_119, 27_029, 31_204, -1)
    assert run.warnings == []
    (row,) = rtlat.summary(rtlat.read(path)).to_dict("records")
    assert (row["n"], row["min"].low, row["max"].high) == (6000, 10.119, 31.204)


def test_a_made_run_says_of_its_samples_what_they_are() -> None:
    tool = Latmus(made(lines=25), rest=[1_000, 70_000])
    run = one(tool.log())
    windows, summary = table(run, "window"), table(run, "summary")
    assert windows["low"].tolist() == [min(line) for line in tool.lines]
    assert windows["high"].tolist() == [max(line) for line in tool.lines]
    assert windows["time"].tolist() == [float(place) for place in range(25)]
    assert (summary["low"].tolist(), summary["high"].tolist(), summary["n"].tolist()) == ([1_000], [70_000], [-1])
    assert run.series["all"] == {"period": 1e6, "priority": 98, "cpu": 1}
    assert (run.warnings, run.facts["ended"]) == ([], "complete")


def test_each_context_measures_its_own_quantity() -> None:
    expected = {
        "irq": ("irq", "irq", "EVL"),
        "sirq": ("irq", "sirq", None),
        "kernel": ("thread", "kernel", "EVL"),
        "user": ("thread", "user", "EVL"),
        "oob-gpio": ("round_trip", "user", "EVL"),
        "inband-gpio": ("round_trip", "user", None),
    }
    for context, (quantity, where, approach) in expected.items():
        run = one(Latmus(made(), context=context).log())
        assert set(run.rows.arrays()["quantity"]) == {quantity}
        assert (run.facts["context"], run.facts.get("approach")) == (where, approach)
        assert run.series["all"].get("priority") == (None if "irq" in context else 98)
        assert any("round trip" in warning for warning in run.warnings) == context.endswith("gpio")


def test_a_late_sample_without_its_whole_periods_is_not_the_worst() -> None:
    lines = made()
    lines[1][500] = 2_031_204  # two periods and 31.204 us late
    tool = Latmus(lines)
    run = one(tool.log())
    windows, summary = table(run, "window"), table(run, "summary")
    assert windows["missed"].tolist() == [0, 2, 0]
    assert windows["high"].tolist() == [max(lines[0]), INF, max(lines[2])]
    assert np.isnan(windows["avg"]).tolist() == [False, True, False]
    assert (summary["high"].tolist(), summary["missed"].tolist()) == ([INF], [2])
    assert run.facts["overrun_policy"].startswith("whole periods removed")
    assert any("2 overruns are whole periods" in warning and tool.totals[2] in warning for warning in run.warnings)
    assert windows["time"].tolist() == [0, 1, 2.002]


def test_a_late_answer_over_gpio_keeps_its_whole_time() -> None:
    lines = made()
    lines[1][500] = 2_031_204
    run = one(Latmus(lines, context="oob-gpio").log())
    assert table(run, "window")["high"].tolist() == [max(line) for line in lines]
    assert table(run, "window")["missed"].tolist() == [0, 2, 0]
    assert table(run, "summary")["high"].tolist() == [2_031_204]
    assert "keeps its whole time" in run.facts["overrun_policy"]


def test_overruns_before_the_first_line_of_a_piece_are_not_its_own() -> None:
    lines = made(lines=4)
    lines[0][3] = 1_500_000
    log = Latmus(lines).log()
    piece = [log[1], *log[4:]]  # without its start and its first line
    windows = table(one(piece), "window")
    assert windows["missed"].tolist() == [-1, 0, 0]
    assert windows["high"].tolist() == [INF, max(lines[2]), max(lines[3])]


def test_how_a_run_stops() -> None:
    tool = Latmus(made())
    log = tool.log()
    late = one([*log[:-2], "latency threshold is exceeded (60000 >= 71.204), aborting."])
    assert (late.facts["ended"], late.facts["threshold"]) == ("stopped at threshold", 60_000)
    assert table(late, "summary")["high"].tolist() == [71_204]
    weird = "RTD|     71.204|     27.029|     31.204|       0|     0|      2.000|     71.204"
    stopped = one([*log[:-2], weird, "results look weird, aborting."])
    assert stopped.facts["ended"] == "interrupted"
    assert stopped.rejected.reasons == {"damaged line": [1, 7]}
    assert any("contradicted each other" in warning for warning in stopped.warnings)
    switched = one(
        [
            *log,
            "",
            "*** WARNING: unexpected switches to in-band mode detected,",
            "             latency figures displayed are NOT reliable.",
            "             Please submit a bug report upstream.",
            "*** OOPS: aborting upon spurious switch to in-band mode.",
        ]
    )
    assert any("not reliable" in warning for warning in switched.warnings)
    assert switched.facts["ended"] == "interrupted"
    counted = one([line[:48] + "|     2|" + line[56:] if line.startswith(("RTD", "RTS")) else line for line in log])
    assert any("not reliable" in warning for warning in counted.warnings)
    assert one([*log[:-2], f"^C{log[-2]}", log[-1]]).facts["ended"] == "interrupted"
    assert one(["~ # latmus", *log]).facts["ended"] == "interrupted"
    assert one(["~ # latmus -T 3", *log]).facts["ended"] == "complete"
    assert one(log[:-2]).facts["ended"] == "cut"


def test_the_hours_of_the_time_asked_for_are_those_of_the_other_one() -> None:
    tool = Latmus(made())
    quiet = ["running quietly for 7200 seconds on CPU1", "RTT|  00:00:01  (user, 1000 us period, priority 98, CPU1)"]
    assert one([*quiet, *tool.summary("02:00:00", "02:00:00")]).facts["ended"] == "complete"
    # two hours were asked for, after 31 minutes the user stopped it: `00:31:07/00:00:00`
    assert one([*quiet, *tool.summary("00:31:07", "00:00:00")]).facts["ended"] == "interrupted"


@pytest.mark.parametrize("added", ["none", "all but last", "all"])
@pytest.mark.parametrize("cells", [40, 200])
def test_the_file_of_g_counts_what_the_run_had(added: str, cells: int) -> None:
    tool = Latmus(made(high=55_000), rest=[1_000, 54_000], added=added, cells=cells)
    run = one(tool.drawn())
    bins, summary = table(run, "bin"), table(run, "summary")
    expected = Counter(min(value // 1000, cells - 1) for value in tool.all)
    assert dict(zip(bins["low"] / 1000, bins["n"], strict=True)) == expected
    overflows = cells == 40 and added != "all"
    assert bins["high"].tolist() == [*(bins["low"][:-1] + 1000), INF if overflows else bins["low"][-1] + 1000]
    assert summary["n"].tolist() == [3002 if added == "none" else -1]
    assert summary["low"].tolist() + summary["high"].tolist() == [min(tool.all), max(tool.all)]
    assert run.facts["bin_edges"] == "given"
    assert any("one is taken off the counts" in warning for warning in run.warnings) == (added != "none")
    assert any("rows of -g are missing" in warning for warning in run.warnings) == (added == "all" and cells == 40)


def test_a_sample_count_shows_that_one_was_added_to_each_row() -> None:
    tool = Latmus(made(), added="all but last")
    drawn = tool.drawn()
    place = next(place for place, line in enumerate(drawn) if line.startswith("# max"))
    run = one([*drawn[: place + 1], f"# sample count: {len(tool.all)}", *drawn[place + 1 :]])
    assert table(run, "bin")["n"].sum() == len(tool.all) == table(run, "summary")["n"][0]
    assert run.warnings == []
    nobodys = one([*drawn[: place + 1], f"# sample count: {len(tool.all) + 5}", *drawn[place + 1 :]])
    assert len(table(nobodys, "bin")["n"]) == 0
    assert any("do not tell whether one was added" in warning for warning in nobodys.warnings)


def test_what_the_comments_of_g_tell() -> None:
    run = one(Latmus(made(), context="kernel").drawn())
    assert run.facts["kernel"] == "6.1.24-evl #7 SMP PREEMPT IRQPIPE Mon May 22 2023"
    assert run.facts["cmdline"] == "console=ttyS0 isolcpus=1"
    assert run.facts["version"].startswith("evl.0.44")
    assert run.facts["started"] == "Tue May 23 10:11:12 2023"
    assert run.facts["note"] == "clock gravity 0i 1500k 2500u ns"
    assert (run.facts["context"], run.facts["period"], run.facts["duration"]) == ("kernel", 1e6, 3)
    assert run.series["all"] == {"period": 1e6, "priority": 98, "cpu": 1, "n": 3000}
    assert run.facts["ended"] == "unknown"


def test_a_comment_that_stands_there_twice_is_counted() -> None:
    drawn = Latmus(made()).drawn()
    place = next(place for place, line in enumerate(drawn) if line.startswith("# max"))
    run = one([*drawn[: place + 1], "# max latency: 99.999", *drawn[place + 1 :]])
    assert run.rejected.reasons == {"comment of -g that contradicts one before": [1, place + 2]}
    assert table(run, "summary")["high"].tolist() == [max(map(max, made()))]


def test_negative_latencies_are_folded() -> None:
    samples = made()
    samples[0][0] = -4_500
    run = one(Latmus(samples).drawn())
    bins = table(run, "bin")
    assert (bins["low"][0], bins["high"][0]) == (-4_500, 5_000)
    assert bins["n"][0] == sum(value < 5_000 for line in samples for value in line)
    assert bins["n"].sum() == 3000


@pytest.mark.parametrize("prefix", ["", "timer "])
def test_rows_that_stand_in_the_terminal_log_belong_to_its_run(prefix: str) -> None:
    tool = Latmus(made(), rest=[1_000])
    log, drawn = tool.log(), tool.drawn(prefix)
    for joined in ([*log[:-2], *drawn, *log[-2:]], [*log, *drawn]):  # after the RTS line since libevl has its stats.c
        run = one(joined)
        assert table(run, "bin")["n"].sum() == 3001
        assert table(run, "summary")["n"].tolist() == [3001]
        assert len(table(run, "window")["n"]) == 3
        assert (run.facts["ended"], run.facts["version"][:8]) == ("complete", "evl.0.44")
    other = Latmus(made(seed=8)).drawn(prefix)
    assert len(read([*log, *other])) == 2


def test_the_first_libevl_draws_as_xenomai_does() -> None:
    drawn = Tool(made()).drawn()
    run = one([drawn[0].replace("periodic user-mode task", "user"), *drawn[1:]])
    assert (run.tool, run.facts["approach"]) == ("evl latmus", "EVL")
    assert table(run, "bin")["n"].sum() == 3000


def test_runs_of_both_tools_in_one_log_are_told_apart() -> None:
    xenomai, evl = Tool(made(seed=1)), Latmus(made(seed=2))
    for log in ([*xenomai.log(), *evl.log()], [*evl.log()[1:], *xenomai.log()], [*xenomai.log()[:-2], *evl.log()[1:]]):
        tools = {run.tool: table(run, "window")["low"].tolist() for run in read(log)}
        assert tools == {
            "xenomai latency": [min(line) for line in xenomai.lines],
            "evl latmus": [min(line) for line in evl.lines],
        }


def test_contradictions_are_told_with_both_numbers() -> None:
    log = Latmus(made(), rest=[61_000]).log()
    low, high = (f"{end / 1000:.3f}" for end in (min(map(min, made())), 61_000))
    for before, after, told in (
        (f"RTS|{low:>11}", "RTS|      9.000", f"minimum 9.000 us, the RTD lines {low} us"),
        (
            f"|{high:>11}|       0|     0|    00",
            "|     45.000|       0|     0|    00",
            "maximum 45.000 us, the RTD lines",
        ),
    ):
        assert any(told in warning for warning in one("\n".join(log).replace(before, after) + "\n").warnings)


def test_rows_with_several_counts_are_another_test_of_the_tool() -> None:
    drawn = [line if line.startswith("#") else f"{line} 0" for line in Latmus(made()).drawn("request ")]
    with pytest.raises(LogError, match="without results"):
        read(drawn)


def test_a_tuning_log_has_no_results() -> None:
    with pytest.raises(LogError, match="without results"):
        read(
            ["== latmus started for core tuning, period=1000 microseconds (may take a while)", "irq gravity...2000 ns"]
        )


@pytest.mark.parametrize("name", ["latmus_user.txt", "latmus_g.gnuplot", "latmus_threshold.txt"])
def test_a_cut_log_states_nothing_that_the_whole_one_does_not(name: str) -> None:
    data = (DATA / name).read_bytes()
    whole = one(data)
    columns = whole.rows.arrays()
    known = list(zip(*(columns[c].tolist() for c in ("line", "low", "high", "n", "kind")), strict=True))
    for end in sorted(
        {match.end() - back for match in re.finditer(rb"\n", data) for back in (0, 1, 2, 3)} - {len(data)}
    ):
        try:
            (run,) = read(data[:end])
        except LogError:
            continue
        rows = run.rows.arrays()
        partial = run.facts["ended"] == "cut"
        for line, low, high, n, kind in zip(
            *(rows[c].tolist() for c in ("line", "low", "high", "n", "kind")), strict=True
        ):
            same = [row for row in known if row[0] == line]
            assert any((low, high) == row[1:3] and n in (row[3], -1) for row in same) or (partial and kind == "bin"), (
                end
            )
        if kind == "bin" and not partial:
            assert rows["n"][rows["kind"] == "bin"].sum() == columns["n"][columns["kind"] == "bin"].sum(), end
