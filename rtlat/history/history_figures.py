"""Figures of histories: percentiles and worst observed values run by run, and how often a level is reached."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat.display.look import SOFT, WORST, Look, looks, mark, shortened
from rtlat.display.panels import Panel, stacked
from rtlat.history.histories import History
from rtlat.statistics.results import Bounds

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_PANELS = 12
"""Histories that a reader scrolls through."""

_PANEL = 250
"""Height of a panel. [px]"""

_NARROW = 0.06
"""Bounds closer than this are drawn as one mark. [decades]"""

_CHANGED = "rgba(176, 32, 48, 0.16)"
"""Where a change lies."""


def latency_figure(told: Sequence[History]) -> go.Figure:
    """Return percentiles and worst observed values over time, a panel for each of `MOST_PANELS` histories.

    A level line joins the runs between two changes of a percentile; the shaded stretch holds the first run of the
    new level in about 95 of 100 cases. A bar tells how far a figure is known.
    """
    shown = [one for one in _changed_first(told) if _values(_latencies(one))][:MOST_PANELS]
    figure, panels = stacked([(_title(one, f" [{one.line.unit}]"), one.line.unit, _PANEL) for one in shown])
    for panel, one, look in zip(panels, shown, _looks(shown), strict=True):
        figures = _latencies(one)
        values = _values(figures)
        axis = min(values) / 1.25, max(values) * 1.25
        _time(panel, one)
        panel.level(*axis)
        _changes(panel, one, figures, axis, look)
        for place, (name, results) in enumerate(figures.items()):
            symbol = WORST if name == "worst observed" else mark(place)
            _marks(panel, one, results, axis, look, symbol, f"{name} {{}}")
    names = list(_latencies(shown[0])) if shown else []
    for place, name in enumerate(names):
        marker = {"symbol": WORST if name == "worst observed" else mark(place), "color": SOFT, "size": 8}
        figure.add_scatter(x=[None], y=[None], name=name, mode="markers", marker=marker)
    return figure


def reach_figure(told: Sequence[History]) -> go.Figure:
    """Return how many of a million cycles reach a level over time, a panel for each of `MOST_PANELS` histories.

    Runs of which none did stand below the axis' lowest mark, as open triangles.
    """
    shown = [
        one for one in _changed_first(told) if math.isfinite(min(result.high for result in one.figures[one.reach]))
    ]
    shown = shown[:MOST_PANELS]
    figure, panels = stacked([(_title(one, f": cycles that {one.reach}"), "of a million", _PANEL) for one in shown])
    for panel, one, look in zip(panels, shown, _looks(shown), strict=True):
        figures = {one.reach: one.figures[one.reach]}
        values = _values(figures) or [1.0]
        axis = min(values) / 3, max(values) * 1.5
        _time(panel, one)
        panel.counts(*axis, "of a million cycles")
        _changes(panel, one, figures, axis, look)
        _marks(panel, one, figures[one.reach], axis, look, mark(0), "{} of a million cycles")
    return figure


def _changed_first(told: Sequence[History]) -> list[History]:
    """Histories, those in which a figure changed in front."""
    return sorted(told, key=lambda one: not one.found)


def _latencies(one: History) -> dict[str, list[Bounds]]:
    """The figures that are latencies."""
    return {name: results for name, results in one.figures.items() if name != one.reach}


def _title(one: History, what: str) -> str:
    """What a panel shows."""
    return f"{shortened(one.name, 60)} · {one.line.quantity}{what}"


def _values(figures: dict[str, list[Bounds]]) -> list[float]:
    """The ends that a logarithmic axis can show."""
    ends = [end for results in figures.values() for result in results for end in (result.low, result.high)]
    return [end for end in ends if math.isfinite(end) and end > 0]


def _looks(shown: Sequence[History]) -> list[Look]:
    """How each history appears: its approach has the colour, its load the dash."""
    import pandas as pd

    rows = [
        {"run": f"{place} {one.name}", "group": one.name, "approach": one.line.facts[1], "load": one.line.facts[2]}
        for place, one in enumerate(shown)
    ]
    if not rows:
        return []
    return list(looks(pd.DataFrame(rows).assign(duration=math.nan)).values())


def _time(panel: Panel, one: History) -> None:
    """The axis to the right: dates, or the places of runs."""
    if one.line.dated:
        panel.dates()
    else:
        panel.time(len(one.line.runs) + 1, "run, in the order read")


def _x(one: History) -> list[Any]:
    """Where the runs stand."""
    return [run["when"] if one.line.dated else place for place, run in enumerate(one.line.runs, 1)]


def _marks(
    panel: Panel, one: History, results: Sequence[Bounds], axis: tuple[float, float], look: Look, symbol: str, text: str
) -> None:
    """A mark for each run, with a bar where the figure is known as bounds, open where an end is."""
    x = _x(one)
    low = np.array([min(max(result.low, axis[0]), axis[1]) for result in results])
    high = np.array([min(max(result.high, axis[0]), axis[1]) for result in results])
    wide = np.log10(high / low) > _NARROW
    known = [math.isfinite(result.low) or math.isfinite(result.high) for result in results]
    bars = [place for place in range(len(x)) if wide[place] and known[place]]
    if bars:
        panel.add(
            "scatter",
            x=[end for place in bars for end in (x[place], x[place], None)],
            y=[end for place in bars for end in (float(low[place]), float(high[place]), None)],
            mode="lines",
            line={"color": look.colour, "width": 5},
            opacity=0.22,
            hoverinfo="skip",
        )
    shown = [place for place in range(len(x)) if known[place]]
    y = np.where(wide, low, np.sqrt(low * high))
    panel.add(
        "scatter",
        x=[x[place] for place in shown],
        y=y[shown].astype(np.float32),
        mode="markers",
        marker={
            "symbol": [
                "triangle-down-open" if results[k].high <= axis[0] else f"{symbol}-open" if wide[k] else symbol
                for k in shown
            ],
            "color": look.colour,
            "size": 7,
        },
        hovertext=[_hover(one, place, text.format(results[place].text())) for place in shown],
        hoverinfo="text",
    )


def _hover(one: History, place: int, text: str) -> str:
    """What a mark says when pointed at."""
    lines = [f"<b>{html.escape(shortened(str(one.line.runs[place]['run']), 40))}</b>", html.escape(text)]
    lines += [html.escape(f"{one.when(place)}, kernel {one.kernel(place) or 'unknown'}")]
    return "<br>".join(lines)


def _changes(
    panel: Panel, one: History, figures: dict[str, list[Bounds]], axis: tuple[float, float], look: Look
) -> None:
    """Where each figure changes, and its level between."""
    x = _x(one)
    for first, last in dict.fromkeys((change.first - 1, change.last) for name, change in one.found if name in figures):
        panel.add(
            "scatter",
            x=[x[first], x[first], x[last], x[last], x[first]],
            y=[axis[0], axis[1], axis[1], axis[0], axis[0]],
            mode="lines",
            fill="toself",
            fillcolor=_CHANGED,
            line={"width": 0},
            hoverinfo="skip",
        )
    for name in figures:
        found = [change for figure, change in one.found if figure == name]
        for change in found:
            ends = [(change.start, change.place, change.before), (change.place, change.stop, change.after)]
            for start, stop, (low, high) in ends:
                level = math.sqrt(low * high) if 0 < low <= high < math.inf else low
                line = {"color": look.colour, "width": 1.4, "dash": look.dash}
                panel.add(
                    "scatter", x=[x[start], x[stop - 1]], y=[level] * 2, mode="lines", line=line, hoverinfo="skip"
                )
