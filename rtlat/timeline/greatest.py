"""The greatest observations one by one, each with its cycle, its time, and the line of the log where it stands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat.display.look import duration
from rtlat.protocol import Recording
from rtlat.selection import divisor, shown_unit
from rtlat.statistics.results import number
from rtlat.timeline.course import Pace, Told

if TYPE_CHECKING:
    import pandas as pd

MOST = 10
"""Observations that are shown of a run and quantity."""


def greatest(recording: Recording, tolds: Sequence[Told], most: int = MOST) -> pd.DataFrame:
    """Return the greatest samples, or maxima of windows, of each run and quantity.

    Of a log whose samples are too many to keep there are the hundred greatest of each series.

    Returns
    -------
    DataFrame
        run, quantity, unit, latency as printed [unit], series, cycle, when, where; all text.
    """
    import pandas as pd

    entries = {(entry.group.run, entry.group.quantity, entry.group.series): entry for entry in tolds}
    runs = {str(row["run"]): row for row in recording.runs.to_dict("records")}
    folded = {name for name, row in runs.items() if row["bin_edges"] == "samples"}
    single, lines = _single(recording.records, folded), []
    for _, part in single.groupby(["run", "quantity"], observed=True, sort=False):
        part = part.drop_duplicates(["series", "high", "line"])
        places = np.lexsort((part["line"], -part["high"]))
        rows = [row for row in part.iloc[places[:most]].to_dict("records") if _key(row) in entries]
        lines += [_line(row, entries[_key(row)], runs[row["run"]]["source"]) for row in rows]
    return pd.DataFrame(lines, columns=["run", "quantity", "unit", "latency", "series", "cycle", "when", "where"])


def _key(row: dict[Any, Any]) -> tuple[str, str, str]:
    """Which series a row is of."""
    return str(row["run"]), str(row["quantity"]), str(row["series"])


def _line(row: dict[Any, Any], entry: Told, source: str) -> dict[str, str]:
    """One line of the table."""
    run, quantity, series = _key(row)
    what = "window " if row["kind"] == "window" else ""
    return {
        "run": run,
        "quantity": quantity,
        "unit": shown_unit(entry.distribution),
        "latency": number(row["high"] / divisor(entry.distribution)),
        "series": series,
        "cycle": f"{what}{row['seq']:,}" if isinstance(row["seq"], int) else "unknown",
        "when": _when(row, entry.pace),
        "where": f"{source}:{row['line']}",
    }


def _single(records: pd.DataFrame, folded: set[str]) -> pd.DataFrame:
    """The rows that tell of one observation, and in which line it is; windows of folded samples are no lines."""
    kept = records["kind"].isin(["sample", "window"]) & records["of"].isin(["all", "max", "over"])
    kept &= ~((records["kind"] == "window") & records["run"].isin(folded))
    kept &= np.isfinite(records["high"]) & (records["n"].fillna(1) > 0)
    chosen: pd.DataFrame = records.loc[kept.to_numpy()]
    return chosen


def _when(row: dict[Any, Any], pace: Pace) -> str:
    """When it was; by its number only about, since skipped activations have none."""
    if row["time"] == row["time"]:
        return duration(row["time"])
    step = pace.window if row["kind"] == "window" else pace.period
    known = isinstance(row["seq"], int) and not math.isnan(step)
    return f"about {duration(row['seq'] * step)}" if known else "unknown"
