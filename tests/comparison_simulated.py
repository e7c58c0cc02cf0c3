"""How often comparisons hold what they say: intervals, conclusions, and what too few runs may not conclude.

Run as ``python tests/comparison_simulated.py > tests/comparison_simulated.md``; some minutes on two processors,
progress on stderr. `test_simulated.py` holds the same claims: a few replicates each in CI, all of them with
``pytest -m slow``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from comparison_laws import (
    BURSTS,
    INDEPENDENT,
    LAWS,
    RUNS_DIFFER,
    US,
    contrast,
    cycles,
    exact,
    exceeding,
    in_order,
    quantile,
    run,
    windows,
)

from bench.trials import Case, Claim, Outcome, Random, case, report
from rtlat.comparing.conclusions import conclusions
from rtlat.comparing.contrast import Contrast, Question
from rtlat.comparing.effect_rows import Effect, effects
from rtlat.statistics.repeats import NO_WORSE, UNDECIDED, WORSE

LIMIT = 70.0
"""[us]"""

P50, P99, P99_9, RATIO = "interval of p50", "interval of p99", "interval of p99.9", f"interval of ratio at {LIMIT:g} us"
ABOVE = "interval of ratio lies above 1"
_SHARES = {P50: 0.5, P99: 0.99, P99_9: 0.999}
BY_P99_9, BY_LIMIT = "by p99.9", f"by {LIMIT:g} us"
FIGURES = {BY_P99_9: "99.9", BY_LIMIT: "limit"}

COVERS, RARELY, OFTEN, ALWAYS = (0.93, 1.0), (0.0, 0.06), (0.80, 1.0), (1.0, 1.0)
"""Between what the share of replicates is to lie."""

SHIFT = 3.4
"""[us]; no whole number of bins."""

INTRODUCTION = """Made by `python tests/comparison_simulated.py > tests/comparison_simulated.md`.

A run has 100,000 cycles in bins of 1 us unless told otherwise: 99 of 100 of a gamma law around 27 us, one in 100 of an
exponential tail beyond 40 us. Where *runs differ*, the scale of a run varies by 2 % and the weight of its tail by 30 %;
in *bursts* bad cycles come ten at a time. Arms that are *alike* have one law; in an arm that is *worse* the tail has
twice the weight, or is shifted as told. The figure that decides is p99.9 (75.6 us), or the share of cycles that reach
70 us. *Called worse* is what `rtlat compare` concludes.

