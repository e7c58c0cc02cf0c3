"""Rows selected for a question: how many observations of a series lie between which bounds.

One run tells the same observations several times: samples, a histogram of them, a line per second, a summary.
`distributions` lets, for each series, the finest kind of row answer that misses no observation. On the way
from printed numbers to bounds:

* A truncated number is widened to all it may stand for: 5 us means [5, 6) us.
* A line of minimum, average and maximum becomes two observations at its ends and the rest between them.
* A histogram is cut at the printed extremes, but only where those cover the same observations:
  ``# Histogram Overflows: 3`` and ``# Max Latencies: 17`` above buckets up to 4 mean two observations in
  [5, 18) and one in [17, 18).
* Observations that only a coarser row counts (``cyclictest -v -q`` loses its last samples, its ``T:`` line
  does not) lie anywhere between that row's ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rtlat.errors import SelectionError, nearest
from rtlat.intervals import (
    ANYWHERE,
    Distribution,
    Interval,
    Intervals,
    counted,
    greatest,
    least,
    shared,
    sum_of,
)
from rtlat.protocol import Recording
from rtlat.schema import KINDS, OF, UNITS
from rtlat.statements import (
    ALL,
    BIN,
    MAX,
    MIN,
    OVER,
    PART,
    QUANTILE,
    SAMPLE,
    SUMMARY,
    WINDOW,
    Facts,
    Group,
    Rows,
    groups,
)


@dataclass(frozen=True)
class _Told:
    """What all rows of one kind tell about a series."""

    kind: int
    intervals: Intervals
    total: int | None
    least: Interval = ANYWHERE
    most: Interval = ANYWHERE
    avg: Interval | None = None
    std: float | None = None


def distribution(recording: Recording, run: str, series: str, quantity: str) -> Distribution:
    """Return what a recording says of one series.

    Raises
    ------
    SelectionError
        If there is no such series; the message names the known ones.
    """
    records = recording.records
    for name, value in (("run", run), ("series", series), ("quantity", quantity)):
        known = [str(known) for known in records[name].unique()]
        if value not in known:
            raise SelectionError(f"no {name} {value!r} here{nearest(value, known)}")
        records = records[(records[name] == value).to_numpy()]
    return next(distributions(recording._replace(records=records)))


def distributions(recording: Recording) -> Iterator[Distribution]:
    """Yield the distribution of every (run, series, quantity), in the order they first stand in the records."""
    return map(answer, groups(recording))


def answer(group: Group) -> Distribution:
    """Return the distribution of a group, or the reason why it has none."""
    rows, facts = group.rows, group.facts
    units = sorted({UNITS[place] for place in np.unique(rows.unit)})
    about: dict[str, Any] = {"run": group.run, "series": group.series, "quantity": group.quantity}
    about |= {"unit": units[0], "resolution": facts.resolution, "kind": KINDS[rows.kind.min()]}
    if facts.evidence == "claim":
        return _refused("somebody's claim, not a measurement", **about)
    if len(units) > 1:
        return _refused(f"the series mixes the units {' and '.join(units)}", **about)
    if (rows.of == PART).all():
        return _refused("parts of one observation, not observations of their own", **about)
    group = group._replace(rows=rows.where((rows.of != PART) & (rows.n != 0)))
    rows = group.rows
    stated = rows.where((rows.kind == QUANTILE) & (rows.of == ALL))
    low, high, _ = group.widened(stated.low)
    about["stated"] = tuple(zip(stated.q.tolist(), low.tolist(), high.tolist(), strict=True))
    about["missed"] = _missed(rows)
    about["minimum"], about["maximum"] = _extremes(group)
    told = [_told(group, kind) for kind in range(QUANTILE) if ((rows.kind == kind) & (rows.of == ALL)).any()]
    if told:
        return _built(*_selected(told), facts, about)
    parts = " and ".join(OF[place] for place in np.unique(rows.of) if place != ALL)
    reason = f"only rows about part of the observations ({parts})" if parts else "no observation"
    return _refused("only percentiles are printed" if about["stated"] else reason, **about)


def _refused(refusal: str, **about: Any) -> Distribution:
    """A distribution that answers nothing but, perhaps, the extremes."""
    nothing = {"minimum": ANYWHERE, "maximum": ANYWHERE, "n_basis": "", "overflow": None}
    return replace(counted([], **(nothing | about)), total=None, refusal=refusal)


def _missed(rows: Rows) -> int | None:
    """Skipped activations, from the finest kind that tells them in every row; None if none does."""
    rows = rows.where(rows.of == ALL)
    by_kind = [rows.missed[rows.kind == kind] for kind in np.unique(rows.kind)]
    return next((sum_of(missed) for missed in by_kind if (missed >= 0).all()), None)


def _extremes(group: Group) -> tuple[Interval, Interval]:
    """The least and the greatest observation in print, whatever kind of row shows it."""
    rows = group.rows.where(group.rows.kind != QUANTILE)
    low, high = group.ends(rows)
    minimum, maximum = least(*low[:2]), greatest(*high[:2])
    # the maxima of windows tell how high the run's minimum is at most, not how low it was
    if not np.isin(rows.of, (ALL, MIN)).any():
        minimum = -math.inf, minimum[1]
    if not np.isin(rows.of, (ALL, MAX, OVER)).any():
        maximum = maximum[0], math.inf
    # a window whose extreme is not known may hold the run's, unless a summary knows better
    windows, summaries = (rows.where((rows.kind == kind) & (rows.of == ALL)) for kind in (WINDOW, SUMMARY))
    if np.isinf(windows.low).any() and not np.isfinite(summaries.low).any():
        minimum = -math.inf, minimum[1]
    if np.isinf(windows.high).any() and not np.isfinite(summaries.high).any():
        maximum = maximum[0], math.inf
    return minimum, maximum


def _told(group: Group, kind: int) -> _Told:
    """What the rows of one kind tell, of those that are about all observations."""
    rows = group.rows.where((group.rows.kind == kind) & (group.rows.of == ALL))
    low, high = group.ends(rows)
    unknown = rows.n < 0
    total = None if unknown.any() else sum_of(rows.n)
    none = np.zeros(len(rows.n), bool)
    if kind in (SAMPLE, BIN):
        total = len(rows.n) if kind == SAMPLE and total is None else total
        beyond = np.isinf(rows.high) if kind == BIN else none
        return _Told(kind, Intervals(low[0], low[1], np.abs(rows.n), low[2], beyond), total)
    known_low, known_high = np.isfinite(rows.low), np.isfinite(rows.high)
    # an end in print is an observation; both ends are the same one where they are equal or n is 1
    at_low = known_low & (unknown | (rows.n > known_high))
    at_high = known_high & np.where(unknown, ~known_low | (rows.low < rows.high), rows.n > known_low)
    between = np.where(unknown, 0, rows.n - at_low - at_high)
    parts = [(*low[:2], at_low, low[2]), (*high[:2], at_high, high[2]), (low[0], high[1], between, high[2])]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    intervals = Intervals(
        columns[0], columns[1], columns[2].astype(np.int64), columns[3], np.zeros(3 * len(none), bool)
    )
    return _Told(
        kind,
        intervals.where(intervals.n > 0),
        total,
        least(*low[:2]) if known_low.all() else ANYWHERE,
        greatest(*high[:2]) if known_high.all() else ANYWHERE,
        _average(group, rows),
        float(rows.std[0]) if len(rows.std) == 1 and math.isfinite(rows.std[0]) else None,
    )


def _average(group: Group, rows: Rows) -> Interval | None:
    """Bounds of the mean of all rows, by their printed averages; None if one prints none."""
    if not np.isfinite(rows.avg).all() or (len(rows.n) > 1 and (rows.n < 0).any()):
        return None
    low, high, _ = group.widened(rows.avg, average=True)
    weights = np.abs(rows.n).astype(np.float64)
    return float(np.average(low, weights=weights)), float(np.average(high, weights=weights))


def _selected(told: list[_Told]) -> tuple[_Told, list[_Told]]:
    """The kind that answers, and those that tell of all observations there are."""
    known = [kind for kind in told if kind.total is not None]
    if not known:
        return told[0], told[:1]
    largest = max(kind.total or 0 for kind in known)
    whole = [kind for kind in known if kind.total == largest]
    if whole[0].kind < WINDOW:
        return whole[0], whole
    # samples or bins that miss a few are better than a summary that has all: it bounds those they miss
    finer = [kind for kind in known if kind.kind < whole[0].kind]
    return max(finer, key=lambda kind: kind.total or 0, default=whole[0]), whole


def _built(chosen: _Told, whole: list[_Told], facts: Facts, about: dict[str, Any]) -> Distribution:
    """The distribution of the rows of `chosen`, completed by what `whole` tell."""
    intervals, largest, status, warnings = chosen.intervals, whole[0].total, "ok", []
    overflow = sum_of(intervals.n[intervals.beyond]) if chosen.kind < WINDOW else None
    minimum, maximum = shared([kind.least for kind in whole]), shared([kind.most for kind in whole])
    unseen = (largest or 0) - (chosen.total or 0)
    if unseen:
        intervals = intervals.plus(minimum[0], maximum[1], unseen, True, False)
        warnings.append(
            f"{unseen} of {largest} observations are only counted, in a {KINDS[whole[0].kind]} row, and may lie "
            "anywhere between its ends"
        )
    if unseen or chosen.kind >= WINDOW:
        status = "bounds"
    elif chosen.kind == BIN and len(whole) == 1 and (why := _missing_end(facts)):
        status, overflow = "partial", None
        warnings.append(f"{why}: {chosen.total} observations are what survived")
    if chosen.kind == BIN or unseen:
        if (cut := _cut(intervals, minimum, maximum)) is None:
            warnings.append("rows lie outside the minimum and maximum printed for the same observations")
        else:
            intervals = cut
    averages = [kind.avg for kind in whole if kind.avg]
    basis = "counted" if whole[0].kind < WINDOW else "stated"
    built = counted(
        *intervals,
        status=status,
        overflow=overflow,
        warnings=tuple(warnings),
        avg=shared(averages) if averages else None,
        std=next((kind.std for kind in whole if kind.std is not None), None),
        n_basis="" if largest is None else basis,
        **(about | {"kind": KINDS[chosen.kind]}),
    )
    if largest is not None:
        return built
    minimum, maximum = built.minimum, built.maximum
    if chosen.kind == SUMMARY:  # a row without its minimum: the least one in print only bounds the minimum from above
        minimum = min(minimum[0], chosen.least[0]), minimum[1]
        maximum = maximum[0], max(maximum[1], chosen.most[1])
    return replace(built, total=None, refusal="", minimum=minimum, maximum=maximum)


def _missing_end(facts: Facts) -> str:
    """Why a histogram's end is missing, empty if it is not."""
    if facts.bin_edges != "samples" and facts.ended == "cut":
        return "the histogram's end is missing"
    return "what lay beyond the last bin was dropped" if "dropped" in facts.overflow_policy else ""


