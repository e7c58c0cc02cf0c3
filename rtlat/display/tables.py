"""Tables as people read them: approaches side by side, what differs between runs, every warning.

All come as frames whose cells are text or results (`rtlat.Bounds`), so that tests and notebooks read the same
values; `shown` turns a frame into escaped HTML with footnotes.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rtlat.display.look import duration, stated
from rtlat.errors import SelectionError, nearest
from rtlat.intervals import Distribution
from rtlat.pooling import pool

if TYPE_CHECKING:
    import pandas as pd

    from rtlat.assembly import Reading
    from rtlat.protocol import Recording

SPREADS = ("iqr", "p99.9-p50", "range", "std")
"""The figures that are called jitter, each by its own name."""

TOLD = ("ok", "max", "below_resolution", "stated")
"""Statuses of a percentile that stands in a bin of its own."""

MOST_SERIES = 96
"""Series of a quantity that are drawn one by one where their runs are asked for."""

# fmt: off
_CONTEXT = (
    "approach", "tool", "version", "command", "context", "kernel", "cmdline", "machine",
    "cpu", "cpu_mhz", "load", "period", "duration", "threshold", "window", "resolution",
    "rounding", "bin_edges", "folded", "overflow_policy", "overrun_policy", "power_states",
    "ended", "evidence",
)
# fmt: on
"""The columns of runs that a reader of a comparison has to know; notes stand with the warnings."""


def chosen(summary: pd.DataFrame, runs: pd.DataFrame, series: str = "pooled", quantity: str = "") -> pd.DataFrame:
    """Return the rows of a summary to compare, with a column ``name`` that tells them apart; claims are left out.

    Parameters
    ----------
    summary : DataFrame
        As `rtlat.summary` gives it.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    series : str
        ``pooled``: one row per run and quantity, its series together; ``each``: every series by itself; or the
        name of a series.
    quantity : str
        Only this quantity; all if empty.

    Raises
    ------
    SelectionError
        If nothing is left; the nearest name is given.
    """
    rows = summary[~summary["run"].isin(runs["run"][runs["evidence"] == "claim"])]
    if quantity:
        rows = rows[rows["quantity"] == quantity]
        if rows.empty:
            raise SelectionError(f"no quantity {quantity!r} here{nearest(quantity, set(summary['quantity']))}")
    if series == "pooled":
        key = ["run", "quantity", "unit"]
        has_pool = rows[key].apply(tuple, axis=1).isin(set(rows[rows["pooled"]][key].apply(tuple, axis=1)))
        rows = rows[rows["pooled"] | ~has_pool | (rows["series"] == "all")]
    elif series == "each":
        rows = rows[~rows["pooled"]]
    else:
        named = rows[(rows["series"] == series) & ~rows["pooled"]]
        if named.empty:
            raise SelectionError(f"no series {series!r} here{nearest(series, {*rows['series'], 'pooled', 'each'})}")
        rows = named
    several = rows.duplicated(["run", "quantity", "unit"], keep=False)
    names = rows["run"].astype(str) + (" " + rows["series"].astype(str)).where(several, "")
    return rows.assign(name=names)


def side_by_side(rows: pd.DataFrame, runs: pd.DataFrame, percentiles: Sequence[str]) -> pd.DataFrame:
    """Return approaches side by side: what was measured, on what basis, percentiles, jitter by name, the worst.

    Parameters
    ----------
    rows : DataFrame
        As `chosen` gives them.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    percentiles : sequence of str
        Columns of `rows`.

    Returns
    -------
    DataFrame
        Grouped by quantity and unit, and ordered only within a group: by the highest percentile that most of
        its rows tell, lowest first.
    """
    import pandas as pd

    facts = runs.set_index("run")
    lines = []
    for row in ordered(rows, percentiles):
        run = facts.loc[row["run"]]
        line = {"quantity": row["quantity"], "unit": row["unit"]}
        line |= {name: stated(run[name]) or "unknown" for name in ("approach", "load")}
        line |= {"run": row["name"], "n": row["n"], "duration": duration(run["duration"]) or "unknown"}
        line |= {name: row[name] for name in percentiles} | {"worst observed": row["max"]}
        lines.append(line | {name: row[name] for name in SPREADS})
    return pd.DataFrame(lines).astype({"n": "Int64"})


def ordered(rows: pd.DataFrame, percentiles: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield rows group by group, each group by the percentile that decides, lowest first; unknown comes last."""
    for _, group in rows.groupby(["quantity", "unit"], sort=False):
        records: list[dict[Any, Any]] = group.to_dict("records")
        names = [*deciding(records, percentiles), "max"]
        yield from sorted(records, key=lambda row: [_place(row[name]) for name in names])


