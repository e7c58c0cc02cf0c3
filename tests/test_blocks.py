"""Levels of blocks: known laws, bursts that blocks are longer than, and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
import textbook

from rtlat.intervals import Array
from rtlat.tails.blocks import BlockTail, block_tail
from rtlat.tails.levels import Level
from rtlat.tails.refusals import Refusal

INF = math.inf
RANDOM = np.random.default_rng(1)


def gumbel(blocks: int, seed: int = 1, scale: float = 5.0) -> Array:
    return np.floor(np.random.default_rng(seed).gumbel(50, scale, blocks))


def accepted(values: Array, **more: Array) -> BlockTail:
    found = block_tail(values, values + 1, **more)
    assert isinstance(found, BlockTail), found.text()
    return found


def test_levels_of_a_gumbel_law() -> None:
    found = accepted(gumbel(400))
    level = found.level(4_000)
    assert isinstance(level, Level)
    assert level.low <= 50 - 5 * math.log(-math.log(1 - 1 / 4000)) <= level.high
    assert level.low < level.value < level.high
    far = found.level(40_000)
    assert isinstance(far, Level)
    assert math.isnan(far.value)
    curve = found.levels()
    assert curve.cycles[-1] == 40_000
    assert (curve.low[-1], curve.high[-1]) == (far.low, far.high)
    assert not found.flags
    assert found.p > 0.01


def test_port_pirie_as_samples() -> None:
    found = block_tail(textbook.sea_level())
    assert isinstance(found, BlockTail)
    level = found.level(100)
    assert isinstance(level, Level)
    assert level.value == pytest.approx(4.6884 + 0.005, abs=5e-4), "in bins of 1 cm, half a bin higher"
    assert level.high - level.low > 5.2606 - 4.4905, "65 years are few: wider than the profile likelihood alone"


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        (gumbel(29), "too few", "29 whole blocks, 30 are needed"),
        (np.repeat([50.0, 51, 52, 53], 20), "discrete", "4 distinct values"),
        (np.sort(gumbel(200)), "drift", "rise or fall"),
        (np.floor(np.append(RANDOM.normal(50, 2, 200), RANDOM.normal(65, 2, 200))), "misfit", "not as fitted"),
    ],
    ids=["too few", "discrete", "drift", "misfit"],
)
def test_refusals(values: Array, kind: str, words: str) -> None:
    if kind == "misfit":
        values = np.random.default_rng(1).permutation(values)
    found = block_tail(values, values + 1)
    assert isinstance(found, Refusal)
    assert found.kind == kind
    assert words in found.reason


def test_maxima_beyond_a_histogram() -> None:
    values = gumbel(200)
    found = block_tail(values, np.where(values > 55, INF, values + 1))
    assert isinstance(found, Refusal)
    assert found.kind == "overflow"
    few = block_tail(values, np.where(values > 70, INF, values + 1))
    assert isinstance(few, BlockTail)


def test_levels_near_and_far() -> None:
    found = accepted(gumbel(100))
    for blocks, kind in ((1, "within the data"), (10_001, "beyond the data")):
        level = found.level(blocks)
        assert isinstance(level, Refusal)
        assert level.kind == kind


def test_blocks_that_are_cut_short_are_left_out() -> None:
    n = np.full(60, 1000)
    n[-1] = 200
    found = accepted(gumbel(60), n=n)
    assert found.fit.blocks == 59
    assert "1 blocks with fewer cycles are left out" in found.flags
    assert accepted(gumbel(60), n=np.full(60, -1)).fit.blocks == 60


def test_few_blocks_and_blocks_that_depend_on_each_other_are_flagged() -> None:
    assert any("40 blocks are few" in flag for flag in accepted(gumbel(40)).flags)
    random = np.random.default_rng(3)
    wander = np.zeros(400)
    for place in range(1, 400):
        wander[place] = 0.7 * wander[place - 1] + random.normal()
    found = block_tail(50 + 5 * wander)
    assert isinstance(found, BlockTail)
    assert any("depend on the ones before" in flag for flag in found.flags)
    assert "flag: maxima depend" in found.text("us")


def test_bursts_do_not_matter_to_blocks_longer_than_them() -> None:
    random = np.random.default_rng(4)
    values = random.exponential(5, (300, 1_000))
    for block in values:
        start = int(random.integers(0, 900))
        block[start : start + 20] += random.exponential(30)
    found = block_tail(np.floor(values.max(axis=1)), np.floor(values.max(axis=1)) + 1)
    assert isinstance(found, BlockTail)
