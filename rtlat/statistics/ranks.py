"""Which observation a percentile is, and how many observations it takes to say something about it.

Percentages are exact fractions: ``0.55 * 100`` in floating point is above 55, so that numpy's ``inverted_cdf``
takes the 56th of 100 observations.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from rtlat.errors import UsageError

DEFAULT_PERCENTILES = ("50", "90", "99", "99.9", "99.99", "99.999")

_PERCENT = re.compile(r"\d{1,3}(\.\d{1,40})?")


def fraction(percent: str | float) -> Fraction:
    """Return a percentage as an exact fraction.

    Parameters
    ----------
    percent : str or float
        Such as ``"99.9"``; a float stands for the shortest decimal number that gives it. [%]

    Raises
    ------
    UsageError
        If it is no decimal number from 0 to 100.

    Examples
    --------
    >>> fraction("99.9"), fraction(50)
    (Fraction(999, 1000), Fraction(1, 2))
    """
    return _fraction(str(percent).strip())


@lru_cache(maxsize=1024)
def _fraction(text: str) -> Fraction:
    """A percentage as a fraction; a summary asks for the same few for every series."""
    if not _PERCENT.fullmatch(text) or Fraction(text) > 100:
        raise UsageError(f"{text[:40]!r} is no percentile: write a number from 0 to 100 such as 99.9")
    return Fraction(text) / 100


def rank(n: int, percent: str | float) -> int:
    """Return which of `n` observations, in rising order from 1, is the percentile.

    Examples
    --------
    >>> rank(100, "55"), rank(60_000, "99.999"), rank(3, 0)
    (55, 60000, 1)
    """
    return ranks(n, (percent,))[0][0]


def ranks(n: int, percents: Sequence[str | float]) -> tuple[list[int], list[bool]]:
    """Return the `rank` of several percentiles of `n` observations, and which of them `supports` holds for.

    Examples
    --------
    >>> ranks(3687, ["99", "99.9"])
    ([3651, 3684], [True, False])
    """
    shares, needed = _asked(tuple(percents))
    return [-(-above * n // below) or 1 for above, below in shares], [n >= enough for enough in needed]


@lru_cache(maxsize=64)
def _asked(percents: tuple[str | float, ...]) -> tuple[list[tuple[int, int]], list[float]]:
    """Percentiles as numerators and denominators, and how many observations each takes; all series are asked alike."""
    shares = [fraction(percent).as_integer_ratio() for percent in percents]
    return shares, [samples_needed(percent) or math.inf for percent in percents]


def samples_needed(percent: str | float, confidence: str | float = 95, sides: int = 2) -> int | None:
    """Return how many observations a percentile takes for both ends of its interval to be observations.

    With fewer, the chance p**n that all lie below the percentile exceeds 2.5 %, so that nothing observed
    bounds it from above (below the median: from below). None for 0 and 100, which no number suffices for.

    Parameters
    ----------
    percent, confidence : str or float
        The percentile, and the confidence of its interval. [%]
    sides : int
        1 where only the upper bound matters (below the median: the lower), which takes fewer.

    Examples
    --------
    >>> samples_needed("99.9"), samples_needed("99.999"), samples_needed(100), samples_needed("99.9", sides=1)
    (3688, 368887, None, 2995)
    """
    return _needed(str(percent).strip(), str(confidence).strip(), sides)


@lru_cache(maxsize=1024)
def _needed(percent: str, confidence: str, sides: int) -> int | None:
    """How many observations a percentile takes."""
    rare = min(_fraction(percent), 1 - _fraction(percent))
    return math.ceil(math.log(_risk(confidence) / sides) / math.log1p(-float(rare))) if rare else None


def risk(confidence: str | float) -> float:
    """Return the chance that an interval misses: 0.05 for 95 %.

    Raises
    ------
    UsageError
        If `confidence` is no decimal number between 0 and 100.

    Examples
    --------
    >>> risk(95), risk("99.9")
    (0.05, 0.001)
    """
    return _risk(str(confidence).strip())


@lru_cache(maxsize=64)
def _risk(text: str) -> float:
    """The chance that an interval of such a confidence misses."""
    missed = 1 - Fraction(text) / 100 if _PERCENT.fullmatch(text) else Fraction(1)
    if not 0 < missed < 1:
        raise UsageError(f"{text[:40]!r} is no confidence: write a number between 0 and 100 such as 95")
    return float(missed)


def supports(n: int, percent: str | float) -> bool:
    """Return whether `n` observations bound a percentile from both sides at 95 % confidence."""
    return ranks(n, (percent,))[1][0]


def default_percentiles(n: int | None) -> tuple[str, ...]:
    """Return the percentiles shown unless others are asked for: with more nines where `n` supports them.

    Examples
    --------
    >>> default_percentiles(4_000_000)[-2:], default_percentiles(None)[-1]
    (('99.999', '99.9999'), '99.999')
    """
    nines = [f"99.{'9' * digits}" for digits in range(4, 18)]
    return DEFAULT_PERCENTILES + tuple(percent for percent in nines if n is not None and supports(n, percent))


def supported_percent(n: int | None) -> str:
    """Return the highest percentile of the series 50, 90, 99, 99.9 ... that `n` supports, empty if none.

    Examples
    --------
    >>> supported_percent(60_000), supported_percent(368_887), supported_percent(3)
    ('99.99', '99.999', '')
    """
    return next((percent for percent in reversed(default_percentiles(n)) if n and supports(n, percent)), "")
