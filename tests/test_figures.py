from __future__ import annotations

import base64
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from rtlat.display import curves
from rtlat.display.figures import MOST_CURVES, ccdf_figure, histogram_figure, percentile_figure
from rtlat.display.look import COLOURS, looks
from rtlat.display.panels import log_ticks, stacked
from rtlat.frames import frame
from rtlat.schema import RUNS
from rtlat.statistics.results import Bounds, refused

INF = math.inf


def runs_of(**columns: list[Any]) -> pd.DataFrame:
    """Return runs with these columns stated."""
    length = len(columns["run"])
    return frame(RUNS, {"group": ["g"] * length, "duration": [60.0] * length} | columns)


def summary_of(*rows: dict[str, Any]) -> pd.DataFrame:
    """Return summary rows; each needs a run and its results."""
    common = {"series": "t0", "quantity": "thread", "unit": "us", "n": 1000, "pooled": False}
    return pd.DataFrame([common | row | {"name": row["run"]} for row in rows]).astype({"n": "Int64"})


def traces(figure: go.Figure, **wanted: Any) -> list[Any]:
    """Return the traces of a figure with these attributes."""
    return [trace for trace in figure.data if all(getattr(trace, name) == value for name, value in wanted.items())]


def marks(figure: go.Figure) -> dict[float, list[tuple[str, float]]]:
    """Return the marks of a percentile figure: (symbol, x) by row."""
    found: dict[float, list[tuple[str, float]]] = {}
    for trace in traces(figure, mode="markers"):
        if trace.x[0] is not None:
            for symbol, x, y in zip(trace.marker.symbol, trace.x, trace.y, strict=True):
                found.setdefault(y, []).append((symbol, x))
    return found


def height_at(trace: Any, x: float) -> float:
    """Return how high a curve of corners stands at `x`, 0 where there is none."""
    for x0, y0, x1, y1 in zip(trace.x, trace.y, trace.x[1:], trace.y[1:], strict=False):
        if x0 < x < x1 and y0 == y1:
            return float(y0)
    return 0.0


def step_at(trace: Any, x: float) -> float:
    """Return how high a curve of steps stands at `x`: at the height of the last point before."""
    return float(np.asarray(trace.y)[np.searchsorted(trace.x, x, "right") - 1])


@pytest.fixture
def figure() -> go.Figure:
    """Percentiles of three runs: in a bin, in wide bounds, in an overflow."""
    runs = runs_of(run=["a", "b", "c"], approach=["Xenomai", "PREEMPT_RT", "PREEMPT_RT"], load=["idle", "idle", "busy"])
    rows = summary_of(
        {
            "run": "c",
            "p50": Bounds(0, 2, "bounds"),
            "p99": Bounds(40, INF, "overflow"),
            "max": Bounds(40, INF, "overflow"),
        },
        {"run": "b", "p50": Bounds(5, 50, "bounds"), "p99": Bounds(5, 50, "bounds"), "max": Bounds(50, 50, "ok")},
        {"run": "a", "p50": Bounds(8, 9, "ok"), "p99": Bounds(10, 10, "ok"), "max": Bounds(20, 21, "ok")},
    )
    return percentile_figure(rows, runs, ["p50", "p99"])


def test_runs_stand_by_the_highest_percentile_that_most_of_them_tell(figure: go.Figure) -> None:
    labels = [label.partition("<br>")[0] for label in figure.layout.yaxis.ticktext]
    assert labels == ["PREEMPT_RT · idle", "Xenomai · idle", "PREEMPT_RT · busy"]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1], "the first stands on top"
    assert "n 1000, 1 min" in figure.layout.yaxis.ticktext[0]


def test_what_is_known_to_a_bin_is_one_mark_inside_it(figure: go.Figure) -> None:
    (p50, p99, worst) = marks(figure)[1]
    assert (p50[0], p99[0], worst[0]) == ("circle", "diamond", "x")
    assert 8 < p50[1] < 9
    assert p99[1] == 10
    assert 20 < worst[1] < 21


