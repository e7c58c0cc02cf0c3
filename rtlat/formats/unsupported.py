"""Logs of tools that rtlat does not read yet, recognised so that they are refused by name.

Only asked when no format claims a log. A pattern is one line that the tool itself prints; it matches no log
of the formats that are read, and bounds every repetition that could run along a hostile line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rtlat.source import Line


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A tool whose output is known by name only.

    Attributes
    ----------
    name : str
        The tool, and its mode where that decides what it measured.
    pattern : Pattern
        A line it prints (`match`, on cleaned text).
    """

    name: str
    pattern: re.Pattern[str]


_PATTERNS = {
    # kernel traces without timerlat, osnoise, hwlat or a latency tracer
    "kernel tracer": r"(?:# )?tracer: (?:nop|function|function_graph|blk|branch|mmiotrace)\s*$",
    "trace-cmd report": r"cpus=\d+\s*$",
    # rt-tests: what measures no latency, and what holds no result
    "deadline_test": r"missed (?:deadlines|periods) +[=:] \d|ctx switches vol:\d+ nonvol:",
    "hackbench": r"Running in (?:process|threaded) mode with \d+ groups using|hackbench V \d",
    "pi_stress": r"Total inversion performed: \d|Starting PI Stress Test|pi_stress V \d",
    "pip_stress": r"Successfully used priority inheritance to handle an inversion|pip_stress V \d",
    "ssdd": r"#main : \d|forktest#\d+/\d|All tests PASSED\.|ssdd V \d",
    "hwlatdetect (failed)": r'  File "\S{1,99}hwlatdetect", line \d',
    "rt-tests usage or header": (
        r"(?:cyclicdeadline|signaltest|pmqtest|ptsematest|svsematest|sigwaittest|oslat|queuelat) V \d"
        r"|rt-migrate-test \d"
    ),
    # dual kernels, where the tool has no RTD table
    "EVL hectic": r"\s*== Threads: switcher_",
    "Xenomai switchtest": r"\s*== Threads: sleeper_|\s*RTH\|-*cpu\|ctx switches\|",
    "Xenomai switchbench": r"\s*RTH\|[- ]*lat min\|[- ]*lat avg\|[- ]*lat max\|[- ]*lost",
    # other latency tools
    "stress-ng without --cyclic": r"stress-ng: +(?:info|debug|metrc|metric|warn|fail|error)|\s+stress-ng-version:",
    "rt-app console": r"\[rt-app\] <",
    "LAVA without latencies": r"The job with ID # ?\d+ is now in state|<LAVA_SIGNAL_",
    "bpftrace without a histogram": r'Attaching \d+ probes?\.\.\.|\{"type": "attached_probes"',
    "rteval text report": r"\|?\s*rteval \(v\d",
    "LinuxCNC latency-test": r"\s*Max Interval \(ns\) +Max Jitter \(ns\)",
}

UNSUPPORTED = tuple(Unsupported(name, re.compile(pattern)) for name, pattern in _PATTERNS.items())
"""What is refused by name."""


def recognise(lines: Iterable[Line]) -> tuple[str, Line] | None:
    """Return the name of the tool that printed a log, with the first line that shows it.

    Parameters
    ----------
    lines : iterable of Line
        The head of a log that no format claims.

    Returns
    -------
    tuple of str and Line, or None
        None if no known tool prints such a line.

    Examples
    --------
    >>> head = [Line(1, "mount: busy"), Line(2, "ssdd V 2.40"), Line(3, "Usage:")]
    >>> recognise(head)
    ('ssdd', Line(number=2, text='ssdd V 2.40', quote=0, whole=True))
    >>> recognise([Line(1, "T: 0 (12935) P:95 I:1000 C:      1 Min:     25 Act:   25 Avg:   25 Max:      25")])
    """
    for line in lines:
        for tool in UNSUPPORTED:
            if tool.pattern.match(line.text):
                return tool.name, line
    return None
