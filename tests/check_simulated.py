"""How often checked claims are refuted although they hold, and supported although they do not: with known truth.

Run as ``python tests/check_simulated.py > tests/check_simulated.md``; some minutes on two processors, progress on
stderr. `test_simulated.py` holds the same claims: a few replicates in CI, all of them with ``pytest -m slow``.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import pandas as pd
from comparison_laws import BURSTS, INDEPENDENT, LAWS, RUNS_DIFFER, US, cycles, exceeding, quantile, run
from recordings import SAME_FACTS, recording

from bench.trials import Case, Claim, Outcome, Random, case, report
from rtlat.claiming.checking import Checked, check
from rtlat.claiming.claims import Claims, load
from rtlat.claiming.findings import REFUTED, SUPPORTED, UNDECIDED
from rtlat.intervals import Array
from rtlat.protocol import Recording
from rtlat.rows import Rows

N = 100_000
"""Cycles of a run: 100 s at 1 kHz."""

HERTZ = 1000.0

BINS = 500

RARELY, OFTEN, ALWAYS = (0.0, 0.06), (0.80, 1.0), (1.0, 1.0)
"""Between what the share of replicates is to lie."""

BEYOND = 1.002
"""By how much the truth lies beyond what is claimed."""

WHOLE = "whole bursts"
"""Bursts of ten cycles on average, all of which are late."""

BY_P99_9, BY_LIMIT = "p99.9", "exceed(70us)"

TOGETHER = "any claim of one file"

INTRODUCTION = """Made by `python tests/check_simulated.py > tests/check_simulated.md`.

Runs are made as records and go through `rtlat.claiming.checking.check`, as those of `rtlat check` do. A run has 100,000
cycles at 1 kHz in bins of 1 us, as a histogram unless told otherwise: 99 of 100 of a gamma law around 27 us, one in 100
of an exponential tail beyond 40 us. Where *runs differ*, the scale of a run varies by 2 % and the weight of its tail by
30 %; in *bursts* bad cycles come ten at a time; in *whole bursts* all of these ten are late. *In order*: the log tells
every cycle. Arms that are *alike* have one law; the tail of one that is *worse* has twice the weight. *Just beyond*:
the truth lies 0.2 % beyond what is claimed (of shifts 0.5 %, of their ratio 1 %), so that *supported* is an error.

The standard error of a share of 0.05 in 1500 replicates is 0.006. Rows without a claim are printed to be known: what a
single run can say where runs differ, what a histogram says of bursts that it cannot tell, and the power. A limit is on
the edge of a bin.
"""


@cache
def claimed(text: str, keys: str = "") -> Claims:
    """Return a claims file of one claim."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(f'[[claim]]\nclaim = "{text}"\n{keys}\n')
        file.flush()
        return load(file.name)


def histograms(random: Random, law: str, tail: float, k: int) -> Recording:
    """Return runs as histograms."""
    n = np.zeros((k, BINS), np.int64)
    for row in n:
        low, _, counts, _, _ = run(random, law, tail, N).intervals
        row[(low / US).astype(int)] = counts
    return binned(n)


def binned(n: Array) -> Recording:
    """Return runs with these counts in their bins."""
    records, runs, series = empty(len(n))
    return Recording(records.assign(n=pd.array(n.ravel(), "Int64")), runs, series)


@cache
def empty(k: int) -> Recording:
    """Return runs whose bins hold one observation each."""
    low = np.arange(BINS) * US
    runs = [Rows() for _ in range(k)]
    for rows in runs:
        rows.extend("t0", "thread", "bin", low, low + US, n=1, unit="ns")
    return made(*runs)


def in_order(values: Array) -> Recording:
    """Return one run as a log tells it that prints every cycle."""
    records, runs, series = every_cycle()
    low = np.floor(values) * US
    return Recording(records.assign(low=low, high=low), runs, series)


@cache
def every_cycle() -> Recording:
    """Return a run whose every cycle takes no time."""
    rows = Rows()
    rows.extend("t0", "thread", "sample", np.zeros(N), np.zeros(N), n=1, seq=np.arange(N), unit="ns")
    return made(rows)


def made(*runs: Rows, **facts: Any) -> Recording:
    """Return runs that have all in common but what is measured."""
    return recording(*((rows, SAME_FACTS | facts) for rows in runs))


def told(checked: Checked) -> Outcome:
    """Return which outcome it is."""
    return {each: checked.outcome == each for each in (SUPPORTED, REFUTED, UNDECIDED)}


