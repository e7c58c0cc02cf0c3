"""Series of one quantity on one list of their intervals, so that to pool any of them is to add counts.

A hundred runs of 64 threads share a few hundred bins: sorting them anew for each selection would take longer than
a person waits.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from rtlat.intervals import Distribution, Intervals
from rtlat.pooling import pool


class Pools:
    """Distributions of one quantity and unit.

    Parameters
    ----------
    distributions : sequence of Distribution
        At least one.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> pools = Pools([counted([1, 2, 2]), counted([2, 9]), counted([5])])
    >>> both = pools.pool([0, 1])
    >>> both.total, both.intervals.low.tolist(), both.intervals.n.tolist()
    (5, [1.0, 2.0, 9.0], [1, 3, 1])
    """

    def __init__(self, distributions: Sequence[Distribution]) -> None:
        self.distributions = list(distributions)
        parts = [d.intervals for d in self.distributions]
        stacked = Intervals(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
        low, high, self._n, closed, beyond = stacked
        order = np.lexsort((beyond, closed, high, low))
        columns = [column[order] for column in (low, high, closed, beyond)]
        new = np.ones(len(low), bool)
        new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
        self._distinct = stacked.where(order[new])
        self._which = np.empty(len(low), np.int64)
        self._which[order] = np.cumsum(new) - 1
        ends = np.cumsum([0, *(len(part.low) for part in parts)]).tolist()
        self._rows = [slice(start, end) for start, end in itertools.pairwise(ends)]

    def pool(self, places: Sequence[int]) -> Distribution:
        """Return the distributions at these places as one, equal intervals counted together, lowest first."""
        n = np.zeros(len(self._distinct.n), np.int64)
        rows = [self._rows[place] for place in places]
        np.add.at(n, np.concatenate([self._which[row] for row in rows]), np.concatenate([self._n[row] for row in rows]))
        counted = self._distinct._replace(n=n).where(n > 0)
        return pool([self.distributions[place] for place in places], counted)
