"""One function per figure, from tables: each number that is plotted stands first in a row of a table.

What is known as bounds is drawn as a bar, what is open as an arrow, an overflow as a hatched bar of its own.
Nothing is drawn from samples. Quantities and units stand in panels of their own, each with its own axis: they
are not ranked against each other.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rtlat.display import curves
from rtlat.display.look import SOFT, WORST, Look, looks, mark, shortened, titled
from rtlat.display.panels import Panel, room_for_legend, stacked
from rtlat.display.tables import ordered

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from rtlat.statistics.results import Bounds

MOST_CURVES = 10
"""Histograms that a reader can tell apart in one panel."""

MOST_LINES = 32
"""Exceedance curves that a reader can follow, and that a browser draws at once."""

_NARROW = 0.12
"""Bounds closer than this are drawn as one mark. [decades]"""

_PANEL = 340
"""Height of a panel of curves. [px]"""

_KEY = ("run", "series", "quantity")

_ROOMY = 24
"""Up to so many rows in a panel a label has two lines."""


def percentile_figure(summary: pd.DataFrame, runs: pd.DataFrame, percentiles: Sequence[str]) -> go.Figure:
    """Return the percentiles and the worst observed value of every run, side by side.

    Parameters
    ----------
    summary : DataFrame
        Rows of `rtlat.summary`, one for each curve to compare.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    percentiles : sequence of str
        Columns of `summary`, such as ``["p50", "p99.9"]``.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for each quantity and unit; within it the runs by their highest percentile, lowest first.
    """
    look = looks(runs)
    columns = [*percentiles, "max"]
    groups = _ranked(summary, columns)
    sizes = [len(rows) * (38 if len(rows) <= _ROOMY else 18) + 14 for _, rows in groups]
    figure, panels = stacked([(titled(*key), key[1], size) for (key, _), size in zip(groups, sizes, strict=True)])
    for panel, (_, rows) in zip(panels, groups, strict=True):
        _percentile_rows(panel, rows, columns, look)
    legend = []
    for treatment, colour in dict.fromkeys((look[run].treatment, look[run].colour) for run in summary["run"]):
        line = {"color": colour, "width": 4}
        figure.add_scatter(x=[None], y=[None], name=treatment, mode="lines", line=line)
        legend.append(treatment)
    for place, column in enumerate(columns):
        name = "worst observed" if column == "max" else column
        marker = {"symbol": _symbol(columns, place), "color": SOFT, "size": 10}
        figure.add_scatter(x=[None], y=[None], name=name, mode="markers", marker=marker)
        legend.append(name)
    room_for_legend(figure, legend)
    return figure


def _ranked(summary: pd.DataFrame, columns: Sequence[str]) -> list[tuple[tuple[str, str], list[dict[str, Any]]]]:
    """Rows of each panel in their order, without those that have nothing to draw."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in ordered(summary, columns[:-1]):
        if any(_is_known(row[name]) for name in columns):
            groups.setdefault((row["quantity"], row["unit"]), []).append(row)
    return list(groups.items())


def _symbol(columns: Sequence[str], place: int) -> str:
    """The mark of a column."""
    return WORST if columns[place] == "max" else mark(place)


def _percentile_rows(panel: Panel, rows: list[dict[str, Any]], columns: Sequence[str], look: dict[str, Look]) -> None:
    """A row per run: a line in its colour and dash, bars for wide bounds, a mark for each percentile."""
    cells = [row[name] for row in rows for name in columns]
    ends = [end for cell in cells for end in (cell.low, cell.high) if math.isfinite(end) and end > 0] or [1.0, 10.0]
    axis = min(ends) / 1.5, max(ends) * 1.5
    panel.latency(*axis)
    panel.rows([_row_label(row, look[row["run"]], roomy=len(rows) <= _ROOMY) for row in rows])
    for y, row in enumerate(rows):
        run = look[row["run"]]._replace(name=html.escape(shortened(row["name"], 40)))
        spans = {place: _span(row[name], axis) for place, name in enumerate(columns) if _is_known(row[name])}
        if not spans:
            continue
        panel.line(
            [min(low for low, _ in spans.values()), max(high for _, high in spans.values())],
            [y, y],
            run,
            named=False,
            hoverinfo="skip",
        )
        points: list[tuple[float, str, str]] = []
        for place, (low, high) in spans.items():
            text = _hover(row, columns[place], run, panel.unit)
            symbol = _symbol(columns, place)
            if math.log10(high / low) < _NARROW:
                points.append((math.sqrt(low * high), symbol, text))
                continue
            panel.bar((low, high), y, run)
            points.append((low, f"{symbol}-open" if low > axis[0] else "arrow-left-open", text))
            points.append((high, f"{symbol}-open" if high < axis[1] else "arrow-right-open", text))
        x, symbols, texts = zip(*points, strict=True)
        marker = {"symbol": symbols, "color": run.colour, "size": 10, "line": {"width": 1, "color": "white"}}
        panel.add("scatter", x=x, y=[y] * len(x), mode="markers", marker=marker, hovertext=texts, hoverinfo="text")


