"""What hwlatdetect prints: gaps in a loop that spins with interrupts off, where they exceed its threshold.

::

    hwlatdetect:  test duration 8 seconds
       detector: tracer
       parameters:
            Latency threshold: 10us
            Sample window:     1000000us
            Sample width:      500000us
    test finished
    Max Latency: 33953us                                              or: Below threshold
    Samples recorded: 8
    Samples exceeding threshold: 8
    ts: 1796058540.370195829, inner:12348, outer:13769                also alone, in the file of --report
    ts: 1796058540.370195829, inner:12348, outer:13769, cpu:1, count:3

A line stands for a window in which a gap exceeded the threshold: the longest within two reads of the clock
(inner), the longest between two pairs of reads (outer). The greater of both is one observation over the
threshold; count, on newer kernels, is how many there were. Nothing tells how many gaps did not exceed it, so
there are no percentiles. Of each window only the width is watched.

Source: rt-tests ``src/hwlatdetect/hwlatdetect.py``, Linux ``kernel/trace/trace_hwlat.c``, recorded output of 2.4.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rtlat.errors import LogError
from rtlat.protocol import Format, Run
from rtlat.source import Line, Source

_START = re.compile(r"\s*hwlatdetect: +test duration (\d{1,9}) seconds\s*$", re.ASCII)
_NUMBERS = {
    "threshold": re.compile(r"\s*Latency threshold: +(\d{1,12})us\s*$", re.ASCII),
    "window": re.compile(r"\s*Sample window: +(\d{1,12})us\s*$", re.ASCII),
    "width": re.compile(r"\s*Sample width: +(\d{1,12})us\s*$", re.ASCII),
    "max": re.compile(r"\s*Max Latency: (\d{1,12})us\s*$", re.ASCII),
    "recorded": re.compile(r"\s*Samples recorded: (\d{1,18})\s*$", re.ASCII),
    "exceeding": re.compile(r"\s*Samples exceeding threshold: (\d{1,18})\s*$", re.ASCII),
    "smis": re.compile(r"\s*SMIs during run: (\d{1,18})\s*$", re.ASCII),
}
_BELOW = re.compile(r"\s*Max Latency: Below threshold\s*$")
_INTERRUPTED = re.compile(r"\s*interrupted\s*$")
_GAP = re.compile(
    r"\s*ts: (\d{1,12})\.\d{9}, inner:(\d{1,12}), outer:(\d{1,12})(?:, cpu:(\d{1,5}))?(?:, count:(\d{1,18}))?\s*$",
    re.ASCII,
)
_LIKE = re.compile(r"\s*(?:ts: ?\d|Max Latency:|Samples (?:recorded|exceeding))")
_US = 1000.0


@dataclass(slots=True)
class _OpenRun:
    """A run whose lines are still coming in; `said` has its numbers and `places` their lines."""

    run: Run = field(default_factory=lambda: Run("hwlatdetect", facts=_facts()))
    said: dict[str, int] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    gaps: list[int] = field(default_factory=list)
    exceeding: int = 0
    unquoted: bool = False

    def gap(self, match: re.Match[str], line: Line) -> None:
        """Add a window's longest gap."""
        longest, n = max(int(match[2]), int(match[3])), int(match[5] or 1)
        series = f"cpu{int(match[4])}" if match[4] else "all"
        if match[4]:
            self.run.series[series] = {"cpu": int(match[4])}
        self.gaps.append(longest)
        self.exceeding += n
        value, number = longest * _US, line.number
        self.run.rows.add(series, "hwlat", "sample", value, value, n=1, of="over", line=number)
        if n > 1:
            self.run.rows.add(series, "hwlat", "window", -math.inf, value, n=n - 1, of="over", line=number)

    def finish(self) -> Run | None:
        """Return the run; None if it says nothing of gaps."""
        run, said = self.run, self.said
        if "threshold" in said:
            run.facts["threshold"] = said["threshold"] * _US
        if said.keys() >= {"window", "width"}:
            run.facts["note"] = f"watched {said['width'] / 1e6:g} s of every {said['window'] / 1e6:g} s"
        if said.get("smis"):
            run.warnings.append(
                f"line {self.places['smis']}: {said['smis']} system management interrupts during the run"
            )
        if "max" in said:
            value, line = said["max"] * _US, self.places["max"]
            run.rows.add("all", "hwlat", "summary", -math.inf, value, line=line)
        elif "below" in said:
            line = self.places["below"]
            run.rows.add("all", "hwlat", "summary", -math.inf, math.inf, n=0, of="over", line=line)
            if "threshold" in said:  # gaps are cut to microseconds before they are compared
                run.rows.add("all", "hwlat", "bin", -math.inf, said["threshold"] * _US + _US, line=line)
            run.warnings.append("no gap exceeded the threshold")
        if self.gaps:
            run.warnings.append("only gaps above the threshold are recorded, the longest of each window")
        run.facts["ended"] = self._ended()
        run.quoted = not self.unquoted
        return run if len(run.rows) else None

    def _ended(self) -> str:
        """How the run ended; warnings say what is missing or contradicts itself."""
        said, warn = self.said, self.run.warnings.append
        if not said.keys() & {"max", "below"}:
            return "unknown" if self.gaps and "duration" not in self.run.facts else "cut"
        wrong = False
        for name, found in (
            ("recorded", len(self.gaps)),
            ("exceeding", self.exceeding),
            ("max", max(self.gaps, default=0)),
        ):
            if name in said and said[name] != found:
                wrong = True
                what = "the longest gap is" if name == "max" else f"samples {name}:"
                warn(f"line {self.places[name]}: {what} {said[name]}, the lines of gaps say {found}")
        missing = [name for name in ("recorded", "exceeding") if name not in said]
        return "cut" if wrong or missing else "interrupted" if "interrupted" in said else "complete"


