"""What a log says of itself, read by the simplest means: one regular expression for one tool's wording.

Nothing of rtlat is used here, and nothing here knows of damage: `make_expectations` writes a table of what these
functions find, and the tests compare rtlat with that table.
"""

from __future__ import annotations

import json
import re
import struct
from decimal import Decimal
from typing import NamedTuple

NS = {"ns": Decimal(1), "us": Decimal(1000), "ms": Decimal(10**6), "s": Decimal(10**9)}


class One(NamedTuple):
    """A series: observations, least and greatest in ns, beyond the last bin; None if the log does not say."""

    n: int | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    over: int | None = None


Runs = list[list[One]]


def plain(data: bytes) -> str:
    """Text with LF, without escape codes, quoting and the prefix of a journal."""
    text = data.decode("utf-16") if data[:2] == b"\xff\xfe" else data.decode("utf-8", "replace")
    text = re.sub(r"\x1bc|\x1b\[[0-9;]*[A-HJKfm]", "\n", text).replace("\r", "\n")
    return re.sub(
        r"^(?:>+ ?)+|^(?:> )+|^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w-]+(?:\[\d+\])?: ", "", text, flags=re.M
    )


def ns(number: str | int, unit: str) -> Decimal:
    return Decimal(str(number)) * NS[unit]


# Xenomai, EVL, RTAI


