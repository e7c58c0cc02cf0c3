"""What runs mean for periodic tasks, as tables: for the presets at a glance, for one task in full, for every limit.

The series of a run are threads on processors, and a task would run on one of them: the series that misses most
stands for its run.
"""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat.deadlines.deadline import EVERY, PRESETS, RECORDED, Duty, Misses, every_period, margin, recorded
from rtlat.display.look import duration, shortened, stated
from rtlat.display.markup import Html
from rtlat.errors import UsageError
from rtlat.intervals import Array, Distribution
from rtlat.schema import duration_ns
from rtlat.selection import divisor, shown_unit
from rtlat.timeline.course import Told

if TYPE_CHECKING:
    import pandas as pd

_STARTS = ("irq", "thread", "user", "round_trip", "deviation", "signal", "message", "mutex", "semaphore", "unknown")
"""Quantities that a task waits for before it can start; noise, switches or sections without interrupts are parts."""

_LIMITS = 80
"""Limits for which a curve is given."""


def duty(period: str, limit: str, tolerated: int = 0) -> Duty:
    """Return a task from times as people write them.

    Raises
    ------
    UsageError
        If a time cannot be read, or is not positive.

    Examples
    --------
    >>> duty("1ms", "100us").limit
    100000.0
    """
    times = {}
    for name, text in (("period", period), ("limit", limit)):
        try:
            times[name] = duration_ns(text)
        except ValueError as error:
            raise UsageError(f"{name}: {error}") from None
        if not times[name] > 0:
            raise UsageError(f"{name}: {text} is not positive")
    return Duty(f"{period}, {limit}", times["period"] / 1e9, times["limit"], tolerated)


def presets() -> pd.DataFrame:
    """Return the tasks to begin with: period, limit, misses in a row that are tolerated, and why."""
    import pandas as pd

    rows = [(one.name, duration(one.period), duration(one.limit / 1e9), str(one.tolerated), one.why) for one in PRESETS]
    return pd.DataFrame(rows, columns=["task", "period", "limit on latency", "tolerated in a row", "why"])


def _views(told: Told, task: Duty) -> tuple[Misses, Misses]:
    """The recorded and the every-period view of one series."""
    d, course = told.distribution, told.course
    return recorded(d, course, task), every_period(d, course, told.pace, task)


def _worst(
    tolds: Sequence[Told], task: Duty, together: Mapping[str, tuple[str, ...]] | None = None
) -> list[tuple[Told, Misses, Misses]]:
    """Of each quantity and run (or of the runs that stand together) the series with most misses, unknown ones last."""
    groups: dict[tuple[Any, ...], list[Told]] = {}
    parted = {(told.group.run, told.group.quantity) for told in tolds if told.group.series != "all"}
    for told in tolds:
        d = told.distribution
        if d.quantity in _STARTS and not (d.series == "all" and (d.run, d.quantity) in parted):
            of = together[d.run] if together else (d.run,)
            groups.setdefault((d.quantity, shown_unit(d), *of), []).append(told)
    worst = []
    for _, several in sorted(groups.items(), key=lambda item: item[0][:2]):
        found = [(told, *_views(told, task)) for told in several]
        worst.append(max(found, key=lambda one: _rank(one[1])))
    return worst


def _rank(view: Misses) -> tuple[bool, float, float]:
    """Where a view stands: known ones by how much is surely missed."""
    return view.misses.status != "refused", view.per_hour.low, view.per_hour.high


def at_a_glance(tolds: Sequence[Told], runs: pd.DataFrame, *, each: bool = True) -> pd.DataFrame:
    """Return what runs mean for each of the presets: met, tolerated, missed or undecided, and misses per hour.

    Parameters
    ----------
    tolds : sequence of Told
        As `rtlat.timeline.timeline_tables.of` gives them.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    each : bool
        A row for each run; else one for each approach and load, of their runs the one that misses most.

    Returns
    -------
    DataFrame
        quantity, unit, approach, load, run if each has its row, and a column of text for each preset. Misses per hour
        are those of every period; where these are not known, of the recorded ones, which says so.
    """
    import pandas as pd

    facts = runs.set_index("run")
    about = {str(run): _about(facts.loc[run]) for run in facts.index}
    labels = {run: tuple(fact.values()) for run, fact in about.items()}
    lines: dict[tuple[str, ...], dict[str, Any]] = {}
    for task in PRESETS:
        for told, seen, every in _worst(tolds, task, None if each else labels):
            d = told.distribution
            line = {"quantity": d.quantity, "unit": shown_unit(d), **about[d.run], **({"run": d.run} if each else {})}
            lines.setdefault(tuple(line.values()), line)[task.name] = _verdict(seen, every, task)
    return pd.DataFrame(list(lines.values()))


def _about(run: Any) -> dict[str, str]:
    """What was compared."""
    return {what: shortened(stated(run[what]) or "unknown", 20, tail=False) for what in ("approach", "load")}


def _verdict(seen: Misses, every: Misses, task: Duty) -> str:
    """A verdict with its rate, in a few characters."""
    view = every if every.misses.status != "refused" else seen
    verdict = view.verdict(task.tolerated)
    if verdict == "unknown":
        return verdict
    if verdict != "met":
        return f"{verdict} ({_rates(view, '/h')})"
    note = "" if view.view == EVERY else ", recorded"
    return f"met (< {_rate(view.at_most)}/h{note})" if math.isfinite(view.at_most) else "met (n unknown)"


