"""A tail held against the rest of its run: by counting, and how often a true one is contradicted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rtlat.intervals import Array
from rtlat.tails.holdout import Holdout, holdout
from rtlat.tails.order import in_order
from rtlat.tails.refusals import Refusal


def held(values: Array, share: float = 0.5) -> Holdout | Refusal:
    return holdout(in_order(np.floor(values), np.floor(values) + 1), share)


def test_counts_and_chances_are_those_of_the_rest() -> None:
    values = np.random.default_rng(1).exponential(20, 40_000)
    found = held(values)
    assert isinstance(found, Holdout)
    rest = np.floor(values[20_000:])
    assert found.cycles == 20_000
    assert found.expected == pytest.approx(10)
    assert found.over_estimate == (rest >= found.level.value).sum()
    assert found.over_high == (rest >= found.level.high).sum()
    chance = 10 / 20_000
    assert found.p_more == pytest.approx(stats.binom.sf(found.over_high - 1, 20_000, chance))
    assert found.p_less == pytest.approx(stats.binom.cdf((rest + 1 > found.level.low).sum(), 20_000, chance))
    assert "does not contradict" in found.text("us")


def test_a_stationary_run_is_hardly_ever_contradicted() -> None:
    random = np.random.default_rng(2)
    found = [held(random.exponential(20, 12_000)) for _ in range(40)]
    answered = [one for one in found if isinstance(one, Holdout)]
    assert len(answered) > 30
    assert sum(one.contradicted for one in answered) <= 1


@pytest.mark.parametrize("worse", [True, False])
def test_a_run_that_changes_is_contradicted(worse: bool) -> None:
    values = np.random.default_rng(3).exponential(20, 40_000)
    values[20_000:] *= 2 if worse else 0.3
    found = held(values)
    assert isinstance(found, Holdout)
    assert found.contradicted
    assert (found.p_more if worse else found.p_less) < 0.001
    assert "contradicts the tail of its first part" in found.text("us")


def test_without_a_tail_there_is_nothing_to_hold() -> None:
    few = held(np.random.default_rng(4).exponential(20, 1_000))
    assert isinstance(few, Refusal)
    assert few.kind == "too few"
    assert isinstance(held(np.array([1.0]), 0.5), Refusal)
