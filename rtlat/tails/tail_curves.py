"""The points of all curves on large latencies as tables: exceedance, growth of the maximum, levels, diagnostics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat.counts import limit_in
from rtlat.errors import SelectionError
from rtlat.intervals import Array, Distribution
from rtlat.selection import divisor, shown_unit
from rtlat.statistics.limits import Curve, exceedance_curve
from rtlat.statistics.maxima import Growth, growth
from rtlat.statistics.ranks import risk
from rtlat.statistics.stats import maximum
from rtlat.tails.examined import Examined
from rtlat.tails.stability import mean_excess, stability
from rtlat.tails.tail import Tail
from rtlat.tails.threshold import MOST

if TYPE_CHECKING:
    import pandas as pd

MOST_FITS = 8
"""Runs of which the tail is shown in panels of their own."""

_NEAR = 10
"""How many times the most exceedances of a threshold that is tried the mean excess is shown for."""

_POINTS = 200
"""Observed exceedances that are drawn at most."""


def exceedance(examined: Sequence[Examined], limit: str = "", confidence: str | float = 95) -> pd.DataFrame:
    """Return the share of cycles that reach each latency, with its interval.

    Returns
    -------
    DataFrame
        quantity, unit, run, name, value [unit]; share low and share high, of the observations; low and high, interval
        of the share of all cycles; n; supported, the share below which n bounds no percentile from both sides; worst,
        the worst observed, and limit, NaN without one [unit]; open, whether the worst lies beyond the last value. Runs
        of which only windows or a summary are known are left out.
    """
    points = (exceedance_of(one.distribution, one.name, _limit(one, limit), confidence) for one in examined)
    names = ("value", "share low", "share high", "low", "high", "n", "supported", "worst", "open", "limit")
    return _joined((part for part in points if part is not None), names)


def exceedance_of(
    d: Distribution, name: str, limit: float = math.nan, confidence: str | float = 95
) -> pd.DataFrame | None:
    """Return the same of one run, with a limit in the shown unit; None if only windows or a summary are known."""
    import pandas as pd

    curve = exceedance_curve(d, confidence) if set(d.kind.split("+")) <= {"sample", "bin"} else None
    if not isinstance(curve, Curve) or not len(curve.value):
        return None
    scale, worst = divisor(d), maximum(d)
    about: dict[str, Any] = {"quantity": d.quantity, "unit": shown_unit(d), "run": d.run, "name": name}
    about |= {
        "value": curve.value / scale,
        "share low": curve.share_low,
        "share high": curve.share_high,
        "low": curve.low,
        "high": curve.high,
        "n": d.total,
        "supported": -math.expm1(math.log(risk(confidence) / 2) / (d.total or 1)),
        "worst": worst.low / scale,
        "open": math.isinf(worst.high) or worst.low > curve.value[-1],
        "limit": limit,
    }
    return pd.DataFrame(about)


def _limit(one: Examined, limit: str) -> float:
    """A limit in the shown unit of a run, NaN if it has none there."""
    try:
        return limit_in(limit, one.distribution) / divisor(one.distribution) if limit else math.nan
    except SelectionError:
        return math.nan


def maxima(examined: Sequence[Examined]) -> pd.DataFrame:
    """Return how the greatest of m cycles grows with m.

    Returns
    -------
    DataFrame
        quantity, unit, run, name, m; expected low, expected high, median low, median high, least and most, between
        which 95 % of all greatest values lie [unit].
    """
    parts = []
    for one in examined:
        grown = growth(one.distribution) if one.counted else None
        if isinstance(grown, Growth):
            m, *values = grown
            names = ("expected low", "expected high", "median low", "median high", "least", "most")
            scaled = {name: value / divisor(one.distribution) for name, value in zip(names, values, strict=True)}
            parts.append(_points(one, {"m": m, **scaled}))
    return _joined(parts, ("m", "expected low", "expected high", "median low", "median high", "least", "most"))


def shown(examined: Sequence[Examined]) -> list[Examined]:
    """Return the runs whose tails are shown in full: those with a fit, then those with rejected ones, by n."""
    tried = [one for one in examined if one.tail.choice is not None and one.tail.choice.candidates]
    first = sorted(tried, key=lambda one: (not isinstance(one.tail, Tail), -(one.distribution.total or 0)))[:MOST_FITS]
    return [one for one in examined if any(one is other for other in first)]


def return_levels(examined: Sequence[Examined]) -> pd.DataFrame:
    """Return levels over the cycles of which one exceeds them, observed and estimated, of the runs `shown`.

    Returns
    -------
    DataFrame
        quantity, unit, run, name, n, tail (estimated, or why not), what (observed, estimated), cycles; value, low and
        high [unit], NaN where there is none: an observed level has no interval, beyond 10 n there is only one.
    """
    parts = []
    for one in shown(examined):
        refused = "" if isinstance(one.tail, Tail) else one.tail.refusal.kind
        about = {"n": one.distribution.total, "refused": refused}
        parts.append(_points(one, about | {"what": "observed"} | _observed(one)))
        if isinstance(one.tail, Tail):
            cycles, *values = one.tail.levels()
            value, low, high = (part / divisor(one.distribution) for part in values)
            scaled = {"value": value, "low": low, "high": high}
            parts.append(_points(one, about | {"what": "estimated", "cycles": cycles} | scaled))
    return _joined(parts, ("n", "refused", "what", "cycles", "value", "low", "high"))


def _observed(one: Examined) -> dict[str, Any]:
    """The levels that were reached above the threshold, or the lowest that was tried."""
    choice = one.tail.choice
    assert choice is not None
    start = (choice.chosen or choice.candidates[0]).threshold
    curve = exceedance_curve(one.distribution)
    assert isinstance(curve, Curve)
    # beyond a histogram's last bin only the worst is known; of levels reached equally often the highest counts
    known = (curve.share_low == curve.share_high) & (np.diff(curve.share_high, append=0) < 0)
    known[-1] = curve.share_low[-1] > 0
    over = known & (curve.value >= start)
    cycles, value = 1 / curve.share_low[over], curve.value[over] / divisor(one.distribution)
    if len(cycles) > _POINTS:
        kept = np.searchsorted(cycles, np.geomspace(cycles[0], cycles[-1], _POINTS)).clip(0, len(cycles) - 1)
        cycles, value = cycles[np.unique(kept)], value[np.unique(kept)]
    return {"cycles": cycles, "value": value, "low": math.nan, "high": math.nan}


def mean_excesses(examined: Sequence[Examined]) -> pd.DataFrame:
    """Return the mean excess over each threshold, of the runs `shown`.

    Returns
    -------
    DataFrame
        quantity, unit, run, name, threshold, exceedances; low, high, interval low and interval high of the mean excess
        [unit]; fitted, what the fit says of it above its threshold; refused (why the tail is, or empty); chosen, the
        threshold of the fit. NaN without a fit.
    """
    names = ("low", "high", "interval low", "interval high", "fitted")
    parts = []
    for one in shown(examined):
        scale, table = divisor(one.distribution), mean_excess(one.distribution)
        excesses = table.low, table.high, table.interval_low, table.interval_high, _fitted(one, table.threshold)
        columns = {"threshold": table.threshold / scale, "exceedances": table.exceedances}
        columns |= {name: column / scale for name, column in zip(names, excesses, strict=True)}
        points = _points(one, columns | _verdict(one))
        parts.append(points[points["exceedances"] <= _NEAR * MOST])
    return _joined(parts, ("threshold", "exceedances", *names, "refused", "chosen"))


def _fitted(one: Examined, threshold: Array) -> Array:
    """The mean excess over each threshold as fitted: a straight line, without a mean for a shape of 1 or more."""
    if not isinstance(one.tail, Tail) or one.tail.fit.shape >= 1:
        return np.full(len(threshold), math.nan)
    fit = one.tail.fit
    line = (fit.scale + fit.shape * (threshold - fit.over.threshold)) / (1 - fit.shape)
    return np.where(threshold >= fit.over.threshold, line, math.nan)


def shapes(examined: Sequence[Examined]) -> pd.DataFrame:
    """Return the shape of the tail above each threshold that was tried, of the runs `shown`.

    Returns
    -------
    DataFrame
        quantity, unit, run, name, refused, threshold, exceedances, scale [unit]; shape with low and high; p of the
        test of fit; rejected; chosen, the threshold of the fit, NaN without one [unit].
    """
    parts = []
    for one in shown(examined):
        assert one.tail.choice is not None
        scale, table = divisor(one.distribution), stability(one.tail.choice)
        columns = {"threshold": table.threshold / scale, "exceedances": table.exceedances, "scale": table.scale / scale}
        columns |= {"shape": table.shape, "low": table.shape_low, "high": table.shape_high}
        parts.append(_points(one, columns | {"p": table.p, "rejected": table.rejected} | _verdict(one)))
    names = ("threshold", "exceedances", "scale", "shape", "low", "high", "p", "rejected", "refused", "chosen")
    return _joined(parts, names)


def _verdict(one: Examined) -> dict[str, Any]:
    """Why a tail is refused, and the threshold that was chosen."""
    if isinstance(one.tail, Tail):
        return {"refused": "", "chosen": one.tail.fit.over.threshold / divisor(one.distribution)}
    return {"refused": one.tail.refusal.kind, "chosen": math.nan}


def _points(one: Examined, columns: dict[str, Any]) -> pd.DataFrame:
    """Points with what they are about in front."""
    import pandas as pd

    quantity, unit = one.group
    about = {"quantity": quantity, "unit": unit, "run": one.distribution.run, "name": one.name}
    return pd.DataFrame(about | columns)


def _joined(parts: Iterable[pd.DataFrame], names: Sequence[str]) -> pd.DataFrame:
    """All points below each other."""
    import pandas as pd

    parts = list(parts)
    return (
        pd.concat(parts, ignore_index=True)
        if parts
        else pd.DataFrame(columns=["quantity", "unit", "run", "name", *names])
    )
