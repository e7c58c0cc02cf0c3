"""Figures of time: latency over it, when outliers came, and which series they belong to."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat.display import curves
from rtlat.display.figures import MOST_LINES
from rtlat.display.look import Look, looks, shortened
from rtlat.display.panels import Panel, stacked

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

MOST_PANELS = 12
"""Runs that a reader scrolls through."""

MOST_ROWS = 96
"""Series in a panel of rows; the title says of how many."""

_PANEL, _ROW = 210, 18
"""Height of a panel of curves, and of a row of a list. [px]"""

_COLUMNS = 360
"""Cells of time in a row of outliers."""

_MARKS = [[0, "#f3f5f7"], [0.001, "#b9cfe8"], [1, "#0b3d77"]]
"""Of a row of outliers: none, and from one to many."""

_SHADES = [[0, "#eef3fa"], [1, "#2f6db3"]]
"""Of cells: the darker, the more observations; none are left white."""


def over_time_figure(blocks: pd.DataFrame, heat: pd.DataFrame, runs: pd.DataFrame) -> go.Figure:
    """Return latency over time: shades of how many observations, the maximum of each block above them.

    Parameters
    ----------
    blocks : DataFrame
        As `rtlat.timeline.timeline_tables.over_time` gives it.
    heat : DataFrame
        As `rtlat.timeline.timeline_tables.heat` gives it.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for each run and quantity, the first `MOST_PANELS`.
    """
    look = looks(runs)
    key = ["run", "quantity", "unit"]
    groups = list(blocks.groupby(key, sort=False))[:MOST_PANELS] if len(blocks) else []
    cells = dict(list(heat.groupby(key, sort=False))) if len(heat) else {}
    titles = []
    for (run, quantity, unit), rows in groups:
        what = "from each window" if rows["kind"].iloc[0] == "window" else _series(int(rows["series"].iloc[0]))
        titles.append((f"{shortened(str(run), 60)} · {quantity} [{unit}], {what}", str(unit), _PANEL))
    figure, panels = stacked(titles)
    for panel, (name, rows) in zip(panels, groups, strict=True):
        if name in cells:
            _shaded(panel, cells[name])
        _drawn(panel, rows, look[str(name[0])], band=name not in cells)
    return figure


def _series(count: int) -> str:
    """How many series."""
    return f"{count} series together" if count > 1 else "1 series"


def _shaded(panel: Panel, cells: pd.DataFrame) -> None:
    """Cells of time and latency."""
    length = float(cells["length"].iloc[0])
    column = np.round(cells["time"] / length).astype(int)
    edges = np.unique(cells[["low", "high"]])
    counts = np.full((len(edges) - 1, column.max() + 1), np.nan)
    counts[np.searchsorted(edges, cells["low"]), column] = cells["n"]
    panel.add(
        "heatmap",
        x=(np.arange(counts.shape[1] + 1) * length).astype(np.float32),
        y=edges.astype(np.float32),
        z=np.log10(counts).astype(np.float32),
        customdata=np.nan_to_num(counts).astype(np.uint32),
        zmin=0,
        colorscale=_SHADES,
        showscale=False,
        hovertemplate="%{customdata:,} near %{y:,.4g} " + panel.unit + " at %{x:,.4g}<extra></extra>",
    )


def _drawn(panel: Panel, rows: pd.DataFrame, run: Look, *, band: bool) -> None:
    """The maximum of each block in the run's colour, its median or average, and a band from the minimum up."""
    values = rows[["min low", "avg low", "max high"]].to_numpy(np.float64)
    values = values[np.isfinite(values) & (values > 0)]
    low, high = (float(values.min()) / 1.2, float(values.max()) * 1.25) if len(values) else (1.0, 10.0)
    time = (rows["time"] + rows["length"] / 2).to_numpy(np.float32)
    middle = "p50" if np.isfinite(rows["p50 low"]).any() else "avg"
    band &= bool(np.isfinite(rows[["min low", "max low"]]).all(axis=None))
    for name, width in ((("min", 0.0),) if band else ()) + (("max", 1.4), (middle, 1.0)):
        y = np.maximum(rows[f"{name} low"].to_numpy(np.float64), low).astype(np.float32)
        hover = f"{name} %{{y:,.5g}} {panel.unit} at %{{x:,.4g}}<extra></extra>"
        line = {"color": run.colour, "width": width}
        fill = {"fill": "tonexty", "fillcolor": curves.pale(run.colour, 0.12)} if band and name == "max" else {}
        panel.add("scatter", x=time, y=y, mode="lines", line=line, hovertemplate=hover, **fill)
    panel.time(float((rows["time"] + rows["length"]).max()), str(rows["step"].iloc[0]))
    panel.level(low, high)


