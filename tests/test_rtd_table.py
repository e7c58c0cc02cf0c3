"""Xenomai's latency: every log there is against its own lines, made runs against their samples, damage, other tools."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from latency_tool import Tool

from rtlat.errors import LogError, UnsupportedFormatError
from rtlat.formats.rtd_table import parse
from rtlat.protocol import Run
from rtlat.source import Source

DATA = ROOT / "tests/data/xenomai"
INF = math.inf

# path below the log collection: period [us], lines, how it ended
LOGS = {
    "recorded/xenomai-mercury/l30_g_stdout.txt": (1000, 2, "complete"),
    "recorded/xenomai-mercury/l33_H10_B5000.txt": (1000, 3, "complete"),
    "recorded/xenomai-mercury/l33_full.txt": (1000, 5, "complete"),
    "recorded/xenomai-mercury/l33_maxexceeded.txt": (1000, 2, "stopped at threshold"),
    "recorded/xenomai-mercury/l33_noheader.txt": (1000, 3, "complete"),
    "recorded/xenomai-mercury/l33_p300ms.txt": (300_000, 4, "complete"),
    "recorded/xenomai-mercury/l33_q_noT.txt": (1000, 1, "interrupted"),
    "recorded/xenomai-mercury/l33_sigkill.txt": (1000, 3, "cut"),
    "recorded/emulated-kernels/preempt_rt/xenomai-latency-idle.log": (1000, 29, "complete"),
    "recorded/emulated-kernels/preempt_rt/xenomai-latency-load.log": (1000, 23, "complete"),
    "recorded/emulated-kernels/stock/xenomai-latency-idle.log": (1000, 29, "complete"),
    "recorded/emulated-kernels/stock/xenomai-latency-load.log": (1000, 25, "complete"),
    "derived/d1_mail_quoted_once.txt": (1000, 3, "interrupted"),
    "derived/d2_mail_quoted_twice.txt": (100, 7, "cut"),
    "derived/d3_wrapped_at_72.txt": (1000, 3, "interrupted"),
    "derived/d4_wrapped_then_quoted.txt": (1000, 3, "interrupted"),
    "derived/d5_decimal_comma.txt": (1000, 3, "interrupted"),
    "derived/d6_syslog_prefixed.txt": (1000, 3, "interrupted"),
    "derived/d7_crlf.txt": (1000, 3, "interrupted"),
    "derived/d8_format_v2.0_integer_ns.txt": (100, 3, "complete"),
    "derived/d9_format_v2.2-v2.5.0_no_msw.txt": (100, 3, "complete"),
    "public/xenomai-rtai-evl/02_*": (100, 4, "complete"),
    "public/xenomai-rtai-evl/03_*": (1000, 45, "interrupted"),
    "public/xenomai-rtai-evl/04_*": (1000, 21, "cut"),
    "public/xenomai-rtai-evl/05_*": (100, 24, "interrupted"),
    "public/xenomai-rtai-evl/07_*": (1000, 14, "cut"),
    "public/xenomai-rtai-evl/08_*": (1000, 13, "cut"),
    "public/xenomai-rtai-evl/09_*": (100, 8, "cut"),
    "public/xenomai-rtai-evl/10_*": (10_000, 7, "cut"),
    "public/xenomai-rtai-evl/28_*": (1000, 3, "interrupted"),
    "public/xenomai-rtai-evl/29_*": (100, 24, "complete"),
}
REFUSED = {
    "18_*": ("EVL hectic", 6),
}


def read(text: str | bytes | list[str]) -> list[Run]:
    """Parse a log that a test holds."""
    if isinstance(text, list):
        text = "\n".join(text) + "\n"
    return list(parse(Source(None, "made.log", text if isinstance(text, bytes) else text.encode())))


def one(text: str | bytes | list[str]) -> Run:
    (run,) = read(text)
    return run


def table(run: Run, kind: str, of: str = "all") -> dict[str, Any]:
    """The columns of one kind of row."""
    columns = run.rows.arrays()
    chosen = (columns["kind"] == kind) & (columns["of"] == of)
    return {name: column[chosen] for name, column in columns.items()}


def printed(text: str, tag: str, least: int) -> list[list[float]]:
    """The numbers of a log's lines of one kind, by the simplest means; lines with too few are another tool's."""
    rows = [row.replace(",", ".").split("|") for row in re.findall(rf"{tag}[* ]*\|(.*)", text)]
    cells = [[float(cell) for cell in row if re.fullmatch(r"\s*-?[\d.]+\s*", cell)] for row in rows]
    return [row for row in cells if len(row) >= least]


def path_of(logs: Path, pattern: str) -> Path:
    (path,) = logs.glob(pattern)
    return path


@pytest.mark.parametrize("pattern", LOGS)
def test_every_log_gives_the_lines_it_prints(pattern: str, logs: Path) -> None:
    period, lines, ended = LOGS[pattern]
    path = path_of(logs, pattern)
    (run,) = parse(Source(path, path.name))
    windows, summary = table(run, "window"), table(run, "summary")
    source = path if "_wrapped_" not in path.name else path_of(logs, "public/xenomai-rtai-evl/28_*")
    text = source.read_text("utf-8")
    unit = 1 if "v2.0" in path.name else 1000
    expected = np.array([row[:4] for row in printed(text, "RTD", 6)])
    each = 10**6 // period
    assert run.facts["ended"] == ended
    assert run.facts["period"] == period * 1000
    np.testing.assert_allclose(windows["low"], expected[:, 0] * unit, rtol=1e-12)
    np.testing.assert_allclose(windows["avg"], expected[:, 1] * unit, rtol=1e-12)
    np.testing.assert_allclose(windows["high"], expected[:, 2] * unit, rtol=1e-12)
    assert windows["n"].tolist() == [each] * lines
    assert windows["missed"].sum() == expected[-1, 3]
    if ended != "cut":
        low, _, high, overruns = printed(text, "RTS", 4)[-1][:4]
        assert summary["low"].tolist() == pytest.approx([low * unit], rel=1e-12)
        assert summary["high"].tolist() == pytest.approx([high * unit], rel=1e-12)
        assert summary["missed"].tolist() == [overruns]
        assert summary["n"].tolist() == [each * lines if run.tool == "xenomai latency" else -1]


@pytest.mark.parametrize("pattern", REFUSED)
def test_tables_of_other_tools_are_refused_by_name(pattern: str, logs: Path) -> None:
    path = path_of(logs, f"public/xenomai-rtai-evl/{pattern}")
    name, line = REFUSED[pattern]
    with pytest.raises(UnsupportedFormatError, match=name) as caught:
        list(parse(Source(path, "log")))
    assert str(caught.value).startswith(f"log:{line}: ")


def made(lines: int = 3, each: int = 1000, seed: int = 7, low: int = 1500, high: int = 90_000) -> list[list[int]]:
    """Samples of some lines [ns], the same at every run of the test."""
    numbers = np.random.default_rng(seed).integers(low, high, size=(lines, each))
    return [[int(number) for number in row] for row in numbers]


def test_a_made_run_says_of_its_samples_what_they_are() -> None:
    samples = made(lines=25)
    overruns = [0] * 24 + [3]
    run = one(Tool(samples, rest=made(1, 400, seed=8)[0], overruns=overruns).log(histogram=True))
    windows, summary, bins = table(run, "window"), table(run, "summary"), table(run, "bin")
    assert windows["low"].tolist() == [min(line) for line in samples]
    assert windows["high"].tolist() == [max(line) for line in samples]
    assert windows["avg"].tolist() == [sum(line) // 1000 for line in samples]
    assert windows["missed"].tolist() == overruns
    assert windows["seq"].tolist() == list(range(1, 26))
    assert windows["time"].tolist() == [float(place) for place in range(25)]
    assert summary["n"].tolist() == [25_000]
    everything = np.concatenate([*map(np.array, samples), made(1, 400, seed=8)[0]])
    assert bins["n"].sum() == len(everything) == 25_400
    for low, high, n in zip(bins["low"], bins["high"], bins["n"], strict=True):
        assert ((everything >= low) & (everything < high)).sum() == n
    assert table(run, "bin", "max")["n"].sum() == table(run, "bin", "min")["n"].sum() == 25
    assert run.facts["bin_edges"] == "inferred"
    assert run.series["all"] == {"period": 1e6, "priority": 99, "n": 25_400}
    assert (run.warnings, run.rejected.total) == ([], 0)


def test_each_mode_measures_its_own_quantity() -> None:
    for mode, quantity, context in (
        ("periodic user-mode task", "thread", "user"),
        ("in-kernel periodic task", "thread", "kernel"),
        ("in-kernel timer handler", "irq", "irq"),
    ):
        run = one([line.replace("periodic user-mode task", mode) for line in Tool(made()).log()])
        assert set(run.rows.arrays()["quantity"]) == {quantity}
        assert run.facts["context"] == context
        assert run.series["all"].get("priority") == (None if quantity == "irq" else 99)
        assert "approach" not in run.facts


def test_a_period_that_does_not_divide_a_second() -> None:
    run = one((DATA / "l33_p300ms.txt").read_bytes())
    assert table(run, "window")["n"].tolist() == [3, 3, 3, 3]
    assert table(run, "window")["time"].tolist() == pytest.approx([0, 0.9, 1.8, 2.7])
    assert run.facts["window"] == pytest.approx(0.9)


def test_overruns_make_a_line_longer() -> None:
    run = one((DATA / "l33_full.txt").read_bytes())
    assert table(run, "window")["missed"].tolist() == [48, 52, 49, 53, 53]
    assert table(run, "window")["time"].tolist() == pytest.approx([0, 1.048, 2.1, 3.149, 4.202])


def test_the_histogram_counts_all_samples_and_its_last_bin_all_beyond() -> None:
    run = one((DATA / "l33_full.txt").read_bytes())
    bins = table(run, "bin")
    assert bins["n"].sum() == 5625  # HSS|    avg|      5625|     24.058|     12.689
    assert (bins["n"] * bins["low"]).sum() / 5625 / 1000 == pytest.approx(24.058, abs=5e-4)
    assert (bins["low"][-1], bins["high"][-1], bins["n"][-1]) == (299_000, INF, 9)
    assert table(run, "bin", "max")["high"].tolist() == [INF]
    assert run.facts["folded"]
    assert run.facts["overflow_policy"] == "clamped into last bin"


def test_the_published_markdown_log_has_the_published_statistics(logs: Path) -> None:
    run = one(path_of(logs, "public/xenomai-rtai-evl/02_*").read_bytes())
    bins = table(run, "bin")
    mean = (bins["n"] * bins["low"]).sum() / bins["n"].sum() / 1000
    sd = math.sqrt((bins["n"] * (bins["low"] / 1000 - mean) ** 2).sum() / (bins["n"].sum() - 1))
    assert (bins["n"].sum(), round(mean, 3), round(sd, 3)) == (49_978, 2.034, 0.805)
    assert bins["high"].max() == 87_000  # 300 bins, and 86.141 us is the maximum
    assert (run.facts["command"], run.facts["evidence"]) == ("latency -h -t 1 -T 5", "printed table")


def test_a_run_without_rtd_lines_has_as_many_windows_as_its_histogram_counts() -> None:
    run = one((DATA / "l31_quiet_stats.txt").read_bytes())
    summary = table(run, "summary")
    assert len(run.rows) == 1
    assert (summary["low"][0], summary["avg"][0], summary["high"][0]) == (15_030, 37_508, 53_955_008)
    assert summary["n"][0] == 4 * 4000  # HSS|    min|         4|
    assert run.series["all"]["n"] == 18_877


def test_nothing_is_made_of_a_sentinel() -> None:
    sentinel = "RTS|  10000.000|      0.000| -10000.000|       0|     0|    00:00:-01/00:00:-01"
    with pytest.raises(LogError, match="stopped before its first line"):
        read([*Tool(made()).head(), sentinel])
    run = one([*Tool(made()).head(), sentinel, *Tool(made()).log()])
    assert len(table(run, "window")["n"]) == 3
    assert "line of a test without results" in run.ignored.reasons


def test_clipped_and_wrapped_extremes_are_left_open() -> None:
    run = one((DATA / "l33_stopped.txt").read_bytes())
    windows = table(run, "window")
    assert (windows["low"][3], windows["high"][3]) == (-INF, 804_964_253)  # RTD|  10000.000| 804964.253| 804964.253
    assert (windows["low"][7], windows["high"][7]) == (-INF, INF)  # RTD|-255813.978|-255813.978| -10000.000
    assert np.isnan(windows["avg"][7])
    assert (windows["n"][7], windows["missed"][7]) == (1, 4)
    others = [0, 1, 2, 4, 5, 6, 8, 9]
    assert windows["low"][others].tolist() == windows["high"][others].tolist()
    assert table(run, "summary")["high"].tolist() == [INF]
    assert len(table(run, "bin")["n"]) == 0
    assert [warning.split(":")[0] for warning in run.warnings[:2]] == ["line 14", "line 10"]


def test_more_overruns_than_the_latencies_allow_show_a_wrapped_sample() -> None:
    samples = made()
    run = one(Tool(samples, overruns=[0, 4300, 0]).log())  # one sample 4.3 s late would show as 5 ms
    assert np.isinf(table(run, "window")["high"]).tolist() == [False, True, False]
    assert "beyond the 2.147 s" in " ".join(run.warnings)


def test_a_minimum_of_ten_milliseconds_is_where_the_tool_begins() -> None:
    log = Tool([[10_000_000 + sample for sample in line] for line in made()]).log()
    assert table(one(log), "window")["low"][0] > 10_000_000
    log = [line[:4] + "  10000.000" + line[15:] if line.startswith(("RTD", "RTS")) else line for line in log]
    assert table(one(log), "window")["low"].tolist() == [-INF] * 3
    assert table(one(log), "summary")["low"].tolist() == [-INF]


def test_samples_after_the_last_line_may_be_the_largest() -> None:
    run = one(Tool(made(), rest=[250_000, 2_000]).log(histogram=True))
    assert table(run, "bin")["low"][-1] == 250_000
    assert any("the larger samples came after the last line" in warning for warning in run.warnings)


def test_a_quiet_run_tells_its_bins_width_by_its_summary() -> None:
    for bucket, low in ((1000, 41_000), (2000, 40_000)):
        tool = Tool([[41_000, 90_000] * 500] * 3, bucket=bucket, bins=200)
        run = one([line for line in tool.log(histogram=True) if not line.startswith(("RTT", "RTH", "RTD"))])
        assert table(run, "bin")["low"].tolist() == [low, 90_000]
        assert table(run, "summary")["n"].tolist() == [3000]


def test_mode_switches_are_told() -> None:
    log = Tool(made()).log()
    switched = [line[:48] + "|     2|" + line[56:] if line.startswith(("RTD", "RTS")) else line for line in log]
    assert any("(msw)" in warning for warning in one(switched).warnings)
    assert one(log).warnings == []


def test_counts_beyond_what_a_run_can_have() -> None:
    log = (DATA / "l33_full.txt").read_text()
    run = one(log.replace("|  15 - 16 |      147", "|  15 - 16 | 9223372036854775808"))
    assert run.rejected.total == 1
    run = one(log.replace("|  15 - 16 |      147", "|  15 - 16 | 9223372036854775807"))
    assert any("more than a run can have" in warning for warning in run.warnings)
    assert len(table(run, "bin")["n"]) == 0
    run = one(log.replace("HSS|    avg|      5625|", "HSS|    avg|      56x5|"))
    assert run.facts["ended"] == "cut"


def test_negative_latencies_make_one_bin_of_those_they_fold_into() -> None:
    samples = made(low=-2_600, high=9_000)
    run = one(Tool(samples, rest=samples[0][:300]).log(histogram=True))
    bins = table(run, "bin")
    everything = np.array([*samples[0], *samples[1], *samples[2], *samples[0][:300]])
    assert bins["low"][0] == everything.min()
    assert bins["high"][0] == 3000
    for low, high, n in zip(bins["low"], bins["high"], bins["n"], strict=True):
        assert ((everything >= low) & (everything < high)).sum() == n
    assert any("absolute values" in warning for warning in run.warnings)


def test_lines_that_are_missing_are_noticed_by_their_number() -> None:
    log = Tool(made(lines=50)).log()
    rtd = [place for place, line in enumerate(log) if line.startswith("RTD")]
    for gone in ([rtd[5]], [rtd[30], rtd[31]]):
        run = one([line for place, line in enumerate(log) if place not in gone])
        assert run.facts["ended"] == "cut"
        assert any(f"{len(gone)} of 21 RTD lines are missing" in warning for warning in run.warnings)
        assert table(run, "summary")["n"].tolist() == [-1]
        assert np.isnan(table(run, "window")["time"][-1])
        assert table(run, "window")["missed"].tolist().count(-1) in (20, 19)


def test_lines_that_are_missing_are_noticed_by_the_clock_and_by_the_histogram() -> None:
    log = Tool(made(lines=21)).log()
    rtd = [place for place, line in enumerate(log) if line.startswith("RTD")]
    run = one([line for place, line in enumerate(log) if place not in rtd[4:9]])
    assert any("took longer than its RTD lines" in warning for warning in run.warnings)
    log = Tool(made(lines=21)).log(histogram=True)
    run = one([line for place, line in enumerate(log) if place != rtd[4]])
    assert "the histogram counts 21 RTD lines, the log holds 20" in run.warnings
    assert table(run, "summary")["n"].tolist() == [21_000]
    assert run.facts["ended"] == "complete"  # the histogram has all of them


def test_a_clock_that_goes_on_for_longer_than_its_lines_shows_missing_ones() -> None:
    log = Tool(made(lines=22)).log()
    late = [line.replace("RTT|  00:00:22", "RTT|  00:00:29") for line in log[:-2]]
    run = one(late)
    assert any("the clock has gone on for longer" in warning for warning in run.warnings)
    assert np.isnan(table(run, "window")["time"]).all()
    slow = [line.replace("RTT|  00:00:22", "RTT|  00:00:15") for line in log]
    assert any("gone on for 14 s, the RTD lines before it last 21.000 s" in warning for warning in one(slow).warnings)


def test_the_end_of_a_longer_log_is_no_whole_run() -> None:
    log = Tool([[1_000, 99_000] * 500, *made(lines=11)], overruns=[1] * 12).log()
    rtd = [place for place, line in enumerate(log) if line.startswith("RTD")]
    run = one(log[rtd[3] :])
    assert run.facts["ended"] == "cut"
    assert table(run, "window")["missed"].tolist() == [-1, 1, 1, 1, 1, 1, 1, 1, 1]
    assert table(run, "window")["n"].tolist() == [-1] * 9  # no line states the period
    assert table(run, "summary")["n"].tolist() == [-1]
    assert set(run.rows.arrays()["quantity"]) == {"unknown"}
    assert sum("lies in none of the lines of this log" in warning for warning in run.warnings) == 2


def test_klatency_is_known_by_its_average() -> None:
    samples = made(lines=4)
    averages = [sum(line) // 1000 for line in samples]
    wrong = sum(averages) // 5 - 1
    log = [line.replace("periodic user-mode task", "in-kernel periodic task") for line in Tool(samples).log()]
    right = f"{sum(averages) // 4 / 1000:11.3f}"
    run = one([line.replace(right, f"{wrong / 1000:11.3f}") if line.startswith("RTS") else line for line in log])
    assert run.tool == "xenomai klatency"
    assert np.isnan(table(run, "summary")["avg"]).all()
    assert any("klatency divides by one line too many" in warning for warning in run.warnings)


def test_contradictions_are_told_with_both_numbers() -> None:
    log = (DATA / "l33_full.txt").read_text()
    for before, after, told in (
        ("202|     0|     14.933|  53785.971", "202|     0|     14.933|  53785.900", "lat worst 53785.900 us"),
        ("202|     0|     14.933|", "202|     0|     14.930|", "lat best 14.930 us, the lines 14.933 us"),
        ("|     149|", "|      49|", "a running total has gone back"),
        ("RTS|     14.933|", "RTS|     14.934|", "minimum 14.934 us, the RTD lines 14.933 us"),
        ("|     75.869|", "|     75.969|", "average 75.969 us, that of the RTD lines 75.869 us"),
        ("HSS|    avg|      5625|", "HSS|    avg|      5626|", "5626 samples of avg, the bins hold 5625"),
        ("|     255|     0|    00", "|     254|     0|    00", "254 overruns, the RTD lines 255"),
        ("     24.058|", "     24.158|", "average 24.158 and stddev 12.689 bins, the bins 24.058 and 12.689"),
    ):
        assert log.count(before) == 1
        run = one(log.replace(before, after))
        assert any(told in warning for warning in run.warnings), (told, run.warnings)


def test_a_damaged_line_gives_no_number_and_costs_no_other() -> None:
    good = one((DATA / "l33_full.txt").read_text())
    for damage, what in (
        ("RTD|     15.078|     76.130|  48132.40x|     100|", "RTD"),
        ("RTD|     15.078|  99976.130|  48132.405|     100|", "RTD"),  # an average above the maximum
        ("RTD|     15.078|     76.130|  48132.40", "RTD"),
        ("RTD|     15.078|     76|  48132.405|     100|", "RTD"),
        ("RTD|     15.078|     76.130|", "RTD"),
    ):
        run = one(
            (DATA / "l33_full.txt").read_text().replace("RTD|     15.078|     76.130|  48132.405|     100|", damage)
        )
        assert run.rejected.reasons == {"damaged line": [1, 8]}, what
        assert table(run, "window")["line"].tolist() == [7, 9, 10, 11]
        assert table(run, "window")["missed"].tolist() == [48, -1, 53, 53]
        assert table(run, "bin")["n"].sum() == 5625
        assert table(run, "summary")["n"].tolist() == table(good, "summary")["n"].tolist()
    run = one((DATA / "l33_full.txt").read_text().replace("|  23 - 24 |     1003", "|  23 - 25 |     1003"))
    assert run.facts["ended"] == "cut"
    assert table(run, "bin")["n"].sum() == 5625 - 1003
    assert any("5625 samples of avg, the bins hold 4622" in warning for warning in run.warnings)


def test_several_runs_stand_in_one_log() -> None:
    first, second = Tool(made(seed=1)), Tool(made(seed=2, each=10_000), period=100)
    for joined in (
        [*first.log(), *second.log(histogram=True)],
        [*first.log()[4:], *second.log(histogram=True)[4:]],  # without heads
        [*first.log()[:-2], *second.log()],  # the first was killed
        [*first.head(), *first.windows(), *second.windows()],  # the clock starts again
    ):
        runs = read(joined)
        assert [table(run, "window")["low"].tolist() for run in runs] == [
            [min(line) for line in tool.lines] for tool in (first, second)
        ]
        assert [run.facts["period"] for run in runs] == [1e6, 1e5]


def test_a_quoted_repetition_is_a_run_of_its_own() -> None:
    log = Tool(made()).log()
    runs = read(
        [*log, "On that day, somebody wrote:", *(f"> {line}" for line in log), *(f"> > {line}" for line in log)]
    )
    assert [run.quoted for run in runs] == [False, True, True]
    assert len({tuple(table(run, "window")["low"]) for run in runs}) == 1


def test_another_tools_table_in_the_same_log_is_passed_over() -> None:
    switches = [
        "RTT|  00:00:01",
        "RTH|---------cpu|ctx switches|-------total",
        "RTD|           0|       16558|       16558",
    ]
    switchbench = [
        "RTH|     lat min|     lat avg|     lat max|        lost",
        "RTD|       1.485|       2.709|      86.141|           0",
    ]
    smokey = [
        "RTT|  00:00:01  (1000 us period)",
        "RTH|----lat min|----lat avg|----lat max|-overrun|-errors|---lat best|--lat worst",
        "RTD|      1.485|      2.709|     86.141|       0|       0|      1.485|     86.141",
    ]
    for log in (
        [*switches, *Tool(made()).log()],
        [*Tool(made()).log(), *switches],
        [*switchbench, *Tool(made()).log(), *switches],
        [*Tool(made()).log(), *smokey[1:]],
    ):
        run = one(log)
        assert len(table(run, "window")["n"]) == 3
        assert run.facts["ended"] == "complete"
        assert any(reason.startswith("table of ") for reason in run.ignored.reasons)
    with pytest.raises(UnsupportedFormatError, match="Xenomai switchbench"):
        read(
            [
                "== Sampling period: 100 us",
                "RTH|     lat min|     lat avg|     lat max|        lost",
                "RTD| 1.0| 2.0| 3.0| 0",
            ]
        )


def test_whole_numbers_are_nanoseconds_only_under_the_head_of_2_0() -> None:
    log = (DATA / "d8_format_v2.0_integer_ns.txt").read_text()
    run = one(log)
    assert (run.facts["printed_unit"], run.facts["unit_basis"]) == ("ns", "documented")
    assert table(run, "window")["low"].tolist() == [4458, 4416, 4374]
    for without in ("RTH|-----lat min|-----lat avg|-----lat max|-overrun|----lat best|---lat worst\n",):
        with pytest.raises(LogError, match="no RTD, RTS or HSD line is whole"):
            read(log.replace(without, ""))
    with pytest.raises(LogError, match="without results"):
        read(log.replace("RTT|", "== All results in microseconds\nRTT|"))


def test_what_a_terminal_a_mail_or_a_locale_makes_of_a_log_is_read_all_the_same() -> None:
    good = table(one((DATA / "d9_format_v2.2-v2.5.0_no_msw.txt").read_bytes()), "window")
    for name in ("d3_wrapped_at_72.txt", "d5_decimal_comma.txt"):
        other = one((DATA / name).read_bytes())
        for column in ("low", "avg", "high"):
            assert table(other, "window")[column].tolist() == good[column].tolist()
        assert other.rejected.total == 0
    log = Tool(made(lines=30)).log(histogram=True)
    expected = one(log).rows.arrays()
    for changed in (
        [f"    {line}" for line in log],
        [line.rstrip() + " " * 40 for line in log],
        [f"> {line}" for line in log],
        [line if "== " in line else line.replace("      ", " ").replace("     ", " ") for line in log],
        [line + "\r" for line in log],
    ):
        got = one(changed).rows.arrays()
        for column in ("kind", "low", "high", "avg", "n", "missed", "time"):
            np.testing.assert_array_equal(got[column], expected[column])


def test_lines_wrapped_at_any_width_are_joined() -> None:
    log = Tool(made(lines=22)).log()
    expected = one(log).rows.arrays()
    for width in range(60, 90):
        wrapped = [line[start : start + width] for line in log for start in range(0, len(line), width)]
        got = one(wrapped).rows.arrays()
        for column in ("kind", "low", "high", "avg", "n", "missed", "time"):
            np.testing.assert_array_equal(got[column], expected[column], err_msg=f"{width} columns")


def test_a_line_repeated_after_ctrl_c_counts_once() -> None:
    log = [*Tool(made()).head(), *Tool(made()).windows()]
    run = one([*log, f"^C{log[-1]}"])
    assert len(table(run, "window")["n"]) == 3
    assert any("repeats the line before after ^C" in warning for warning in run.warnings)
    assert len(table(one([*log, log[-1]]), "window")["n"]) == 4  # a coarse clock prints equal lines


def test_how_a_run_ended() -> None:
    log = Tool(made()).log()
    rts = log[-1]
    assert one(log).facts["ended"] == "complete"
    assert one([*log[:-2], "^C" + log[-2], rts]).facts["ended"] == "interrupted"
    assert one([*log[:-1], rts.replace("/00:00:03", "/00:01:00")]).facts["ended"] == "interrupted"
    assert one(["# latency -p 1000", *log]).facts["ended"] == "interrupted"
    assert one(["root@bbb:~# /usr/xenomai/bin/latency -p 1000 -T 3", *log]).facts["ended"] == "complete"
    assert one(log[:-1]).facts["ended"] == "cut"
    late = one((DATA / "l33_maxexceeded.txt").read_bytes()).facts
    assert (late["ended"], late["threshold"]) == ("stopped at threshold", 10_000)


def test_a_failed_start_says_why() -> None:
    with pytest.raises(LogError, match="Operation not permitted"):
        read([*Tool(made()).head()[:3], "latency: pthread_create(latency): Operation not permitted"])


CUT = ("l33_H10_B5000.txt", "l30_g_stdout.txt", "gB.gnuplot", "d3_wrapped_at_72.txt", "d8_format_v2.0_integer_ns.txt")


@pytest.mark.parametrize("name", CUT)
def test_a_cut_log_states_nothing_that_the_whole_one_does_not(name: str) -> None:
    data = (DATA / name).read_bytes()
    whole = one(data)
    columns = whole.rows.arrays()
    known = list(zip(*(columns[c].tolist() for c in ("line", "low", "high", "n", "kind")), strict=True))
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    for end in sorted({end - back for end in ends for back in (0, 1, 2, 4)} - {len(data)}):
        try:
            (run,) = read(data[:end])
        except LogError:
            continue
        if end == len(data) - 1:  # only the line's end is gone: RTS shows by itself that it is whole
            assert run.facts["ended"] == "cut" or len(run.rows) == len(whole.rows)
        else:
            assert run.facts["ended"] == "cut", end
        rows = run.rows.arrays()
        for line, low, high, n, kind in zip(
            *(rows[c].tolist() for c in ("line", "low", "high", "n", "kind")), strict=True
        ):
            of_line = [row for row in known if row[0] == line] or [row for row in known if row[4] == kind == "summary"]
            # a bin that is the last one so far may hold what lies beyond; it never says less than it knows
            assert any(low <= row[1] and row[2] <= high and n in (row[3], -1) for row in of_line), (
                end,
                line,
                low,
                high,
            )


def test_a_hostile_log_takes_no_time() -> None:
    line = "RTD|" + "     15.078|" * 400
    with pytest.raises(LogError):
        read([line] * 200 + ["#" * 4000 + " latency"] * 50 + ["RTH|" + "-" * 4000] * 50)
