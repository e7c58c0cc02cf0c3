"""Lines of the kernel's tracers: against plain regular expressions, the kernel's own maxima, and damage."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, SHARED

import rtlat
from rtlat.errors import LogError
from rtlat.formats.tracer_lines import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

GUEST = "logs/recorded/other-tools/guest-6.12.117-rt/"
OURS = ROOT / "tests/data/tracers"

# what `grep -c` counts in each log: irq, thread, osnoise lines, hwlat lines, noise events by source, sample_threshold
COUNTED = {
    GUEST + "tracefs-timerlat.trace.txt": {"irq": 194, "thread": 193},
    GUEST + "tracefs-timerlat-with-osnoise-events.txt": {
        "irq": 88,
        "thread": 87,
        "irq_noise": 127,
        "thread_noise": 85,
    },
    GUEST + "trace-cmd-report-timerlat.head300.txt": {"irq": 68, "thread": 67, "irq_noise": 99, "thread_noise": 65},
    GUEST + "rtla612-timerlat_trace.head300.txt": {"irq": 1, "thread": 1, "irq_noise": 3, "thread_noise": 1},
    GUEST + "rtla612-osnoise_trace.head300.txt": {"noise": 15, "irq_noise": 2},
    GUEST + "tracefs-osnoise.trace.txt": {"noise": 10, "period_noise": 10},
    GUEST + "tracefs-hwlat.trace.txt": {"hwlat": 6},
    "logs/public/other-tools/kerneldoc-osnoise.txt": {"noise": 8, "period_noise": 8},
}

CONTEXTS = {"irq": "irq", "thread": "thread", "user-ret": "user", "0": "irq", "1": "thread", "2": "user"}

Statement = tuple[str, str, int, int, int]
"""Series, quantity, value [ns], activation number, line."""


def parse(text: str | bytes, keep: int = 1_000_000) -> list[Run]:
    return list(FORMAT.parse(Source(None, "trace", text.encode() if isinstance(text, str) else text, keep)))


def stated(runs: Iterable[Run]) -> list[Statement]:
    """What the runs state, by line."""
    found = []
    for run in runs:
        rows = run.rows.arrays()
        columns = (rows[name].tolist() for name in ("series", "quantity", "high", "seq", "line"))
        found += [(s, q, int(high), seq, line) for s, q, high, seq, line in zip(*columns, strict=True)]
    return sorted(found, key=lambda row: (row[4], row[1]))


def by_hand(text: str) -> list[Statement]:
    """The same by the simplest means: a regular expression for each kind of line."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        cpu = re.search(r"\[(\d{3})\]", line)
        series = f"cpu{int(cpu[1])}" if cpu else ""
        if hit := re.search(r"(?:#|seq:)(\d+)\s+context(?: +|:)(\S+)\s+timer_latency(?: +|:)(\d+)", line):
            found.append((series, CONTEXTS[hit[2]], int(hit[3]), int(hit[1]), number))
        elif hit := re.search(r"(\w+_noise): .*duration (\d+) ns", line):
            found.append((series, hit[1], int(hit[2]), -1, number))
        elif hit := re.search(r"sample_threshold: .*duration (\d+) ns", line):
            found.append((series, "noise", int(hit[1]), -1, number))
        elif hit := re.search(r"#(\d+) +inner/outer\(us\): +(\d+)/(\d+)", line):
            found.append((series, "hwlat", 1000 * max(int(hit[2]), int(hit[3])), int(hit[1]), number))
        elif hit := re.search(r": (\d+) +(\d+) +\d+\.\d{5} +(\d+)  ", line):
            found.append((series, "noise", 1000 * int(hit[3]), -1, number))
            found.append((series, "period_noise", 1000 * int(hit[2]), -1, number))
    return found


@pytest.mark.parametrize("name", COUNTED)
def test_every_log_against_plain_expressions(name: str) -> None:
    path = SHARED / name
    if not path.exists():
        pytest.skip("no log collection: set RTLAT_LOGS")
    runs = parse(path.read_bytes())
    assert stated(runs) == by_hand(path.read_text())
    assert Counter(row[1] for row in stated(runs)) == COUNTED[name]
    assert sum(run.rejected.total for run in runs) == 0
    lines = len(path.read_text().splitlines())
    assert sum(run.ignored.total for run in runs) + len({row[4] for row in stated(runs)}) == lines


