"""rteval's summary.xml: the histogram of each CPU that cyclictest measured under load, with the machine it ran on.

::

    <rteval version="3.8"><run_info days="0" hours="0" minutes="1" seconds="2"><date>2024-08-18</date>...
    <Measurements><Profile ...><cyclictest command_line="cyclictest -i100 -qmu -h 2000 -p95 -t -a">
      <system description="..."><statistics>...</statistics><histogram nbuckets="28">...</histogram></system>
      <core id="0" priority="95"><statistics><samples>60000</samples><minimum unit="us">2</minimum>...</statistics>
        <histogram nbuckets="21"><bucket index="2" value="171"/>...

A bucket is a microsecond. What rteval calculates is compared, not kept: its median has been wrong for odd and even
counts. ``system`` is the sum of the cores. A maximum beyond the buckets makes 3.2 and later leave all of it out,
while older ones drop what is beyond. The ``timerlat`` of 3.x adds interrupt, thread and user latencies into one
histogram, which says nothing of any of them. A document type declaration is refused: rteval writes none, and
entities could make the text as large as they like.

Sources: rteval ``rteval/modules/measurement/cyclictest.py``, ``rteval/rtevalReport.py``, ``rteval/sysinfo``.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from rtlat import cyclictest, schema
from rtlat.errors import LogError
from rtlat.formats._rteval_document import Element, elements
from rtlat.protocol import Format, Run
from rtlat.source import Source

_SKIPS_OVERFLOW = (3, 2)


@dataclass(slots=True)
class _Core:
    """One histogram with the statistics beside it."""

    name: str
    line: int
    priority: str = ""
    buckets: list[tuple[int, int, int]] = field(default_factory=list)
    statistics: dict[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Samples in the buckets."""
        return sum(count for _, count, _ in self.buckets)


@dataclass(slots=True)
class _Report:
    """What the elements say, as they end."""

    said: dict[str, str] = field(default_factory=dict)
    loads: list[str] = field(default_factory=list)
    cores: list[_Core] = field(default_factory=list)
    gathered: _Core = field(default_factory=lambda: _Core("", 0))
    damaged: list[tuple[str, int]] = field(default_factory=list)
    empty: int = 0
    mixed: int = 0
    whole: bool = False

    def take(self, element: Element) -> None:
        """Read one element."""
        path, attributes = element.path, element.attributes
        name, above = path[-1], path[-2] if len(path) > 1 else ""
        if name == "bucket" and above == "histogram":
            self._bucket(element)
        elif above == "statistics":
            self.gathered.statistics[name] = element.text.strip(), element.line
        elif name in ("core", "system") and above in ("cyclictest", "timerlat"):
            core, self.gathered = self.gathered, _Core("", 0)
            core.name = "all" if name == "system" else f"cpu{attributes.get('id', '?')}"
            core.line, core.priority = element.line, attributes.get("priority", "")
            if above == "cyclictest":
                self.cores.append(core)
        elif name == "cyclictest":
            self.said["command"] = attributes.get("command_line", "")
            self.empty = self.empty or element.line
        elif name == "timerlat":
            self.mixed = self.mixed or element.line
        elif name == "breaktrace":
            self.said["threshold"] = attributes.get("latency_threshold", "")
        elif name == "run_info":
            self.said |= {key: attributes.get(key, "0") for key in ("days", "hours", "minutes", "seconds")}
        elif name == "command_line" and above == "loads" and attributes.get("name"):
            self.loads.append(attributes["name"])
        elif name == "kernel" and above == "uname":
            self.said |= {"kernel": element.text.strip(), "is_RT": attributes.get("is_RT", "")}
        elif name in ("date", "time", "annotate", "cmdline"):
            self.said.setdefault(name, element.text.strip())
        elif path == ("rteval",):
            self.said["version"] = attributes.get("version", "")
            self.whole = True

    def _bucket(self, element: Element) -> None:
        """Keep one bucket, if it is above the one before."""
        try:
            index, count = (schema.count(element.attributes.get(key, "")) for key in ("index", "value"))
        except ValueError as error:
            self.damaged.append((str(error), element.line))
            return
        buckets = self.gathered.buckets
        if index > cyclictest.LARGEST_LIMIT or (buckets and index <= buckets[-1][0]):
            self.damaged.append((f"bucket {index}, which does not follow the one before", element.line))
        elif count:
            buckets.append((index, count, element.line))


def parse(source: Source) -> Iterator[Run]:
    """Yield the run of a report.

    Raises
    ------
    LogError
        If it is no XML, declares a document type, or has no histogram of one latency.

    Examples
    --------
    >>> log = b'''<rteval version="3.8"><Measurements><cyclictest command_line="cyclictest -i100 -qmu -h 2000">
    ... <core id="3" priority="95"><statistics><samples>3</samples><median unit="us">5.5</median></statistics>
    ... <histogram nbuckets="3"><bucket index="1" value="1"/><bucket index="10" value="1"/>
    ... <bucket index="20" value="1"/></histogram></core></cyclictest></Measurements></rteval>'''
    >>> (run,) = parse(Source(None, "summary.xml", log))
    >>> rows = run.rows.arrays()
    >>> rows["series"].tolist(), rows["low"].tolist(), run.warnings
    (['cpu3', 'cpu3', 'cpu3'], [1000.0, 10000.0, 20000.0], ['line 2: cpu3: median is 5.5, the buckets give 10'])
    """
    report = _Report()
    for element in elements(source):
        report.take(element)
    cores = [core for core in report.cores if core.name != "all"]
    cores = [core for core in cores or report.cores if core.buckets]
    if not cores:
        raise _nothing(source.name, report)
    yield _run(source.name, report, cores)


