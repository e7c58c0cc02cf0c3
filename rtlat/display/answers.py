"""What reports say first, in sentences: what was compared, and what was found."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rtlat.display.look import duration, looks, shortened, stated
from rtlat.display.markup import Html
from rtlat.display.tables import TOLD, deciding, listed, ordered
from rtlat.schema import QUANTITIES
from rtlat.statistics.results import Bounds

if TYPE_CHECKING:
    import pandas as pd

MOST_TOLD = 2
"""Quantities that are told at once; further ones are folded away."""

_MOST_NAMED = 3
"""Approaches, loads or tools that are named."""


def about(runs: pd.DataFrame) -> Html:
    """Return what was compared, in one paragraph: how many runs of what, under which load, by which tools, how long.

    Parameters
    ----------
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    """
    look = looks(runs)
    loads = [shortened(stated(load), 40, tail=False) or "unknown" for load in runs["load"]]
    tools = [tool if (tool := stated(told)) not in ("", "unknown") else "an unknown tool" for told in runs["tool"]]
    times = sorted(seconds for seconds in runs["duration"] if seconds == seconds)
    lasted = " to ".join(dict.fromkeys(map(duration, (times[0], times[-1])))) if times else "of unknown duration"
    count = f"{len(runs)} runs" if len(runs) != 1 else "1 run"
    parts = [
        f"<b>{count}</b> of {_counted([html.unescape(look[str(run)].treatment) for run in runs['run']])}",
        f"load: {_counted(loads)}",
        f"measured by {_counted(tools, numbers=False)}",
        f"{'each ' * (len(runs) > 1)}{lasted}",
    ]
    silent = f" ({len(runs) - len(times)} do not tell)" if 0 < len(times) < len(runs) else ""
    return Html(f"<p>{'; '.join(parts)}{silent}.</p>")


def _counted(names: Sequence[str], *, numbers: bool = True) -> str:
    """Names with how often each stands there, the most frequent first."""
    counts = Counter(names).most_common()
    told = [f"{html.escape(name)}{f' ({count})' if numbers and len(counts) > 1 else ''}" for name, count in counts]
    more = len(told) - _MOST_NAMED
    return ", ".join(told[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def jitter(rows: pd.DataFrame, names: Sequence[str] = ("iqr", "p99.9-p50", "range")) -> Html:
    """Return which run is the steadiest by each figure that is called jitter, for each quantity.

    Parameters
    ----------
    rows : DataFrame
        As `rtlat.display.tables.chosen` gives them.
    names : sequence of str
        Columns of `rows`.
    """
    parts = []
    for (quantity, unit), group in rows.groupby(["quantity", "unit"], sort=False):
        told = []
        for name in names:
            known = [
                row
                for row in group.to_dict("records")
                if row[name].status != "refused" and math.isfinite(row[name].high)
            ]
            if not known:
                continue
            least = min(known, key=lambda row: (row[name].high, row[name].low))
            told.append((least["name"], f"by {name} {html.escape(least['name'])} ({_value(least[name], str(unit))})"))
        if not told:
            continue
        agree = "All figures name the same run." if len({run for run, _ in told}) == 1 and len(told) > 1 else ""
        differ = "The figures do not agree." if len({run for run, _ in told}) > 1 else ""
        parts.append(
            f"<li><b>{html.escape(str(quantity))} [{unit}]</b>: the steadiest of {len(group)} is "
            f"{', '.join(text for _, text in told)}. {agree or differ}</li>"
        )
    return folded(parts, "<p>No run here tells how much its latencies vary.</p>")


def folded(parts: Sequence[str], nothing: str = "") -> Html:
    """Return sentences on each quantity as a list, those beyond the first `MOST_TOLD` folded away.

    Parameters
    ----------
    parts : sequence of str
        ``<li>`` elements.
    nothing : str
        HTML that stands there without any.
    """
    more = len(parts) - MOST_TOLD
    rest = f"<details><summary>{more} more quantities</summary><ul>{''.join(parts[MOST_TOLD:])}</ul></details>"
    return Html(f"<ul>{''.join(parts[:MOST_TOLD])}</ul>{rest if more > 0 else ''}" if parts else nothing)


def levels(rows: pd.DataFrame, runs: pd.DataFrame, percentiles: Sequence[str]) -> Html:
    """Return two sentences for each quantity: the lowest and the highest percentile, and the worst observed.

    Parameters
    ----------
    rows : DataFrame
        As `rtlat.display.tables.chosen` gives them.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    percentiles : sequence of str
        Columns of `rows`, rising.
    """
    look = looks(runs)
    times = {str(run): duration(seconds) for run, seconds in zip(runs["run"], runs["duration"], strict=True)}
    parts = []
    groups = rows.groupby(["quantity", "unit"], sort=False)
    for (quantity, unit), group in sorted(groups, key=lambda group: -len(group[1])):
        found = list(ordered(group, percentiles))
        if all(row[name].status == "refused" for row in found for name in (*percentiles, "max")):
            continue
        for row in found:
            label, name = look[row["run"]].label, html.escape(row["name"])
            row["who"] = f"{label}, {name}" if look[row["run"]].name not in label else label
        sentences = _spread(found, percentiles, str(unit)), _worst(found, str(unit), times), _note(found, runs)
        parts.append(f"<li><b>{quantity} [{unit}]</b>: {' '.join(sentences)}</li>")
    return folded(parts, "<p>No log here tells how large latencies are.</p>")


def _spread(rows: list[dict[str, Any]], percentiles: Sequence[str], unit: str) -> str:
    """Which run has the lowest and which the highest value of the highest percentile that most rows have."""
    name = deciding(rows, percentiles)[0]
    told = [row for row in rows if row[name].status in TOLD]
    found = told or [row for row in rows if row[name].status != "refused"]
    if not found:
        return "no percentile is known."
    found.sort(key=lambda row: (row[name].low, row[name].high))
    lowest, highest = (f"{_value(row[name], unit)} ({row['who']})" for row in (found[0], found[-1]))
    most = len(found)
    if most == 1:
        return f"{name} is {lowest}."
    alike = sum(row[name].low <= found[0][name].high for row in found[1:])
    if alike == most - 1:
        return f"the logs do not tell the {name} of {most} runs apart: {lowest}, {highest}."
    besides = f" ({alike} more may be as low)" if alike else ""
    return f"of {most} runs the lowest {name} is {lowest}{besides}, the highest {highest}."


def _worst(rows: list[dict[str, Any]], unit: str, times: dict[str, str]) -> str:
    """The worst observed value, always with n and duration."""
    known = [row for row in rows if row["max"].status != "refused"]
    if not known:
        return "No largest value is printed."
    row = max(known, key=lambda row: row["max"].low)
    n = f"{row['n']:,}" if stated(row["n"]) else "unknown"
    basis = f"n {n}, {times[str(row['run'])] or 'duration unknown'}"
    return f"Worst observed: {_value(row['max'], unit)} ({row['who']}; {basis})."


def _note(rows: list[dict[str, Any]], runs: pd.DataFrame) -> str:
    """What the cards say of most of these runs, such as that the machine was emulated."""
    names = {row["run"] for row in rows}
    notes = runs["note"][runs["run"].isin(names)]
    counted = notes.value_counts()
    often = [str(note) for note, count in counted.items() if stated(note) and count > max(1, len(names) / 2)]
    return html.escape(" ".join(f"Note: {note}." for note in often))


def _value(cell: Bounds, unit: str) -> str:
    """A result in a sentence."""
    return f"<b>{html.escape(cell.text(unit))}</b>"


def caveats(rows: pd.DataFrame, runs: pd.DataFrame) -> Html:
    """Return why quantities are not ranked against each other, and what to mind within one.

    Parameters
    ----------
    rows : DataFrame
        As `rtlat.display.tables.chosen` gives them.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    """
    sentences = []
    quantities = list(dict.fromkeys(rows["quantity"]))
    if len(quantities) > 1:
        meant = "; ".join(f"{quantity}: {QUANTITIES.get(quantity, 'not stated')}" for quantity in quantities)
        sentences.append(
            "Quantities are not ranked against each other: they measure different paths, and the longer path takes"
            f" longer on any system ({html.escape(meant)})."
        )
    if "cycles" in set(rows["unit"]) and rows["unit"].nunique() > 1:
        sentences.append("Cycles stand apart from microseconds because the clock rate is not stated.")
    used = runs[runs["run"].isin(rows["run"])]
    loads = list(dict.fromkeys(stated(load) or "unknown" for load in used["load"]))
    if len(loads) > 1:
        sentences.append(f"Loads differ ({html.escape(listed(loads))}): compare rows of the same load.")
    if len({stated(seconds) for seconds in used["duration"]}) > 1:
        sentences.append("Durations differ: a worst observed value can only grow with the number of observations.")
    return Html(f"<p>{' '.join(sentences)}</p>" if sentences else "")
