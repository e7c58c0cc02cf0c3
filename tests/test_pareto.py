"""The tail fit against textbooks, R's evd, scipy, closed forms and samples of known laws.

The figures of the textbook data are those of R's package evd and of our own independent fit, which agree with S. Coles
(2001), example 4.4.1, and A. J. McNeil (1997).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import textbook
from scipy import stats

from rtlat.intervals import Array, counted
from rtlat.tails.excesses import excesses, gridded, joined
from rtlat.tails.pareto import ParetoFit, fit_pareto, level, log_growth, moments

INF = math.inf


def fitted(values: Array, threshold: float, total: int | None = None) -> ParetoFit:
    above = values[values > threshold]
    return fit_pareto(excesses(counted(above).intervals, threshold, total))


def sample(random: np.random.Generator, count: int, scale: float, shape: float) -> Array:
    return np.asarray(stats.genpareto.rvs(shape, scale=scale, size=count, random_state=random))


@pytest.mark.parametrize(
    ("values", "threshold", "count", "scale", "shape", "errors", "minus_log_likelihood"),
    [
        (textbook.rain(), 30, 152, 7.44110, 0.18452, (0.95875, 0.10123), 485.093722),
        (textbook.fire_losses(), 10, 109, 6.975450, 0.496988, (1.11349, 0.13628), 374.892990),
        (textbook.fire_losses(), 20, 36, 9.635313, 0.684147, (2.8977, 0.27507), 142.184458),
    ],
    ids=["rain", "fire 10", "fire 20"],
)
def test_textbook_tails(
    values: Array,
    threshold: float,
    count: int,
    scale: float,
    shape: float,
    errors: tuple[float, float],
    minus_log_likelihood: float,
) -> None:
    fit = fitted(values, threshold)
    assert fit.over.count == count
    assert fit.scale == pytest.approx(scale, rel=1e-3)
    assert fit.shape == pytest.approx(shape, abs=1e-3)
    assert np.sqrt(np.diag(fit.covariance)) == pytest.approx(errors, rel=0.01)
    assert -fit.log_likelihood == pytest.approx(minus_log_likelihood, abs=1e-5)
    assert fit.regular


def test_covariance_and_profile_of_the_rain() -> None:
    fit = fitted(textbook.rain(), 30, 17_531)
    assert fit.covariance.ravel()[[0, 1, 3]] == pytest.approx([0.91878, -0.06551, 0.01024], rel=0.01)
    hundred_years = 36_500
    estimate = level(30, *(np.asarray(part) for part in (fit.over.rate, fit.scale, fit.shape)), hundred_years)
    assert float(estimate) == pytest.approx(106.328, rel=1e-3)
    region = fit.region(rate_known=True, corrected=False)
    levels = level(30, region.rate, region.scale, region.shape, hundred_years)
    assert (levels.min(), levels.max()) == pytest.approx((80.857, 184.988), rel=5e-3)
    wider = fit.region(corrected=False)
    levels_too = level(30, wider.rate, wider.scale, wider.shape, hundred_years)
    assert levels_too.min() <= levels.min()
    assert levels_too.max() >= levels.max()
    assert np.ptp(levels_too) < 1.01 * np.ptp(levels), "far beyond the threshold the rate hardly matters"


def test_value_at_risk_and_shortfall_of_the_fire_losses() -> None:
    fit = fitted(textbook.fire_losses(), 10, 2_167)
    at_risk = float(level(10, *(np.asarray(part) for part in (fit.over.rate, fit.scale, fit.shape)), 100))
    assert at_risk == pytest.approx(27.28999, rel=1e-4)
    shortfall = at_risk + (fit.scale + fit.shape * (at_risk - 10)) / (1 - fit.shape)
    assert shortfall == pytest.approx(58.24010, rel=1e-4)


@pytest.mark.parametrize(
    ("values", "threshold", "scale", "shape"),
    [
        (np.array([1.0, 2, 2, 5, 9]), 0, 3.8, 0.0),
        (textbook.rain(), 30, 7.29902, 0.19652),
        (textbook.fire_losses(), 10, 6.79586, 0.51740),
    ],
)
def test_probability_weighted_moments(values: Array, threshold: float, scale: float, shape: float) -> None:
    found = moments(excesses(counted(values[values > threshold]).intervals, threshold))
    assert found == pytest.approx((scale, shape), rel=1e-5, abs=5e-6)
    once, n = np.unique(values[values > threshold], return_counts=True)
    assert moments(excesses(counted(once, n=n).intervals, threshold)) == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize(("values", "threshold"), [(textbook.rain(), 30), (textbook.fire_losses(), 10)])
def test_narrow_bins_are_as_good_as_samples(values: Array, threshold: float) -> None:
    exact = fitted(values, threshold)
    binned = fit_pareto(excesses(counted(*textbook.cut(values[values > threshold], 1e-3)).intervals, threshold))
    assert binned.scale == pytest.approx(exact.scale, rel=1e-3)
    assert binned.shape == pytest.approx(exact.shape, abs=1e-3)
    assert binned.log_likelihood - exact.log_likelihood == pytest.approx(exact.over.count * math.log(1e-3), abs=0.1)


@pytest.mark.parametrize(("scale", "shape"), [(3.0, 0.2), (8.0, -0.3), (20.0, 0.0)])
def test_bins_and_overflow_as_scipy_fits_them(scale: float, shape: float) -> None:
    values = sample(np.random.default_rng(3), 400, scale, shape)
    end = np.floor(np.quantile(values, 0.98))
    low, high, n = textbook.cut(np.minimum(values, end), 1.0)
    high = np.where(low >= end, INF, high)
    ours = fit_pareto(excesses(counted(low, high, n).intervals, 0))
    each = np.repeat(np.column_stack([low, high]), n, axis=0)
    theirs = stats.genpareto.fit(stats.CensoredData.interval_censored(each[:, 0], each[:, 1]), floc=0)
    assert ours.shape == pytest.approx(theirs[0], abs=1e-3)
    assert ours.scale == pytest.approx(theirs[2], rel=1e-3)
    assert ours.over.beyond == n[-1] if np.isinf(high[-1]) else True


@pytest.mark.parametrize(("bins", "within"), [(0.5, 0.01), (1, 0.02), (2, 0.03), (5, 0.08), (10, 0.15), (50, 0.75)])
def test_coarse_bins_bend_nothing(bins: float, within: float) -> None:
    random = np.random.default_rng(34)
    fits = []
    for _ in range(30):
        d = counted(*textbook.cut(sample(random, 5_000, bins, 0.1), 1.0))
        fits.append(fit_pareto(excesses(d.intervals, 0)))
    assert np.mean([fit.scale for fit in fits]) == pytest.approx(bins, abs=within)
    assert np.mean([fit.shape for fit in fits]) == pytest.approx(0.1, abs=0.015)
    if bins in (1, 2):  # what taking a bin for its middle makes of it: 1.186 and 2.119, 0.004 and 0.068
        over = fits[-1].over
        middles = fit_pareto(excesses(counted(over.middle, n=over.n).intervals, 0))
        assert middles.shape < fits[-1].shape - 0.02


def test_many_bins_are_joined_without_a_difference() -> None:
    values = sample(np.random.default_rng(8), 300_000, 5_000, 0.1)
    over = excesses(counted(*textbook.cut(values, 1.0)).intervals, 0)
    few = joined(over)
    assert len(over.low) > 20_000
    assert len(few.low) < 1_000
    assert few.n.sum() == over.n.sum()
    assert few.low[-1] == over.low[-1], "the largest stays by itself"
    exact = fit_pareto(excesses(counted(*textbook.cut(values, 20.0)).intervals, 0))
    fit = fit_pareto(over)
    assert fit.scale == pytest.approx(exact.scale, rel=1e-3)
    assert fit.shape == pytest.approx(exact.shape, abs=1e-3)


def test_many_samples_are_joined_without_a_difference() -> None:
    values = sample(np.random.default_rng(9), 20_000, 400, 0.2)
    few = joined(excesses(counted(values).intervals, 0))
    assert len(few.low) < 1_000
    fit = fitted(values, 0)
    theirs = stats.genpareto.fit(values, floc=0)
    assert fit.shape == pytest.approx(theirs[0], abs=1e-3)
    assert fit.scale == pytest.approx(theirs[2], rel=1e-3)


def test_an_exponential_level() -> None:
    cycles = np.array([1e3, 1e6])
    levels = level(50.0, np.asarray(0.01), np.asarray(7.0), np.asarray(0.0), cycles)
    assert levels == pytest.approx(50 + 7 * np.log(0.01 * cycles))
    assert level(50.0, np.asarray(0.01), np.asarray(7.0), np.asarray(1e-7), cycles) == pytest.approx(levels, rel=1e-5)


def test_a_tail_with_an_end_has_no_level_beyond_it() -> None:
    d = counted(*textbook.cut(sample(np.random.default_rng(2), 2_000, 10, -0.4), 0.5))
    fit = fit_pareto(excesses(d.intervals, 0))
    end = fit.scale / -fit.shape
    assert end == pytest.approx(25, rel=0.1)
    assert float(level(0, *(np.asarray(part) for part in (1, fit.scale, fit.shape)), 1e30)) == pytest.approx(end)


@pytest.mark.parametrize("shape", [-0.5, -1e-6, 0.0, 1e-6, 1e-4, 0.7])
def test_the_logarithm_of_growth_is_smooth_around_zero(shape: float) -> None:
    z = np.array([0.0, 1e-3, 0.5, 1.9, INF])
    expected = np.log1p(shape * z[:-1]) / shape if shape else z[:-1]
    assert log_growth(z, np.asarray(shape))[:-1] == pytest.approx(expected, rel=1e-6)
    assert log_growth(z, np.asarray(shape))[-1] == INF


def test_a_threshold_does_not_cut_an_interval() -> None:
    d = counted([0, 10], [10, 20], [90, 10])
    with pytest.raises(ValueError, match="within an interval"):
        excesses(d.intervals, 5)
    with pytest.raises(ValueError, match="nothing reaches it"):
        excesses(d.intervals, 20)


def test_samples_of_a_ticking_clock_are_bins() -> None:
    values = sample(np.random.default_rng(4), 900, 400, 0.1)
    ticks = counted(np.floor(values / 77) * 77).intervals
    exact, naive, fit = (
        fit_pareto(excesses(intervals, 0)) for intervals in (counted(values).intervals, ticks, gridded(ticks))
    )
    assert fit.over.step == 77
    assert fit.shape == pytest.approx(exact.shape, abs=0.02)
    assert naive.shape > exact.shape + 0.1, "densities see a tail that stands on its first value"
    assert (gridded(counted(values).intervals).high == counted(values).intervals.high).all()


def test_two_equal_observations_have_no_regular_fit() -> None:
    fit = fit_pareto(excesses(counted([5.0, 5.0]).intervals, 5.0))
    if not fit.regular:
        with pytest.raises(ValueError, match="not regular"):
            fit.region()
