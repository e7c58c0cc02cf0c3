"""What ``stress-ng --cyclic`` prints: statistics, percentiles and, with ``--cyclic-dist``, a histogram of latencies.

::

    stress-ng: info:  [289] cyclic: sched SCHED_FIFO: 100000 ns delay, 10000 samples
    stress-ng: info:  [289] cyclic:   mean: 420188.23 ns, mode: 83252 ns
    stress-ng: info:  [289] cyclic:   min: 41554 ns, max: 10306630 ns, std.dev. 1072222.65
    stress-ng: info:  [289] cyclic:   99.90%:    8578155 ns
    stress-ng: info:  [289] cyclic: Note: --cyclic-samples needed to be 10928 to capture all the data for this run

All of it is about the samples that were captured: the first of the run, 10000 unless ``--cyclic-samples`` says more,
and only those of the first instance. A percentile p of n samples is the sorted sample floor(p * n), counted from 0:
with 10000 samples the 99.99 % is the maximum. The delay is slept between two measurements, so it is no period.

Source: stress-ng ``stress-cyclic.c``. Before ``int64_t`` buckets (in 0.15 and older) negative latencies drop out of
the histogram; later a few of them fall into its first bucket.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rtlat import schema
from rtlat.errors import LogError
from rtlat.formats._stress_report import Report
from rtlat.protocol import Format, Run, Tally
from rtlat.source import Line, Source

# `stress-ng: 19:41:38.98 info:  [12837] cyclic: ...` with --timestamp
_LINE = re.compile(
    r"(?:stress-ng: +)?(?:[\d:.]{1,16} +)?(?:info|debug|metrc|metric|warn|fail): +\[(\d{1,10})\] +(.*?) *$"
)
_CYCLIC = re.compile(r"cyclic:(.*)")
_SCHED = re.compile(r" *sched (\w{1,32})(?: \([^)]{0,128}\))?: (\d{1,10}) ns delay, (\d{1,18}) samples$")
_SAID = {
    "command": re.compile(r"invoked with '(.{1,4000})' by user"),
    "version": re.compile(r"stress-ng (\d[\w.]{1,20})(?: |$)"),
    # `system: Linux vm 6.18.44 #1 SMP PREEMPT_DYNAMIC @0 x86_64`, which also names the host
    "kernel": re.compile(r"system: Linux \S{1,64} (\S{1,128} #.{1,128}?)(?: \w{1,16})?$"),
    "instances": re.compile(r"dispatching hogs: (?:.{0,200}, )?(\d{1,9}) cyclic(?:,|$)"),
    "method": re.compile(r"cyclic: using method '(\w{1,32})'$"),
}
_METRICS = re.compile(r"cyclic +(\d{1,18}) +(\d{1,9}\.\d\d) ")
_PRIORITY = re.compile(r"--cyclic-prio[ =](\d{1,3})\b")
# what instance 0 says beside its results
_CHATTER = re.compile(r" *(?:for best results|can't set|started \[|using method|timeout has not|(?:\[\d+\] )?exited)")


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each report of the cyclic stressor.

    Raises
    ------
    LogError
        If there is no report.

    Examples
    --------
    >>> log = b'''stress-ng: info:  [7] cyclic: sched SCHED_FIFO: 100000 ns delay, 3 samples
    ... stress-ng: info:  [7] cyclic:   mean: 20.00 ns, mode: 10 ns
    ... stress-ng: info:  [7] cyclic:   min: 10 ns, max: 30 ns, std.dev. 8.16
    ... stress-ng: info:  [7] cyclic:   50.00%:         20 ns
    ... '''
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> [*zip(rows["kind"].tolist(), rows["low"].tolist(), rows["n"].tolist(), rows["q"].tolist())]
    [('summary', 10.0, 3, nan), ('quantile', 20.0, -1, 0.5)]
    """
    ignored = Tally()
    said: dict[str, str] = {}
    open_reports: dict[str, Report] = {}
    reports: list[tuple[Report, dict[str, str]]] = []
    for line in source.lines():
        found = _LINE.match(line.text)
        if not found:
            if line.text.strip():
                ignored.add("text around stress-ng's lines", line.number)
            continue
        pid, text = found.groups()
        cyclic = _CYCLIC.match(text)
        if cyclic and (sched := _SCHED.match(cyclic[1])) and line.whole:
            open_reports[pid] = _started(sched, line)
            reports.append((open_reports[pid], said))
            said = dict(said)  # what is said from now on is said of the next run
        elif cyclic and pid in open_reports and not _CHATTER.match(cyclic[1]):
            open_reports[pid].take(cyclic[1], line)
        else:
            ignored.add("lines of stress-ng without latencies", line.number)
            _listen(said, text)
            if reports and (metrics := _METRICS.match(text)):
                reports[-1][0].measured = (int(metrics[1]), float(metrics[2]))
    if not reports:
        raise LogError(source.name, "no report of the cyclic stressor", "a line '... cyclic: sched SCHED_FIFO: ...'")
    for number, (report, heard) in enumerate(reports):
        run = _run(report, heard)
        if not number:
            run.ignored = ignored
        if len(run.rows):
            yield run
        elif len(reports) == 1:
            raise LogError(source.name, "a report that ends before its numbers", "mean, min and max", line=report.line)


def _started(sched: re.Match[str], line: Line) -> Report:
    """A report that begins."""
    return Report(line.number, sched[1].removeprefix("SCHED_").lower(), sched[2], int(sched[3]), line.quote > 0)


def _listen(said: dict[str, str], text: str) -> None:
    """Keep what a line says of the run to come."""
    for key, pattern in _SAID.items():
        if words := pattern.match(text):
            said[key] = words[1]


def _run(report: Report, said: dict[str, str]) -> Run:
    """The run of a report, with what was said before it."""
    run = Run("stress-ng cyclic", quoted=report.quoted)
    # polling the clock wakes nobody up
    report.add_to(run, "unknown" if said.get("method") == "poll" else "thread", int(said.get("instances", "1")))
    run.facts |= {name: said[name] for name in ("command", "version", "kernel") if name in said}
    if re.search("PREEMPT[_ ]RT", said.get("kernel", "")):
        run.facts["approach"] = "PREEMPT_RT"
    if "method" in said:
        run.facts["variant"] += f", method {said['method']}"
    if report.rejected.total:
        first = min(line for _, line in report.rejected.reasons.values())
        run.warnings.append(f"{report.rejected.total} lines could not be read (the first in line {first})")
    thread: dict[str, Any] = {"policy": report.policy, "n": report.n}
    if priority := _PRIORITY.search(said.get("command", "")):
        thread["priority"] = schema.count(priority[1])
    run.series["t0"] = thread
    return run


FORMAT = Format(
    name="stress_ng_cyclic",
    title="stress-ng --cyclic",
    gives="a summary, percentiles and bins of thread latency, of the samples it captured",
    versions="stress-ng 0.15; others by their source",
    words=("cyclic:",),
    marks=(re.compile(r"(?:stress-ng: +)?(?:[\d:.]{1,16} +)?info: +\[\d{1,10}\] +cyclic: *sched \w+"),),
    parse=parse,
)
