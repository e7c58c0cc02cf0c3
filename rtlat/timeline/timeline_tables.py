"""Latency over time as tables: what each series tells of it, blocks of time, outliers, what stands out."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rtlat.display.markup import Html
from rtlat.display.tables import listed
from rtlat.errors import SelectionError, nearest
from rtlat.protocol import Recording
from rtlat.selection import divisor, shown_unit
from rtlat.timeline import findings, timeline
from rtlat.timeline.course import Course, Told, told

if TYPE_CHECKING:
    import pandas as pd

CELLS, TIMES = 40, 120
"""Cells of latency and of time in a heat map."""

_COLUMNS = 300
"""Cells of time in which outliers are counted."""

Key = tuple[str, str, str]


def of(recording: Recording, run: Sequence[str] = (), quantity: str = "") -> list[Told]:
    """Return what the chosen runs tell of each series; all runs and quantities where none is named.

    Raises
    ------
    SelectionError
        If a name is unknown, or nothing is left.
    """
    every = list(told(recording))
    for name, wanted in (("run", run), ("quantity", [quantity] if quantity else [])):
        known = [getattr(entry.group, name) for entry in every]
        for value in wanted:
            if value not in known:
                raise SelectionError(f"no {name} {value!r} here{nearest(value, set(known))}")
        every = [entry for entry, value in zip(every, known, strict=True) if not wanted or value in wanted]
    return every


def sources(tolds: Sequence[Told]) -> pd.DataFrame:
    """Return what each series tells of the course of time: a row for each kind of record, with the runs that have it.

    Returns
    -------
    DataFrame
        tells, times, series (how many), runs, or why a run tells nothing.
    """
    import pandas as pd

    rows: dict[tuple[str, str], list[str]] = {}
    for entry in tolds:
        found = entry.course
        key = ("nothing", found) if isinstance(found, str) else (_TELLS[found.kind], _basis(found))
        rows.setdefault(key, []).append(entry.group.run)
    table = [
        (*key, str(len(runs)), listed(list(dict.fromkeys(runs))))
        for key, runs in sorted(rows.items(), key=lambda item: item[0][0] == "nothing")
    ]
    return pd.DataFrame(table, columns=["tells", "times, or why not", "series", "runs"])


def _basis(course: Course) -> str:
    """Where times come from, and what they leave out."""
    late = "; activations that were skipped have no number, so events came later than told" if course.lag else ""
    return course.basis + late


_TELLS = {"sample": "every sample", "window": "the maximum of each window", "over": "the observations over a threshold"}


class Stands(NamedTuple):
    """What stands out: a row for each finding, how many questions were asked, and of how many series."""

    table: pd.DataFrame
    asked: int
    series: int


def found(tolds: Sequence[Told]) -> Stands:
    """Return what stands out, the least probable first.

    The table's columns are what, finding, run, and chance: a bound of the probability that noise makes any such
    finding here, all questions together.
    """
    import pandas as pd

    several, asked = findings.findings(tolds)
    rows = [(one.what, one.text, one.run, chance(one.log_p + math.log(asked))) for one in several]
    table = pd.DataFrame(rows, columns=["what", "finding", "run", "chance"])
    return Stands(table, asked, sum(not isinstance(entry.course, str) for entry in tolds))


def answer(stands: Stands, most: int = 5) -> Html:
    """Return the clearest findings in sentences, and how many questions were asked to find them."""
    silent = "" if stands.series else "<p>None of these series tells when its observations were made.</p>"
    if silent and stands.table.empty:
        return Html(silent)
    first = [
        f"<li><b>{html.escape(row['run'])}</b>: {html.escape(row['finding'])}.</li>"
        for row in stands.table.head(most).to_dict("records")
    ]
    more = len(stands.table) - len(first)
    rest = f" {more} more stand in the table below." if more > 0 else ""
    return Html(
        f"{silent}<ul>{''.join(first)}</ul><p>{len(stands.table) or 'None'} of {stands.asked:,} questions found "
        f"something that chance explains with a probability of less than {100 * findings.ALPHA:g} %, all questions "
        f"together.{rest}</p>"
    )


def chance(log_p: float) -> str:
    """Return a probability by its power of ten.

    Parameters
    ----------
    log_p : float
        Its natural logarithm.

    Examples
    --------
    >>> chance(-5.0), chance(-100.0)
    ('0.007', '< 1e-43')
    """
    power = log_p / math.log(10)
    return f"{math.exp(log_p):.1g}" if power > -4 else f"< 1e{max(-99, math.ceil(power))}"


def _runs(tolds: Sequence[Told], kinds: Sequence[str]) -> dict[Key, list[tuple[Told, Course]]]:
    """The courses of some kinds by run, quantity and unit; of one run only those of one kind."""
    runs: dict[Key, list[tuple[Told, Course]]] = {}
    for entry in tolds:
        course = entry.course
        if isinstance(course, str) or course.kind not in kinds:
            continue
        d = entry.distribution
        several = runs.setdefault((d.run, d.quantity, shown_unit(d)), [])
        if not several or (several[0][1].kind, several[0][1].unit) == (course.kind, course.unit):
            several.append((entry, course))
    return runs


def over_time(tolds: Sequence[Told]) -> pd.DataFrame:
    """Return what blocks of time hold, the series of a run together.

    Returns
    -------
    DataFrame
        run, quantity, unit, kind, series (how many), step (what time is in: s, or windows or activations where no
        more than their order is known), time, length, n, and low and high [unit] of min, avg, p50, p99 and max, NaN
        where a block does not tell them. What makes a single block is left out.
    """
    import pandas as pd

    parts = []
    for (run, quantity, unit), several in _runs(tolds, ("sample", "window")).items():
        blocks = timeline.blocks([course for _, course in several], ("50", "99"))
        if np.isfinite(blocks.high["max"]).sum() < 2:
            continue
        scale = divisor(several[0][0].distribution)
        columns: dict[str, Any] = {"run": run, "quantity": quantity, "unit": unit, "kind": several[0][1].kind}
        columns |= {
            "series": len(several),
            "step": several[0][1].unit,
            "time": blocks.start,
            "length": blocks.length,
            "n": blocks.n,
        }
        nothing = np.full(len(blocks.n), math.nan)
        for name, shown in (("min", "min"), ("avg", "avg"), ("50", "p50"), ("99", "p99"), ("max", "max")):
            for side, ends in (("low", blocks.low), ("high", blocks.high)):
                columns[f"{shown} {side}"] = ends.get(name, nothing) / scale
        parts.append(pd.DataFrame(columns))
    names = ["run", "quantity", "unit", "kind", "series", "step", "time", "length", "n"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=names)


def heat(tolds: Sequence[Told]) -> pd.DataFrame:
    """Return how many samples, or maxima of windows, each cell of time and latency holds, a run's series together.

    Returns
    -------
    DataFrame
        run, quantity, unit, time, length (in the step of `over_time`), low, high [unit], n; cells that hold nothing are
        left out, and runs that would leave nearly all of them empty.
    """
    import pandas as pd

    parts = []
    for (run, quantity, unit), several in _runs(tolds, ("sample", "window")).items():
        courses = [course for _, course in several]
        scale = divisor(several[0][0].distribution)
        values = np.concatenate([course.low for course in courses])
        positive = values[values > 0]
        if not len(positive) or len(values) < 2 * TIMES * len(courses):
            continue
        edges = np.geomspace(positive.min(), max(values.max() * 1.001, positive.min() * 1.2), CELLS + 1)
        if (step := several[0][0].distribution.resolution) > 0:  # cells finer than the print would be empty in turn
            edges = np.unique(np.append(np.floor(edges / step), np.floor(edges[-1] / step) + 1)) * step
        counts = timeline.cells(courses, edges, TIMES)
        row, column = np.nonzero(counts)
        length = max(course.end for course in courses) / counts.shape[1]
        columns = {"run": run, "quantity": quantity, "unit": unit, "time": column * length, "length": length}
        ends = {"low": edges[row] / scale, "high": edges[row + 1] / scale}
        parts.append(pd.DataFrame(columns | ends | {"n": counts[row, column]}))
    names = ["run", "quantity", "unit", "time", "length", "low", "high", "n"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=names)


def outliers(tolds: Sequence[Told]) -> pd.DataFrame:
    """Return when the outliers of each series came, counted in cells of time.

    Of samples and windows, about the hundred greatest are taken, of a list of overflows the first thousand.

    Returns
    -------
    DataFrame
        run, series, quantity, unit, step (what time is in), end up to when the series was observed, from (the least
        outlier) [unit], time, length, n.
    """
    import pandas as pd

    parts = []
    for entry in tolds:
        course = entry.course
        if isinstance(course, str):
            continue
        levels = timeline.outliers(course)
        if not levels:
            continue
        level = min(levels, key=lambda one: abs(len(one.times) - 100))
        length = level.end / _COLUMNS
        place, n = np.unique(np.minimum((level.times / length).astype(int), _COLUMNS - 1), return_counts=True)
        d = entry.distribution
        columns: dict[str, Any] = {"run": d.run, "series": d.series, "quantity": d.quantity, "unit": shown_unit(d)}
        columns |= {"step": course.unit, "end": level.end}
        columns |= {"from": level.from_value / divisor(d), "time": place * length, "length": length, "n": n}
        parts.append(pd.DataFrame(columns))
    names = ["run", "series", "quantity", "unit", "step", "end", "from", "time", "length", "n"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=names)


def histograms(recording: Recording, tolds: Sequence[Told]) -> pd.DataFrame:
    """Return the histogram of every series of the runs that have several, as `rtlat.histogram` gives it."""
    import contextlib

    import pandas as pd

    from rtlat.counts import histogram

    series: dict[Key, list[str]] = {}
    for entry in tolds:
        d = entry.distribution
        series.setdefault((d.run, d.quantity, shown_unit(d)), []).append(d.series)
    by_quantity: dict[tuple[str, str], list[str]] = {}
    for (run, quantity, unit), names in series.items():
        if len(names) > 1:
            by_quantity.setdefault((quantity, unit), []).append(run)
    parts = []
    for (quantity, _), runs in by_quantity.items():
        with contextlib.suppress(SelectionError):
            parts.append(histogram(recording, run=runs, quantity=quantity))
    names = ["run", "series", "quantity", "unit", "low", "high", "n"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=names)
