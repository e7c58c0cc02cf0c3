"""Tables of RTT, RTH, RTD and RTS lines: Xenomai's ``latency`` and ``klatency``, and the file that ``-g`` writes.

::

    == Sampling period: 1000 us
    == Test mode: periodic user-mode task
    == All results in microseconds
    RTT|  00:00:01  (periodic user-mode task, 1000 us period, priority 99)
    RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst
    RTD|      4.458|      7.504|     49.833|       0|     0|      4.458|     49.833
    HSD|    avg|  14 - 15 |        1
    RTS|      4.374|      6.187|     49.833|       0|     0|    00:00:04/00:00:04

Other tools print RTD lines too and mean something else: a table's columns and the words of its RTT line decide
whose it is (`TABLES`, `FOREIGN`). Xenomai 2.0 prints whole nanoseconds and no test mode; msw came with 2.5.1.
With ``-g -`` the gnuplot rows stand in the log, with ``-g FILE`` in a file of their own, which begins with
``# 00:00:04 (periodic user-mode task, 1000 us period, priority 99)``; so one reader reads both. Up to Xenomai 2.6
that file has no such head, and two bare columns of numbers could be anybody's: it is not claimed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rtlat.errors import LogError, UnsupportedFormatError
from rtlat.formats._rtd_lines import MODES
from rtlat.formats._rtd_log import Log
from rtlat.formats._rtd_run import run_of
from rtlat.formats._rtd_wrapped import Unwrapper
from rtlat.protocol import Format, Run
from rtlat.source import Source


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each latency test of a log.

    Raises
    ------
    UnsupportedFormatError
        If all tables are of tools that are known and not read.
    LogError
        If no test came to its first line of results.

    Examples
    --------
    >>> clock = b"RTT|  00:00:01  (periodic user-mode task, 1000 us period, priority 99)\\n"
    >>> window = b"RTD|      4.458|      7.504|     49.833|       0|     0|      4.458|     49.833\\n"
    >>> (run,) = parse(Source(None, "latency.log", clock + window))
    >>> rows = run.rows.arrays()
    >>> rows["low"].tolist(), rows["avg"].tolist(), rows["high"].tolist(), rows["n"].tolist()
    ([4458.0], [7504.0], [49833.0], [1000])
    """
    log = Log()
    unwrapper = Unwrapper(log.take, log.begins, log.reject)
    for line in source.lines():
        unwrapper.read(line)
    unwrapper.give_up()
    runs, ignored = [], log.ignored
    for test in log.tests:
        if run := run_of(test):
            runs.append(run)
        else:
            for tally in (test.ignored, test.rejected):
                for _, (number, first) in tally.reasons.items():
                    ignored.add("line of a test without results", first, number)
    if not runs:
        raise _nothing(source.name, log)
    for reason, (number, first) in ignored.reasons.items():
        runs[0].ignored.add(reason, first, number)
    yield from runs


def _nothing(name: str, log: Log) -> LogError:
    """Why there is no run in a log."""
    if log.refused:
        first = min(log.refused.values())
        found = f"tables of {', '.join(log.refused)}"
        return UnsupportedFormatError(name, found, "those of Xenomai's latency", "see rtlat formats", first)
    reason = next(
        (test.message for test in [*log.tests, log.last][::-1] if test.message), "no RTD, RTS or HSD line is whole"
    )
    return LogError(name, f"a latency test without results ({reason})", "at least one line of results")


_MARKS = tuple(
    re.compile(r"\s{0,40}" + mark)
    for mark in (
        r"== Sampling period: \d{1,9} us\s*$",
        rf"(?:\^C)?RTT\|.{{0,40}}\((?:{'|'.join(MODES)}),",
        r"RTH\|[- ]*lat min\|[- ]*lat avg\|[- ]*lat max\|[- ]*overrun\|",
        r"(?:\^C)?(?:\| *)?(?:\*\*)?RTD[* ]*\|(?: *-?\d+[.,]\d{3} *\|){3}(?: *\d+ *\|){1,2} *-?\d+[.,]\d{3} *\|",
        rf"# +[\d:]{{8,15}} \((?:{'|'.join(MODES)}),",
    )
)

FORMAT = Format(
    name="rtd_table",
    title="Xenomai latency and klatency: terminal log, or the file of -g",
    gives="a window of thread or irq latency for each line, the run's summary, bins with -h or -g",
    versions="Xenomai 2.0 to 3.3 (-g files: 3.0 to 3.3)",
    marks=_MARKS,
    parse=parse,
)
