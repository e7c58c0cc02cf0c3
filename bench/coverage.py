"""How often intervals hold what they say, tails are refused wrongly, and what should be refused is: with known truth.

Run as ``python -m bench.coverage > bench/coverage.md``; some minutes on two processors, progress on stderr.
`tests/test_coverage.py` holds the same claims: a few replicates each in CI, all of them with ``pytest -m slow``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.trials import Case, Claim, Outcome, Random, case, report
from rtlat.intervals import Array, Distribution, counted
from rtlat.statistics.rank_intervals import percentile_interval
from rtlat.tails.blocks import BlockTail, block_tail
from rtlat.tails.extreme_value import return_level
from rtlat.tails.order import in_order
from rtlat.tails.pareto import level
from rtlat.tails.tail import RefusedTail, Tail, tail

ANSWERED, CAUGHT = "is answered", "is refused or flagged"
SHAPE, AT_N, AT_10N, AT_100N = "shape", "level at n", "level at 10 n", "level at 100 n"

COVERS, FAR, EXACT, ANSWERS, CATCHES = (0.93, 0.97), (0.90, 1.0), (0.93, 1.0), (0.90, 1.0), (0.90, 1.0)
"""Between what the share of replicates is to lie."""

HUNDREDS_OF_US = 20.0

INTRODUCTION = """Made by `python -m bench.coverage > bench/coverage.md`. The standard error of a share of 0.95 in 1000
replicates is 0.007, of 0.9 in 300 it is 0.017; a row contradicts its claim where so few, or so many, would happen in
less than one of 1000 such tables. Rows without a claim show what the method cannot do, or only in part: laws that reach
their limit slowly, modes that do not stand apart, slow drift.
"""


def binned(values: Array) -> Distribution:
    """Values as a tool prints them that cuts to whole bins."""
    low, n = np.unique(np.floor(values), return_counts=True)
    return counted(low, low + 1, n)


def pareto(random: Random, count: int, scale: float, shape: float) -> Array:
    """Excesses."""
    exponential = random.standard_exponential(count)
    return scale * (np.expm1(shape * exponential) / shape if shape else exponential)


def body(random: Random, count: int, threshold: float, scale: float) -> Array:
    """What lies below a threshold: a density that goes on smoothly there."""
    return threshold - random.exponential(4 * scale, count)


def of_tail(found: Tail | RefusedTail, truth: Callable[[float], float], shape: float | None) -> Outcome:
    """Whether the intervals of a tail hold the truth."""
    if isinstance(found, RefusedTail):
        return {ANSWERED: False}
    outcome = {ANSWERED: True}
    if shape is not None:
        outcome[SHAPE] = found.shape[1] <= shape <= found.shape[2]
    for what, times in ((AT_N, 1), (AT_10N, 10), (AT_100N, 100)):
        asked = found.level(times * found.n)
        outcome[what] = asked.low <= truth(times * found.n) <= asked.high
    return outcome


def true_tail(random: Random, exceedances: int, scale: float, shape: float) -> Outcome:
    """A generalised Pareto tail twice as long as the highest twentieth, in order and independent."""
    n, threshold, rate = 20 * exceedances, 12 * scale, 0.1
    above = random.binomial(n, rate)
    values = np.concatenate(
        [body(random, n - above, threshold, scale), threshold + pareto(random, above, scale, shape)]
    )
    random.shuffle(values)
    found = tail(binned(values), in_order(np.floor(values), np.floor(values) + 1))
    whole = [np.asarray(part) for part in (rate, scale, shape)]
    return of_tail(found, lambda cycles: float(level(threshold, *whole, cycles)), shape)


def attracted(random: Random, law: str, n: int) -> Outcome:
    """A law whose tail only becomes generalised Pareto in the limit."""
    from scipy import stats

    laws: dict[str, Any] = {
        "exponential": stats.expon(scale=20),
        "gamma": stats.gamma(4, scale=20),
        "log-normal": stats.lognorm(0.5, scale=80),
        "normal": stats.norm(200, 60),
        "Student, 4 degrees": stats.t(4, loc=200, scale=40),
    }
    values = laws[law].rvs(n, random_state=random)
    return of_tail(tail(binned(values)), lambda cycles: float(laws[law].isf(1 / cycles)), None)


def second_mode(random: Random, exceedances: int, shape: float, at: float, width: float) -> Outcome:
    """One in twenty of the exceedances is of another mode: at so many scales above the threshold, so wide."""
    scale = HUNDREDS_OF_US
    other = exceedances // 20
    threshold = 12 * scale
    values = [
        body(random, 19 * exceedances, threshold, scale),
        threshold + pareto(random, exceedances - other, scale, shape),
        threshold + np.abs(scale * random.normal(at, width, other)),
    ]
    return caught(tail(binned(np.concatenate(values))))


def bursts(random: Random, exceedances: int, mean: float, apart: int) -> Outcome:
    """Exceedances in bursts of geometric length, one in so many cycles within a burst."""
    n, scale = 20 * exceedances, HUNDREDS_OF_US
    values = body(random, n, 12 * scale, scale)
    starts = random.integers(0, n, round(exceedances / mean))
    for start, length in zip(starts, random.geometric(1 / mean, len(starts)), strict=True):
        within = values[start : start + apart * length : apart]
        within[:] = 12 * scale + pareto(random, len(within), scale, 0.1)
    return caught(tail(binned(values), in_order(np.floor(values), np.floor(values) + 1)))


def drifting(random: Random, exceedances: int, ratio: float, step: bool) -> Outcome:
    """The rate of exceedances rises by a factor, at once or evenly."""
    n, scale = 20 * exceedances, HUNDREDS_OF_US
    rate = np.where(np.arange(n) < n / 2, 1, ratio) if step else np.linspace(1, ratio, n)
    above = random.random(n) < rate / rate.mean() * exceedances / n
    values = body(random, n, 12 * scale, scale)
    values[above] = 12 * scale + pareto(random, int(above.sum()), scale, 0.1)
    return caught(tail(binned(values), in_order(np.floor(values), np.floor(values) + 1)))


def caught(found: Tail | RefusedTail) -> Outcome:
    """Whether a tail is refused, or flagged for what was found in it."""
    return {CAUGHT: isinstance(found, RefusedTail) or bool(found.flags)}


def true_maxima(random: Random, blocks: int, scale: float, shape: float) -> Outcome:
    """Generalised extreme value maxima, cut to whole bins."""
    z = -np.log(random.standard_exponential(blocks))
    values = np.floor(40 * scale + scale * (np.expm1(shape * z) / shape if shape else z))
    found = block_tail(values, values + 1)
    if not isinstance(found, BlockTail):
        return {ANSWERED: False}
    parameters = [np.asarray(part) for part in (40 * scale, scale, shape)]
    asked, truth = found.level(10 * blocks), float(return_level(*parameters, np.asarray(10 * blocks)))
    covers = {SHAPE: found.shape[1] <= shape <= found.shape[2], AT_10N: asked.low <= truth <= asked.high}
    return {ANSWERED: True} | covers


def percentile(random: Random, percent: str, n: int, cut: bool) -> Outcome:
    """A percentile of a gamma law, of samples or of whole bins."""
    from scipy.special import gammaincinv

    values = random.gamma(4, 5, n)
    truth = 5 * float(gammaincinv(4, float(percent) / 100))
    found = percentile_interval(binned(values) if cut else counted(values), percent)
    return {"interval": found.low <= truth <= found.high}


def cases() -> Iterator[Case]:
    """All cases."""
    levels = (Claim(ANSWERED, *ANSWERS), Claim(SHAPE, *COVERS), Claim(AT_N, *COVERS), Claim(AT_10N, *COVERS))
    for exceedances, scale in ((300, 5), (300, 20), (1000, 5)):
        for shape in (-0.2, 0.1, 0.3):
            title = f"Pareto tail, {exceedances} exceedances, scale {scale} bins, shape {shape:g}"
            yield case(title, true_tail, (exceedances, scale, shape), 1000, *levels, Claim(AT_100N, *FAR))
    yield case("Pareto tail, 100 exceedances, scale 20 bins, shape 0.1", true_tail, (100, 20, 0.1), 1000, *levels)
    reported = tuple(Claim(what) for what in (ANSWERED, AT_N, AT_10N, AT_100N))
    for law in ("exponential", "gamma", "log-normal", "normal", "Student, 4 degrees"):
        yield case(f"{law} law, 6000 observations", attracted, (law, 6000), 300, *reported)
    for blocks, scale, shape in ((100, 5, -0.2), (100, 5, 0.1), (100, 5, 0.3), (600, 0.5, 0.1), (600, 5, 0.1)):
        title = f"maxima of {blocks} blocks, scale {scale:g} bins, shape {shape:g}"
        claims = (Claim(ANSWERED, *ANSWERS), Claim(SHAPE, *COVERS), Claim(AT_10N, *COVERS))
        yield case(title, true_maxima, (blocks, scale, shape), 1000, *claims)
    title = "maxima of 50 blocks, scale 5 bins, shape 0.1"
    yield case(title, true_maxima, (50, 5, 0.1), 600, *(Claim(what) for what in (ANSWERED, SHAPE, AT_10N)))
    for percent in ("50", "99.9"):
        for cut in (False, True):
            title = f"percentile {percent} of 20000 {'in bins' if cut else 'samples'}"
            yield case(title, percentile, (percent, 20_000, cut), 2000, Claim("interval", *EXACT))
    for shape in (-0.2, 0.1, 0.3):
        for at, width in ((5, 0.3), (6, 0.5), (8, 0.5), (12, 1), (20, 2)):
            title = f"second mode, 15 of 300 exceedances at {at} +- {width:g} scales, shape {shape:g}"
            yield case(title, second_mode, (300, shape, at, width), 300, Claim(CAUGHT, *CATCHES))
    for at, width in ((2, 0.1), (3, 0.1), (3, 0.3), (4, 0.3), (8, 1)):
        title = f"second mode, 15 of 300 exceedances at {at} +- {width:g} scales, shape 0.1"
        yield case(title, second_mode, (300, 0.1, at, width), 300, Claim(CAUGHT))
    for at, width in ((3, 0.3), (4, 0.3), (8, 1)):
        title = f"second mode, 50 of 1000 exceedances at {at} +- {width:g} scales, shape 0.1"
        yield case(title, second_mode, (1000, 0.1, at, width), 300, Claim(CAUGHT, *CATCHES))
    for mean, apart in ((2, 1), (3, 1), (3, 7), (10, 1), (10, 7)):
        title = f"bursts of {mean} of 300 exceedances, one in {apart} cycles"
        yield case(title, bursts, (300, mean, apart), 300, Claim(CAUGHT, *CATCHES))
    for ratio, step in ((2, True), (2, False), (3, False)):
        title = f"rate of 300 exceedances {'doubled at once' if step else f'rising to {ratio} times'}"
        yield case(title, drifting, (300, ratio, step), 300, Claim(CAUGHT))


if __name__ == "__main__":
    sys.exit(report(__doc__.strip().splitlines()[0], INTRODUCTION, cases()))
