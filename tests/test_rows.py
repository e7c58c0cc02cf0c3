"""Samples kept one by one, and counted by value when there are many: against a plain count."""

from __future__ import annotations

import math
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtlat.rows import Rows

VALUES = st.lists(
    st.one_of(st.integers(-5, 20), st.integers(1_000, 5_000), st.sampled_from([-(2**62), -1, 70_000, 10**12, 2**62])),
    max_size=60,
)


def filled(values: list[int], keep: int, size: int = 7) -> Rows:
    """Rows that got the values in pieces of `size`; value k stands in line k + 10."""
    rows = Rows(keep)
    for first in range(0, len(values), size):
        piece = np.array(values[first : first + size], np.int64)
        place = np.arange(first, first + len(piece))
        rows.samples("t0", "thread", piece, place + 10, place)
    return rows


def of_kind(rows: Rows, kind: str) -> dict[str, np.ndarray]:
    """The rows of one kind."""
    arrays = rows.arrays()
    return {name: column[arrays["kind"] == kind] for name, column in arrays.items()}


def test_few_samples_are_rows_in_their_order() -> None:
    rows = filled([5, -3, 5], keep=3)
    rows.step, rows.samples_of = 1000.0, "max"
    arrays = rows.arrays()
    assert not rows.folded
    assert arrays["low"].tolist() == arrays["high"].tolist() == [5000.0, -3000.0, 5000.0]
    assert arrays["line"].tolist() == [10, 11, 12]
    assert arrays["seq"].tolist() == [0, 1, 2]
    assert arrays["n"].tolist() == [1, 1, 1]
    assert set(arrays["kind"]) == {"sample"}
    assert set(arrays["of"]) == {"max"}


def test_one_sample_too_many_counts_them_all_by_value() -> None:
    rows = filled([5, -3, 5, 4], keep=3)
    rows.step = 1000.0
    assert rows.folded
    arrays = of_kind(rows, "bin")
    assert arrays["low"].tolist() == [-3000.0, 4000.0, 5000.0]
    assert arrays["high"].tolist() == [-2000.0, 5000.0, 6000.0]
    assert arrays["n"].tolist() == [1, 1, 2]
    assert arrays["line"].tolist() == [11, 13, 10]
    assert arrays["seq"].tolist() == [-1, -1, -1]


@given(VALUES, st.integers(1, 9))
def test_counts_are_those_of_a_plain_count(values: list[int], size: int) -> None:
    arrays = of_kind(filled(values, keep=0, size=size), "bin")
    counts = Counter(values)
    first = {value: values.index(value) + 10 for value in counts}
    assert arrays["low"].tolist() == [float(value) for value in sorted(counts)]
    assert arrays["n"].tolist() == [counts[value] for value in sorted(counts)]
    assert arrays["line"].tolist() == [first[value] for value in sorted(counts)]
    assert (arrays["low"] < arrays["high"]).all()


def test_many_different_values_are_counted_exactly() -> None:
    random = np.random.default_rng(7)
    rows, every = Rows(keep=0), []
    for first in range(0, 200_000, 5_000):
        values = random.integers(-40_000, 40_000, 5_000)
        rows.samples("t0", "thread", values, np.arange(first, first + 5_000), values)
        every.append(values)
    values, counts = np.unique(np.concatenate(every), return_counts=True)
    arrays = of_kind(rows, "bin")
    np.testing.assert_array_equal(arrays["low"], values)
    np.testing.assert_array_equal(arrays["n"], counts)


def test_series_are_counted_apart_and_other_statements_stay() -> None:
    rows = Rows(keep=1)
    rows.add("t0", "thread", "summary", 1, 9, n=3, line=1)
    for series in ("t0", "t1", "t0"):
        rows.samples(series, "thread", np.array([4]), np.array([2]), np.array([0]))
    assert len(rows) == 4
    arrays = rows.arrays()
    found = zip(arrays["series"], arrays["kind"], arrays["n"].tolist(), strict=True)
    bins = [row for row in sorted(found) if row[1] not in ("window", "sample")]
    assert bins == [("t0", "bin", 2), ("t0", "summary", 3), ("t1", "bin", 1)]
    assert rows.arrays()["n"].tolist() == arrays["n"].tolist()  # asking again changes nothing


def test_memory_is_that_of_the_values_not_of_the_samples() -> None:
    values = np.arange(20_000) % 97
    tracemalloc.start()
    rows = Rows(keep=1_000)
    for _ in range(50):
        rows.samples("t0", "thread", values.copy(), values.copy(), values.copy())
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert of_kind(rows, "bin")["n"].sum() == 1_000_000
    assert held < 5_000_000  # 32 MB, were they kept


@pytest.mark.parametrize("missing", ["low", "avg"])
def test_no_sample_is_no_row(missing: str) -> None:
    assert Rows(keep=0).arrays()[missing].tolist() == []
    assert math.isnan(filled([1], keep=1).arrays()["avg"][0])


def test_samples_tell_their_time_and_which_observations_they_are() -> None:
    rows = Rows(keep=3)
    line = seq = np.array([1, 2])
    rows.samples("cpu0", "noise", np.array([7, 9]), line, seq, time=np.array([0.0, 0.5]), of="over")
    rows.samples("cpu0", "noise", np.array([7]), np.array([3]), np.array([3]))
    arrays = rows.arrays()
    assert arrays["time"].tolist()[:2] == [0.0, 0.5]
    assert math.isnan(arrays["time"][2])
    assert arrays["of"].tolist() == ["over", "over", "all"]
    rows.samples("cpu0", "noise", np.array([7]), np.array([4]), np.array([4]))
    arrays = of_kind(rows, "bin")
    assert rows.folded
    told = zip(arrays["low"].tolist(), arrays["of"].tolist(), arrays["n"].tolist(), strict=True)
    assert sorted(told) == [(7.0, "all", 2), (7.0, "over", 1), (9.0, "over", 1)]