def maxima_figure(blocks: pd.DataFrame, runs: pd.DataFrame) -> go.Figure:
    """Return the maximum of each block of time, the runs in one panel.

    Parameters
    ----------
    blocks : DataFrame
        As `rtlat.timeline.timeline_tables.over_time` gives it.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for each quantity, unit and step of time: lines, or, of more than `MOST_LINES` runs, a row of shades
        for each, the darker the longer.
    """
    look = looks(runs)
    groups = list(blocks.groupby(["quantity", "unit", "step"], sort=False)) if len(blocks) else []
    several = [list(rows.groupby("run", sort=False)) for _, rows in groups]
    sizes = [2 * _PANEL if len(drawn) <= MOST_LINES else len(drawn) * _ROW + 8 for drawn in several]
    titles = [(f"{quantity} [{unit}]: maximum of each block of time", str(unit)) for (quantity, unit, _), _ in groups]
    figure, panels = stacked([(*title, size) for title, size in zip(titles, sizes, strict=True)])
    for panel, (_, rows), drawn in zip(panels, groups, several, strict=True):
        values = rows["max low"][np.isfinite(rows["max low"]) & (rows["max low"] > 0)]
        ends = (float(values.min()) / 1.2, float(values.max()) * 1.25) if len(values) else (1.0, 10.0)
        end, step = float((rows["time"] + rows["length"]).max()), str(rows["step"].iloc[0])
        if len(drawn) > MOST_LINES:
            _rows_of_maxima(panel, [(look[str(run)], part) for run, part in drawn], end)
        else:
            for run, part in drawn:
                time = (part["time"] + part["length"] / 2).to_numpy(np.float32)
                y = np.maximum(part["max low"].to_numpy(np.float64), ends[0]).astype(np.float32)
                named = look[str(run)]
                hover = f"<b>{named.name}</b><br>%{{y:,.5g}} {panel.unit} at %{{x:,.4g}} {step}<extra></extra>"
                panel.line(time, y, named, hovertemplate=hover)
            panel.level(*ends)
        panel.time(end, step)
    return figure


def _rows_of_maxima(panel: Panel, runs: Sequence[tuple[Look, pd.DataFrame]], end: float) -> None:
    """A row of shades for each run, the darker the longer the longest latency in a cell of time."""
    cells = np.full((len(runs), _COLUMNS), np.nan)
    for row, (_, part) in enumerate(runs):
        start, length = part["time"].to_numpy(), part["length"].to_numpy()
        first = np.minimum((start / end * _COLUMNS).astype(int), _COLUMNS - 1)
        last = np.maximum(np.floor((start + length) / end * _COLUMNS).astype(int), first + 1)
        place, block = curves.covered(first, last)
        np.fmax.at(cells[row], place, part["max low"].to_numpy()[block])
    panel.add(
        "heatmap",
        x=(np.arange(_COLUMNS + 1) * end / _COLUMNS).astype(np.float32),
        y=np.arange(len(runs)),
        z=np.log10(np.where(cells > 0, cells, np.nan)).astype(np.float32),
        customdata=cells.astype(np.float32),
        colorscale="Blues",
        showscale=False,
        hovertemplate="%{customdata:,.5g} " + panel.unit + " at %{x:,.4g}<extra></extra>",
    )
    panel.rows([run.name for run, _ in runs])


def outlier_figure(outliers: pd.DataFrame, runs: pd.DataFrame) -> go.Figure:
    """Return when outliers came: a row for each series, the darker the more came at a time.

    Parameters
    ----------
    outliers : DataFrame
        As `rtlat.timeline.timeline_tables.outliers` gives it.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for series that were observed about equally long.
    """
    look = looks(runs)
    groups: dict[tuple[str, int], list[tuple[str, pd.DataFrame]]] = {}
    series = outliers[["run", "series"]].drop_duplicates()
    several = set(series["run"][series["run"].duplicated()])
    for key, found in outliers.groupby(["run", "series", "quantity", "unit"], sort=False):
        run, name = str(key[0]), str(key[1])
        label = f"{look[run].name} {html.escape(name)}" if run in several else look[run].name
        size = round(math.log(max(found["end"].iloc[0], 1e-9), 3))
        groups.setdefault((str(found["step"].iloc[0]), size), []).append((label, found))
    ordered = sorted(groups.items())
    figure, panels = stacked([_panel_of_rows("Outliers", step, rows) for (step, _), rows in ordered])
    for panel, (_, rows) in zip(panels, ordered, strict=True):
        _raster(panel, rows[:MOST_ROWS])
    return figure


