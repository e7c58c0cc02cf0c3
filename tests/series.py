"""Recordings with something planted in them, and without: what stands out must be found, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from recordings import TRUNCATED, US, one

from rtlat.intervals import Array
from rtlat.protocol import Recording
from rtlat.rows import Rows

Chance = np.random.Generator


def sampled(*series: Array, **facts: object) -> Recording:
    """Return samples in us, every millisecond, of series t0, t1 ..."""
    rows = Rows()
    for place, values in enumerate(series):
        numbers = np.arange(len(values))
        rows.samples(f"t{place}", "thread", np.floor(values).astype(np.int64), numbers + 1, numbers)
    rows.step = US
    return one(rows, **{"period": 1e6, "tool": "cyclictest", **TRUNCATED, **facts})


def overflowed(*series: Array, n: int, **facts: object) -> Recording:
    """Return histograms up to 100 us of n cycles, every millisecond, whose overflow is listed by cycle number."""
    rows = Rows()
    for place, numbers in enumerate(series):
        seq = np.sort(numbers)
        rows.add(f"t{place}", "thread", "bin", 0.0, 100 * US, n=n - len(seq))
        rows.add(f"t{place}", "thread", "bin", 100 * US, math.inf, n=len(seq))
        ends = np.full(len(seq), 100 * US), np.full(len(seq), math.inf)
        rows.extend(f"t{place}", "thread", "bin", *ends, n=1, of="over", seq=seq)
    cpus = [{"run": "r0", "series": f"t{place}", "cpu": place} for place in range(len(series))]
    return one(rows, series=cpus, **{"period": 1e6, "tool": "cyclictest", **facts})


def windowed(greatest: Array, average: Array) -> Recording:
    """Return windows of a second of 1000 samples: minimum 1 us, average and maximum in us."""
    rows = Rows()
    low, high = np.full(len(greatest), US), greatest * US
    rows.extend("all", "thread", "window", low, high, n=1000, avg=average * US, time=np.arange(len(greatest)) * 1.0)
    return one(rows, window=1.0, period=1e6, tool="latency")


def processors(*series: Array) -> Recording:
    """Return histograms in us of series cpu0, cpu1 ..."""
    rows = Rows()
    for place, values in enumerate(series):
        edges, counts = np.unique(np.floor(values), return_counts=True)
        rows.extend(f"cpu{place}", "thread", "bin", edges * US, (edges + 1) * US, n=counts)
    return one(rows, tool="rtla")


def latencies(chance: Chance, n: int) -> Array:
    """Return latencies as independent as they are not."""
    return 10 + chance.gamma(2, 3, n)


NOISE: dict[str, Callable[[Chance], Recording]] = {
    "samples": lambda chance: sampled(*(latencies(chance, 4000) for _ in range(3))),
    "overflows": lambda chance: overflowed(*(chance.choice(10**6, 120, replace=False) for _ in range(4)), n=10**6),
    "windows": lambda chance: windowed(chance.gumbel(40, 8, 900), chance.normal(8, 0.05, 900)),
    "processors": lambda chance: processors(*(chance.gamma(2, 3, 20_000) for _ in range(32))),
}
"""Recordings of all kinds in which there is nothing to find."""
