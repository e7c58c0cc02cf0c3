"""Maxima of cyclic tasks as mails print them, a line per task: ``[T0 Prio: 60] 2123``.

A block of such lines is a run; the sentence above it, if it ends in a colon, says what was tried. The unit
stands in a sentence before the blocks (``... in microseconds.``), periods in lines like ``RT - T0: 1ms
cyclic``. A maximum is one observed value: nothing is known of how many there were, nor of the others.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rtlat import schema
from rtlat.errors import LogError
from rtlat.protocol import Format, Run, Tally
from rtlat.source import Line, Source

_MAXIMUM = re.compile(r"\s*\[(\w{1,40}) Prio: *(\d{1,3})\] *(-?\d{1,18}(?:[.,]\d{1,9})?)\s*$")
_MAXIMUM_LIKE = re.compile(r"\s*\[\w{1,40} Prio")
_UNIT = re.compile(r"\bin (micro|milli|nano)seconds\b")
_UNITS = {"micro": "us", "milli": "ms", "nano": "ns"}
_PERIOD = re.compile(r"\b(\w{1,40}): *(\d{1,9}(?:[.,]\d{1,9})?) ?(ns|us|ms|s) cyclic\b")
_MACHINE = re.compile(r"\s*Machine: *(\S.{0,98}?)\s*$")
# `Load average is ~4.0 for all tests.` and `Test time was ~60 minutes for each`
_LOAD = re.compile(r"\bLoad average is (~? ?\d{1,6}(?:\.\d{1,3})?) for all tests\b")
_DURATION = re.compile(r"\bTest time was ~? ?(\d{1,6}) minutes for each\b")
_HEADING_END = re.compile(r"(?:\s+results? in)?\s*:$")
_LONGEST_VARIANT = 160


@dataclass(slots=True)
class _Text:
    """What the text before a block says: units, periods and facts, and the paragraph that may be its heading."""

    units: set[str] = field(default_factory=set)
    periods: dict[str, float] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    paragraph: list[str] = field(default_factory=list)
    blank: bool = False
    quote: int = 0

    def take(self, line: Line) -> None:
        """Read one line that holds no maximum."""
        if not line.text.strip():
            self.blank = True
            return
        if self.blank or line.quote != self.quote:
            self.paragraph = []
        self.blank, self.quote = False, line.quote
        before = self.paragraph[-1] if self.paragraph else ""
        self.paragraph = [*self.paragraph[-9:], line.text.strip()[:1000]]
        joined = f"{before} {self.paragraph[-1]}"  # a sentence goes on in the next line
        self.units |= {_UNITS[word] for word in _UNIT.findall(joined)}
        for task, number, unit in _PERIOD.findall(joined):
            self.periods[task] = schema.to_ns(number.replace(",", "."), unit)
        if machine := _MACHINE.match(line.text):
            self.facts["machine"] = machine[1]
        if load := _LOAD.search(joined):
            self.facts["load"] = f"load average {load[1]}"
        if duration := _DURATION.search(joined):
            self.facts.update(duration=60.0 * int(duration[1]), duration_basis="printed")

    def heading(self) -> str:
        """The sentence above a block that says what was tried, shortened; empty if it is none."""
        sentence = " ".join(self.paragraph)
        if not sentence.endswith(":"):
            return ""
        return textwrap.shorten(_HEADING_END.sub("", sentence), _LONGEST_VARIANT, placeholder=" ...")


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each block of maxima.

    Raises
    ------
    LogError
        If there is no maximum.

    Examples
    --------
    >>> mail = b"Deviation in microseconds.\\nAll timers in ksoftirqd results in:\\n[T0 Prio: 60] 2123\\n"
    >>> (run,) = parse(Source(None, "mail", mail))
    >>> row = run.rows.arrays()
    >>> row["series"].tolist(), row["low"].tolist(), row["high"].tolist(), row["n"].tolist()
    (['T0'], [-inf], [2123000.0], [-1])
    """
    text, ignored = _Text(), Tally()
    runs: list[Run] = []
    run: Run | None = None
    for line in source.lines():
        if not _MAXIMUM_LIKE.match(line.text):
            text.take(line)
            if line.text.strip():
                run = None
                ignored.add("text around the maxima", line.number)
            continue
        maximum = _MAXIMUM.match(line.text)
        if not run or run.quoted != (line.quote > 0) or (maximum and maximum[1] in run.series):
            run = _start(text, line)
            runs.append(run)
        if not maximum or not line.whole:
            run.rejected.add("damaged maximum" if line.whole else "cut last line", line.number)
            continue
        task, priority, value = maximum.groups()
        unit = run.facts["printed_unit"]
        high = schema.to_ns(value.replace(",", "."), unit)
        run.rows.add(
            task,
            "deviation",
            "summary",
            -math.inf,
            high,
            unit="unknown" if unit == "unknown" else "ns",
            line=line.number,
        )
        run.series[task] = {"priority": int(priority), "period": text.periods.get(task, math.nan)}
    kept = [run for run in runs if len(run.rows)]
    if not kept:
        raise LogError(source.name, "no maximum", "lines like '[T0 Prio: 60] 2123'")
    kept[0].ignored = ignored
    for run in runs:  # one run answers for the lines that belong to none
        if not len(run.rows):
            kept[0].rejected.merge(run.rejected)
    for run in kept:
        run.warnings += _warnings(run, text)
        yield run


def _start(text: _Text, line: Line) -> Run:
    """A new run with what the text before it says."""
    run = Run("cyclic tasks", quoted=line.quote > 0)
    unit = next(iter(text.units)) if len(text.units) == 1 else "unknown"
    run.facts = {"printed_unit": unit, "rounding": "unknown", "evidence": "printed table", **text.facts}
    if unit != "unknown":
        run.facts["unit_basis"] = "printed"
    if heading := text.heading():
        run.facts["variant"] = heading
    text.paragraph = []
    return run


def _warnings(run: Run, text: _Text) -> list[str]:
    """What a reader of the numbers must know."""
    warnings = ["only each task's largest deviation is printed: no count, and no other value"]
    if run.facts["printed_unit"] == "unknown":
        found = f"several units ({', '.join(sorted(text.units))})" if text.units else "no unit"
        warnings.append(f"the log names {found}; printed_unit in a run card says which")
    if run.rejected.total:
        first = min(line for _, line in run.rejected.reasons.values())
        warnings.append(f"{run.rejected.total} lines could not be read (the first is line {first})")
    return warnings


FORMAT = Format(
    name="task_maxima",
    title="maxima of cyclic tasks as printed in a mail: [T0 Prio: 60] 2123",
    gives="one maximum of deviation for each task",
    versions="mails on the -RT kernels (2005)",
    words=(" Prio:",),
    marks=(_MAXIMUM,),
    parse=parse,
)
