"""Which runs are one history, and in which order: those that differ only in when they ran, and on which kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rtlat.counts import limit_in
from rtlat.display.look import stated
from rtlat.errors import SelectionError, nearest
from rtlat.intervals import Distribution
from rtlat.protocol import Recording
from rtlat.selection import divisor, shown_unit
from rtlat.statistics import stats
from rtlat.statistics.results import Bounds, refused
from rtlat.storing.dates import moment
from rtlat.summaries import each

FACTS = ("machine", "approach", "load", "tool")
"""Columns of runs that all runs of one history share, with the quantity and its unit."""

ALIKE = 1.1
"""How much larger one n may be than another for worst observed values to be compared without more ado."""


@dataclass(frozen=True)
class Line:
    """The history of one quantity: runs in their order, the series of each together.

    Attributes
    ----------
    facts : tuple of str
        What the runs share, in the order of `FACTS`; empty where nothing is stated.
    quantity : str
        What was measured.
    ds : tuple of Distribution
        One for each run.
    runs : tuple of dict
        The rows of `rtlat.schema.RUNS`, with ``when``: the date as ISO 8601, or nothing.
    """

    facts: tuple[str, ...]
    quantity: str
    ds: tuple[Distribution, ...]
    runs: tuple[Mapping[str, Any], ...]

    @property
    def unit(self) -> str:
        """In which figures are shown."""
        return shown_unit(self.ds[0])

    @property
    def dated(self) -> bool:
        """Whether every run says when it started; else they stand in the order in which they were read."""
        return all(run["when"] for run in self.runs)

    def percentiles(self, percents: Sequence[str]) -> dict[str, list[Bounds]]:
        """Return each percentile of all runs, in the unit of the line."""
        each = [[result.over(divisor(d)) for result in stats.percentiles(d, percents)] for d in self.ds]
        return {percent: [found[place] for found in each] for place, percent in enumerate(percents)}

    def worst(self) -> list[Bounds]:
        """Return the worst observed value of each run, in the unit of the line."""
        return [stats.maximum(d).over(divisor(d)) for d in self.ds]

    def share(self, level: float) -> list[Bounds]:
        """Return which share of its cycles reach a level in each run.

        Parameters
        ----------
        level : float
            In the unit of the data.
        """
        return [_share(d, level) for d in self.ds]

    def level(self, limit: str) -> float:
        """Return a limit in the unit of the data; without one, the median of the runs' p99.9.

        It is the same whatever the order of the runs, so that it makes no change. NaN if no run tells it.
        """
        if limit:
            return limit_in(limit, self.ds[0])
        own = [stats.percentile(d, "99.9") for d in self.ds]
        ends = sorted(p.low if p.status == "overflow" or math.isinf(p.high) else p.high for p in own)
        told = [end for end in ends if math.isfinite(end)]
        return told[len(told) // 2] if told else math.nan

    def unequal(self) -> str:
        """Return why worst observed values are not compared, or nothing: a larger n alone gives a larger one."""
        counts = [d.total for d in self.ds]
        least, most = min((n or 0 for n in counts), default=0), max((n or 0 for n in counts), default=0)
        if not least or most > ALIKE * least:
            return f"n lies between {least:,} and {most:,}" if least else "n is not known of every run"
        return ""


def lines(recording: Recording, quantity: str = "") -> tuple[list[Line], list[str]]:
    """Return the histories of a recording, and the runs that stand alone.

    Parameters
    ----------
    recording : Recording
        What was read, from a store in the order of adding.
    quantity : str
        Only this one; all if empty.

    Raises
    ------
    SelectionError
        If no run measures that quantity.
    """
    runs = {
        row["run"]: {**row, "when": moment(stated(row["started"]))}
        for row in recording.runs.to_dict("records")
        if row["evidence"] != "claim"
    }
    order = {run: place for place, run in enumerate(runs)}
    told = _together(recording)
    known = {key[1] for key in told}
    if quantity and quantity not in known:
        raise SelectionError(f"no quantity {quantity!r} here{nearest(quantity, known)}")
    found: dict[tuple[Any, ...], list[tuple[dict[Any, Any], Distribution]]] = {}
    for (name, what, unit), d in told.items():
        if name in runs and quantity in ("", what) and not d.refusal:
            run = runs[name]
            found.setdefault((tuple(stated(run[fact]) for fact in FACTS), what, unit), []).append((run, d))
    made = []
    for (facts, what, _), several in found.items():
        if len(several) > 1:
            several.sort(key=lambda one: order[one[0]["run"]])
            if all(run["when"] for run, _ in several):
                several.sort(key=lambda one: one[0]["when"])
            made.append(Line(facts, what, tuple(d for _, d in several), tuple(run for run, _ in several)))
    inside = {run["run"] for line in made for run in line.runs}
    return made, [run for run in runs if run not in inside]


def _together(recording: Recording) -> dict[tuple[str, str, str], Distribution]:
    """The series of each run together, by run, quantity and unit; what a tool prints of all, where there is no pool."""
    found: dict[tuple[str, str, str], Distribution] = {}
    rank: dict[tuple[str, str, str], int] = {}
    for run, d, pooled in each(recording):
        key = (run, d.quantity, d.unit)
        place = 2 if pooled else int(d.series == "all")
        if place >= rank.get(key, 0):
            found[key], rank[key] = d, place
    return found


def _share(d: Distribution, level: float) -> Bounds:
    """The share of cycles that reach a level."""
    count = stats.exceedances(d, level)
    if count.status == "refused" or not d.total or math.isnan(level):
        return refused(count.reason or "the number of observations is unknown")
    return count.over(d.total)