def _panel_of_rows(title: str, unit: str, rows: Sequence[Any]) -> tuple[str, str, int]:
    """Title, unit and height of a panel of rows."""
    few = min(len(rows), MOST_ROWS)
    cut = f", the first {few} of {len(rows)} series" if few < len(rows) else ""
    return f"{title}{cut}", unit, few * _ROW + 8


def _raster(panel: Panel, rows: Sequence[tuple[str, pd.DataFrame]]) -> None:
    """A row of shades for each series; what was not observed stays white."""
    end = max(float(found["end"].iloc[0]) for _, found in rows)
    cells = np.full((len(rows), _COLUMNS), np.nan)
    for y, (_, found) in enumerate(rows):
        cells[y, : math.ceil(float(found["end"].iloc[0]) / end * _COLUMNS)] = 0
        place = np.minimum(found["time"].to_numpy() / end * _COLUMNS, _COLUMNS - 1).astype(int)
        np.add.at(cells[y], place, found["n"].to_numpy(np.float64))
    panel.add(
        "heatmap",
        x=(np.arange(_COLUMNS + 1) * end / _COLUMNS).astype(np.float32),
        y=np.arange(len(rows)),
        z=cells.astype(np.float32),
        zmin=0,
        zmax=max(2.0, float(np.quantile(cells[cells > 0], 0.95))),
        colorscale=_MARKS,
        showscale=False,
        hovertemplate="%{z:,} at %{x:,.4g}<extra></extra>",
    )
    panel.rows([label for label, _ in rows])
    panel.time(end, panel.unit)


def series_figure(histogram: pd.DataFrame, runs: pd.DataFrame) -> go.Figure:
    """Return which series has which latencies: a row of shades for each series of the runs that have several.

    Parameters
    ----------
    histogram : DataFrame
        As `rtlat.histogram` gives it; several below each other.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    """
    look = looks(runs)
    groups: dict[tuple[str, str], curves.Curves] = {}
    for key, of_run in histogram.groupby(["quantity", "unit", "run"], sort=False):
        quantity, unit, run = map(str, key)
        several = list(of_run.groupby("series", sort=False))
        for series, bins in several if len(several) > 1 else []:
            named = look[run]._replace(name=f"{look[run].name} {html.escape(str(series))}")
            groups.setdefault((quantity, unit), []).append((named, bins))
    titles = [
        _panel_of_rows(f"{quantity} [{unit}] by series", unit, drawn) for (quantity, unit), drawn in groups.items()
    ]
    figure, panels = stacked(titles)
    for panel, drawn in zip(panels, groups.values(), strict=True):
        curves.shades(panel, drawn[:MOST_ROWS])
    return figure


def allan_figure(deviations: pd.DataFrame, runs: pd.DataFrame) -> go.Figure:
    """Return the Allan deviation of each series against the averaging time, on logarithmic axes.

    Parameters
    ----------
    deviations : DataFrame
        As `rtlat.display.jitter_tables.allan_deviations` gives it.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for each quantity and phase. The line is the upper bound; an ideal white noise falls as 1/tau.
    """
    look = looks(runs)
    groups = list(deviations[deviations["high"] > 0].groupby(["quantity", "of"], sort=False))
    figure, panels = stacked(
        [(f"{quantity}: Allan deviation of {of}", "s", _PANEL + 60) for (quantity, of), _ in groups]
    )
    for panel, (_, rows) in zip(panels, groups, strict=True):
        for (run, series), points in rows.groupby(["run", "series"], sort=False):
            named = look[str(run)]
            hover = f"<b>{named.name} {html.escape(str(series))}</b><br>%{{y:.3g}} over %{{x:.4g}} s<extra></extra>"
            x, high = (points[name].to_numpy(np.float32) for name in ("tau", "high"))
            panel.line(x, high, named, hovertemplate=hover)
        values = rows["high"]
        panel.latency(float(rows["tau"].min()) / 1.3, float(rows["tau"].max()) * 1.3)
        panel.counts(float(values.min()) / 1.5, float(values.max()) * 1.5, "Allan deviation")
    return figure
