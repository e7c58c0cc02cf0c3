"""Latency over time: blocks, cells and outliers against brute force; the tables and figures made of them."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from recordings import US, one, recording
from series import latencies, overflowed, processors, sampled, windowed

import rtlat
from rtlat.deadlines import deadline_figures, deadline_tables
from rtlat.deadlines.deadline import Duty
from rtlat.display import jitter_tables
from rtlat.errors import SelectionError, UsageError
from rtlat.protocol import Recording
from rtlat.rows import Rows
from rtlat.timeline import timeline, timeline_figures, timeline_tables
from rtlat.timeline.course import Course, sequence, told

DATA = Path(__file__).resolve().parent.parent / "data" / "emulated-kernels"


def course_of(made: Recording) -> Course:
    """Return the course of the only series."""
    (found,) = told(made)
    assert isinstance(found.course, Course)
    return found.course


def test_blocks_of_samples_by_brute_force() -> None:
    values = np.random.default_rng(1).gamma(2, 3, 1000)
    found = timeline.blocks([sequence(values, 0.001)], ("50", "99"), most=7)
    parts = [[values[k] for k in range(1000) if math.floor(k * 7 / 1000) == block] for block in range(7)]
    assert found.n.tolist() == [len(part) for part in parts]
    assert found.start == pytest.approx(np.arange(7) / 7)
    for name, share in (("50", 0.5), ("99", 0.99)):
        assert found.low[name].tolist() == [sorted(part)[math.ceil(share * len(part)) - 1] for part in parts]
    for name, of in (("max", max), ("min", min)):
        assert found.low[name].tolist() == [of(part) for part in parts]
    assert found.low["avg"] == pytest.approx([sum(part) / len(part) for part in parts])


def test_blocks_of_several_series_hold_the_samples_of_all() -> None:
    chance = np.random.default_rng(2)
    one_, two = chance.gamma(2, 3, 300), chance.gamma(2, 9, 200)
    found = timeline.blocks([sequence(one_, 0.002), sequence(two, 0.003)], most=3)
    assert found.n.sum() == 500
    assert found.low["max"].max() == max(one_.max(), two.max())
    assert found.low["50"][0] == sorted([*one_[:100], *two[:67]])[math.ceil(167 / 2) - 1]


def test_windows_stay_blocks_where_they_are_few() -> None:
    """Windows that last a little longer than they should neither share a block nor leave one empty."""
    rows = Rows()
    values = np.arange(10.0, 39.0)
    times = np.cumsum(np.full(29, 1.014)) - 1.014
    rows.extend("all", "thread", "window", np.full(29, US), values * US, n=1000, avg=values * 100, time=times)
    found = timeline.blocks([course_of(one(rows, window=1.0))])
    assert found.n.tolist() == [1] * 29
    assert found.low["max"].tolist() == (values * US).tolist()
    assert found.low["avg"].tolist() == (values * 100).tolist()
    assert "50" not in found.low, "the median of a window is not known"


def test_many_windows_share_blocks() -> None:
    """Averages by n, the greatest of all, the least of all."""
    rows = Rows()
    n = np.array([1, 3] * 600)
    avg = np.array([10.0, 20.0] * 600)
    rows.extend("all", "thread", "window", avg - 5, avg + 5, n=n, avg=avg, time=np.arange(1200) * 1.0)
    found = timeline.blocks([course_of(one(rows, window=1.0))], most=100)
    assert (found.n == 12).all()
    assert found.low["avg"] == pytest.approx([17.5] * 100)
    assert (found.low["max"] == 25).all()
    assert (found.low["min"] == 5).all()


def test_cells_count_every_sample_once() -> None:
    values = np.random.default_rng(3).gamma(2, 3, 5000)
    edges = np.geomspace(1, 40, 21)
    found = timeline.cells([sequence(values, 0.001)], edges, 50)
    assert found.sum() == 5000
    expected, _, _ = np.histogram2d(np.clip(values, 1, 39.9), np.arange(5000), [edges, np.arange(0, 5001, 100)])
    assert found.tolist() == expected.tolist()


def test_outliers_are_the_greatest_and_few() -> None:
    chance = np.random.default_rng(4)
    values = chance.permutation(2000).astype(float)
    levels = timeline.outliers(sequence(values, 0.001))
    assert [(len(found.times), found.from_value) for found in levels] == [(10, 1990.0), (100, 1900.0)]
    assert levels[0].times.tolist() == [k * 0.001 for k in range(2000) if values[k] >= 1990]
    assert timeline.outliers(sequence(values[:99], 0.001)) == [], "ten of 99 are no outliers"


def test_equal_values_are_all_outliers_or_none() -> None:
    values = np.ones(1000)
    values[::50] = 7.0
    (found,) = timeline.outliers(sequence(values, 0.001))
    assert len(found.times) == 20
    values[3] = 9.0
    assert [len(level.times) for level in timeline.outliers(sequence(values, 0.001))] == [1, 21]


def test_tables_are_in_microseconds_and_seconds() -> None:
    found = timeline_tables.of(sampled(np.tile([5.0, 9.0], 300), np.tile([2.0, 4.0], 300)))
    blocks = timeline_tables.over_time(found)
    assert (blocks["series"] == 2).all()
    assert (blocks["max low"] == 9).all()
    assert (blocks["max high"] == 10).all(), "9 us in print is less than 10"
    assert (blocks["p50 low"] == 4).all()
    assert blocks["n"].sum() == 1200
    assert blocks["time"].iloc[-1] + blocks["length"].iloc[-1] == pytest.approx(0.6)
    cells = timeline_tables.heat(found)
    assert cells["n"].sum() == 1200
    assert cells["low"].min() == pytest.approx(2)


def test_overflows_are_in_the_table_of_outliers_and_in_no_block() -> None:
    found = timeline_tables.of(overflowed(np.array([100, 101, 5000]), n=10_000))
    assert timeline_tables.over_time(found).empty
    outliers = timeline_tables.outliers(found)
    assert outliers["n"].tolist() == [2, 1]
    assert (outliers["end"] == 10.0).all()
    assert (outliers["from"] == 100.0).all()


def test_only_the_chosen_runs_are_told_of() -> None:
    rows = [Rows(), Rows()]
    for each, name in zip(rows, ("irq", "thread"), strict=True):
        each.samples("t0", name, np.arange(5), np.arange(5) + 1, np.arange(5))
    both = recording((rows[0], {"run": "a"}), (rows[1], {"run": "b"}))
    assert [entry.group.run for entry in timeline_tables.of(both, ["b"])] == ["b"]
    assert [entry.group.run for entry in timeline_tables.of(both, quantity="irq")] == ["a"]
    with pytest.raises(SelectionError, match="no run 'bb' here; did you mean 'b'"):
        timeline_tables.of(both, ["bb"])


def test_the_answer_tells_what_was_asked_and_found() -> None:
    values = latencies(np.random.default_rng(5), 30_000)
    values[20_000:] += 2
    stands = timeline_tables.found(timeline_tables.of(sampled(values)))
    text = timeline_tables.answer(stands)
    assert "the average of 150 ms on t0 rises" in text
    assert f"of {stands.asked} questions" in text
    assert stands.table["what"].iloc[0] == "step"
    silent = timeline_tables.found(timeline_tables.of(processors(np.arange(9.0))))
    assert "None of these series tells when" in timeline_tables.answer(silent)
    quiet = timeline_tables.found(timeline_tables.of(sampled(latencies(np.random.default_rng(6), 3000))))
    assert "None of 10 questions" in timeline_tables.answer(quiet)


def test_names_from_a_log_reach_the_page_escaped() -> None:
    values = latencies(np.random.default_rng(5), 3000)
    values[2000:] += 4
    made = sampled(values, run="<b>")
    text = timeline_tables.answer(timeline_tables.found(timeline_tables.of(made)))
    assert "&lt;b&gt;" in text
    assert "<b><b>" not in text


def test_figures_draw_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(7)
    made = sampled(latencies(chance, 2000), latencies(chance, 2000))
    found = timeline_tables.of(made)
    blocks, cells = timeline_tables.over_time(found), timeline_tables.heat(found)
    figure = timeline_figures.over_time_figure(blocks, cells, made.runs)
    (shades,) = [trace for trace in figure.data if trace.type == "heatmap"]
    assert np.nansum(shades.customdata) == 4000
    greatest, middle = (trace for trace in figure.data if trace.type == "scatter")
    assert np.asarray(greatest.y) == pytest.approx(blocks["max low"])
    assert np.asarray(middle.y) == pytest.approx(blocks["p50 low"])
    raster = timeline_figures.outlier_figure(timeline_tables.outliers(found), made.runs)
    assert [np.nansum(row) for row in raster.data[0].z] == [pytest.approx(100, abs=20)] * 2
    rows = timeline_figures.series_figure(timeline_tables.histograms(made, found), made.runs)
    assert rows.layout.yaxis.ticktext == ("r0 t0", "r0 t1")
    monkeypatch.setattr(timeline_figures, "MOST_ROWS", 1)
    rows = timeline_figures.series_figure(timeline_tables.histograms(made, found), made.runs)
    assert rows.layout.yaxis.ticktext == ("r0 t0",)
    assert "the first 1 of 2 series" in rows.layout.annotations[0].text


def test_windows_are_drawn_with_a_band() -> None:
    chance = np.random.default_rng(8)
    made = windowed(chance.gumbel(40, 8, 60), chance.normal(8, 0.05, 60))
    found = timeline_tables.of(made)
    figure = timeline_figures.over_time_figure(timeline_tables.over_time(found), timeline_tables.heat(found), made.runs)
    assert [trace.type for trace in figure.data] == ["scatter"] * 3
    assert [trace.fill for trace in figure.data] == [None, "tonexty", None]


def test_more_than_a_thousand_overflows_are_looked_at_up_to_the_thousandth() -> None:
    """What comes after it was not looked at, so nothing is said of it."""
    chance = np.random.default_rng(9)
    made = overflowed(chance.choice(10**6, 3000, replace=False), n=10**6)
    (found,) = told(made)
    assert isinstance(found.course, Course)
    (level,) = timeline.outliers(found.course)
    assert len(level.times) == 1000
    assert level.times[-1] < level.end < level.times[-1] + 0.002
    assert timeline_tables.found([found]).table.empty


def test_overflows_that_may_be_negative_have_no_least_value() -> None:
    rows = Rows()
    rows.add("t0", "thread", "bin", 0.0, 100 * US, n=999_900)
    rows.add("t0", "thread", "bin", -math.inf, math.inf, n=100)
    ends = np.full(100, math.inf)
    rows.extend("t0", "thread", "bin", -ends, ends, n=1, of="over", seq=np.arange(500_000, 500_100))
    table = timeline_tables.found(timeline_tables.of(one(rows, period=1e6, tool="cyclictest"))).table
    assert table["finding"].str.contains("beyond the histogram", regex=False).any()


@pytest.mark.parametrize("make", ["over_time", "outliers"])
def test_nothing_to_draw_says_so(make: str) -> None:
    found = timeline_tables.of(processors(np.arange(9.0)))
    runs = processors(np.arange(9.0)).runs
    table = getattr(timeline_tables, make)(found)
    assert table.empty
    if make == "over_time":
        figure = timeline_figures.over_time_figure(table, timeline_tables.heat(found), runs)
    else:
        figure = timeline_figures.outlier_figure(table, runs)
    assert "nothing to draw" in figure.layout.annotations[0].text


def test_jitter_tables_hold_every_figure_once_or_say_why_not() -> None:
    made = rtlat.read(DATA / "stock")
    found = timeline_tables.of(made)
    successive = jitter_tables.successive(found, made.runs)
    assert set(successive["run"]) == {"stock-load-samples"}
    assert {"period jitter std", "RFC 3550 mean"} <= set(successive.columns)
    why = jitter_tables.refusals(found)
    assert why["why"].str.contains("needs every sample, in order").any()
    assert why["why"].str.contains("activations that were skipped leave gaps").any()
    deviations = jitter_tables.allan_deviations(found)
    assert set(deviations["of"]) == {"window averages"}
    figure = timeline_figures.allan_figure(deviations, made.runs)
    assert len(figure.data) == 2


def test_deadline_tables_take_the_series_that_misses_most() -> None:
    made = sampled(np.array([10.0] * 99 + [900.0]), np.array([10.0] * 90 + [900.0] * 10), load="x" * 50)
    found = timeline_tables.of(made)
    task = deadline_tables.duty("1ms", "500us", 2)
    table = deadline_tables.in_full(found, made.runs, task)
    (row,) = table.to_dict("records")
    assert (row["run"], row["n"], row["verdict"]) == ("r0 t1", 100, "missed")
    assert (row["recorded"].text(), row["longest run"].text(), row["margin"].text()) == ("10", "10", "-401 to -400")
    assert row["per hour"] == "360 k"
    assert len(row["load"]) == 20
    assert re.sub(r"<[^>]*>", "", deadline_tables.answer(table, task)) == (
        "A task activated every 1 ms, to start within 500 us, 2 misses in a row tolerated: of 1 runs 1 missed. "
        "The least margin is -401 to -400 us (r0 t1)."
    )


def test_latencies_of_all_stand_beside_series_of_another_quantity() -> None:
    """RTAI's preempt: latencies of one task, and of two others how much their periods were off."""
    rows = Rows()
    rows.samples("all", "thread", np.full(10, 20_000), np.arange(10) + 1, np.arange(10))
    rows.add("fast", "period_jitter", "summary", 0.0, 5 * US)
    made = one(rows, tool="rtai preempt")
    (row,) = deadline_tables.in_full(timeline_tables.of(made), made.runs, Duty("t", 1e-3, 1e6)).to_dict("records")
    assert (row["quantity"], row["run"], row["verdict"]) == ("thread", "r0", "met")


