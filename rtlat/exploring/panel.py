"""The widgets to choose with, and the views beside each other that follow them."""

from __future__ import annotations

import functools
import html
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rtlat.display.markup import Html, shown
from rtlat.display.tables import warnings
from rtlat.errors import RtlatError
from rtlat.exploring import answers, asked, choice, outliers, views
from rtlat.exploring.choice import Choice
from rtlat.exploring.folder import Folder, folders, opened

_FIGURES: dict[str, tuple[Callable[[Folder, Choice], Any], str]] = {
    "How often each latency occurred": (views.histogram, "430px"),
    "How often a latency is reached": (views.exceedance, "430px"),
    "Over time": (views.over_time, "200px"),
    "Which series": (views.by_series, "140px"),
}
"""Each with the least height that is kept while it is drawn anew, so that little moves."""

_TABLES: dict[str, Callable[[Folder, Choice], Html]] = {
    "Side by side": answers.table,
    "Where it stands in the logs": outliers.outliers,
}
_FAILED = 5
"""Logs that could not be read, of which the reasons stand on top."""

_PLOTLY = "application/vnd.plotly.v1+json"
_WRAPPED = {"flex_flow": "row wrap", "width": "100%"}
_CONTROL = {"width": "min(100% - 4px, 330px)"}
_BROAD = {"width": "min(100% - 4px, 894px)"}
_LABEL = {"description_width": "80px"}


def explore(data: Sequence[str], card: str = "", facts: Sequence[str] = (), reports: str = "reports") -> Any:
    """Return the widgets to look at logs with: a folder to choose, and below it all that it holds.

    Parameters
    ----------
    data : sequence of str
        Folders; each of them and all below it may be chosen.
    card : str
        A run card to use instead of the ``runs.toml`` beside the logs.
    facts : sequence of str
        Card keys for all runs, as ``KEY=VALUE``.
    reports : str
        The folder for the reports that are asked for.

    Returns
    -------
    ipywidgets.Widget
    """
    import ipywidgets

    path = ipywidgets.Dropdown(options=folders(data), description="folder", layout=_BROAD, style=_LABEL)
    show = functools.partial(_show, card=card, facts=facts, reports=Path(reports))
    return ipywidgets.VBox([path, ipywidgets.interactive_output(show, {"path": path})])


def _show(path: str, card: str, facts: Sequence[str], reports: Path) -> None:
    """Show what a folder holds, or in one line why that is nothing."""
    try:
        folder = opened(path, card, facts)
    except RtlatError as error:
        _display(Html(f"<p><b>Nothing to look at:</b> {html.escape(str(error))}</p>"))
        return
    first, *failed = folder.said()
    told = failed[:_FAILED] + [f"and {len(failed) - _FAILED} more, among the notes at the end"] * (
        len(failed) > _FAILED
    )
    _display(Html(f"<p>{html.escape(first)}</p>" + "".join(f"<li>{html.escape(one)}</li>" for one in told)))
    if folder.by_quantity:
        _display(Panel(folder, reports).widget)
    else:
        _display(Html("<p>Nothing in it was measured: these are claims.</p>"))