@pytest.mark.parametrize(("trace", "step"), [("timerlat", 1_000), ("osnoise", 1_000), ("hwlat", 1_000_000)])
def test_the_kernel_s_own_maximum(logs: Path, trace: str, step: int) -> None:
    """tracing_max_latency is in us; hwlat gives it us where it expects ns, so that of hwlat is in ms."""
    folder = logs.parent / GUEST
    largest = int((folder / f"tracefs-{trace}.max_latency.txt").read_text())
    runs = parse((folder / f"tracefs-{trace}.trace.txt").read_bytes())
    assert max(value for _, quantity, value, _, _ in stated(runs) if quantity != "period_noise") // step == largest


def test_what_the_traces_say_of_themselves(logs: Path) -> None:
    timerlat, noise = parse((logs.parent / GUEST / "tracefs-timerlat-with-osnoise-events.txt").read_bytes())
    assert (timerlat.tool, noise.tool) == ("timerlat", "osnoise")
    # the guest's uname says PREEMPT_RT; the trace does by the flags in its header
    assert timerlat.facts["approach"] == noise.facts["approach"] == "PREEMPT_RT"
    assert timerlat.facts["resolution"] == noise.facts["resolution"] == 1.0
    assert timerlat.facts["duration"] == pytest.approx(67.661217 - 67.615096)
    assert timerlat.series == {"cpu0": {"cpu": 0}, "cpu1": {"cpu": 1}}
    rows = timerlat.rows.arrays()
    assert rows["time"].min() == 0.0
    at = rows["line"].tolist().index(21)  # `[000] ....1    67.616374: #2     context thread timer_latency    364241 ns`
    assert rows["time"][at] == pytest.approx(67.616374 - 67.615096)
    (osnoise,) = parse((logs / "public/other-tools/kerneldoc-osnoise.txt").read_bytes())
    assert "approach" not in osnoise.facts
    assert osnoise.facts["window"] == 1.0
    assert osnoise.facts["duration"] == pytest.approx(1.0 + 81.638326 - 81.637220)
    rows = osnoise.rows.arrays()
    windows = rows["kind"] == "window"
    assert set(rows["low"][windows]) == {-np.inf}
    assert set(rows["n"][windows]) == {-1}
    assert osnoise.facts["rounding"] == "truncated"


def test_only_gaps_above_the_threshold_are_in_a_hwlat_trace() -> None:
    (run,) = parse((OURS / "tracefs-hwlat.trace.txt").read_bytes())
    rows = run.rows.arrays()
    assert set(rows["of"]) == {"over"}
    # #1 inner/outer(us): 5557/12242 and #2 inner/outer(us): 9102/8331
    assert dict(zip(rows["seq"].tolist(), rows["high"].tolist(), strict=True))[1] == 12_242_000.0
    assert dict(zip(rows["seq"].tolist(), rows["high"].tolist(), strict=True))[2] == 9_102_000.0
    assert run.facts["resolution"] == 1000.0
    assert "duration" not in run.facts
    assert any(f"6 of {595 + 190 + 103 + 105 + 77 + 90}" in warning for warning in run.warnings)
    recording = rtlat.read(OURS / "tracefs-hwlat.trace.txt")
    summary = rtlat.summary_json(recording, ["99"])["runs"][0]["series"]
    assert {series["series"]: series["max"]["low"] for series in summary}["cpu1"] == 28039.0
    assert {series["percentiles"]["99"]["status"] for series in summary} == {"refused"}


HWLAT = """# tracer: hwlat
#
# entries-in-buffer/entries-written: {0}/{0}   #P:56
"""
GAP = "      <...>-88    [001] dn...   613.749741: #1 inner/outer(us):{}41/40{}   ts:1702045267.016266287{}count:9976\n"


@pytest.mark.parametrize("breaks", [(" ", "", " "), ("\n", "", " "), (" ", "\n", " "), (" ", "", "\n")])
@pytest.mark.parametrize("quote", ["", ">> "])
def test_a_mailer_breaks_lines(breaks: tuple[str, str, str], quote: str) -> None:
    text = HWLAT.format(1) + GAP.format(*breaks) + "\n" + HWLAT.format(0)
    first, nothing = parse("".join(quote + line for line in text.splitlines(keepends=True)))
    assert stated([first]) == [("cpu1", "hwlat", 41_000, 1, 4)]
    assert first.rejected.total == 0
    assert first.quoted == nothing.quoted == bool(quote)
    rows = nothing.rows.arrays()
    assert (rows["n"].tolist(), rows["of"].tolist()) == ([0], ["over"])
    assert any("no gap exceeded" in warning for warning in nothing.warnings)