def test_presets_at_a_glance() -> None:
    quiet = sampled(np.full(10_000, 12.0))
    (row,) = deadline_tables.at_a_glance(timeline_tables.of(quiet), quiet.runs).to_dict("records")
    assert row["CNC base thread"] == "met (< 43 k/h)"
    assert row["robot, 1 kHz"] == "met (< 1.1 k/h)"
    unknown = sampled(np.full(10_000, 30.0), period=math.nan)
    (row,) = deadline_tables.at_a_glance(timeline_tables.of(unknown), unknown.runs).to_dict("records")
    assert row["CNC base thread"] == "missed (144 M/h, recorded)"
    assert row["audio, 64 frames at 48 kHz"] == "met (< 809/h, recorded)"


def test_runs_of_an_approach_stand_together_by_the_one_that_misses_most() -> None:
    rows = [Rows() for _ in range(3)]
    for each, late in zip(rows, (0, 30, 10), strict=True):
        values = np.append(np.full(1000, 10), np.full(late, 700))
        each.samples("t0", "thread", values * 1000, np.arange(len(values)) + 1, np.arange(len(values)))
    facts = {"approach": "A", "load": "idle", "period": 1e6, "tool": "cyclictest"}
    made = recording(*((each, {**facts, "run": name}) for each, name in zip(rows, "abc", strict=True)))
    found = timeline_tables.of(made)
    assert len(deadline_tables.at_a_glance(found, made.runs)) == 3
    (row,) = deadline_tables.at_a_glance(found, made.runs, each=False).to_dict("records")
    assert row["robot, 1 kHz"] == "missed (105 k/h)"
    assert "run" not in row


