"""Counts drawn on a panel of logarithmic axes: histograms as steps or as shades, and exceedance as steps.

A curve has at most `LONGEST_CURVE` points: where there are more bins, neighbours are drawn as one. The first
and the last always stay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat.look import WORST, Look
from rtlat.panels import Panel

if TYPE_CHECKING:
    import pandas as pd

Curves = list[tuple[Look, "pd.DataFrame"]]

LONGEST_CURVE = 2_000
"""Points of one curve at most."""

LARGEST_PANEL = 24_000
"""Points of all curves of a panel at most, so that a page stays below 3 MB."""

_NOTHING = 0.5
"""Where a logarithmic axis of counts begins: below one observation."""

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
    longest = min(LONGEST_CURVE, LARGEST_PANEL // len(curves))
    right = most
    for run, bins in curves:
        open_ended = ~np.isfinite(bins["high"].to_numpy())
        x, y = _outline(bins[~open_ended], least, longest)
        hover = f"<b>{run.name}</b><br>from %{{x:,.5g}} {panel.unit}: %{{y:,}}<extra></extra>"
        panel.line(x, y, run, hovertemplate=hover)
        if open_ended.any():
            over = bins[open_ended]
            n = int(over["n"].sum())
            text = f"<b>{run.name}</b><br>overflow, from {over['low'].min():,.5g} {panel.unit}: {n:,}"
            panel.hatched((right * 1.08, right * 1.24), (_NOTHING, n), run, text)
            right *= 1.24
    over_at = {math.sqrt(most * right) * 1.04: "overflow"} if right > most else {}
    panel.latency(least, right * 1.1, over_at)
    panel.counts(_NOTHING, 2 * max(float(bins["n"].max()) for _, bins in curves), "observations")


def _outline(bins: pd.DataFrame, least: float, longest: int) -> tuple[Any, Any]:
    """Corner points of a histogram's steps, in narrow dtypes; down to nothing where a bin was left out."""
    low, high, n = (bins[name].to_numpy(np.float64) for name in ("low", "high", "n"))
    order = np.argsort(low)
    low, high, n = np.maximum(low[order], least), high[order], n[order]
    together = max(1, math.ceil(len(n) * 4 / longest))
    starts = np.arange(0, len(n), together)
    if together > 1:
        low, n, high = low[starts], np.maximum.reduceat(n, starts), np.append(high[starts[1:] - 1], high[-1])
    gap = low[1:] > high[:-1]
    before, after = np.append(True, gap), np.append(gap, True)
    x = np.column_stack([low, low, high, high]).ravel()
    y = np.column_stack([np.full(len(n), _NOTHING), n, n, np.full(len(n), _NOTHING)]).ravel()
    kept = np.column_stack([before, np.ones((len(n), 2), bool), after]).ravel()
    return x[kept].astype(np.float32), y[kept].astype(np.float32)


def shades(panel: Panel, curves: Curves) -> None:
    """Draw each histogram as a row, the darker the more observations one bin has there; the overflow apart."""
    least, most = _ends(curves)
    edges = np.geomspace(least, most, _COLUMNS + 1)
    cells = np.full((len(curves), _COLUMNS + 2), np.nan)
    for row, (_, bins) in enumerate(curves):
        low, high, n = (bins[name].to_numpy(np.float64) for name in ("low", "high", "n"))
        first = np.clip(np.searchsorted(edges, low, "right") - 1, 0, _COLUMNS - 1)
        last = np.clip(np.searchsorted(edges, high, "left"), first + 1, _COLUMNS)
        for start, stop, end, count in zip(first, last, high, n, strict=True):
            where = slice(start, stop) if math.isfinite(end) else slice(-1, None)
            cells[row, where] = np.fmax(cells[row, where], count)
    panel.add(
        "heatmap",
        x=np.append(edges, [most * 1.08, most * 1.24]).astype(np.float32),
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
    panel.latency(least, most * (1.24 if beyond else 1), {most * 1.16: "overflow"} if beyond else None)


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
    shares = np.concatenate([points["high"].to_numpy() for points in positive])
    least, most, rarest = (
        (float(values.min()), float(values.max()), float(shares.min())) if len(values) else (1, 10, 0.1)
    )
    floor = rarest / 2
    for (run, _), points, is_open in zip(curves, positive, open_ended, strict=True):
        kept = np.unique(np.linspace(0, len(points) - 1, min(longest, len(points))).astype(int))
        x, low, high = (points[name].to_numpy()[kept].astype(np.float32) for name in ("value", "low", "high"))
        if not len(x):
            continue
        band = {"line": {"width": 0, "shape": "vh"}, "fill": "tonexty", "fillcolor": _pale(run.colour)}
        hover = f"<b>{run.name}</b><br>%{{y:.3g}} reach %{{x:,.5g}} {panel.unit}<extra></extra>"
        panel.line(x, high, run, line_shape="hv", hovertemplate=hover)
        if bands:
            lower = np.maximum(low, np.float32(floor))
            panel.add("scatter", x=x, y=lower, mode="lines", hoverinfo="skip", legendgroup=run.label, **band)
        symbol = "arrow-right-open" if is_open else WORST
        end = {"symbol": symbol, "size": 9, "color": run.colour}
        text = f"<b>{run.name}</b><br>worst observed: {'beyond ' * is_open}{x[-1]:,.5g} {panel.unit}"
        panel.add(
            "scatter",
            x=x[-1:],
            y=high[-1:],
            mode="markers",
            marker=end,
            hovertext=text,
            hoverinfo="text",
            legendgroup=run.label,
        )
    panel.latency(least / 1.3, most * 1.4)
    panel.counts(floor, 1.5, "share that reaches it")


def _pale(colour: str) -> str:
    """The colour of a band."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"


def _ends(curves: Curves) -> tuple[float, float]:
    """Where a logarithmic axis begins and ends that shows all bins."""
    ends = np.concatenate([bins[name].to_numpy(np.float64) for _, bins in curves for name in ("low", "high")])
    ends = ends[np.isfinite(ends) & (ends > 0)]
    return (float(ends.min()) / 1.5, float(ends.max())) if len(ends) else (1.0, 10.0)
