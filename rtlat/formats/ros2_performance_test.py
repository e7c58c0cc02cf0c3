"""The JSON of ApexAI's performance_test: how long messages took from a publisher to a subscriber, second by second.

::

    {"perf_test_version":"eff2a50", ..., "rate":100, "topic_name":"test_topic", ..., "analysis_results":[
    {"experiment_start":6230330930, "loop_start":1000018073, "num_samples_received":99, "num_samples_lost":0,
     "latency_min":0.000034222, "latency_max":0.000039518, "latency_n":100.0, "latency_mean":0.00003521156,
     "latency_M2":6.278323464e-11, "latency_variance":6.278323464e-13, ...}, ...]}

Latencies are in seconds. ``experiment_start`` is the time since the start, at the end of a second, and ``loop_start``
how long that second was [ns]. Variance is M2 / n. Some versions (036a5f5) never reset the latencies: their minimum,
maximum, mean and count are running totals, which only their last second tells once. Such logs give one summary.

The first seconds are left out by the tool. Time from publishing to receiving is no wake-up latency.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

from rtlat import jsontext, schema
from rtlat.errors import LogError
from rtlat.protocol import Format, Run
from rtlat.source import LARGEST_TEXT, Source

_RESULTS = "analysis_results"
_KEPT = ("latency_min", "latency_max", "latency_mean", "latency_n", "latency_variance", "latency_M2")
_TIMES = ("experiment_start", "loop_start")
_COUNTS = ("num_samples_received", "num_samples_lost")


@dataclass(frozen=True, slots=True)
class _Second:
    """One element of the results: latencies as printed [s], times [s]."""

    line: int
    low: str
    high: str
    mean: str
    n: int
    std: float
    end: float
    length: float
    received: int
    lost: int


def parse(source: Source) -> Iterator[Run]:
    """Yield the run of the results.

    Raises
    ------
    LogError
        If the JSON is damaged before the first second ends, or no second has a message.

    Examples
    --------
    >>> second = b'{"latency_min":2e-5,"latency_max":4e-5,"latency_n":9.0,"latency_mean":3e-5,"latency_variance":1e-12}'
    >>> log = b'{"perf_test_version":"1", "topic_name":"scan", "analysis_results":[' + second + b"]}"
    >>> (run,) = parse(Source(None, "demo.json", log))
    >>> rows = run.rows.arrays()
    >>> rows["series"].tolist(), rows["kind"].tolist(), rows["low"].tolist(), rows["n"].tolist()
    (['scan'], ['window'], [20000.0], [9])
    """
    runs: list[Run] = []
    run = Run("performance_test")
    said: dict[str, str] = {}
    element: dict[str, str] = {}
    begun = 0
    seconds: list[_Second] = []
    lines = source.lines(longest=LARGEST_TEXT)  # all seconds stand in one
    for member in jsontext.members(source.name, lines):
        path = member.path
        if member.kind == "text":
            run.ignored.add("text around the JSON", member.line.number)
        elif member.kind == "value" and len(path) == 1:
            said.setdefault(path[0], member.text)
        elif path[:1] == (_RESULTS,) and len(path) == 3 and member.kind == "value":
            element[path[2]] = member.text
        elif path[:1] == (_RESULTS,) and len(path) == 2 and member.kind == "open":
            element, begun = {}, member.line.number
        elif path[:1] == (_RESULTS,) and len(path) == 2 and member.kind == "close":
            if second := _second(element, begun, run):
                seconds.append(second)
        elif member.kind == "close" and not path and seconds:
            _fill(run, said, seconds, True)
            runs.append(run)
            run, said, seconds = Run("performance_test"), {}, []
    if seconds:
        _fill(run, said, seconds, False)
        runs.append(run)
    elif runs:
        runs[-1].ignored.merge(run.ignored)
        runs[-1].rejected.merge(run.rejected)
    if not runs:
        raise LogError(source.name, "no second with a message", "elements of analysis_results with latency_n above 0")
    yield from runs


def _second(element: dict[str, str], line: int, run: Run) -> _Second | None:
    """One second, if its numbers are numbers and agree."""
    try:
        low, high, mean, n, variance = (Decimal(element[key]) for key in _KEPT[:5])
        squares = Decimal(element.get("latency_M2", variance * n))
        end, length = (schema.to_ns(element.get(key, "0"), "ns") / 1e9 for key in _TIMES)
        received, lost = (schema.count(element.get(key, "0")) for key in _COUNTS)
        numbers = (low, high, mean, n, variance, squares)
        if not all((number.is_finite() and abs(number.adjusted()) < 30) or number == 0 for number in numbers):
            raise ValueError("no number a latency can have")
        if n == 0:
            run.ignored.add("seconds without a message", line)
            return None
        if n != int(n) or not 0 < n <= schema.LARGEST_COUNT or variance < 0:
            raise ValueError("no count")
    except (KeyError, InvalidOperation, ValueError):
        run.rejected.add("damaged second", line)
        return None
    rounding = Decimal("1e-9")
    if not low - rounding <= mean <= high + rounding or abs(squares / n - variance) > variance * Decimal("1e-6"):
        run.rejected.add("numbers that contradict each other", line)
        return None
    std = math.sqrt(variance)
    return _Second(line, str(low), str(high), str(mean), int(n), std, end, length, received, lost)


def _fill(run: Run, said: dict[str, str], seconds: list[_Second], whole: bool) -> None:
    """Add rows, facts and warnings."""
    series = said.get("topic_name") or "all"
    quantity = "message" if said.get("roundtrip_mode", "NONE") == "NONE" else "unknown"
    run.facts = _facts(said, seconds, whole)
    if quantity == "unknown":
        run.warnings.append(f"roundtrip_mode is {said['roundtrip_mode']}: times of more than one way have no name here")
    if _are_totals(seconds):
        last = seconds[0]
        for second in seconds[1:]:
            grown = second.n >= last.n and Decimal(second.low) <= Decimal(last.low)
            if grown and Decimal(second.high) >= Decimal(last.high):
                last = second
            else:
                run.rejected.add("running totals that shrink", second.line)
        lost = sum(second.lost for second in seconds)
        _add(run, last, series, quantity, kind="summary", missed=lost)
        run.warnings.append(
            f"the latencies of each second are running totals (latency_n is {last.n} in line {last.line}, where "
            f"{last.received} messages were received): only the last is kept"
        )
    else:
        for second in seconds:
            time = second.end - second.length if second.end else math.nan
            _add(run, second, series, quantity, kind="window", missed=second.lost, time=time)
        other = [second for second in seconds if second.received and second.n != second.received]
        if other:
            run.warnings.append(
                f"line {other[0].line}: latency_n is {other[0].n} where {other[0].received} messages were received, "
                f"and likewise in {len(other) - 1} more seconds; latency_n is taken"
            )
    if not whole:
        run.warnings.append("the log is cut: it holds the seconds that are complete")
    if run.rejected.total:
        first = min(line for _, line in run.rejected.reasons.values())
        run.warnings.append(f"{run.rejected.total} seconds could not be read (the first in line {first})")


def _are_totals(seconds: list[_Second]) -> bool:
    """Whether most seconds count on from the one before."""
    grown = [2 * (after.n - before.n) > after.received for before, after in pairwise(seconds)]
    return 2 * sum(grown) > len(grown)


def _add(run: Run, second: _Second, series: str, quantity: str, **columns: Any) -> None:
    """Add the row of one second."""
    low, high, mean = (schema.to_ns(text, "s") for text in (second.low, second.high, second.mean))
    kind = columns.pop("kind")
    std = second.std * 1e9
    run.rows.add(series, quantity, kind, low, high, n=second.n, avg=mean, std=std, line=second.line, **columns)


def _facts(said: dict[str, str], seconds: list[_Second], whole: bool) -> dict[str, Any]:
    """The columns of runs that the JSON states."""
    words = [said.get(key, "") for key in ("com_mean_str", "rmw_implementation", "msg_name", "qos_reliability")]
    facts: dict[str, Any] = {
        "variant": ", ".join(filter(None, words)),
        "version": said.get("perf_test_version", ""),
        "machine": said.get("external_info_platform", ""),
        "context": "user",
        "printed_unit": "s",
        "unit_basis": "documented",
        "resolution": 1.0,
        "rounding": "exact",
        "evidence": "log",
        "ended": "unknown" if whole else "cut",
    }
    rate, asked = (_number(said.get(key, "")) for key in ("rate", "max_runtime"))
    if rate:
        facts["period"] = 1e9 / rate
    if lengths := [second.length for second in seconds if second.length]:
        facts["window"] = sum(lengths) / len(lengths)
    if seconds[0].end and seconds[-1].end > seconds[0].end - seconds[0].length:
        facts["duration"] = seconds[-1].end - seconds[0].end + seconds[0].length
        facts["duration_basis"] = "derived"
        if asked and whole:  # a second that would end after max_runtime is not begun
            facts["ended"] = "complete" if seconds[-1].end + 2 * facts["window"] > asked else "interrupted"
    return {name: value for name, value in facts.items() if value != ""}


def _number(text: str) -> int:
    """A setting that is a whole number, 0 if it is absent or none."""
    return int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else 0


FORMAT = Format(
    name="ros2_performance_test",
    title="ROS 2 performance_test (ApexAI), JSON",
    gives="a window of message latency for each second; a summary where they are running totals",
    versions="performance_test of ROS 2 galactic",
    words=('"perf_test_version":',),
    marks=(re.compile(r'.{0,400}?"perf_test_version":'),),
    parse=parse,
)
