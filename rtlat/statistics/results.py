"""A result of a statistic: bounds with a status, never a bare number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

STATUSES = {
    "ok": "known to the width of a bin, or exactly",
    "overflow": "beyond the histogram's last bin",
    "underflow": "before the histogram's first bin",
    "max": "the rank is that of the greatest observation",
    "below_resolution": "less than the step of the printed numbers",
    "bounds": "between these ends, from windows, a summary or incomplete rows",
    "partial": "of what survived of a damaged histogram",
    "stated": "printed as such, without the data behind it",
    "interval": "holds what is asked for with the stated confidence",
    "refused": "not known; the reason says why",
}
"""What a result's status says."""

_MARKS = {"max": " (max)", "partial": " (partial)", "stated": " (stated)"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is known of a statistic: it lies between `low` and `high`.

    Attributes
    ----------
    low, high : float
        Ends; -inf and inf where there is none, equal where the value is exact. [unit of the data, or 1]
    status : str
        One of `STATUSES`.
    rank : int or None
        Which observation, in rising order, a percentile is.
    reason : str or None
        Why the statistic is refused.
    supported : bool or None
        Whether n is large enough for a two-sided 95 % interval of this percentile.
    worst : float or None
        The greatest observation in print, where the statistic lies in the overflow below it.

    Examples
    --------
    >>> Bounds(400.0, 1476.0, "overflow", worst=1475.0).text("us")
    '>= 400 us (max 1475)'
    """

    low: float
    high: float
    status: str
    rank: int | None = None
    reason: str | None = None
    supported: bool | None = None
    worst: float | None = None

    def text(self, unit: str = "") -> str:
        """Return the result as people read it, such as ``12``, ``12-13`` or ``>= 400 us (max 1475)``.

        Examples
        --------
        >>> Bounds(12, 13, "ok").text(), Bounds(0, 1, "below_resolution").text("us"), refused("why").text()
        ('12-13', '< 1 us', 'refused')
        >>> Bounds(-math.inf, 2123, "bounds").text("us"), Bounds(-3, -2, "max").text()
        ('<= 2123 us', '-3 to -2 (max)')
        """
        if self.status == "refused":
            return "refused"
        unit = f" {unit}" if unit else ""
        low, high = number(self.low), number(self.high)
        if math.isinf(self.low) and math.isinf(self.high):
            return "unknown"
        if self.status == "below_resolution":
            shown = f"< {high}{unit}"
        elif math.isinf(self.low):
            shown = f"<= {high}{unit}"
        elif math.isinf(self.high) or self.worst is not None:
            shown = f">= {low}{unit}" + (f" (max {number(self.worst)})" if self.worst is not None else "")
        elif low == high:
            shown = f"{low}{unit}"
        else:
            shown = f"{low}{' to ' if self.low < 0 else '-'}{high}{unit}"
        return shown + _MARKS.get(self.status, "")

    def over(self, divisor: float) -> Bounds:
        """Return the result in a unit `divisor` times as large: ns over 1000 are us.

        Examples
        --------
        >>> Bounds(400.0, 5200.0, "ok").over(1000)
        Bounds(low=0.4, high=5.2, status='ok', rank=None, reason=None, supported=None, worst=None)
        """
        worst = None if self.worst is None else self.worst / divisor
        ends = self.low / divisor, self.high / divisor
        return Bounds(*ends, self.status, self.rank, self.reason, self.supported, worst)


def refused(reason: str, supported: bool | None = None) -> Bounds:
    """Return a refusal: a value like any other, so that what follows goes on."""
    return Bounds(-math.inf, math.inf, "refused", reason=reason, supported=supported)


def number(value: float) -> str:
    """Return a number with at most six significant digits, whole numbers in full.

    Examples
    --------
    >>> number(14615056.0), number(0.4), number(0.82410833), number(1234567.8)
    ('14615056', '0.4', '0.824108', '1234568')
    """
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value == int(value):
        return str(int(value))
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"


def plain(value: Any) -> Any:
    """Return a result, a number or a word as JSON can hold it: unknown is None, whole numbers have no point.

    Examples
    --------
    >>> plain(Bounds(400.0, math.inf, "overflow"))
    {'low': 400, 'high': None, 'status': 'overflow'}
    >>> plain(refused("no n is known")), plain(math.nan), plain(0.5)
    ({'low': None, 'high': None, 'status': 'refused', 'reason': 'no n is known'}, None, 0.5)
    """
    if isinstance(value, Bounds):
        entry = {"low": plain(value.low), "high": plain(value.high), "status": value.status}
        return entry | ({"reason": value.reason} if value.reason else {})
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if value is None or str(value) in ("", "nan", "<NA>"):  # the last is pandas' own, which no module here knows
        return None
    if isinstance(value, float):
        return None if math.isinf(value) else int(value) if value == int(value) else float(value)
    return value.item() if hasattr(value, "item") else value
