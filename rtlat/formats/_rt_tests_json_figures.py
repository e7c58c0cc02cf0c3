"""Reports without a histogram: signaltest's ring, pairs of sender and receiver, rt-migrate-test's tasks.

All in microseconds. What the figures mean is told in ``rt_tests_signal``, ``rt_tests_pairs`` and
``rt_tests_migrate``. Two things differ from the text: averages are not rounded, and signaltest gives each
thread the CPU of the first.

Private to ``rt_tests_json``.

Sources: rt-tests ``src/signaltest``, ``src/pmqtest``, ``src/ptsematest``, ``src/svsematest``,
``src/sigwaittest``, ``src/rt-migrate-test`` (write_stats).
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from rtlat import cyclictest, jsontext
from rtlat.errors import LogError
from rtlat.formats._rt_tests_json_facts import Measured, command_of, number_of, refuse_nothing
from rtlat.formats._rt_tests_tools import MICROSECONDS, MIGRATION_NOTE, QUANTITY, RING_PAUSE, rounds
from rtlat.protocol import Run


class _Figures(NamedTuple):
    """Figures of a thread [ns] and the line of their maximum; `n` is -1 if it is not known."""

    series: str
    line: int
    n: int
    low: float
    high: float
    average: float


def ring(run: Run, report: jsontext.Object, names: list[str], wanted: cyclictest.Asked) -> Measured:
    """Add what signaltest says of its threads; only the first times the ring alone."""
    found = [_figures(report, name, ("thread", name), ("thread", name, "cycles")) for name in names]
    run.facts |= {"variant": f"json, ring of {len(names)} threads"} if report.whole else {}
    for figures in found:
        run.series[figures.series] = {"n": figures.n}
        if figures.series == "t0":
            run.series["t0"] |= {"cpu": report.whole_number("thread", "0", "cpu")}
        elif figures.n:
            run.warnings.append(f"line {figures.line}: {figures.series} {RING_PAUSE}")
    return _add(run, report, found, wanted)


def pairs(run: Run, report: jsontext.Object, names: list[str], wanted: cyclictest.Asked) -> Measured:
    """Add what pmqtest, ptsematest, svsematest or sigwaittest says of its pairs."""
    found = []
    if re.search(r" (?:-\w*T|--timeout)", command_of(report)):
        run.warnings.append("a receiver that timed out (-T) counts as a latency without its whole seconds")
    for name in names:
        sender, receiver = ("thread", name, "sender"), ("thread", name, "receiver")
        figures = _figures(report, name, receiver, (*sender, "samples"))
        found.append(figures)
        priority, period = report.whole_number(*receiver, "priority"), report.whole_number(*sender, "interval")
        series: dict[str, Any] = {"n": figures.n, "cpu": report.whole_number(*receiver, "cpu"), "priority": priority}
        series |= {"policy": "fifo"} if priority else {}
        run.series[figures.series] = series | ({"period": period * 1000.0} if period > 0 else {})
    return _add(run, report, found, wanted)


def tasks(run: Run, report: jsontext.Object, names: list[str], wanted: cyclictest.Asked) -> Measured:
    """Add what rt-migrate-test says of its tasks: their total and average tell how many rounds there were."""
    totals = [report.whole_number("thread", name, "total") for name in names]
    averages = [report.whole_number("thread", name, "avg") for name in names]
    n = rounds(zip(totals, averages, strict=True)) if names and min(totals + averages) >= 0 else -1
    found = [_figures(report, name, ("thread", name))._replace(n=n) for name in names]
    for name, figures in zip(names, found, strict=True):
        run.series[figures.series] = {"priority": report.whole_number("thread", name, "prio"), "policy": "fifo"}
        run.series[figures.series] |= {"n": n} if n >= 0 else {}
    run.facts["note"] = MIGRATION_NOTE
    return _add(run, report, found, wanted)


def _figures(report: jsontext.Object, name: str, path: jsontext.Path, count: jsontext.Path = ()) -> _Figures:
    """The figures of an object, and how many observations it counts."""
    n = report.whole_number(*count) if count else -1
    if n < 0 and count:
        raise LogError(report.where, f"{count[-1]} {n}", "a count", line=report.line(*count))
    low, high = (1000.0 * report.whole_number(*path, key) for key in ("min", "max"))
    return _Figures(f"t{name}", report.line(*path, "max"), n, low, high, number_of(report, "us", *path, "avg"))


def _add(run: Run, report: jsontext.Object, found: list[_Figures], wanted: cyclictest.Asked) -> Measured:
    """Add the summaries of all threads that have an observation."""
    some = [figures for figures in found if figures.n and min(figures.low, figures.high) >= 0]
    if not some:
        raise refuse_nothing(report, found[0].line if found else 0)
    run.facts = {**MICROSECONDS, **run.facts}
    if wanted.threshold:
        run.facts["threshold"] = wanted.threshold * 1000.0
    for figures in found:
        where = f"line {figures.line}: {figures.series}"
        if figures not in some:
            run.warnings.append(f"{where} has no sample")
            continue
        if not figures.low <= figures.average <= figures.high:
            run.warnings.append(
                f"{where} has min {figures.low:g}, avg {figures.average:g} and max {figures.high:g} ns, which "
                "contradict each other: they are not kept"
            )
            continue
        run.rows.add(
            figures.series,
            QUANTITY[run.tool],
            "summary",
            figures.low,
            figures.high,
            n=figures.n,
            of="part" if run.tool == "signaltest" and figures.series != "t0" else "all",
            avg=figures.average,
            line=figures.line,
        )
    if not len(run.rows):
        raise LogError(report.where, "no thread whose figures agree", "min, avg and max in this order")
    return Measured(max(figures.n for figures in found), max(figures.high for figures in some) / 1000.0)