def _is_known(cell: Bounds) -> bool:
    """Whether a result says anything at all."""
    return math.isfinite(cell.low) or math.isfinite(cell.high)


def _span(cell: Bounds, axis: tuple[float, float]) -> tuple[float, float]:
    """The ends of a result as far as a logarithmic axis shows them."""
    return min(max(cell.low, axis[0]), axis[1]), max(min(cell.high, axis[1]), axis[0])


def _hover(row: dict[str, Any], name: str, run: Look, unit: str) -> str:
    """What a mark says when pointed at."""
    what = "worst observed" if name == "max" else name
    result = row[name].text(unit).replace("<", "&lt;")
    return f"<b>{run.name}</b><br>{run.label}<br>{what}: {result}<br>{run.rests_on(row['n'])}"


def _row_label(row: dict[str, Any], run: Look, roomy: bool) -> str:
    """A run beside its row: what was compared above, its name and what it rests on below."""
    run = run._replace(name=html.escape(shortened(row["name"], 40)))
    if not roomy:
        return run.name
    name = f"{run.name}, " if run.name != run.label else ""
    return f"{run.label}<br><span style='font-size:10px;color:{SOFT}'>{name}{run.rests_on(row['n'])}</span>"


def histogram_figure(histogram: pd.DataFrame, runs: pd.DataFrame) -> go.Figure:
    """Return how often each latency was counted, on logarithmic axes, the overflow as a hatched bar of its own.

    Parameters
    ----------
    histogram : DataFrame
        As `rtlat.histogram` gives it; several below each other.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for each quantity and unit: steps for each series, or, of more than `MOST_CURVES` series, a row for
        each, the darker the more was counted.
    """
    counted = histogram.groupby(["run", "series", "quantity"], observed=True)["n"].sum()
    groups = _curves(histogram, runs, counted.to_dict())
    figure, panels = stacked(
        [
            (titled(*key), key[1], _PANEL if len(drawn) <= MOST_CURVES else len(drawn) * 18 + 8)
            for key, drawn in groups.items()
        ]
    )
    for panel, drawn in zip(panels, groups.values(), strict=True):
        (curves.steps if len(drawn) <= MOST_CURVES else curves.shades)(panel, drawn)
    return figure


def ccdf_figure(ccdf: pd.DataFrame, summary: pd.DataFrame, runs: pd.DataFrame) -> go.Figure:
    """Return the share of observations that reach each latency, down to the last one, on logarithmic axes.

    Parameters
    ----------
    ccdf : DataFrame
        As `rtlat.ccdf` gives it; several below each other.
    summary : DataFrame
        As `rtlat.summary` gives it: a curve whose worst observed value has no upper end ends in an arrow.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for each quantity and unit: lines, or, of more than `MOST_LINES` series, a row of shades for each.
    """
    told = {tuple(row[name] for name in _KEY): row for row in summary.to_dict("records")}
    groups = _curves(ccdf, runs, {key: row["n"] for key, row in told.items()})
    sizes = [height(len(drawn), _PANEL) for drawn in groups.values()]
    figure, panels = stacked([(titled(*key), key[1], size) for key, size in zip(groups, sizes, strict=True)])
    for panel, drawn in zip(panels, groups.values(), strict=True):
        if len(drawn) > MOST_LINES:
            curves.exceedance_shades(panel, drawn)
            continue
        ends = [
            (told[tuple(points.iloc[0][name] for name in _KEY)]["max"], points["value"].max()) for _, points in drawn
        ]
        beyond = [bool(math.isinf(cell.high) or cell.low > last) for cell, last in ends]
        curves.exceedance(panel, drawn, beyond, bands=len(drawn) <= MOST_CURVES)
    return figure


def height(count: int, lines: int) -> int:
    """Return how high a panel of so many exceedance curves is: lines, or a row for each if they are many. [px]."""
    return lines if count <= MOST_LINES else count * 18 + 8


def _curves(
    table: pd.DataFrame, runs: pd.DataFrame, counted: Mapping[Any, Any]
) -> dict[tuple[str, str], curves.Curves]:
    """The series of each quantity and unit with their looks and n; a series is named where its run has several."""
    look = looks(runs)
    groups: dict[tuple[str, str], curves.Curves] = {}
    series = table[["run", "series", "quantity"]].drop_duplicates()
    several = set(map(tuple, series[series.duplicated(["run", "quantity"], keep=False)].to_numpy()))
    for key, points in table.groupby(["quantity", "unit", "run", "series"], sort=False):
        quantity, unit, run, name = map(str, key)
        named = look[run]._replace(basis=look[run].rests_on(counted.get((run, name, quantity))))
        if (run, name, quantity) in several:
            named = named._replace(name=f"{named.name} {html.escape(name)}")
        groups.setdefault((quantity, unit), []).append((named, points))
    return groups
