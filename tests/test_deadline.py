"""Misses of a periodic task: against tasks simulated one activation at a time, and in closed form."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from recordings import TRUNCATED, US, histogram, one
from scipy.stats import poisson

from rtlat.deadlines import deadline
from rtlat.deadlines.deadline import EVERY, PRESETS, RECORDED, Duty, every_period, margin, missing, recorded
from rtlat.intervals import Distribution, counted
from rtlat.rows import Rows
from rtlat.statistics.results import Bounds
from rtlat.timeline.course import Course, Pace, sequence, told

MS = 1e6
SKIPPING = Pace(period=1e-3, skips=True)


def task(limit: float, period: float = 1e-3, tolerated: int = 0) -> Duty:
    """Return a task with its limit in ms."""
    return Duty("a task", period, limit * MS, tolerated)


def samples(values: list[float], step: float = 0.0) -> tuple[Distribution, Course]:
    """Return latencies in ms, in order."""
    low = np.array(values) * MS
    return counted(low, low + step), sequence(low, 1e-3, step)


def test_a_stall_of_fifty_periods_is_one_sample_and_fifty_misses() -> None:
    d, course = samples([0.01] * 500 + [50.0] + [0.01] * 499)
    seen, every = recorded(d, course, task(1)), every_period(d, course, SKIPPING, task(1))
    assert (seen.misses.text(), every.misses.text()) == ("1", "50")
    assert (seen.longest.text(), every.longest.text()) == ("1", "50")
    assert (seen.activations.text(), every.activations.text()) == ("1000", "1049")
    assert seen.per_hour.low == pytest.approx(3600)
    assert every.per_hour.low == pytest.approx(50 / 1049 * 3_600_000)
    assert (seen.view, every.view) == (RECORDED, EVERY)
    assert margin(d, task(1)).text() == str(int(-49 * MS))


class Machine:
    """A processor that is sometimes busy, and the latencies of a task on it, by brute force. Times in us."""

    def __init__(self, seed: int, activations: int = 4000, stalls: int = 12) -> None:
        chance = random.Random(seed)
        self.length = activations * 1000
        self.quiet = [chance.randrange(5, 60) for _ in range(activations)]
        starts = sorted(chance.sample(range(self.length - 200_000), stalls))
        self.stalls = [(start, start + chance.choice([300, 1500, 4200, 20_000, 50_000])) for start in starts]

    def latency(self, due: int) -> int:
        """Return the latency of an activation that is due at some time."""
        ends = [end for start, end in self.stalls if start <= due < end]
        return max(ends, default=due) - due + self.quiet[due // 1000]

    def due(self) -> list[int]:
        """Return the latency of every activation."""
        return [self.latency(time) for time in range(0, self.length, 1000)]

    def recorded(self) -> list[int]:
        """Return what cyclictest records: after a late sample it goes on with the next activation to come."""
        found, time = [], 0
        while time < self.length:
            late = self.latency(time)
            found.append(late)
            now = time + late
            time += 1000
            while now > time:
                time += 1000
        return found


def longest(flags: list[bool]) -> int:
    """Return the length of the longest run."""
    best = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        best = max(best, run)
    return best


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("limit", [100, 500, 1000, 3000])
def test_every_period_is_what_the_task_would_have_suffered(seed: int, limit: int) -> None:
    """From the samples of a tool that skips; the few us of an idle machine make a stall's last misses uncertain."""
    machine = Machine(seed)
    true, values = machine.due(), machine.recorded()
    low = np.array(values) * US
    d, course = counted(low), sequence(low, 1e-3)
    asked = Duty("t", 1e-3, limit * US)
    every, seen = every_period(d, course, SKIPPING, asked), recorded(d, course, asked)
    missed = [late >= limit for late in true]
    assert seen.misses.low == sum(late >= limit for late in values)
    assert seen.longest.low == longest([late >= limit for late in values])
    assert every.activations.low == pytest.approx(len(true), abs=1)
    assert every.misses.low == pytest.approx(sum(missed), abs=len(machine.stalls))
    assert every.longest.low == pytest.approx(longest(missed), abs=2)
    assert max(values) == max(true) or abs(max(values) - max(true)) < 60, (
        "the greatest latency is the same in both views"
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("bins", [400, 3000])
def test_a_histogram_bounds_what_samples_tell(seed: int, bins: int) -> None:
    values = Machine(seed).recorded()
    rows = Rows()
    rows.samples("t0", "thread", np.array(values), np.arange(len(values)) + 1, np.arange(len(values)))
    rows.step = US
    exact = next(told(one(rows, period=MS, tool="cyclictest", **TRUNCATED)))
    table = Rows()
    histogram(table, {late: values.count(late) for late in sorted(set(values)) if late < bins})
    table.add("t0", "thread", "bin", bins * US, math.inf, n=sum(late >= bins for late in values))
    table.add("t0", "thread", "summary", min(values) * US, max(values) * US, n=len(values))
    coarse = next(told(one(table, period=MS, tool="cyclictest", duration=4.0, duration_basis="printed", **TRUNCATED)))
    for limit in (50, 250, 1000, 5000):
        asked = Duty("t", 1e-3, limit * US)
        fine = every_period(exact.distribution, exact.course, exact.pace, asked)
        wide = every_period(coarse.distribution, coarse.course, coarse.pace, asked)
        assert wide.misses.low <= fine.misses.high
        assert wide.misses.high >= fine.misses.low
        assert wide.longest.low <= fine.longest.high
        assert wide.longest.high >= fine.longest.low
        assert wide.activations.low <= fine.activations.high
        assert wide.activations.high >= fine.activations.low - 1


def test_twenty_stalls_of_fifty_milliseconds_in_an_hour() -> None:
    """One hour at 1 kHz: of 3,599,020 samples 20 are late, of 3,600,000 activations 1000."""
    low = np.array([0.005, 50.0]) * MS
    d = counted(low, low, [3_599_000, 20])
    seen, every = recorded(d, "a histogram", task(1)), every_period(d, "a histogram", SKIPPING, task(1))
    assert seen.misses.low / seen.activations.low == pytest.approx(5.6e-6, rel=0.01)
    assert every.misses.low == every.misses.high == 1000
    assert every.misses.low / every.activations.low == pytest.approx(2.7e-4, rel=0.03)
    assert every.per_hour.low == pytest.approx(1000, rel=1e-3)


def test_overruns_in_print_are_what_was_skipped() -> None:
    """Xenomai's latency counts them; the late sample keeps its whole latency."""
    rows = Rows()
    rows.add("all", "thread", "window", 2 * US, 4200 * US, n=996, avg=20 * US, missed=4, time=0.0)
    rows.add("all", "thread", "window", 2 * US, 30 * US, n=1000, avg=5 * US, missed=0, time=1.0)
    found = next(told(one(rows, period=MS, window=1.0, tool="latency")))
    every = every_period(found.distribution, found.course, found.pace, task(0.5))
    seen = recorded(found.distribution, found.course, task(0.5))
    assert every.activations.text() == "2000"
    assert every.basis == "the tool's count of overruns"
    assert seen.misses.low == 1
    assert seen.misses.high == 36, "996 samples of 2 us and more whose mean is 20 us: (20 - 2) 996 / (500 - 2)"
    assert every.misses.low >= 4
    assert every.misses.high == 40


def test_what_the_duration_has_no_room_for_was_not_skipped() -> None:
    d = counted([0.0, 1.0 * MS], [0.9 * MS, math.inf], [900, 10])
    assert missing(d, "", Pace(1e-3, math.nan, skips=True))[0] == Bounds(0, math.inf, "bounds")
    assert missing(d, "", Pace(1e-3, 1.0, skips=True))[0] == Bounds(0, 90, "bounds")


@pytest.mark.parametrize(
    ("pace", "reason"),
    [
        (Pace(skips=True), "the period is not known"),
        (Pace(period=1e-3), "neither overruns nor the duration"),
    ],
)
def test_every_period_is_refused_where_nothing_tells_it(pace: Pace, reason: str) -> None:
    d, course = samples([0.1, 0.2])
    every = every_period(d, course, pace, task(1))
    assert every.misses.status == every.longest.status == every.per_hour.status == "refused"
    assert reason in str(every.misses.reason)
    assert every.verdict(0) == "unknown"
    assert recorded(d, course, task(1)).verdict(0) == "met"


def test_a_tool_that_lost_nothing_misses_what_it_records() -> None:
    d, course = samples([0.1] * 999 + [3.0])
    every = every_period(d, course, Pace(1e-3, 1.0), task(1))
    assert "holds no more activations" in every.basis
    assert every.misses == recorded(d, course, task(1)).misses


def test_cycles_and_unknown_units_have_no_deadline() -> None:
    for unit, reason in (("cycles", "clock rate"), ("unknown", "unit of latencies")):
        d = counted([100.0, 200.0], unit=unit)
        assert reason in str(recorded(d, "", task(1)).misses.reason)
        assert reason in str(margin(d, task(1)).reason)


def test_a_maximum_alone_decides_when_it_is_below_the_limit() -> None:
    """A table of maxima without n: met or missed can be said, a rate cannot."""
    rows = Rows()
    rows.add("T0", "deviation", "summary", -math.inf, 2123 * US)
    found = next(told(one(rows)))
    met, not_met = (recorded(found.distribution, found.course, task(limit)) for limit in (3, 1))
    assert (met.verdict(0), not_met.verdict(0)) == ("met", "missed")
    assert math.isnan(met.at_most)
    assert not_met.per_hour.status == "refused"
    assert every_period(found.distribution, found.course, SKIPPING, task(3)).misses.status == "refused"


def test_without_a_miss_the_rate_is_bounded_by_three_over_n() -> None:
    """With fewer than that, no miss in n activations would have been unlikelier than 5 %."""
    d = counted([0.01 * MS], [0.02 * MS], [3_600_000])
    seen = recorded(d, "", task(1))
    assert seen.misses.text() == "0"
    assert poisson.pmf(0, seen.at_most) == pytest.approx(0.05)
    assert seen.at_most == pytest.approx(2.9957, rel=1e-4)


def test_a_faster_task_is_hit_more_often_by_the_same_stalls() -> None:
    d, course = samples([0.01] * 9_990 + [10.0] * 10)
    slow, fast = (every_period(d, course, SKIPPING, task(1, period)) for period in (1e-3, 250e-6))
    assert fast.per_hour.low == pytest.approx(4 * slow.per_hour.low)
    assert fast.longest.low == 37, "of (10 - 1) ms, one every 250 us, and the first"


def test_verdicts() -> None:
    d, course = samples([0.1, 3.0, 3.0, 0.1, 3.0] + [0.1] * 20)
    seen = recorded(d, course, task(1))
    assert seen.longest.text() == "2"
    assert [seen.verdict(tolerated) for tolerated in (0, 1, 2)] == ["missed", "missed", "tolerated"]
    assert recorded(d, "a histogram", task(1)).verdict(1) == "undecided"
    assert recorded(d, course, task(4)).verdict(0) == "met"


def test_the_limit_itself_is_a_miss() -> None:
    d, course = samples([0.5, 1.0])
    assert recorded(d, course, task(1)).misses.text() == "1"


def test_presets_are_the_tasks_that_users_ask_about() -> None:
    periods = {one.name: one.period for one in PRESETS}
    assert periods == {
        "CNC base thread": 25e-6,
        "EtherCAT, 4 kHz": 250e-6,
        "audio, 64 frames at 48 kHz": pytest.approx(0.001333333),
        "robot, 1 kHz": 1e-3,
    }
    assert all(0 < one.limit < one.period * 1e9 and one.why for one in PRESETS)
    assert deadline.PRESETS[3].tolerated == 19
