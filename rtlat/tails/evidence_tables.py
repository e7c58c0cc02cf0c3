"""The evidence on large latencies as tables: worst observed, a limit, percentiles, maxima at equal n."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rtlat.counts import limit_in
from rtlat.display.look import duration, shortened
from rtlat.errors import SelectionError
from rtlat.selection import divisor
from rtlat.statistics.limits import share_interval
from rtlat.statistics.maxima import maximum_of
from rtlat.statistics.rank_intervals import percentile_interval, support_by_nines
from rtlat.statistics.ranks import samples_needed
from rtlat.statistics.results import Bounds, number, refused
from rtlat.tails.examined import Examined
from rtlat.tails.plan import Plan, lasting, plan
from rtlat.tails.refusals import Refusal

if TYPE_CHECKING:
    import pandas as pd

NINES = ("99", "99.9", "99.99", "99.999", "99.9999", "99.99999")
"""Percentiles that a table may have a column for."""


def table_of(examined: Sequence[Examined], columns: Callable[[Examined], dict[str, Any] | None]) -> pd.DataFrame:
    """Return a row for each run; runs without columns are left out."""
    return frame(line(one, row) for one in examined if (row := columns(one)) is not None)


def line(one: Examined, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with what it is about in front."""
    quantity, unit = one.group
    load = shortened(one.load, 24, tail=False)
    about = {"quantity": quantity, "unit": unit, "approach": one.approach, "load": load, "run": one.name}
    return about | {"n": one.distribution.total} | row


