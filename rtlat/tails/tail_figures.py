"""Figures of large latencies: how often each is reached, how the maximum grows, levels beyond the data, diagnostics."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat.display.curves import LARGEST_PANEL, LONGEST_CURVE, exceedance_shades, pale
from rtlat.display.figures import MOST_LINES, height
from rtlat.display.look import INK, SOFT, WORST, Look, looks, shortened, titled
from rtlat.display.panels import Panel, room_beside, stacked

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

MOST_BANDS = 6
"""Runs whose intervals are drawn as bands; more would hide each other."""

_PANEL, _SMALL = 360, 230
"""Height of a panel of all runs, and of one of a single run. [px]"""

_BAND, _MANY = 0.16, 0.6
"""How dark the band of one run is, and those of all runs together."""

_FAR = 10
"""How many times beyond the worst observed a limit is drawn; farther ones would leave no room for the curves."""

_STEEP = 4
"""Ratio of levels from which their axis is logarithmic."""


def exceedance_figure(points: pd.DataFrame, runs: pd.DataFrame) -> go.Figure:
    """Return the share of cycles that reach each latency, with its interval, and up to where n supports it.

    Parameters
    ----------
    points : DataFrame
        As `rtlat.tails.tail_curves.exceedance` gives it.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for each quantity and unit. A curve is thin below the share that n supports, where a bar crosses it; of
        more than `MOST_LINES` runs each is a row of shades.
    """
    groups = list(points.groupby(["quantity", "unit"], sort=False))
    counts = [rows[["run", "name"]].drop_duplicates().shape[0] for _, rows in groups]
    figure, panels = stacked([(titled(*map(str, key)), str(key[1]), height(count, _PANEL))
                              for (key, _), count in zip(groups, counts, strict=True)])  # fmt: skip
    for panel, (_, rows) in zip(panels, groups, strict=True):
        drawn = list(_by_run(rows, looks(runs)))
        if len(drawn) > MOST_LINES:
            exceedance_shades(panel, [(run, curve.assign(high=curve["share high"])) for run, curve in drawn])
            for limit in rows["limit"].dropna().unique():
                _line(panel, [limit, limit], [-0.5, len(drawn) - 0.5], f"limit {limit:,.5g} {panel.unit}")
            continue
        shares = rows["low" if len(drawn) <= MOST_BANDS else "share low"].to_numpy()
        floor = float(shares[shares > 0].min(initial=0.1)) / 2
        ends = [_exceedance(panel, run, curve, floor, len(drawn)) for run, curve in drawn]
        values = rows["value"][rows["value"] > 0]
        least, most = (float(values.min()), float(values.max())) if len(values) else (1.0, 10.0)
        for limit in rows["limit"].dropna().unique():
            if 0 < limit < _FAR * most:
                _line(panel, [limit, limit], [floor, 1.5], f"limit {limit:,.5g} {panel.unit}")
                least, most = min(least, limit), max(most, limit)
        panel.latency(least / 1.3, room_beside(least, most, (run for run, _ in drawn)), most * 1.3)
        panel.counts(floor, 1.5, "share that reaches it")
        panel.beside([end for end in ends if end])
    return figure


def _by_run(rows: pd.DataFrame, look: dict[str, Look]) -> Iterable[tuple[Look, pd.DataFrame]]:
    """The points of each run with its look."""
    for (run, name), points in rows.groupby(["run", "name"], sort=False):
        yield look[str(run)]._replace(name=html.escape(shortened(str(name), 40))), points


def _exceedance(
    panel: Panel, run: Look, points: pd.DataFrame, floor: float, count: int
) -> tuple[float, float, Look] | None:
    """One curve: its band, the thin part, what n supports, the worst observed; returns where it ends."""
    points = points[points["value"] > 0]
    kept = np.unique(
        np.linspace(0, len(points) - 1, min(len(points), LONGEST_CURVE, LARGEST_PANEL // (4 * count))).astype(int)
    )
    points = points.iloc[kept]
    x, share, low, high = (points[name].to_numpy() for name in ("value", "share high", "low", "high"))
    if not len(x):
        return None
    if count <= MOST_BANDS:
        _band(panel, x, np.maximum(low, floor), np.minimum(high, 1), run, min(_BAND, _MANY / count), shape="hv")
    supported, last = float(points["supported"].iloc[0]), max(float(points["share low"].iloc[-1]), floor)
    about = f"<b>{run.name}</b>, {run.rests_on(points['n'].iloc[0])}"
    hover = f"{about}<br>%{{y:.3g}} reach %{{x:,.5g}} {panel.unit}<extra></extra>"
    thin = {"color": run.colour, "width": 0.8, "dash": "2px,2px", "shape": "hv"}
    whole = {"x": _narrow([*x, x[-1]]), "y": _narrow([*share, last]), "mode": "lines", "line": thin}
    panel.add("scatter", **whole, legendgroup=run.label, hovertemplate=hover)
    held = int(np.searchsorted(-share, -supported, "right"))
    if held:
        panel.line(_narrow(x[:held]), _narrow(share[:held]), run, line_shape="hv", hoverinfo="skip")
    if held and last <= supported:
        text = f"<b>{run.name}</b><br>n supports shares down to {supported:.2g}: {x[held - 1]:,.5g} {panel.unit}"
        _mark(panel, x[min(held, len(x) - 1)], supported, "line-ew", run, text)
    is_open = bool(points["open"].iloc[0])
    end = f"<b>{run.name}</b><br>worst observed: from {float(points['worst'].iloc[0]):,.5g} {panel.unit}"
    _mark(panel, x[-1], last, "arrow-right-open" if is_open else WORST, run, end)
    return float(x[-1]), last, run


def growth_figure(points: pd.DataFrame, runs: pd.DataFrame) -> go.Figure:
    """Return how the greatest of m cycles grows with m: its mean, and for few runs the central 95 % of all draws.

    Parameters
    ----------
    points : DataFrame
        As `rtlat.tails.tail_curves.maxima` gives it.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for each quantity and unit. The line is the lower bound; it ends in an arrow where the greatest lies
        beyond a histogram's last bin.
    """
    groups = list(points.groupby(["quantity", "unit"], sort=False))
    figure, panels = stacked([(titled(*map(str, key)), str(key[1]), _PANEL) for key, _ in groups])
    for panel, (_, rows) in zip(panels, groups, strict=True):
        drawn = list(_by_run(rows, looks(runs)))
        for run, curve in drawn:
            m, low = curve["m"].to_numpy(np.float64), curve["expected low"].to_numpy()
            if len(drawn) <= MOST_BANDS:
                most = np.minimum(curve["most"].to_numpy(), curve["most"][np.isfinite(curve["most"])].max())
                _band(panel, m, curve["least"].to_numpy(), most, run, min(_BAND, _MANY / len(drawn)))
            hover = f"<b>{run.name}</b><br>of %{{x:,}} cycles %{{y:,.5g}} {panel.unit}<extra></extra>"
            panel.line(_narrow(m), _narrow(low), run, hovertemplate=hover)
            is_open = math.isinf(curve["expected high"].iloc[-1])
            text = (
                f"<b>{run.name}</b><br>worst observed: {'beyond ' * is_open}{low[-1]:,.5g} {panel.unit}, n {m[-1]:,.0f}"
            )
            _mark(panel, m[-1], low[-1], "arrow-up-open" if is_open else WORST, run, text)
        values = rows[["least", "most"]].to_numpy()
        values = values[np.isfinite(values) & (values > 0)]
        least, most = (float(values.min()), float(values.max())) if len(values) else (1.0, 10.0)
        most_cycles = float(rows["m"].max())
        panel.cycles(1, room_beside(1, most_cycles, (run for run, _ in drawn)))
        panel.level(least / 1.1, most * 1.25)
        panel.beside([(float(curve["m"].iloc[-1]), float(curve["expected low"].iloc[-1]), run) for run, curve in drawn])
    return figure


def return_level_figure(points: pd.DataFrame, runs: pd.DataFrame) -> go.Figure:
    """Return levels over the cycles of which one exceeds them: observed as marks, estimated as a line in its interval.

    Parameters
    ----------
    points : DataFrame
        As `rtlat.tails.tail_curves.return_levels` gives it.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.

    Returns
    -------
    plotly.graph_objects.Figure
        A panel for each run; a dotted line stands at its n. The line ends where only the interval can be told.
    """
    groups = list(points.groupby(["quantity", "unit", "run", "name"], sort=False))
    titles = [(_title(str(key[3]), str(key[0]), rows["refused"].iloc[0]), str(key[1]), _SMALL) for key, rows in groups]
    figure, panels = stacked(titles, columns=2)
    for panel, (key, rows) in zip(panels, groups, strict=True):
        run = looks(runs)[str(key[2])]
        observed, estimated = (rows[rows["what"] == what] for what in ("observed", "estimated"))
        x = estimated["cycles"].to_numpy()
        low, high, value = (estimated[name].to_numpy() for name in ("low", "high", "value"))
        if len(x):
            _band(panel, x, low, high, run, 2 * _BAND)
            hover = f"estimated level of one in %{{x:,.3g}} cycles: %{{y:,.4g}} {panel.unit}<extra></extra>"
            panel.line(_narrow(x), _narrow(value), run, named=False, hovertemplate=hover)
        hover = f"one in %{{x:,.3g}} cycles reached %{{y:,.5g}} {panel.unit}<extra></extra>"
        marker = {"color": INK, "size": 4}
        cycles, reached = (_narrow(observed[name]) for name in ("cycles", "value"))
        panel.add("scatter", x=cycles, y=reached, mode="markers", marker=marker, hovertemplate=hover)
        n, ends = int(rows["n"].iloc[0]), rows[["value", "low", "high"]].to_numpy()
        least, most = float(np.nanmin(ends)), float(np.nanmax(ends))
        panel.cycles(float(rows["cycles"].min()) / 1.3, max(n, float(rows["cycles"].max())) * 1.3)
        plain = least <= 0 or most < _STEEP * least
        room = (most - least) / 20 if plain else 0.0
        least, most = (least - room, most + room) if plain else (least / 1.1, most * 1.1)
        panel.level(least, most, plain=plain)
        _line(panel, [n, n], [least, most], f"n {n:,}")
    return figure


def _title(name: str, quantity: str, refused: str) -> str:
    """A run above its panel."""
    return f"{shortened(name, 44)} · {quantity}{' · refused: ' * bool(refused)}{refused}"


def diagnostics_figure(excesses: pd.DataFrame, shapes: pd.DataFrame, runs: pd.DataFrame) -> go.Figure:
    """Return the mean excess and the shape over the threshold, side by side for each run.

    Parameters
    ----------
    excesses : DataFrame
        As `rtlat.tails.tail_curves.mean_excesses` gives it.
    shapes : DataFrame
        As `rtlat.tails.tail_curves.shapes` gives it.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.

    Returns
    -------
    plotly.graph_objects.Figure
        Rejected thresholds are open marks; a dotted line stands at the chosen one.
    """
    key = ["quantity", "unit", "run", "name"]
    tested = dict(list(shapes.groupby(key, sort=False)))
    groups = list(excesses.groupby(key, sort=False))
    titles = []
    for (quantity, unit, _, name), rows in groups:
        titles.append((_title(str(name), str(quantity), rows["refused"].iloc[0]), str(unit), _SMALL))
        titles.append(("shape above each threshold", str(unit), _SMALL))
    figure, panels = stacked(titles, columns=2)
    for place, (name, rows) in enumerate(groups):
        run = looks(runs)[str(name[2])]
        _mean_excess(panels[2 * place], rows, run)
        _shape(panels[2 * place + 1], tested[name], run)
    return figure


def _mean_excess(panel: Panel, rows: pd.DataFrame, run: Look) -> None:
    """The mean excess with its interval, and what the fit makes of it."""
    x = rows["threshold"].to_numpy()
    low, high = (rows[f"interval {side}"].to_numpy() for side in ("low", "high"))
    _band(panel, x, low, high, run, _BAND)
    hover = f"mean excess over %{{x:,.5g}} {panel.unit}: %{{y:,.4g}}<extra></extra>"
    panel.add("scatter", x=_narrow(x), y=_narrow((low + high) / 2), mode="markers", hovertemplate=hover,
              marker={"color": run.colour, "size": 4})  # fmt: skip
    top = float(np.nanmax(high)) * 1.1
    panel.plain(_around(x), (0, top), f"mean excess [{panel.unit}]")
    chosen = float(rows["chosen"].iloc[0])
    if not math.isnan(chosen):
        line = {"color": INK, "width": 1.2}
        panel.add("scatter", x=_narrow(x), y=_narrow(rows["fitted"]), mode="lines", line=line, hoverinfo="skip")
        _line(panel, [chosen, chosen], [0, top], f"threshold {chosen:,.5g} {panel.unit}")


def _shape(panel: Panel, rows: pd.DataFrame, run: Look) -> None:
    """The shape with its interval above each threshold that was tried."""
    x, shape, low, high = (rows[name].to_numpy() for name in ("threshold", "shape", "low", "high"))
    texts = [
        f"{row['exceedances']:,} from {row['threshold']:,.5g} {panel.unit}: shape {row['shape']:.2f}, p {row['p']:.2g}"
        f"{' (rejected)' * bool(row['rejected'])}"
        for row in rows.to_dict("records")
    ]
    bars = {"type": "data", "symmetric": False, "array": _narrow(high - shape), "arrayminus": _narrow(shape - low),
            "color": run.colour, "width": 3, "thickness": 1}  # fmt: skip
    symbols = ["circle-open" if rejected else "circle" for rejected in rows["rejected"]]
    marker = {"symbol": symbols, "color": run.colour, "size": 7}
    at = {"x": _narrow(x), "y": _narrow(shape), "error_y": bars}
    panel.add("scatter", **at, mode="markers", hovertext=texts, hoverinfo="text", marker=marker)
    ends = np.concatenate([shape, low, high])
    least, most = min(float(np.nanmin(ends)), -0.1), max(float(np.nanmax(ends)), 0.1)
    edge = (most - least) / 12
    panel.plain(_around(x), (least - edge, most + edge), "shape")
    _line(panel, list(_around(x)), [0, 0], "exponential tail")
    chosen = float(rows["chosen"].iloc[0])
    if not math.isnan(chosen):
        _line(panel, [chosen, chosen], [least - edge, most + edge], f"threshold {chosen:,.5g} {panel.unit}")


def _around(x: Any) -> tuple[float, float]:
    """An axis with room left and right of all points."""
    room = (float(x.max()) - float(x.min())) / 25 or 1.0
    return float(x.min()) - room, float(x.max()) + room


def _narrow(values: Any) -> Any:
    """Values in half the bytes."""
    return np.asarray(values, np.float32)


def _band(panel: Panel, x: Any, low: Any, high: Any, run: Look, alpha: float, shape: str = "linear") -> None:
    """An interval as a band."""
    nothing = {"width": 0, "shape": shape, "color": run.colour}
    common = {"x": _narrow(x), "mode": "lines", "line": nothing, "hoverinfo": "skip", "legendgroup": run.label}
    panel.add("scatter", y=_narrow(low), **common)
    panel.add("scatter", y=_narrow(high), fill="tonexty", fillcolor=pale(run.colour, alpha), **common)


def _mark(panel: Panel, x: float, y: float, symbol: str, run: Look, text: str) -> None:
    """A single mark in a run's colour."""
    edge = {"width": 0 if symbol == WORST else 2, "color": run.colour}
    marker = {"symbol": symbol, "color": run.colour, "size": 9, "line": edge}
    panel.add(
        "scatter", x=[x], y=[y], mode="markers", marker=marker, hovertext=text, hoverinfo="text", legendgroup=run.label
    )


def _line(panel: Panel, x: list[float], y: list[float], text: str) -> None:
    """A dotted line to go by."""
    line = {"color": SOFT, "dash": "dot", "width": 1.2}
    panel.add("scatter", x=x, y=y, mode="lines", line=line, hovertext=text, hoverinfo="text")
