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

    def where(self, which: Array) -> Rows:
        """Return the rows where `which`."""
        return Rows(*(column[which] for column in self))


class Facts(NamedTuple):
    """What `runs` and `series` say about how a series' numbers are to be read."""

    resolution: float = math.nan
    rounding: str = ""
    evidence: str = ""
    bin_edges: str = ""
    overflow_policy: str = ""
    ended: str = ""


class Group(NamedTuple):
    """All that the log says of one series and quantity."""

    run: str
    series: str
    quantity: str
    rows: Rows
    facts: Facts

    def widened(self, printed: Array, average: bool = False) -> tuple[Array, Array, Array]:
        """Return `widened` values of this group.

        Tools cut averages even where they print exact values; an average of cut values is cut twice: samples
        of 5.9 and 6.9 us are 5 and 6 to cyclictest, their average 5.5, and printed is ``Avg:    5``.
        """
        rows, step = self.rows, self.facts.resolution
        truncated = self.facts.rounding == "truncated"
        if math.isnan(step) or not (average or truncated):
            step = 0.0
        elif average and truncated:
            step *= 2
        negatives = ((rows.low < 0) & (np.isfinite(rows.low) | (rows.kind == BIN))).any()
        return widened(printed, step, bool(negatives))

    def ends(self, rows: Rows) -> tuple[tuple[Array, Array, Array], tuple[Array, Array, Array]]:
        """Return, for each row, what its low and its high end may stand for: low, high, closed."""
        low, high = self.widened(rows.low), self.widened(rows.high)
        for end in (low, high):
            unknown = np.isinf(end[0])
            end[0][unknown], end[1][unknown] = ANYWHERE
        if self.facts.bin_edges == "samples":  # equal samples counted together are samples still
            bins, edges = rows.kind == BIN, low
        else:
            bins, edges = rows.kind == BIN, (rows.low, rows.high, np.zeros(len(rows.low), bool))
        for end in (low, high):
            for column, edge in zip(end, edges, strict=True):
                column[bins] = edge[bins]
        return low, high


def widened(printed: Array, step: float, negatives: bool = False) -> tuple[Array, Array, Array]:
    """Return the values that numbers truncated towards zero to `step` may stand for.

    Parameters
    ----------
    printed : ndarray
        Numbers as printed.
    step : float
        Step of the printed numbers, 0 if they are exact.
    negatives : bool
        Whether a printed zero may hide a negative value.

    Returns
    -------
    low, high : ndarray of float64
    closed : ndarray of bool
        Whether the high end belongs.

    Examples
    --------
    >>> low, high, closed = widened(np.array([-2.0, 0.0, 5.0]), 1.0, negatives=True)
    >>> low.tolist(), high.tolist(), closed.tolist()
    ([-3.0, -1.0, 5.0], [-2.0, 1.0, 6.0], [True, False, False])
    """
    below = (printed < 0) | ((printed == 0) & negatives)
    low = np.where(below, printed - step, printed)
    high = np.where(printed < 0, printed, printed + step)
    return low, high, low == high if step == 0 else printed < 0


def groups(recording: Recording) -> Iterator[Group]:
    """Yield the records of every (run, series, quantity); the frame is sorted once, not filtered for each."""
    records = recording.records
    if records.empty:
        return
    names = [records[name].cat.categories.astype("str") for name in ("run", "series", "quantity")]
    codes = [records[name].cat.codes.to_numpy(np.int64) for name in ("run", "series", "quantity")]
    key = (codes[0] * len(names[1]) + codes[1]) * len(names[2]) + codes[2]
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    ends = np.append(starts[1:], len(key))
    columns = Rows(**{name: _column(records[name], name) for name in Rows._fields})
    runs = recording.runs.drop_duplicates("run").set_index("run")[list(Facts._fields)].to_dict("index")
    series = recording.series[["run", "series", "ended"]].to_numpy().tolist()
    ended = {(run, name): how for run, name, how in series if how}
    for index in np.argsort(order[starts]):
        chosen = order[starts[index] : ends[index]]
        run, name, quantity = (str(known[code[chosen[0]]]) for known, code in zip(names, codes, strict=True))
        facts = Facts(**{str(key): value for key, value in runs.get(run, {}).items()})
        facts = facts._replace(ended=ended.get((run, name), facts.ended))
        yield Group(run, name, quantity, columns.where(chosen), facts)


def _column(values: Any, name: str) -> Array:
    """A column of records as an array."""
    if name in _INTEGERS:
        return np.asarray(values.to_numpy(np.int64, na_value=-1))
    if name in _CHOICES:
        places = [_CHOICES[name].index(str(category)) for category in values.cat.categories]
        codes: Array = np.asarray(places, np.int8)[values.cat.codes.to_numpy()]
        return codes
    return np.asarray(values.to_numpy(np.float64))
