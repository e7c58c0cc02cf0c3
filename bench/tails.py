"""What a fitted tail costs: of many bins against few, and its intervals against a bootstrap of the same fit.

An exponential tail is drawn with a fixed seed into 1e3 to 1e6 bins, all of them above
the threshold, and fitted with its likelihood region; then `rtlat.tails.tail.tail` with everything it does is run on
the same bins as one run. The bootstrap draws the bins anew and fits each draw with the same code.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np

from bench.scoreboard import Effort, Row
from rtlat.intervals import Distribution, counted
from rtlat.tails.excesses import Excesses, excesses
from rtlat.tails.pareto import fit_pareto
from rtlat.tails.tail import tail

GOALS = {10**4: 0.2, 10**6: 1.0}
"""Seconds for so many bins."""

DRAWS = 200


def seconds(what: Callable[[], Any], rounds: int) -> float:
    """Median CPU time: a busy machine changes it less than the wall's."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        what()
        times.append(time.process_time() - start)
    return median(times)


def run(bins: int) -> Distribution:
    """One run whose observations lie in about so many bins."""
    random = np.random.default_rng(1998)
    low, n = np.unique(random.exponential(bins / 4, 10 * bins).astype(np.int64), return_counts=True)
    return counted(low, low + 1, n)


def bootstrapped(over: Excesses) -> float:
    """Width of the interval of the shape from fits to bins drawn anew."""
    random = np.random.default_rng(5)
    shapes = []
    for n in random.multinomial(over.count, over.n / over.count, DRAWS):
        drawn = n > 0
        parts = (over.low[drawn], over.high[drawn], n[drawn])
        shapes.append(fit_pareto(Excesses(over.threshold, *parts, 0, over.count, over.total, over.step)).shape)
    return float(np.ptp(np.quantile(shapes, [0.025, 0.975])))


def rows(effort: Effort) -> Iterator[Row]:
    """Yield what fits of more and more bins cost, and what a bootstrap of one costs."""
    fit_pareto(excesses(run(100).intervals, 0)).region()  # scipy is imported once
    for bins in (10**3, 10**4, 10**5, 10**6)[: 4 if effort.scale >= 1 else 2]:
        d = run(bins)
        over = excesses(d.intervals, 0)
        fitted = seconds(lambda over=over: fit_pareto(over).region(), effort.rounds)
        whole = seconds(lambda d=d: tail(d), effort.rounds)
        goal = GOALS.get(bins, 1.0)
        what = f"a tail of {bins:.0e} bins: fit and region, or threshold, tests and levels / {goal} s"
        detail = f"{fitted:.3f} s, {whole:.3f} s"
        yield Row(f"tail-{bins:.0e}", what, max(fitted, whole) / goal, 1.0 if bins in GOALS else None, detail)
    over = excesses(run(10**3).intervals, 750)
    profile = seconds(lambda: fit_pareto(over).region(), effort.rounds)
    drawn = seconds(lambda: bootstrapped(over), 1)
    what = f"a profile-likelihood region / {DRAWS} fits of a bootstrap"
    yield Row("tail-bootstrap", what, profile / drawn, None, f"{profile:.3f} s / {drawn:.2f} s")
