"""Panels below each other in one plotly figure, each with axes of its own, and the few things drawn on them."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rtlat.display.look import GRID, HATCHES, INK, SOFT, Look, number

if TYPE_CHECKING:
    import plotly.graph_objects as go

_TITLE, _AXIS, _LEGEND, _LINE = 40, 46, 30, 20
"""Above a panel, below it, above them all, and for each further line of the legend. [px]"""

_WIDTH, _LETTER = 800, 7
"""How wide a plot is at least, and a letter about. [px]"""

_SYMBOL = 45
"""Of an entry of the legend, before its text. [px]"""

MOST_NAMED = 6
"""Labels that are written beside their curves; more would stand in each other's way."""

_LABEL, _MOVED = 14, 45
"""Height of a label beside its curve, and how far it may be moved out of another's way. [px]"""

_WHOLE = {"exponentformat": "none", "separatethousands": True}
"""How a linear axis writes numbers: 8,000, not 8k."""

_GAP = 0.08
"""Between panels side by side, as a share of the width."""


class Panel:
    """One panel: a latency axis to the right, logarithmic, and whatever stands upwards.

    Attributes
    ----------
    figure : plotly.graph_objects.Figure
        The figure it is part of.
    unit : str
        Of the latency axis.
    """

    def __init__(self, figure: go.Figure, place: int, unit: str, height: int, named: set[str]) -> None:
        self.figure, self.unit, self._height, self._named = figure, unit, height, named
        self._suffix = "" if place == 1 else str(place)

    def add(self, trace: str, **spec: Any) -> None:
        """Add a trace of plotly to the panel."""
        spec = {"showlegend": False, "xaxis": f"x{self._suffix}", "yaxis": f"y{self._suffix}"} | spec
        self.figure.add_trace({"type": trace, **spec})

    def line(self, x: Any, y: Any, run: Look, *, named: bool = True, **spec: Any) -> None:
        """Draw a curve in a run's colour and dash, and name it in the legend, once for all of the same label."""
        line = {"color": run.colour, "dash": run.dash, "width": 1.6}
        first = named and run.label not in self._named
        if first:
            self._named.add(run.label)
            room_for_legend(self.figure, self._named)
        legend = {"name": run.label, "legendgroup": run.label, "showlegend": first} if named else {}
        self.add("scatter", x=x, y=y, mode="lines", line=line, **legend, **spec)

    def beside(self, ends: Sequence[tuple[float, float, Look]]) -> None:
        """Write what was compared beside curves, at the right end of the longest of each label, where it fits.

        Axes have to have their ranges. In grey print this tells curves of one dash apart.
        """
        last: dict[str, tuple[float, float, Look]] = {}
        for x, y, run in sorted(ends, key=lambda end: end[0]):
            if x > 0 and y > 0:
                last[run.label] = x, y, run
        if len(last) > MOST_NAMED:
            return
        taken: list[tuple[float, float, float]] = []
        for x, y, run in last.values():
            left, wish = self._pixels("x", x, _WIDTH), self._pixels("y", y, self._height)
            right = left + _wide(run.brief)
            near = [at for start, end, at in taken if start < right and left < end]
            tried = [wish + sign * step for step in range(_MOVED) for sign in (1, -1)]
            at = next((at for at in tried if all(abs(at - other) >= _LABEL for other in near)), None)
            if at is None or not _LABEL / 2 <= at <= self._height - _LABEL / 2:
                continue
            taken.append((left, right, at))
            low, high = self.figure.layout[f"yaxis{self._suffix}"].range
            moved = 10 ** (low + (high - low) * at / self._height)
            font = {"color": run.colour, "size": 11}
            self.add("scatter", x=[x], y=[moved], mode="text", text=[f"   {run.brief}"], textfont=font,
                     textposition="middle right", hoverinfo="skip", legendgroup=run.label)  # fmt: skip

    def _pixels(self, axis: str, value: float, size: float) -> float:
        """Where a value stands on a logarithmic axis that is so many pixels long."""
        low, high = self.figure.layout[f"{axis}axis{self._suffix}"].range
        return float((math.log10(value) - low) / (high - low) * size)

    def bar(self, x: tuple[float, float], y: float, run: Look) -> None:
        """Draw bounds as a bar."""
        line = {"color": run.colour, "width": 9}
        self.add("scatter", x=list(x), y=[y, y], mode="lines", line=line, opacity=0.3, hoverinfo="skip")

    def hatched(self, x: tuple[float, float], y: tuple[float, float], run: Look, text: str) -> None:
        """Draw a hatched box: counted, but beyond the last bin."""
        self.add(
            "scatter",
            x=[x[0], x[0], x[1], x[1], x[0]],
            y=[y[0], y[1], y[1], y[0], y[0]],
            mode="lines",
            fill="toself",
            fillcolor="white",
            fillpattern={
                "shape": HATCHES.get(run.colour, "/"),
                "fgcolor": run.colour,
                "bgcolor": "white",
                "size": 6,
                "solidity": 0.4,
            },
            line={"color": run.colour, "width": 1.2, "dash": run.dash},
            hoveron="fills",
            hoverinfo="text",
            text=text,
            legendgroup=run.label,
        )

    def latency(self, low: float, high: float, last: float = math.inf, further: dict[float, str] | None = None) -> None:
        """Give the latency axis its range, ticks up to `last`, and `further` ticks by where they stand."""
        values, texts = log_ticks(low, min(high, last))
        values, texts = [*values, *(further or {})], [*texts, *(further or {}).values()]
        axis = {"range": [math.log10(low), math.log10(high)], "tickvals": values, "ticktext": texts}
        self.figure.layout[f"xaxis{self._suffix}"].update(axis, title={"text": self.unit, "standoff": 4})

    def time(self, end: float, unit: str) -> None:
        """Make the axis to the right one of time, from 0."""
        axis = {"type": "linear", "range": [0, end], "title": {"text": unit, "standoff": 4}, "showgrid": False}
        self.figure.layout[f"xaxis{self._suffix}"].update(axis)

    def dates(self) -> None:
        """Make the axis to the right one of dates."""
        axis = {"type": "date", "showgrid": False, "title": {"text": "started", "standoff": 4}}
        self.figure.layout[f"xaxis{self._suffix}"].update(axis)

    def level(self, low: float, high: float, *, plain: bool = False) -> None:
        """Make the upward axis one of latency, logarithmic unless it is to be `plain`."""
        values, texts = log_ticks(low, high)
        axis: dict[str, Any] = {"type": "linear", "range": [low, high], **_WHOLE}
        if not plain:
            axis = {"type": "log", "range": [math.log10(low), math.log10(high)], "tickvals": values, "ticktext": texts}
        self.figure.layout[f"yaxis{self._suffix}"].update(axis, title={"text": self.unit, "standoff": 8})

    def cycles(self, low: float, high: float) -> None:
        """Make the axis to the right one of cycles, logarithmic."""
        powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        shown = [10.0**power for power in powers if power % math.ceil(len(powers) / 7) == 0]
        axis = {
            "range": [math.log10(low), math.log10(high)],
            "tickvals": shown,
            "ticktext": [number(int(n)) for n in shown],
        }
        self.figure.layout[f"xaxis{self._suffix}"].update(axis, title={"text": "cycles", "standoff": 4})

    def plain(self, x: tuple[float, float], y: tuple[float, float], title: str) -> None:
        """Make both axes linear: latency to the right, and upwards what the title says."""
        right = {"type": "linear", "range": list(x), "title": {"text": self.unit, "standoff": 4}}
        self.figure.layout[f"xaxis{self._suffix}"].update(right, **_WHOLE)
        self.figure.layout[f"yaxis{self._suffix}"].update(_WHOLE, range=list(y), title={"text": title, "standoff": 8})

    def rows(self, labels: Sequence[str]) -> None:
        """Make the upward axis a list, the first label on top."""
        longest = max((len(re.sub("<[^>]*>", "", line)) for label in labels for line in label.split("<br>")), default=0)
        # browsers without the font asked for measure too late for plotly's own margin
        self.figure.layout.margin.l = max(self.figure.layout.margin.l, 12 + 7 * longest)
        ticks = {"tickvals": list(range(len(labels))), "ticktext": list(labels), "ticks": "", "showgrid": False}
        self.figure.layout[f"yaxis{self._suffix}"].update(ticks, range=[len(labels) - 0.4, -0.6])

    def counts(self, low: float, high: float, title: str) -> None:
        """Make the upward axis logarithmic, with powers of ten, at most nine of them."""
        powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        shown = [10.0**power for power in powers if power % math.ceil(len(powers) / 9) == 0]
        texts = [number(round(tick)) if tick >= 1 else f"1e{math.log10(tick):.0f}" for tick in shown]
        axis = {"type": "log", "range": [math.log10(low), math.log10(high)], "tickvals": shown, "ticktext": texts}
        self.figure.layout[f"yaxis{self._suffix}"].update(axis, title={"text": title, "standoff": 8})


