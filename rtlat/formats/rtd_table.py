"""Tables of RTT, RTH, RTD and RTS lines: Xenomai's ``latency``, EVL's ``latmus``, RTAI's testsuite, and their files.

::

    == Sampling period: 1000 us
    == Test mode: periodic user-mode task
    == All results in microseconds
    RTT|  00:00:01  (periodic user-mode task, 1000 us period, priority 99)
    RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst
    RTD|      4.458|      7.504|     49.833|       0|     0|      4.458|     49.833
    HSD|    avg|  14 - 15 |        1
    RTS|      4.374|      6.187|     49.833|       0|     0|    00:00:04/00:00:04

Six tools print RTD lines and mean different things: the columns that an RTH line names decide whose they are, and
in which unit. Xenomai 2.0 prints whole nanoseconds and no test mode; msw came with 2.5.1. ``latmus`` has Xenomai's
columns and names its context in the RTT line; RTAI's are nanoseconds in an order of their own.
With ``-g -`` the gnuplot rows stand in the log, with ``-g FILE`` in a file of their own, which begins with
``# 00:00:04 (periodic user-mode task, 1000 us period, priority 99)``, and in EVL with many such comments; so one
reader reads both. Up to Xenomai 2.6 that file has no such head, and two bare columns of numbers could be anybody's:
it is not claimed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rtlat.errors import LogError, UnsupportedFormatError
from rtlat.formats._rtd_block import Shape, reader
from rtlat.formats._rtd_lines import MODES
from rtlat.formats._rtd_tables import Tables
from rtlat.formats._rtd_wrapped import Unwrapper
from rtlat.protocol import Format, Run
from rtlat.shapes import Stretch
from rtlat.source import Line, Source

_FEW = 32
"""Lines that are not halved again."""


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
    tables = Tables()
    unwrapper = Unwrapper(tables.take, tables.begins, tables.reject)
    blocks = reader()
    for block in source.blocks():
        for item in blocks.stretches(block):
            if isinstance(item, Line):
                unwrapper.read(item)
            else:
                _take(item, tables, unwrapper)
    unwrapper.give_up()
    empty = True
    for run in tables.runs():
        empty = False
        yield run
    if empty:
        raise _nothing(source.name, tables)


def _take(found: Stretch[Shape], tables: Tables, unwrapper: Unwrapper) -> None:
    """Take lines together that only go on with their table; else each half, and few lines one by one."""
    unwrapper.give_up()
    if tables.take_many(found):
        return
    if len(found) > _FEW:
        _take(found.part(0, len(found) // 2), tables, unwrapper)
        _take(found.part(len(found) // 2), tables, unwrapper)
    else:
        for line in found.lines():
            unwrapper.read(line)


def _nothing(name: str, tables: Tables) -> LogError:
    """Why there is no run in a log."""
    log = tables.log
    if log.refused:
        first = min(log.refused.values())
        found = f"tables of {', '.join(log.refused)}"
        return UnsupportedFormatError(name, found, "those of a tool that times latency", "see rtlat formats", first)
    if tables.suite.tests or tables.suite.rejected.total:
        return LogError(name, "an RTAI test without results (no RTD line is whole)", "at least one line of results")
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
        r"warming up on CPU\d",
        r"# libevl version: ",
        r"RTAI [Tt]estsuite (?:- |and )",
        r"## RTAI latency calibration tool ##",
        r"RTH\|[- ]*lat min\|[- ]*ovl min\|",
        r"RTH\|[- ]*lat min\|[- ]*lat avg\|[- ]*lat max\|[- ]*jit fast\|",
        r"FOR \d{1,6} TASKS: TIME \d{1,9} \(ms\),",
    )
)

FORMAT = Format(
    name="rtd_table",
    title="Xenomai latency and klatency, EVL latmus, RTAI's testsuite: terminal log, or the file of -g",
    gives="a window of thread or irq latency for each line, the run's summary, bins with -h or -g, mean switch times",
    versions="Xenomai 2.0 to 3.3 (-g files: 3.0 to 3.3), libevl (all -g layouts), RTAI 3.6 to 5.2, makertaikernel.sh 4",
    words=("Sampling period: ", "RTT|", "RTH|", "RTD", " (", "warming up", "# libevl", "RTAI ", "FOR "),
    marks=_MARKS,
    parse=parse,
)
