"""The greatest statements of the logs that reach a limit, each with the file and the line where it stands."""

from __future__ import annotations

import functools
import html
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat.display.look import duration
from rtlat.display.markup import Html, shown
from rtlat.exploring.answers import limit_of
from rtlat.exploring.choice import EACH, POOLED, Choice
from rtlat.exploring.folder import Folder
from rtlat.statistics.results import Bounds

if TYPE_CHECKING:
    import pandas as pd

MOST = 20
"""Statements that are listed."""

_SAYS = {
    ("sample", "all"): "a sample",
    ("sample", "max"): "maximum of a window",
    ("window", "all"): "maximum of a window",
    ("window", "max"): "maximum of a window",
    ("summary", "all"): "maximum of the run",
    ("summary", "max"): "maximum of the run",
}


def outliers(folder: Folder, choice: Choice) -> Html:
    """Return the greatest statements that reach the limit, as a table with how many there are."""
    found, total = rows(folder, choice)
    limit = limit_of(choice)
    head = f"{total:,} statements reach {limit}" + (f", the {MOST} greatest are:" if total > MOST else ":")
    return Html(f"<p>{html.escape(head)}</p>{shown(found)}" if total else f"<p>No statement reaches {limit}.</p>")


def rows(folder: Folder, choice: Choice) -> tuple[pd.DataFrame, int]:
    """Return the greatest statements that reach the limit, and how many do.

    A maximum that a tool prints is a statement of its own beside the sample or the bin that it is of.

    Returns
    -------
    DataFrame
        quantity, unit, run, series, latency (as printed) [unit], what it is, when, where; all text.
    int
        How many there are.
    """
    import pandas as pd

    scale = 1000.0 if choice.unit == "us" else 1.0
    value, records = _falling(folder, choice.quantity, choice.unit)
    within = records["run"].isin(choice.runs).to_numpy() & (value >= choice.limit * scale)
    if choice.series not in (POOLED, EACH):
        within &= (records["series"] == choice.series).to_numpy()
    places = np.flatnonzero(within)
    sources = dict(zip(folder.recording.runs["run"], folder.recording.runs["source"], strict=True))
    folded = _folded(folder)
    lines = []
    for row in records.iloc[places[:MOST]].to_dict("records"):
        line = {"quantity": choice.quantity, "unit": choice.unit, "run": str(row["run"]), "series": str(row["series"])}
        line |= {"latency": _printed(row, scale), "what it is": _says(row, folded), "when": _when(row)}
        lines.append(line | {"where": f"{sources[row['run']]}:{row['line']}"})
    return pd.DataFrame(lines), len(places)


@functools.lru_cache(maxsize=4)
def _falling(folder: Folder, quantity: str, unit: str) -> tuple[Any, pd.DataFrame]:
    """What was surely observed in each statement about latencies of this quantity, the greatest first."""
    records = folder.recording.records
    kind, of = records["kind"], records["of"]
    about = (records["quantity"] == quantity) & (records["unit"] == ("ns" if unit == "us" else unit))
    about &= kind.isin(["sample", "bin", "window", "summary"]) & of.isin(["all", "max", "over"])
    about &= ~((kind == "window") & records["run"].isin(_folded(folder)))
    records = records[(about & (records["n"].fillna(1) > 0)).to_numpy()]
    ends = records["kind"].isin(["window", "summary"]).to_numpy()
    value = np.where(ends, records["high"], records["low"])
    value = np.where(np.isinf(value), -math.inf, value)
    order = np.argsort(-value, kind="stable")
    return value[order], records.iloc[order]


def _printed(row: dict[Any, Any], scale: float) -> str:
    """The number as it stands in the log: a bin's ends, else the one that was observed."""
    low, high = (row["low"] if row["kind"] == "bin" else row["high"]) / scale, row["high"] / scale
    return Bounds(low, high, "ok").text()


def _folded(folder: Folder) -> set[str]:
    """The runs whose samples are too many to keep: their windows are no lines, and their greatest are samples."""
    runs = folder.recording.runs
    return set(runs.loc[runs["bin_edges"] == "samples", "run"])


def _says(row: dict[Any, Any], folded: set[str]) -> str:
    """What kind of statement it is."""
    if row["of"] == "over":
        return "a sample" if row["run"] in folded else "one over the threshold"
    if row["kind"] == "bin":
        return f"{row['n']:,} in this bin"
    return _SAYS[row["kind"], row["of"]]


def _when(row: dict[Any, Any]) -> str:
    """When it was, as far as the log tells."""
    if row["time"] == row["time"]:
        return duration(row["time"]) if row["time"] else "at the start"
    return f"cycle {row['seq']:,}" if isinstance(row["seq"], int) else "unknown"