def test_a_trace_wrapped_at_72_characters_and_quoted() -> None:
    text = (OURS / "tracefs-timerlat-with-osnoise-events.head60.txt").read_text()
    wrapped = []
    for line in text.splitlines():
        at = line.rfind(" ", 0, 72) if len(line) > 72 and not line.startswith("#") else len(line)
        wrapped += [line[:at], line[at + 1 :]] if at < len(line) else [line]
    runs = parse("".join(f"> {line}\n" for line in wrapped))
    assert [row[:4] for row in stated(runs)] == [row[:4] for row in by_hand(text)]
    assert sum(run.rejected.total for run in runs) == 0


def trace(*lines: str) -> str:
    """Lines of a timerlat trace from such as `0 irq 1 900`; others as they are."""
    found = []
    for number, line in enumerate(lines):
        words = line.split()
        if len(words) == 4 and words[0].isdigit():
            cpu, context, seq, latency = words
            begin = f"          <idle>-0       [{cpu:0>3}] d.h1.  {100 + number / 1000:.6f}"
            line = f"{begin}: #{seq:<5} context {context:>6} timer_latency {latency:>9} ns"
        found.append(line + "\n")
    return "".join(found)


def test_activations_are_paired_by_number_not_by_position() -> None:
    (run,) = parse(trace("0 irq 1 900", "1 irq 1 800", "1 thread 1 2800", "0 thread 1 2900", "0 user-ret 1 3900"))
    assert [row[:4] for row in stated([run])] == [
        ("cpu0", "irq", 900, 1),
        ("cpu1", "irq", 800, 1),
        ("cpu1", "thread", 2800, 1),
        ("cpu0", "thread", 2900, 1),
        ("cpu0", "user", 3900, 1),
    ]
    assert run.facts["context"] == "user"
    assert all("#1, the tracer's start" in warning for warning in run.warnings)


@pytest.mark.parametrize(
    ("lines", "warning"),
    [
        (
            ("0 irq 5 900", "0 thread 5 800"),
            "line 2: the thread of #5 on cpu0 woke 800 ns after the timer, its interrupt",
        ),
        (("0 irq 5 900", "0 thread 5 990", "0 irq 8 900", "0 thread 8 990"), "4 lines of activations are absent"),
        (("0 irq 5 900", "CPU:0 [LOST 7 EVENTS]", "CPU:1 [LOST 2 EVENTS]"), "line 2: 9 events were lost"),
        (("0 irq 5 900", "CPU:7 [204600 EVENTS DROPPED]"), "204600 events were lost"),
        (("0 irq 5 900", "CPU:7 [LOST EVENTS]"), "an unknown number of events were lost"),
        (
            ("# entries-in-buffer/entries-written: 1/50   #P:2", "0 irq 5 900"),
            "line 1: of 50 entries written only the last 1 were still in the buffer",
        ),
        (("# osnoise is tainted!", "0 irq 5 900"), "tainted"),
        (("0 irq 5 900", "0 irq 6 9x0"), "1 lines could not be read (the first is line 2)"),
    ],
)
def test_what_is_absent_or_contradicts_is_a_warning(lines: tuple[str, ...], warning: str) -> None:
    (run,) = parse(trace(*lines))
    assert any(warning in told for told in run.warnings), run.warnings
    assert len([told for told in run.warnings if "#1" not in told]) == 1


def test_numbers_that_begin_again_are_another_run() -> None:
    one, other = parse(trace("# tracer: timerlat", "0 irq 7 900", "0 irq 8 950", "0 irq 1 300", "0 irq 2 400"))
    assert [row[2] for row in stated([one])] == [900, 950]
    assert [row[2] for row in stated([other])] == [300, 400]
    assert any("begin again" in warning for warning in other.warnings)


