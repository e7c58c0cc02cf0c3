"""Status lines of cyclictest: one for each thread, repainted while it runs, and printed once at the end with ``-q``.

::

    T: 0 (12935) P:95 I:1000 C:      1 Min:     25 Act:   25 Avg:   25 Max:      25
    T: 1 (    0) P:95 I:1500 C:      0 Min:1000000 Act:    0 Avg:    0 Max:       0     no sample yet
    T: 0 (31065) I:10000 C:    201 Min:      1 Act:   60 Avg:   17 Max:      66         cyclicdeadline

I, the thread's interval, is in microseconds whatever the unit of the rest. Widths are minima: the fields of
a large machine have no blank left. People squeeze blanks out of such lines when they publish them.

Private to ``cyclictest_text``.

Source: rt-tests ``src/cyclictest/cyclictest.c`` (print_stat), unchanged from v0.18 to v2.1 but for ``-N`` (0.32).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rtlat.formats._cyclictest_statements import HUGE_AVERAGE
from rtlat.source import Line

_STATUS = re.compile(
    r"\s*T: *(\d{1,4}) *\( *(\d{1,10})\) *(?:P: *(\d{1,3}) +)?I: *(\d{1,12}) +C: *(\d{1,18}) +Min: *(-?\d{1,18})"
    r" +Act:( *-?\d{1,19}) +Avg:( *-?\d{1,19}) +Max:( *-?\d{1,19})(?: +SMI: *\d{1,18})?\s*$",
    re.ASCII,
)


class Status(NamedTuple):
    """A ``T:`` line: unit if it tells, thread, its id, priority, interval [us], samples, latencies as printed.

    The priority is -1 for a thread of cyclicdeadline, which has none.
    """

    unit: str
    line: int
    thread: int
    tid: int
    priority: int
    interval: int
    n: int
    low: int
    avg: int
    high: int

    @property
    def negative(self) -> bool:
        """Whether a latency was negative: from 0.72 on it wrecks Max and Avg."""
        return self.low > self.high or abs(self.avg) >= HUGE_AVERAGE


def read_status(line: Line) -> Status | None:
    """Return a status line's numbers; None if it is none, or may be cut.

    Act and Avg are padded to 5 characters, or to 8 with ``-N``: that tells the unit where blanks are left.

    Examples
    --------
    >>> read_status(Line(3, "T: 0 (12935) P:95 I:1000 C:      1 Min:     25 Act:   25 Avg:   25 Max:      25"))
    Status(unit='us', line=3, thread=0, tid=12935, priority=95, interval=1000, n=1, low=25, avg=25, high=25)
    >>> read_status(Line(3, "T: 0 (12935) P:95 I:1000 C:      1 Min:     25 Act:   25 Avg:   25 Max:      2"))
    """
    match = _STATUS.match(line.text)
    if not match:
        return None
    highest = match[9]
    padded = len(highest) == 8 and highest[0] == " "
    if (highest.startswith("  ") and not padded) or not (line.whole or padded):
        return None
    # two blanks or more: one may be left where blanks were squeezed out
    units = {"us" if len(text) == 5 else "ns" for text in match.group(7, 8) if re.match(r"  (?:.{3}|.{6})$", text)}
    numbers = [int(text or -1) for text in match.group(1, 2, 3, 4, 5, 6, 8, 9)]
    return Status(units.pop() if len(units) == 1 else "", line.number, *numbers)