def deciding(rows: Sequence[dict[Any, Any]], percentiles: Sequence[str]) -> list[str]:
    """Return the percentiles by how many rows tell them, of equal ones the highest first.

    A percentile in the overflow is not told: where some histograms end at 300 us and others at 1000, an order
    by ``>= 300`` and ``>= 1000`` would rank the histograms.
    """

    def told(name: str) -> tuple[int, int]:
        return sum(row[name].status in TOLD for row in rows), list(percentiles).index(name)

    return sorted(percentiles, key=told, reverse=True)


def _place(cell: Any) -> float:
    """Where a result stands in an order: at its low end, or behind all others."""
    return float(cell.low) if cell.low > float("-inf") else float("inf")


def histograms(recording: Recording, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the histograms of each quantity and unit of `rows` below each other, as `rtlat.histogram` gives them.

    Parameters
    ----------
    recording : Recording
        What was read.
    rows : DataFrame
        As `chosen` gives them. Of rows that are pools their series stand there, or, of more than `MOST_SERIES` for a
        quantity, the pools.
    """
    from rtlat.counts import histogram, histogram_of

    return _by_quantity(histogram, histogram_of, recording, rows)


def exceedances(recording: Recording, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the exceedance curves of `rows` below each other, as `rtlat.ccdf` gives them.

    Parameters
    ----------
    recording, rows
        As for `histograms`.
    """
    from rtlat.counts import ccdf, ccdf_of

    return _by_quantity(ccdf, ccdf_of, recording, rows)


def _by_quantity(
    table: Callable[..., pd.DataFrame],
    table_of: Callable[[Sequence[Distribution]], pd.DataFrame],
    recording: Recording,
    rows: pd.DataFrame,
) -> pd.DataFrame:
    """A table of counts for each quantity and unit; quantities for which it has nothing to give are left out."""
    import pandas as pd

    from rtlat.distribution import distributions
    from rtlat.selection import shown_unit

    series: dict[tuple[str, str], dict[str, list[Distribution]]] = {}
    for d in distributions(recording):
        series.setdefault((d.quantity, shown_unit(d)), {}).setdefault(d.run, []).append(d)
    named = None if rows["pooled"].any() else list(dict.fromkeys(rows["series"]))
    parts = []
    for (quantity, unit), group in rows.groupby(["quantity", "unit"], sort=False):
        runs = list(dict.fromkeys(group["run"]))
        found = [of_run for run, of_run in series.get((str(quantity), str(unit)), {}).items() if run in set(runs)]
        with contextlib.suppress(SelectionError):
            if named is None and sum(map(len, found)) > MOST_SERIES:
                parts.append(table_of([pool(of_run) for of_run in found]))
            else:
                parts.append(table(recording, run=runs, series=named, quantity=quantity))
    columns = ["run", "series", "quantity", "unit", "low", "high", "n", "value"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def context_differences(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what differs between runs: a row for each value of each fact, with the runs it holds for.

    Returns
    -------
    DataFrame
        what, value, runs; what is not stated is ``unknown``.
    """
    import pandas as pd

    names = pd.Series(list(map(str, runs["run"])))
    rows = [
        (what, value, listed(list(names[group.index])))
        for what, column in _context(runs).items()
        if column.nunique() > 1
        for value, group in column.groupby(column, sort=False)
    ]
    return pd.DataFrame(rows, columns=["what", "value", "runs"])


def context_shared(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what all runs have in common and state: a row per column of runs."""
    import pandas as pd

    text = _context(runs)
    same = {name: text[name].iloc[0] for name in text.columns if text[name].nunique() == 1}
    rows = [(name, value) for name, value in same.items() if value != "unknown"]
    return pd.DataFrame(rows, columns=["what", "value"])


def _context(runs: pd.DataFrame) -> pd.DataFrame:
    """The columns of runs that describe them, as text with units."""
    import pandas as pd

    columns = {}
    for name in _CONTEXT:
        values = zip(runs[name], runs["printed_unit"] == "cycles", strict=True)
        columns[name] = [_fact(name, value, cycles) or "unknown" for value, cycles in values]
    return pd.DataFrame(columns)


def _fact(name: str, value: Any, cycles: bool) -> str:
    """A fact about a run as text, times in the unit that people say them in."""
    if name in ("duration", "window"):
        return duration(value)
    if name in ("period", "threshold", "resolution") and not cycles:
        return duration(value / 1e9)
    return stated(value)


def listed(names: Sequence[str]) -> str:
    """Return names in one line, the first three if there are more than four.

    Examples
    --------
    >>> listed(list("abcde"))
    'a, b, c and 2 more'
    """
    names = list(names)
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"


def warnings(recording: Recording, readings: Sequence[Reading] = ()) -> pd.DataFrame:
    """Return every note and warning, with the runs it is about: of cards, of reading, of rejected lines, of numbers.

    Parameters
    ----------
    recording : Recording
        What was read.
    readings : sequence of Reading, optional
        As `rtlat.read_all` gives them, for the logs that could not be read.
    """
    import pandas as pd

    from rtlat.distribution import distributions

    about: dict[str, list[str]] = {}
    for reading in readings:
        if reading.error:
            about.setdefault("not read", []).append(str(reading.error))
    for run in recording.runs.to_dict("records"):
        for warning in [*filter(None, [stated(run["note"])]), *json.loads(run["warnings"] or "[]")]:
            about.setdefault(warning, []).append(run["run"])
        for reason, (count, first) in json.loads(run["rejected_lines"] or "{}").items():
            about.setdefault(f"{count} lines rejected from line {first}: {reason}", []).append(run["run"])
    for d in distributions(recording):
        for warning in d.warnings:
            about.setdefault(warning, []).append(f"{d.run} {d.series}")
    return pd.DataFrame(
        [{"warning": warning, "runs": listed(list(dict.fromkeys(runs)))} for warning, runs in about.items()],
        columns=["warning", "runs"],
    )


def claims(recording: Recording) -> pd.DataFrame:
    """Return what somebody claimed without a measurement; it enters no statistic."""
    import pandas as pd

    runs = recording.runs[recording.runs["evidence"] == "claim"].set_index("run")
    rows = recording.records[recording.records["run"].isin(runs.index).to_numpy()]
    lines = []
    for row in rows.to_dict("records"):
        run = runs.loc[row["run"]]
        scale, unit = (1000.0, "us") if row["unit"] == "ns" else (1.0, row["unit"])
        ends = [f"{end / scale:g}" for end in dict.fromkeys((row["low"], row["high"])) if abs(end) < float("inf")]
        lines.append(
            {
                "run": row["run"],
                "approach": stated(run["approach"]),
                "quantity": row["quantity"],
                "claimed": f"{' to '.join(ends)} {unit}",
                "where": f"{run['source']}:{row['line']}",
                "note": stated(run["note"]),
            }
        )
    return pd.DataFrame(lines)
