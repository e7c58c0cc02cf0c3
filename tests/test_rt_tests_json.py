"""cyclictest's JSON: every recorded report against what stands in it, its text twin, and what damage leaves."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SHARED

import rtlat
from rtlat.errors import LogError, UnsupportedFormatError
from rtlat.formats.rt_tests_json import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

SMALL = ROOT / "tests/data/json"
RECORDED = SHARED / "logs/recorded/rt-tests"
EVERY = [*SMALL.glob("*.json"), *SHARED.glob("logs/**/*.json"), *SHARED.glob("logs/recorded/rt-tests/json_stdout*.txt")]
REPORTS = [
    path
    for path in sorted(EVERY)
    if path.is_file() and '"cmdline:": "cyclictest ' in path.read_text("utf-8") and "no_samples" not in path.name
]
NO_LATENCY = ("pi_stress", "ssdd")
OTHERS = [path for path in sorted(EVERY) if path.name.startswith("tool_")]
MEASURED = {
    "cyclicdeadline": "thread",
    "oslat": "noise",
    "pmqtest": "message",
    "ptsematest": "mutex",
    "rt-migrate-test": "migration",
    "signaltest": "signal_ring",
    "sigwaittest": "signal",
    "svsematest": "semaphore",
}


def parse(log: str | bytes, name: str = "log") -> list[Run]:
    return list(FORMAT.parse(Source(None, name, log.encode() if isinstance(log, str) else log)))


def threads(text: str) -> dict[str, dict[str, Any]]:
    """What a report prints of each thread, by regular expressions on the layout that rt-tests gives it."""
    found: dict[str, dict[str, Any]] = {}
    for thread in re.finditer(r'^    "(\d+)": \{\n(.*?)^    \}', text, re.MULTILINE | re.DOTALL):
        body = thread[2]
        values = {key: re.search(rf'"{key}": (\S+?),?$', body, re.MULTILINE) for key in ("cycles", "min", "max", "avg")}
        found[f"t{thread[1]}"] = {
            **{key: value[1] for key, value in values.items() if value},
            "bins": {int(low): int(n) for low, n in re.findall(r'^        "(\d+)": (\d+)', body, re.MULTILINE)},
            "line": text[: thread.start(2)].count("\n") + 1,
        }
    return found


def rows(run: Run, series: str, kind: str) -> list[dict[str, Any]]:
    arrays = run.rows.arrays()
    every = [dict(zip(arrays, row, strict=True)) for row in zip(*(a.tolist() for a in arrays.values()), strict=True)]
    return [row for row in every if row["series"] == series and row["kind"] == kind]


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_recorded_report(path: Path) -> None:
    text = path.read_text("utf-8")
    lines = text.split("\n")
    (run,) = parse(text)
    scale = 1 if '"resolution_in_ns": 1' in text else 1000
    command = re.search(r'"cmdline:": "(.*)",$', text, re.MULTILINE)
    assert command
    assert run.facts["command"] == command[1]
    limit = re.search(r" -[hH] ?(\d+)", command[1])
    printed = threads(text)
    assert printed
    assert list(run.series) == list(printed)
    for name, thread in printed.items():
        cycles, total = int(thread["cycles"]), sum(thread["bins"].values())
        assert run.series[name]["n"] == cycles
        bins = {row["low"]: row for row in rows(run, name, "bin") if math.isfinite(row["high"])}
        assert {low / scale: row["n"] for low, row in bins.items()} == thread["bins"]
        for low, row in bins.items():
            assert row["high"] - low == scale
            assert re.match(rf' *"{low / scale:.0f}": {row["n"]},?$', lines[row["line"] - 1])
        beyond = [row for row in rows(run, name, "bin") if row["high"] == math.inf]
        negative = thread["max"].startswith("-")
        if limit and cycles > total:
            low = -math.inf if negative else float(limit[1]) * scale
            assert [(row["low"], row["n"]) for row in beyond] == [(low, cycles - total)]
            assert beyond[0]["line"] == thread["line"]
            assert '"histogram"' in lines[thread["line"] - 1]
        else:
            assert beyond == []
        summary = rows(run, name, "summary")
        if not cycles:
            assert summary == []
        elif negative:
            (row,) = summary
            assert (row["low"], row["high"], row["n"]) == (-math.inf, math.inf, cycles)
            assert math.isnan(row["avg"])
        else:
            (row,) = summary
            assert (row["low"], row["high"]) == (int(thread["min"]) * scale, int(thread["max"]) * scale)
            assert row["n"] == cycles
            assert row["avg"] == float(Decimal(thread["avg"]) * scale)
            assert f'"cycles": {cycles},' in lines[row["line"] - 1]
    assert run.facts["ended"] == "complete"
    assert len(run.warnings) == ("negative" in path.name) + ("starved" in path.name)


def test_the_reports_are_there() -> None:
    assert {path.name for path in REPORTS} >= {"deb2.10-1_h20.json", "json_h_overflow.json", "negative_forced.json"}
    if RECORDED.is_dir():
        assert len(REPORTS) >= 24
        assert len(OTHERS) >= 14


@pytest.mark.parametrize(
    ("report", "twin"),
    [
        ("json_h_overflow.json", "json_h_overflow.stdout"),
        ("deb2.10-1_h20.json", "deb2.10-1_h20.stdout"),
        ("json_smp_h.json", "json_smp_h.stdout"),
        ("json_H.json", "json_H.stdout"),
        ("json_N_h.json", "json_N_h.stdout"),
        ("deb2.6-1.1_h60.json", "deb2.6-1.1_json_h60.stdout"),
        ("deb2.10-1_h60.json", "deb2.10-1_json_h60.stdout"),
        ("deb2.10-1_N_h8.json", "deb2.10-1_json_N_h8.stdout"),
        ("deb2.6-1.1_N_h8.json", "deb2.6-1.1_json_N_h8.stdout"),
        ("json_stdout_q.txt", "json_stdout_q.txt"),
        ("json_stdout_mixed.txt", "json_stdout_mixed.txt"),
    ],
)
def test_what_is_beyond_the_bins_is_what_the_text_of_the_run_says(report: str, twin: str) -> None:
    folder = SMALL if (SMALL / report).exists() and (SMALL / twin).exists() else RECORDED
    if not folder.is_dir():
        pytest.skip("no log collection: set RTLAT_LOGS")
    (run,) = parse((folder / report).read_bytes())
    footer = re.search(r"^# Histogram Overflows:((?: \d+)+)$", (folder / twin).read_text("utf-8"), re.MULTILINE)
    assert footer
    overflows = [int(number) for number in footer[1].split()]
    found = [row["n"] for name in run.series for row in rows(run, name, "bin") if row["high"] == math.inf]
    assert found == overflows[: len(run.series)]
    assert len(overflows) in (len(found), len(found) + 1)  # -H adds a sum


@pytest.mark.parametrize("name", ["deb2.6-1.1_quote_invalid.json", "deb2.10-1_noh_starved_invalid.json"])
def test_what_rt_tests_writes_is_not_always_json(name: str) -> None:
    text = (SMALL / name).read_text("utf-8")
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    (run,) = parse(text)
    assert {row["n"] for series in run.series for row in rows(run, series, "summary")} <= {974, 650, 200}


def test_a_thread_without_a_sample_says_nothing() -> None:
    (run,) = parse((SMALL / "deb2.10-1_noh_starved_invalid.json").read_bytes())
    assert rows(run, "t0", "summary") == rows(run, "t0", "bin") == []
    assert run.series["t0"]["n"] == 0
    assert run.warnings == ["line 20: t0 has no sample"]
    with pytest.raises(LogError, match=r"^log:21: found no sample in any thread, expected at least one sample$"):
        parse((SMALL / "json_no_samples_invalid.json").read_bytes())


def test_a_negative_latency_takes_minimum_maximum_and_average_with_it() -> None:
    recording = rtlat.read(SMALL / "negative_forced.json")
    open_ended = recording.records[recording.records["high"] == math.inf]
    assert open_ended["n"].tolist() == [308, 500]
    assert open_ended["low"].tolist() == [-math.inf, -math.inf]
    assert "max -230, avg 922337203685477632.00" in recording.runs["warnings"][0]


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_report_of_another_tool(path: Path) -> None:
    text = path.read_text("utf-8")
    report = json.loads(text)
    tool = report["cmdline:"].split()[0]
    if tool in NO_LATENCY:
        with pytest.raises(
            UnsupportedFormatError, match=rf"^log:3: found JSON of {tool}, expected JSON of a tool that"
        ):
            parse(text)
        return
    (run,) = parse(text)
    assert (run.tool, set(run.rows.arrays()["quantity"])) == (tool, {MEASURED[tool]})
    old_oslat = tool == "oslat" and report["rt_test_version:"] == "2.40"
    scale = 1 if "-W 500" in report["cmdline:"] else 1000
    for name, thread in report["thread"].items():
        figures = thread.get("receiver", thread)
        series = f"cpu{thread['cpu']}" if tool == "oslat" else f"t{name}"
        bins = {round(float(label) * 1000): n for label, n in thread.get("histogram", {}).items()}
        n = thread["sender"]["samples"] if "sender" in thread else thread.get("cycles", sum(bins.values()))
        # up to 2.4 oslat adds a microsecond to what it prints as extremes
        low, high = (figures[key] * scale - 1000 * old_oslat for key in ("min", "max"))
        (row,) = rows(run, series, "summary")
        assert row["n"] == (10 if tool == "rt-migrate-test" else n)  # it was run with -l 10
        assert row["high"] == high
        if tool == "cyclicdeadline":
            assert row["low"] == (min(bins) if bins else -math.inf)  # its min starts anew after a latency of 0
        else:
            assert row["low"] == low
        if tool == "oslat":
            assert math.isnan(row["avg"])
            assert [found["high"] for found in rows(run, series, "bin")[:-1]] == sorted(bins)[:-1]
            assert rows(run, series, "bin")[-1]["high"] == math.inf
            assert [found["n"] for found in rows(run, series, "bin")] == list(bins.values())
        else:
            assert row["avg"] == float(Decimal(str(figures["avg"])) * 1000)
        assert (row["of"] == "part") == (tool == "signaltest" and name != "0")
        assert re.search(r'"(?:max|cycles)": ', text.split("\n")[row["line"] - 1])
    assert (run.facts["ended"], run.rejected.total) == ("complete", 0)


@pytest.mark.parametrize(
    ("tool", "facts", "series"),
    [
        ("pmqtest", {"version": "2.4"}, {"cpu": 1, "priority": 80, "n": 1238, "policy": "fifo", "period": 1_500_000.0}),
        ("signaltest", {"variant": "json, ring of 2 threads"}, {"n": 2929}),
        ("oslat_210", {"version": "2.10", "duration": 2.012, "overflow_policy": "clamped into last bin"}, None),
    ],
)
def test_facts_of_other_tools(tool: str, facts: dict[str, Any], series: dict[str, Any] | None) -> None:
    (run,) = parse((SMALL / f"tool_{tool}.json").read_bytes())
    assert {name: run.facts[name] for name in facts} == facts
    assert series is None or run.series["t1"] == series


def test_a_thread_of_another_tool_without_a_sample_says_nothing() -> None:
    text = (SMALL / "tool_signaltest.json").read_text("utf-8")
    first = text.index('"cycles": 2929')
    fresh = text[:first] + text[first:].replace("2929", "0", 1).replace(": 26,", ": 1000000,", 1)
    fresh = fresh.replace('"max": 336', f'"max": {2**64 - 1_000_000}').replace("48.93", "-nan")
    (run,) = parse(fresh)
    assert rows(run, "t0", "summary") == []
    assert "line 21: t0 has no sample" in run.warnings
    pair = (SMALL / "tool_pmqtest.json").read_text("utf-8")
    (run,) = parse(pair.replace('"min": 3,', '"min": -1,', 1).replace("4.06", "nan").replace('"max": 58', '"max": 0'))
    assert rows(run, "t0", "summary") == []
    with pytest.raises(LogError, match="found no sample in any thread"):
        parse(re.sub(r'"max": \d+', '"max": -1', pair))


def test_a_receiver_that_may_time_out_is_told() -> None:
    text = (SMALL / "tool_pmqtest.json").read_text("utf-8")
    (run,) = parse(text.replace("-q --json", "-T 1 --json"))
    assert run.warnings == ["a receiver that timed out (-T) counts as a latency without its whole seconds"]


@pytest.mark.parametrize(
    ("name", "before", "after", "warning"),
    [
        (
            "pmqtest",
            '"avg": 4.06',
            '"avg": 59.06',
            "line 31: t0 has min 3000, avg 59060 and max 58000 ns, which contradict",
        ),
        ("signaltest", '"min": 26', '"min": 260', "line 21: t0 has min 260000, avg 48930 and max 336000 ns"),
        ("oslat_210", '"min": 0', '"min": 3', "line 23: cpu1 has minimum 3000 and maximum 37124000 ns"),
        ("oslat_210", '"max": 37124', '"max": 3', "line 23: cpu1 has minimum 0 and maximum 3000 ns"),
        ("oslat_210", '"8": 1222', '"9": 1222', "line 23: cpu1 has minimum 0 and maximum 37124000 ns"),
    ],
)
def test_other_tools_contradict_themselves_too(name: str, before: str, after: str, warning: str) -> None:
    text = (SMALL / f"tool_{name}.json").read_text("utf-8")
    assert before in text
    (run,) = parse(text.replace(before, after, 1))
    assert any(said.startswith(warning) for said in run.warnings), run.warnings


def test_a_bucket_is_the_last_one_if_the_command_line_says_so() -> None:
    text = (SMALL / "tool_oslat_210.json").read_text("utf-8")
    (run,) = parse(text.replace('"8": 1222', '"8": 0').replace("37124", "6"))
    assert [row["high"] for row in rows(run, "cpu1", "bin")][-1] == 7000.0
    assert run.warnings == []
    (run,) = parse(text.replace("-b 8", "-b 8 -B"))  # where the buckets start is not told
    assert rows(run, "cpu1", "bin")[0]["low"] == 0
    assert rows(run, "cpu1", "bin")[-1]["high"] == math.inf


def test_text_around_the_json_is_counted() -> None:
    text = (SMALL / "json_stdout_q.txt").read_text("utf-8")
    (run,) = parse(text)
    before, rest = text.split("{\n", 1)
    after = rest.rsplit("\n}\n", 1)[1]
    around = [line for part in (before, after) for line in part.split("\n") if line.strip()]
    assert run.ignored.reasons == {"text around the JSON": [len(around), 1]}


def test_several_reports_are_several_runs() -> None:
    one, two = ((SMALL / name).read_text("utf-8") for name in ("deb2.10-1_h20.json", "deb2.10-1_N_h8.json"))
    runs = parse(f"first\n{one}between\n{two}after\n")
    assert [run.facts["printed_unit"] for run in runs] == ["us", "ns"]
    assert [run.ignored.total for run in runs] == [2, 1]
    (quoted,) = parse("".join(f"> {line}\n" for line in one.splitlines()))
    assert quoted.quoted
    assert not runs[0].quoted


# facts

REPORT = """{{
  "file_version": 1,
  "cmdline:": "{command}",
  "rt_test_version:": "{version}",
  "start_time": "Mon, 30 Nov 2026 23:59:50 +0100",
  "end_time": "{end}",
  "return_code": {code},
  "sysinfo": {{
    "nodename": "secret",
    "release": "6.1.0",
    "version": "{kernel}",
    "realtime": {realtime}
  }},
  "num_threads": 2,
  "resolution_in_ns": 0,
  "thread": {{
    "0": {{
      "histogram": {{
        "4": 90,
        "5": 9,
        "7": 1
      }},
      "cycles": 100,
      "min": 4,
      "max": 7,
      "avg": 4.12,
      "cpu": 2,
      "node": 0
    }},
    "1": {{
      "histogram": {{
        "3": 40,
        "5": 10
      }},
      "cycles": 60,
      "min": 3,
      "max": 29,
      "avg": 7.00,
      "cpu": 3,
      "node": 0
    }}
  }}
}}
"""
STATED = {
    "command": "cyclictest -t2 -h20 -l100",
    "version": "2.40",
    "end": "Tue, 01 Dec 2026 00:00:00 +0100",
    "code": "0",
    "kernel": "#1 SMP PREEMPT_DYNAMIC Debian",
    "realtime": "0",
}


def report(**changes: str) -> str:
    return REPORT.format(**(STATED | changes))


def run_of(**changes: str) -> Run:
    (run,) = parse(report(**changes))
    return run


@pytest.mark.parametrize(
    ("changes", "fact", "value"),
    [
        ({}, "version", "2.4"),
        ({"version": "2.10"}, "version", "2.1 or 2.10"),
        ({"version": "1.11"}, "version", "1.11"),
        ({}, "approach", None),
        ({"realtime": "1"}, "approach", "PREEMPT_RT"),
        ({"kernel": "#1 SMP PREEMPT_RT Debian"}, "approach", "PREEMPT_RT"),
        ({"kernel": "#2 SMP PREEMPT RT Sun Jul 26"}, "approach", "PREEMPT_RT"),
        ({}, "kernel", "6.1.0 #1 SMP PREEMPT_DYNAMIC Debian"),
        ({}, "duration", 10.0),
        ({"end": "Mon, 30 Nov 2026 23:00:00 +0000"}, "duration", 10.0),
        ({"end": "tomorrow"}, "duration", None),
        ({"end": "Mon, 30 Nov 2026 23:59:40 +0100"}, "duration", None),
        ({}, "started", "Mon, 30 Nov 2026 23:59:50 +0100"),
        ({}, "period", 1_000_000.0),
        ({"command": "cyclictest -t2 -H 20 -i200 -d7"}, "period", 200_000.0),
        ({"command": "cyclictest -t2"}, "period", None),
        ({"command": "cyclictest -t2 -h20 -b 28"}, "threshold", 28_000.0),
        ({}, "ended", "complete"),
        ({"command": "cyclictest -h20 -l101"}, "ended", "interrupted"),
        ({"command": "cyclictest -h20 -l101 -b28"}, "ended", "stopped at threshold"),
        ({"command": "cyclictest -h20 -l101 -b29"}, "ended", "interrupted"),
        ({"command": "cyclictest -h20 -D10"}, "ended", "complete"),
        ({"command": "cyclictest -h20 --duration=1m"}, "ended", "interrupted"),
        ({"command": "cyclictest -h20 -D1m", "end": "?"}, "ended", "unknown"),
        ({"command": "cyclictest -h20"}, "ended", "interrupted"),
        ({"command": ""}, "ended", "unknown"),
        ({"code": "1"}, "ended", "unknown"),
    ],
)
def test_facts(changes: dict[str, str], fact: str, value: Any) -> None:
    assert run_of(**changes).facts.get(fact) == value


def test_the_name_of_the_machine_stays_where_it_is() -> None:
    run = run_of()
    assert "secret" in report()
    assert "secret" not in repr((run.facts, run.series, run.warnings))


def test_each_thread_has_its_own_period_unless_there_is_a_histogram() -> None:
    periods = [series["period"] for series in run_of(command="cyclictest -t2 -i100").series.values()]
    assert periods == [100_000.0, 600_000.0]


def test_an_unusual_return_code_is_told() -> None:
    assert run_of(code="1").warnings == ["line 7: return_code is 1, not 0"]


# what lies beyond the bins


@pytest.mark.parametrize("command", ["cyclictest -h20", "cyclictest -Sh 20", "cyclictest --histofall=20 -q"])
def test_the_limit_stands_in_the_command_line(command: str) -> None:
    run = run_of(command=command)
    (row,) = (row for row in rows(run, "t1", "bin") if row["high"] == math.inf)
    assert (row["low"], row["n"]) == (20_000.0, 10)
    assert run.warnings == []


def test_without_a_limit_only_the_highest_bin_is_certain() -> None:
    run = run_of(command="cyclictest")
    (row,) = (row for row in rows(run, "t1", "bin") if row["high"] == math.inf)
    assert (row["low"], row["n"]) == (6_000.0, 10)
    assert [warning.partition(": ")[0] for warning in run.warnings] == ["line 35"]


def test_a_limit_below_the_bins_is_not_the_limit() -> None:
    run = run_of(command="cyclictest -h5")
    (row,) = (row for row in rows(run, "t1", "bin") if row["high"] == math.inf)
    assert row["low"] == 6_000.0
    assert "line 23: t0 has bins beyond the limit in the command line, 5, which is not used" in run.warnings


def test_an_empty_histogram_without_a_limit_is_no_histogram() -> None:
    bare = re.sub(r'(?m)^        "\d+": .*\n', "", report(command="cyclictest"))
    (run,) = parse(bare)
    assert rows(run, "t0", "bin") == rows(run, "t1", "bin") == []
    assert [row["n"] for name in ("t0", "t1") for row in rows(run, name, "summary")] == [100, 60]
    without = re.sub(r'(?m)^      "histogram": \{\n      \},\n', "", bare.replace('"cyclictest"', '"cyclictest -h9"'))
    assert '"histogram"' not in without
    (run,) = parse(without)
    assert rows(run, "t0", "bin") == []


@pytest.mark.parametrize(
    ("before", "after", "warning"),
    [
        ('"4": 90', '"4": 91', "line 23: t0: the bins hold 101 observations, cycles is 100"),
        ('"7": 1', '"8": 1', "line 23: t0: max is 7, the highest bin 8"),
        ('"min": 4', '"min": 5', "line 23: t0: min is 5, the lowest value in the histogram 4"),
        ('"min": 4', '"min": 8', "line 23: t0: min 8 is above max 7"),
        ('"avg": 4.12', '"avg": 4.22', "line 23: t0: avg is 4.22, the bins allow 4.12 to 4.12"),
        ('"5": 9,', '"5": 8,', "line 23: t0: the bins hold 99 of 100 observations, but max 7 is not beyond them"),
        ('"avg": 7.00', '"avg": 7.60', "line 35: t1: avg is 7.60, the bins allow 6.32 to 7.67"),
        ('"num_threads": 2', '"num_threads": 3', "line 14: num_threads is 3, not 2"),
        ('"file_version": 1', '"file_version": 2', "line 2: file_version is 2, not 1"),
    ],
)
def test_a_contradiction_is_told_with_both_numbers(before: str, after: str, warning: str) -> None:
    (run,) = parse(report().replace(before, after, 1))
    assert run.warnings == ([] if after == '"avg": 7.60' else [warning])


@pytest.mark.parametrize("bin_line", ['        "4": 90,\n', '        "5": 9,\n', ',\n        "7": 1'])
def test_a_lost_bin_makes_the_table_incomplete(bin_line: str) -> None:
    (run,) = parse(report().replace(bin_line, "\n" if bin_line.startswith(",") else "", 1))
    assert run.facts["ended"] == "cut" or run.warnings
    assert all(row["n"] != 100 for row in rows(run, "t0", "bin"))


# damage


@pytest.mark.parametrize("name", ["deb2.10-1_h20.json", "deb2.6-1.1_quote_invalid.json", "negative_forced.json"])
def test_a_cut_log_gives_the_threads_that_are_complete(name: str) -> None:
    text = (SMALL / name).read_text("utf-8")
    (whole,) = parse(text)
    for length in range(len(text.rstrip())):
        complete = [f"t{index}" for index, _ in enumerate(re.findall(r"\n    \}", text[:length]))]
        if "thread" in text[:length] and complete:
            (run,) = parse(text[:length])
            assert run.facts["ended"] == "cut"
            assert list(run.series) == complete
            for series in complete:
                for kind in ("bin", "summary"):
                    assert str(rows(run, series, kind)) == str(rows(whole, series, kind))
        elif length:
            with pytest.raises(LogError, match="^log(:\\d+)?: found .*") as error:
                parse(text[:length])
            assert "\n" not in str(error.value)


def test_a_number_is_never_misread() -> None:
    lines = report().splitlines(keepends=True)
    (whole,) = parse(report())
    right = {str(row) for name in whole.series for kind in ("bin", "summary") for row in rows(whole, name, kind)}
    for number, line in enumerate(lines):
        damaged = "".join([*lines[:number], re.sub(r": (\d)", r": x\1", line, count=1), *lines[number + 1 :]])
        refused = ""
        try:
            (run,) = parse(damaged)
        except LogError as error:
            refused = str(error)
        assert refused == "" or refused.startswith(f"log:{number + 1}: ")
        if not refused:
            kept = {str(row) for name in run.series for kind in ("bin", "summary") for row in rows(run, name, kind)}
            assert kept == right


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"min": 4,', '"min": 4', r"log:25: found '\"max\": 7,', expected , or } of JSON"),
        ('"cycles": 100', '"cycles": 9223372036854775808', "log:23: found more than 2^63 - 1 observations in thread 0"),
        ('"cycles": 100', '"cycles": 100.5', "log:23: found cycles 100.5, expected a whole number"),
        ('"cycles": 100,', "", "log:17: found no cycles, expected a whole number"),
        ('"4": 90', '"4": 99999999999999999999', "log:19: found 99999999999999999999 is beyond 2^63 - 1"),
        ('"4": 90', '"4": 9223372036854775807', "log:23: found more than 2^63 - 1 observations in thread 0"),
        ('"4": 90', '"4": -90', "log:19: found '-90' is no count"),
        ('"4": 90', '"4.5": 90', "log:20: found '5' is no count among others with 1 decimals"),
        ('"5": 9', '"5.0": 9', "log:20: found '5.0' is no count among others with 0 decimals"),
        ('"5": 9', '".5": 9', "log:20: found '.5' is no count"),
        ('"5": 9', '"4": 9', "log:20: found 4 twice (first in line 19), expected it once"),
        ('"7": 1', '"1000000": 1', "log:21: found bin 1000000, beyond the largest histogram of cyclictest"),
        ('"max": 7', '"min": 7', "log:25: found 'min' twice (first in line 24), expected it once"),
        ('"max": 7', '"max": seven', "log:25: found max seven, expected a whole number"),
        ('"max": 7', '"max": 99999999999999999999', "log:25: found max 99999999999999999999"),
        ('"avg": 4.12', '"avg": -nan', "log:26: found avg '-nan' is no number"),
        ('"avg": 4.12', '"avg": [4.12]', "log:26: found avg '[' is no number, expected a number"),
        ('"resolution_in_ns": 0', '"resolution_in_ns": 10', "log:15: found resolution_in_ns 10, expected 0 (us) or"),
        ('"resolution_in_ns": 0', '"resolution": 0', "log: found no resolution_in_ns, expected 0 (us) or 1 (ns)"),
        ('"0": {', '"CPU 0": {', "log:17: found thread 'CPU 0', expected a number"),
    ],
)
def test_damage_is_one_line_that_says_where(before: str, after: str, message: str) -> None:
    assert before in report()
    with pytest.raises(LogError) as error:
        parse(report().replace(before, after, 1))
    assert str(error.value).startswith(message.replace('\\"', '"'))
    assert "\n" not in str(error.value)


def test_deep_nesting_is_refused_without_recursion() -> None:
    deep = report().replace('"node": 0', '"node": ' + '{"a": ' * 100_000, 1)
    with pytest.raises(LogError, match=r"^log:28: found '\{\"a\": \{\"a\""):
        parse(deep)


def test_endless_members_are_refused() -> None:
    more = ",\n".join(f'"k{number}": 1' for number in range(100_001))
    with pytest.raises(LogError, match="found more than 100000 members"):
        parse('{"rt_test_version:": "2.40",\n' + more)


def test_a_command_line_may_be_damaged_in_every_way() -> None:
    for command in ('a"b', 'x", "thread": {"0": {"cycles": 5}}, "y": "', "\\", "C:\\new", 'quote\\"', "{"):
        run = run_of(command=f"cyclictest -h20 -l100 --json={command}")
        assert run.facts["command"].startswith("cyclictest -h20 -l100 --json=")
        assert [row["n"] for row in rows(run, "t0", "bin")] == [90, 9, 1]


def test_reformatted_json_is_the_same_run() -> None:
    (whole,) = parse(report())
    for other in (json.dumps(json.loads(report())), json.dumps(json.loads(report()), indent=8, sort_keys=True)):
        (run,) = parse(other)
        assert run.facts == whole.facts
        assert run.series == whole.series
        for series in run.series:
            for kind in ("bin", "summary"):
                found, right = (rows(r, series, kind) for r in (run, whole))
                strip = [[{**row, "line": 0} for row in part] for part in (found, right)]
                assert str(strip[0]) == str(strip[1])


def test_a_second_report_that_is_cut_does_not_cost_the_first() -> None:
    (run,) = parse(report() + report()[:300])
    assert run.facts["ended"] == "complete"
    assert run.warnings == ["the log ends inside another JSON object, which is not read"]
