"""Where the tail begins: the rtirq article's verdict, ForwardStop by its definition, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import textbook
from recordings import rtirq_table
from scipy import stats

from rtlat.errors import UsageError
from rtlat.intervals import Distribution, counted
from rtlat.tails.goodness import goodness_of_fit
from rtlat.tails.stability import mean_excess, stability
from rtlat.tails.threshold import choose, edges, forward_stop

INF = math.inf


@pytest.fixture(scope="module")
def bins(seeds: Path) -> Distribution:
    """The table of the rtirq article, its labels taken as lower edges [0.1 us]."""
    table = rtirq_table(seeds)
    return counted(list(table), [label + 1 for label in table], list(table.values()))


RTIRQ = {
    15: (1464, 0.3686, 0.349),
    20: (554, 0.8212, -0.232),
    24: (420, 0.4815, -0.106),
    26: (313, 0.3638, -0.027),
    28: (191, 0.3045, 0.039),
    30: (112, 0.2165, 0.197),
    31: (79, 0.1763, 0.333),
}
"""Threshold -> exceedances, scale [us], shape, by an independent fit."""


@pytest.mark.parametrize("threshold", RTIRQ)
def test_every_threshold_of_the_rtirq_table_is_rejected(bins: Distribution, threshold: int) -> None:
    (candidate,) = choose(bins, threshold).candidates
    count, scale, shape = RTIRQ[threshold]
    assert candidate.fit.over.count == count
    assert candidate.fit.scale / 10 == pytest.approx(scale, abs=6e-5)
    assert candidate.fit.shape == pytest.approx(shape, abs=6e-4)
    assert candidate.test.p < 0.05
    assert candidate.test == goodness_of_fit(candidate.fit)


def test_the_rtirq_table_is_refused(bins: Distribution) -> None:
    choice = choose(bins)
    assert choice.chosen is None
    assert choice.refusal is not None
    assert choice.refusal.kind == "misfit"
    assert choice.rejected == len(choice.candidates)
    assert all(candidate.test.p < 0.05 for candidate in choice.candidates)
    assert "the shape changes from -0.26 to 0.47" in choice.refusal.reason
    assert "a second mode" in choice.refusal.reason
    table = stability(choice)
    assert table.rejected.all()
    assert (table.shape_low < table.shape).all()
    assert (table.shape < table.shape_high).all()
    assert table.modified_scale == pytest.approx(table.scale - table.shape * table.threshold)


def test_forward_stop_by_its_definition() -> None:
    random = np.random.default_rng(1)
    for _ in range(200):
        ps = random.uniform(0, 1, random.integers(1, 13)) ** random.integers(1, 6)
        accepted = [k for k in range(1, len(ps) + 1) if sum(-math.log(1 - p) for p in ps[:k]) / k <= 0.05]
        assert forward_stop(ps.tolist()) == max(accepted, default=0)


def test_candidates_stand_at_edges_evenly_by_their_exceedances() -> None:
    values = np.random.default_rng(2).exponential(30, 100_000)
    d = counted(*textbook.cut(values, 1.0))
    found = edges(d.intervals, d.total or 0)
    counts = [int((np.floor(values) >= edge).sum()) for edge in found]
    assert 8 <= len(found) <= 12
    assert all(edge == int(edge) for edge in found)
    assert 1500 < counts[0] <= 2000
    assert 50 <= counts[-1] < 70
    ratios = np.array(counts[1:]) / counts[:-1]
    assert (ratios > 0.5).all()


def test_a_threshold_of_samples_stands_between_two() -> None:
    values = np.random.default_rng(2).exponential(30, 2_000)
    for edge in edges(counted(values).intervals, 2_000):
        assert edge not in values
        assert 50 <= (values > edge).sum() <= 100


def test_a_body_below_the_tail_is_left_below_the_threshold() -> None:
    random = np.random.default_rng(4)
    values = np.append(random.uniform(0, 60, 20_000), 60 + random.exponential(8, 500))
    choice = choose(counted(*textbook.cut(values, 1.0)))
    assert choice.chosen is not None
    assert choice.rejected > 0
    assert choice.chosen.threshold == 60
    assert choice.chosen.fit.over.count == 500


def exponential(n: int, scale: float) -> Distribution:
    return counted(*textbook.cut(np.random.default_rng(11).exponential(scale, n), 1.0))


@pytest.mark.parametrize(
    ("d", "kind", "words"),
    [
        (exponential(900, 30), "too few", "900 observations, 1000 are needed"),
        (
            counted([0, 1, 2], [1, 2, 3], [10**6, 10**5, 10**4]),
            "discrete",
            "no edge of a bin has 50 to 2000 exceedances",
        ),
        (
            counted([0, 1, 2], [1, 2, INF], [10**6, 10**5, 10**4]),
            "overflow",
            "10000 of 1110000 observations lie beyond",
        ),
        (exponential(10**6, 0.8), "discrete", "distinct values, 10 are needed"),
        (counted([0, 100, 150], [100, 150, INF], [95_000, 850, 900]), "overflow", "900 of 1750 exceedances"),
    ],
)
def test_what_cannot_be_fitted(d: Distribution, kind: str, words: str) -> None:
    refusal = choose(d).refusal
    assert refusal is not None
    assert refusal.kind == kind
    assert words in refusal.reason


def test_a_scale_below_a_bin_is_refused() -> None:
    edge = np.arange(12.0)
    refusal = choose(counted(edge, edge + 1, [200_000, 1_500, 200, 40, 10, 5, 3, 2, 1, 1, 1, 1]), 1).refusal
    assert refusal is not None
    assert refusal.kind == "discrete"
    assert "one is needed" in refusal.reason


def test_a_threshold_of_ones_own() -> None:
    d = exponential(50_000, 30)
    (candidate,) = choose(d, 100).candidates
    assert candidate.fit.over.count == int(d.intervals.n[d.intervals.low >= 100].sum())
    assert choose(d, 300).refusal is not None
    with pytest.raises(UsageError, match="within an interval"):
        choose(d, 100.5)
    with pytest.raises(UsageError, match="nothing reaches it"):
        choose(d, 10_000)


def test_the_mean_excess_is_the_mean_of_what_exceeds() -> None:
    values = np.random.default_rng(12).exponential(30, 5_000)
    low, high, n = textbook.cut(values, 1.0)
    table = mean_excess(counted(low, high, n))
    for place in (0, len(table.threshold) // 2, -1):
        u = table.threshold[place]
        above = np.repeat(low[low >= u], n[low >= u]) - u
        assert table.exceedances[place] == len(above)
        assert (table.low[place], table.high[place]) == pytest.approx((above.mean(), above.mean() + 1))
        half = 1.96 * above.std() / math.sqrt(len(above))
        assert table.interval_low[place] == pytest.approx(above.mean() + 0.5 - half)
        assert table.interval_high[place] == pytest.approx(above.mean() + 0.5 + half)
        assert table.variation[place] == pytest.approx(above.std() / (above.mean() + 0.5))
    assert table.exceedances.min() >= 5
    wide = table.exceedances > 100
    assert table.variation[wide] == pytest.approx(np.ones(wide.sum()), abs=0.35), "1 for an exponential tail"


def test_the_coefficient_of_variation_tells_the_shape() -> None:
    values = stats.genpareto.rvs(0.2, scale=1e4, size=400_000, random_state=np.random.default_rng(3))
    table = mean_excess(counted(values, n=np.ones(len(values), np.int64)))
    assert table.variation[0] == pytest.approx(1 / math.sqrt(1 - 0.4), rel=0.05)