The standard error of a share of 0.95 in 1000 replicates is 0.007, of 0.05 in 2000 it is 0.005. Rows without a claim are
printed to be known: the power under other laws, and intervals that take cycles as independent where they are not (those
say so, and nothing is concluded from them).
"""


def against(a: Contrast, figure: str) -> Contrast:
    """Return the same arms with another figure that decides."""
    return Contrast(a.a, a.b, Question(figure=figure, limit=LIMIT * US))


def called(a: Contrast, outcome: str) -> Outcome:
    """Whether either figure leads to an outcome."""
    return {
        f"called {outcome} {name}": conclusions([against(a, figure)])[0].outcome == outcome
        for name, figure in FIGURES.items()
    }


def intervals(a: Contrast, truth: Mapping[str, float]) -> Outcome:
    """Whether the intervals that are shown hold the truth."""
    shown: list[Effect] = list(takewhile(lambda effect: not effect.what.startswith("chance"), effects(a)))
    names = {effect.what: f"interval of {effect.what}" for effect in shown if effect.measure != "times"}
    names |= {effect.what: RATIO for effect in shown if effect.measure == "times"}  # of windows, where there are any
    ends = {names[effect.what]: effect.interval for effect in shown}
    return {what: ends[what].low <= value <= ends[what].high for what, value in truth.items()} | {
        ABOVE: ends[RATIO].low > 1
    }


def shifted(tail: float = 1.5) -> dict[str, float]:
    """By how much the percentiles of independent cycles differ, and how many times as often they reach the limit."""
    truth = {name: quantile(share, tail, SHIFT) - quantile(share) for name, share in _SHARES.items()}
    return truth | {RATIO: exceeding(LIMIT, tail, SHIFT) / exceeding(LIMIT)}


def one_run(random: Random, n: int, m: int, binned: bool) -> Outcome:
    """Independent cycles, one run of either arm: shifted, and with a heavier tail."""
    if binned:
        a, b = run(random, tail=1.5, n=n, shift=SHIFT), run(random, n=m)
    else:
        a, b = exact(cycles(random, tail=1.5, n=n) + SHIFT), exact(cycles(random, n=m))
    return intervals(contrast([a], [b], limit=LIMIT * US), shifted())


def one_run_in_order(random: Random, law: str, tail: float) -> Outcome:
    """Two runs that tell every cycle for 200 s."""
    a, b = (in_order(arm, cycles(random, law, weight, 200_000)) for arm, weight in (("a", tail), ("b", 1.0)))
    both = Contrast(a, b, Question(limit=LIMIT * US))
    return intervals(both, {RATIO: exceeding(LIMIT, tail) / exceeding(LIMIT)}) | called(both, UNDECIDED)


def one_run_in_windows(random: Random, clusters: bool, tail: float) -> Outcome:
    """Two runs that tell the greatest of each second for twenty minutes; clusters of bad seconds go on for three."""
    arms = []
    for arm, rate in (("a", 0.05 * tail), ("b", 0.05)):
        bad = random.random(1200) < rate
        if clusters:  # as many bad seconds, each cluster going on with chance 2/3
            bad = np.zeros(1200, bool)
            start = rate / 3 / (1 - rate)
            chances = random.random(1200)
            for place in range(1200):
                bad[place] = chances[place] < (2 / 3 if place and bad[place - 1] else start)
        arms.append(windows(arm, np.where(bad, LIMIT + 5, LIMIT - 20) + random.random(1200)))
    return intervals(Contrast(*arms, Question(limit=LIMIT * US)), {RATIO: tail})


def several(random: Random, k: int, law: str, tail: float, shift: float = 0.0) -> Outcome:
    """Several runs of either arm."""
    a = contrast(
        [run(random, law, tail, shift=shift) for _ in range(k)],
        [run(random, law) for _ in range(k)],
        limit=LIMIT * US,
    )
    truth = {RATIO: exceeding(LIMIT, tail, shift, law) / exceeding(LIMIT, law=law)}
    if shift:
        truth = shifted(tail)
    elif tail == 1:
        truth |= dict.fromkeys(_SHARES, 0.0)
    return intervals(a, truth) | called(a, UNDECIDED) | called(a, WORSE) | called(a, NO_WORSE)


def three_arms(random: Random, law: str) -> Outcome:
    """Three arms of five runs, each alike the reference: whether any is called worse."""
    theirs = [run(random, law) for _ in range(5)]
    arms = [contrast([run(random, law) for _ in range(5)], theirs) for _ in range(3)]
    return {
        f"any is called worse {name}": any(
            found.outcome == WORSE for found in conclusions([against(arm, figure) for arm in arms])
        )
        for name, figure in FIGURES.items()
    }


def _of(outcome: str, bounds: tuple[float, float] = (0.0, 1.0)) -> list[Claim]:
    """The same claim for either figure."""
    return [Claim(f"called {outcome} {name}", *bounds) for name in FIGURES]


def cases() -> Iterator[Case]:
    """All cases."""
    held = [Claim(name, *COVERS) for name in (P50, P99, P99_9)]
    ratio, above = Claim(RATIO, *COVERS), Claim(ABOVE, *RARELY)
    for n, m, binned in (
        (20_000, 20_000, False),
        (50_000, 8_000, False),
        (100_000, 100_000, True),
        (10**6, 8_000, True),
    ):
        title = f"1 run an arm, {n} and {m} independent cycles{'' if binned else ', exact values'}, shifted and worse"
        yield case(title, one_run, (n, m, binned), 1000, *held, ratio)
    for law in (INDEPENDENT, BURSTS):
        title = f"1 run an arm in order, 200 seconds, {law}"
        yield case(f"{title}, alike", one_run_in_order, (law, 1.0), 1000, ratio, above, *_of(UNDECIDED, ALWAYS))
        yield case(f"{title}, worse", one_run_in_order, (law, 2.0), 1000, ratio, *_of(UNDECIDED, ALWAYS))
    for clusters in (False, True):
        title = f"1 run an arm, the greatest of 1200 seconds, bad ones {'in clusters' if clusters else INDEPENDENT}"
        yield case(f"{title}, alike", one_run_in_windows, (clusters, 1.0), 1000, ratio, above)
        yield case(f"{title}, worse", one_run_in_windows, (clusters, 2.0), 1000, ratio)
    for law in LAWS:
        known = COVERS if law == INDEPENDENT else (0.0, 1.0)
        title = f"1 run an arm, {law}, alike"
        yield case(
            title, several, (1, law, 1.0), 500, Claim(P99_9, *known), Claim(RATIO, *known), *_of(UNDECIDED, ALWAYS)
        )
        for k in (2, 3, 4):
            several_runs = COVERS if k == 4 else known
            claims = Claim(P99_9, *several_runs), ratio, above, *_of(UNDECIDED, ALWAYS)
            yield case(f"{k} runs an arm, {law}, alike", several, (k, law, 1.0), 1000, *claims)
        for k in (5, 8):
            title = f"{k} runs an arm, {law}, alike"
            yield case(title, several, (k, law, 1.0), 2000, *_of(WORSE, RARELY), *held, ratio, above)
        title = f"three arms of 5 runs, {law}, all alike"
        yield case(
            title, three_arms, (law,), 1000, *(Claim(f"any is called worse {name}", *RARELY) for name in FIGURES)
        )
        for k in (1, 4):
            yield case(
                f"{k} run{'s' if k > 1 else ''} an arm, {law}, worse",
                several,
                (k, law, 2.0),
                500,
                *_of(UNDECIDED, ALWAYS),
            )
        for k in (5, 8):
            title = f"{k} runs an arm, {law}, worse"
            power = _of(WORSE, OFTEN if law == RUNS_DIFFER else (0.0, 1.0))
            yield case(title, several, (k, law, 2.0), 1000, *power, *_of(NO_WORSE, RARELY), ratio)
    title = f"5 runs an arm, {INDEPENDENT}, worse and shifted by {SHIFT:g} us"
    yield case(title, several, (5, INDEPENDENT, 1.5, SHIFT), 1000, *held, ratio)


if __name__ == "__main__":
    sys.exit(report(__doc__.strip().splitlines()[0], INTRODUCTION, cases()))
