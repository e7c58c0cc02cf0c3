"""The test-length planner: both ways round, by the exact law, from logs and on the command line."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from recordings import TRUNCATED, US, histogram, one, recording
from scipy.stats import binom, poisson

from rtlat.cli import main
from rtlat.errors import UsageError
from rtlat.intervals import counted
from rtlat.rows import Rows
from rtlat.tails.plan import Plan, cycles_without, lasting, plan
from rtlat.tails.plans import plans, plans_text
from rtlat.tails.refusals import Refusal

MS = 1e6


def planned(n: int, over: int = 0, per: str = "day", confidence: float = 95, period: float = MS) -> Plan:
    counts = [n - over, over] if over else [n]
    found = plan(counted([20, 60][: len(counts)], n=counts), 50, "50 us", per, confidence, period)
    assert isinstance(found, Plan)
    return found


def test_the_sentence_both_ways_round() -> None:
    assert planned(19_800_000).text() == (
        "to show fewer than one exceedance of 50 us per day with 95 % confidence run 72 h without one; "
        "you have 5.5 h without one: fewer than 13.1 a day"
    )


@pytest.mark.parametrize("confidence", [90, 95, 99.9])
@pytest.mark.parametrize("share", [0.3, 1e-3, 1e-6])
def test_a_cycle_less_would_not_show_it(share: float, confidence: float) -> None:
    cycles = cycles_without(share, confidence)
    assert (1 - share) ** cycles <= 1 - confidence / 100 < (1 - share) ** (cycles - 1)


def test_what_is_needed_shows_it_and_a_cycle_less_does_not() -> None:
    needed = planned(1000).needed
    assert planned(needed).shown is True
    assert planned(needed - 1).shown is None
    assert ", which shows it" in planned(needed).text()


@pytest.mark.parametrize("over", [1, 3, 40])
def test_bounds_with_exceedances_are_one_sided_and_exact(over: int) -> None:
    found = planned(86_400_000, over)
    for rate, chance in ((found.at_most, binom.cdf), (found.at_least, lambda k, n, p: binom.sf(k - 1, n, p))):
        assert chance(over, 86_400_000, rate / 86_400_000) == pytest.approx(0.05, rel=1e-6)
    assert poisson.cdf(over, found.at_most) == pytest.approx(0.05, rel=1e-3), "a day's worth is Poisson"
    assert f"you have 24 h with {over}: fewer than" in found.text()
    assert found.shown is (False if over == 40 else None)


@pytest.mark.parametrize(("per", "times"), [("second", 1), ("hour", 3600), ("week", 604_800), ("year", 31_557_600)])
def test_units_of_time(per: str, times: float) -> None:
    found = planned(10**6, per=per)
    assert found.needs == pytest.approx(times * math.log(20), rel=0.01)
    assert f"per {per} with" in found.text()


def test_without_a_period_it_is_per_cycle_only_and_says_so() -> None:
    text = planned(60_000, period=math.nan).text()
    assert text.startswith(
        "to show fewer than one exceedance of 50 us in 1000000 cycles with 95 % confidence run 2995731"
    )
    assert "fewer than 49.9 in 1000000 cycles" in text
    assert "the period is not known, so nothing is said per day" in text


def test_what_cannot_be_planned() -> None:
    found = plan(counted([]), 50, "50 us")
    assert isinstance(found, Refusal)
    for per, period, words in (("fortnight", MS, "no unit of time"), ("second", 2e9, "not shorter than that")):
        with pytest.raises(UsageError, match=words):
            plan(counted([1]), 50, "50 us", per, period=period)
    with pytest.raises(UsageError, match="no confidence"):
        plan(counted([1]), 50, "50 us", confidence=100)


@pytest.mark.parametrize(
    ("seconds", "down", "up"),
    [
        (258_832, "71 h", "72 h"),
        (19_800, "5.5 h", "5.5 h"),
        (59.96, "59 s", "60 s"),
        (0, "0 s", "0 s"),
        (1e7, "115 days", "116 days"),
    ],
)
def test_durations(seconds: float, down: str, up: str) -> None:
    assert lasting(seconds) == down
    assert lasting(seconds, up=True) == up


def two_threads() -> Rows:
    rows = Rows()
    histogram(rows, {10: 5_000_000}, "t0")
    histogram(rows, {10: 9_999_999, 70: 1}, "t1")
    rows.add("T9", "deviation", "summary", -math.inf, 2123 * US)
    return rows


def test_series_have_their_own_period_and_stand_together() -> None:
    own = [{"run": "r0", "series": "t0", "period": 1e6}, {"run": "r0", "series": "t1", "period": 5e5}]
    t0, t1, none, both = plans(one(two_threads(), own, **TRUNCATED), "50us", "hour")
    for found, hours in ((t0, 5 / 3.6), (t1, 5 / 3.6), (both, 10 / 3.6)):
        assert isinstance(found.answer, Plan)
        assert found.answer.had == pytest.approx(hours * 3600)
    assert both.pooled
    assert isinstance(both.answer, Plan)
    assert both.answer.counted.low == both.answer.counted.high == 1
    assert isinstance(none.answer, Refusal)
    text = plans_text([t0, t1, none, both])
    assert "r0 t0 thread: to show fewer than one exceedance of 50 us per hour" in text
    assert "r0 all series together thread: " in text
    assert "r0 T9 deviation: refused: the number of observations is unknown" in text


def test_cycles_are_no_time() -> None:
    rows = Rows()
    rows.add("all", "irq", "summary", 542, 2100, n=2_000_000, unit="cycles")
    made = recording((rows, {}))
    (found,) = plans(made, "50us")
    assert isinstance(found.answer, Refusal)
    assert found.answer.kind == "unit unknown"
    (found,) = plans(made, "3000")
    assert isinstance(found.answer, Plan), "a summary will do where its maximum is below the limit"
    assert found.answer.limit == "3000 cycles"


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "a.txt"
    path.write_text("interval: 1000 loops: 3\nInterrupt statistics\n0.40 60000 (100.000000)\n")
    return str(path)


def test_on_the_command_line(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--limit", "50us", "--per", "hour", "--set", "period=1ms", log]) == 0
    assert capsys.readouterr().out == (
        "a all: to show fewer than one exceedance of 50 us per hour with 95 % confidence run 3 h without one; "
        "you have 1 min without one: fewer than 180 an hour\n"
    )
    assert main(["plan", "--limit", "50us", "--confidence", "99", log, "--json"]) == 0
    document = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert (document["schema"], document["per"], document["confidence"]) == (1, "day", 99)
    (entry,) = document["plans"]
    assert entry["n"] == 60_000
    assert entry["exceedances"] == {"low": 0, "high": 0}
    assert entry["period_ns"] == 1e6, "1000 interrupts a second, as the log says"
    assert entry["fewer_than"] == pytest.approx(-math.log(0.01) * 86_400_000 / 60_000, rel=1e-3)
    assert entry["needed_cycles"] == pytest.approx(-math.log(0.01) * 86_400_000, rel=1e-6)
    assert entry["needed_seconds"] == pytest.approx(entry["needed_cycles"] / 1000)


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--limit", "fast"], 2, "limit: 'fast' has no known unit"),
        (["--limit", "50us", "--per", "fortnight"], 2, "no unit of time; known: day, hour"),
        (["--limit", "50us", "--confidence", "101"], 2, "'101' is no confidence"),
    ],
)
def test_usage(log: str, capsys: pytest.CaptureFixture[str], words: list[str], status: int, message: str) -> None:
    assert main(["plan", *words, log]) == status
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""
