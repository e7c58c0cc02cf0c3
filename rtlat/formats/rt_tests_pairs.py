"""Pairs of threads that wake each other: what pmqtest, ptsematest, svsematest and sigwaittest print.

::

    #0: ID18726, P80, CPU0, I1000; #1: ID18727, P80, CPU0, TO 0, Cycles 2714     receiver; sender. TO: pmqtest only
    #1 -> #0, Min    3, Cur    4, Avg    4, Max   50                             microseconds

Live output is a screen repainted many times: of each pair the last block is kept. But for TO the four tools
print the same, so that only a command line or a name beside the lines tells which of the others it was.

* Cycles counts what was sent; the receiver may have seen one less.
* Avg is rounded, not truncated: half a microsecond is taken off again, so that truncation covers it.
* Sender and receiver cut their times to microseconds before they are subtracted, and whole seconds of the
  difference are dropped. A receiver that timed out (pmqtest -T) thus shows what is over a second as a latency.
* Min -1 is what it is before the first latency.

Source: rt-tests ``src/pmqtest``, ``src/ptsematest``, ``src/svsematest``, ``src/sigwaittest`` (print_stat), and
recorded output of 2.4 and 2.10.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rtlat.errors import LogError
from rtlat.formats._rt_tests_tools import MICROSECONDS, QUANTITY, is_narrow
from rtlat.protocol import Format, Run
from rtlat.source import Line, Source

_PAIR = re.compile(
    r"\s*#(\d{1,5}): ID(-?\d{1,10}), P(\d{1,3}), CPU(-?\d{1,5}), I(\d{1,9}); "
    r"#(\d{1,5}): ID(-?\d{1,10}), P\d{1,3}, CPU-?\d{1,5}, (TO \d{1,10}, )?Cycles (\d{1,10})\s*$",
    re.ASCII,
)
_FIGURES = re.compile(
    r"\s*#(\d{1,5}) -> #(\d{1,5}), Min( +-?\d{1,10}), Cur( +\d{1,10}), Avg( +-?\d{1,10}), Max( +\d{1,10})\s*$", re.ASCII
)
_LIKE = re.compile(r"\s*#\d{1,5}(?:: ID| -> #)")
_TIMED_OUT = re.compile(r"\s*could not receive test message\b")
_NAME = re.compile(r"(?:.{0,200}[/ $#])??(pmqtest|ptsematest|svsematest|sigwaittest)(?: +-| *$)")
_UNKNOWN = "ptsematest, svsematest or sigwaittest"
_WIDTH = 5  # ` %4d`


class _Pair(NamedTuple):
    """A pair's first line: the receiver's thread id, priority, CPU and interval [us], and what was sent."""

    line: int
    tid: int
    priority: int
    cpu: int
    interval: int
    sent: int


class _Figures(NamedTuple):
    """A pair's second line, with the pair as it stood above it."""

    pair: _Pair
    line: int
    low: int
    avg: int
    high: int


@dataclass(slots=True)
class _OpenRun:
    """A run whose lines are still coming in."""

    run: Run = field(default_factory=lambda: Run(_UNKNOWN, facts=dict(MICROSECONDS)))
    fresh: dict[int, _Pair] = field(default_factory=dict)
    shown: dict[int, _Figures] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    timed_out: int = 0
    cut: bool = False
    unquoted: bool = False

    def follows(self, number: int, pair: _Pair) -> bool:
        """Whether a pair's line can be the next of this run."""
        known = self.fresh.get(number) or (self.shown[number].pair if number in self.shown else None)
        return known is None or (known.tid == pair.tid and known.sent <= pair.sent)

    def finish(self) -> Run | None:
        """Return the run; None if it holds no latency."""
        run = self.run
        for pair in self.fresh.values():
            run.rejected.add("pair without its latencies", pair.line)
        if self.fresh or self.cut:
            run.facts["ended"] = "cut"
        if len(self.names) == 1:
            run.tool = self.names.pop()
        elif self.shown:
            run.warnings.append(
                "nothing says which tool this is, and so whether mutexes, semaphores or signals woke the receivers: "
                "the quantity is not known (a card may say it)"
            )
        for number, figures in self.shown.items():
            self._state(f"t{number // 2}", figures)
        run.quoted = not self.unquoted
        return run if len(run.rows) else None

    def _state(self, series: str, figures: _Figures) -> None:
        """Add what a pair's last block says."""
        run, pair = self.run, figures.pair
        facts = run.series.setdefault(series, {"cpu": pair.cpu, "priority": pair.priority, "n": pair.sent})
        if pair.interval:  # of an interval of a second only what is below it is printed
            facts["period"] = pair.interval * 1000.0
        if pair.priority:
            facts["policy"] = "fifo"
        if figures.low < 0:
            run.warnings.append(f"line {figures.line}: {series} has no latency yet")
            return
        low, high = figures.low * 1000.0, figures.high * 1000.0
        avg = max(low, figures.avg * 1000.0 - 500.0)
        if self.timed_out:
            low, high, avg = -math.inf, math.inf, math.nan
            run.warnings.append(
                f"line {self.timed_out}: a receiver timed out, which counts as a latency without its whole seconds: "
                f"min {figures.low}, avg {figures.avg} and max {figures.high} of {series} are not kept"
            )
        quantity = QUANTITY.get(run.tool, "unknown")
        run.rows.add(series, quantity, "summary", low, high, n=pair.sent, avg=avg, line=figures.line)