def _cut(intervals: Intervals, minimum: Interval, maximum: Interval) -> Intervals | None:
    """Intervals within the printed extremes of the same observations; None if some lie outside."""
    low, high, _, closed, _ = intervals
    above = (low > maximum[1]) | ((low == maximum[1]) & (not _closes(maximum)))
    below = (high < minimum[0]) | ((high == minimum[0]) & ~closed)
    if above.any() or below.any():
        return None
    cut = intervals._replace(
        low=np.maximum(low, minimum[0]),
        high=np.minimum(high, maximum[1]),
        closed=np.where(high > maximum[1], _closes(maximum), closed),
    )
    return _pinned(_pinned(cut, maximum), minimum)


def _closes(extreme: Interval) -> bool:
    """Whether the high end of a printed extreme belongs: it is exact, or was truncated towards zero from below."""
    return extreme[0] == extreme[1] or extreme[1] < 0


def _pinned(intervals: Intervals, extreme: Interval) -> Intervals:
    """Intervals with one observation moved to a printed extreme, if only one interval can hold it."""
    low, high, n, closed, beyond = intervals
    reaches = (low < extreme[1]) | ((low == extreme[1]) & _closes(extreme))
    holders = np.flatnonzero(reaches & ((high > extreme[0]) | ((high == extreme[0]) & closed)))
    if len(holders) != 1 or math.isinf(extreme[0]):
        return intervals
    row = holders[0]
    inner = max(low[row], extreme[0]), min(high[row], extreme[1])
    if inner == (low[row], high[row]):
        return intervals
    ends = _closes(extreme) if inner[1] == extreme[1] else closed[row]
    left = np.where(np.arange(len(n)) == row, n - 1, n)
    return intervals._replace(n=left).plus(*inner, 1, ends, beyond[row])
