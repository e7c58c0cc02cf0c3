"""What oslat prints: how long each pass of a busy loop took, as a histogram for each core.

::

    oslat V 2.40
    Total runtime:          4 seconds
    Global bias set to 1 (us)                                 -B
            Core:    0 1
    Counter Freq:    2445 2445 (Mhz)
        001 (us):    25247568 24108742                        with -W 500: `0.500 (us):`
        ...                                                   -z: empty buckets
        032 (us):    271 361 (including overflows)
         Minimum:    1 1 (us)
         Average:    1.131 1.138 (us)
         Maximum:    36055 40082 (us)
         Max-Min:    36054 40081 (us)
        Duration:    4.014 4.026 (sec)

What a bucket holds, and what Minimum and Maximum are, depends on the version: see ``_rt_tests_oslat``. A run
that is stopped by -T prints nothing but the one latency over the threshold.

Source: rt-tests ``src/oslat/oslat.c`` (write_summary, insert_bucket), and recorded output of 2.4 and 2.10.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rtlat import schema
from rtlat.errors import LogError, printable
from rtlat.formats._rt_tests_oslat import NOTE, Buckets, Core, state, version_of
from rtlat.formats._rt_tests_tools import MICROSECONDS, version
from rtlat.protocol import Format, Run
from rtlat.source import Line, Source

_ROW = re.compile(
    r"\s*(\d{3,9}|\d{1,7}\.\d{3}) \(us\):\s+(\d{1,20}(?: +\d{1,20})*)( +\(including overflows\))?\s*$", re.ASCII
)
_FIELD = re.compile(
    r"\s*(Core|Minimum|Average|Maximum|Max-Min|Duration):\s+(\d{1,20}(?:\.\d{1,9})?(?: +\d{1,20}(?:\.\d{1,9})?)*)"
    r"(?: +\((?:us|sec)\))?\s*$",
    re.ASCII,
)
_LIKE = re.compile(r"\s*(?:\d[\d.]{0,12} \(us|(?:Core|Minimum|Average|Maximum|Max-Min|Duration):)")
_OMITTED = re.compile(r"\s*\.\.\.\s*$")
_HEADER = {
    "version": re.compile(r"(?:\S{0,200}/)?oslat V (\d{1,3}\.\d{1,3})\s*$"),
    "runtime": re.compile(r"Total runtime:\s+(\d{1,9}) seconds"),
    "priority": re.compile(r"Thread priority:\s+SCHED_FIFO:(\d{1,2})\s*$"),
    "workload": re.compile(r"Workload:\s+(\w{1,40})\s*$"),
    "bias": re.compile(r"Global bias set to (\d{1,9}(?:\.\d{3})?) \(us\)\s*$"),
    "exceeded": re.compile(
        r"\S{0,200}oslat: Trace threshold \((\d{1,9}) us\) triggered(?: on cpu (\d{1,5}))?"
        r" with (\d{1,9}(?:\.\d{3})?) us!"
    ),
    "stopping": re.compile(r"Stopping the test\.\s*$"),  # with the line above up to 2.6
}


@dataclass(slots=True)
class _Table:
    """A histogram and what stands around it, as it comes in."""

    run: Run = field(default_factory=lambda: Run("oslat", facts={**MICROSECONDS, "unit_basis": "printed"}))
    header: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cores: list[Core] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    last: int = 0
    omitted: bool = False
    precise: bool = False
    damaged: int = 0
    fields: dict[str, tuple[list[str], int]] = field(default_factory=dict)
    unquoted: bool = False

    def row(self, match: re.Match[str], line: Line) -> None:
        """Take a bucket's row."""
        cells = match[2].split()
        label = round(schema.to_ns(match[1], "us"))
        try:
            counts = [schema.count(cell) for cell in cells]
        except ValueError:
            counts = []
        rises = not self.labels or label > self.labels[-1]
        if len(counts) != len(self.cores) or not rises or self.last or not line.whole:
            self.reject("damaged row" if line.whole else "cut last line", line)
            return
        self.precise |= "." in match[1]
        if self.labels and not self.omitted:
            self.gaps.append(label - self.labels[-1])
        elif not self.labels and self.omitted:
            self.gaps.append(0)  # whatever the width is, rows are missing before the first
        self.labels.append(label)
        self.omitted = False
        self.last = label if match[3] else 0
        for core, count in zip(self.cores, counts, strict=True):
            if count:
                core.buckets[label] = count, line.number

    def field(self, match: re.Match[str], line: Line) -> None:
        """Take a line with one number for each core."""
        name, cells = match[1], match[2].split()
        ended = line.whole and (name == "Core" or ")" in match[0])
        if not ended or name in self.fields or (name != "Core" and len(cells) != len(self.cores)):
            self.reject("damaged line" if line.whole else "cut last line", line)
        elif name == "Core" and not all(cell.isdigit() and len(cell) < 6 for cell in cells):
            self.reject("damaged line", line)
        else:
            self.fields[name] = cells, line.number
            if name == "Core":
                self.cores = [Core(int(cell)) for cell in cells]

    def reject(self, reason: str, line: Line) -> None:
        """Count a line that should be data."""
        self.run.rejected.add(reason, line.number)
        self.damaged = self.damaged or line.number

    def finish(self) -> Run | None:
        """Return the run; None if it holds no pass."""
        run = self.run
        printed = self.header.get("version", ("",))[0]
        run.facts |= {"version": version(printed)} if printed else {}
        workload = self.header.get("workload", ("",))[0]
        run.facts |= {"variant": f"workload {printable(workload)}"} if workload and workload != "no" else {}
        run.quoted = not self.unquoted
        if not self.cores:
            return self._stopped()
        run.facts |= {"bin_edges": "given", "overflow_policy": "clamped into last bin", "note": NOTE}
        if self.precise:
            run.facts |= {"resolution": 1.0}
        complete = self._is_complete()
        buckets = self._buckets(version_of(printed))
        for name, end in (("Minimum", "low"), ("Maximum", "high")):
            for core, cell in zip(self.cores, self.fields.get(name, ([], 0))[0], strict=False):
                if int(cell.partition(".")[0]) < 2**63:  # no pass: 2^64 - 1
                    setattr(core, end, round(schema.to_ns(cell, "us")))
                    core.line = self.fields[name][1]
        for core in self.cores:
            run.series[f"cpu{core.number}"] = self._scheduling()
        agree = state(run, self.cores, buckets, complete) and self._agree()
        run.facts["ended"] = self._ended() if complete and agree else "cut"
        return run if len(run.rows) else None

    def _agree(self) -> bool:
        """Whether the third line of extremes says the same as the first two."""
        cells, line = self.fields.get("Max-Min", ([], 0))
        for core, cell in zip(self.cores, cells, strict=False):
            if core.low is not None and core.high is not None and core.high - core.low != schema.to_ns(cell, "us"):
                self.run.warnings.append(
                    f"line {line}: cpu{core.number} has Max-Min {cell} us, but {core.low} and {core.high} ns"
                )
                return False
        return True

    def _scheduling(self) -> dict[str, Any]:
        """The policy and priority of all threads, if they are real-time."""
        priority = self.header.get("priority")
        return {"policy": "fifo", "priority": int(priority[0])} if priority else {}

    def _stopped(self) -> Run | None:
        """The run that a latency over the threshold stopped: that one is all it prints."""
        if "exceeded" not in self.header:
            return None
        threshold, cpu, value, line = self.header["exceeded"]
        newest = version_of(self.header.get("version", ("",))[0]) >= (2, 10) and "stopping" not in self.header
        added = 0 if newest else 1000 if "." not in value else 1
        high = schema.to_ns(value, "us") - added
        self.run.facts |= {"ended": "stopped at threshold", "threshold": schema.to_ns(threshold, "us")}
        self.run.facts |= {"resolution": 1.0} if "." in value else {}
        self.run.rows.add(f"cpu{cpu}" if cpu else "all", "noise", "sample", high, high, n=1, of="over", line=int(line))
        if cpu:
            self.run.series[f"cpu{cpu}"] = {"cpu": int(cpu), **self._scheduling()}
        return self.run

    def _is_complete(self) -> bool:
        """Whether no line of the table is missing; warnings say what is."""
        warn, width = self.run.warnings.append, self._width()
        missing = [name for name in ("Minimum", "Maximum", "Duration") if name not in self.fields]
        if not self.last:
            warn("the table ends before its last bucket: what was longer, and how often, is not known")
        elif missing:
            warn(f"the table lacks its line of {' and '.join(missing)}")
        uneven = [gap for gap in self.gaps if gap not in (0, width)]
        start = self.labels and 0 not in self.gaps[:1] and self.labels[0] != width + (self._bias() or 0)
        if uneven or start:
            warn("rows of the table are missing")
        if self.damaged:
            warn(f"the table is damaged (line {self.damaged})")
        return not (missing or uneven or start or self.damaged or not self.last)

    def _width(self) -> int:
        """How wide a bucket is: the step of the labels, or all that they are multiples of [ns]."""
        steps = [gap for gap in self.gaps if gap]
        if steps:
            return min(steps)
        unit = 1 if self.precise else 1000
        known = (0, 0) < version_of(self.header.get("version", ("",))[0]) < (2, 5)
        return unit if known else math.gcd(*(label - self._bias() for label in self.labels))

    def _bias(self) -> int:
        """Where the buckets start [ns]."""
        return round(schema.to_ns(self.header["bias"][0], "us")) if "bias" in self.header else 0

    def _buckets(self, number: tuple[int, int]) -> Buckets:
        """How the buckets are laid out."""
        return Buckets(1 if self.precise else 1000, self._width(), self._bias(), self.last, number)

    def _ended(self) -> str:
        """How a complete run ended, by how long it took."""
        seconds = max(float(cell) for cell in self.fields["Duration"][0])
        self.run.facts |= {"duration": seconds, "duration_basis": "printed"}
        runtime = self.header.get("runtime")
        if not runtime:
            return "unknown"
        return "interrupted" if seconds < int(runtime[0]) - 1 else "complete"


