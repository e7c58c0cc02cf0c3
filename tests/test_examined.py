"""Runs with their tails: what stands together, and in which order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from recordings import TRUNCATED, histogram, one, recording
from tails import examine, made

from rtlat.protocol import Recording
from rtlat.rows import Rows
from rtlat.tails import examined
from rtlat.tails.holdout import Holdout
from rtlat.tails.order import Ordered
from rtlat.tails.tail import RefusedTail, Tail
from rtlat.timeline.course import told


def threads(*periods: float, counts: tuple[int, ...] = (300, 200)) -> Recording:
    """Return a run of threads with these periods in ns."""
    rows = Rows()
    for place, n in enumerate(counts):
        histogram(rows, {5: n}, series=f"t{place}")
    series: list[dict[str, Any]] = [
        {"run": "r0", "series": f"t{place}", "period": period} for place, period in enumerate(periods)
    ]
    return one(rows, series, **TRUNCATED)


def test_the_series_of_a_run_stand_together_and_rates_are_those_of_one_thread() -> None:
    (found,) = examine(threads(1e6, 1.5e6))
    assert (found.name, found.distribution.total) == ("r0", 500)
    assert found.period == pytest.approx((300 * 1e6 + 200 * 1.5e6) / 500)
    assert found.seconds == pytest.approx(0.3), "both ran at the same time"
    each = examine(threads(1e6, 1.5e6), "each")
    assert [(one.name, one.period) for one in each] == [("r0 t0", 1e6), ("r0 t1", 1.5e6)]


def test_an_unknown_period_stays_unknown() -> None:
    (found,) = examine(threads(1e6, math.nan))
    assert math.isnan(found.period)
    assert math.isnan(found.seconds)


def sampled(*series: tuple[float, list[float]]) -> Recording:
    """Return a run whose series have samples in us, numbered from 0, with their period in ns."""
    rows = Rows()
    for place, (_, values) in enumerate(series):
        for seq, value in enumerate(values):
            rows.add(f"t{place}", "thread", "sample", value * 1e3, value * 1e3, n=1, seq=seq)
    own = [{"run": "r0", "series": f"t{place}", "period": period} for place, (period, _) in enumerate(series)]
    return one(rows, own, tool="other", resolution=1.0, rounding="exact")


def together(recording_: Recording) -> Ordered | None:
    """Return the samples of all series in order."""
    return examined.together(list(told(recording_)))


def test_samples_of_several_threads_are_ordered_by_their_times() -> None:
    found = together(sampled((1e6, [1, 2, 3]), (2e6, [10, 20])))
    assert found is not None
    assert (found.low / 1e3).tolist() == [1, 10, 2, 3, 20], "at 0, 0, 1, 2 and 2 ms"
    assert found.position.tolist() == [0, 1, 2, 3, 4]
    assert found.period == pytest.approx(1e6 / 1.5)


def test_order_is_not_made_up() -> None:
    unknown = sampled((math.nan, [1, 2]), (1e6, [3, 4]))
    assert together(unknown) is None
    assert together(made({"r": {5: 100}})) is None
    alone = together(sampled((math.nan, [3, 1, 2])))
    assert alone is not None
    assert alone.low.tolist() == [3e3, 1e3, 2e3], "a single series needs no times"


def ordered_run(values: Any) -> Any:
    """Return the tail of samples in us, in the order given."""
    rows = Rows()
    for seq, value in enumerate(values):
        rows.add("t0", "thread", "sample", round(value * 1e3), round(value * 1e3), n=1, seq=seq)
    (found,) = examine(one(rows, tool="other", period=1e6, resolution=1.0, rounding="exact"))
    return found


def test_bursts_are_found_in_the_order_of_samples_only() -> None:
    """The same values twice: by chance, and with the largest twentieth in groups of twenty."""
    random = np.random.default_rng(8)
    values = random.exponential(10, 40_000) + 20
    found = ordered_run(values)
    assert isinstance(found.tail, Tail)
    assert isinstance(found.holdout, Holdout)
    assert not found.holdout.contradicted
    by_size = np.sort(values)
    clustered = np.empty(40_000)
    places = (np.arange(0, 40_000, 400)[:, None] + np.arange(20)).ravel()
    rest = np.setdiff1d(np.arange(40_000), places)
    clustered[places] = random.permutation(by_size[-2000:])
    clustered[rest] = random.permutation(by_size[:-2000])
    found = ordered_run(clustered)
    assert isinstance(found.tail, RefusedTail)
    assert found.tail.refusal.kind == "bursts"
    assert found.holdout is None


def test_what_has_no_greatest_value_is_left_out() -> None:
    rows, claim = Rows(), Rows()
    rows.add("step", "step", "sample", 5e3, 5e3, n=1, of="part")
    claim.add("all", "thread", "summary", 1e3, 20e3)
    found = recording((rows, {"run": "parts"}), (claim, {"run": "claim", "evidence": "claim"}))
    assert examine(found) == []


def test_runs_are_compared_within_their_quantity() -> None:
    rows, other = Rows(), Rows()
    histogram(rows, {5: 100})
    histogram(other, {7: 10}, quantity="irq")
    found = examine(recording((rows, {"run": "a", **TRUNCATED}), (other, {"run": "b", **TRUNCATED})))
    assert [one.equal.m for one in found if not hasattr(one.equal, "reason")] == [100, 10]
