"""Changes between runs: found where they were planted, as rare as said among runs that are alike."""

from __future__ import annotations

import math

import numpy as np
import pytest
from comparison_laws import LAWS, RUNS_DIFFER, run
from scipy.stats import binom

from rtlat.history.changes import ALPHA, changes
from rtlat.statistics import stats
from rtlat.statistics.repeats import ENOUGH
from rtlat.statistics.results import Bounds

CYCLES = 20_000


def figures(seed: int, law: str, count: int, planted: int | None = None, tail: float = 1.0) -> dict[str, list[Bounds]]:
    """Return the figures of runs of known law, with a heavier tail from one of them on."""
    rng = np.random.default_rng([seed, count])
    ds = [run(rng, law, tail if planted is not None and k >= planted else 1.0, CYCLES) for k in range(count)]
    level = sorted(stats.percentile(d, "99.9").high for d in ds)[count // 2]
    told = {percent: [stats.percentile(d, percent) for d in ds] for percent in ("50", "99", "99.9")}
    told["max"] = [stats.maximum(d) for d in ds]
    return told | {"reach": [stats.exceedances(d, level).over(CYCLES) for d in ds]}


def bins(values: list[float]) -> list[Bounds]:
    """Return values as bins of one unit."""
    return [Bounds(value, value + 1, "ok") for value in values]


def false_alarms(trials: int, law: str, count: int) -> int:
    """Return in how many histories of runs that are alike any of five figures changes."""
    told = (figures(seed, law, count) for seed in range(trials))
    return sum(any(changes(several, ALPHA / len(one)) for several in one.values()) for one in told)


def planted(trials: int, law: str, count: int, tail: float) -> tuple[int, int]:
    """Return in how many histories a planted change of p99.9 is found, and in how many of these it is bracketed."""
    found = held = 0
    for seed in range(trials):
        place = int(np.random.default_rng(seed).integers(count // 4, 3 * count // 4))
        told = changes(figures(seed, law, count, place, tail)["99.9"], ALPHA / 2)
        rises = [change for change in told if change.rises]
        found += bool(rises)
        held += any(change.first <= place <= change.last for change in rises)
    return found, held


@pytest.mark.parametrize("law", LAWS)
def test_runs_that_are_alike_change_as_rarely_as_said(law: str) -> None:
    assert false_alarms(40, law, 30) <= binom.ppf(0.999, 40, ALPHA)


def test_a_planted_change_is_found_and_bracketed() -> None:
    found, held = planted(40, RUNS_DIFFER, 40, 3.0)
    assert found >= binom.ppf(0.001, 40, 0.8)
    assert held >= binom.ppf(0.001, found, 0.9)


@pytest.mark.slow
@pytest.mark.parametrize("count", [16, 24, 40, 90])
@pytest.mark.parametrize("law", LAWS)
def test_false_alarms_in_full(law: str, count: int) -> None:
    assert false_alarms(500, law, count) <= 0.06 * 500


@pytest.mark.slow
@pytest.mark.parametrize("count", [40, 90])
@pytest.mark.parametrize("law", LAWS)
def test_planted_changes_in_full(law: str, count: int) -> None:
    found, held = planted(300, law, count, 3.0)
    assert found >= 0.8 * 300
    assert held >= 0.9 * found


def test_the_shift_and_the_levels_of_a_clean_step() -> None:
    """Every difference of all pairs by hand: 9 or more, 12 at most."""
    (change,) = changes(bins([20, 21, 20, 22] * 4 + [30, 31, 29] * 4), 0.01)
    before, after = [20, 21, 20, 22] * 4, [30, 31, 29] * 4
    pairs = sorted(late - early for late in after for early in before)
    assert change.shift.observed.low == np.median(pairs)
    assert pairs[0] <= change.shift.low <= np.median(pairs) <= change.shift.high <= pairs[-1]
    assert (change.before, change.after) == ((20.5, 21.5), (30, 31))
    assert (change.place, change.first, change.last, change.start, change.stop) == (16, 16, 16, 0, 28)
    assert change.rises
    assert change.log_p < math.log(0.01)


def test_a_fall_is_none_that_rises() -> None:
    (change,) = changes(bins([30.0] * 12 + [20.0] * 12), 0.01)
    assert not change.rises


def test_a_change_back_is_two() -> None:
    told = changes(bins([20, 21, 22] * 10 + [40, 41, 42] * 10 + [20, 21, 22] * 10), 0.01)
    assert [(change.place, change.rises) for change in told] == [(30, True), (60, False)]


def test_less_than_five_runs_on_a_side_claim_nothing() -> None:
    values = [20.0, 21, 22, 23] * 20
    for late in range(1, ENOUGH):
        assert changes(bins(values + [90.0] * late), 0.5) == []


def test_beyond_the_histogram_only_what_surely_differs_is_a_change() -> None:
    """Levels of 900 us, then an overflow from 1000 us on: surely higher. Two overflows tell nothing of each other."""
    overflow = [Bounds(1000, worst, "overflow", worst=worst) for worst in (5000.0, 9000.0, 2000.0)]
    (change,) = changes(bins([880, 890, 900] * 5) + overflow * 5, 0.05)
    assert change.place == 15
    assert change.shift.low >= 100 - 20
    higher = [Bounds(1000, worst, "overflow", worst=worst) for worst in (50_000.0, 90_000.0, 20_000.0)]
    assert changes(overflow * 5 + higher * 5, 0.05) == []


def test_what_the_low_end_alone_would_show_is_none() -> None:
    wide = [Bounds(low, 100.0, "bounds") for low in [20.0] * 15 + [40.0] * 15]
    assert changes(wide, 0.05) == []
    assert changes([Bounds(-math.inf, 5, "bounds")] * 30, 0.05) == []


@pytest.mark.parametrize("count", [0, 1, 5, 15])
def test_few_runs_tell_nothing(count: int) -> None:
    assert changes(bins([20.0] * count), 0.05) == []
    assert changes(bins([float(k > count // 2) * 50 for k in range(count)]), 0.05) == []