def parse(source: Source) -> Iterator[Run]:
    """Yield the runs of a log: another begins where a pair has another thread id, or counts from the start.

    Raises
    ------
    LogError
        If no pair has a latency.

    Examples
    --------
    >>> log = b'''$ ./svsematest -p80 -q -D3
    ... #0: ID18624, P80, CPU1, I1000; #1: ID18625, P80, CPU0, Cycles 1980
    ... #1 -> #0, Min    5, Cur 1319, Avg  301, Max 6096
    ... '''
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> run.tool, [rows[name].tolist() for name in ("quantity", "low", "avg", "high", "n")]
    ('svsematest', [['semaphore'], [5000.0], [300500.0], [6096000.0], [1980]])
    """
    runs: list[Run] = []
    run = _OpenRun()
    for line in source.lines():
        run = _take(run, line, runs)
    last = run.finish()
    runs += [last] if last else []
    if not runs:
        raise LogError(
            source.name, "no pair with a latency", "lines like '#1 -> #0, Min    3, Cur    4, Avg    4, ...'"
        )
    if not last:
        runs[-1].ignored.merge(run.run.ignored)
        runs[-1].rejected.merge(run.run.rejected)
    yield from runs


def _take(run: _OpenRun, line: Line, runs: list[Run]) -> _OpenRun:
    """Take a line; return the run that is open after it."""
    pair, figures = _read_pair(line), _read_figures(line)
    if pair:
        number, found, tool = pair
        if not run.follows(number, found):
            finished = run.finish()
            runs += [finished] if finished else []
            run = _OpenRun()
        run.fresh[number] = found
        run.names |= {tool} if tool else set()
    elif figures and (above := run.fresh.pop(figures[0], None)):
        run.shown[figures[0]] = _Figures(above, line.number, *figures[1:])
    elif _LIKE.match(line.text):
        run.run.rejected.add("damaged line of a pair" if line.whole else "cut last line", line.number)
        run.cut |= not line.whole
        return run
    elif _TIMED_OUT.match(line.text):
        run.timed_out = run.timed_out or line.number
        return run
    else:
        if name := _NAME.match(line.text):
            run.names.add(name[1])
        if line.text.strip():
            run.run.ignored.add("not of a pair", line.number)
        return run
    run.unquoted |= line.quote == 0
    return run


def _read_pair(line: Line) -> tuple[int, _Pair, str] | None:
    """The first line of a pair: its number, what it says, and the tool if TO tells it."""
    match = _PAIR.match(line.text)
    if not match or not line.whole or int(match[6]) != int(match[1]) + 1 or int(match[1]) % 2:
        return None
    tid, priority, cpu, interval, sent = (int(match[group]) for group in (2, 3, 4, 5, 9))
    return int(match[1]), _Pair(line.number, tid, priority, cpu, interval, sent), "pmqtest" if match[8] else ""


def _read_figures(line: Line) -> tuple[int, int, int, int] | None:
    """The second line of a pair: its number, minimum, average and maximum; None if it is damaged."""
    match = _FIGURES.match(line.text)
    if not match or not line.whole or int(match[1]) != int(match[2]) + 1:
        return None
    low, current, avg, high = (int(text) for text in match.groups()[2:])
    if is_narrow(match.groups()[2:], _WIDTH) or (low >= 0 and not (low <= current <= high and low <= avg <= high)):
        return None
    return int(match[2]), low, avg, high


FORMAT = Format(
    name="rt_tests_pairs",
    title="pmqtest, ptsematest, svsematest, sigwaittest",
    gives="a summary for each pair of threads: message, mutex, semaphore or signal latency",
    versions="rt-tests 2.4 to 2.10",
    words=(": ID", " -> #"),
    marks=(_PAIR, _FIGURES),
    parse=parse,
)
