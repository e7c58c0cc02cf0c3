"""Runs whose tails are known: an exponential one in a histogram, and the table of the rtirq article."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from recordings import TRUNCATED, histogram, recording

from rtlat import read, summary
from rtlat.display import tables
from rtlat.protocol import Recording
from rtlat.rows import Rows
from rtlat.tails import examined
from rtlat.tails.examined import Examined

RTIRQ = Path(__file__).resolve().parent.parent / "data" / "seeds" / "rtirq-results.txt"

START, SCALE, N = 20, 10.0, 1_000_000
"""Of the exponential run: P(latency > START + x us) = exp(-x / SCALE)."""


def exponential(n: float = N) -> dict[int, int]:
    """Return what bins of 1 us hold of an exponential distribution, as exactly as whole numbers can."""
    edge = np.arange(200)
    expected = n * (np.exp(-edge / SCALE) - np.exp(-(edge + 1) / SCALE))
    return {START + int(place): round(count) for place, count in zip(edge, expected, strict=True) if round(count)}


def made(counts: dict[str, dict[int, int]], **facts: Any) -> Recording:
    """Return a recording of one run for each name, with a histogram in bins of 1 us and a period of 1 ms."""
    runs = []
    for name, bins in counts.items():
        rows = Rows()
        histogram(rows, bins)
        runs.append((rows, {"run": name, "period": 1e6, **TRUNCATED, **facts}))
    return recording(*runs)


def examine(given: Recording, series: str = "pooled", confidence: float = 95.0) -> list[Examined]:
    """Return the runs of a recording as the notebook examines them."""
    return examined.of(given, tables.chosen(summary(given, ["50"]), given.runs, series), confidence)


@cache
def rtirq() -> list[Examined]:
    """Return the one run of the rtirq article."""
    return examine(read(RTIRQ))


@cache
def rtirq_samples() -> list[float]:
    """Return the article's table as single observations in us, at their labels, in rising order."""
    found = re.findall(r"^(\d+\.\d\d) (\d+) \(", RTIRQ.read_text("utf-8"), re.MULTILINE)
    return [float(label) for label, n in found for _ in range(int(n))]


def share_reaching(samples: Sequence[float], value: float) -> float:
    """Return the share of samples that reach a value."""
    return sum(sample > value - 1e-9 for sample in samples) / len(samples)


def level_of(cycles: float) -> float:
    """Return the latency in us that one cycle in so many of the exponential run exceeds."""
    return START + SCALE * math.log(cycles)
