"""An estimated level: what one in so many cycles, or blocks, is estimated to exceed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from rtlat.intervals import Array, Distribution
from rtlat.selection import divisor, shown_unit
from rtlat.statistics.results import number

STANDING = (
    "Measurement is a lower bound: an estimated level speaks of the measured load, if the tail goes on as fitted; "
    "it is no guarantee."
)
"""Stands under every estimated level."""

NUMBER_REACH, INTERVAL_REACH = 10, 100
"""How many times beyond the data a level may lie, as a number and as an interval."""


@dataclass(frozen=True, slots=True)
class Level:
    """An estimated level: a single cycle of `cycles` exceeds it, on average.

    Attributes
    ----------
    cycles : float
        Return period.
    value : float
        Estimate; NaN where the data carry an interval only. [unit of the data]
    low, high : float
        Profile-likelihood interval. [unit]
    confidence : float
        [%]
    """

    cycles: float
    value: float
    low: float
    high: float
    confidence: float

    def over(self, divisor: float) -> Level:
        """Return the level in a unit `divisor` times as large."""
        return replace(self, value=self.value / divisor, low=self.low / divisor, high=self.high / divisor)

    def text(self, unit: str = "") -> str:
        """Return the level as people read it.

        Examples
        --------
        >>> Level(1e6, 87.31, 80.05, 99.6, 95).text("us")
        'estimated level 87.3 us (95 % interval 80.0 to 99.6 us)'
        >>> Level(1e9, math.nan, 80, 160, 95).text("us")
        'estimated level between 80 and 160 us (95 %), too far beyond the data for a number'
        """
        unit = f" {unit}" if unit else ""
        low, high, sure = short(self.low), short(self.high), number(self.confidence)
        if math.isnan(self.value):
            return f"estimated level between {low} and {high}{unit} ({sure} %), too far beyond the data for a number"
        return f"estimated level {short(self.value)}{unit} ({sure} % interval {low} to {high}{unit})"


def short(value: float) -> str:
    """Return a number with three significant digits, whole numbers in full.

    Examples
    --------
    >>> short(87.31), short(0.012345), short(1234.5), short(60_000.0)
    ('87.3', '0.0123', '1234', '60000')
    """
    digits = 2 if value == 0 or not math.isfinite(value) else max(0, 2 - math.floor(math.log10(abs(value))))
    return str(int(value)) if math.isfinite(value) and value == int(value) else f"{value:.{digits}f}"


def shown(d: Distribution, value: float) -> str:
    """Return a latency of a distribution as people read it.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> shown(counted([1]), 87_310.0)
    '87.3 us'
    """
    return f"{short(value / divisor(d))} {shown_unit(d)}"


class Levels(NamedTuple):
    """Estimated levels over return periods, for a figure.

    Attributes
    ----------
    cycles : ndarray
        Return periods.
    value : ndarray
        Estimates, NaN where the data carry an interval only. [unit of the data]
    low, high : ndarray
        Profile-likelihood interval of each by itself. [unit]
    """

    cycles: Array
    value: Array
    low: Array
    high: Array
