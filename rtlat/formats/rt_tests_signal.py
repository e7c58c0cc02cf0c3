"""What signaltest prints: threads in a ring hand on a signal, and each times one round.

::

    13.82 11.90 6.42 3/110 31408                                                    live: the load average
    T: 0 (31407) P:80 C:    300 Min:     35 Act:   40 Avg:   44 Max:     125
    T: 1 (31408) P:80 C:    300 Min:     33 Act:   40 Avg:  679 Max:   10143        only once, at the end

Live output is a screen repainted many times: of each thread the last line is kept. Thread 0 pauses 10 ms
after every 16 rounds. It takes that off its own times, but the other threads do not: theirs are kept as parts,
which enter no statistic. A round passes all threads, so runs of different rings do not compare.

Min 1000000 and Max -1000000 are what they are before the first round.

Source: rt-tests ``src/signaltest/signaltest.c`` (signalthread, print_stat), and recorded output of 2.4 and 2.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rtlat.errors import LogError
from rtlat.formats._rt_tests_tools import MICROSECONDS, QUANTITY, RING_PAUSE, is_narrow
from rtlat.protocol import Format, Run
from rtlat.source import Line, Source

_STATUS = re.compile(
    r"\s*T: *(\d{1,4}) *\( *(\d{1,10})\) *P: *(\d{1,3}) +C:( *\d{1,18}) +Min:( *-?\d{1,18}) +Act:( *-?\d{1,18})"
    r" +Avg:( *-?\d{1,18}) +Max:( *-?\d{1,18})\s*$",
    re.ASCII,
)
_LIKE = re.compile(r"\s*T: *\d{1,4} *\( *\d{1,10}\)")
_WIDTHS = (7, 7, 5, 5, 8)
_LOAD = re.compile(r"\s*\d+\.\d\d \d+\.\d\d \d+\.\d\d \d+/\d+ \d+\s*$")
_STOPPED = re.compile(r"\s*Thread \d{1,4} exceeded trace limit\.")


class _Status(NamedTuple):
    """A status line [us]."""

    line: int
    thread: int
    tid: int
    priority: int
    n: int
    low: int
    avg: int
    high: int


@dataclass(slots=True)
class _OpenRun:
    """A run whose lines are still coming in."""

    run: Run = field(default_factory=lambda: Run("signaltest", facts=dict(MICROSECONDS)))
    last: dict[int, _Status] = field(default_factory=dict)
    cut: bool = False
    unquoted: bool = False

    def follows(self, status: _Status) -> bool:
        """Whether a status line can be the next of this run."""
        known = self.last.get(status.thread)
        return known is None or (known.tid == status.tid and known.n <= status.n)

    def finish(self) -> Run | None:
        """Return the run; None if it holds no round."""
        run = self.run
        if self.cut:
            run.facts["ended"] = "cut"
        if len(self.last) > 1:
            run.facts["variant"] = f"ring of {len(self.last)} threads"
        for status in self.last.values():
            self._state(status)
        run.quoted = not self.unquoted
        return run if len(run.rows) else None

    def _state(self, status: _Status) -> None:
        """Add what a thread's last line says."""
        run, series = self.run, f"t{status.thread}"
        run.series[series] = {"priority": status.priority, "n": status.n}
        run.series[series] |= {"policy": "fifo"} if status.priority else {}
        if not status.n:
            run.warnings.append(f"line {status.line}: {series} has no round yet")
            return
        if status.thread:
            run.warnings.append(f"line {status.line}: {series} {RING_PAUSE}")
        run.rows.add(
            series,
            QUANTITY["signaltest"],
            "summary",
            status.low * 1000.0,
            status.high * 1000.0,
            n=status.n,
            of="part" if status.thread else "all",
            avg=status.avg * 1000.0,
            line=status.line,
        )


def parse(source: Source) -> Iterator[Run]:
    """Yield the runs of a log: another begins where a thread has another id, or counts from the start.

    Raises
    ------
    LogError
        If no thread has a round.

    Examples
    --------
    >>> log = b'''T: 0 (31843) P:80 C:    300 Min:     23 Act:   43 Avg:   47 Max:     112
    ... T: 1 (31844) P:80 C:    300 Min:     30 Act:   47 Avg:  682 Max:   10121
    ... '''
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> rows["of"].tolist(), rows["low"].tolist(), rows["high"].tolist(), rows["n"].tolist()
    (['all', 'part'], [23000.0, 30000.0], [112000.0, 10121000.0], [300, 300])
    """
    runs: list[Run] = []
    run = _OpenRun()
    for line in source.lines():
        status = _read(line)
        if status:
            if not run.follows(status):
                finished = run.finish()
                runs += [finished] if finished else []
                run = _OpenRun()
            run.last[status.thread] = status
            run.unquoted |= line.quote == 0
        elif _STOPPED.match(line.text):
            run.run.facts["ended"] = "stopped at threshold"
        elif _LIKE.match(line.text):
            run.run.rejected.add("damaged status line" if line.whole else "cut last line", line.number)
            run.cut |= not line.whole
        elif line.text.strip():
            run.run.ignored.add("load average" if _LOAD.match(line.text) else "not of signaltest", line.number)
    last = run.finish()
    runs += [last] if last else []
    if not runs:
        found = "threads without a round (C: 0)" if run.last else "no status line"
        raise LogError(source.name, found, "lines like 'T: 0 (31407) P:80 C:    300 Min:     35 ...'")
    if not last:
        runs[-1].ignored.merge(run.run.ignored)
        runs[-1].rejected.merge(run.run.rejected)
    yield from runs


def _read(line: Line) -> _Status | None:
    """A status line's numbers; None if it is none, or damaged."""
    match = _STATUS.match(line.text)
    if not match or not line.whole or is_narrow(match.groups()[3:], _WIDTHS):
        return None
    thread, tid, priority, n, low, act, avg, high = (int(text) for text in match.groups())
    if n and not (low <= act <= high and low <= avg <= high):
        return None
    return _Status(line.number, thread, tid, priority, n, low, avg, high)


FORMAT = Format(
    name="rt_tests_signal",
    title="signaltest",
    gives="a summary for each thread of the ring; only thread 0 times the ring alone",
    versions="rt-tests 2.4 to 2.10",
    words=("Act:",),
    marks=(_STATUS,),
    parse=parse,
)