def parse(source: Source) -> Iterator[Run]:
    """Yield the runs of a log.

    Raises
    ------
    LogError
        If there is no histogram, and no latency over a threshold.

    Examples
    --------
    >>> log = b'''oslat V 2.40
    ...         Core:\\t 1
    ...     001 (us):\\t 9000
    ...     002 (us):\\t 7 (including overflows)
    ...      Minimum:\\t 1 (us)
    ...      Maximum:\\t 46 (us)
    ...     Duration:\\t 3.000 (sec)
    ... '''
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> [*zip(rows["kind"].tolist(), rows["low"].tolist(), rows["high"].tolist(), rows["n"].tolist())]
    [('bin', 0.0, 1000.0, 9000), ('bin', 1000.0, inf, 7), ('summary', 0.0, 45000.0, 9007)]
    """
    runs: list[Run] = []
    table = _Table()
    for line in source.lines():
        if _begins(table, line):
            finished = table.finish()
            runs += [finished] if finished else []
            table = _Table()
        _take(table, line)
    last = table.finish()
    runs += [last] if last else []
    if not runs:
        raise LogError(source.name, "no result of oslat", "its histogram (a run that is killed prints none)")
    if not last:
        runs[-1].ignored.merge(table.run.ignored)
        runs[-1].rejected.merge(table.run.rejected)
    yield from runs


