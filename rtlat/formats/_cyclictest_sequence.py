"""The samples of one ``cyclictest -v`` run as they come in: kept by thread, while their cycle numbers are watched.

A thread's cycle numbers count from 0. From them follows what no line says:

- one that falls begins another run;
- with ``-o RED`` line k holds the largest of cycles k * RED to k * RED + RED - 1 and that one's number;
- a number printed twice belongs to a latency of 0 or less, which prints as 0 under the last number before it;
- up to 0.83 a thread begins with ``0: 0: 0``, which is no sample, and each value stands one cycle late;
- what is skipped is missing from the log.

Private to ``cyclictest_text``, and imports no other format.

Source: rt-tests ``src/cyclictest/cyclictest.c`` (print_stat, and its change in 0.84).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rtlat.rows import Rows

Array = npt.NDArray[Any]

_NEVER = 2**62


@dataclass(slots=True)
class Thread:
    """What is known of one thread's samples [printed unit]; `first` and `last` are cycle numbers as printed."""

    n: int = 0
    low: int = _NEVER
    high: int = -_NEVER
    first: int = -1
    last: int = -1
    counted: int = 0
    repeated: int = 0
    late: bool = False


class Sequence:
    """The samples of one run.

    Parameters
    ----------
    rows : Rows
        Where they are kept.

    Examples
    --------
    >>> sequence = Sequence(Rows())
    >>> thread, cycle, value = np.array([0, 0, 0]), np.array([0, 1, 0]), np.array([41, 38, 40])
    >>> sequence.take(np.arange(7, 10), thread, cycle, value, late=False)  # the third begins another run
    2
    >>> sequence.threads[0].high, sequence.group
    (41, 1)
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.threads: dict[int, Thread] = {}
        self._least, self._most = 1, _NEVER

    @property
    def n(self) -> int:
        """Samples of all threads."""
        return sum(thread.n for thread in self.threads.values())

    @property
    def late(self) -> bool:
        """Whether values stand one cycle late, as up to 0.83."""
        return any(thread.late for thread in self.threads.values())

    @property
    def group(self) -> int:
        """Cycles of which a line holds the largest: 1 without ``-o``; -1 if more, but not known how many."""
        if self._least > self._most or self._least == 1:
            return 1
        return self._least if self._least == self._most else -1

    @property
    def missing(self) -> int:
        """Cycles that were skipped."""
        if self.group != 1:
            return 0
        return sum(thread.last - thread.first + 1 - thread.counted for thread in self.threads.values())

    def take(self, line: Array, thread: Array, cycle: Array, value: Array, late: bool) -> int:
        """Keep samples up to the first that begins another run; return how many were kept.

        Parameters
        ----------
        line, thread, cycle, value : int64 arrays
            As they follow in the log.
        late : bool
            Whether the log may be of a version up to 0.83.
        """
        order = np.argsort(thread.astype(np.uint16), kind="stable")
        names, cycles = thread[order], cycle[order]
        before = np.concatenate(([-1], cycles[:-1]))
        starts = np.flatnonzero(np.concatenate(([True], names[1:] != names[:-1])))
        for start in starts.tolist():
            known = self.threads.get(int(names[start]))
            before[start] = known.last if known else -1
        fallen = order[cycles < before]
        if len(fallen):
            kept = int(fallen.min())
            if kept:
                self.take(line[:kept], thread[:kept], cycle[:kept], value[:kept], late)
            return kept
        lines, values, repeated = line[order], value[order], cycles == before
        for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
            here = slice(start, stop)
            self._keep(int(names[start]), lines[here], cycles[here], values[here], repeated[here], late)
        return len(order)

    def _keep(self, name: int, line: Array, cycle: Array, value: Array, repeated: Array, late: bool) -> None:
        """Keep samples of one thread."""
        thread = self.threads.get(name)
        if thread is None:
            thread = self.threads[name] = Thread(late=late and cycle[0] == 0 and value[0] == 0, first=int(cycle[0]))
            if thread.late:
                thread.last, thread.counted = 0, 1
                line, cycle, value, repeated = line[1:], cycle[1:], value[1:], repeated[1:]
        if not len(line):
            return
        number = cycle - 1 if thread.late else cycle
        twice = int(np.count_nonzero(repeated))
        self._narrow(thread, number, repeated, twice)
        thread.n += len(value)
        thread.low, thread.high = min(thread.low, int(value.min())), max(thread.high, int(value.max()))
        thread.repeated += twice
        sure = len(cycle) - int(np.argmin(repeated[::-1])) if twice < len(cycle) else 0
        if sure:  # lines up to the last that has its own number
            thread.counted, thread.last = thread.n - len(cycle) + sure + thread.late, int(cycle[-1])
        seq = np.where(repeated, -1, number) if twice else number
        self.rows.samples(f"t{name}", "thread", value, line, seq)

    def _narrow(self, thread: Thread, number: Array, repeated: Array, twice: int) -> None:
        """Narrow how many cycles a line may stand for, by the place and number of each."""
        if not twice and number[0] == thread.n and number[-1] == thread.n + len(number) - 1:
            self._most = min(self._most, 1) if thread.n + len(number) > 1 else self._most
            return
        place = np.arange(thread.n, thread.n + len(number))[~repeated]
        number = number[~repeated]
        if len(place):
            self._least = max(self._least, int((number // (place + 1)).max()) + 1)
        if len(later := np.flatnonzero(place)):
            self._most = min(self._most, int((number[later] // place[later]).min()))
