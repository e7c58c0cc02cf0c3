"""What stays of samples that are too many to keep: how often each value came, blocks of time, and the greatest.

Memory is that of the different values, of 2000 blocks and of 100 samples for each series, however long the log is.
What is left of two pieces of a log is joined as samples are: it does not depend on the pieces in which the log came.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["GREATEST", "MOST_BLOCKS", "Fold", "Samples"]

Array = npt.NDArray[Any]

MOST_BLOCKS = 2000
"""Blocks of one series; once there are more, each two become one."""

GREATEST = 100
"""Samples of one series that are kept as they stand in the log."""

_SUMMED = 2**40  # so many of these at once do not leave 64 bits

_SHORTEST = 6
"""The first blocks are of 2**6 cycles."""


class Samples(NamedTuple):
    """Samples in the order of the log: arrays of one length, `seq` -1 and `time` NaN where they are not known."""

    value: Array
    line: Array
    seq: Array
    time: Array

    def where(self, which: Array) -> Samples:
        """Return some of them."""
        return Samples(*(column[which] for column in self))


class Blocks(NamedTuple):
    """Stretches of a series, each with what stands in it; `cycle`, `line`, `seq` and `time` are those of its first."""

    cycle: Array
    n: Array
    low: Array
    high: Array
    total: Array
    line: Array
    seq: Array
    time: Array


class Fold:
    """The samples of one series as counts, blocks and the greatest.

    Examples
    --------
    >>> fold = Fold()
    >>> value, line = np.array([41, 38, 41, 2000]), np.arange(7, 11)
    >>> fold.add(Samples(value, line, np.arange(4), np.full(4, np.nan)))
    >>> [column.tolist() for column in fold.counts()]
    [[38, 41, 2000], [1, 2, 1], [8, 7, 10]]
    >>> blocks = fold.blocks()
    >>> blocks.n.tolist(), blocks.low.tolist(), blocks.high.tolist(), blocks.total.tolist()
    ([4], [38], [2000], [2120.0])
    """

    def __init__(self) -> None:
        self.greatest = Samples(*(np.empty(0, dtype) for dtype in (np.int64, np.int64, np.int64, np.float64)))
        self._counts = _Counts()
        self._blocks: list[Blocks] = []
        self._waiting = 0
        self._shift = _SHORTEST
        self._next = 0

    def add(self, samples: Samples) -> None:
        """Join more samples, of which there is at least one."""
        self._counts.add(samples.value, samples.line)
        self._rank(samples)
        self._blocks.append(self._cut(samples))
        self._waiting += len(self._blocks[-1].n)
        if self._waiting > 2 * MOST_BLOCKS:
            self.blocks()

    def counts(self) -> tuple[Array, Array, Array]:
        """Return the different values, rising, how often each came, and the line where it came first."""
        return self._counts.merged()

    def blocks(self) -> Blocks:
        """Return the blocks in their order, at most `MOST_BLOCKS`."""
        joined = Blocks(*(np.concatenate(columns) for columns in zip(*self._blocks, strict=True)))
        joined = _joined(joined, self._shift)
        while len(joined.n) > MOST_BLOCKS:
            self._shift += 1
            joined = _joined(joined, self._shift)
        self._blocks, self._waiting = [joined], len(joined.n)
        return joined

    def _rank(self, samples: Samples) -> None:
        """Keep what is greater than all but the greatest; of equal ones the first."""
        best = self.greatest
        if len(best.value) == GREATEST:
            samples = samples.where(np.flatnonzero(samples.value > best.value.min()))
        elif len(samples.value) > 10 * GREATEST:  # no more than these can be among them
            floor = np.partition(samples.value, -GREATEST)[-GREATEST]
            samples = samples.where(np.flatnonzero(samples.value >= floor))
        if len(samples.value):
            every = Samples(*(np.concatenate(pair) for pair in zip(best, samples, strict=True)))
            self.greatest = every.where(np.sort(np.argsort(-every.value, kind="stable")[:GREATEST]))

    def _cut(self, samples: Samples) -> Blocks:
        """Blocks of samples that follow each other."""
        value, line, seq, time = samples
        cycle = np.maximum.accumulate(seq) if (seq < 0).any() else seq
        if cycle[0] < self._next or (np.diff(cycle) < 0).any():  # no numbers, or they begin anew: places are left
            cycle = np.arange(self._next, self._next + len(value))
        self._next = int(cycle[-1]) + 1
        starts = _starts(cycle >> self._shift)
        n = np.diff(starts, append=len(value))
        ends = np.minimum.reduceat(value, starts), np.maximum.reduceat(value, starts)
        exact = ends[0].min() > -_SUMMED and ends[1].max() < _SUMMED
        total = np.add.reduceat(value if exact else value.astype(np.float64), starts).astype(np.float64)
        return Blocks(cycle[starts], n, *ends, total, line[starts], seq[starts], time[starts])


def _starts(number: Array) -> Array:
    """Where another number begins."""
    return np.flatnonzero(np.concatenate(([True], number[1:] != number[:-1])))


def _joined(blocks: Blocks, shift: int) -> Blocks:
    """Blocks with those as one that lie in the same 2**shift cycles."""
    starts = _starts(blocks.cycle >> shift)
    if len(starts) == len(blocks.n):
        return blocks
    cycle, n, low, high, total, line, seq, time = blocks
    return Blocks(
        cycle[starts],
        np.add.reduceat(n, starts),
        np.minimum.reduceat(low, starts),
        np.maximum.reduceat(high, starts),
        np.add.reduceat(total, starts),
        line[starts],
        seq[starts],
        time[starts],
    )


class _Counts:
    """Samples counted by value: sorted distinct values, how often, and the first line of each.

    New samples are first counted among themselves and wait until there are many, so the cost is that of
    counting, and memory is that of the distinct values.
    """

    def __init__(self) -> None:
        self._parts: list[tuple[Array, Array, Array]] = []
        self._waiting = 0

    def add(self, values: Array, lines: Array) -> None:
        """Count `values`, which stand in `lines`."""
        # a table of counts may be as long as a few times the values it counts, else sorting is cheaper
        small = (values >= 0) & (values < max(1024, 4 * len(values)))
        if not small.all():
            self._wait(*_counted(values[~small], np.ones(int((~small).sum()), np.int64), lines[~small]))
            values, lines = values[small], lines[small]
        if len(values):
            table = np.bincount(values)
            first = np.zeros(len(table), np.int64)
            first[values[::-1]] = lines[::-1]  # of equal indices the last assignment stays
            present = np.flatnonzero(table)
            self._wait(present, table[present], first[present])

    def _wait(self, *part: Array) -> None:
        """Keep counts until they are many; then count them together."""
        self._parts.append((part[0], part[1], part[2]))
        self._waiting += len(part[0])
        if self._waiting > 2 * len(self._parts[0][0]) + (1 << 14):
            self.merged()

    def merged(self) -> tuple[Array, Array, Array]:
        """Return values, counts and first lines, values rising."""
        together = [np.concatenate(columns) for columns in zip(*self._parts, strict=True)]
        self._parts = [_counted(*together)]
        self._waiting = len(self._parts[0][0])
        return self._parts[0]


def _counted(values: Array, counts: Array, lines: Array) -> tuple[Array, Array, Array]:
    """Equal values added up, each with its first line."""
    order = np.argsort(values, kind="stable")
    values, counts, lines = values[order], counts[order], lines[order]
    starts = _starts(values)
    return values[starts], np.add.reduceat(counts, starts), np.minimum.reduceat(lines, starts)
