"""Tables of counts: histograms, how often a value is reached, and the greatest of each block.

Latencies are in us (or cycles, while no clock rate is known), counts are exact or bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat.errors import SelectionError, UsageError
from rtlat.intervals import Array, Distribution
from rtlat.protocol import Recording
from rtlat.schema import KINDS, duration_ns
from rtlat.selection import Names, answers, divisor, shown_unit
from rtlat.statements import ALL, MAX, SAMPLE, WINDOW, Group
from rtlat.statistics import stats
from rtlat.statistics.limits import reaching, thinned

if TYPE_CHECKING:
    import pandas as pd

Tables = list[tuple[Distribution, dict[str, Any]]]


def histogram(recording: Recording, run: Names = None, series: Names = None, quantity: Names = None) -> pd.DataFrame:
    """Return how many observations each bin holds, as the log has them: an overflow has no high end.

    Equal samples are counted together, each as a bin of one step of the printed numbers. Series that only have
    windows or a summary have no histogram and give no rows, nor do observations of which nobody says how many they are.

    Returns
    -------
    DataFrame
        run, series, quantity, unit, low, high [unit], n; bins in rising order.

    Raises
    ------
    SelectionError
        If the selection is empty, mixes quantities or units, or holds neither bins nor samples.
    """
    tables: Tables = []
    for group, d in answers(recording, run, series, quantity):
        counted = group.rows.n >= 0  # hwlatdetect's `All samples below threshold` tells no n
        rows = group.rows.where((group.rows.of == ALL) & (group.rows.kind == KINDS.index(d.kind)) & counted)
        if d.kind not in ("sample", "bin") or group.facts.evidence == "claim" or not len(rows.low):
            continue
        low, high, n = rows.low, rows.high, rows.n
        if d.kind == "sample":
            step = 0.0 if math.isnan(d.resolution) else d.resolution
            low, n = np.unique(low, return_counts=True)
            high = low + step
        order = np.argsort(low, kind="stable")
        tables.append((d, {"low": low[order] / divisor(d), "high": high[order] / divisor(d), "n": n[order]}))
    if not tables:
        raise SelectionError("the selection holds neither bins nor samples: there is no histogram")
    return _frame(tables)


def histogram_of(ds: Iterable[Distribution]) -> pd.DataFrame:
    """Return the rows of `histogram` for distributions, pools among them; what lies beyond a last bin has no high end.

    Raises
    ------
    SelectionError
        If none of them has bins or samples.
    """
    tables: Tables = []
    for d in ds:
        low, high, n, _, beyond = d.intervals
        if d.kind in ("window", "summary", "quantile") or not len(n) or d.total is None:
            continue
        step = 0.0 if math.isnan(d.resolution) else d.resolution
        high = np.where(beyond, math.inf, np.where(high > low, high, low + step))
        low = np.where(beyond, low.min(where=beyond, initial=math.inf), low)  # the worst observed is beyond it, too
        ends, which = np.unique(np.stack([low, high]), axis=1, return_inverse=True)  # series of a pool share bins
        added = np.zeros(ends.shape[1], n.dtype)
        np.add.at(added, which.ravel(), n)
        tables.append((d, {"low": ends[0] / divisor(d), "high": ends[1] / divisor(d), "n": added}))
    if not tables:
        raise SelectionError("the selection holds neither bins nor samples: there is no histogram")
    return _frame(tables)


def ccdf(recording: Recording, run: Names = None, series: Names = None, quantity: Names = None) -> pd.DataFrame:
    """Return the share of observations that reach each value, as bounds, in at most 2000 points.

    The share is a falling step function; points are left out where it changes little, on a linear or on a
    logarithmic axis, and never the last.

    Returns
    -------
    DataFrame
        run, series, quantity, unit, value [unit], low, high [share of n].

    Raises
    ------
    SelectionError
        If the selection is empty, mixes quantities or units, or n is unknown everywhere.
    """
    return ccdf_of([d for _, d in answers(recording, run, series, quantity)])


def ccdf_of(ds: Iterable[Distribution]) -> pd.DataFrame:
    """Return the rows of `ccdf` for distributions.

    Raises
    ------
    SelectionError
        If n is unknown everywhere.
    """
    tables: Tables = []
    for d in ds:
        if d.refusal or d.total is None:
            continue
        values, surely, maybe = reaching(d)
        kept = thinned(maybe)
        values, low, high = values[kept], surely[kept] / d.total, maybe[kept] / d.total
        tables.append((d, {"value": values / divisor(d), "low": low, "high": high}))
    if not tables:
        raise SelectionError("the selection holds no series whose n is known: there is no share to draw")
    return _frame(tables)


def exceedance(
    recording: Recording, limit: str | float, run: Names = None, series: Names = None, quantity: Names = None
) -> pd.DataFrame:
    """Return how many observations of each series reach or exceed a limit.

    Parameters
    ----------
    recording : Recording
        What was read.
    limit : str or float
        With a unit, such as ``"50us"``; without one in the unit of the table (us, or cycles).
    run, series, quantity : str or sequence of str, optional
        What to keep; all where not given.

    Returns
    -------
    DataFrame
        run, series, quantity, unit, limit [unit], n, result (`rtlat.Bounds` of the count), low, high [share of n].

    Raises
    ------
    SelectionError
        If the selection is empty or mixes quantities or units, or is in cycles and the limit is not.
    UsageError
        If the limit is none.
    """
    tables: Tables = []
    for _, d in answers(recording, run, series, quantity):
        stored = limit_in(limit, d)
        result = stats.exceedances(d, stored)
        low, high = (end / d.total if d.total and math.isfinite(end) else math.nan for end in (result.low, result.high))
        row: dict[str, Any] = {"limit": [stored / divisor(d)], "n": [-1 if d.total is None else d.total]}
        tables.append((d, row | {"result": [result], "low": [low], "high": [high]}))
    return _frame(tables, "n")


def limit_in(limit: str | float, d: Distribution) -> float:
    """Return a limit in the stored unit of a distribution; without a unit of its own it is in the shown one.

    Raises
    ------
    SelectionError
        If the limit has a unit of time and the data have none.
    UsageError
        If it is no limit.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> limit_in("50us", counted([1])), limit_in(50, counted([1]))
    (50000.0, 50000.0)
    """
    try:
        plain = float(limit)
    except ValueError:
        try:
            stored = duration_ns(str(limit))
        except ValueError as error:
            raise UsageError(f"limit: {error}") from None
        if d.unit != "ns":
            raise SelectionError(f"{d.run} {d.series} is in {d.unit}: give the limit as a plain number") from None
        return stored
    if not math.isfinite(plain):
        raise UsageError(f"limit: {limit!r} is no number a latency can have")
    return plain * divisor(d)


def block_maxima(
    recording: Recording,
    run: Names = None,
    series: Names = None,
    quantity: Names = None,
    *,
    count: int | None = None,
    seconds: float | None = None,
) -> pd.DataFrame:
    """Return the greatest observation of each block, in the order of the log.

    Blocks are the windows that the tool prints, or samples in their order, `count` or `seconds` at a time. A
    block cut short by the end of the log stands in the table with its smaller n.

    Parameters
    ----------
    recording : Recording
        What was read.
    run, series, quantity : str or sequence of str, optional
        What to keep; all where not given.
    count : int, optional
        Samples in a block.
    seconds : float, optional
        Length of a block; needs the samples' times or the period. [s]

    Returns
    -------
    DataFrame
        run, series, quantity, unit, time [s] at which the block begins, seq (of a block's greatest sample), n,
        low, high [unit], missed.

    Raises
    ------
    SelectionError
        If the selection is empty, mixes quantities or units, or holds no rows in order.
    UsageError
        If samples are to be cut into blocks, but not how.
    """
    tables: Tables = []
    for group, d in answers(recording, run, series, quantity):
        if (blocks := _windows(group) if count is None and seconds is None else None) is None:
            blocks = _blocks(group, count, seconds, _period(recording, d))
        if blocks is not None and group.facts.evidence != "claim":
            time, seq, n, low, high, missed = blocks
            ends = {"low": low / divisor(d), "high": high / divisor(d)}
            tables.append((d, {"time": time, "seq": seq, "n": n, **ends, "missed": missed}))
    if not tables:
        raise SelectionError("the selection holds no windows and no samples: block maxima need rows in order")
    return _frame(tables, "seq", "n", "missed")


Blocks = tuple[Array, Array, Array, Array, Array, Array]
"""Time, seq, n, low and high of the greatest, missed, of each block."""


def _windows(group: Group) -> Blocks | None:
    """The windows of a tool, or the one maximum that it prints for each."""
    for kinds, of in (((WINDOW,), ALL), ((WINDOW, SAMPLE), MAX)):
        rows = group.rows.where(np.isin(group.rows.kind, kinds) & (group.rows.of == of) & (group.rows.n != 0))
        if len(rows.n):
            low, high, _ = group.ends(rows)[1]
            n = rows.n if of == ALL else np.full(len(rows.n), -1)  # the n of a maximum is 1, of its window unknown
            return rows.time, rows.seq, n, low, high, rows.missed
    return None


def _blocks(group: Group, count: int | None, seconds: float | None, period: float) -> Blocks | None:
    """Samples in blocks of a number or a time."""
    rows = group.rows.where((group.rows.kind == SAMPLE) & (group.rows.of == ALL))
    size = len(rows.n)
    if not size:
        return None
    time = rows.time
    if np.isnan(time).any():
        time = np.where((rows.seq < 0).any(), np.arange(size), rows.seq) * period / 1e9
    if seconds is not None and seconds > 0:
        if np.isnan(time).any():
            raise UsageError("seconds: neither the time of a sample nor the period is known; use count=")
        starts = np.flatnonzero(np.diff(np.floor(time / seconds), prepend=-1))
    elif count is not None and count > 0:
        starts = np.arange(0, size, count)
    else:
        raise UsageError("how are the samples to be cut into blocks? Give count= or seconds=")
    low, high, _ = group.ends(rows)[1]
    n = np.diff(starts, append=size)
    greatest = [start + int(np.argmax(low[start : start + length])) for start, length in zip(starts, n, strict=True)]
    known = (rows.missed >= 0).all()
    missed = np.add.reduceat(rows.missed, starts) if known else np.full(len(starts), -1)
    return time[starts], rows.seq[greatest], n, low[greatest], high[greatest], missed


def _period(recording: Recording, d: Distribution) -> float:
    """The period of a series, else of its run, in ns; NaN if unknown."""
    series = recording.series
    own = series[(series["run"] == d.run) & (series["series"] == d.series)]["period"]
    run = recording.runs[recording.runs["run"] == d.run]["period"]
    return next((float(period) for period in [*own, *run] if period == period), math.nan)


def _frame(tables: Tables, *optional: str) -> pd.DataFrame:
    """The columns of all series as one frame, what they are about in front; -1 is missing in `optional` columns."""
    import pandas as pd

    lengths = [len(next(iter(columns.values()))) for _, columns in tables]
    about = [(d.run, d.series, d.quantity, shown_unit(d)) for d, _ in tables]
    columns: dict[str, Any] = {
        name: np.repeat(np.asarray(values, object), lengths)
        for name, values in zip(("run", "series", "quantity", "unit"), zip(*about, strict=True), strict=True)
    }
    for name in tables[0][1]:
        joined = np.concatenate([column[name] for _, column in tables])
        columns[name] = pd.arrays.IntegerArray(joined, joined < 0) if name in optional else joined
    return pd.DataFrame(columns).astype({"run": "str", "series": "str", "quantity": "str", "unit": "str"})
