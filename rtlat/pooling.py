"""Several series as one: their counts added, their extremes united."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from rtlat.errors import SelectionError
from rtlat.intervals import Distribution, Interval, Intervals, counted
from rtlat.schema import KINDS


def pool(distributions: Iterable[Distribution], intervals: Intervals | None = None) -> Distribution:
    """Return several series as one: their counts added, equal intervals together, and their extremes united.

    A series whose n is unknown, or that is refused, makes the pool refuse all but the extremes.

    Parameters
    ----------
    distributions : iterable of Distribution
        Of one quantity and unit.
    intervals : Intervals, optional
        Their intervals, where these are counted together already.

    Raises
    ------
    SelectionError
        If there is nothing to pool, or quantities or units differ.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> both = pool([counted([1, 2], series="t0"), counted([7], series="t1")])
    >>> both.total, both.minimum, both.maximum, both.series
    (3, (1.0, 1.0), (7.0, 7.0), 'all')
    """
    parts = list(distributions)
    if not parts:
        raise SelectionError("nothing to pool")
    if len(parts) == 1:
        return parts[0] if intervals is None else replace(parts[0], intervals=intervals)
    for name in ("quantity", "unit"):
        values = sorted({getattr(part, name) for part in parts})
        if len(values) > 1:
            raise SelectionError(f"cannot pool {name} {' and '.join(values)}: choose one")
    bases = {part.n_basis for part in parts}
    if intervals is None:
        stacked = zip(*(part.intervals for part in parts), strict=True)
        intervals = Intervals(*(np.concatenate(columns) for columns in stacked)).together()
    pooled = counted(
        *intervals,
        avg=_average(parts),
        run="+".join(dict.fromkeys(part.run for part in parts)),
        series="all",
        quantity=parts[0].quantity,
        unit=parts[0].unit,
        resolution=max(part.resolution for part in parts),
        kind="+".join(kind for kind in KINDS if kind in {part.kind for part in parts}),
        status=max((part.status for part in parts), key=("ok", "bounds", "partial").index),
        n_basis=bases.pop() if len(bases) == 1 else "stated",
        minimum=(min(part.minimum[0] for part in parts), min(part.minimum[1] for part in parts)),
        maximum=(max(part.maximum[0] for part in parts), max(part.maximum[1] for part in parts)),
        overflow=_added([part.overflow for part in parts]),
        missed=_added([part.missed for part in parts]),
        warnings=tuple(dict.fromkeys(warning for part in parts for warning in part.warnings)),
    )
    for part in parts:
        if part.refusal or part.total is None:
            refusal = f"{part.series} cannot be pooled: {part.refusal or 'its n is unknown'}"
            return replace(pooled, total=None, n_basis="", refusal=refusal)
    return pooled


def _average(parts: Sequence[Distribution]) -> Interval | None:
    """The average of all, weighted by counts; None if one series has none in print."""
    known = [(part.avg, float(part.total)) for part in parts if part.avg and part.total]
    if len(known) < len(parts):
        return None
    total = math.fsum(n for _, n in known)
    low, high = (math.fsum(avg[side] * n for avg, n in known) / total for side in (0, 1))
    return low, high


def _added(numbers: Sequence[int | None]) -> int | None:
    """The sum, None if one is unknown."""
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
