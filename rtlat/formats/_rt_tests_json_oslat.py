"""The cores of oslat in a JSON report. What its buckets hold is told in ``_rt_tests_oslat``.

With ``-W`` in nanoseconds the labels are microseconds with three decimals, min and max are nanoseconds, and avg
is neither. Empty buckets are left out, so that only the command line tells which one would be the last.

Private to ``rt_tests_json``.

Source: rt-tests ``src/oslat/oslat.c`` (write_summary_json).
"""

from __future__ import annotations

import re

from rtlat import cyclictest, jsontext
from rtlat.errors import LogError
from rtlat.formats import _rt_tests_oslat as oslat
from rtlat.formats._rt_tests_json_facts import Measured, number_of, refuse_nothing
from rtlat.formats._rt_tests_tools import MICROSECONDS
from rtlat.protocol import Run

_WIDTH = re.compile(r" (?:-\w*?W *|--bucket-width[ =])(\d{1,9})\b")
_NUMBER = re.compile(r" (?:-\w*?b *|--bucket-size[ =])(\d{1,5})\b")
_BIAS = re.compile(r" (?:-[a-zA-V]*B|--bias\b)")
_STANDARD_NUMBER = 32


def state(run: Run, report: jsontext.Object, names: list[str], wanted: cyclictest.Asked) -> Measured:
    """Add what oslat says of its cores.

    Raises
    ------
    LogError
        If a number is none, or no core counted a pass.
    """
    command = str(run.facts.get("command", ""))
    width = _WIDTH.search(command)
    precise = bool(width and int(width[1]) % 1000)
    unit = 1 if precise else 1000
    cores = [_core(report, name, unit, precise) for name in names]
    if not any(core.buckets for core in cores):
        raise refuse_nothing(report, cores[0].line if cores else 0)
    step = int(width[1]) if width else 1000
    for core in cores:
        for label, (_, line) in core.buckets.items():
            if (label - (min(core.buckets) if _BIAS.search(command) else 0)) % step:
                found = f"a bucket up to {label} ns where buckets are {step} ns wide"
                raise LogError(report.where, found, "the command line of the same run", line=line)
    number = _NUMBER.search(command)
    count = int(number[1]) if number else _STANDARD_NUMBER * 1000 // step if step < 1000 else _STANDARD_NUMBER
    bias = None if _BIAS.search(command) else 0
    last = step * count if command and bias == 0 else 0
    version = oslat.version_of(report.text("rt_test_version:") or report.text("rt_test_version"))
    seconds = max(number_of(report, "s", "thread", name, "duration") for name in names) / 1e9
    run.facts = {**MICROSECONDS, **run.facts, "resolution": float(unit), "note": oslat.NOTE}
    run.facts |= {"bin_edges": "given", "overflow_policy": "clamped into last bin"}
    run.facts |= {"duration": seconds, "duration_basis": "printed"}
    agree = oslat.state(run, cores, oslat.Buckets(unit, step, bias, last, version), True)
    # the alarm that ends it goes off before its last threads have run as long as asked
    complete = seconds >= (wanted.duration or 1) - 1 if command else None
    return Measured(max(core.n for core in cores), 0, agree, complete)


def _core(report: jsontext.Object, name: str, unit: int, precise: bool) -> oslat.Core:
    """What is printed of a core."""
    path = ("thread", name)
    core = oslat.Core(report.whole_number(*path, "cpu"), line=report.line(*path, "max"))
    labels, counts, lines = report.table(*path, "histogram", decimals=3 if precise else 0)
    for label, count, line in zip(labels.tolist(), counts.tolist(), lines.tolist(), strict=True):
        if count:
            core.buckets[label * unit] = count, line
    low, high = (report.whole_number(*path, key) for key in ("min", "max"))
    if core.buckets and (low < 0 or high < 0 or core.number < 0):
        raise LogError(
            report.where, f"min {low} and max {high} of cpu {core.number}", "no negative number", line=core.line
        )
    if core.buckets:
        core.low, core.high = low * unit, high * unit
    return core