def test_an_activation_told_by_tracer_and_tracepoint_counts_once() -> None:
    head = "      timerlat/1-279   [001] d..1.  146.0285{}: {}"
    (run,) = parse(
        "cpus=2\n"
        + "".join(
            head.format(number, told) + "\n"
            for number, told in enumerate(
                (
                    "timerlat_sample:      timer_latency=785801 seqnum=20 context=0",
                    "timerlat:             seq:20\tcontext:0\ttimer_latency:785801",
                    "timerlat_sample:      timer_latency=857164 seqnum=20 context=1",
                    "timerlat:             seq:20\tcontext:1\ttimer_latency:857164",
                    "sched_switch:         prev_comm=swapper/3 prev_pid=0 prev_prio=120",
                ),
                11,
            )
        )
    )
    assert [row[:4] for row in stated([run])] == [("cpu1", "irq", 785801, 20), ("cpu1", "thread", 857164, 20)]
    assert run.ignored.reasons["activation told a second time"] == [2, 3]
    assert run.ignored.reasons["other event of the trace"] == [1, 6]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "hwlat:                cnt:3\tts:1796058440.0924136599\tinner:8\touter:12\tcount:2\tnmi-ts:0\tnmi-count:0",
            12_000,
        ),
        ("#3     inner/outer(us):   12/9     ts:1499801098.138150062", 12_000),  # before Linux 5.8
        ("#3     inner/outer(us): 12/9     ts:1499801098.138150062 count:2 nmi-total:4 nmi-count:1", 12_000),
        ("osnoise:              noise:190\tmax_sample:9\thw:18\tnmi:0\tirq:1007\tsoftirq:18\tthread:1", 9_000),
        (
            "osnoise:osnoise_sample: runtime=1000000 noise=190 max_sample=9 hw_count=18 irq_count=1007 nmi_count=0 "
            "softirq_count=18 thread_count=1",
            9_000,
        ),
        ("1000000        190  99.98100       9     18      0   1007     18      1", 9_000),
        ("osnoise:sample_threshold: start 81.612142 duration 1 ns interference 0", None),
        ("osnoise:nmi_noise: start 81.612142001 duration 300 ns", 300),
        ("softirq_noise:    TIMER:1 start 100.000000123 duration 700 ns", 700),
        ("thread_noise: Web Content x:99 start 100.000000123 duration 0 ns", 0),
    ],
)
def test_every_dialect(line: str, expected: int | None) -> None:
    text = f"Web Content -4242 ( 4242) [011] d..h1. 81.637220: {line}\n"
    assert any(mark.match(text) for mark in FORMAT.marks)
    if expected is None:
        with pytest.raises(LogError, match="a trace without a latency or noise"):
            parse(text)
        return
    (run,) = parse(text)
    (row, *_) = stated([run])
    assert (row[0], row[2], row[4]) == ("cpu11", expected, 1)


@pytest.mark.parametrize(
    "prefix",
    [
        "timerlat/0   278 [000]   146.029016: ",  # perf script
        "      timerlat/0-278   [000]   146.029016123: ",  # trace-cmd report -t
        "  <...>-278 (-------) [000] .... 146.029016: ",  # with the thread group
        "kworker/u8:2-ev-278 [000] d..h213 146.029016: ",
    ],
)
def test_every_prefix(prefix: str) -> None:
    (run,) = parse(f"{prefix}osnoise:timerlat_sample: timer_latency=857164 seqnum=20 context=1\n")
    assert stated([run]) == [("cpu0", "thread", 857164, 20, 1)]


@pytest.mark.parametrize(
    "line",
    [
        "0 irq 6 18446744073709551000",  # less than no time: the kernel counts without sign
        "0 irq 6 99999999999999999999999",
        "0 irq six 900",
        "          <idle>-0       [000] d.h1.  100.5: 1000000    290  99.98100    9    18    0   1007    18    1",
        "          <idle>-0       [000] d.h1.  100.5: #2  context  irq timer_latency",
        "          <idle>-0       [0x0] d.h1.  100.5: #2  context  irq timer_latency 900 ns",
    ],
)
def test_a_damaged_line_is_no_number(line: str) -> None:
    runs = parse(trace("0 irq 5 900", line, "0 irq 7 901"))
    assert [row[2] for row in stated(runs)] == [900, 901]
    assert runs[0].rejected.reasons == {"damaged line": [1, 2]}


def test_a_stopped_trace_is_censored() -> None:
    stop = "      timerlat/0-271     [000] .....   153.270155: timerlat_main: stop tracing hit on cpu 0"
    (run,) = parse(trace("0 irq 5 900", "0 thread 5 227008", stop))
    assert run.facts["ended"] == "stopped at threshold"
    assert [row[2] for row in stated([run])] == [900, 227008]


def test_fewer_entries_than_the_buffer_held_is_a_cut_log() -> None:
    text = (OURS / "tracefs-hwlat.trace.txt").read_text()
    (whole,) = parse(text)
    assert whole.facts["ended"] == "unknown"
    (run,) = parse(text[: text.index("           <...>-186     [000] dl...    29.929344")])
    assert run.facts["ended"] == "cut"
    assert any("6 entries were in the buffer, the log shows 5" in warning for warning in run.warnings)