def of_arms(random: Random, texts: tuple[str, ...], law: str, tail: float, k: int = 5) -> Outcome:
    """Runs against a reference, asked by files of one claim each; and by one of them all, if there are several."""
    mine, theirs = (histograms(random, law, weight, k) for weight in (tail, 1.0))
    files = {text: claimed(text) for text in texts}
    if len(files) > 1:
        files[TOGETHER] = claimed('"\n[[claim]]\nclaim = "'.join(texts))
    found = {name: told(check(claims, mine, theirs)) for name, claims in files.items()}
    return {f"{each}: {name}": is_it for name, outcome in found.items() for each, is_it in outcome.items()}


def of_runs(random: Random, text: str, keys: str, law: str, tail: float, k: int, ordered: bool) -> Outcome:
    """One run, or several that have to bear out a claim each."""
    runs = in_order(cycles(random, law, tail, N)) if ordered else histograms(random, law, tail, k)
    return told(check(claimed(text, keys), runs))


def of_whole_bursts(random: Random, text: str, keys: str, share: float, ordered: bool) -> Outcome:
    """One run in whose bursts every cycle takes 100 us."""
    values = np.minimum(random.gamma(9, 3, N), 80)
    starts = random.integers(0, N, random.poisson(N * share / 10))
    for start, length in zip(starts, random.geometric(0.1, len(starts)), strict=True):
        values[start : start + length] = 100
    runs = in_order(values) if ordered else binned(np.bincount(np.floor(values).astype(int), minlength=BINS)[None])
    return told(check(claimed(text, keys), runs))


def of_overruns(random: Random, keys: str, rate: float, n: int) -> Outcome:
    """One run of a tool that counts the activations it skips, at a rate per activation."""
    rows = Rows()
    rows.extend(
        "t0", "thread", "bin", np.array([5 * US]), np.array([6 * US]), n=n, missed=random.poisson(n * rate), unit="ns"
    )
    return told(check(claimed("missed == 0", keys), made(rows, tool="latency")))


def worse(figure: str, tolerance: float = 10) -> str:
    """Return a claim against a reference."""
    return f"no worse than reference on {figure} within {tolerance:g} %"


def tail_of(target: float, value: Callable[[float], float]) -> float:
    """Return the weight of the tail at which a rising value is reached."""
    low, high = 0.01, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if value(middle) > target else (middle, high)
    return high


def outcomes(**bounds: tuple[float, float]) -> list[Claim]:
    """What is to happen how often; what is not named is only reported."""
    known = {SUPPORTED: (0.0, 1.0), REFUTED: (0.0, 1.0)} | bounds
    return [Claim(what, *ends) for what, ends in known.items()]


def regressions() -> Iterator[Case]:
    """Claims against a reference."""
    both = worse(BY_P99_9), worse(BY_LIMIT)
    beyond = (
        tail_of(1.105 * quantile(0.999), partial(quantile, 0.999)),
        tail_of(1.11 * exceeding(70), partial(exceeding, 70)),
    )
    for law in LAWS:
        title = f"5 runs an arm, {law}"
        claims = [Claim(f"{REFUTED}: {name}", *RARELY) for name in (*both, TOGETHER)]
        claims += [Claim(f"{SUPPORTED}: {name}") for name in both]
        yield case(f"{title}, alike", of_arms, (both, law, 1.0), 1500, *claims)
        for text, tail in zip(both, beyond, strict=True):
            claims = [Claim(f"{SUPPORTED}: {text}", *RARELY), Claim(f"{REFUTED}: {text}")]
            yield case(
                f"{title}, just beyond: {text}",
                of_arms,
                ((text,), law, tail),
                _near(text, law),
                *claims,
            )
        texts = worse(BY_P99_9, 5), *both
        power = OFTEN if law == RUNS_DIFFER else (0.0, 1.0)
        claims = [Claim(f"{REFUTED}: {text}", *(power if text != worse(BY_P99_9) else (0.0, 1.0))) for text in texts]
        claims += [Claim(f"{SUPPORTED}: {text}", *RARELY) for text in texts]
        yield case(f"{title}, worse", of_arms, (texts, law, 2.0), 600, *claims)
        claims = [Claim(f"{UNDECIDED}: {text}", *ALWAYS) for text in both]
        yield case(f"4 runs an arm, {law}, worse", of_arms, (both, law, 2.0, 4), 200, *claims)


