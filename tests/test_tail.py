"""Estimated levels of known laws, and every refusal with its reason and remedy."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import textbook
from recordings import TRUNCATED, US, one, rtirq_table

from rtlat.distribution import distribution
from rtlat.intervals import Array, Distribution, counted
from rtlat.rows import Rows
from rtlat.tails.levels import STANDING, Level, short
from rtlat.tails.order import in_order
from rtlat.tails.refusals import REMEDIES, Refusal
from rtlat.tails.tail import RefusedTail, Tail, tail

INF = math.inf


def exponential(n: int, scale: float, seed: int = 1) -> Array:
    return np.floor(np.random.default_rng(seed).exponential(scale, n))


def binned(values: Array, **about: object) -> Distribution:
    return counted(*textbook.cut(values, 1.0), **about)


def accepted(d: Distribution) -> Tail:
    found = tail(d)
    assert isinstance(found, Tail), found.text()
    return found


def refused(found: Tail | RefusedTail, kind: str) -> Refusal:
    assert isinstance(found, RefusedTail), found.text()
    assert found.refusal.kind == kind, found.text()
    assert found.refusal.remedy == REMEDIES[kind]
    assert found.text() == f"refused: {found.refusal.reason}; {REMEDIES[kind]}"
    return found.refusal


@pytest.fixture(scope="module")
def known() -> Tail:
    """An exponential run of 200,000 cycles with a mean of 30 us [ns]."""
    values = np.floor(np.random.default_rng(1).exponential(30, 200_000)) * 1000
    low, n = np.unique(values, return_counts=True)
    return accepted(counted(low, low + 1000, n))


@pytest.mark.parametrize("times", [1, 10, 90])
def test_levels_of_an_exponential_law(known: Tail, times: int) -> None:
    cycles = times * 200_000
    found = known.level(cycles)
    assert isinstance(found, Level)
    truth = 30_000 * math.log(cycles)
    assert found.low <= truth <= found.high
    assert found.high / found.low < 1.7
    assert math.isnan(found.value) is (times > 10)


def test_a_level_too_far_beyond_the_data_is_refused(known: Tail) -> None:
    found = known.level(101 * 200_000)
    assert isinstance(found, Refusal)
    assert found.kind == "beyond the data"
    assert "101 times the 200000 measured" in found.reason
    near = known.level(10)
    assert isinstance(near, Refusal)
    assert near.kind == "within the data"


def test_the_curve_is_the_levels(known: Tail) -> None:
    curve = known.levels(20)
    assert curve.cycles[-1] == 100 * 200_000
    assert np.isnan(curve.value[-1])
    for place in (3, 10, -1):
        found = known.level(curve.cycles[place])
        assert isinstance(found, Level)
        assert (curve.low[place], curve.high[place]) == pytest.approx((found.low, found.high))
    assert (np.diff(curve.low) > 0).all()
    assert (np.diff(curve.high) > 0).all()


def test_what_is_said_of_a_tail(known: Tail) -> None:
    text = known.text()
    assert text.endswith(STANDING)
    assert "of 200000 cycles reach" in text
    scale = re.search(r"reach [\d.]+ us; above it scale ([\d.]+) us, shape", text)
    assert scale is not None
    assert float(scale[1]) == pytest.approx(30, rel=0.05)
    assert "not checked: the log keeps no order" in text
    assert "worst case" not in text.lower()
    assert known.shape[1] < 0 < known.shape[2]


def test_the_rtirq_table_is_refused_with_the_reason(seeds: Path) -> None:
    table = rtirq_table(seeds)
    d = counted([label * 100 for label in table], [label * 100 + 100 for label in table], list(table.values()))
    reason = refused(tail(d), "misfit").reason
    assert "every threshold is rejected" in reason
    assert "a second mode between" in reason


@pytest.mark.parametrize(
    ("d", "kind"),
    [
        (exponential(900, 30), "too few"),
        (exponential(10**6, 0.8), "discrete"),
        (np.minimum(exponential(10**5, 30), 150), "overflow"),
        (np.append(exponential(6_000, 20, 2), np.random.default_rng(2).normal(220, 8, 15)), "second mode"),
        (np.sqrt(exponential(10**6, 1e6)), None),
        (np.random.default_rng(3).pareto(0.7, 20_000), "uncertain"),
    ],
    ids=["too few", "discrete", "overflow", "second mode", "Rayleigh", "heavy"],
)
def test_refusals_of_tails(d: Array, kind: str | None) -> None:
    low, high, n = textbook.cut(d * (100 if kind == "uncertain" else 1), 1.0)
    if kind == "overflow":
        high = np.where(low >= 150, INF, high)
    found = tail(counted(low, high, n))
    if kind:
        refused(found, kind)
    else:
        assert isinstance(found, Tail)
        assert found.shape[0] < 0.05, "lighter than exponential"


@pytest.mark.parametrize(
    ("about", "kind"),
    [
        ({"kind": "summary"}, "summary only"),
        ({"kind": "window", "status": "bounds"}, "windows only"),
        ({"kind": "bin", "status": "partial"}, "incomplete"),
        ({"unit": "unknown"}, "unit unknown"),
        ({"total": None}, "n unknown"),
        ({"refusal": "somebody's claim, not a measurement"}, "not counted"),
    ],
)
def test_refusals_of_what_a_log_tells(about: dict[str, object], kind: str) -> None:
    refused(tail(replace(binned(exponential(10_000, 30)), **about)), kind)  # type: ignore[arg-type]


def test_bursts_are_refused_and_drift_too() -> None:
    random = np.random.default_rng(5)
    base = exponential(40_000, 5)
    burst, drifting = base.copy(), base.copy()
    for start in random.integers(0, 39_000, 40):
        burst[start : start + 10] = 60 + exponential(10, 20, int(start))
    drifting[np.sort(random.integers(0, 8_000, 400))] = 60 + exponential(400, 20)
    for values, kind, words in ((burst, "bursts", "extremal index 0.1"), (drifting, "drift", "changes during the run")):
        reason = refused(tail(binned(values), in_order(values, values + 1)), kind).reason
        assert words in reason
        assert isinstance(tail(binned(values)), Tail), "without the order nothing is seen of it"


def test_pairs_are_flagged() -> None:
    values = exponential(80_000, 5)
    for start in np.random.default_rng(1).integers(0, 79_000, 500):
        length = 1 + int(start) % 2
        values[start : start + length] = 60 + exponential(length, 20, int(start))
    found = tail(binned(values), in_order(values, values + 1))
    assert isinstance(found, Tail)
    assert found.order is not None
    assert 0.5 < found.order.extremal_index < 0.9
    assert any("not independent" in flag for flag in found.flags)
    assert "flag: exceedances are not independent" in found.text()
    assert not found.assumptions


def test_a_mode_below_the_chosen_threshold_is_flagged() -> None:
    random = np.random.default_rng(1)
    values = np.concatenate(
        [random.exponential(5, 100_000), random.normal(70, 2, 1_500), 75 + random.exponential(15, 500)]
    )
    found = tail(binned(values))
    assert isinstance(found, Tail), found.text()
    assert found.choice.rejected
    assert any("there is a second mode between" in flag for flag in found.flags)


def test_observations_that_are_only_counted_are_left_out() -> None:
    values = exponential(60_000, 30)
    rows = Rows()
    low, high, n = textbook.cut(values, 1.0)
    for edge, end, count in zip(low, high, n, strict=True):
        rows.add("t0", "thread", "bin", edge * US, end * US, n=int(count))
    rows.add("t0", "thread", "summary", 0, values.max() * US, n=60_003)
    d = distribution(one(rows, **TRUNCATED), "r0", "t0", "thread")
    assert d.status == "bounds"
    found = accepted(d)
    assert found.n == 60_000
    assert "3 observations that are only counted are left out" in found.assumptions


def test_an_overflow_with_a_printed_maximum_is_used() -> None:
    values = exponential(100_000, 30)
    low, high, n = textbook.cut(np.minimum(values, 300), 1.0)
    rows = Rows()
    for edge, end, count in zip(low, high, n, strict=True):
        rows.add("t0", "thread", "bin", edge * US, end * US if edge < 300 else INF, n=int(count))
    rows.add("t0", "thread", "summary", 0, values.max() * US, n=100_000)
    found = accepted(distribution(one(rows, **TRUNCATED), "r0", "t0", "thread"))
    assert found.fit.over.beyond == (values >= 300).sum() > 1
    level = found.level(10**6)
    assert isinstance(level, Level)
    assert level.low <= 30_000 * math.log(1e6) <= level.high


def test_every_refusal_has_a_remedy() -> None:
    with pytest.raises(ValueError, match="did you mean 'too few'"):
        Refusal("to few", "")
    assert all(remedy for remedy in REMEDIES.values())


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1e7, "10000000"), (0.012345, "0.0123"), (87.31, "87.3"), (INF, "inf"), (-3.5, "-3.50")],
)
def test_short_numbers(value: float, text: str) -> None:
    assert short(value) == text


@pytest.mark.parametrize(
    ("largest", "words"), [(4_000, "far beyond what the fit expects"), (None, "the tail may end there"), (300, "")]
)
def test_a_largest_observation_that_is_not_of_the_tail_is_flagged(largest: int | None, words: str) -> None:
    values = exponential(100_000, 25, 3)
    if largest:
        values[values.argmax()] = largest
    else:  # a heavy tail whose largest are missing
        values = np.sort(np.floor(100 * np.random.default_rng(3).pareto(4, 100_000)))[:-8]
    found = tail(binned(values))
    assert isinstance(found, Tail), found.text()
    about = [flag for flag in found.flags if "the largest observation is" in flag]
    assert (words in about[0]) if words else not about