def test_wide_bounds_are_a_bar_with_marks_at_its_ends(figure: go.Figure) -> None:
    assert marks(figure)[0] == [
        ("circle-open", 5),
        ("circle-open", 50),
        ("diamond-open", 5),
        ("diamond-open", 50),
        ("x", 50),
    ]
    bars = [(trace.x, trace.y[0]) for trace in figure.data if trace.opacity == 0.3]
    assert bars.count(((5, 50), 0)) == 2


def test_open_ends_are_arrows_at_the_ends_of_the_axis(figure: go.Figure) -> None:
    low, high = (10**end for end in figure.layout.xaxis.range)
    found = marks(figure)[2]
    assert [symbol for symbol, _ in found] == [
        "arrow-left-open",
        "circle-open",
        "diamond-open",
        "arrow-right-open",
        "x-open",
        "arrow-right-open",
    ]
    assert [x for _, x in found] == pytest.approx([low, 2, 40, high, 40, high])


def test_an_approach_has_its_colour_and_a_load_its_dash(figure: go.Figure) -> None:
    lines = {trace.y[0]: trace.line for trace in traces(figure, mode="lines") if trace.x[0] and trace.opacity is None}
    assert [lines[y].color for y in (0, 1, 2)] == [
        COLOURS["PREEMPT_RT"],
        COLOURS["Xenomai"],
        COLOURS["PREEMPT_RT"],
    ]
    assert lines[0].dash == lines[1].dash == "solid"
    assert lines[2].dash != "solid"
    legend = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert legend == ["PREEMPT_RT", "Xenomai", "p50", "p99", "worst observed"]


def test_marks_tell_n_duration_and_the_result(figure: go.Figure) -> None:
    texts = [text for trace in traces(figure, mode="markers") for text in trace.hovertext or ()]
    assert "<b>c</b><br>PREEMPT_RT · busy<br>p99: >= 40 us<br>n 1000, 1 min" in texts


def test_quantities_and_units_have_panels_of_their_own_and_refusals_none() -> None:
    runs = runs_of(run=["a", "b", "c"], approach=["x", "y", "<z>"])
    rows = summary_of(
        {"run": "a", "p50": Bounds(1, 2, "ok"), "max": Bounds(3, 4, "ok")},
        {"run": "b", "quantity": "irq", "unit": "cycles", "p50": Bounds(-INF, 7, "bounds"), "max": Bounds(7, 7, "ok")},
        {"run": "c", "quantity": "step", "p50": refused("parts"), "max": refused("parts")},
        {"run": "c", "quantity": "irq", "p50": Bounds(-9, -8, "ok"), "max": Bounds(1, 2, "ok")},
    )
    figure = percentile_figure(rows, runs, ["p50"])
    titles = [annotation.text for annotation in figure.layout.annotations]
    assert [title.split("(")[0] + title.split(")")[1] for title in titles] == [
        "<b>thread  [us]</b>",
        "<b>irq  [cycles]</b>",
        "<b>irq  [us]</b>",
    ]
    assert [figure.layout[axis].title.text for axis in ("xaxis", "xaxis2", "xaxis3")] == ["us", "cycles", "us"]
    domains = [figure.layout[axis].domain for axis in ("yaxis", "yaxis2", "yaxis3")]
    assert domains[0][0] > domains[1][1] > domains[1][0] > domains[2][1]
    assert "&lt;z&gt;" in figure.layout.yaxis3.ticktext[0]


