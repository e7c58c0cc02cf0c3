"""One line of a kernel trace: on which CPU, when, and what its event tells.

A line is ``TASK-PID [CPU] FLAGS TIMESTAMP: EVENT``. Task names hold blanks and dashes; the flags have four to nine
characters, or are absent: so a line is read from ``[CPU]`` outward. One event is written in three dialects::

    #20    context thread timer_latency    857164 ns                     the tracer's text: trace, trace_pipe
    timerlat:     seq:20	context:1	timer_latency:857164                  trace-cmd report
    osnoise:timerlat_sample: timer_latency=857164 seqnum=20 context=1    a tracepoint of Linux 6.15, perf script

Sources: Linux ``kernel/trace/trace_output.c`` and ``trace_entries.h``, ``include/trace/events/osnoise.h``.

Private to ``tracer_lines``, and imports no other format.
"""

from __future__ import annotations

import re
from typing import NamedTuple

PREFIX = (
    r"\s*+\S.{0,48}?[- ]\d{1,10} +(?:\([ \d-]{1,12}\) +)?\[(\d{3,5})\] +(?:[^\s:\[\]]{2,10} +)?"
    r"(\d{1,12})(?:\.(\d{1,9}))?:"
)
"""All before the event: task, CPU, flags, and the time stamp, whose fraction a clock without seconds lacks."""

TEXT, REPORT, TRACEPOINT = "tracer's text", "trace-cmd report", "tracepoint"

_LINE = re.compile(PREFIX + r"(?:\s+(.*))?$")
_PATTERNS = tuple(
    (kind, dialect, re.compile(pattern.replace("N", r"\d{1,20}")))
    for kind, dialect, pattern in (
        ("timerlat", TEXT, r"#(?P<seq>N) +context +(?P<what>irq|thread|user-ret) +timer_latency +(?P<latency>N) ns"),
        ("timerlat", REPORT, r"timerlat: +seq:(?P<seq>N)\s+context:(?P<what>[012])\s+timer_latency:(?P<latency>N)"),
        (
            "timerlat",
            TRACEPOINT,
            r"(?:osnoise:)?timerlat_sample: +timer_latency=(?P<latency>N) +seqnum=(?P<seq>N) +context=(?P<what>[012])",
        ),
        (
            "noise",
            TEXT,
            r"(?:osnoise:)?(?:(?P<what>(?:nmi|irq|softirq|thread)_noise)|sample_threshold): +(?:\S.{0,48}:-?N +)?"
            r"start N\.\d{9} +duration (?P<duration>N) ns(?: +interference N)?",
        ),
        (
            "osnoise",
            TEXT,
            r"(?P<runtime>N) +(?P<noise>N) +(?P<percent>\d{1,3})\.(?P<parts>\d{5}) +(?P<longest>N)(?: +N){5}",
        ),
        (
            "osnoise",
            REPORT,
            r"osnoise: +noise:(?P<noise>N)\s+max_sample:(?P<longest>N)"
            r"\s+hw:N\s+nmi:N\s+irq:N\s+softirq:N\s+thread:N",
        ),
        (
            "osnoise",
            TRACEPOINT,
            r"(?:osnoise:)?osnoise_sample: +runtime=N +noise=(?P<noise>N) +max_sample=(?P<longest>N)"
            r"(?: +(?:hw|nmi|irq|softirq|thread)_count=N){5}",
        ),
        (
            "hwlat",
            TEXT,
            r"#(?P<seq>N) +inner/outer\(us\): +(?P<inner>N)/(?P<outer>N) +ts:N\.\d{9}"
            r"(?: +count:(?P<count>N))?(?: +nmi-total:N)?(?: +nmi-count:N)?",
        ),
        (
            "hwlat",
            REPORT,
            r"hwlat: +cnt:(?P<seq>N)\s+ts:N\.\d{9,10}\s+inner:(?P<inner>N)\s+outer:(?P<outer>N)"
            r"(?:\s+count:(?P<count>N))?(?:\s+nmi-(?:ts|count):N){0,2}",
        ),
        ("stopped", "", r".{0,60}\bstop tracing hit on cpu N\b.*"),
    )
)
_WORDS = re.compile(
    r".{0,160}?(?:timer_latency|inner/outer\(us\)|(?:nmi|irq|softirq|thread)_noise:|sample_threshold:|osnoise_sample:|"
    r"timerlat: +seq:|osnoise: +noise:|hwlat: +cnt:|\]\s.{0,30}: +(?:#\d|[\d .]{1,120}$))"
)
_CONTEXTS = {"0": "irq", "1": "thread", "2": "user", "user-ret": "user"}
_LARGEST = 2**62
_MOST_SECONDS = 9
"""Digits of a time stamp's seconds, for ns to fit into 64 bits."""


class Event(NamedTuple):
    """What one line of a trace tells.

    Attributes
    ----------
    kind : str
        timerlat, osnoise, noise, hwlat, stopped, or empty: an event that tells no latency.
    what : str
        What is told, as in records: the context of a timerlat event, the source of a noise event.
    dialect : str
        The notation.
    cpu : int
    stamp : int
        When it was recorded; -1 if the trace clock counts no seconds. [ns]
    numbers : dict of int
        The event's numbers by name: those of osnoise and hwlat in us, the others in ns.
    """

    kind: str
    what: str
    dialect: str
    cpu: int
    stamp: int
    numbers: dict[str, int]


