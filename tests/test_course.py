"""When observations stood: times by number and period, skipped activations, what tells nothing of time."""

from __future__ import annotations

import gzip
import math
import re
from pathlib import Path

import numpy as np
import pytest
from recordings import TRUNCATED, US, histogram, one

import rtlat
from rtlat.protocol import Recording
from rtlat.rows import Rows
from rtlat.timeline.course import NUMBERED, PLACED, PRINTED, Course, Told, activations, told

DATA = Path(__file__).resolve().parent.parent / "data" / "emulated-kernels"


def only(recording: Recording) -> Told:
    """Return what is told of the only series."""
    (found,) = told(recording)
    return found


def course_of(recording: Recording) -> Course:
    """Return the course of the only series."""
    found = only(recording).course
    assert isinstance(found, Course), found
    return found


def sampled(values: list[int], **facts: object) -> Recording:
    """Return samples in us of one series, one activation after the other."""
    rows = Rows()
    numbers = np.arange(len(values))
    rows.samples("t0", "thread", np.array(values), numbers + 1, numbers)
    rows.step = US
    return one(rows, **{"period": 1e6, **TRUNCATED, **facts})


def test_a_skipping_tool_is_late_by_what_it_skipped() -> None:
    """cyclictest goes on with the next activation still to come: 2.5 ms late, two are gone; exactly 1 ms, none is."""
    found = course_of(sampled([10, 2500, 10, 1000, 10], tool="cyclictest"))
    assert found.time.tolist() == pytest.approx([0.000, 0.001, 0.004, 0.005, 0.006])
    assert found.end == pytest.approx(0.007)
    assert (found.kind, found.basis, found.unit) == ("sample", NUMBERED, "s")


def test_another_tool_counts_what_it_counts() -> None:
    found = course_of(sampled([10, 2500, 10], tool="made"))
    assert found.time.tolist() == pytest.approx([0.000, 0.001, 0.002])


def test_without_a_period_only_the_order_is_known() -> None:
    found = course_of(sampled([10, 20], tool="cyclictest", period=math.nan))
    assert (found.basis, found.unit, found.time.tolist()) == (PLACED, "activations", [0.0, 1.0])


def test_the_two_threads_of_a_recorded_log_end_together() -> None:
    """Threads of 1 and 1.5 ms ran until the first had 8000 samples: 8 s and 8.35 s by their numbers alone."""
    recording = rtlat.read(DATA / "stock" / "cyclictest-load.samples.gz")
    ends = [found.course.end for found in told(recording) if isinstance(found.course, Course)]
    assert ends[0] == pytest.approx(ends[1], rel=0.03)
    text = gzip.decompress((DATA / "stock" / "cyclictest-load.samples.gz").read_bytes()).decode()
    due = clock = 0
    for late in map(int, re.findall(r"^ +0: +\d+: +(\d+)$", text, re.M)):
        clock = max(clock, due + late)
        due += 1000
        while due < clock:
            due += 1000
    assert ends[0] == pytest.approx(due / 1e6, abs=0.002)


def test_a_stale_number_is_the_next_one() -> None:
    assert activations(np.array([17, 17, 19])).tolist() == [17, 18, 19]
    assert activations(np.array([3, 7, 8])).tolist() == [3, 7, 8]


def test_a_time_in_print_comes_first() -> None:
    rows = Rows()
    ends = np.array([5.0, 9.0])
    rows.extend("all", "thread", "window", ends * US, ends * 2 * US, n=1000, time=np.array([0.0, 1.25]))
    found = course_of(one(rows, window=1.25))
    assert (found.kind, found.basis, found.time.tolist(), found.end) == ("window", PRINTED, [0.0, 1.25], 2.5)
    assert found.low.tolist() == [10_000.0, 18_000.0]


def overflowed(seq: list[int], n: int, **facts: object) -> Recording:
    """Return a histogram up to 100 us whose overflow is listed by cycle number."""
    rows = Rows()
    histogram(rows, {10: n - 9})
    rows.add("t0", "thread", "bin", 100 * US, math.inf, n=9)
    edge = np.full(len(seq), 100 * US)
    rows.extend("t0", "thread", "bin", edge, np.full(len(seq), math.inf), n=1, of="over", seq=np.array(seq))
    return one(rows, **{"period": 1e6, "tool": "cyclictest", **facts})


def test_overflows_have_the_time_of_their_number() -> None:
    listed = [100, 250, 500, 501, 502, 900, 1200, 3000, 4000]
    found = course_of(overflowed(listed, 5000, duration=6.0, duration_basis="printed"))
    assert found.time.tolist() == pytest.approx([number / 1000 for number in listed])
    assert (found.kind, found.end, found.lag) == ("over", pytest.approx(5.0), pytest.approx(1.0))


