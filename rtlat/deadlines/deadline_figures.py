"""The deadline explorer that needs no kernel: misses per hour for every limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rtlat.deadlines.deadline import Duty
from rtlat.display.curves import exceedance_shades, pale
from rtlat.display.figures import MOST_LINES, height
from rtlat.display.look import SOFT, WORST, duration, looks
from rtlat.display.panels import Panel, room_beside, stacked

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

_PANEL = 360
"""Height. [px]"""

_MOST_BANDS = 10
"""Runs whose bounds are drawn as a band; more would hide each other."""


def misses_figure(curves: pd.DataFrame, runs: pd.DataFrame, task: Duty) -> go.Figure:
    """Return misses per hour against the limit, for a task of one period.

    Parameters
    ----------
    curves : DataFrame
        As `rtlat.deadlines.deadline_tables.curves` gives it.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    task : Duty
        Its limit is drawn as a line.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for each quantity. The line is the upper bound; it ends at the worst observed latency, or in an arrow
        where a histogram's last bin is and the worst lies beyond. Of more than `MOST_LINES` runs each is a row of
        shades.
    """
    groups = list(curves.groupby(["quantity", "unit"], sort=False))
    every = f"a task every {duration(task.period)}"
    figure, panels = stacked(
        [
            (f"{quantity}: misses per hour of {every}", str(unit), height(rows["run"].nunique(), _PANEL))
            for (quantity, unit), rows in groups
        ]
    )
    for panel, (_, rows) in zip(panels, groups, strict=True):
        _drawn(panel, rows, runs, task)
    return figure


def _drawn(panel: Panel, rows: pd.DataFrame, runs: pd.DataFrame, task: Duty) -> None:
    """The curves of one quantity."""
    look = looks(runs)
    several = list(rows.groupby("run", sort=False))
    if len(several) > MOST_LINES:
        exceedance_shades(
            panel, [(look[str(run)], points.rename(columns={"limit": "value"})) for run, points in several],
            "per hour from",
        )  # fmt: skip
        _limit(panel, task, -0.5, len(several) - 0.5)
        return
    positive = rows[["low", "high"]].to_numpy()
    positive = positive[(positive > 0) & np.isfinite(positive)]
    floor, top = (float(positive.min()) / 2, float(positive.max()) * 2) if len(positive) else (1.0, 10.0)
    ends = []
    for run, points in several:
        named = look[str(run)]
        x = points["limit"].to_numpy(np.float32)
        low, high = (
            np.clip(points[side].to_numpy(np.float64), floor, top).astype(np.float32) for side in ("low", "high")
        )
        view = points["view"].iloc[0]
        about = f"{named.name}</b>, {named.rests_on(points['n'].iloc[0])} ({view})"
        hover = f"<b>{about}<br>%{{y:,.3g}} per hour from %{{x:,.4g}} {panel.unit}<extra></extra>"
        panel.line(x, high, named, line_shape="vh", hovertemplate=hover)
        if len(several) <= _MOST_BANDS:
            band = {"fill": "tonexty", "fillcolor": pale(named.colour, 0.15), "line": {"width": 0, "shape": "vh"}}
            panel.add("scatter", x=x, y=low, mode="lines", hoverinfo="skip", legendgroup=named.label, **band)
        ends.append((float(x[-1]), float(high[-1]), named))
        end = {"symbol": "arrow-right-open" if points["beyond"].iloc[0] else WORST, "size": 8, "color": named.colour}
        panel.add(
            "scatter", x=x[-1:], y=high[-1:], mode="markers", marker=end, hoverinfo="skip", legendgroup=named.label
        )
    limit = _limit(panel, task, floor, top)
    least, most = min(float(rows["limit"].min()), limit), max(float(rows["limit"].max()), limit)
    panel.latency(least / 1.3, room_beside(least, most, (named for _, _, named in ends)), most * 1.3)
    panel.counts(floor, top, "misses per hour")
    panel.beside(ends)


def _limit(panel: Panel, task: Duty, low: float, high: float) -> float:
    """Draw the task's limit from a low end to a high one, and return it. [us]."""
    limit = task.limit / 1000
    line = {"color": SOFT, "dash": "dot", "width": 1.2}
    text = {"hovertext": f"limit {limit:,.4g} {panel.unit}", "hoverinfo": "text"}
    panel.add("scatter", x=[limit, limit], y=[low, high], mode="lines", line=line, **text)
    return limit
