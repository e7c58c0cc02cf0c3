"""The statements of each series as arrays, and what a printed number may stand for.

A number that a tool truncated stands for all values that would have been printed so: 5 us for [5, 6) us.
Equal samples that were counted together while reading are samples still, not bins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rtlat.intervals import ANYWHERE, Array
from rtlat.protocol import Recording
from rtlat.schema import KINDS, OF, UNITS

SAMPLE, BIN, WINDOW, SUMMARY, QUANTILE = range(len(KINDS))
ALL, MIN, MAX, OVER, PART = range(len(OF))
_CHOICES = {"kind": KINDS, "of": OF, "unit": UNITS}
_INTEGERS = ("n", "missed", "seq")


class Rows(NamedTuple):
    """The records of one (run, series, quantity) as arrays: choices as their places, unknown integers as -1."""

    kind: Array
    of: Array
    unit: Array
    low: Array
    high: Array
    n: Array
    avg: Array
    std: Array
    q: Array
    missed: Array
    seq: Array
    time: Array

    def where(self, which: Array | slice) -> Rows:
        """Return the rows where `which`."""
        return Rows(*(column[which] for column in self))


class Ends(NamedTuple):
    """What printed numbers may stand for: a low and a high end of each, and whether the high end belongs."""

    low: Array
    high: Array
    closed: Array


class Facts(NamedTuple):
    """What `runs` and `series` say about how a series' numbers are to be read."""

    resolution: float = math.nan
    rounding: str = ""
    evidence: str = ""
    bin_edges: str = ""
    overflow_policy: str = ""
    ended: str = ""


class Group(NamedTuple):
    """All that the log says of one series and quantity; rows of one kind stand together, the finest kind first."""

    run: str
    series: str
    quantity: str
    rows: Rows
    facts: Facts

    def widened(self, printed: Array, average: bool = False) -> Ends:
        """Return `widened` values of this group.

        Tools cut averages even where they print exact values; an average of cut values is cut twice: samples
        of 5.9 and 6.9 us are 5 and 6 to cyclictest, their average 5.5, and printed is ``Avg:    5``.
        """
        step, truncated = self.facts.resolution, self.facts.rounding == "truncated"
        if math.isnan(step) or not (average or truncated):
            step = 0.0
        elif average and truncated:
            step *= 2
        return widened(printed, step, self.negatives)

    @property
    def negatives(self) -> bool:
        """Whether a latency is below 0, so that a printed 0 may be, too."""
        below = self.rows.low < 0
        if not np.count_nonzero(below):
            return False
        return bool((below & (np.isfinite(self.rows.low) | (self.rows.kind == BIN))).any())

    def ends(self, rows: Rows) -> tuple[Ends, Ends]:
        """Return, for each row, what its low and its high end may stand for."""
        bins = rows.kind == BIN
        edges = Ends(rows.low, rows.high, np.zeros(len(bins), bool))
        by_edge = self.facts.bin_edges != "samples"  # equal samples counted together are samples still
        if by_edge and np.count_nonzero(bins) == len(bins):
            return edges, edges
        low, high = self.widened(rows.low), self.widened(rows.high)
        for end in (low, high):
            unknown = np.isinf(end.low)
            end.low[unknown], end.high[unknown] = ANYWHERE
            for column, edge in zip(end, edges if by_edge else low, strict=True):
                column[bins] = edge[bins]
        return low, high


def present(places: Array) -> list[int]:
    """Return which places of a choice occur, each once."""
    found: list[int] = np.flatnonzero(np.bincount(places)).tolist()
    return found


def widened(printed: Array, step: float, negatives: bool = False) -> Ends:
    """Return the values that numbers truncated towards zero to `step` may stand for.

    Parameters
    ----------
    printed : ndarray
        Numbers as printed.
    step : float
        Step of the printed numbers, 0 if they are exact.
    negatives : bool
        Whether a printed zero may hide a negative value.

    Examples
    --------
    >>> low, high, closed = widened(np.array([-2.0, 0.0, 5.0]), 1.0, negatives=True)
    >>> low.tolist(), high.tolist(), closed.tolist()
    ([-3.0, -1.0, 5.0], [-2.0, 1.0, 6.0], [True, False, False])
    """
    closed = printed < 0
    below = closed | (printed == 0) if negatives else closed
    low, high = printed.copy(), printed + step
    if np.count_nonzero(below):
        low[below] -= step
        high[closed] = printed[closed]
    return Ends(low, high, low == high if step == 0 else closed)


def groups(recording: Recording) -> Iterator[Group]:
    """Yield the records of every (run, series, quantity), those of a kind together, as they stand among them.

    The frame is sorted once, not filtered for each.
    """
    records = recording.records
    if records.empty:
        return
    names = [[str(name) for name in records[column].cat.categories] for column in ("run", "series", "quantity")]
    codes = [records[column].cat.codes.to_numpy(np.int64) for column in ("run", "series", "quantity")]
    columns = Rows(**{name: _column(records[name], name) for name in Rows._fields})
    key = (codes[0] * len(names[1]) + codes[1]) * len(names[2]) + codes[2]
    order = np.argsort(key * len(KINDS) + columns.kind, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    ends = np.append(starts[1:], len(key)).tolist()
    first = np.minimum.reduceat(order, starts)
    columns = columns.where(order)
    runs = recording.runs.drop_duplicates("run").set_index("run")[list(Facts._fields)]
    facts = {str(run): Facts(*row) for run, row in zip(runs.index, runs.to_numpy().tolist(), strict=True)}
    series = recording.series[["run", "series", "ended"]].to_numpy().tolist()
    ended = {(run, name): how for run, name, how in series if how}
    for index in np.argsort(first).tolist():
        run, name, quantity = (known[code[first[index]]] for known, code in zip(names, codes, strict=True))
        told = facts.get(run, Facts())
        if (run, name) in ended:
            told = told._replace(ended=ended[run, name])
        yield Group(run, name, quantity, columns.where(slice(int(starts[index]), ends[index])), told)


def _column(values: Any, name: str) -> Array:
    """A column of records as an array."""
    if name in _INTEGERS:
        return np.asarray(values.to_numpy(np.int64, na_value=-1))
    if name in _CHOICES:
        places = [_CHOICES[name].index(str(category)) for category in values.cat.categories]
        codes: Array = np.asarray(places, np.int8)[values.cat.codes.to_numpy()]
        return codes
    return np.asarray(values.to_numpy(np.float64))