def test_looks_tell_runs_apart_where_the_logs_do_not() -> None:
    look = looks(runs_of(run=["a", "b", "c"], approach=["PREEMPT_RT", "PREEMPT_RT", ""]))
    assert len({(shown.colour, shown.dash) for shown in look.values()}) == 3
    assert [shown.label for shown in look.values()] == ["PREEMPT_RT · a", "PREEMPT_RT · b", "c"]
    look = looks(runs_of(run=["a", "b"], group=["one", "two"], load=["idle", ""]))
    assert [shown.label for shown in look.values()] == ["one · idle", "two"]
    repeats = looks(runs_of(run=["a", "b"], approach=["EVL"] * 2, load=["idle"] * 2))
    assert repeats["a"][1:] == repeats["b"][1:], "repeats look alike"


def test_colours_stay_whatever_they_are_compared_with() -> None:
    alone = looks(runs_of(run=["a"], approach=["Xenomai"]))["a"]
    among = looks(runs_of(run=["b", "a"], approach=["another", "Xenomai"]))
    assert alone.colour == among["a"].colour != among["b"].colour


HISTOGRAM = pd.DataFrame(
    [
        ("a", 0.0, 1.0, 3),
        ("a", 1.0, 2.0, 100_000),
        ("a", 4.0, 5.0, 1),
        ("a", 5.0, INF, 17),
        ("b", 2.0, 3.0, 50),
        ("b", 10.0, INF, 2),
    ],
    columns=["run", "low", "high", "n"],
).assign(series="t0", quantity="thread", unit="us")


def test_a_histogram_is_steps_down_to_nothing_in_gaps() -> None:
    figure = histogram_figure(HISTOGRAM, runs_of(run=["a", "b"]))
    first, second = (trace for trace in figure.data if trace.fill is None)
    assert [height_at(first, x) for x in (0.9, 1.5, 3.0, 4.5)] == [3, 100_000, 0.5, 1]
    assert height_at(second, 2.5) == 50
    assert min(first.y) == pytest.approx(10 ** figure.layout.yaxis.range[0]), "what is not there lies on the axis"
    assert min(first.x) > 0
    assert figure.layout.yaxis.type == figure.layout.xaxis.type == "log"
    assert 10 ** figure.layout.yaxis.range[1] > 100_000


def test_each_overflow_is_a_hatched_bar_right_of_all_bins() -> None:
    figure = histogram_figure(HISTOGRAM, runs_of(run=["a", "b"]))
    a, b = traces(figure, fill="toself")
    assert (max(a.y), max(b.y)) == (17, 2)
    assert 10 < min(a.x) < max(a.x) < min(b.x) < max(b.x) < 10 ** figure.layout.xaxis.range[1]
    assert a.fillpattern.shape != b.fillpattern.shape, "for those who see no colours"
    assert "overflow" in figure.layout.xaxis.ticktext
    assert "17" in a.text
    closed = histogram_figure(HISTOGRAM[HISTOGRAM["high"] < INF], runs_of(run=["a", "b"]))
    assert "overflow" not in closed.layout.xaxis.ticktext