def _begins(table: _Table, line: Line) -> bool:
    """Whether a line cannot belong to the run so far."""
    if not table.cores:
        return "version" in table.header and bool(_HEADER["version"].match(line.text))
    return bool(_HEADER["version"].match(line.text) or re.match(r"\s*Core:", line.text))


def _take(table: _Table, line: Line) -> None:
    """Take a line into the table it belongs to."""
    if row := _ROW.match(line.text):
        table.row(row, line)
    elif found := _FIELD.match(line.text):
        table.field(found, line)
    elif _OMITTED.match(line.text) and table.cores:
        table.omitted = True
        return
    elif _LIKE.match(line.text):
        table.reject("damaged line" if line.whole else "cut last line", line)
        return
    else:
        for name, pattern in _HEADER.items():
            if match := pattern.match(line.text):
                said = tuple(group or "" for group in match.groups())
                table.header.setdefault(name, (*said, str(line.number)))
                table.unquoted |= name == "exceeded" and line.quote == 0
        if line.text.strip():
            table.run.ignored.add("not of the histogram", line.number)
        return
    table.unquoted |= line.quote == 0


FORMAT = Format(
    name="rt_tests_oslat",
    title="oslat",
    gives="bins and a summary of noise for each core; after -T only the latency that stopped it",
    versions="rt-tests 1.8 to 2.10",
    words=(" (us):", "oslat: Trace threshold"),
    marks=(_ROW, _HEADER["exceeded"]),
    parse=parse,
    elides=True,
)