NAMES = ("cpu", "stamp", *dict.fromkeys(name for *_, pattern in _PATTERNS for name in pattern.groupindex))
"""The numbers of an event, of which each kind has some."""


class Shape(NamedTuple):
    """What all events have in common whose lines differ only in their digits.

    As in `Event`, but `what` is empty where one of the numbers says it, and `tick` is one in the last digit of the time
    stamp [ns], 0 if it counts no seconds.
    """

    kind: str
    what: str
    dialect: str
    tick: int


def event(text: str) -> Event | None:
    """Return the event of a line; None if it is none, or is damaged or incomplete.

    Examples
    --------
    >>> event("  <...>-170  [001] ....1    15.552104: #1     context thread timer_latency  21010255 ns")[:5]
    ('timerlat', 'thread', "tracer's text", 1, 15552104000)
    >>> event("  <...>-859  [000] ....  81.63: 1000000  190  99.98100  9  18  0  1007  18  1").numbers["longest"]
    9
    >>> event("  <...>-859  [000] ....  81.63: 1000000  290  99.98100  9  18  0  1007  18  1")  # 190 us are 0.019 %
    >>> event("  <...>-170  [001] ....1    15.552104: #1     context thread timer_latency  210")
    >>> event("  <idle>-0   [003] d...   2932.676624: sched_switch: prev_comm=swapper/3").kind
    ''
    """
    line = _LINE.match(text)
    if not line:
        return None
    cpu = int(line[1])
    stamp = int(line[2]) * 10**9 + int(line[3].ljust(9, "0")) if line[3] else -1
    kind, dialect, match = _payload(text, line)
    if not match:
        return None if speaks_of_latency(text) else Event("", "", "", cpu, stamp, {})
    words = {name: word for name, word in match.groupdict().items() if word}
    what = _what(words.pop("what", ""), kind)
    numbers = {name: int(word) for name, word in words.items()}
    sound = max(numbers.values(), default=0) < _LARGEST and _consistent(numbers)
    return Event(kind, what, dialect, cpu, stamp, numbers) if sound else None


def shape(text: str) -> tuple[Shape, list[tuple[int, int]]] | None:
    """Return what a line has in common with those that differ in digits, and where the numbers of `NAMES` stand.

    None if it is no event, or if the digits decide what it is.

    Examples
    --------
    >>> found, spans = shape("  <...>-170  [001] ....1    15.552104: #1     context thread timer_latency    170 ns")
    >>> found.kind, found.what, found.tick, spans[:3], NAMES[2]
    ('timerlat', 'thread', 1000, [(14, 17), (28, 37), (40, 41)], 'seq')
    """
    line = _LINE.match(text)
    if not line or len(line[2]) > _MOST_SECONDS:
        return None
    kind, dialect, match = _payload(text, line)
    if kind == "stopped" or (not match and speaks_of_latency(text)):
        return None
    spans = {name: match.span(name) for name, word in match.groupdict().items() if word} if match else {}
    word = text[slice(*spans["what"])] if "what" in spans else ""
    if not word.isdecimal():
        spans.pop("what", None)
    what = "" if "what" in spans or not kind else _what(word, kind)
    tick = 10 ** (9 - len(line[3])) if line[3] else 0
    spans["cpu"] = line.span(1)
    if tick:
        spans["stamp"] = line.start(2), line.end(3)
    return Shape(kind, what, dialect, tick), [spans.get(name, (0, 0)) for name in NAMES]


def _what(word: str, kind: str) -> str:
    """What an event tells, as in records."""
    return _CONTEXTS.get(word, word) or ("hwlat" if kind == "hwlat" else "noise")


def _payload(text: str, line: re.Match[str]) -> tuple[str, str, re.Match[str] | None]:
    """What kind of event stands in a line, in which dialect, and its words; no match if it is none of ours."""
    if line[4]:
        end = len(text.rstrip())
        for kind, dialect, pattern in _PATTERNS:
            if match := pattern.fullmatch(text, line.start(4), end):
                return kind, dialect, match
    return "", "", None


def speaks_of_latency(text: str) -> bool:
    """Whether a line that is no `event` must be one that is damaged or incomplete.

    Examples
    --------
    >>> speaks_of_latency("  <...>-170  [001] ....1    15.552104: #1     context thread timer_latency  210")
    True
    """
    return bool(_WORDS.match(text)) or bool((line := _LINE.match(text)) and not line[4])


def _consistent(numbers: dict[str, int]) -> bool:
    """Whether an osnoise line's share of CPU is that of its runtime and noise, of which it was computed."""
    if "percent" not in numbers:
        return True
    runtime, noise = numbers["runtime"], numbers["noise"]
    share = numbers["percent"] * 100_000 + numbers["parts"]
    return noise <= runtime > 0 and (runtime - noise) * 10_000_000 // runtime == share