def many(count: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return histograms of many runs, and the runs."""
    names = [f"r{place:03}" for place in range(count)]
    rows = [HISTOGRAM[HISTOGRAM["run"] == "a"].assign(run=name) for name in names]
    return pd.concat(rows, ignore_index=True), runs_of(run=names)


def test_many_histograms_are_rows_of_shades() -> None:
    figure = histogram_figure(*many(MOST_CURVES + 1))
    (heat,) = figure.data
    assert heat.type == "heatmap"
    assert len(heat.y) == MOST_CURVES + 1 == len(figure.layout.yaxis.ticktext)
    counts = np.asarray(heat.customdata)[0]
    edges = np.asarray(heat.x)
    assert counts[-1] == 17, "the overflow has a column of its own"
    assert np.nansum(counts[:-1] == 100_000) == ((edges[:-1] < 2) & (edges[1:] > 1))[: len(counts) - 1].sum()
    assert np.isnan(counts[np.searchsorted(edges, 3) - 1]), "nothing was counted there"
    assert heat.z[0][-1] == pytest.approx(math.log10(17))


def test_bins_too_narrow_to_draw_are_drawn_as_their_highest() -> None:
    bins = pd.DataFrame({"low": [100.0, 101.0, 103.0, 150.0], "high": [101.0, 102.0, 104.0, 151.0], "n": [1, 8, 2, 1]})
    x, y = curves._outline(bins, 50, 1.1)
    assert list(zip(x.tolist(), y.tolist(), strict=True)) == [
        (100, 0.5), (100, 8), (104, 8), (104, 0.5), (150, 0.5), (150, 1), (151, 1), (151, 0.5)
    ]  # fmt: skip


def test_long_curves_keep_their_ends_and_their_peaks() -> None:
    size = 30_000
    n = np.ones(size, int)
    n[12_345] = 10**9
    bins = pd.DataFrame({"low": np.arange(size) + 1.0, "high": np.arange(size) + 2.0, "n": n})
    x, y = curves._outline(bins, 0.5, 1.02)
    assert len(x) <= curves.LONGEST_CURVE
    assert (x.min(), x.max(), y.max()) == (1, size + 1, np.float32(10**9))
    assert list(y).count(0.5) == 2, "no gap between neighbours"
    assert x.dtype == y.dtype == np.float32


def ccdf_of(samples: dict[str, list[int]]) -> pd.DataFrame:
    """Return exceedance of samples, by brute force."""
    rows = [
        (run, float(value), share, share)
        for run, values in samples.items()
        for value in sorted(set(values))
        for share in [sum(other >= value for other in values) / len(values)]
    ]
    frame = pd.DataFrame(rows, columns=["run", "value", "low", "high"])
    return frame.assign(series="t0", quantity="thread", unit="us")


def test_exceedance_keeps_the_last_observation() -> None:
    samples = {"a": [1] * 900 + [7] * 99 + [300], "b": [5, 5, 9]}
    summary = summary_of({"run": "a", "max": Bounds(300, 300, "ok")}, {"run": "b", "max": Bounds(9, INF, "overflow")})
    figure = ccdf_figure(ccdf_of(samples), summary, runs_of(run=["a", "b"]))
    a, b = (trace for trace in traces(figure, mode="lines") if trace.line.shape == "hv")
    assert step_at(a, 7.5) == pytest.approx(0.1), "100 of 1000 reach 7"
    assert (a.x[-1], a.y[-1]) == pytest.approx((300, 0.001))
    assert 10 ** figure.layout.yaxis.range[0] < 0.001
    assert 10 ** figure.layout.xaxis.range[1] > 300
    ends = {trace.x[0]: trace.marker.symbol for trace in traces(figure, mode="markers")}
    assert ends == {300: "x", 9: "arrow-right-open"}
    assert b.y.dtype == np.float32


def test_an_overflow_is_a_band_down_to_its_one_known_observation() -> None:
    """Of ten observations five lie in the overflow from 4 on, one of them at 90: the share beyond 4 is 0.1 to 0.5."""
    table = pd.DataFrame({"value": [1.0, 4.0, 90.0], "low": [1.0, 0.5, 0.1], "high": [1.0, 0.5, 0.5]})
    table = table.assign(run="a", series="t0", quantity="thread", unit="us")
    figure = ccdf_figure(table, summary_of({"run": "a", "max": Bounds(90, 91, "ok")}), runs_of(run=["a"]))
    upper, band, worst, label = figure.data
    assert label.text[0].strip() == "a"
    assert [step_at(upper, x) for x in (3, 50)] == [1, 0.5]
    assert (band.line.shape, band.fill) == ("vh", "tonexty")
    assert band.y.tolist() == pytest.approx([1, 0.5, 0.1])
    assert (worst.x[0], worst.y[0], worst.marker.symbol) == (90, pytest.approx(0.1), "x")
    assert 10 ** figure.layout.yaxis.range[0] < 0.1


def test_bands_of_many_curves_are_left_out() -> None:
    few = {f"r{place}": [1, 2] for place in range(3)}
    lots = {f"r{place:02}": [1, 2] for place in range(MOST_CURVES + 1)}
    for samples, bands in ((few, 3), (lots, 0)):
        summary = summary_of(*({"run": run, "max": Bounds(2, 2, "ok")} for run in samples))
        figure = ccdf_figure(ccdf_of(samples), summary, runs_of(run=list(samples)))
        assert len(traces(figure, fill="tonexty")) == bands
        lines = [trace for trace in traces(figure, mode="lines") if trace.line.shape == "hv"]
        assert len(lines) == len(samples)


def test_series_of_one_run_are_named_and_look_alike() -> None:
    table = pd.concat([HISTOGRAM, HISTOGRAM.assign(series="t1")])
    figure = histogram_figure(table[table["run"] == "a"], runs_of(run=["a"]))
    curves_ = [trace for trace in figure.data if trace.fill is None]
    assert ["a t0" in curves_[0].hovertemplate, "a t1" in curves_[1].hovertemplate] == [True, True]
    assert curves_[0].line.color == curves_[1].line.color
    assert [trace.showlegend for trace in curves_] == [True, False]


def sizes(spec: Any) -> Iterator[int]:
    """Yield the points of every array in a figure's JSON."""
    if isinstance(spec, dict):
        if "bdata" in spec:
            yield len(base64.b64decode(spec["bdata"])) // int(spec["dtype"][1])
        else:
            for value in spec.values():
                yield from sizes(value)
    elif isinstance(spec, list | tuple):
        for value in spec:
            yield from sizes(value)


def test_a_hundred_long_runs_stay_small() -> None:
    names = [f"run-{place}" for place in range(100)]
    low = np.arange(3_000) + 1.0
    share = 1 - low / 3_001
    tables = [pd.DataFrame({"run": name, "low": low, "high": low + 1, "n": 5, "value": low}) for name in names]
    table = pd.concat(tables, ignore_index=True).assign(series="all", quantity="irq", unit="us")
    shares = table.assign(low=np.tile(share, 100), high=np.tile(share, 100))
    runs = runs_of(run=names, approach=["EVL"] * 100)
    summary = summary_of(*({"run": n, "series": "all", "quantity": "irq", "max": Bounds(9, 9, "ok")} for n in names))
    made = [histogram_figure(table, runs), ccdf_figure(shares, summary, runs)]
    for figure in made:
        spec = figure.to_plotly_json()
        assert max(sizes(spec), default=0) <= curves.LONGEST_CURVE * 20
        assert all(len(trace.x) <= curves.LONGEST_CURVE for trace in figure.data)
    assert sum(len(figure.to_json()) for figure in made) < 900_000


def test_a_figure_of_nothing_says_so() -> None:
    empty = pd.DataFrame(columns=["run", "series", "quantity", "unit", "low", "high", "n", "value"])
    figure = histogram_figure(empty, runs_of(run=["a"]))
    assert "nothing to draw" in figure.layout.annotations[0].text


def test_ticks_stand_on_round_numbers() -> None:
    for low, high in ((0.4, 7), (150, 200), (1, 1e6), (90, 250_000)):
        values, texts = log_ticks(low, high)
        assert 2 <= len(values) <= 12
        assert all(low <= value <= high for value in values)
        assert [float(text.replace(",", "")) for text in texts] == values


def test_panels_are_as_high_as_they_were_asked_to_be() -> None:
    figure, panels = stacked([("one", "us", 100), ("two", "us", 300)])
    plotted = figure.layout.height - figure.layout.margin.t
    heights = [
        (domain[1] - domain[0]) * plotted for domain in (figure.layout.yaxis.domain, figure.layout.yaxis2.domain)
    ]
    assert heights == pytest.approx([100, 300])
    assert len(panels) == 2
