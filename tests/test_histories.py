"""Histories of runs: which belong together, in which order, and which kernel was the first bad one."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparison_laws import RUNS_DIFFER
from comparison_laws import run as law
from recordings import histogram, recording

import rtlat
from rtlat.errors import UsageError
from rtlat.history import histories as of
from rtlat.history import history_figures, history_tables
from rtlat.rows import Rows
from rtlat.storing.adding import add

ROOT = Path(__file__).resolve().parent.parent
FACTS = {"machine": "board 3", "approach": "PREEMPT_RT", "load": "idle", "tool": "cyclictest", "duration": 50.0}


def night(level: int, number: int, **facts: Any) -> tuple[Rows, dict[str, Any]]:
    """Return the run of one night: a thousand cycles of which one in a hundred takes about `level` us."""
    rows = Rows()
    histogram(rows, {10: 990, level: 9, level + 2: 1})
    started = datetime.date(2026, 9, 1) + datetime.timedelta(days=number)
    about = {"run": f"n{number:02}", "sha256": f"{number:064x}", "kernel": f"6.12.{number // 4}-rt #1 SMP"}
    return rows, {**FACTS, **about, "started": f"{started} 02:00:00", **facts}


def told(runs: Sequence[tuple[Rows, dict[str, Any]]], **asked: Any) -> list[of.History]:
    """Return the histories of runs."""
    return of.histories(recording(*runs), ["50", "99.9"], **asked)[0]


def levels(chance: int, low: int, high: int, place: int, count: int) -> list[int]:
    """Return levels of runs that scatter by a few us, higher from a place on."""
    rng = np.random.default_rng(chance)
    return [int(rng.integers(0, 6)) + (high if k >= place else low) for k in range(count)]


def regression(place: int = 25, count: int = 40, **facts: Any) -> list[tuple[Rows, dict[str, Any]]]:
    """Return nights that get worse at one of them."""
    return [night(level, k, **facts) for k, level in enumerate(levels(1, 50, 90, place, count))]


def test_the_first_bad_kernel_of_a_planted_regression() -> None:
    (one,) = told(regression())
    ((_, change),) = [found for found in one.found if found[0] == "p99.9"]
    assert change.first <= 25 <= change.last
    sentence = history_tables.kernel_sentence(one, change)
    assert sentence.startswith("Last good kernel: 6.12.")
    assert "6.12.6-rt" in sentence, "the kernel of night 25"
    text = re.sub("<[^>]*>", "", history_tables.answer([one], []))
    assert text.startswith("PREEMPT_RT · idle, thread, is higher from 2026-09-26 02:00 on (n25")
    assert ": median p99.9 5" in text
    row = history_tables.changed([one]).set_index("figure").loc["p99.9"]
    assert row["since"] == "2026-09-26 02:00"
    (kernels,) = [row for row in history_tables.differences([one]).to_dict("records") if row["what"] == "kernel"]
    assert kernels["last good"].split()[0] == one.kernel(change.first - 1)
    assert kernels["first bad"].split()[0] == one.kernel(change.last)
    assert "p99.9" in kernels["figures"]


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (lambda _: "", "The logs do not say which kernels ran."),
        (lambda _: "6.1.0", "The kernel is 6.1.0 before and after: look for what else differs."),
        (lambda k: ("6.1.0", "6.2.0")[k >= 25], "Last good kernel: 6.1.0. First bad kernel: 6.2.0."),
        (
            lambda k: "6.2.0" if k in (3, 4) or k >= 25 else "6.1.0",
            "Last good kernel: 6.1.0. First bad kernel: 6.2.0. But 6.2.0 also ran before the change: the kernel alone "
            "does not explain it.",
        ),
    ],
)
def test_what_the_kernels_tell(kernel: Any, message: str) -> None:
    runs = [(rows, facts | {"kernel": kernel(k)}) for k, (rows, facts) in enumerate(regression())]
    (one,) = told(runs)
    ((_, change),) = [found for found in one.found if found[0] == "p99.9"]
    assert history_tables.kernel_sentence(one, change) == message


def test_a_fall_blames_no_kernel() -> None:
    (one,) = told([night(level, k) for k, level in enumerate(levels(2, 90, 50, 20, 40))])
    assert not any(change.rises for _, change in one.found)
    assert one.found
    assert "kernel" not in history_tables.answer([one], [])
    assert history_tables.differences([one]).empty


def test_runs_stand_by_date_whatever_the_order_of_adding(tmp_path: Path) -> None:
    runs = regression()
    shuffled = np.random.default_rng(4).permutation(len(runs))
    add(recording(*(runs[place] for place in shuffled)), tmp_path / "s.sqlite")
    ((one,), alone) = of.histories(rtlat.read(f"store:{tmp_path / 's.sqlite'}"), ["99.9"])
    assert alone == []
    assert [run["run"] for run in one.line.runs] == [f"n{k:02}" for k in range(40)]
    assert one.line.dated
    assert one.found[0][1].first <= 25 <= one.found[0][1].last


def test_without_dates_runs_stand_in_the_order_of_adding_and_it_is_said(tmp_path: Path) -> None:
    runs = [(rows, {**facts, "run": f"x{99 - k}", "started": ""}) for k, (rows, facts) in enumerate(regression())]
    add(recording(*runs[:15]), tmp_path / "s.sqlite")
    add(recording(*runs[15:]), tmp_path / "s.sqlite")
    ((one,), _) = of.histories(rtlat.read(f"store:{tmp_path / 's.sqlite'}"), ["99.9"])
    assert [run["run"] for run in one.line.runs] == [f"x{99 - k}" for k in range(40)]
    assert not one.line.dated
    assert one.when(3) == "run 4"
    assert "from a store in the order of adding, else by name" in history_tables.answer([one], [])


def test_what_differs_but_for_kernel_and_time_is_another_history() -> None:
    runs = [night(50, k) for k in range(4)]
    runs += [night(50, 10 + k, load="hackbench") for k in range(3)]
    runs += [night(50, 20 + k, machine="board 4") for k in range(2)]
    runs += [night(50, 30, approach="Xenomai"), night(50, 31, evidence="claim")]
    made, alone = of.histories(recording(*runs), ["50"])
    assert [(one.name, len(one.line.runs)) for one in made] == [
        ("board 3 · PREEMPT_RT · idle", 4),
        ("board 3 · PREEMPT_RT · hackbench", 3),
        ("board 4 · PREEMPT_RT · idle", 2),
    ]
    assert alone == ["n30"]
    reasons = history_tables.silence(made)["reason"].tolist()
    assert reasons == [f"{count} runs; changes are looked for in 16 and more" for count in (4, 3, 2)]


def test_worst_observed_values_at_unequal_n_are_not_asked() -> None:
    runs = regression(count=20, place=99)
    histogram(runs[3][0], {5: 200})
    (one,) = told(runs)
    assert one.silent["worst observed"].startswith("n lies between 1,000 and 1,200; a larger n alone")
    assert "p99.9" in one.alpha


def test_a_million_cycles_and_the_level() -> None:
    """Ten of a thousand cycles reach 50 us: 10,000 of a million; without a limit it is the median p99.9."""
    (one,) = told([night(50, k) for k in range(3)], limit="50us")
    assert one.reach == "reach 50 us"
    assert {(result.low, result.high) for result in one.figures[one.reach]} == {(10_000, 10_000)}
    (one,) = told([night(50 + k, k) for k in range(3)])
    assert one.reach == "reach 52 us", "the upper end of the bin in which the median run's p99.9 lies"


def test_half_of_the_chance_of_a_false_alarm_is_for_the_figure_that_decides() -> None:
    runs = regression()
    (one,) = told(runs)
    assert sum(one.alpha.values()) == pytest.approx(0.05)
    assert one.alpha["p99.9"] == pytest.approx(0.025)
    (one,) = told(runs, figure="limit")
    assert one.alpha[one.reach] == pytest.approx(0.025)
    (one,) = told(runs, figure="99")
    assert list(one.alpha) == ["p50", "p99.9", "p99", "worst observed", one.reach]
    with pytest.raises(UsageError, match="'most' is no percentile"):
        told(runs, figure="most")


def test_runs_that_are_alike_change_nothing() -> None:
    """Whole histories of simulated runs, all figures, as the report asks them; and one in which the tail grows."""
    false = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        false += bool(told([simulated(rng, k, 1.0) for k in range(24)])[0].found)
    assert false <= 3, "by chance in less than one of a thousand"
    rng = np.random.default_rng(77)
    (one,) = told([simulated(rng, k, 4.0 if k >= 14 else 1.0) for k in range(30)])
    assert any(name == "p99.9" and change.first <= 14 <= change.last for name, change in one.found)


def simulated(rng: np.random.Generator, number: int, tail: float) -> tuple[Rows, dict[str, Any]]:
    """Return a night of the law by which comparisons are tried, too."""
    d = law(rng, RUNS_DIFFER, tail, 20_000)
    rows = Rows()
    histogram(rows, {int(low / 1000): int(n) for low, n in zip(d.intervals.low, d.intervals.n, strict=True) if n})
    return rows, night(50, number)[1]


def test_the_example_data_make_histories_without_a_choice() -> None:
    made, alone = of.histories(rtlat.read(ROOT / "data" / "emulated-kernels"), ["50", "99", "99.9"])
    assert {one.name.split(" · ")[0] for one in made} == {"PREEMPT_RT", "stock"}
    assert all(len(one.line.runs) >= 5 for one in made)
    assert alone
    table = history_tables.over_time(made)
    log = (ROOT / "data" / "emulated-kernels" / "repeats" / "stock-1-idle.hist").read_text()
    worst = max(int(word) for line in log.splitlines() if line.startswith("# Max Lat") for word in line.split()[3:])
    row = table[table["run"] == "stock-1-idle"].iloc[0]
    assert row["worst observed"].text() == f"{worst}-{worst + 1}"
    assert row["kernel"] == "6.1.0-57-amd64"


def test_each_mark_of_a_figure_is_a_row_of_the_table() -> None:
    made = told(regression())
    figure = history_figures.latency_figure(made)
    marks = [trace for trace in figure.data if trace.mode == "markers" and trace.x[0] is not None]
    table = history_tables.over_time(made)
    assert [len(trace.x) for trace in marks] == [len(table)] * 3
    for trace, name in zip(marks, ("p50", "p99.9", "worst observed"), strict=True):
        assert all(cell.low <= y <= cell.high for cell, y in zip(table[name], trace.y, strict=True))
    shaded = [trace for trace in figure.data if trace.fill == "toself"]
    bracket = made[0].found[0][1]
    days = table["when"].str[:10].tolist()
    assert (shaded[0].x[0][:10], shaded[0].x[2][:10]) == (days[bracket.first - 1], days[bracket.last])


def test_runs_of_which_none_reach_the_level_are_marked_below_the_axis() -> None:
    made = told([night(50 if k % 2 else 20, k) for k in range(4)], limit="50us")
    figure = history_figures.reach_figure(made)
    (marks,) = [trace for trace in figure.data if trace.mode == "markers"]
    assert list(marks.marker.symbol) == ["triangle-down-open", "circle"] * 2
    assert "0 of a million cycles" in marks.hovertext[0]


def test_of_many_histories_those_that_changed_are_drawn() -> None:
    runs = [
        (night(50, k)[0], {**night(50, k)[1], "run": f"{load} {k}", "load": f"load {load:02}"})
        for load in range(14)
        for k in range(2)
    ]
    made = told([*runs, *regression()])
    figure = history_figures.latency_figure(made)
    titles = [note.text for note in figure.layout.annotations]
    assert len(made) == 15
    assert len(titles) == history_figures.MOST_PANELS
    assert titles[0] == "<b>PREEMPT_RT · idle · thread [us]</b>"


def test_nothing_to_draw() -> None:
    assert history_figures.latency_figure([]).layout.annotations[0].text == "These logs hold nothing to draw."
    assert "No figure could be asked" in history_tables.answer([], ["a"])


def test_names_are_escaped() -> None:
    script = "<img src=x onerror=alert(1)>"
    runs = [(rows, {**facts, "load": script, "kernel": script}) for rows, facts in regression()]
    made = told(runs)
    assert "<img" not in history_tables.answer(made, [script])
    for figure in (history_figures.latency_figure(made), history_figures.reach_figure(made)):
        assert "<img" not in figure.to_json().replace("\\u003c", "<").replace("&lt;", "")


def test_runs_of_which_none_tells_a_level_have_a_history_of_what_they_tell() -> None:
    """Such as hwlatdetect's `All samples below threshold`: no n, no percentile, a bound."""
    unknown = Rows()
    unknown.add("all", "hwlat", "bin", -math.inf, 10_000.0)
    told, _ = of.histories(recording(*[(unknown, FACTS)] * 3), ["50"])
    assert [one.reach for one in told] == ["reach a level that none tells"]
    assert {result.status for result in told[0].figures[told[0].reach]} == {"refused"}
    history_figures.reach_figure(told)
    assert len(history_tables.over_time(told)) == 3
