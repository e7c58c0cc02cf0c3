"""Estimated levels as tables: against the distribution they were made from, and refusals with their reasons."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from recordings import one, recording
from tails import SCALE, START, N, examine, exponential, level_of, made, rtirq

from rtlat.rows import Rows
from rtlat.tails import tail_tables
from rtlat.timeline.course import told


def numbers(text: str) -> list[float]:
    """Return all numbers of a text."""
    return [float(number.replace(",", "")) for number in re.findall(r"-?[\d.,]*\d", text)]


def test_a_fitted_tail_is_the_one_it_was_made_from() -> None:
    (row,) = tail_tables.fitted(examine(made({"r": exponential()}))).to_dict("records")
    threshold = float(row["threshold"])
    reaching = sum(n for edge, n in exponential().items() if edge >= threshold)
    assert row["exceedances"] == reaching
    shape, low, high = numbers(row["shape"].replace("(", " ").replace("to", " "))
    assert low < 0 < high
    assert abs(shape) < 0.05
    assert float(row["scale"]) == pytest.approx(SCALE, rel=0.1)
    assert float(row["p of fit"]) > 0.05


def test_levels_are_numbers_up_to_ten_times_n_and_intervals_up_to_a_hundred() -> None:
    n = sum(exponential(4 * N).values())
    first, second = tail_tables.estimated_levels(examine(made({"r": exponential(4 * N)}))).to_dict("records")
    assert (first["one cycle in"], second["one cycle in"]) == ("10,000,000", "100,000,000")
    assert n < 1e7 < 10 * n < 1e8 < 100 * n
    assert float(first["estimated level"]) == pytest.approx(level_of(1e7), rel=0.06), (
        "whole counts end before the distribution"
    )
    for row, cycles in ((first, 1e7), (second, 1e8)):
        cell = row["95 % interval"]
        assert START < cell.low < level_of(cycles) < cell.high < 2 * level_of(cycles)
    assert second["estimated level"] == "interval only"
    assert first["about every"] == "2.7 h", "1e7 cycles of 1 ms"


def test_a_wider_confidence_makes_a_wider_interval() -> None:
    widths = []
    for confidence in (80.0, 95.0):
        table = tail_tables.estimated_levels(examine(made({"r": exponential()}), confidence=confidence))
        cell = table[f"{confidence:.0f} % interval"].iloc[0]
        widths.append(cell.high - cell.low)
    assert widths[0] < 0.9 * widths[1]


def test_rates_of_an_unknown_period_are_not_made_up() -> None:
    table = tail_tables.estimated_levels(examine(made({"r": exponential()}, period=math.nan)))
    assert set(table["about every"]) == {"period unknown"}


def test_the_article_is_refused_with_the_reason() -> None:
    found = rtirq()
    assert tail_tables.fitted(found).empty
    assert tail_tables.estimated_levels(found).empty
    (row,) = tail_tables.refusals(found).to_dict("records")
    assert row["refused"] == "misfit"
    assert "every threshold is rejected" in row["because"]
    assert "second mode" in row["because"]
    assert row["runs"] == "rtirq high priority"
    (row,) = tail_tables.remedies(found).to_dict("records")
    assert (row["refused"], row["runs"]) == ("misfit", "1 of 1")
    assert "mean excess" in row["what would help"]


def test_equal_reasons_stand_once_and_kinds_are_counted() -> None:
    summaries = []
    for name in ("one", "two", "three"):
        rows = Rows()
        rows.add("all", "thread", "summary", 1e3, 9e3, n=1000 if name != "three" else -1)
        summaries.append((rows, {"run": name}))
    found = examine(recording(*summaries))
    table = tail_tables.refusals(found)
    assert len(table) == len(set(table["because"]))
    assert table.set_index("refused").loc["summary only", "runs"] == "one, two"
    assert set(tail_tables.remedies(found)["runs"]) == {"2 of 3", "1 of 3"}


def test_what_could_not_be_checked_is_said_of_fitted_tails_only() -> None:
    found = [*examine(made({"a": exponential(), "b": exponential()})), *rtirq()]
    (row,) = tail_tables.caveats(found).to_dict("records")
    assert (row["what"], row["runs"]) == ("not checked", "a, b")
    assert "order" in row["found"]


def windowed(maxima: Any) -> list[Any]:
    """Return a run of windows of one second with these maxima in us."""
    rows = Rows()
    for second, greatest in enumerate(maxima):
        rows.add("t0", "thread", "window", 1e3, greatest * 1e3, n=1000, avg=2e3, time=float(second))
    return examine(one(rows, window=1.0, period=1e6, resolution=1.0, rounding="exact"))


def test_maxima_of_windows_are_extrapolated() -> None:
    """Of a Gumbel distribution one block in N exceeds location - scale log(-log(1 - 1 / N))."""
    found = windowed(np.random.default_rng(3).gumbel(50, 5, 300).round(3))
    (row,) = tail_tables.block_levels(found).to_dict("records")
    assert (row["blocks"], row["of"], row["one block in"], row["n"]) == (300, "1 s", "1,000", 300_000)
    true = 50 - 5 * math.log(-math.log1p(-1 / 1000))
    assert row["interval"].low < true < row["interval"].high
    assert float(row["estimated level"]) == pytest.approx(true, rel=0.1)
    assert row["flags"] == "none"
    (refusal,) = tail_tables.refusals(found).to_dict("records")
    assert refusal["refused"] == "windows only"


def test_few_blocks_are_refused_with_the_reason() -> None:
    (row,) = tail_tables.block_levels(windowed([50, 51, 52, 53, 54, 55])).to_dict("records")
    assert row["interval"].text() == "refused"
    assert "6 whole blocks" in row["interval"].reason


def test_samples_are_cut_into_seconds() -> None:
    """Two and a half seconds of 4 ms: the greatest and the number of each."""
    rows = Rows()
    values = np.random.default_rng(1).permutation(625)
    for seq, value in enumerate(values):
        rows.add("t0", "thread", "sample", value * 1e3, value * 1e3, n=1, seq=seq)
    (entry,) = told(one(rows, tool="other", period=4e6, resolution=1.0, rounding="exact"))
    maxima = tail_tables.maxima_of(entry)
    assert maxima is not None
    low, high, n, length = maxima
    parts = [values[:250], values[250:500], values[500:]]
    assert low.tolist() == high.tolist() == [part.max() * 1e3 for part in parts]
    assert (n.tolist(), length) == ([250, 250, 125], 1.0)


def test_a_histogram_tells_of_no_blocks() -> None:
    assert tail_tables.block_levels(rtirq()).empty
