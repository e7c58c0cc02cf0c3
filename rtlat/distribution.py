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
from dataclasses import replace
from typing import Any

import numpy as np

from rtlat.errors import SelectionError, nearest
from rtlat.intervals import ANYWHERE, Distribution, Interval, Intervals, counted, shared, sum_of
from rtlat.kinds import Kind, extremes, kinds
from rtlat.protocol import Recording
from rtlat.schema import KINDS, OF, UNITS
from rtlat.statements import ALL, BIN, PART, QUANTILE, SUMMARY, WINDOW, Facts, Group, groups, present


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
    units = sorted(UNITS[place] for place in present(rows.unit))
    about: dict[str, Any] = {"run": group.run, "series": group.series, "quantity": group.quantity}
    about |= {"unit": units[0], "resolution": facts.resolution, "kind": KINDS[rows.kind[0]]}
    if facts.evidence == "claim":
        return _refused("somebody's claim, not a measurement", **about)
    if len(units) > 1:
        return _refused(f"the series mixes the units {' and '.join(units)}", **about)
    of = present(rows.of)
    if of == [PART]:
        return _refused("parts of one observation, not observations of their own", **about)
    if PART in of or np.count_nonzero(rows.n) < len(rows.n):
        group = group._replace(rows=rows.where((rows.of != PART) & (rows.n != 0)))
    every = kinds(group)
    about["minimum"], about["maximum"] = extremes(every)
    told = [whole for kind in every if (whole := kind.about_all())]
    about["missed"] = next((missed for kind in told if (missed := kind.missed) is not None), None)
    about["stated"] = next((kind.stated for kind in told if kind.place == QUANTILE), ())
    answering = [kind for kind in told if kind.place != QUANTILE]
    if answering:
        return _built(*_selected(answering), facts, about)
    parts = " and ".join(OF[place] for place in present(group.rows.of) if place != ALL)
    reason = f"only rows about part of the observations ({parts})" if parts else "no observation"
    return _refused("only percentiles are printed" if about["stated"] else reason, **about)


def _refused(refusal: str, **about: Any) -> Distribution:
    """A distribution that answers nothing but, perhaps, the extremes."""
    nothing = {"minimum": ANYWHERE, "maximum": ANYWHERE, "n_basis": "", "overflow": None}
    return replace(counted([], **(nothing | about)), total=None, refusal=refusal)


def _selected(told: list[Kind]) -> tuple[Kind, list[Kind]]:
    """The kind that answers, and those that tell of all observations there are."""
    known = [kind for kind in told if kind.total is not None]
    if not known:
        return told[0], told[:1]
    largest = max(kind.total or 0 for kind in known)
    whole = [kind for kind in known if kind.total == largest]
    if whole[0].place < WINDOW:
        return whole[0], whole
    # samples or bins that miss a few are better than a summary that has all: it bounds those they miss
    finer = [kind for kind in known if kind.place < whole[0].place]
    return max(finer, key=lambda kind: kind.total or 0, default=whole[0]), whole


def _built(chosen: Kind, whole: list[Kind], facts: Facts, about: dict[str, Any]) -> Distribution:
    """The distribution of the rows of `chosen`, completed by what `whole` tell."""
    intervals, largest, status, warnings = chosen.intervals(), whole[0].total, "ok", []
    overflow = sum_of(intervals.n[intervals.beyond]) if chosen.place < WINDOW else None
    minimum, maximum = (shared(ends) for ends in zip(*(kind.extremes for kind in whole), strict=True))
    unseen = (largest or 0) - (chosen.total or 0)
    if unseen:
        intervals = intervals.plus(minimum[0], maximum[1], unseen, True, False)
        warnings.append(
            f"{unseen} of {largest} observations are only counted, in a {KINDS[whole[0].place]} row, and may lie "
            "anywhere between its ends"
        )
    if unseen or chosen.place >= WINDOW:
        status = "bounds"
    elif chosen.place == BIN and len(whole) == 1 and (why := _missing_end(facts)):
        status, overflow = "partial", None
        warnings.append(f"{why}: {chosen.total} observations are what survived")
    if chosen.place == BIN or unseen:
        if (cut := _cut(intervals, minimum, maximum)) is None:
            warnings.append("rows lie outside the minimum and maximum printed for the same observations")
        else:
            intervals = cut
    averages = [avg for kind in whole if (avg := kind.avg)]
    basis = "counted" if whole[0].place < WINDOW else "stated"
    built = counted(
        *intervals,
        status=status,
        overflow=overflow,
        warnings=tuple(warnings),
        avg=shared(averages) if averages else None,
        std=next((kind.std for kind in whole if kind.std is not None), None),
        n_basis="" if largest is None else basis,
        **(about | {"kind": KINDS[chosen.place]}),
    )
    if largest is not None:
        return built
    minimum, maximum = built.minimum, built.maximum
    if chosen.place == SUMMARY:  # a row without its minimum: the least one in print only bounds the minimum from above
        minimum = min(minimum[0], chosen.extremes[0][0]), minimum[1]
        maximum = maximum[0], max(maximum[1], chosen.extremes[1][1])
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