def _rate(value: float) -> str:
    """A rate in two digits.

    Examples
    --------
    >>> _rate(0.0123), _rate(1234.0), _rate(1.2e6)
    ('0.012', '1.2 k', '1.2 M')
    """
    if not math.isfinite(value):
        return "?"
    for size, unit in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.2g}{unit}" if value < 100 * size else f"{value / size:.0f}{unit}"
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"


def _rates(view: Misses, unit: str = "") -> str:
    """Misses per hour in two digits, and whether they are only those recorded."""
    if view.per_hour.status == "refused":
        return "unknown" if view.misses.status == "refused" else "rate unknown"
    low, high = _rate(view.per_hour.low), _rate(view.per_hour.high)
    return (low if low == high else f"{low} to {high}") + unit + ("" if view.view == EVERY else ", recorded")


def in_full(tolds: Sequence[Told], runs: pd.DataFrame, task: Duty) -> pd.DataFrame:
    """Return what each run means for one task.

    Returns
    -------
    DataFrame
        quantity, unit, approach, load, run (with its series that misses most), verdict, n; misses recorded and of
        every period, as `rtlat.Bounds`; per hour, of every period or, where that is not known, of the recorded ones, as
        text; the longest run of misses and the margin [unit], as `rtlat.Bounds`.
    """
    import pandas as pd

    facts = runs.set_index("run")
    counts = Counter((told.group.run, told.group.quantity) for told in tolds)
    lines = []
    for told, seen, every in _worst(tolds, task):
        d = told.distribution
        best = every if every.misses.status != "refused" else seen
        name = f"{d.run} {d.series}" if counts[d.run, d.quantity] > 1 else d.run
        line: dict[str, Any] = {"quantity": d.quantity, "unit": shown_unit(d), **_about(facts.loc[d.run]), "run": name}
        line |= {"verdict": best.verdict(task.tolerated), "n": d.total}
        line |= {"recorded": seen.misses, "every period": every.misses, "per hour": _rates(best)}
        lines.append(line | {"longest run": best.longest, "margin": margin(d, task).over(divisor(d))})
    names = ["quantity", "unit", "approach", "load", "run", "verdict", "n", "recorded", "every period", "per hour"]
    names += ["longest run", "margin"]
    return pd.DataFrame(lines, columns=names).astype({"n": "Int64"})


def answer(table: pd.DataFrame, task: Duty) -> Html:
    """Return how many runs meet the task's demand, and the least margin, in sentences."""
    counts = table["verdict"].value_counts()
    known = [
        f"{counts[name]} {name}" for name in ("met", "tolerated", "missed", "undecided", "unknown") if name in counts
    ]
    allowed = f", {task.tolerated} misses in a row tolerated" if task.tolerated else ""
    what = f"activated every {duration(task.period)}, to start within {duration(task.limit / 1e9)}{allowed}"
    first = f"<b>A task {what}: of {len(table)} runs {', '.join(known) or 'none tells'}.</b>"
    margins = [row for row in table.to_dict("records") if row["margin"].status != "refused"]
    if not margins:
        return Html(f"<p>{first}</p>")
    least = min(margins, key=lambda row: row["margin"].low)
    margin = html.escape(f"{least['margin'].text(least['unit'])} ({least['run']})")
    return Html(f"<p>{first} The least margin is <b>{margin}</b>.</p>")


def curves(tolds: Sequence[Told], task: Duty) -> pd.DataFrame:
    """Return misses per hour for every limit, of the series of each run that misses the task's own limit most.

    Returns
    -------
    DataFrame
        quantity, unit, run, series, view (every period, or recorded where that is not known), n, limit [unit], low and
        high [1/h], beyond: whether latencies go on beyond the last limit, uncounted. Runs in cycles are left out.
    """
    import pandas as pd

    parts = []
    for told, seen, every in _worst(tolds, task):
        d = told.distribution
        if seen.activations.status == "refused":
            continue
        limits, beyond = _limits(d)
        view = 1 if every.misses.status != "refused" else 0
        rates = [_views(told, replace(task, limit=float(limit)))[view].per_hour for limit in limits]
        columns: dict[str, Any] = {"quantity": d.quantity, "unit": shown_unit(d), "run": d.run, "series": d.series}
        columns |= {"view": (RECORDED, EVERY)[view], "n": d.total, "limit": limits / divisor(d), "beyond": beyond}
        parts.append(pd.DataFrame(columns | {"low": [one.low for one in rates], "high": [one.high for one in rates]}))
    names = ["quantity", "unit", "run", "series", "view", "n", "limit", "beyond", "low", "high"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=names)


def _limits(d: Distribution) -> tuple[Array, bool]:
    """Latencies of the data at which the curve has a point, and whether some lie beyond the last of them."""
    low, _, _, _, beyond = d.intervals
    known = np.unique(low[~beyond & (low > 0)])
    last = float(low[beyond].min()) if beyond.any() else d.maximum[0]
    if not 0 < last < math.inf:
        last = float(known[-1]) if len(known) else 1.0
    grid = np.geomspace(float(known[0]) if len(known) else last / 10, last, _LIMITS)
    near = known[np.clip(np.searchsorted(known, grid), 0, len(known) - 1)] if len(known) else grid
    return np.unique(np.append(near[near <= last], last)), bool(beyond.any())