def _near(text: str, law: str) -> int:
    """How many replicates: more where the share is nearest to its bound, for the tolerance is that of few runs."""
    return 500 if BY_LIMIT not in text else 8000 if law == RUNS_DIFFER else 2000


def percentiles() -> Iterator[Case]:
    """Claims on a percentile."""
    text = "p99.9 <= 75us"
    for law, k, ordered, bounds in (
        (INDEPENDENT, 1, False, RARELY),
        (INDEPENDENT, 1, True, RARELY),
        (INDEPENDENT, 5, False, RARELY),
        (BURSTS, 1, True, RARELY),
        (BURSTS, 1, False, (0.0, 1.0)),
        (RUNS_DIFFER, 5, False, RARELY),
        (RUNS_DIFFER, 1, False, (0.0, 1.0)),
    ):
        tail = tail_of(0.001 * BEYOND, partial(_reaching, 75.0, law))
        title = f"{text}, {law}, {_runs(k, ordered)}"
        arguments = (text, "", law, tail, k, ordered)
        yield case(f"{title}, just beyond", of_runs, arguments, _often(bounds, ordered), *outcomes(supported=bounds))
    within = tail_of(0.001 / BEYOND, partial(_reaching, 75.0, INDEPENDENT))
    for k in (1, 5):
        title = f"{text}, {INDEPENDENT}, {_runs(k, False)}, just within"
        yield case(title, of_runs, (text, "", INDEPENDENT, within, k, False), 1500, *outcomes(refuted=RARELY))
    title = f"{text}, {INDEPENDENT}, 1 run, half as many as are allowed"
    yield case(title, of_runs, (text, "", INDEPENDENT, within / 2, 1, False), 500, *outcomes(supported=OFTEN))
    for ordered in (True, False):
        title = f"p99.9 < 90us, {WHOLE}, {_runs(1, ordered)}, just beyond"
        bounds = RARELY if ordered else (0.0, 1.0)
        arguments = ("p99.9 < 90us", "", 0.001 * BEYOND, ordered)
        yield case(title, of_whole_bursts, arguments, _often(bounds, ordered), *outcomes(supported=bounds))


def rates() -> Iterator[Case]:
    """Claims on how often a limit is exceeded, and that it never is."""
    for limit in (100, 127):
        for law, k, ordered, bounds in (
            (INDEPENDENT, 1, False, RARELY),
            (BURSTS, 1, True, RARELY),
            (BURSTS, 1, False, (0.0, 1.0)),
            (RUNS_DIFFER, 5, False, RARELY),
            (RUNS_DIFFER, 1, False, (0.0, 1.0)),
        ):
            rate = f"{exceeding(limit, law=law) * HERTZ * 60 / BEYOND:.6f}/minute"
            text = f"exceed({limit}us) < {rate}"
            title = f"exceed({limit}us), {law}, {_runs(k, ordered)}, just beyond"
            arguments = (text, "", law, 1.0, k, ordered)
            yield case(title, of_runs, arguments, _often(bounds, ordered), *outcomes(supported=bounds))
            if limit == 127:
                title = f"max < {limit}us, {law}, {_runs(k, ordered)}, just beyond"
                arguments = (f"max < {limit}us", f'rate = "{rate}"', law, 1.0, k, ordered)
                yield case(title, of_runs, arguments, _often(bounds, ordered), *outcomes(supported=bounds))
    share = -math.log(0.05) / N * BEYOND
    keys = f'rate = "{share * HERTZ * 60 / BEYOND:.6f}/minute"'
    title = "missed == 0, independent, 1 run, just beyond"
    yield case(title, of_overruns, (keys, share, N), 1500, *outcomes(supported=RARELY))


def _often(bounds: tuple[float, float], ordered: bool) -> int:
    """How many replicates: fewer where nothing is claimed, or where each takes long."""
    return 500 if bounds == (0.0, 1.0) else 1000 if ordered else 1500


def _reaching(limit: float, law: str, tail: float) -> float:
    """The share of cycles that reach a limit."""
    return exceeding(limit, tail, law=law)


def _runs(k: int, ordered: bool) -> str:
    """How many runs, and what their logs tell."""
    return f"{k} run{'s' * (k > 1)}{', in order' if ordered else ''}"


def cases() -> Iterator[Case]:
    """All cases."""
    yield from regressions()
    yield from percentiles()
    yield from rates()


if __name__ == "__main__":
    sys.exit(report(__doc__.strip().splitlines()[0], INTRODUCTION, cases()))