def test_noise_and_switches_have_no_deadline() -> None:
    rows = Rows()
    rows.samples("t0", "irq_noise", np.arange(5), np.arange(5) + 1, np.arange(5))
    made = one(rows)
    assert deadline_tables.in_full(timeline_tables.of(made), made.runs, Duty("t", 1e-3, 1e6)).empty


def test_the_curve_of_misses_ends_where_the_data_do(monkeypatch: pytest.MonkeyPatch) -> None:
    made = sampled(np.array([10.0] * 98 + [300.0, 700.0]))
    task = deadline_tables.duty("1ms", "500us")
    curve = deadline_tables.curves(timeline_tables.of(made), task)
    assert curve["limit"].tolist() == [10.0, 300.0, 700.0]
    assert curve["high"].tolist() == pytest.approx([3_600_000, 72_000, 36_000])
    assert not curve["beyond"].any()
    figure = deadline_figures.misses_figure(curve, made.runs, task)
    (dotted,) = [trace for trace in figure.data if trace.type == "scatter" and trace.line.dash == "dot"]
    assert tuple(dotted.x) == (500.0, 500.0)
    ends = [trace.marker.symbol for trace in figure.data if trace.mode == "markers"]
    assert ends == ["x"]
    monkeypatch.setattr(deadline_figures, "MOST_LINES", 0)
    heat, line = deadline_figures.misses_figure(curve, made.runs, task).data
    left = np.asarray(heat.x)[:-1]
    for least, most, hourly in ((0, 10, 3_600_000), (11, 300, 72_000), (301, 700, 36_000)):
        assert np.asarray(heat.customdata)[0][(left > least) & (left <= most)] == pytest.approx(hourly)
    assert (line.x[0], line.y[0], line.y[1]) == (500, -0.5, 0.5)
    over = overflowed(np.array([3, 9]), n=100)
    curve = deadline_tables.curves(timeline_tables.of(over), task)
    assert curve["beyond"].all()
    assert curve["limit"].max() == 100.0


@pytest.mark.parametrize(
    ("period", "limit", "reason"),
    [
        ("1", "5us", "period: '1' has no known unit"),
        ("1ms", "0us", "limit: 0us is not positive"),
        ("1ms", "x", "limit: "),
    ],
)
def test_a_task_that_cannot_be_read_is_one_line(period: str, limit: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        deadline_tables.duty(period, limit)
