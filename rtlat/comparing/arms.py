"""The arms of a comparison: which runs belong to which, and which of them repeat each other.

An arm is what is compared: an approach, or a folder of runs. Of its runs only those repeat each other that measured
the same quantity under the same conditions; a folder with idle and loaded runs is two sets of repeats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rtlat.comparing.sides import Side, conditions
from rtlat.display.look import stated
from rtlat.errors import SelectionError, nearest
from rtlat.frames import rows_of
from rtlat.intervals import Distribution
from rtlat.pooling import pool
from rtlat.protocol import Recording
from rtlat.selection import shown_unit
from rtlat.statistics.superiority import compact
from rtlat.timeline.course import Told, told

POOLED, EACH = "pooled", "each"


@dataclass(frozen=True)
class Measured(Side):
    """One run of an arm, with its observations in their order where that is known.

    Attributes
    ----------
    told : tuple of Told
        As the log tells each of its series.
    series : str
        The series, if it is one of several.
    """

    told: tuple[Told, ...] = ()
    series: str = ""


@dataclass(frozen=True)
class Repeats:
    """Runs of one arm that repeat each other.

    Attributes
    ----------
    arm : str
        What it is compared as.
    runs : tuple of Measured
        One or more.
    """

    arm: str
    runs: tuple[Measured, ...]

    @cached_property
    def d(self) -> Distribution:
        """All observations together."""
        return compact(pool([run.d for run in self.runs]))

    @property
    def name(self) -> str:
        """Arm, load and, if it is one of several, the series."""
        return ", ".join(filter(None, (self.arm, self.runs[0].says("load"), self.runs[0].series)))

    def representatives(self) -> tuple[Measured, ...]:
        """Return the runs that differ most in what repeats may differ in: the shortest and the longest."""
        ordered = sorted(self.runs, key=lambda run: run.d.total or 0)
        return (ordered[0],) if len(ordered) == 1 else (ordered[0], ordered[-1])


def by_column(recording: Recording, column: str) -> dict[str, str]:
    """Return the arm of each run, as a column of runs says; where it says nothing, its group, else its own name.

    Raises
    ------
    SelectionError
        If there is no such column.
    """
    runs = recording.runs
    if column not in runs:
        raise SelectionError(f"no column {column!r} in runs{nearest(column, map(str, runs.columns))}")
    several = runs["group"].nunique() > 1
    arms = {}
    for row in rows_of(runs):
        spare = stated(row["group"]) if several else ""
        arms[str(row["run"])] = stated(row[column]) or spare or str(row["run"])
    return arms


def repeats(recording: Recording, arms: Mapping[str, str], quantity: str = "", series: str = POOLED) -> list[Repeats]:
    """Return the sets of repeats of all arms, in the order of the arms and of the log.

    Parameters
    ----------
    recording : Recording
        What was read.
    arms : mapping
        Run -> arm; runs that are not in it are left out.
    quantity : str
        Only this one; all if empty.
    series : str
        ``pooled``: the series of a run together; ``each``: every series by itself; or the name of one.

    Raises
    ------
    SelectionError
        If nothing is left; the nearest name is given.
    """
    facts: dict[str, Any] = {str(row["run"]): row for row in rows_of(recording.runs)}
    priorities: dict[str, set[int]] = {}
    for run, priority in zip(recording.series["run"], recording.series["priority"], strict=True):
        if stated(priority):
            priorities.setdefault(run, set()).add(int(priority))
    by_run: dict[tuple[str, str, str], list[Told]] = {}
    known: set[str] = set()
    for one in told(recording):
        if one.group.run in arms:
            by_run.setdefault((one.group.run, one.group.quantity, shown_unit(one.distribution)), []).append(one)
            known.add(one.group.series)
    _require(quantity, {measured for _, measured, _ in by_run}, "quantity")
    _require("" if series in (POOLED, EACH) else series, known, "series")
    sets: dict[tuple[str, ...], list[Measured]] = {}
    for (run, measured, _), members in by_run.items():
        for part in _parts(members, series) if quantity in ("", measured) else []:
            ds = tuple(one.distribution for one in part)
            name = ds[0].series if len(part) == 1 < len(members) and ds[0].series != "all" else ""
            side = Measured(
                facts[run], compact(pool(ds)), ds, tuple(sorted(priorities.get(run, ()))), tuple(part), name
            )
            sets.setdefault((arms[run], name, *conditions(side)), []).append(side)
    order = {arm: place for place, arm in enumerate(dict.fromkeys(arms.values()))}
    return sorted((Repeats(key[0], tuple(runs)) for key, runs in sets.items()), key=lambda one: order[one.arm])


def _require(wanted: str, known: Iterable[str], what: str) -> None:
    """Raise if something was asked for that is not there."""
    known = set(known)
    if not known:
        raise SelectionError("the arms hold no observations")
    if wanted and wanted not in known:
        raise SelectionError(f"no {what} {wanted!r} here{nearest(wanted, known)}")


def _parts(members: list[Told], series: str) -> list[list[Told]]:
    """Which series of a run belong together; what a tool prints of all of them is no series beside them."""
    if series == EACH:
        return [[one] for one in members]
    if series != POOLED:
        return [[one] for one in members if one.group.series == series]
    together = [one for one in members if one.group.series == "all"]
    own = [one for one in members if one.group.series != "all"] or together
    unknown = any(one.distribution.total is None for one in own)
    return [together if unknown and together and together[0].distribution.total else own]
