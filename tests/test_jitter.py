"""What is called jitter: known answers, brute force on samples, and who is refused."""

from __future__ import annotations

import itertools
import math
import random
import statistics
from dataclasses import replace

import numpy as np
import pytest

from rtlat.intervals import counted
from rtlat.statistics import jitter
from rtlat.statistics.jitter import DEFINITIONS, Allan, allan, rfc3550
from rtlat.statistics.results import Bounds
from rtlat.timeline.course import Course, sequence

BY_NAME = {one.name: one for one in DEFINITIONS}
SUCCESSIVE = ("period jitter std", "period jitter worst", "RFC 3550 mean", "RFC 3550 max")


def value(name: str, course: Course | str) -> Bounds:
    """Return a figure of samples."""
    d = counted(course.low, course.high) if isinstance(course, Course) else counted([1.0])
    return BY_NAME[name].of(d, course)


def test_rfc_3550_by_the_fractions_of_its_definition() -> None:
    """10, 14, 9, 9, 30: 4/16; (1/4)(15/16) + 5/16; that times 15/16; that times 15/16 + 21/16."""
    low, high = rfc3550(sequence([10, 14, 9, 9, 30], 0.001))  # type: ignore[misc]
    assert low.tolist() == high.tolist() == pytest.approx([0.25, 0.546875, 0.5126953125, 1.79315185546875], abs=0)
    assert value("RFC 3550 max", sequence([10, 14, 9, 9, 30], 0.001)) == Bounds(
        1.79315185546875, 1.79315185546875, "ok"
    )


def test_independent_normal_samples_have_the_figures_of_the_closed_forms() -> None:
    """Of sigma 2: sqrt(2) sigma; 2 sigma / sqrt(pi); within four standard errors of 200,000 samples."""
    course = sequence(np.random.default_rng(3).normal(100, 2, 200_000), 0.001)
    assert value("period jitter std", course).low == pytest.approx(2 * math.sqrt(2), rel=0.008)
    assert value("RFC 3550 mean", course).low == pytest.approx(4 / math.sqrt(math.pi), rel=0.01)


def test_white_noise_has_the_allan_deviation_of_white_phase() -> None:
    """sqrt(3) sigma / tau, falling as 1 / tau."""
    course = sequence(np.random.default_rng(4).normal(100, 2, 200_000) * 1000, 0.001)
    found = allan(course)
    assert isinstance(found, Allan)
    assert found.tau[:3].tolist() == pytest.approx([0.001, 0.002, 0.004])
    assert found.low[:5] == pytest.approx(math.sqrt(3) * 2e-6 / found.tau[:5], rel=0.02)


def test_the_allan_deviation_by_its_definition() -> None:
    """Averages of the rate over tau, differenced: the other way to write it."""
    values = [5.0, 9.0, 4.0, 4.0, 7.0, 1.0, 8.0, 2.0, 2.0]
    found = allan(sequence(values, 0.5))
    assert isinstance(found, Allan)
    phase = [one / 1e9 for one in values]
    for place, apart in enumerate((1, 2, 4)):
        tau = apart * 0.5
        rate = [(phase[k + apart] - phase[k]) / tau for k in range(len(phase) - apart)]
        squares = [(rate[k + apart] - rate[k]) ** 2 for k in range(len(rate) - apart)]
        assert found.low[place] == pytest.approx(math.sqrt(statistics.fmean(squares) / 2))
        assert found.terms[place] == len(squares)
    assert len(found.tau) == 3


@pytest.mark.parametrize("seed", range(5))
def test_figures_of_truncated_samples_bound_those_of_the_exact_ones(seed: int) -> None:
    chance = random.Random(seed)
    exact = [chance.gammavariate(3, 2) for _ in range(60)]
    course = sequence([math.floor(one) for one in exact], 0.001, step=1.0)
    differences = [b - a for a, b in itertools.pairwise(exact)]
    running, average = [], 0.0
    for difference in differences:
        average += (abs(difference) - average) / 16
        running.append(average)
    truth = {
        "period jitter std": statistics.pstdev(differences),
        "period jitter worst": max(map(abs, differences)),
        "RFC 3550 mean": statistics.fmean(running),
        "RFC 3550 max": max(running),
    }
    for name, expected in truth.items():
        found = value(name, course)
        assert found.low <= expected <= found.high, name
        assert found.high - found.low <= 4, name


def test_a_skipped_activation_is_no_difference() -> None:
    """From 5 to 90 two periods went by: only 5 - 5 and 90 - 91 are distances of consecutive wake-ups."""
    course = sequence([5, 5, 90, 91], 0.001)
    gap = replace(course, time=np.array([0.0, 0.001, 0.003, 0.004]))
    assert value("period jitter worst", gap).text() == "1"
    assert value("period jitter worst", course).text() == "85"
    assert value("RFC 3550 max", gap) == value("RFC 3550 max", course), "RFC 3550 takes the packets that arrive"
    assert "gaps" in str(allan(gap).reason)  # type: ignore[union-attr]


@pytest.mark.parametrize("name", SUCCESSIVE)
def test_order_is_asked_for_and_nothing_else_is_taken(name: str) -> None:
    """Each says which records it needs, and refuses a histogram, windows and lists of overflows as a value."""
    assert BY_NAME[name].needs == "every sample, in order"
    samples = sequence([1, 2, 3, 4], 0.001)
    for course in ("a histogram", replace(samples, kind="window"), replace(samples, kind="over"), sequence([1], 0.001)):
        found = value(name, course)
        assert found.status == "refused"
        assert "needs" in str(found.reason)


@pytest.mark.parametrize("name", [one.name for one in DEFINITIONS if one.name not in SUCCESSIVE])
def test_order_does_not_matter_where_only_counts_are_asked_for(name: str) -> None:
    values = [1.0, 2.0, 2.0, 3.0, 9.0] * 200
    found = value(name, sequence(values, 0.001))
    assert found == value(name, sequence(sorted(values), 0.001))
    assert BY_NAME[name].of(counted(values), "no order here") == found


def test_the_allan_deviation_of_windows_is_that_of_their_averages() -> None:
    """And says so; a list of overflows has none."""
    course = sequence([10, 20, 30, 40, 50], 1.0)
    averages = np.array([1.0, 4.0, 2.0, 8.0, 5.0])
    windows = replace(course, kind="window", rows=course.rows._replace(avg=averages))
    found, plain = allan(windows), allan(sequence(averages, 1.0))
    assert isinstance(found, Allan)
    assert isinstance(plain, Allan)
    assert found.of == "window averages"
    assert found.low.tolist() == plain.low.tolist()
    for other in (replace(course, kind="over"), replace(course, kind="window"), "a histogram"):
        assert isinstance(allan(other), Bounds)
    assert isinstance(allan(sequence([1, 2, 3, 4], 1.0, basis="order only")), Bounds)


def test_names_are_the_ones_of_the_field() -> None:
    assert list(BY_NAME) == ["range", "std", "iqr", "mad", "p99-p1", "p99.9-p50", *SUCCESSIVE]
    assert jitter.ORDER != jitter.COUNTS