def frame(lines: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Return such rows as a frame."""
    import pandas as pd

    table = pd.DataFrame(list(lines))
    return table.astype({"n": "Int64"}) if len(table) else table


def worst_observed(examined: Sequence[Examined], confidence: str | float = 95) -> pd.DataFrame:
    """Return the worst observed of each run with n and duration, and how often it is exceeded at most.

    Returns
    -------
    DataFrame
        quantity, unit, approach, load, run, n, duration; as `rtlat.Bounds` worst observed [unit]; as text the share
        of cycles that exceed it, and how many do in an hour, at most.
    """

    def columns(one: Examined) -> dict[str, Any]:
        d, share, hourly = one.distribution, "unknown", "unknown"
        if d.total:
            most = share_interval(0, d.total, confidence, sides=1)[1]
            share = f"< {_one_in(most, math.floor)}"
            hourly = _rate(most * 3.6e12 / one.period, math.ceil, "< ")
        row = {"duration": shown_duration(one), "worst observed": one.worst}
        return row | {"cycles beyond it": share, "per hour": hourly}

    return table_of(examined, columns)


def shown_duration(one: Examined) -> str:
    """Return how long a run measured; ``about`` marks what n and period say where the log does not."""
    return one.look.basis or (f"about {duration(one.seconds)}" if one.seconds == one.seconds else "unknown")


def _one_in(share: float, toward: Callable[[float], int]) -> str:
    """A share as people say it, cut to the safe side.

    Examples
    --------
    >>> _one_in(4.99276e-5, math.floor), _one_in(0.3, math.floor), _one_in(0.0, math.ceil)
    ('1 in 20,029', '1 in 3.33', '0')
    """
    if not share:
        return "0"
    cycles = 1 / share * (1 - 1e-12 if toward is math.ceil else 1 + 1e-12)
    return f"1 in {toward(cycles):,}" if cycles >= 100 else f"1 in {toward(cycles * 100) / 100:g}"


def _rate(value: float, toward: Callable[[float], int], sign: str = "") -> str:
    """A rate in three digits, cut to the safe side."""
    if math.isnan(value):
        return "period unknown"
    if value == 0:
        return f"{sign}0"
    scale = 10.0 ** (2 - math.floor(math.log10(value)))
    cut = toward(value * scale * (1 - 1e-12 if toward is math.ceil else 1 + 1e-12)) / scale
    return f"{sign}{cut:,.0f}" if cut >= 100 else f"{sign}{cut:.3g}"


def limit_evidence(examined: Sequence[Examined], limit: str, confidence: str | float = 95) -> pd.DataFrame:
    """Return how often each run reached a limit, and what that says of all cycles under the same load.

    Returns
    -------
    DataFrame
        quantity, unit, approach, load, run, n; as `rtlat.Bounds` reached; as text the share of cycles that reach it,
        how many do in an hour, whether the run shows that fewer than one a day do, and how long one without any has
        to be to show it. Nothing without a limit.
    """

    def columns(one: Examined) -> dict[str, Any]:
        planned = plan_of(one, limit, confidence)
        if isinstance(planned, Refusal):
            unknown = dict.fromkeys(("share of cycles", "per hour", "< 1 a day"), "unknown")
            return {"reached": refused(planned.reason)} | unknown
        n, counted = planned.n, planned.counted
        upper = share_interval(int(counted.high), n, confidence, sides=1)[1]
        low, high = (
            share_interval(int(end), n, confidence)[side] for side, end in enumerate((counted.low, counted.high))
        )
        hour = 3.6e12 / one.period
        if counted.high == 0:
            share, hourly = f"< {_one_in(upper, math.floor)}", _rate(upper * hour, math.ceil, "< ")
        else:
            share = f"{_one_in(low, math.ceil)} to {_one_in(high, math.floor)}"
            hourly = " to ".join(dict.fromkeys([_rate(low * hour, math.floor), _rate(high * hour, math.ceil)]))
        return {"reached": counted, "share of cycles": share, "per hour": hourly, "< 1 a day": _daily(planned)}

    return table_of(examined if limit else [], columns)


def plan_of(one: Examined, limit: str, confidence: str | float = 95) -> Plan | Refusal:
    """Return how often a run reached a limit and how long to test, or why that is not known."""
    d = one.distribution
    try:
        stored = limit_in(limit, d)
    except SelectionError as error:
        return Refusal("unit unknown", str(error))
    return plan(d, stored, f"{number(stored / divisor(d))} {one.group[1]}", "day", confidence, one.period)


def _daily(planned: Plan) -> str:
    """Whether less than one exceedance a day is shown, and how long a run without one has to be."""
    if math.isnan(planned.period):
        return "period unknown"
    verdict = {True: "shown", False: "refuted", None: "open"}[planned.shown]
    return f"{verdict} (takes {lasting(planned.needs, up=True)})"


def percentile_intervals(examined: Sequence[Examined], confidence: str | float = 95) -> pd.DataFrame:
    """Return the intervals of high percentiles, exact whatever the distribution.

    Returns
    -------
    DataFrame
        quantity, unit, approach, load, run, n, supports (the highest of the nines that n bounds from both sides), and
        as `rtlat.Bounds` a column for each of the nines that a run here supports, and one more [unit]. Runs whose n
        is unknown have none.
    """
    most = max((one.distribution.total or 0 for one in examined if one.counted), default=0)
    held = sum(_needed(percent, confidence) <= most for percent in NINES)
    percents = NINES[: held + 1]

    def columns(one: Examined) -> dict[str, Any] | None:
        d = one.distribution
        if d.refusal or not d.total:
            return None
        nines = [row.percent for row in support_by_nines(d.total, confidence) if row.supported]
        row: dict[str, Any] = {"supports": f"p{nines[-1]}" if nines else "none"}
        for percent in percents:
            found = percentile_interval(d, percent, confidence)
            row[f"p{percent}"] = Bounds(found.low, found.high, "interval").over(divisor(d))
        return row

    return table_of(examined, columns)


def _needed(percent: str, confidence: str | float) -> int:
    """How many observations bound a percentile from both sides."""
    return samples_needed(percent, confidence) or 0


def nines(examined: Sequence[Examined], confidence: str | float = 95) -> pd.DataFrame:
    """Return how many observations each of the nines takes, and how many of the runs have them."""
    import pandas as pd

    totals = [one.distribution.total or 0 for one in examined]
    rows = [
        {
            "percentile": f"p{row.percent}",
            "n for an upper bound": row.one_sided,
            "n for both": row.two_sided,
            "runs with both": f"{sum(total >= row.two_sided for total in totals)} of {len(totals)}",
        }
        for row in support_by_nines(0, confidence)
    ]
    return pd.DataFrame(rows)


def equal_n(examined: Sequence[Examined]) -> pd.DataFrame:
    """Return the greatest of m cycles drawn from each run, m the n of the shortest run of its quantity.

    Returns
    -------
    DataFrame
        quantity, unit, approach, load, run, n; as `rtlat.Bounds` [unit] worst observed, what a run a tenth as long
        expects, and the mean and the median of the greatest of m; m. Runs whose n is unknown are left out.
    """

    def columns(one: Examined) -> dict[str, Any] | None:
        d, equal = one.distribution, one.equal
        if isinstance(equal, Refusal) or d.total is None:
            return None
        tenth = maximum_of(d, max(1, d.total // 10))
        row = {"worst observed": one.worst, "expected of n/10": tenth.expected.over(divisor(d))}  # type: ignore[union-attr]
        row |= {"m": equal.m, "expected of m": equal.expected.over(divisor(d))}
        return row | {"median of m": equal.median.over(divisor(d))}

    return table_of(examined, columns)