class Panel:
    """The controls of one folder, and what they show.

    Attributes
    ----------
    widget : ipywidgets.Widget
        All of it.
    """

    def __init__(self, folder: Folder, reports: Path) -> None:
        import ipywidgets as w

        self.folder, self.reports = folder, reports
        names = [str(run) for run in folder.recording.runs["run"]]
        common: dict[str, Any] = {"layout": _CONTROL, "style": _LABEL}
        quantities = [(f"{quantity} [{unit}]", (quantity, unit)) for quantity, unit in folder.by_quantity]
        self.quantity = w.Dropdown(options=quantities, description="quantity", **common)
        self.series = w.Dropdown(description="series", **common)
        self.by = w.Dropdown(options=choice.columns(folder.recording.runs), description="group by", **common)
        self.percentiles = w.Text("50, 99, 99.9", description="percentiles", continuous_update=False, **common)
        self.runs = w.SelectMultiple(options=names, value=names, rows=min(7, len(names) + 1), description="runs")
        self.runs.layout, self.runs.style = {"flex": "1 1 300px", "max_width": "560px"}, _LABEL
        self.limit = w.FloatLogSlider(continuous_update=False, readout_format=".5g", step=0.01, style=_LABEL)
        self.limit.layout = _BROAD
        self.trouble = w.HTML()
        self._round = w.IntText()  # never shown: the views follow its value, so that several changes are one
        self._changing = False
        self._another_quantity()
        self.quantity.observe(self._another_quantity, "value")
        for control in (self.series, self.by, self.percentiles, self.runs, self.limit):
            control.observe(self._another_choice, "value")
        self.widget = w.VBox([self._controls(), self._views(), self._report(), self._notes()])

    @property
    def chosen(self) -> Choice:
        """What is looked at.

        Raises
        ------
        UsageError
            If what was typed is no percentile.
        """
        quantity, unit = self.quantity.value
        return Choice(
            self.runs.value,
            self.by.value,
            quantity,
            unit,
            self.series.value,
            choice.percentiles_in(self.percentiles.value),
            choice.rounded(self.limit.value, 4),
        )

    def _another_quantity(self, _: Any = None) -> None:
        """Offer what there is of a quantity."""
        self._changing = True
        quantity, unit = self.quantity.value
        offered = choice.series_of(self.folder, quantity, unit)
        kept = self.series.value if self.series.value in offered else offered[0]
        self.series.options = offered
        self.series.value = kept
        least, most, start = choice.limits(self.folder, quantity, unit)
        self.limit.min = min(self.limit.min, math.log10(least))
        self.limit.max = math.log10(most)
        self.limit.min = math.log10(least)
        self.limit.value = start
        self.limit.description = f"limit [{unit}]"
        self._changing = False
        self._another_choice()

    def _another_choice(self, _: Any = None) -> None:
        """Let all views follow, unless what is typed cannot be understood: that is said, and they stay."""
        if self._changing:
            return
        try:
            choice.percentiles_in(self.percentiles.value)
        except RtlatError as error:
            self.trouble.value = f"<b>{html.escape(str(error))}</b>"
            return
        self.trouble.value = ""
        self._round.value += 1

    def _following(self, show: Callable[[], None], **layout: str) -> Any:
        """An output that follows the choice."""
        import ipywidgets

        made = ipywidgets.interactive_output(lambda **_: show(), {"round": self._round})
        made.layout = layout
        return made

    def _controls(self) -> Any:
        """All that may be chosen, and what is said of the limit."""
        import ipywidgets as w

        few = w.VBox([self.quantity, self.series, self.by, self.percentiles], layout={"flex": "0 1 342px"})
        above = w.HBox([few, self.runs], layout=_WRAPPED)
        said = self._following(lambda: _display(answers.said(self.folder, self.chosen)), min_height="46px")
        return w.VBox([above, self.limit, self.trouble, said])

    def _views(self) -> Any:
        """The figures, two beside each other where there is room, and the tables below them."""
        import ipywidgets as w

        parts = []
        for title, (view, height) in _FIGURES.items():
            show = functools.partial(self._show_figure, view)
            drawn = self._following(show, min_height=height, width="100%")
            parts.append(
                w.VBox([_heading(title), drawn], layout={"flex": "1 1 480px", "min_width": "min(100%, 300px)"})
            )
        figures = w.HBox(parts, layout=_WRAPPED)
        tables = []
        for title, table in _TABLES.items():
            show = functools.partial(self._show_table, table)
            tables += [_heading(title), self._following(show, min_height="60px", overflow="auto")]
        return w.VBox([figures, *tables])

    def _show_figure(self, view: Callable[[Folder, Choice], Any]) -> None:
        figure = view(self.folder, self.chosen).to_dict()
        _display({_PLOTLY: {**figure, "config": {"displaylogo": False}}, "text/plain": "a figure"}, raw=True)

    def _show_table(self, table: Callable[[Folder, Choice], Html]) -> None:
        _display(table(self.folder, self.chosen))

    def _report(self) -> Any:
        """The same selection asked of a notebook."""
        import ipywidgets as w

        there = [(path.stem, path) for path in asked.notebooks(Path())]
        notebook = w.Dropdown(options=there, description="notebook", layout=_CONTROL, style=_LABEL)
        button = w.Button(description="Use this selection in a report", layout={"width": "auto"})
        result = w.HTML()

        def ask(_: Any) -> None:
            button.disabled = True
            result.value = "The report is being made: some seconds ..."
            try:
                result.value = asked.asked(notebook.value, self.folder, self.chosen, self.reports)
            finally:
                button.disabled = False

        button.on_click(ask)
        return w.VBox([_heading("Report"), w.HBox([notebook, button], layout=_WRAPPED), result])

    def _notes(self) -> Any:
        """Every note and warning, folded away."""
        import ipywidgets as w

        table = warnings(self.folder.recording, self.folder.readings)
        folded = w.Accordion([w.HTML(shown(table, "None."))], titles=[f"Notes and warnings: {len(table)}"])
        folded.selected_index = None
        return folded


def _heading(text: str) -> Any:
    import ipywidgets

    return ipywidgets.HTML(f"<h3 style='margin:1em 0 0'>{html.escape(text)}</h3>")


def _display(what: Any, **how: bool) -> None:
    """Show something where the caller's output goes."""
    from IPython.display import display

    display(what, **how)  # type: ignore[no-untyped-call]