def room_beside(low: float, high: float, curves: Iterable[Look]) -> float:
    """Return where an axis that shows up to `high` ends so that labels fit behind the curves, if they are few."""
    labels = {run.label: run.brief for run in curves}
    room = max(map(_wide, labels.values()), default=0) if len(labels) <= MOST_NAMED else 0
    return float(high * max(1.4, (high / low) ** (room / (_WIDTH - room))))


def _wide(text: str) -> int:
    """About how wide a text in HTML is, in px."""
    return _LETTER * (len(html.unescape(text)) + 2)


def room_for_legend(figure: go.Figure, names: Collection[str]) -> None:
    """Make a figure high enough for all lines of its legend, so that no panel moves."""
    wide = [_SYMBOL + _wide(name) for name in names]
    lines = 1 if sum(wide) <= _WIDTH else math.ceil(len(names) / max(_WIDTH // max(wide), 1))  # then in columns
    top = _LEGEND + _LINE * (lines - 1)
    figure.layout.height += top - figure.layout.margin.t
    figure.layout.margin.t = top


def stacked(panels: Sequence[tuple[str, str, int]], columns: int = 1) -> tuple[go.Figure, list[Panel]]:
    """Return a figure of empty panels below each other; without any, a figure that says so.

    Parameters
    ----------
    panels : sequence of (str, str, int)
        Title, unit and height of each. [px]
    columns : int
        How many stand side by side; they are as high as the first of them.
    """
    import plotly.graph_objects as go

    height = sum(_TITLE + size + _AXIS for _, _, size in panels[::columns])
    width = (1 - _GAP * (columns - 1)) / columns
    figure = go.Figure()
    figure.update_layout(
        template="none",
        height=height + _LEGEND,
        margin={"l": 8, "r": 36, "t": _LEGEND, "b": 0},
        font={"family": 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif', "size": 12, "color": INK},
        paper_bgcolor="white",
        plot_bgcolor="white",
        hovermode="closest",
        hoverlabel={"bgcolor": "white", "font": {"color": INK}, "align": "left"},
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "bottom",
            "groupclick": "togglegroup",
        },
    )
    if not panels:
        nothing = {"text": "These logs hold nothing to draw.", "xref": "paper", "yref": "paper", "showarrow": False}
        figure.add_annotation(nothing, x=0, y=1, font={"size": 13, "color": SOFT})
        figure.update_layout(height=90, xaxis={"visible": False}, yaxis={"visible": False})
    named: set[str] = set()
    made = []
    top = float(height)
    for place, (text, unit, _) in enumerate(panels, 1):
        column, size = (place - 1) % columns, panels[(place - 1) // columns * columns][2]
        left = column * (width + _GAP)
        domain = ((top - _TITLE - size) / height, (top - _TITLE) / height)
        panel = Panel(figure, place, unit, size, named)
        suffix = "" if place == 1 else str(place)
        axis = {"gridcolor": GRID, "linecolor": SOFT, "zeroline": False, "ticks": "outside", "tickcolor": SOFT}
        figure.layout[f"xaxis{suffix}"] = {
            **axis,
            "type": "log",
            "anchor": f"y{suffix}",
            "showline": True,
            "tickangle": 0,
            "domain": (left, left + width),
        }
        figure.layout[f"yaxis{suffix}"] = {**axis, "anchor": f"x{suffix}", "domain": domain, "automargin": True}
        at = {
            "x": left,
            "xref": "paper",
            "xanchor": "left",
            "y": domain[1],
            "yref": "paper",
            "yanchor": "bottom",
            "yshift": 4,
        }
        figure.add_annotation(at, text=f"<b>{html.escape(text)}</b>", font={"size": 13}, showarrow=False)
        made.append(panel)
        if column == columns - 1:
            top -= _TITLE + size + _AXIS
    return figure, made


def log_ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Return ticks of a logarithmic axis: powers of ten, with others between where there is room.

    Examples
    --------
    >>> log_ticks(8, 2_400)
    ([10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0], ['10', '20', '50', '100', '200', '500', '1,000', '2,000'])
    """
    decades = math.log10(high / low)
    steps: tuple[float, ...] = (1, 3) if decades < 4.5 else (1,)
    if decades < 3:
        steps = (1, 2, 5) if decades > 0.8 else (1, 1.5, 2, 3, 4, 5, 6, 8)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**power for power in powers for step in steps]
    ticks = [tick for tick in ticks if low <= tick <= high]
    return ticks, [f"{tick:,.0f}" if tick >= 1 else f"{tick:g}" for tick in ticks]
