"""What every JSON report of rt-tests says beside its threads: command, version, kernel, times; and how a run ended.

Private to ``rt_tests_json``.

Source: rt-tests ``src/lib/rt-utils.c`` (rt_write_json).
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from rtlat import cyclictest, jsontext, schema
from rtlat.errors import LogError, UnsupportedFormatError
from rtlat.formats._rt_tests_tools import QUANTITY, version

_LOOPS = re.compile(r"(?:^| )(?:-l *|--loops[ =])(\d{1,9})\b")
_STANDARD_ROUNDS = 50  # of rt-migrate-test


class Measured(NamedTuple):
    """What the threads of a report say together.

    Attributes
    ----------
    most : int
        Observations of the thread that has most, -1 if that is not known.
    highest : float
        The highest latency, infinite if that is not known [printed unit].
    sound : bool
        Whether all counts add up.
    complete : bool or None
        Whether the run lasted as long as it was asked to; None if the report's own times tell that.
    """

    most: int
    highest: float
    sound: bool = True
    complete: bool | None = None


def command_of(report: jsontext.Object) -> str:
    """Return the command line, whose key ends in a colon."""
    return report.text("cmdline:") or report.text("cmdline")


def tool_of(report: jsontext.Object, names: list[str]) -> str:
    """Return the tool of rt-tests that wrote a report, by its command line.

    Raises
    ------
    UnsupportedFormatError
        If it is none that measures a latency.
    """
    command = command_of(report)
    program = command.split()[0].rpartition("/")[2][:40] if command.split() else ""
    known = next((tool for tool in QUANTITY if tool in program), "")
    # only cyclictest gives its threads a NUMA node; a copy of it under another name still does
    nodes = [("thread", name, "node") in report.members for name in names]
    if not known and not (nodes and all(nodes)):
        found = f"JSON of {program or 'an unnamed tool'}"
        line = report.line("cmdline:") or report.line("cmdline") or 1
        raise UnsupportedFormatError(
            report.where, found, "JSON of a tool that measures latency", "see rtlat formats", line
        )
    return known or "cyclictest"


def asked(tool: str, command: str) -> cyclictest.Asked:
    """Return what a command line asks for, as far as the tool's options are those of cyclictest.

    Examples
    --------
    >>> asked("oslat", "oslat -D2 -b8").threshold, asked("pmqtest", "pmqtest -D2 -b8").threshold
    (0, 8)
    >>> asked("rt-migrate-test", "rt-migrate-test -c -l 10").loops, asked("rt-migrate-test", "rt-migrate-test").loops
    (10, 50)
    """
    found = cyclictest.asked(command)
    if tool == "oslat":  # -b is the number of its buckets
        return replace(found, threshold=0, loops=0)
    if tool == "rt-migrate-test":  # -c takes no value
        loops = _LOOPS.search(command)
        return replace(found, threshold=0, loops=int(loops[1]) if loops else _STANDARD_ROUNDS)
    return found if tool in ("cyclictest", "cyclicdeadline") else replace(found, limit=0)


def facts_of(report: jsontext.Object, command: str) -> dict[str, Any]:
    """Return the columns of runs that a report of any tool states; the node's name is nobody's business."""
    system = [report.text("sysinfo", key) for key in ("release", "version")]
    facts: dict[str, Any] = {
        "variant": "json",
        "version": version(report.text("rt_test_version:") or report.text("rt_test_version")),
        "command": command,
        "kernel": " ".join(filter(None, system)),
        "started": report.text("start_time"),
        "context": "user",
        "evidence": "log",
    }
    if report.text("sysinfo", "realtime") == "1" or re.search("PREEMPT[_ ]RT", system[1]):
        facts["approach"] = "PREEMPT_RT"  # mainline's PREEMPT_RT has no /sys/kernel/realtime to set the first
    try:
        begin, end = (parsedate_to_datetime(report.text(key)) for key in ("start_time", "end_time"))
        seconds = (end - begin).total_seconds()
    except (ValueError, TypeError, OverflowError):
        seconds = 0.0
    if seconds > 0:
        facts |= {"duration": seconds, "duration_basis": "derived"}
    return {name: value for name, value in facts.items() if value != ""}


def ended(report: jsontext.Object, wanted: cyclictest.Asked, measured: Measured, seconds: float) -> str:
    """Return how the run of a report ended."""
    if not report.whole or not measured.sound:
        return "cut"
    if not command_of(report) or report.text("return_code") not in ("", "0"):
        return "unknown"
    if measured.complete is not None:
        return "complete" if measured.complete else "interrupted"
    if measured.most < 0:
        return "unknown"
    return wanted.ended(measured.most, measured.highest, seconds)


def refuse_nothing(report: jsontext.Object, line: int) -> LogError:
    """Return the error of a report in which no thread measured anything."""
    found = "no sample in any thread" if report.whole else "JSON that is cut before its first thread ends"
    return LogError(report.where, found, "at least one sample", line=line)


def number_of(report: jsontext.Object, unit: str, *path: str) -> float:
    """Return a number that is printed in `unit`; NaN if there was nothing to average [ns].

    Raises
    ------
    LogError
        If it is no number.
    """
    text = report.text(*path)
    if text in ("nan", "-nan"):
        return math.nan
    if not re.fullmatch(r"-?\d{1,20}(?:\.\d{1,9})?", text, re.ASCII):
        raise LogError(report.where, f"{path[-1]} {text[:40]!r}", "a number", line=report.line(*path))
    return schema.to_ns(text, unit)
