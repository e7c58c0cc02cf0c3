"""Counts drawn on a panel of logarithmic axes: histograms as steps or as shades, and exceedance as steps.

A curve has at most `LONGEST_CURVE` points: where there are more bins, neighbours are drawn as one. The first
and the last always stay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat.display.look import WORST, Look
from rtlat.display.panels import Panel, room_beside
from rtlat.intervals import Array

if TYPE_CHECKING:
    import pandas as pd

Curves = list[tuple[Look, "pd.DataFrame"]]

LONGEST_CURVE = 2_000
"""Points of one curve at most."""

LARGEST_PANEL = 24_000
"""Points of all curves of a panel at most, so that a page stays below 3 MB."""

_NOTHING = 0.5
"""Where a logarithmic axis of counts begins: below one observation."""

_OVERFLOW = 0.16
"""Width of all overflow bars, as a share of the axis before them."""

_STEPS = 300
"""Columns of latency of a curve of steps, each some pixels wide."""

_COLUMNS = 160
"""Columns of latency in a row of shades."""


def steps(panel: Panel, curves: Curves) -> None:
    """Draw each histogram as a curve of steps, its overflow as a hatched bar right of all curves.

    Parameters
    ----------
    panel : Panel
        Where to draw.
    curves : list of (Look, DataFrame)
        Bins of each run: low, high, n. The overflow's high end is inf.
    """
    least, most = _ends(curves)
    columns = min(_STEPS, LARGEST_PANEL // len(curves) // 4)
    overflows = sum(not np.isfinite(bins["high"]).all() for _, bins in curves)
    slot = (most / least) ** (_OVERFLOW / max(overflows, 3))
    right = most
    for run, bins in curves:
        is_open = ~np.isfinite(bins["high"].to_numpy())
        x, y = _outline(bins[~is_open], least, (most / least) ** (1 / columns))
        hover = f"<b>{run.name}</b>, {run.basis}<br>near %{{x:,.5g}} {panel.unit}: %{{y:,}} in a bin<extra></extra>"
        panel.line(x, y, run, hovertemplate=hover)
        if is_open.any():
            over = bins[is_open]
            n = int(over["n"].sum())
            text = f"<b>{run.name}</b>, {run.basis}<br>overflow, from {over['low'].min():,.5g} {panel.unit}: {n:,}"
            panel.hatched((right * slot**0.3, right * slot), (_NOTHING, n), run, text)
            right *= slot
    panel.latency(least, right * slot**0.3, most, {math.sqrt(most * right): "overflow"} if overflows else {})
    panel.counts(_NOTHING, 2 * max(float(bins["n"].max()) for _, bins in curves), "observations in a bin")


def _outline(bins: pd.DataFrame, least: float, column: float) -> tuple[Any, Any]:
    """Corner points of a histogram's steps, in narrow dtypes; down to nothing where no bin was for a `column`.

    Bins that would fall into one column of the drawing, whose ends are `column` times each other, are drawn as
    one that is as high as the highest: single observations in bins of 1 us would else be strokes side by side.
    """
    low, high, n = (bins[name].to_numpy(np.float64) for name in ("low", "high", "n"))
    order = np.argsort(low)
    low, high, n = np.maximum(low[order], least), np.maximum(high[order], least), n[order]
    if not len(n):
        return np.empty(0, np.float32), np.empty(0, np.float32)
    place = np.floor(np.log(low / least) / math.log(column))
    starts = np.flatnonzero(np.diff(place, prepend=-1))
    low, n, high = low[starts], np.maximum.reduceat(n, starts), np.append(high[starts[1:] - 1], high[-1])
    gap = low[1:] > high[:-1] * column
    joined = np.where(gap, high[:-1], np.maximum(high[:-1], low[1:]))
    high = np.append(joined, high[-1])
    nothing = np.full(len(n), _NOTHING)
    x = np.column_stack([low, low, high, high]).ravel()
    y = np.column_stack([nothing, n, n, nothing]).ravel()
    kept = np.column_stack([np.append(True, gap), np.ones((len(n), 2), bool), np.append(gap, True)]).ravel()
    return x[kept].astype(np.float32), y[kept].astype(np.float32)


def shades(panel: Panel, curves: Curves) -> None:
    """Draw each histogram as a row, the darker the more observations one bin has there; the overflow apart."""
    least, most = _ends(curves)
    edges = np.geomspace(least, most, _COLUMNS + 1)
    slot = (most / least) ** (_OVERFLOW / 3)
    cells = np.full((len(curves), _COLUMNS + 2), np.nan)
    for row, (_, bins) in enumerate(curves):
        low, high, n = (bins[name].to_numpy(np.float64) for name in ("low", "high", "n"))
        first = np.clip(np.searchsorted(edges, low, "right") - 1, 0, _COLUMNS - 1)
        last = np.clip(np.searchsorted(edges, high, "left"), first + 1, _COLUMNS)
        over = np.isinf(high)
        first[over], last[over] = _COLUMNS + 1, _COLUMNS + 2
        place, which = covered(first, last)
        np.fmax.at(cells[row], place, n[which])
    panel.add(
        "heatmap",
        x=np.append(edges, [most * slot**0.3, most * slot]).astype(np.float32),
        y=np.arange(len(curves)),
        z=np.log10(cells).astype(np.float32),
        customdata=cells.astype(np.float32),
        text=[[run.name] for run, _ in curves],
        zmin=-1,
        colorscale="Blues",
        showscale=False,
        hovertemplate="%{customdata:,} in one bin near %{x:,.4g} " + panel.unit + "<extra></extra>",
    )
    panel.rows([run.name for run, _ in curves])
    beyond = bool(np.isfinite(cells[:, -1]).any())
    panel.latency(least, edges[-1] * (slot if beyond else 1), most, {most * slot**0.65: "overflow"} if beyond else {})


def covered(first: Array, last: Array) -> tuple[Array, Array]:
    """Return every place from each `first` up to before its `last`, and which of them it belongs to.

    Examples
    --------
    >>> [found.tolist() for found in covered(np.array([0, 5]), np.array([2, 6]))]
    [[0, 1, 5], [0, 0, 1]]
    """
    wide = last - first
    which = np.repeat(np.arange(len(first)), wide)
    return np.arange(len(which)) - np.repeat(np.cumsum(wide) - wide - first, wide), which


def exceedance(panel: Panel, curves: Curves, open_ended: Sequence[bool], *, bands: bool = True) -> None:
    """Draw the share of observations that reach each latency, as steps down to the last observation.

    The line is the upper bound, the band below it reaches down to the lower one.

    Parameters
    ----------
    panel : Panel
        Where to draw.
    curves : list of (Look, DataFrame)
        Points of each run: value, low and high share.
    open_ended : sequence of bool
        Which curves' last observation lies beyond the last value: they end in an arrow.
    bands : bool
        Whether to draw the lower bound; the bands of many curves would hide each other.
    """
    longest = min(LONGEST_CURVE, LARGEST_PANEL // (2 * len(curves)))
    positive = [points[points["value"] > 0] for _, points in curves]
    values = np.concatenate([points["value"].to_numpy() for points in positive])
    shares = np.concatenate([points[name].to_numpy() for points in positive for name in ("low", "high")])
    least, most = (float(values.min()), float(values.max())) if len(values) else (1.0, 10.0)
    floor = float(shares[shares > 0].min(initial=0.1)) / 2
    alpha = min(0.18, 0.6 / len(curves))
    ends = []
    for (run, _), points, is_open in zip(curves, positive, open_ended, strict=True):
        kept = np.unique(np.linspace(0, len(points) - 1, min(longest, len(points))).astype(int))
        x, low, high = (points[name].to_numpy()[kept].astype(np.float32) for name in ("value", "low", "high"))
        if not len(x):
            continue
        hover = f"<b>{run.name}</b>, {run.basis}<br>%{{y:.3g}} reach %{{x:,.5g}} {panel.unit}<extra></extra>"
        panel.line(x, high, run, line_shape="hv", hovertemplate=hover)
        lower = np.maximum(low, np.float32(floor))
        if bands:
            band = {"fill": "tonexty", "fillcolor": pale(run.colour, alpha), "line": {"width": 0, "shape": "vh"}}
            panel.add("scatter", x=x, y=lower, mode="lines", hoverinfo="skip", legendgroup=run.label, **band)
        ends.append((float(x[-1]), float(high[-1]), run))
        end = {"symbol": "arrow-right-open" if is_open else WORST, "size": 9, "color": run.colour}
        text = f"<b>{run.name}</b>, {run.basis}<br>worst observed: {'beyond ' * is_open}{x[-1]:,.5g} {panel.unit}"
        at = {"x": x[-1:], "y": lower[-1:], "hovertext": text, "hoverinfo": "text"}
        panel.add("scatter", mode="markers", marker=end, legendgroup=run.label, **at)
    right = room_beside(least, most, (run for run, _ in curves))
    panel.latency(least / 1.3, right, most * 1.4)
    panel.counts(floor, 1.5, "share that reaches it")
    panel.beside(ends)


def exceedance_shades(panel: Panel, curves: Curves, told: str = "reach") -> None:
    """Draw each exceedance curve as a row, the darker the more observations reach a latency; white where none does.

    Parameters
    ----------
    panel : Panel
        Where to draw.
    curves : list of (Look, DataFrame)
        As for `exceedance`.
    told : str
        What stands between a number and a latency when pointed at.
    """
    values = np.concatenate([points["value"].to_numpy() for _, points in curves])
    values = values[values > 0]
    least, most = (float(values.min()) / 1.3, float(values.max()) * 1.05) if len(values) else (1.0, 10.0)
    edges = np.geomspace(least, most, _COLUMNS + 1)
    cells = np.full((len(curves), _COLUMNS), np.nan)
    for row, (_, points) in enumerate(curves):
        value, share = points["value"].to_numpy(), points["high"].to_numpy()
        place = np.searchsorted(value, edges[:-1], "left")  # the share that reaches the left end of a column
        reached = place < len(value)
        cells[row, reached] = share[place[reached]]
    shades = np.log10(np.where(cells > 0, cells, np.nan)).astype(np.float32)
    panel.add(
        "heatmap",
        x=edges.astype(np.float32),
        y=np.arange(len(curves)),
        z=shades,
        customdata=cells.astype(np.float32),
        zmax=max(0.0, float(np.nanmax(shades, initial=0))),
        colorscale="Blues",
        showscale=False,
        hovertemplate="%{customdata:,.3g} " + told + " %{x:,.4g} " + panel.unit + "<extra></extra>",
    )
    panel.rows([run.name for run, _ in curves])
    panel.latency(least, most)


def pale(colour: str, alpha: float) -> str:
    """Return a colour as that of a band."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:.3f})"


def _ends(curves: Curves) -> tuple[float, float]:
    """Where a logarithmic axis begins and ends that shows all bins."""
    ends = np.concatenate([bins[name].to_numpy(np.float64) for _, bins in curves for name in ("low", "high")])
    ends = ends[np.isfinite(ends) & (ends > 0)]
    return (float(ends.min()) / 1.5, float(ends.max())) if len(ends) else (1.0, 10.0)