def test_a_list_that_is_cut_tells_nothing_of_what_came_later() -> None:
    found = course_of(overflowed([100, 250], 5000))
    assert found.end == pytest.approx(0.251)


def test_a_histogram_alone_tells_nothing_of_time() -> None:
    rows = Rows()
    histogram(rows, {3: 9})
    assert "nothing tells when" in str(only(one(rows)).course)


def test_samples_counted_by_value_by_others_have_lost_their_order() -> None:
    rows = Rows()
    rows.add("t0", "thread", "bin", 3.0, 4.0, n=7)
    assert "order is gone" in str(only(one(rows, bin_edges="samples")).course)


@pytest.mark.parametrize("printed", [True, False])
def test_the_blocks_of_many_samples_are_their_course(printed: bool) -> None:
    """200,000 cycles of 1 ms; what is seen must be what all samples show, block by block."""
    value = np.random.default_rng(8).geometric(0.05, 200_000)
    value[123_456] = 5_000
    cycle = np.arange(len(value))
    rows = Rows(keep=1_000)
    rows.samples("t0", "thread", value, cycle + 1, cycle, cycle * 0.001 if printed else None)
    course = course_of(one(rows, bin_edges="samples", period=1e6, resolution=1.0, rounding="truncated"))
    assert (course.kind, course.basis) == ("window", PRINTED if printed else NUMBERED)
    assert math.isclose(course.end, 200.0, abs_tol=0.001)
    size = round(course.grain / 0.001)
    starts = np.arange(0, len(value), size)
    np.testing.assert_allclose(course.time, starts * 0.001)
    np.testing.assert_array_equal(course.low, np.maximum.reduceat(value, starts))
    np.testing.assert_array_equal(course.high, np.maximum.reduceat(value, starts) + 1)
    np.testing.assert_array_equal(course.rows.n, np.diff(starts, append=len(value)))


def test_blocks_of_a_tool_that_skips_may_have_come_later() -> None:
    value = np.full(4_000, 100)
    value[[7, 2_000]] = 3_500, 2_000  # 3.5 and 2 periods: three activations and one are gone
    rows = Rows(keep=100)
    rows.samples("t0", "thread", value, np.arange(4_000) + 1, np.arange(4_000))
    course = course_of(one(rows, bin_edges="samples", period=1e3, tool="cyclictest", resolution=1.0))
    assert math.isclose(course.lag, 4e-6)


def test_blocks_without_a_period_are_counted() -> None:
    rows = Rows(keep=100)
    rows.samples("t0", "thread", np.arange(1_000), np.arange(1_000) + 1, np.arange(1_000))
    course = course_of(one(rows, bin_edges="samples"))
    assert (course.basis, course.time.tolist()) == (PLACED, list(range(16)))
    assert course.end == 1_000 / 64


def test_a_claim_has_no_course() -> None:
    assert "claim" in str(only(sampled([1, 2], evidence="claim")).course)


def test_a_series_goes_by_its_processor() -> None:
    rows = Rows()
    for name in ("t2", "cpu5", "all", "t9"):
        rows.add(name, "thread", "summary", 1.0, 2.0)
    series = [
        {"run": "r0", "series": name, "cpu": cpu} for name, cpu in (("t2", 4), ("cpu5", 5), ("all", 1), ("t9", None))
    ]
    places = [found.place for found in told(one(rows, series=series))]
    assert places == ["t2 (CPU 4)", "CPU 5", "CPU 1", "t9"]


def test_overflow_numbers_of_a_log_as_it_is_printed(tmp_path: Path) -> None:
    """The lists below the histogram, which nobody reads."""
    text = (
        "# /dev/cpu_dma_latency set to 0us\n# Histogram\n000000 000000\t000000\n000001 000995\t000999\n"
        "# Total: 000000995 000000999\n# Min Latencies: 00001 00001\n# Avg Latencies: 00001 00001\n"
        "# Max Latencies: 00009 00007\n# Histogram Overflows: 00005 00001\n# Histogram Overflow at cycle number:\n"
        "# Thread 0: 00100 00300 00500 00700 00900\n# Thread 1: 00042\n\n"
    )
    (tmp_path / "a.hist").write_text(text)
    recording = rtlat.read(tmp_path / "a.hist", period="1ms")
    times = [found.course.time.tolist() for found in told(recording) if isinstance(found.course, Course)]
    assert times == [pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9]), pytest.approx([0.042])]