def _facts() -> dict[str, Any]:
    """What holds of every run."""
    return {
        "context": "kernel",
        "evidence": "log",
        "printed_unit": "us",
        "unit_basis": "documented",
        "resolution": _US,
        "rounding": "truncated",
    }


def parse(source: Source) -> Iterator[Run]:
    """Yield the runs of a log.

    Raises
    ------
    LogError
        If it says nothing of gaps.

    Examples
    --------
    >>> log = b'''hwlatdetect:  test duration 900 seconds
    ...         Latency threshold: 10us
    ... Max Latency: 48us
    ... Samples recorded: 1
    ... Samples exceeding threshold: 1
    ... ts: 1646837351.550312752, inner:48, outer:45
    ... '''
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> [*zip(rows["kind"].tolist(), rows["of"].tolist(), rows["low"].tolist(), rows["high"].tolist())]
    [('sample', 'over', 48000.0, 48000.0), ('summary', 'all', -inf, 48000.0)]
    >>> run.facts["threshold"], run.facts["ended"]
    (10000.0, 'complete')
    """
    runs: list[Run] = []
    open_run = _OpenRun()
    for line in source.lines():
        if _START.match(line.text) and (open_run.said or len(open_run.run.rows)):
            finished = open_run.finish()
            runs += [finished] if finished else []
            open_run = _OpenRun()
        _take(open_run, line)
    last = open_run.finish()
    runs += [last] if last else []
    if not runs:
        raise LogError(source.name, "no result of hwlatdetect", "a line like 'Max Latency: 48us' or 'Below threshold'")
    if not last:
        runs[-1].ignored.merge(open_run.run.ignored)
        runs[-1].rejected.merge(open_run.run.rejected)
    yield from runs


def _take(run: _OpenRun, line: Line) -> None:
    """Take a line."""
    text = line.text
    if not line.whole and not _BELOW.match(text):
        run.run.rejected.add("cut last line", line.number)
        return
    if gap := _GAP.match(text):
        run.gap(gap, line)
        run.unquoted |= line.quote == 0
        return
    if start := _START.match(text):
        run.run.facts |= {"duration": float(start[1]), "duration_basis": "requested"}
    for name, pattern in _NUMBERS.items():
        if match := pattern.match(text):
            run.said[name], run.places[name] = int(match[1]), line.number
            run.unquoted |= line.quote == 0
            return
    if _BELOW.match(text):
        run.said["below"], run.places["below"] = 0, line.number
        run.unquoted |= line.quote == 0
    elif _LIKE.match(text):
        run.run.rejected.add("damaged line", line.number)
    elif text.strip():
        run.said |= {"interrupted": 1} if _INTERRUPTED.match(text) else {}
        run.run.ignored.add("not of the result", line.number)


FORMAT = Format(
    name="hwlatdetect",
    title="hwlatdetect",
    gives="gaps over the threshold, and the longest",
    versions="rt-tests 2.4 (tracer)",
    words=("test duration", "inner:", "Max Latency: ", "Samples exceeding"),
    marks=(_START, _GAP, _BELOW, _NUMBERS["max"], _NUMBERS["exceeding"]),
    parse=parse,
)
