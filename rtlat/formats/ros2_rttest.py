"""What ROS 2's rttest writes: a file with a row for each cycle, and statistics on the console or beside that file.

::

    iteration timestamp latency minor_pagefaults major_pagefaults
    0 0 121538 0 0
    1 1000000 13133 0 0

    Min latency: 6890
    Max latency: 773023
    Mean latency: 44610.9906
    # of samples overrun: 17607

    rttest statistics for pendulum.txt:
      Latency (time after deadline was missed):
        - Min: 7961 ns
        - Max: 1974464 ns
        - Mean: 14049.551050 ns
        - Standard deviation: 131.175455

All in nanoseconds. A timestamp is the iteration times the period, not a clock. The buffer of samples is made for all
iterations before the first one: those that were never run are zeros at the end of the file. The standard deviation
is not kept: the one above goes with a run whose maximum alone would make it more than 6000.

Source: ros2/realtime_support ``rttest/src/rttest.cpp`` (write_results_file, results_to_string).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from rtlat import schema
from rtlat.columns import Array
from rtlat.errors import LogError
from rtlat.protocol import Format, Run, Tally
from rtlat.rows import Rows
from rtlat.source import Line, Source

_HEADING = re.compile(r"iteration timestamp latency minor_pagefaults major_pagefaults\s*$")
_ROW = re.compile(r"(\d{1,18}) (\d{1,18}) (-?\d{1,15}) (\d{1,18}) (\d{1,18})\s*$")
_STATISTICS = re.compile(r"\s*rttest statistics(?: for .{0,4000})?:\s*$")
_BESIDE = re.compile(r"Min latency: -?\d")
_FIGURE = re.compile(r"(?:\s*- )?(Min|Max|Mean)(?: latency)?: (-?\d{1,15}(?:\.\d{1,9})?)(?: ns)?\s*$")
_FIGURE_LIKE = re.compile(r"\s*(?:- (?:Min|Max|Mean):|(?:Min|Max|Mean) latency:)")
_OVERRUN = re.compile(r"# of samples overrun: (\d{1,18})\s*$")
_BATCH = 1 << 16


@dataclass(slots=True)
class _Samples:
    """A file of samples while it is being read; `zeros` are its last rows so far, how many and the first line."""

    line: int
    run: Run
    batch: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    period: int = 0
    highest: int = -1
    n: int = 0
    lost: int = 0
    zeros: tuple[int, int] = (0, 0)

    def take(self, line: Line) -> None:
        """Keep a row, or reject one that is none."""
        row = _ROW.match(line.text)
        if not row or not line.whole:
            self.run.rejected.add("damaged row" if line.whole else "cut last line", line.number)
            return
        iteration, stamp, latency, minor, major = map(int, row.groups())
        self.batch.append((iteration, stamp, latency, minor or major, line.number))
        if len(self.batch) == _BATCH:
            self.flush()

    def flush(self) -> None:
        """Hand the rows read so far over, but those that cannot stand where they do."""
        if not self.batch:
            return
        iteration, stamp, latency, faults, line = np.array(self.batch, np.int64).T
        self.batch.clear()
        self.period = self.period or _period(iteration, stamp)
        right = (stamp % max(self.period, 1) == 0) & (stamp // max(self.period, 1) == iteration)
        before = np.maximum.accumulate(np.append(self.highest, np.where(right, iteration, -1)))[:-1]
        right &= iteration > before  # one damaged iteration must not cost the rows after it
        self._reject("iteration or timestamp out of order", line[~right])
        self.lost += int((iteration - before - 1)[right].sum())
        iteration, latency, faults, line = (column[right] for column in (iteration, latency, faults, line))
        self.highest = max([self.highest, *iteration[-1:].tolist()])
        self._hand_over(iteration, latency, line, (latency != 0) | (faults != 0))

    def _hand_over(self, iteration: Array, latency: Array, line: Array, ran: Array) -> None:
        """Keep the rows that were run; zeros are no samples, and at the end were never run."""
        places = np.flatnonzero(ran)
        zeros = line[places[-1] + 1 :] if len(places) else line
        if len(places):
            self.run.rejected.merge(_tally("zeros between samples", *self.zeros))
            self._reject("zeros between samples", line[: places[-1]][~ran[: places[-1]]])
            self.zeros = 0, 0
            self.run.rows.samples("t0", "thread", latency[ran], line[ran], iteration[ran])
            self.n += len(places)
        self.zeros = self.zeros[0] + len(zeros), self.zeros[1] or int(zeros[:1].sum())

    def _reject(self, reason: str, lines: Array) -> None:
        """Count rows that are no samples."""
        if len(lines):
            self.run.rejected.add(reason, int(lines[0]), len(lines))

    def finished(self) -> Run | None:
        """The run, if it has a sample."""
        self.flush()
        run, (zeros, first) = self.run, self.zeros
        if not self.n:
            return None
        run.facts["variant"] = "samples"
        run.series["t0"] = {"n": self.n}
        if self.period:
            run.series["t0"]["period"] = run.facts["period"] = float(self.period)
        if run.rows.folded:
            run.facts["bin_edges"] = "samples"
        run.facts["ended"] = "unknown"
        if zeros:
            run.facts["ended"] = "interrupted"
            run.warnings.append(f"line {first}: the last {zeros} iterations are zeros, they were never run")
        if "cut last line" in run.rejected.reasons:
            run.facts["ended"] = "cut"
        if run.rejected.total:
            line = min(line for _, line in run.rejected.reasons.values())
            run.warnings.append(f"{run.rejected.total} rows could not be read (the first in line {line})")
        if self.lost:
            run.warnings.append(f"{self.lost} iterations are missing between the others")
        return run


def _period(iteration: Array, stamp: Array) -> int:
    """The period most rows agree on, 0 if no row tells it."""
    told = iteration > 0
    told[told] = stamp[told] % iteration[told] == 0
    periods, counts = np.unique(stamp[told] // iteration[told], return_counts=True)
    return int(periods[np.argmax(counts)]) if len(periods) else 0


def _tally(reason: str, count: int, line: int) -> Tally:
    """A tally of `count` lines."""
    tally = Tally()
    if count:
        tally.add(reason, line, count)
    return tally


@dataclass(slots=True)
class _Statistics:
    """Figures of a run whose samples stand elsewhere, with their line."""

    line: int
    run: Run
    figures: dict[str, tuple[str, int]] = field(default_factory=dict)
    overrun: int = -1

    def take(self, line: Line) -> None:
        """Keep or reject one figure."""
        figure, overrun = _FIGURE.match(line.text), _OVERRUN.match(line.text)
        if line.whole and figure and figure[1] not in self.figures:
            self.figures[figure[1]] = figure[2], line.number
        elif line.whole and overrun and self.overrun < 0:
            self.overrun = int(overrun[1])
        else:
            self.run.rejected.add("damaged figure" if line.whole else "cut last line", line.number)

    def finished(self) -> Run | None:
        """The run, if it has a minimum or a maximum."""
        run, figures = self.run, self.figures
        low, high, mean = (
            schema.to_ns(figures[name][0], "ns") if name in figures else missing
            for name, missing in (("Min", -math.inf), ("Max", math.inf), ("Mean", math.nan))
        )
        if not {"Min", "Max"} & figures.keys() or low > high:
            return None
        run.facts["variant"] = "statistics"
        run.facts["ended"] = "unknown" if len(figures) == len(("Min", "Max", "Mean")) else "cut"
        line = min(line for _, line in figures.values())
        run.rows.add("t0", "thread", "summary", low, high, avg=mean, line=line)
        run.warnings.append("only statistics: how many cycles they are about is not printed")
        if run.facts["ended"] == "cut":
            run.warnings.append(f"line {self.line}: the statistics are not complete")
        if not math.isnan(mean) and not low <= mean <= high:
            run.warnings.append(f"line {figures['Mean'][1]}: mean {mean} lies outside min {low} and max {high}")
        if self.overrun >= 0:
            run.warnings.append(f"{self.overrun} samples overrun, as printed: what is counted there is not documented")
        return run


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each table of samples and for each block of statistics.

    Raises
    ------
    LogError
        If there is neither a readable sample nor a statistic.

    Examples
    --------
    >>> log = b"iteration timestamp latency minor_pagefaults major_pagefaults\\n0 0 121538 0 0\\n1 1000000 13133 0 0\\n"
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> rows["low"].tolist(), rows["seq"].tolist(), run.facts["period"]
    ([121538.0, 13133.0], [0, 1], 1000000.0)
    """
    ignored = Tally()
    runs: list[_Samples | _Statistics] = []
    for line in source.lines():
        last = runs[-1] if runs else None
        if _HEADING.match(line.text):
            runs.append(_Samples(line.number, _started(line, source.keep)))
        elif _STATISTICS.match(line.text) or _BESIDE.match(line.text):
            runs.append(_Statistics(line.number, _started(line, source.keep)))
            if _BESIDE.match(line.text):
                runs[-1].take(line)
        elif (isinstance(last, _Samples) and line.text[:1].isdigit()) or (
            isinstance(last, _Statistics) and (_FIGURE_LIKE.match(line.text) or _OVERRUN.match(line.text))
        ):
            last.take(line)
        elif line.text.strip():
            ignored.add("text around the results", line.number)
    finished = [run for part in runs if (run := part.finished())]
    if not finished:
        raise LogError(source.name, "no result", "rows like '1 1000000 13133 0 0', or 'Min latency: 6890'")
    finished[0].ignored = ignored
    yield from finished


def _started(line: Line, keep: int) -> Run:
    """A run that begins."""
    run = Run("rttest", rows=Rows(keep), quoted=line.quote > 0)
    run.facts = {
        "context": "user",
        "printed_unit": "ns",
        "unit_basis": "documented",
        "resolution": 1.0,
        "rounding": "exact",
        "evidence": "log",
    }
    return run


FORMAT = Format(
    name="ros2_rttest",
    title="ROS 2 rttest: samples of a run, or its statistics",
    gives="samples or a summary of thread latency",
    versions="rttest of ROS 2 galactic",
    words=("iteration timestamp", "rttest statistics", "Min latency: "),
    marks=(_HEADING, _STATISTICS, _BESIDE),
    parse=parse,
)