def _nothing(where: str, report: _Report) -> LogError:
    """Why a report has no histogram that can be read."""
    expected = "a histogram of cyclictest's"
    if report.mixed:
        found = "a timerlat histogram, which adds interrupt, thread and user latencies"
        return LogError(where, found, expected, "read the output of rtla itself", report.mixed)
    if report.empty:
        remedy = "rteval leaves it out if a latency is beyond its buckets: run it with more"
        return LogError(where, "a cyclictest element without one", expected, remedy, report.empty)
    return LogError(where, "no histogram", expected)


def _run(where: str, report: _Report, cores: list[_Core]) -> Run:
    """The run of a report."""
    run = Run("cyclictest")
    asked = cyclictest.asked(report.said.get("command", ""))
    run.facts = _facts(report, asked)
    for message, line in report.damaged:
        run.rejected.add("damaged bucket", line)
        if line == report.damaged[0][1]:
            run.warnings.append(f"line {line}: {message}; {len(report.damaged)} buckets could not be read")
    if not report.whole:
        run.warnings.append("the log is cut: it holds the cores that are complete")
    if report.mixed:
        run.warnings.append(f"line {report.mixed}: timerlat's histogram adds three latencies and is not read")
    for core in cores:
        if core.n > schema.LARGEST_COUNT:
            raise LogError(where, f"{core.n} samples of {core.name}", "at most 2^63 - 1", line=core.line)
        for index, count, line in core.buckets:
            run.rows.add(core.name, "thread", "bin", 1e3 * index, 1e3 * (index + 1), n=count, line=line)
        run.series[core.name] = _series(core, report.said.get("command", ""), asked)
        _check(run, core)
    return run


def _series(core: _Core, command: str, asked: cyclictest.Asked) -> dict[str, Any]:
    """The columns of series that a core states."""
    series: dict[str, Any] = {"n": core.n}
    if core.name.removeprefix("cpu").isdigit():
        series["cpu"] = int(core.name.removeprefix("cpu")[:6])
    if core.priority.isdigit():
        series["priority"] = int(core.priority[:3])
    if command:
        series["period"] = asked.period(0)
    return series


def _check(run: Run, core: _Core) -> None:
    """Compare what rteval calculates with its own buckets."""
    totals = list(accumulate(count for _, count, _ in core.buckets))
    n = totals[-1]
    middle = [core.buckets[bisect_left(totals, rank)][0] for rank in ((n + 1) // 2, n // 2 + 1)]
    mean = sum(index * count for index, count, _ in core.buckets) / n
    lowest, highest = core.buckets[0][0], core.buckets[-1][0]
    right: dict[str, tuple[float, ...]] = {
        "samples": (n,),
        "minimum": (lowest,),
        "maximum": (highest,),
        "mean": (mean,),
        "median": (*middle, sum(middle) / 2),
    }
    for name, values in right.items():
        text, line = core.statistics.get(name, ("", 0))
        if not re.fullmatch(r"\d{1,18}(?:\.\d{1,18})?", text):
            continue
        if not any(math.isclose(float(text), value, rel_tol=1e-6, abs_tol=1e-9) for value in values):
            run.warnings.append(f"line {line}: {core.name}: {name} is {text}, the buckets give {values[0]:g}")
            if name == "samples":
                run.facts["ended"] = "cut"
            if name == "maximum" and int(float(text)) > highest:  # only cyclictest itself can have told it
                run.facts["overflow_policy"] = "dropped"
                run.rows.add(core.name, "thread", "summary", -math.inf, 1e3 * float(text), line=line)


def _facts(report: _Report, asked: cyclictest.Asked) -> dict[str, Any]:
    """The columns of runs that the report states."""
    said = report.said
    started = " ".join(filter(None, (said.get("date"), said.get("time"))))
    facts: dict[str, Any] = {
        "variant": "rteval",
        "version": f"rteval {said['version']}" if said.get("version") else "",
        "command": said.get("command", ""),
        "kernel": said.get("kernel", ""),
        "cmdline": said.get("cmdline", ""),
        "note": said.get("annotate", "")[:500],
        "started": started,
        "load": f"rteval: {', '.join(report.loads[:8])}" if report.loads else "",
        "context": "user",
        "printed_unit": "us",
        "unit_basis": "documented",
        "resolution": 1000.0,
        "rounding": "truncated",
        "bin_edges": "given",
        "ended": "complete" if report.whole and not report.damaged else "cut",
        "evidence": "log",
    }
    if said.get("is_RT") == "1":
        facts["approach"] = "PREEMPT_RT"
    if said.get("command"):
        facts["period"] = asked.period(0)
    if said.get("threshold", "").isdigit():
        facts["threshold"] = 1e3 * int(said["threshold"][:9])
        facts["ended"] = "stopped at threshold" if facts["ended"] == "complete" else facts["ended"]
    parts = [said.get(key, "0") for key in ("days", "hours", "minutes", "seconds")]
    if all(re.fullmatch(r"\d{1,6}", part) for part in parts) and any(map(int, parts)):
        days, hours, minutes, seconds = map(int, parts)
        facts["duration"] = float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
        facts["duration_basis"] = "printed"
    version = tuple(int(part) for part in re.findall(r"\d{1,4}", said.get("version", ""))[:2])
    if version < _SKIPS_OVERFLOW:
        facts["overflow_policy"] = "dropped"
    return {name: value for name, value in facts.items() if value != ""}


FORMAT = Format(
    name="rteval_xml",
    title="rteval: summary.xml",
    gives="bins of thread latency, for each CPU",
    versions="rteval 2.1 to 3.8; untested on real logs",
    words=("<rteval",),
    marks=(re.compile(r"\s*(?:<\?xml .{0,200}\?>\s*)?<rteval[ >]"),),
    parse=parse,
)