def rtd(text: str, per_window: int | None = None) -> Runs:
    """RTD and RTS lines, the HSS line of the averages where there is one; cells of a Markdown table alike."""
    text = re.sub(r"[*` ]", "", text).replace(",", ".")
    lines = re.findall(r"^(?:\^C)?\|?RTD\|([-\d.]+)\|([-\d.]+)\|([-\d.]+)\|", text, re.M)
    total = re.findall(r"^\|?RTS\|([-\d.]+)\|([-\d.]+)\|([-\d.]+)\|", text, re.M)
    period = re.search(r"Samplingperiod:(\d+)us|,(\d+)usperiod", text)
    counts = re.search(r"HSS\|avg\|(\d+)", text)
    unit = "ns" if lines and "." not in lines[0][0] else "us"
    each = per_window or (10**6 // int(period[1] or period[2]) if period else None)
    n = int(counts[1]) if counts else each * len(lines) if each and lines else None
    drawn = re.findall(r"^#([-\d.]+)\|([-\d.]+)\|([-\d.]+)\|", text, re.M)
    extremes = [*lines, *total, *drawn]
    low, high = min(Decimal(cells[0]) for cells in extremes), max(Decimal(cells[2]) for cells in extremes)
    return [[One(n, ns(str(low), unit), ns(str(high), unit))]]


def rtai_latency(text: str) -> Runs:
    """lat min, ovl min, lat avg, lat max; the line that ^C prints again is one that was there."""
    lines = re.findall(r"^[\t ]*RTD\| +(-?\d+)\| +-?\d+\| +-?\d+\| +(-?\d+)\|", text, re.M)
    low, high = min(int(low) for low, _ in lines), max(int(high) for _, high in lines)
    period = re.search(r"# period = (\d+) \(ns\)\s+# avrgtime = (\d+) ", text)
    n = len(lines) * int(period[2]) * 10**9 // int(period[1]) if period else None
    return [[One(n, Decimal(low), Decimal(high))]]


def rtai_switches(text: str) -> Runs:
    """Three means, of so many switches each."""
    return [[One(int(n)) for n in re.findall(r"SWITCHES (\d+), SWITCH TIME", text)]]


# rtla


def rtla_histogram(text: str) -> Runs:
    """The footers below a histogram, column by column; a `-` is a column without a sample."""
    unit = "ns" if "nanoseconds" in text else "us"
    foot = {
        name: cells.split()
        for name, cells in re.findall(r"^ *(over|count|min|max): +([-\d. ]+)$", text.split("ALL:")[0], re.M)
    }
    columns = len(foot["count"])
    over = foot.get("over", [None] * columns)
    found = [
        One(int(n), ns(low, unit), ns(high, unit), int(beyond) if beyond else None)
        for n, low, high, beyond in zip(foot["count"], foot["min"], foot["max"], over, strict=True)
        if n not in ("-", "0")
    ]
    return [found]


def rtla_bare(text: str) -> Runs:
    """Without labels the last rows of each column are count, min, avg and max; below them the same of all."""
    lines = [line.split() for line in text.split("\n") if line.strip() and line.lstrip()[0].isdigit()]
    columns = max(map(len, lines))
    count, low, _, high = [line for line in lines if len(line) == columns][-4:]
    return [[One(int(n), ns(least, "us"), ns(most, "us")) for n, least, most in zip(count, low, high, strict=True)]]


def rtla_rows(text: str) -> Runs:
    """A histogram without a summary: its rows."""
    table = [[int(cell) for cell in line.split()] for line in re.findall(r"^\d[\d ]+$", text, re.M)]
    over = [int(cell) for cell in re.search(r"^over:([\d ]+)$", text, re.M)[1].split()]  # type: ignore[index]
    found = []
    for column in range(1, len(table[0])):
        full = [line for line in table if line[column]]
        n = sum(line[column] for line in full) + over[column - 1]
        found.append(One(n, ns(full[0][0], "us"), None, over[column - 1]))
    return [[one for one in found if one.n]]


def rtla_timerlat_top(text: str) -> Runs:
    """A row for each CPU: cur, min, avg, max of each context; # counts the interrupts."""
    found = []
    for cpu in re.findall(r"^ *\d+ #\d+ .*\|.*$", text, re.M):
        n = int(re.search(r"#(\d+)", cpu)[1])  # type: ignore[index]
        for place, cells in enumerate(cpu.split("|")[1:]):
            _, low, _, high = cells.split()
            found.append(One(n if place == 0 else None, ns(low, "us"), ns(high, "us")))
    return [found]


def rtla_osnoise_top(text: str) -> Runs:
    """Max Single of each CPU."""
    return [[One(None, None, ns(line.split()[6], "us")) for line in re.findall(r"^ *\d+ #\d+ .*$", text, re.M)]]


# kernel traces


def timerlat_trace(text: str) -> Runs:
    """A series for each CPU and context, and for each CPU and kind of noise event where such events are traced."""
    values: dict[tuple[str, ...], list[int]] = {}
    for cpu, context, value in re.findall(r"\[(\d+)\].* context +(\w+) +timer_latency +(\d+) ns", text):
        values.setdefault((cpu, context), []).append(int(value))
    for cpu, context, value in re.findall(r"\[(\d+)\].*\scontext:(\d+)\s+timer_latency:(\d+)", text):
        values.setdefault((cpu, context), []).append(int(value))
    runs = [values]
    events: dict[tuple[str, ...], list[int]] = {}
    for cpu, kind, value in re.findall(r"\[(\d+)\].*: (\w+_noise):.* duration (\d+) ns", text):
        events.setdefault((cpu, kind), []).append(int(value))
    runs += [events] if events else []
    return [[One(len(v), Decimal(min(v)), Decimal(max(v)), 0) for v in run.values()] for run in runs]


def osnoise_trace(text: str) -> Runs:
    """For each CPU the largest single noise, and the noise of each period."""
    found: dict[str, list[tuple[int, int]]] = {}
    for cpu, noise, single in re.findall(r"\[(\d+)\] .*: +\d+ +(\d+) +\d+\.\d+ +(\d+) ", text):
        found.setdefault(cpu, []).append((int(noise), int(single)))
    singles = [One(None, None, ns(max(s for _, s in v), "us")) for v in found.values()]
    periods = [One(len(v), ns(min(n for n, _ in v), "us"), ns(max(n for n, _ in v), "us"), 0) for v in found.values()]
    return [[*singles, *periods]]


def noise_events(text: str) -> Runs:
    """A series for each CPU and kind."""
    values: dict[tuple[str, str], list[int]] = {}
    for cpu, kind, value in re.findall(r"\[(\d+)\].*: (\w+):.* duration (\d+) ns", text):
        values.setdefault((cpu, kind), []).append(int(value))
    return [[One(len(v), Decimal(min(v)), Decimal(max(v)), 0) for v in values.values()]]


def hwlat_trace(text: str) -> Runs:
    """inner/outer(us): the greater is a gap; by CPU."""
    found: dict[str, list[int]] = {}
    for cpu, inner, outer in re.findall(r"\[(\d+)\].*inner/outer\(us\): +(\d+)/(\d+)", text):
        found.setdefault(cpu, []).append(max(int(inner), int(outer)))
    return [[One(None, None, ns(max(v), "us")) for v in found.values()]]


def latency_tracer(text: str) -> Runs:
    """The one maximum."""
    return [[One(None, None, ns(re.search(r"# latency: (\d+) us", text)[1], "us"))]]  # type: ignore[index]


# other tools


def jitterdebugger(text: str) -> Runs:
    """results.json: count, min, max of each thread; what the histogram lacks is its overflow."""
    document = json.loads(text)
    step = Decimal(document["sysinfo"]["resolution_in_ns"])
    return [
        [
            One(cpu["count"], cpu["min"] * step, cpu["max"] * step, cpu["count"] - sum(cpu["histogram"].values()))
            for cpu in document["cpu"].values()
        ]
    ]


def jitterdebugger_status(text: str) -> Runs:
    last = {
        t: One(int(c), ns(low, "us"), ns(high, "us"))
        for t, c, low, high in re.findall(r"^T: *(\d+) .*C: *(\d+) Min: *(\d+) .*Max: *(\d+)", text, re.M)
    }
    return [list(last.values())]


def jitterdebugger_csv(text: str) -> Runs:
    """thread;time;value, in a unit that the file does not say."""
    values: dict[str, list[int]] = {}
    for line in text.split():
        values.setdefault(line.split(";")[0], []).append(int(line.split(";")[2]))
    return [[One(len(v), Decimal(min(v)), Decimal(max(v)), 0) for v in values.values()]]


def jitterdebugger_raw(data: bytes) -> Runs:
    values: dict[int, list[int]] = {}
    for thread, _, _, value in struct.iter_unpack("<IqqQ", data):
        values.setdefault(thread, []).append(value)
    return [[One(len(v), Decimal(min(v)), Decimal(max(v)), 0) for v in values.values()]]


def rt_dataset(text: str) -> Runs:
    """The first of `cores` is the axis of classes."""
    latency = json.loads(text)["latency"]
    maxima = latency["maxima"]
    return [[One(None, None, ns(most, "us")) for most, _ in zip(maxima, latency["cores"][1:], strict=True)]]


def stress_ng(text: str) -> Runs:
    n = int(re.search(r"ns delay, (\d+) samples", text)[1])  # type: ignore[index]
    low, high = re.search(r"min: (-?\d+) ns, max: (\d+) ns", text).groups()  # type: ignore[union-attr]
    return [[One(n, Decimal(low), Decimal(high))]]


def rt_app(text: str) -> Runs:
    values = [int(line.split()[-1]) for line in text.split("\n") if line.strip() and not line.startswith("#")]
    return [[One(len(values), ns(min(values), "us"), ns(max(values), "us"), 0)]]


def rttest(text: str) -> Runs:
    values = [int(line.split()[2]) for line in text.split("\n") if line[:1].isdigit()]
    return [[One(len(values), Decimal(min(values)), Decimal(max(values)), 0)]]


def rttest_statistics(text: str) -> Runs:
    low, high = (re.search(rf"{name} latency: (\d+)", text)[1] for name in ("Min", "Max"))  # type: ignore[index]
    return [[One(None, Decimal(low), Decimal(high))]]


def performance_windows(text: str) -> Runs:
    seconds = [s for s in json.loads(text)["analysis_results"] if s["latency_n"]]
    low, high = min(s["latency_min"] for s in seconds), max(s["latency_max"] for s in seconds)
    return [[One(int(sum(s["latency_n"] for s in seconds)), ns(repr(low), "s"), ns(repr(high), "s"))]]


def performance_totals(text: str) -> Runs:
    """Each second repeats all before it: the last is the run."""
    last = [s for s in json.loads(text)["analysis_results"] if s["latency_n"]][-1]
    return [[One(int(last["latency_n"]), ns(repr(last["latency_min"]), "s"), ns(repr(last["latency_max"]), "s"))]]


def bpftrace(text: str) -> Runs:
    """Two maps, one of them with an open last bin."""
    runs = []
    for block in re.split(r"^(?=@)", text, flags=re.M)[1:]:
        found = re.findall(r"^\[(\S+?)[\],]([^|]*?[)\]])? +(\d+) +\|", block, re.M)
        over = sum(int(n) for _, end, n in found if "..." in end)
        runs.append([One(sum(int(n) for *_, n in found), None, None, over)])
    return runs


def bpftrace_json(text: str) -> Runs:
    runs = []
    for line in text.split("\n"):
        for bins in json.loads(line)["data"].values() if '"type": "' in line and "hist" in line else []:
            over = sum(cell["count"] for cell in bins if "max" not in cell)
            runs.append([One(sum(cell["count"] for cell in bins), None, None, over)])
    return runs


def hdr_percentiles(text: str) -> Runs:
    high, n = re.search(r"#\[Max +=\s+([\d.]+), Total count +=\s+(\d+)\]", text).groups()  # type: ignore[union-attr]
    return [[One(int(n), None, Decimal(high), 0)]]


def lava(text: str) -> Runs:
    value = {
        name: ns(us, "us")
        for name, us in re.findall(r"Test Case t0-(\w+)-latency: Test \w+\n *Measurement: ([\d.]+)", text)
    }
    return [[One(None, value["min"], value["max"])]]


def none(text: str) -> Runs:
    """A run that held no observation."""
    return [[]]
