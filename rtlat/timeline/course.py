"""The observations of a series in the course of time: in which order they came, and when.

A log tells when something happened by a time in print, by the number of an activation, or only by its place. A
number times the period is a time once the activations are counted that the tool skipped because it was late:
cyclictest numbers what it recorded, not what was due.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rtlat.distribution import answer
from rtlat.frames import rows_of
from rtlat.intervals import Array, Distribution
from rtlat.protocol import Recording
from rtlat.statements import ALL, BIN, MAX, OVER, SAMPLE, WINDOW, Group, Rows, groups

SKIPPING = ("cyclictest",)
"""Tools that go on with the next activation still to come, ``while (tsgreater(&now, &next))`` in cyclictest.c: a
sample of latency L stands for all activations that were due within L."""

PRINTED, NUMBERED, PLACED = "printed", "cycle number x period", "order only"
"""Where times come from."""

_SOURCES = (("sample", (SAMPLE,), ALL), ("window", (WINDOW,), ALL), ("window", (WINDOW, SAMPLE), MAX))
"""What tells of the course of a series, the finest first: name, kinds of rows, and of which observations."""


class Pace(NamedTuple):
    """How a series was measured.

    Attributes
    ----------
    period, duration, window : float
        Its activation period; how long it was measured, by other than its own rows; what a window covers. NaN
        where not known. [s]
    skips : bool
        Whether the tool skips activations for which it is late, and does not count them.
    """

    period: float = math.nan
    duration: float = math.nan
    window: float = math.nan
    skips: bool = False


@dataclass(frozen=True, eq=False)
class Course:
    """Observations of a series in their order.

    Attributes
    ----------
    kind : str
        sample; window (the greatest of each period of time); over (only observations over a threshold).
    rows : Rows
        The statements, in order.
    low, high : ndarray
        Bounds of each observation, or of the greatest of each window. [unit]
    time : ndarray
        When each began, from the start of the run; its place if no more is known. [s, or 1]
    end : float
        Up to when it was observed. [s, or 1]
    grain : float
        Step of the times: a period or a window. [s, or 1]
    basis : str
        `PRINTED`, `NUMBERED` or `PLACED`.
    lag : float
        By how much an event may have come later than its time says: skipped activations have no number. [s]
    """

    kind: str
    rows: Rows
    low: Array
    high: Array
    time: Array
    end: float
    grain: float
    basis: str
    lag: float = 0.0

    @property
    def unit(self) -> str:
        """What times are in: s, or the things that are counted where they have no time."""
        return ("windows" if self.kind == "window" else "activations") if self.basis == PLACED else "s"


class Told(NamedTuple):
    """What a recording tells of one series.

    `course` is a sentence where there is none, which says why; `place` names the processor, if it is known.
    """

    group: Group
    distribution: Distribution
    pace: Pace
    course: Course | str
    place: str


def told(recording: Recording) -> Iterator[Told]:
    """Yield what a recording tells of every (run, series, quantity)."""
    runs = {str(row["run"]): row for row in rows_of(recording.runs)}
    own = {(row["run"], row["series"]): row for row in rows_of(recording.series)}
    for group in groups(recording):
        run, series = runs[group.run], own.get((group.run, group.series), {})
        period = float(series.get("period", math.nan))
        independent = run["duration_basis"] != "derived"
        pace = Pace(
            (float(run["period"]) if math.isnan(period) else period) / 1e9,
            float(run["duration"]) if independent else math.nan,
            float(run["window"]),
            run["tool"] in SKIPPING,
        )
        d = answer(group)
        yield Told(group, d, pace, course(group, d, pace), _place(group.series, series.get("cpu")))


def _place(series: str, cpu: Any) -> str:
    """A series by its processor, if that is known."""
    if not isinstance(cpu, int | np.integer):
        return "all series" if series == "all" else series
    return f"CPU {cpu}" if series in ("all", f"cpu{cpu}") else f"{series} (CPU {cpu})"


def course(group: Group, d: Distribution, pace: Pace) -> Course | str:
    """Return the observations of a series in their order, or why there is none."""
    if group.facts.evidence == "claim":
        return "somebody's claim, not a measurement"
    every, by_value = group.rows, group.facts.bin_edges == "samples"
    for name, kinds, of in _SOURCES:
        rows = every.where(np.isin(every.kind, kinds) & (every.of == of) & (every.n != 0))
        if len(rows.n):
            folded = name == "window" and ((every.kind == BIN) & (every.of == of)).any()
            return _blocks(group, rows, pace) if folded and by_value else _sequence(group, name, rows, pace)
    placed = (every.seq >= 0) | np.isfinite(every.time)
    rows = every.where(np.isin(every.kind, (SAMPLE, BIN)) & (every.of == OVER) & placed)
    if len(rows.n):
        return _exceedances(group, rows, d, pace)
    if by_value:
        return "its samples were counted by value: their order is gone"
    return "it has neither samples nor windows nor a list of overflows: nothing tells when"


def _sequence(group: Group, kind: str, rows: Rows, pace: Pace) -> Course:
    """All samples or windows."""
    step = pace.window if kind == "window" else pace.period
    if np.isfinite(rows.time).all():
        rows = rows.where(np.argsort(rows.time, kind="stable"))
        gaps = np.diff(rows.time)
        step = max(1e-6, step if step > 0 else float(np.median(gaps)) if len(gaps) else 0.0)
        time = rows.time - min(0.0, float(rows.time[0]))
        return Course(kind, rows, *_greatest(group, rows), time, float(time[-1]) + step, step, PRINTED)
    low, high = _greatest(group, rows)
    number = activations(rows.seq)
    if kind == "window" or number[0] < 0:
        number = number - number[0]
    if kind == "sample" and pace.skips and step > 0:
        number = number + np.append(0, np.cumsum(skipped(low, step * 1e9))[:-1])
    return _numbered(kind, rows, low, high, number, number[-1] + 1, step)


def _blocks(group: Group, rows: Rows, pace: Pace) -> Course:
    """Samples that were too many to keep: the greatest of each block of cycles."""
    low, high = _greatest(group, rows)
    whole = float(np.median(np.diff(rows.seq))) if len(rows.n) > 1 else float(rows.n[0])
    if np.isfinite(rows.time).all():
        gaps = np.diff(rows.time)
        grain = max(1e-6, float(np.median(gaps)) if len(gaps) else pace.window)
        end = float(rows.time[-1]) + grain * min(1.0, float(rows.n[-1] / np.median(rows.n)))
        return Course("window", rows, low, high, rows.time, end, grain, PRINTED)
    number = rows.seq if (rows.seq >= 0).all() else np.cumsum(rows.n) - rows.n
    end = int(number[-1] + rows.n[-1])
    if not pace.period > 0:
        return Course("window", rows, low, high, number / whole, end / whole, 1.0, PLACED)
    bins = group.rows.where((group.rows.kind == BIN) & (group.rows.of == rows.of[0]))
    lag = float((bins.n * skipped(bins.low, pace.period * 1e9)).sum()) * pace.period if pace.skips else 0.0
    times = number * pace.period
    return Course("window", rows, low, high, times, end * pace.period, whole * pace.period, NUMBERED, lag)


def _exceedances(group: Group, rows: Rows, d: Distribution, pace: Pace) -> Course:
    """Only the observations over a threshold, each with its time or its number."""
    low, high = _greatest(group, rows)
    if np.isfinite(rows.time).all():
        order = np.argsort(rows.time, kind="stable")
        step = pace.period if pace.period > 0 else 1e-6
        time = rows.time[order] - min(0.0, float(rows.time.min()))
        end = float(np.nanmax([time[-1] + step, pace.duration]))
        return Course("over", rows.where(order), low[order], high[order], time, end, step, PRINTED)
    number = activations(rows.seq)
    last = int(number[-1]) + 1
    whole = len(number) >= (d.overflow or 0)  # cyclictest lists no more numbers than its histogram has bins
    end = max(last, d.total or 0) if whole else last
    behind = pace.duration - (d.total or 0) * pace.period
    lag = behind if behind > 0 else 0.0
    return _numbered("over", rows, low, high, number, end, pace.period, lag)


def _numbered(
    kind: str, rows: Rows, low: Array, high: Array, number: Array, end: int, step: float, lag: float = 0.0
) -> Course:
    """Rows whose time is their number times a step, if that is known."""
    if step > 0:
        return Course(kind, rows, low, high, number * step, end * step, step, NUMBERED, lag)
    return Course(kind, rows, low, high, number.astype(np.float64), float(end), 1.0, PLACED)


def _greatest(group: Group, rows: Rows) -> tuple[Array, Array]:
    """Bounds of each observation, or of the greatest of each window."""
    low, high, _ = group.ends(rows)[1]
    return np.where(np.isinf(rows.high), rows.low, low), high


def activations(seq: Array) -> Array:
    """Return which activation each row is, rising: its number, or one more than the last where that is stale.

    cyclictest prints the number of an earlier sample with a latency of 0 or less.

    Examples
    --------
    >>> activations(np.array([15, 17, 17, 19, -1])).tolist()
    [15, 17, 18, 19, 20]
    """
    place = np.arange(len(seq))
    return np.maximum.accumulate(seq - place) + place


def skipped(latency: Array, period: float) -> Array:
    """Return how many activations were due while a late one was waited for, and are not recorded.

    Parameters
    ----------
    latency : ndarray
        [ns]
    period : float
        [ns]

    Examples
    --------
    >>> skipped(np.array([999.0, 1000.0, 1001.0, 50_000.0]), 1000.0).tolist()
    [0, 0, 1, 49]
    """
    return np.maximum(np.ceil(latency / period).astype(np.int64) - 1, 0)


def sequence(values: ArrayLike, period: float, step: float = 0.0, basis: str = NUMBERED) -> Course:
    """Return the course of samples that follow each other without a gap.

    Parameters
    ----------
    values : array_like
        In order. [unit]
    period : float
        [s]
    step : float
        Step of the values: each may lie up to that much higher. [unit]
    basis : str
        Where the times come from.

    Examples
    --------
    >>> made = sequence([7, 9], 0.001)
    >>> made.time.tolist(), made.end, made.low.tolist()
    ([0.0, 0.001], 0.002, [7.0, 9.0])
    """
    low = np.asarray(values, np.float64)
    place, unknown = np.arange(len(low)), np.full(len(low), math.nan)
    zero = np.zeros(len(low), np.int8)
    one, none = np.ones(len(low), np.int64), np.full(len(low), -1)
    rows = Rows(zero + SAMPLE, zero + ALL, zero, low, low, one, unknown, unknown, unknown, none, place, unknown)
    return Course("sample", rows, low, low + step, place * period, len(low) * period, period, basis)
