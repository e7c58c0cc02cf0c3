"""The fit of maxima against R's evd and Coles' textbook, scipy and samples of known laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
import textbook
from scipy import stats

from rtlat.intervals import counted
from rtlat.tails.extreme_value import fit_maxima, return_level

INF = math.inf


def test_the_sea_level_at_port_pirie() -> None:
    fit = fit_maxima(counted(textbook.sea_level()).intervals)
    assert (fit.location, fit.scale) == pytest.approx((3.874751, 0.198049), rel=1e-3)
    assert fit.shape == pytest.approx(-0.050117, abs=1e-3)
    assert np.sqrt(np.diag(fit.covariance)) == pytest.approx((0.02793, 0.02025, 0.09826), rel=0.01)
    assert -fit.log_likelihood == pytest.approx(-4.339058, abs=1e-5)
    region = fit.region(corrected=False)
    assert (region.shape.min(), region.shape.max()) == pytest.approx((-0.21813, 0.17040), rel=5e-3)
    for years, estimate, low, high in ((10, 4.296256, 4.20462, 4.44508), (100, 4.688436, 4.49054, 5.26062)):
        parameters = [np.asarray(part) for part in (fit.location, fit.scale, fit.shape)]
        assert float(return_level(*parameters, np.asarray(years))) == pytest.approx(estimate, rel=1e-3)
        levels = return_level(region.location, region.scale, region.shape, np.asarray(years))
        assert (levels.min(), levels.max()) == pytest.approx((low, high), rel=5e-3)


@pytest.mark.parametrize(("bins", "within"), [(0.5, 0.01), (1, 0.02), (2, 0.04), (5, 0.1)])
def test_whole_microseconds_bend_nothing(bins: float, within: float) -> None:
    random = np.random.default_rng(33)
    fits = []
    for _ in range(40):
        values = stats.genextreme.rvs(-0.1, 40, bins, size=600, random_state=random)
        fits.append(fit_maxima(counted(*textbook.cut(values, 1.0)).intervals))
    assert np.mean([fit.location for fit in fits]) == pytest.approx(40, abs=2 * within)
    assert np.mean([fit.scale for fit in fits]) == pytest.approx(bins, abs=within)
    assert np.mean([fit.shape for fit in fits]) == pytest.approx(0.1, abs=0.02)
    if bins == 0.5:  # what densities at the middles make of it: a shape of 0.9
        last = fits[-1].intervals
        middles = fit_maxima(counted((last.low + last.high) / 2, n=last.n).intervals)
        assert not middles.regular or middles.shape > 0.4


@pytest.mark.parametrize("shape", [-0.2, 0.0, 0.3])
def test_samples_as_scipy_fits_them(shape: float) -> None:
    values = stats.genextreme.rvs(-shape, 50, 7, size=300, random_state=np.random.default_rng(1))
    fit = fit_maxima(counted(values).intervals)
    theirs = stats.genextreme.fit(values, -fit.shape, loc=fit.location, scale=fit.scale)
    assert (fit.shape, fit.location, fit.scale) == pytest.approx((-theirs[0], theirs[1], theirs[2]), rel=2e-3, abs=2e-3)
    assert fit.log_likelihood == pytest.approx(stats.genextreme.logpdf(values, *theirs).sum(), abs=1e-3)


def test_maxima_beyond_the_last_bin_are_censored() -> None:
    values = stats.genextreme.rvs(-0.1, 50, 7, size=2_000, random_state=np.random.default_rng(6))
    low, high, n = textbook.cut(np.minimum(values, 75), 1.0)
    fit = fit_maxima(counted(low, np.where(low >= 75, INF, high), n).intervals)
    assert n[-1] > 50
    assert (fit.location, fit.scale) == pytest.approx((50, 7), rel=0.03)
    assert fit.shape == pytest.approx(0.1, abs=0.06)


def test_return_levels_of_a_gumbel_law() -> None:
    blocks = np.array([2.0, 100.0, 1e6])
    expected = 10 - 2 * np.log(-np.log(1 - 1 / blocks))
    assert return_level(np.asarray(10.0), np.asarray(2.0), np.asarray(0.0), blocks) == pytest.approx(expected)
