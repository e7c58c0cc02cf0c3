"""Planted signals are found, in the words a reader needs; in white noise nothing is."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.stats import binom
from series import NOISE, latencies, overflowed, processors, sampled, windowed

from rtlat.intervals import Array
from rtlat.protocol import Recording
from rtlat.timeline.course import told
from rtlat.timeline.findings import Finding, findings

SEEDS = range(4)


def found_in(recording: Recording, alpha: float = 0.01) -> list[Finding]:
    """Return the findings."""
    return findings(list(told(recording)), alpha)[0]


def only(recording: Recording, what: str) -> Finding:
    """Return the finding of one kind."""
    (found,) = [one for one in found_in(recording) if one.what == what]
    return found


def spikes(chance: np.random.Generator, period: float, count: int, spread: float) -> Array:
    """Return times that are `period` apart, each off by a little. [ms]"""
    return (np.arange(count) * period + 0.4 * period + chance.normal(0, spread, count)).astype(np.int64)


@pytest.mark.parametrize("seed", SEEDS)
def test_seven_of_nine_outliers_are_64_seconds_apart(seed: int) -> None:
    """The culprit of LinuxCNC's manual, in the cycle numbers of a histogram's overflow; three processors of noise."""
    chance = np.random.default_rng(seed)
    noise = [chance.choice(600_000, 6, replace=False) for _ in range(3)]
    mixed = np.append(spikes(chance, 64_000, 7, 60), chance.choice(600_000, 2, replace=False))
    one = only(overflowed(*noise[:2], mixed, noise[2], n=600_000), "period")
    told_in = re.match(
        r"7 of 9 outliers on t2 \(CPU 2\) are (\S+) s apart, within (\S+) s \(100 us and more\)$", one.text
    )
    assert told_in, one.text
    assert float(told_in[1]) == pytest.approx(64, abs=0.1)
    assert float(told_in[2]) <= 0.3


@pytest.mark.parametrize("seed", SEEDS)
def test_a_period_among_samples(seed: int) -> None:
    """Nine of 600,000 samples are high every 64 s."""
    chance = np.random.default_rng(seed)
    values = latencies(chance, 600_000)
    values[spikes(chance, 64_000, 9, 50)] += 80
    assert re.match(r"9 of 10 outliers on t0 are 6[34]\.\d+ s apart", only(sampled(values), "period").text)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_period_among_windows(seed: int) -> None:
    chance = np.random.default_rng(seed)
    greatest = chance.gumbel(40, 8, 3600)
    greatest[5::64] += 100
    one = only(windowed(greatest, chance.normal(8, 0.05, 3600)), "period")
    assert re.match(r"57 of 100 outliers on all series are 64\.0 s apart, within 0\.5 s", one.text)


def test_the_fundamental_is_told_and_no_harmonic() -> None:
    """Every 97th of 200,000 samples is 20 higher: Welch's largest line is the 13th harmonic."""
    values = np.random.default_rng(5).normal(100, 2, 200_000)
    values[::97] += 20
    one = only(sampled(values), "period")
    assert re.match(r"(\d+) of \1 outliers on t0 are multiples of 97\.0 ms apart, within 0\.5 ms", one.text)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_burst(seed: int) -> None:
    """Thirty late samples within 300 ms, in a hundred seconds."""
    values = latencies(np.random.default_rng(seed), 100_000)
    values[50_000:50_300:10] += 60
    one = only(sampled(values), "burst")
    told_in = re.match(r"(\d+) of \d+ outliers on t0 .* came within (\d+) ms, at 50\.?\d* s$", one.text)
    assert told_in, one.text
    assert 20 <= int(told_in[1]) <= 40
    assert int(told_in[2]) <= 300


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_after_two_thirds(seed: int) -> None:
    values = latencies(np.random.default_rng(seed), 30_000)
    values[20_000:] += 2
    one = only(sampled(values), "step")
    told_in = re.match(r"the average of 150 ms on t0 rises from (\S+) to (\S+) us at (\S+) s of 30 s$", one.text)
    assert told_in, one.text
    before, after, at = map(float, told_in.groups())
    assert before == pytest.approx(15.5, abs=0.3)
    assert after == pytest.approx(17.5, abs=0.3)
    assert at == pytest.approx(20, abs=0.2)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_drift_is_no_step(seed: int) -> None:
    values = latencies(np.random.default_rng(seed), 30_000) + np.linspace(0, 2, 30_000)
    found = found_in(sampled(values))
    assert "step" not in [one.what for one in found]
    (one,) = [one for one in found if one.what == "drift"]
    assert re.match(r"the average of 150 ms on t0 rises by (1\.[89]|2(\.[012])?)\d* us over 30 s$", one.text)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rate_that_triples_after_two_thirds(seed: int) -> None:
    chance = np.random.default_rng(seed)
    early, late = chance.choice(666_667, 100, replace=False), 666_667 + chance.choice(333_333, 150, replace=False)
    one = only(overflowed(np.append(early, late), n=1_000_000), "rate")
    told_in = re.match(
        r"(?:bursts of )?outliers on t0 \(CPU 0\) .* come (\S+) times as often from (\S+) min of 16\.67 min on$",
        one.text,
    )
    assert told_in, one.text
    assert 2 < float(told_in[1]) < 5
    assert float(told_in[2]) == pytest.approx(11.1, abs=1)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_bad_processor_of_32(seed: int) -> None:
    """One of a hundred of its latencies is bad, which is 0.03 % of the pool: invisible at the pooled p99.9."""
    chance = np.random.default_rng(seed)
    series = [chance.gamma(2, 3, 20_000) for _ in range(32)]
    series[17][:200] += 80
    found = found_in(processors(*series))
    assert [one.what for one in found] == ["owner"]
    assert re.match(
        r"cpu17 has \d+ of the \d+ latencies of \d+ us and more, (8|9|10)(\.\d+)? times its share", found[0].text
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_processors_that_fire_together(seed: int) -> None:
    """Fourteen stalls hit two processors at once, three more each of them alone; the third is by itself."""
    chance = np.random.default_rng(seed)
    both = chance.choice(10**6, 14, replace=False)
    one, two = (np.append(both + chance.integers(-1, 2, 14), chance.choice(10**6, 3, replace=False)) for _ in "ab")
    found = found_in(overflowed(one, two, chance.choice(10**6, 17, replace=False), n=10**6))
    assert [(one.what, one.series) for one in found] in (
        [("together", "t0+t1")],
        [("together", "t1+t0")],
    )
    assert re.match(
        r"1\d of 1\d outliers on t\d \(CPU \d\) and t\d \(CPU \d\) came together, within 2 ms", found[0].text
    )


def test_a_common_change_of_rate_is_no_firing_together() -> None:
    """Both processors have more outliers in the last third, each at times of its own."""
    chance = np.random.default_rng(8)
    series = [np.append(chance.choice(660_000, 20), 660_000 + chance.choice(340_000, 200)) for _ in range(2)]
    assert {one.what for one in found_in(overflowed(*map(np.unique, series), n=10**6))} - {"burst"} == {"rate"}


def test_a_common_burst_is_one_event() -> None:
    """A burst of forty consecutive activations is not forty of a period."""
    chance = np.random.default_rng(9)
    bursts = np.concatenate([start + np.arange(40) for start in chance.choice(10**6, 12, replace=False)])
    assert "period" not in [one.what for one in found_in(overflowed(np.unique(bursts), n=10**6))]


def false_findings(kind: str, seeds: range, alpha: float) -> int:
    """Return how many recordings of noise have a finding."""
    return sum(bool(found_in(NOISE[kind](np.random.default_rng(seed)), alpha)) for seed in seeds)


@pytest.mark.parametrize("kind", NOISE)
def test_nothing_is_found_in_white_noise(kind: str) -> None:
    """At most as often as promised: more than `most` of the runs would be a chance of 1 in 1000."""
    runs = 20
    most = int(binom.ppf(0.999, runs, 0.05))
    assert false_findings(kind, range(runs), alpha=0.05) <= most


@pytest.mark.slow
@pytest.mark.parametrize("kind", NOISE)
def test_nothing_is_found_in_much_white_noise(kind: str) -> None:
    runs = 400
    assert false_findings(kind, range(1000, 1000 + runs), alpha=0.05) <= int(binom.ppf(0.999, runs, 0.05))


def test_more_questions_make_each_answer_less_certain() -> None:
    """What stands out in one series of its own may be chance among many."""
    chance = np.random.default_rng(2)
    mixed = np.append(spikes(chance, 64_000, 5, 120), chance.choice(600_000, 4, replace=False))
    few = list(told(overflowed(mixed, n=600_000)))
    many = [*few, *told(overflowed(*(chance.choice(600_000, 9, replace=False) for _ in range(60)), n=600_000))]
    found, asked = findings(few)
    assert asked < 10
    assert findings(many)[1] > 200
    assert [one.what for one in findings(many)[0]] in ([], [one.what for one in found])
