"""The runs that a question on large latencies is about, each with its tail, fitted once for all tables and figures.

They stand in one order: within a quantity by the greatest of equally many cycles, lowest first, for a longer run has
met more occasions for a bad cycle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rtlat.display.look import Look, looks, stated
from rtlat.intervals import Distribution
from rtlat.pooling import pool
from rtlat.protocol import Recording
from rtlat.selection import divisor, shown_unit
from rtlat.statistics.maxima import Maximum, maximum_of
from rtlat.statistics.results import Bounds
from rtlat.statistics.stats import maximum
from rtlat.tails.holdout import Holdout, holdout
from rtlat.tails.order import Ordered, in_order, ordered
from rtlat.tails.refusals import Refusal
from rtlat.tails.tail import RefusedTail, Tail, tail
from rtlat.timeline.course import Told, told

if TYPE_CHECKING:
    import pandas as pd


class Examined(NamedTuple):
    """A run, or one of its series, and its tail, fitted once for all tables and figures.

    Attributes
    ----------
    name : str
        As in `rtlat.display.tables.chosen`.
    look : Look
        How its run appears.
    approach, load : str
        What was compared.
    distribution : Distribution
        All chosen series together.
    period : float
        Of the cycles of one series, of several their mean, weighted by n: rates are those of one thread. NaN if
        unknown. [ns]
    seconds : float
        How long the run measured; by n and period where the log does not say. NaN if neither is known. [s]
    parts : tuple of Told
        What the log tells of each of these series.
    tail : Tail or RefusedTail
        Beyond what was observed.
    holdout : Holdout or Refusal or None
        The tail of the run's first half held against the rest; None where the order is not known, or no tail fitted.
    equal : Maximum or Refusal
        The greatest of as many cycles as the shortest run of its quantity has.
    """

    name: str
    look: Look
    approach: str
    load: str
    distribution: Distribution
    period: float
    seconds: float
    parts: tuple[Told, ...]
    tail: Tail | RefusedTail
    holdout: Holdout | Refusal | None
    equal: Maximum | Refusal = Refusal("n unknown", "not compared")

    @property
    def group(self) -> tuple[str, str]:
        """Quantity and shown unit."""
        return self.distribution.quantity, shown_unit(self.distribution)

    @property
    def counted(self) -> bool:
        """Whether observations are known one by one, or in bins: what curves are drawn of."""
        kinds = set(self.distribution.kind.split("+"))
        return bool(self.distribution.total) and not self.distribution.refusal and kinds <= {"sample", "bin"}

    @property
    def worst(self) -> Bounds:
        """The worst observed, in the shown unit."""
        return maximum(self.distribution).over(divisor(self.distribution))


def of(recording: Recording, rows: pd.DataFrame, confidence: str | float = 95) -> list[Examined]:
    """Return the chosen runs with their tails.

    Parameters
    ----------
    recording : Recording
        What was read.
    rows : DataFrame
        As `rtlat.display.tables.chosen` gives them; those whose greatest value is not known are left out.
    confidence : str or float
        Of the intervals of estimated levels. [%]
    """
    series: dict[tuple[str, str, str], list[Told]] = {}
    for one in told(recording):
        d = one.distribution
        series.setdefault((d.run, d.quantity, shown_unit(d)), []).append(one)
    look = looks(recording.runs)
    facts = recording.runs.drop_duplicates("run").set_index("run")
    found: dict[tuple[str, str], list[Examined]] = {}
    for row in rows[[cell.status != "refused" for cell in rows["max"]]].to_dict("records"):
        run, every = row["run"], series[row["run"], row["quantity"], row["unit"]]
        # what a tool prints of all series together is no series beside them
        wanted = [one.group.series != "all" if row["pooled"] else one.group.series == row["series"] for one in every]
        parts = [one for one, is_wanted in zip(every, wanted, strict=True) if is_wanted]
        d = pool(one.distribution for one in parts)
        approach, load = (stated(facts.loc[run, what]) or "unknown" for what in ("approach", "load"))
        times = [(one.distribution.total or math.nan) * one.pace.period for one in parts]
        seconds = float(facts.loc[run, "duration"])
        seconds = float(np.max(times)) if math.isnan(seconds) else seconds
        period = math.fsum(times) / (d.total or math.nan) * 1e9
        order = together(parts)
        fitted = tail(d, order, confidence=confidence)
        held = holdout(order, confidence=confidence) if order is not None and isinstance(fitted, Tail) else None
        about = row["name"], look[run], approach, load, d, period, seconds
        examined = Examined(*about, tuple(parts), fitted, held)
        found.setdefault(examined.group, []).append(examined)
    return [one for group in found.values() for one in _at_equal_n(group)]


def together(parts: Sequence[Told]) -> Ordered | None:
    """Return the samples of several series in the order of their times; None where a log does not keep it."""
    orders = [order for one in parts if (order := ordered(one.course)) is not None]
    if len(orders) < len(parts) or len(orders) == 1:
        return orders[0] if len(parts) == 1 and orders else None
    if any(math.isnan(order.period) for order in orders):
        return None
    columns = ((order.low, order.high, order.position * order.period) for order in orders)
    low, high, time = map(np.concatenate, zip(*columns, strict=True))
    by_time = np.argsort(time, kind="stable")
    return in_order(low[by_time], high[by_time], period=1 / math.fsum(1 / order.period for order in orders))


def _at_equal_n(group: Sequence[Examined]) -> list[Examined]:
    """The runs of a quantity with the greatest of equally many cycles, lowest first."""
    totals = [one.distribution.total for one in group if one.distribution.total and not one.distribution.refusal]
    m = min(totals, default=1)
    compared = [one._replace(equal=maximum_of(one.distribution, m)) for one in group]
    return sorted(compared, key=_place)


def _place(one: Examined) -> tuple[bool, float, float]:
    """Where a run stands: those whose n is unknown come last."""
    if isinstance(one.equal, Refusal):
        return True, one.worst.high, one.worst.low
    return False, one.equal.expected.high, one.equal.expected.low