def test_a_clock_that_counts_no_seconds_gives_no_time() -> None:
    (run,) = parse("<idle>-0 [000] d.h1. 1234567: #3 context irq timer_latency 900 ns\n")
    assert np.isnan(run.rows.arrays()["time"]).all()
    assert "duration" not in run.facts


def test_traces_of_several_tracers_in_one_log() -> None:
    logs = [(OURS / name).read_text() for name in ("tracefs-hwlat.trace.txt", "tracefs-osnoise.trace.txt")]
    hwlat, osnoise, again = parse(logs[0] + "the same with another load:\n\n" + logs[1] + "\n" + logs[0])
    assert (hwlat.tool, osnoise.tool, again.tool) == ("hwlat", "osnoise", "hwlat")
    assert [row[2] for row in stated([hwlat])] == [row[2] for row in stated([again])]
    assert "approach" not in hwlat.facts
    assert osnoise.facts["approach"] == "PREEMPT_RT"


def test_no_latency_is_an_error() -> None:
    with pytest.raises(LogError, match="trace: found a trace without a latency or noise, expected lines such as"):
        parse("# tracer: timerlat\n#\n# entries-in-buffer/entries-written: 0/0   #P:2\n")


def test_many_samples_are_counted_by_value() -> None:
    text = (OURS / "tracefs-timerlat-with-osnoise-events.head60.txt").read_text()
    runs = parse(text, keep=5)
    expected = Counter(row[:3] for row in by_hand(text))
    found: Counter[tuple[str, str, int]] = Counter()
    for run in runs:
        rows = run.rows.arrays()
        rows = {name: column[rows["kind"] == "bin"] for name, column in rows.items()}
        assert run.facts["bin_edges"] == "samples"
        assert (rows["high"] - rows["low"] == 1.0).all()
        for series, quantity, low, n in zip(
            *(rows[k].tolist() for k in ("series", "quantity", "low", "n")), strict=True
        ):
            found[series, quantity, int(low)] += n
    assert found == expected


@pytest.mark.parametrize(
    "path", sorted(path for path in OURS.glob("*.txt") if "wakeup" not in path.name), ids=lambda path: path.name
)
def test_a_trace_cut_anywhere_states_its_whole_lines(path: Path) -> None:
    data = path.read_bytes()
    whole = by_hand(data.decode())
    ends = [at.end() for at in re.finditer(rb"\n", data)]
    for number, end in enumerate(ends, 1):
        before = [row for row in whole if row[4] < number]
        expected = [row for row in whole if row[4] <= number]
        inside = data.rfind(b"\n", 0, end - 1) + 1
        last = [digit.end() for digit in re.finditer(rb"\d(?=\d)", data[inside:end])]
        for cut in [end, *(inside + place for place in last[-1:])]:
            try:
                runs = parse(data[:cut])
            except LogError:
                assert not before
                continue
            kept = stated(runs)
            assert kept == expected if cut == end else kept in (before, expected)
            if kept == before and before != expected:
                assert any("cut last line" in run.rejected.reasons for run in runs)
                assert runs[0].facts["ended"] == "cut"


def test_hostile_lines_cost_no_time() -> None:
    lines = ("[000] " * 20_000, " " * 120_000 + "#1 context", "a-1 " * 30_000, "x-1 [000] 1.1: " + "1 " * 60_000)
    with pytest.raises(LogError):
        parse("\n".join(("# tracer: timerlat", *lines)) + "\n")  # quadratic in these would be minutes


def test_the_numbers_of_a_summary(logs: Path) -> None:
    path = logs.parent / GUEST / "tracefs-timerlat.trace.txt"
    values = sorted(row[2] for row in by_hand(path.read_text()) if row[:2] == ("cpu1", "thread"))
    (run,) = rtlat.summary_json(rtlat.read(path), ["50", "90"])["runs"]
    (series,) = [s for s in run["series"] if (s["series"], s["quantity"]) == ("cpu1", "thread")]
    assert series["n"] == len(values) == 97
    assert series["max"]["low"] == series["max"]["high"] == values[-1] / 1000
    assert series["percentiles"]["50"]["low"] == values[(50 * 97 + 99) // 100 - 1] / 1000
    assert series["percentiles"]["90"]["high"] == values[(90 * 97 + 99) // 100 - 1] / 1000
    assert series["mean"]["low"] == pytest.approx(sum(values) / 97 / 1000)
