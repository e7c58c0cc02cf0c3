"""What is left of many samples, against all of them kept."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtlat.folding import GREATEST, MOST_BLOCKS, Array, Fold, Samples


def folded(values: Array, seq: Array, size: int) -> Fold:
    """A fold that got the values in pieces; value k stands in line k + 10, k s after the start."""
    fold = Fold()
    place = np.arange(len(values))
    for first in range(0, len(values), size):
        here = slice(first, first + size)
        fold.add(Samples(values[here], place[here] + 10, seq[here], place[here].astype(float)))
    return fold


@pytest.mark.parametrize("size", [7, 1_000, 10**6])
def test_blocks_tell_what_stands_in_them_however_the_samples_came(size: int) -> None:
    random = np.random.default_rng(3)
    cycle = np.flatnonzero(random.random(400_000) < 0.9)  # one in ten is missing from the log
    value = random.lognormal(3, 1, len(cycle)).astype(np.int64) - 3
    if size == 7:
        cycle, value = cycle[:20_000], value[:20_000]
    blocks = folded(value, cycle, size).blocks()
    assert MOST_BLOCKS / 2 < len(blocks.n) <= MOST_BLOCKS or size == 7
    starts = np.searchsorted(cycle, blocks.cycle)
    assert blocks.n.tolist() == np.diff(starts, append=len(cycle)).tolist()
    for first, n, low, high, total in zip(starts, blocks.n, blocks.low, blocks.high, blocks.total, strict=True):
        inside = value[first : first + n]
        assert (low, high, total) == (inside.min(), inside.max(), inside.sum())
    assert blocks.line.tolist() == (starts + 10).tolist()
    assert blocks.time.tolist() == starts.tolist()
    lengths = np.diff(blocks.cycle >> 6) << 6
    assert (lengths == lengths[0]).all()
    assert lengths[0] & (lengths[0] - 1) == 0  # each two become one: a power of two cycles


@given(st.lists(st.integers(-3, 9), min_size=1, max_size=400), st.integers(1, 150))
def test_the_greatest_are_those_of_a_plain_sort(values: list[int], size: int) -> None:
    value = np.array(values)
    kept = folded(value, np.arange(len(values)), size).greatest
    first = sorted(sorted(range(len(values)), key=lambda place: -values[place])[:GREATEST])
    assert kept.line.tolist() == [place + 10 for place in first]
    assert kept.value.tolist() == [values[place] for place in first]
    assert kept.seq.tolist() == first


@pytest.mark.parametrize("size", [100, 5_000])
def test_the_greatest_of_very_many_with_equal_ones(size: int) -> None:
    value = np.random.default_rng(5).geometric(0.02, 60_000)
    order = np.argsort(-value, kind="stable")[:GREATEST]
    assert folded(value, np.arange(len(value)), size).greatest.line.tolist() == sorted((order + 10).tolist())


def test_samples_without_numbers_are_cut_by_their_place() -> None:
    value = np.arange(1_000)
    without = folded(value, np.full(1_000, -1), 90).blocks()
    numbered = folded(value, value, 1_000).blocks()
    assert without.high.tolist() == numbered.high.tolist()
    assert set(without.seq.tolist()) == {-1}


def test_numbers_that_begin_anew_end_no_loop() -> None:
    seq = np.tile(np.arange(10), 40_000)
    blocks = folded(seq, seq, 12_345).blocks()
    assert len(blocks.n) <= MOST_BLOCKS
    assert blocks.n.sum() == len(seq)


def test_what_cannot_be_added_up_exactly_is_no_error() -> None:
    blocks = folded(np.array([2**62, 2**62, -(2**62)]), np.arange(3), 2).blocks()
    assert blocks.high.tolist() == [2**62]
    assert math.isclose(blocks.total[0], 2.0**62)
