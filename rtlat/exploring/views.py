"""The linked views of a choice: figures, with the limit drawn into each of them.

What does not change with the limit is drawn once for each choice of the rest.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat.counts import ccdf_of, histogram_of
from rtlat.display import figures
from rtlat.display.look import SOFT
from rtlat.display.panels import stacked
from rtlat.errors import SelectionError
from rtlat.exploring.choice import Choice, natural
from rtlat.exploring.curves import MOST_CURVES, Curves, chosen, curves, looked
from rtlat.exploring.folder import Folder
from rtlat.intervals import Distribution
from rtlat.selection import divisor
from rtlat.statistics import stats
from rtlat.statistics.ranks import fraction
from rtlat.timeline import timeline_figures, timeline_tables
from rtlat.timeline.course import Told

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

MOST_ROWS = 64
"""Series of all groups, up to which each has a row of its own; of more, all groups stand together."""

_REACHED, _ORANGE = "limit reached", "#D55E00"
"""Where the limit is reached, in a panel that has no axis of latency."""

_LEGEND, _NO_LEGEND = 8, 6
"""Names in a legend that a reader can look up, and the margin of a figure that has none. [px]"""

_TICKS, _POWERS = 7, 5
"""Ticks of any value, and powers of ten, for which there is room."""

_PERCENTILE = "percentile"
_ALL = "all runs chosen"


def histogram(folder: Folder, choice: Choice) -> go.Figure:
    """Return how often each latency was counted, of each curve."""
    return _with_limit(_histogram(folder, _unmarked(choice)), choice.limit)


def exceedance(folder: Folder, choice: Choice) -> go.Figure:
    """Return which share of observations reaches each latency, and where the percentiles lie that are asked for."""
    figure = _with_limit(_exceedance(folder, _unmarked(choice)), choice.limit)
    axis = figure.layout.yaxis
    least = 10 ** axis.range[0] if axis.type == "log" else math.inf
    shapes, texts = list(figure.layout.shapes), [one for one in figure.layout.annotations if one.name != _PERCENTILE]
    at = {"xref": "x domain", "yref": "y"}
    for percent in choice.percentiles:
        share = float(1 - fraction(percent))
        if least < share < 1:
            shapes.append({"type": "line", "x0": 0, "x1": 1, "y0": share, "y1": share, "line": _line(0.7), **at})
            text: dict[str, Any] = {"text": f"p{percent}", "x": 0, "y": math.log10(share), "showarrow": False}
            text |= {"name": _PERCENTILE, "xanchor": "left", "yanchor": "bottom", "font": {"size": 10, "color": SOFT}}
            texts.append(text | at)
    figure.layout.update(shapes=shapes, annotations=texts)
    return figure


def over_time(folder: Folder, choice: Choice) -> go.Figure:
    """Return latency in the course of time: of one run in full, of several the maxima, else when outliers came."""
    figure = _with_limit(_over_time(folder, _unmarked(choice)), choice.limit, upward=True)
    drawn = [trace for trace in figure.data if trace.name != _REACHED]
    figure.data = drawn
    for trace in drawn:
        is_list = figure.layout[f"yaxis{(trace.yaxis or 'y')[1:]}"].type != "log"
        if trace.type == "heatmap" and is_list and trace.customdata is not None:
            reached = np.where(trace.customdata >= choice.limit, 1, np.nan).astype(np.float32)
            spec = {"colorscale": [[0, _ORANGE], [1, _ORANGE]], "showscale": False, "hoverinfo": "skip"}
            spec |= {"name": _REACHED, "xaxis": trace.xaxis, "yaxis": trace.yaxis}
            figure.add_heatmap(x=trace.x, y=trace.y, z=reached, **spec)
    return figure


def by_series(folder: Folder, choice: Choice) -> go.Figure:
    """Return which series has which latencies, a row of shades for each."""
    return _with_limit(_by_series(folder, _unmarked(choice)), choice.limit)


def _unmarked(choice: Choice) -> Choice:
    """The choice without what only marks the figures."""
    return choice._replace(percentiles=(), limit=0.0)


def _with_limit(figure: go.Figure, limit: float, *, upward: bool = False) -> go.Figure:
    """The figure with the limit as a dotted line in every panel that has an axis of latency in this direction."""
    along, across = ("y", "x") if upward else ("x", "y")
    shapes = []
    for place in [name.removeprefix("xaxis") for name in figure.layout if name.startswith("xaxis")]:
        if figure.layout[f"{along}axis{place}"].type == "log":
            line = {"type": "line", "line": _line(1.4), f"{along}ref": f"{along}{place}", f"{along}0": limit}
            line |= {f"{along}1": limit, f"{across}ref": f"{across}{place} domain", f"{across}0": 0, f"{across}1": 1}
            shapes.append(line)
    figure.layout.shapes = shapes
    return figure


def _short(figure: go.Figure) -> go.Figure:
    """The figure without room for a legend, if it has none or one that is too long to help."""
    if not 0 < sum(trace.showlegend is not False for trace in figure.data) <= _LEGEND:
        room = figure.layout.margin.t - _NO_LEGEND
        figure.update_layout(height=figure.layout.height - room, margin_t=_NO_LEGEND, showlegend=False)
    return figure


def _narrow(figure: go.Figure, choice: Choice) -> go.Figure:
    """The figure with a title, ticks and no more names than fit into half a page."""
    figure.data = [trace for trace in figure.data if not (trace.type == "scatter" and trace.mode == "text")]
    figure = _short(figure)
    if figure.layout.xaxis.tickvals is None:
        return figure
    low, high = figure.layout.xaxis.range
    ticks = list(zip(figure.layout.xaxis.tickvals, figure.layout.xaxis.ticktext, strict=True))
    over = [tick for tick in ticks if not tick[1][0].isdigit()]
    ticks = [tick for tick in ticks if tick not in over]
    if len(ticks) > _TICKS:
        powers = [tick for tick in ticks if round(math.log10(tick[0]), 9) % 1 == 0]
        ticks = powers[:: math.ceil(len(powers) / _POWERS)]
    for value, _ in over:
        ticks = [tick for tick in ticks if math.log10(value / tick[0]) > 0.14 * (high - low)]
    ticks += over
    figure.layout.xaxis.update(tickvals=[value for value, _ in ticks], ticktext=[text for _, text in ticks])
    figure.layout.annotations[0].text = f"<b>{choice.quantity} [{choice.unit}]</b>"
    return figure


def _line(width: float) -> dict[str, Any]:
    return {"color": SOFT, "dash": "dot", "width": width}


def _table(of: Callable[[Iterable[Distribution]], pd.DataFrame], ds: Iterable[Distribution]) -> pd.DataFrame | None:
    """A table of distributions; nothing if none of them can answer."""
    try:
        return of(ds)
    except SelectionError:
        return None


def _nothing() -> go.Figure:
    return stacked([])[0]


@functools.lru_cache(maxsize=4)
def _histogram(folder: Folder, choice: Choice) -> go.Figure:
    found = curves(folder, choice)
    bins = _table(histogram_of, found.distributions)
    if bins is None:
        return _nothing()
    return _narrow(figures.histogram_figure(bins, looked(found.runs, choice.by)), choice)


@functools.lru_cache(maxsize=4)
def _exceedance(folder: Folder, choice: Choice) -> go.Figure:
    import pandas as pd

    found = curves(folder, choice)
    points = _table(ccdf_of, found.distributions)
    if points is None:
        return _nothing()
    rows = [(d.run, d.series, d.quantity, d.total, stats.maximum(d).over(divisor(d))) for d in found.distributions]
    summary = pd.DataFrame(rows, columns=["run", "series", "quantity", "n", "max"])
    return _narrow(figures.ccdf_figure(points, summary, looked(found.runs, choice.by)), choice)


@functools.lru_cache(maxsize=4)
def _by_series(folder: Folder, choice: Choice) -> go.Figure:
    found = curves(folder, choice)
    key = choice.quantity, choice.unit
    series, places = folder.by_quantity[key], folder.places[key]
    parts: dict[tuple[str, str], list[int]] = {}
    for run, group in found.members.items():
        for place in places.get(run, []):
            if series[place].group.series != "all":
                parts.setdefault((group, series[place].group.series), []).append(place)
    runs = looked(found.runs, choice.by)
    if len(parts) > MOST_ROWS:
        together: dict[tuple[str, str], list[int]] = {}
        for (_, name), several in parts.items():
            together.setdefault((_ALL, name), []).extend(several)
        parts, runs = together, runs.head(1).assign(run=_ALL)
    ordered = sorted(parts, key=lambda one: (natural(one[0]), natural(one[1])))
    pooled = [replace(folder.pools[key].pool(parts[one]), run=one[0], series=one[1]) for one in ordered]
    bins = _table(histogram_of, pooled)
    return _nothing() if bins is None else _narrow(timeline_figures.series_figure(bins, runs), choice)


@functools.lru_cache(maxsize=4)
def _over_time(folder: Folder, choice: Choice) -> go.Figure:
    runs = _as_their_groups(folder, curves(folder, choice), choice.by)
    drawn = set(runs["run"])
    series = {run: tuple(places) for run, places in chosen(folder, choice).items() if run in drawn}
    blocks = _told(timeline_tables.over_time, folder, choice, series.values())
    if not len(blocks):
        outliers = _told(timeline_tables.outliers, folder, choice, series.values())
        return _short(_when_outliers(outliers, runs)) if len(outliers) else _nothing()
    greatest = blocks.groupby("run")["max low"].max()
    if len(greatest) == 1:
        heat = timeline_tables.heat(_of(folder, choice, series[greatest.index[0]]))
        return timeline_figures.over_time_figure(blocks, heat, runs)
    blocks = blocks[blocks["run"].isin(greatest.nlargest(MOST_CURVES).index)]
    return _short(_first(timeline_figures.maxima_figure(blocks, runs), len(greatest)))


def _when_outliers(outliers: pd.DataFrame, runs: pd.DataFrame) -> go.Figure:
    """When outliers came: of too many series those of a run together."""
    if len(outliers[["run", "series"]].drop_duplicates()) > MOST_ROWS:
        outliers = outliers.assign(series="all")
    counts = outliers.groupby("run")["n"].sum()
    outliers = outliers[outliers["run"].isin(counts.nlargest(MOST_CURVES).index)]
    return _first(timeline_figures.outlier_figure(outliers, runs), len(counts))


def _first(figure: go.Figure, runs: int) -> go.Figure:
    """The figure, which says so if it leaves out runs."""
    if runs > MOST_CURVES:
        figure.layout.annotations[0].text += f" ({MOST_CURVES} of {runs:,} runs)"
    return figure


def _as_their_groups(folder: Folder, found: Curves, by: str) -> pd.DataFrame:
    """The runs of a choice, each looking like its group."""
    groups = looked(found.runs, by).set_index("run")
    runs = folder.recording.runs
    runs = runs[[found.members.get(str(run)) in groups.index for run in runs["run"]]]
    own = groups.loc[[found.members[str(run)] for run in runs["run"]]]
    return runs.assign(**{name: own[name].to_numpy() for name in ("group", "approach", "load")})


def _told(
    what: Callable[[Sequence[Told]], pd.DataFrame], folder: Folder, choice: Choice, runs: Iterable[tuple[int, ...]]
) -> pd.DataFrame:
    """What the series of each run tell of time, below each other; each run is asked only once."""
    import pandas as pd

    parts = []
    for places in runs:
        key = what.__name__, choice.quantity, choice.unit, places
        if key not in folder.kept:
            folder.kept[key] = what(_of(folder, choice, places))
        parts.append(folder.kept[key])
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _of(folder: Folder, choice: Choice, places: Iterable[int]) -> list[Told]:
    return [folder.by_quantity[choice.quantity, choice.unit][place] for place in places]
