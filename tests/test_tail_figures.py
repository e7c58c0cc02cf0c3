"""Figures of large latencies: what is drawn is what the tables say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from recordings import TRUNCATED, histogram, one
from tails import N, examine, exponential, made, rtirq

from rtlat import read
from rtlat.protocol import Recording
from rtlat.rows import Rows
from rtlat.tails import tail_curves, tail_figures
from rtlat.tails.examined import Examined


def traces(figure: go.Figure, **wanted: Any) -> list[Any]:
    """Return the traces of a figure with these attributes."""
    return [trace for trace in figure.data if all(getattr(trace, name) == value for name, value in wanted.items())]


def marks(figure: go.Figure, symbol: str) -> list[tuple[float, float]]:
    """Return where single marks of a symbol stand."""
    found = [trace for trace in traces(figure, mode="markers") if trace.marker.symbol == symbol]
    return [(float(trace.x[0]), float(trace.y[0])) for trace in found]


def dotted(figure: go.Figure) -> dict[str, float]:
    """Return the lines to go by: where upright ones stand, by what they say."""
    lines = [trace for trace in traces(figure, mode="lines") if trace.line.dash == "dot"]
    return {trace.hovertext: float(trace.x[0]) for trace in lines if trace.x[0] == trace.x[1]}


RUN = made({"r": exponential()})


@pytest.fixture(scope="module")
def found() -> list[Examined]:
    """The exponential run, examined."""
    return examine(RUN)


def exceedance(found: list[Examined], recording: Recording, limit: str = "") -> go.Figure:
    """Return the exceedance figure of examined runs."""
    return tail_figures.exceedance_figure(tail_curves.exceedance(found, limit), recording.runs)


def every_figure(recording: Recording, limit: str = "") -> list[go.Figure]:
    """Return all figures of a recording."""
    found = examine(recording)
    return [
        exceedance(found, recording, limit),
        tail_figures.growth_figure(tail_curves.maxima(found), recording.runs),
        tail_figures.return_level_figure(tail_curves.return_levels(found), recording.runs),
        tail_figures.diagnostics_figure(tail_curves.mean_excesses(found), tail_curves.shapes(found), recording.runs),
    ]


def test_a_curve_is_thin_where_n_supports_nothing(found: list[Examined]) -> None:
    table, figure = tail_curves.exceedance(found), exceedance(found, RUN)
    low, high, thin, thick = [trace for trace in traces(figure, mode="lines") if len(trace.x) > 2]
    assert thin.x[:-1] == pytest.approx(table["value"])
    assert thin.y[:-1] == pytest.approx(table["share high"])
    assert (thin.x[-1], thin.y[-1]) == pytest.approx((table["value"].iloc[-1], table["share low"].iloc[-1]))
    supported = table["supported"].iloc[0]
    assert thick.y.min() >= supported > thin.y[len(thick.y)]
    assert thin.line.width < thick.line.width
    ((x, y),) = marks(figure, "line-ew")
    assert (x, y) == (pytest.approx(thin.x[len(thick.y)]), pytest.approx(supported))
    assert (low.y[5], high.y[5]) == pytest.approx((table["low"].iloc[5], table["high"].iloc[5]))
    assert high.fill == "tonexty"
    ((x, y),) = marks(figure, "x")
    assert (x, y) == pytest.approx((table["value"].iloc[-1], table["share low"].iloc[-1]))


def test_a_limit_is_drawn_near_the_data_only(found: list[Examined]) -> None:
    assert dotted(exceedance(found, RUN)) == {}
    assert dotted(exceedance(found, RUN, "0.5ms")) == {"limit 500 us": 500}
    assert 10 ** exceedance(found, RUN, "0.5ms").layout.xaxis.range[1] > 500
    assert dotted(exceedance(found, RUN, "1s")) == {}
    assert dotted(exceedance(found, RUN, "-5")) == {}


def test_bands_of_many_runs_are_left_out() -> None:
    for count, bands in ((tail_figures.MOST_BANDS, tail_figures.MOST_BANDS), (tail_figures.MOST_BANDS + 1, 0)):
        recording = made({f"r{place}": {5: 90, 6 + place: 10} for place in range(count)})
        several = examine(recording)
        assert len(traces(exceedance(several, recording), fill="tonexty")) == bands
        growth = tail_figures.growth_figure(tail_curves.maxima(several), recording.runs)
        assert len(traces(growth, fill="tonexty")) == bands


def overflown() -> Recording:
    """Return a run of which ten observations lie beyond its last bin at an unknown place."""
    rows = Rows()
    histogram(rows, {5: 10_000, 6: 100})
    rows.add("t0", "thread", "bin", 7e3, math.inf, n=10)
    return one(rows, **TRUNCATED)


def test_what_lies_beyond_the_histogram_ends_in_an_arrow() -> None:
    recording = overflown()
    several = examine(recording)
    figure = exceedance(several, recording)
    assert marks(figure, "x") == []
    ((x, y),) = marks(figure, "arrow-right-open")
    assert (x, y) == (7, pytest.approx(10 / 10_110))
    assert marks(figure, "line-ew") == [], "the curve ends above what n supports"
    growth = tail_figures.growth_figure(tail_curves.maxima(several), recording.runs)
    ((m, low),) = marks(growth, "arrow-up-open")
    assert (m, low) == (10_110, 7)


@pytest.mark.parametrize("bins", [{}, {5: 90, 7: 10}, exponential(N / 10)])
@pytest.mark.parametrize("open_bin", [(-math.inf, 4e3), (-math.inf, math.inf)])
def test_what_may_lie_anywhere_can_be_drawn(bins: dict[int, int], open_bin: tuple[float, float]) -> None:
    rows = Rows()
    histogram(rows, bins)
    rows.add("t0", "thread", "bin", *open_bin, n=10)
    recording = one(rows, **TRUNCATED)
    figures = every_figure(recording)
    for figure in figures:
        for axis in (*figure.select_yaxes(), *figure.select_xaxes()):
            assert axis.range is None or all(math.isfinite(end) for end in axis.range)


def test_growth_is_the_lower_bound_within_the_draws(found: list[Examined]) -> None:
    table = tail_curves.maxima(found)
    figure = tail_figures.growth_figure(table, RUN.runs)
    low, high, line = traces(figure, mode="lines")
    assert line.x == pytest.approx(table["m"])
    assert line.y == pytest.approx(table["expected low"])
    assert low.y == pytest.approx(table["least"])
    assert high.y == pytest.approx(table["most"])
    assert marks(figure, "x") == [(pytest.approx(table["m"].iloc[-1]), pytest.approx(table["expected low"].iloc[-1]))]
    assert figure.layout.xaxis.title.text == "cycles"
    assert figure.layout.yaxis.title.text == "us"
    assert 10 ** figure.layout.yaxis.range[1] > table["most"].max()


def test_levels_are_marks_a_line_and_its_interval(found: list[Examined]) -> None:
    table = tail_curves.return_levels(found)
    observed, estimated = (table[table["what"] == what] for what in ("observed", "estimated"))
    figure = tail_figures.return_level_figure(table, RUN.runs)
    low, high, line = [trace for trace in traces(figure, mode="lines") if len(trace.x) > 2]
    assert low.y == pytest.approx(estimated["low"])
    assert high.y == pytest.approx(estimated["high"])
    assert np.asarray(line.y) == pytest.approx(estimated["value"].to_numpy(), nan_ok=True)
    (points,) = traces(figure, mode="markers")
    assert points.x == pytest.approx(observed["cycles"])
    assert points.y == pytest.approx(observed["value"])
    n = sum(exponential().values())
    assert dotted(figure) == {f"n {n:,}": n}
    assert figure.layout.annotations[0].text == "<b>r · thread</b>"
    top = figure.layout.yaxis.range[1]
    assert (10**top if figure.layout.yaxis.type == "log" else top) > estimated["high"].max()


def test_a_refused_tail_has_marks_and_says_why() -> None:
    from tails import RTIRQ

    figure = tail_figures.return_level_figure(tail_curves.return_levels(rtirq()), read(RTIRQ).runs)
    assert traces(figure, fill="tonexty") == []
    assert "refused: misfit" in figure.layout.annotations[0].text
    assert len(traces(figure, mode="markers")) == 1


def test_diagnostics_stand_side_by_side(found: list[Examined]) -> None:
    excesses, shapes = tail_curves.mean_excesses(found), tail_curves.shapes(found)
    figure = tail_figures.diagnostics_figure(excesses, shapes, RUN.runs)
    mean, shape = traces(figure, mode="markers")
    assert mean.x == pytest.approx(excesses["threshold"])
    assert mean.y == pytest.approx((excesses["interval low"] + excesses["interval high"]) / 2)
    assert shape.x == pytest.approx(shapes["threshold"])
    assert shape.y == pytest.approx(shapes["shape"])
    assert shape.y + shape.error_y.array == pytest.approx(shapes["high"], abs=1e-6)
    assert shape.y - shape.error_y.arrayminus == pytest.approx(shapes["low"], abs=1e-6)
    assert set(dotted(figure).values()) == {excesses["chosen"].iloc[0]}
    left, right = figure.layout.xaxis.domain, figure.layout.xaxis2.domain
    assert left[1] < right[0]
    assert figure.layout.yaxis.domain == figure.layout.yaxis2.domain
    assert right[1] == 1


def test_rejected_thresholds_are_open_marks() -> None:
    from tails import RTIRQ

    shapes = tail_curves.shapes(rtirq())
    figure = tail_figures.diagnostics_figure(tail_curves.mean_excesses(rtirq()), shapes, read(RTIRQ).runs)
    _, shape = traces(figure, mode="markers")
    assert set(shape.marker.symbol) == {"circle-open"}
    texts = [text for text in shape.hovertext if "rejected" in text]
    assert len(texts) == len(shapes)
    assert texts[0].startswith("1,464 from 1.5 us: shape 0.35")


def test_each_run_has_a_row_of_panels() -> None:
    recording = made({f"r{place}": exponential(N / 20) for place in range(3)})
    several = examine(recording)
    figure = tail_figures.return_level_figure(tail_curves.return_levels(several), recording.runs)
    domains = [figure.layout[axis].domain for axis in ("yaxis", "yaxis2", "yaxis3")]
    assert domains[0] == domains[1]
    assert domains[1][0] > domains[2][1]
    titles = [annotation.text for annotation in figure.layout.annotations]
    assert len(titles) == len(set(titles)) == 3


def test_figures_of_nothing_say_so() -> None:
    runs = RUN.runs
    figures = [
        tail_figures.exceedance_figure(tail_curves.exceedance([]), runs),
        tail_figures.growth_figure(tail_curves.maxima([]), runs),
        tail_figures.return_level_figure(tail_curves.return_levels([]), runs),
        tail_figures.diagnostics_figure(tail_curves.mean_excesses([]), tail_curves.shapes([]), runs),
    ]
    for figure in figures:
        assert "nothing to draw" in figure.layout.annotations[0].text


@pytest.mark.parametrize(
    "bins",
    [
        {0: 1},
        {-5: 90, -4: 10},
        {-5: 900, 0: 90, 3: 10},
        {edge - 30: n for edge, n in exponential(N / 10).items()},
        {5: 2**40, 6: 1},
    ],
    ids=["one at nought", "negative", "around nought", "a tail from below nought", "many"],
)
def test_whatever_was_counted_can_be_drawn(bins: dict[int, int]) -> None:
    recording = made({"r": bins})
    figures = every_figure(recording, "2us")
    for figure in figures:
        for axis in (*figure.select_yaxes(), *figure.select_xaxes()):
            assert axis.range is None or all(math.isfinite(end) for end in axis.range)


def test_names_are_escaped() -> None:
    recording = made({"<img src=x>": exponential()})
    figures = every_figure(recording)
    assert not any("<img" in figure.to_json() for figure in figures)


def test_runs_too_many_for_lines_are_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = made({"r": {10: 900, 20: 90, 40: 10}, "s": {10: 999, 80: 1}})
    monkeypatch.setattr(tail_figures, "MOST_LINES", 1)
    figure = tail_figures.exceedance_figure(tail_curves.exceedance(examine(recording), "30us"), recording.runs)
    heat, limit = figure.data
    left, cells = np.asarray(heat.x)[:-1], np.asarray(heat.customdata)
    assert cells.shape[0] == 2
    assert list(figure.layout.yaxis.ticktext) == ["r", "s"]
    for row, value, share in ((0, 15, 0.1), (0, 30, 0.01), (1, 30, 0.001), (1, 79, 0.001)):
        assert cells[row][np.searchsorted(left, value) - 1] == pytest.approx(share)
    assert np.isnan(cells[0][np.searchsorted(left, 60)]), "nothing of r reaches it"
    assert list(limit.x) == [30, 30]
