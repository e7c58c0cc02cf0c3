"""The curves of a choice: the series of the runs of a group pooled, each group a run as tables and figures know it."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from rtlat.display.look import stated
from rtlat.display.tables import listed
from rtlat.exploring.choice import EACH, POOLED, Choice, natural
from rtlat.exploring.folder import Folder
from rtlat.intervals import Distribution
from rtlat.timeline.course import Told

if TYPE_CHECKING:
    import pandas as pd

MOST_CURVES = 100
"""Rows that a person reads; of more, those with the greatest worst observed are shown."""

_CONTEXT = ("approach", "load", "tool", "machine", "kernel", "context", "period", "power_states", "cmdline")
"""What ought to be alike in runs that are pooled, or said not to be."""

_OWN = ("run", "approach", "load")
"""Groups by these look as their runs do everywhere."""


class Curve(NamedTuple):
    """Observations that are drawn as one.

    Attributes
    ----------
    distribution : Distribution
        Its `run` is the group.
    period : float
        Of the activations; NaN if it is unknown or if they have several. [ns]
    """

    distribution: Distribution
    period: float


class Curves(NamedTuple):
    """What is drawn of a choice.

    Attributes
    ----------
    curves : list of Curve
        At most `MOST_CURVES`.
    runs : DataFrame
        A row for each group: run, group, approach, load, duration, evidence.
    members : dict
        The group of each run that has series to look at.
    left_out : int
        Curves beyond `MOST_CURVES`.
    mixed : list of str
        What differs between runs that were pooled.
    """

    curves: list[Curve]
    runs: pd.DataFrame
    members: Mapping[str, str]
    left_out: int
    mixed: list[str]

    @property
    def distributions(self) -> list[Distribution]:
        """What is known of each curve."""
        return [curve.distribution for curve in self.curves]


def curves(folder: Folder, choice: Choice) -> Curves:
    """Return the curves of a choice; none if it holds no observation."""
    return _curves(folder, choice._replace(percentiles=(), limit=0.0))


@functools.lru_cache(maxsize=4)
def _curves(folder: Folder, choice: Choice) -> Curves:
    """The curves, whatever percentiles and limit are asked for."""
    runs, series_of = folder.recording.runs, chosen(folder, choice)
    columns = list(dict.fromkeys(["run", choice.by, "group", "duration", *_CONTEXT]))
    rows = runs[runs["run"].isin(series_of)][columns].to_dict("records")  # rows are taken apart faster than frames
    members = {str(row["run"]): stated(row[choice.by]) or "unknown" for row in rows}
    groups: dict[str, list[dict[Any, Any]]] = {}
    for row in rows:
        groups.setdefault(members[str(row["run"])], []).append(row)
    series = folder.by_quantity[choice.quantity, choice.unit]
    parts: dict[tuple[str, str], list[int]] = {}
    for run, places in series_of.items():
        for place in places:
            name = series[place].group.series if choice.series == EACH else choice.series
            parts.setdefault((members[run], name), []).append(place)
    ordered = sorted(parts, key=lambda key: (natural(key[0]), natural(key[1])))
    shown = _greatest(series, parts, ordered)
    made = [_curve(folder, choice, group, name, parts[group, name]) for group, name in shown]
    drawn = {group for group, _ in shown}
    facts = [_facts(group, of) for group, of in groups.items() if group in drawn]
    mixed = [
        name for name in _CONTEXT if name != choice.by and any(len(_values(of, name)) > 1 for of in groups.values())
    ]
    return Curves(made, _frame(facts), members, len(ordered) - len(shown), mixed)


def chosen(folder: Folder, choice: Choice) -> dict[str, list[int]]:
    """Return where the series that are looked at stand among those of the quantity, by run; no run without one.

    What a tool prints of all series together is no series beside them.
    """
    key = choice.quantity, choice.unit
    series, places = folder.by_quantity[key], folder.places[key]
    found = {}
    for run in choice.runs:
        names = {place: series[place].group.series for place in places.get(run, [])}
        if choice.series in (POOLED, EACH):
            alone = set(names.values()) == {"all"}
            found[run] = [place for place, name in names.items() if alone or name != "all"]
        else:
            found[run] = [place for place, name in names.items() if name == choice.series]
    return {run: several for run, several in found.items() if several}


def _greatest(
    series: Sequence[Told], parts: Mapping[tuple[str, str], list[int]], ordered: list[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The curves in their order; of too many those with the greatest worst observed."""
    if len(ordered) <= MOST_CURVES:
        return ordered
    worst = {key: max(series[place].distribution.maximum[0] for place in places) for key, places in parts.items()}
    kept = set(sorted(ordered, key=lambda key: worst[key], reverse=True)[:MOST_CURVES])
    return [key for key in ordered if key in kept]


def _curve(folder: Folder, choice: Choice, group: str, series: str, places: Sequence[int]) -> Curve:
    """Several series as one."""
    key = choice.quantity, choice.unit
    d = folder.pools[key].pool(places)
    periods = {folder.by_quantity[key][place].pace.period * 1e9 for place in places}
    period = periods.pop() if len(periods) == 1 else math.nan
    return Curve(replace(d, run=group, series=series), period if period > 0 else math.nan)


def _facts(group: str, runs: Sequence[dict[Any, Any]]) -> dict[str, Any]:
    """A group as if it were a run."""
    facts: dict[str, Any] = {name: _joined(_values(runs, name)) for name in ("group", "approach", "load")}
    return facts | {"run": group, "duration": sum(row["duration"] for row in runs), "evidence": "log"}


def _values(runs: Sequence[dict[Any, Any]], name: str) -> list[str]:
    """What runs state of a fact, each value once."""
    return list(dict.fromkeys(stated(row[name]) or "unknown" for row in runs))


def _joined(values: list[str]) -> str:
    """Values in one line; nothing if none is stated."""
    return "" if values == ["unknown"] else listed(values)


def _frame(facts: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(facts, columns=["run", "group", "approach", "load", "duration", "evidence"])


def looked(runs: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return runs as they are to look: a group by any other column than its approach has a colour of its own."""
    return runs if by in _OWN else runs.assign(approach=runs["run"])
