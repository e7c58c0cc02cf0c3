"""A selection holds one quantity in one unit, and nothing twice; else it says what to choose from."""

from __future__ import annotations

import math
from typing import Any

import pytest
from recordings import US, histogram, one, recording

import rtlat
from rtlat.errors import SelectionError
from rtlat.protocol import Recording
from rtlat.rows import Rows


@pytest.fixture(scope="module")
def mixed() -> Recording:
    rows, other = Rows(), Rows()
    histogram(rows, {1: 5, 2: 5})
    histogram(rows, {3: 7}, "t1")
    rows.add("t0", "thread", "summary", 1 * US, 2 * US, n=10)
    rows.add("t0", "thread", "sample", 9 * US, 9 * US, n=1, of="over")
    rows.add("t0", "irq", "summary", 1 * US, 2 * US, n=10)
    other.add("all", "irq", "summary", 542, 2100, n=2_000_000, unit="cycles")
    return recording((rows, {}), (other, {}))


def test_what_is_selected_may_be_added(mixed: Recording) -> None:
    bins = rtlat.select(mixed.records, quantity="thread", kind="bin")
    assert bins["n"].sum() == 17
    assert rtlat.select(mixed.records, series="t1")["n"].sum() == 7
    assert rtlat.select(mixed.records, quantity="thread", series=["t0", "t1"], kind=["bin"])["n"].sum() == 17


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({}, "mixes quantity irq, thread: choose one with quantity="),
        ({"quantity": "irq"}, "mixes unit cycles, ns"),
        ({"quantity": "thread"}, "mixes kind bin, summary: choose one with kind="),
        ({"quantity": "thread", "of": None}, "mixes of all, over: choose one with of="),
        ({"quantity": "thraed"}, "no quantity 'thraed' in the selection; did you mean 'thread'"),
        ({"run": "r1", "series": "t0"}, "no series 't0' in the selection; known: all"),
        ({"run": []}, "holds no rows"),
    ],
)
def test_a_mixture_is_refused_with_the_choices(mixed: Recording, wanted: dict[str, Any], message: str) -> None:
    with pytest.raises(SelectionError, match=message):
        rtlat.select(mixed.records, **wanted)


@pytest.mark.parametrize("table", [rtlat.histogram, rtlat.ccdf, rtlat.percentiles])
def test_tables_refuse_mixtures_but_need_no_kind(mixed: Recording, table: Any) -> None:
    assert set(table(mixed, quantity="thread")["series"]) == {"t0", "t1"}
    with pytest.raises(SelectionError, match="irq, thread"):
        table(mixed)
    with pytest.raises(SelectionError, match="cycles, us"):
        table(mixed, quantity="irq")


def test_kinds_of_different_series_do_not_overlap() -> None:
    rows = Rows()
    histogram(rows, {1: 5})
    rows.add("t1", "thread", "summary", -math.inf, 2, n=10)
    assert rtlat.select(one(rows).records)["n"].sum() == 15
