"""The tables of ``rtla timerlat top``, ``osnoise top`` and ``hwnoise``: a row per CPU, painted anew every second.

::

                                         Timer Latency
      0 00:00:06   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)      |    Ret user ...
    CPU COUNT      |      cur       min       avg       max |      cur       min       avg       max |      cur ...
      0 #3991      |       71         1       401     14983 |      238        40       468     15255 |      333 ...
    ---------------|----------------------------------------|------------    this and ALL since 6.11
    ALL #7912   e0 |                  1       412     14983 |                 40       474     15255 | ...

    duration:   0 00:00:06 | time is in us
    CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single          HW          NMI ...
      0 #5           5000832      2330098    53.40579      599633        18663        7807            0 ...

COUNT is that of the irq context; the others may have lost some. Of osnoise only Max Single is a single noise:
the other columns are sums over a period, or count interferences. Without -q the screen is cleared and the table
printed again, with what was measured so far: the last table holds the run.

Private to ``rtla``.

Source: Linux ``tools/tracing/rtla/src`` (timerlat_top.c, osnoise_top.c), 6.1 to 6.19.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from rtlat import schema
from rtlat.errors import LogError
from rtlat.formats._rtla_command import Command
from rtlat.formats._rtla_histogram import length, seconds
from rtlat.protocol import Run
from rtlat.source import Line

TITLE = re.compile(r"\s*(Timer Latency|Operating System Noise|Hardware-related Noise)\s*$")
CLOCK = re.compile(
    r"\s*(?:duration: +)?(\d{1,6}) (\d\d):(\d\d):(\d\d) +\| +(?:IRQ Timer Latency \((us|ns)\)|time is in us *$)",
    re.ASCII,
)
"""The line of the duration, which also tells the unit."""
HEADER = re.compile(r"\s*CPU (?:COUNT +\|( +cur +min +avg +max \|?)+|Period +Runtime +Noise +% CPU Aval )")

_TIMERLAT = re.compile(r"\s*(\d{1,6}) #(\d{1,18}) *\|([-\d |]*)$", re.ASCII)
_EVERYONE = re.compile(r"\s*ALL #(\d{1,18}) +e(\d{1,2}) *\|([-\d |]*)$", re.ASCII)
_NOISE = re.compile(
    r"\s*(\d{1,6}) #(\d{1,18})(?: +\d{1,18}){2} +\d{1,3}\.\d{5} +(\d{1,18}) +(\d{1,18})(?: +\d{1,18}){2,5} *$",
    re.ASCII,
)
_ROW_LIKE = re.compile(r"\s*(?:\d{1,6}|ALL) #")
_RULE = re.compile(r"\s*-{10,20}\|-{10,50}\|")
_TOOLS = {"Timer Latency": "timerlat", "Operating System Noise": "osnoise", "Hardware-related Noise": "hwnoise"}
_QUANTITIES = ("irq", "thread", "user")


@dataclass(slots=True)
class Row:
    """One CPU, or all: what # counts, and least, average and most of each context; None if it has no sample."""

    line: int
    count: int
    contexts: list[tuple[int, int, int] | None]


@dataclass(slots=True)
class Top:
    """One table, or several of one run.

    Attributes
    ----------
    line, quote : int
        Where it begins, and how many ``>`` stand before it.
    run : Run
        Gets rejected lines at once, the statements once the table is whole.
    asked : Command
        The command line before it.
    tool, unit : str
        timerlat, osnoise or hwnoise; us or ns; empty if no line tells.
    rows : dict of int to Row
        By CPU.
    everyone : Row or None
        What stands after ``ALL``.
    ruled, headed : bool
        Whether the rule above ``ALL``, the header of the columns was seen.
    stopped : int
        The line that says that a limit was hit, 0 if none does.
    reason : str
        What the tool says hit it.
    """

    line: int
    quote: int
    run: Run
    asked: Command
    tool: str = ""
    unit: str = ""
    rows: dict[int, Row] = field(default_factory=dict)
    everyone: Row | None = None
    ruled: bool = False
    headed: bool = False
    stopped: int = 0
    reason: str = ""
    _places: int = 0
    _length: int = 0
    _cut: bool = False
    _repaints: int = 0

    def waits(self, text: str) -> bool:
        """Whether a line may belong to the head of this table, not of the next."""
        if TITLE.match(text):
            return False
        return not (self.headed or self.rows) if HEADER.match(text) else not (self.unit or self.headed)

    def take(self, line: Line) -> bool:
        """Take a line if it is one of the table's; return whether it was."""
        text = line.text
        if title := TITLE.match(text):
            self.tool = _TOOLS[title[1]]
        elif clock := CLOCK.match(text):
            self.unit = clock[5] or "us"
            self.run.facts |= {"duration": seconds(clock), "duration_basis": "printed"}
            self.tool = self.tool or ("timerlat" if clock[5] else "osnoise")
        elif header := HEADER.match(text):
            self.headed, self._places = True, text.count(" cur ")
            self._length = length(text) and len(text.rstrip()) - text.index("CPU ") - len("CPU ")
            self.tool = self.tool or ("timerlat" if header[1] else "osnoise")
        elif _RULE.match(text):
            self.ruled = True
        elif self.headed and not self.stopped and _ROW_LIKE.match(text):
            self._take_row(line)
        else:
            return False
        return True

    def _take_row(self, line: Line) -> None:
        """Take a row, unless its numbers contradict each other."""
        text = line.text
        match = (_TIMERLAT if self.tool == "timerlat" else _NOISE).match(text)
        everyone = None if match else _EVERYONE.match(text)
        if not line.whole or len(text.rstrip()) - text.index("#") < self._length:
            self.run.rejected.add("row that lost its end" if line.whole else "cut last line", line.number)
            self._cut = True
        elif everyone:
            contexts = _contexts(everyone[3])
            self.everyone = Row(line.number, int(everyone[1]) * 10 ** int(everyone[2]), contexts or [])
        elif not match or int(match[1]) in self.rows:
            self.run.rejected.add("damaged row", line.number)
        elif self.tool == "timerlat" and (contexts := _contexts(match[3])) and len(contexts) == self._places:
            self.rows[int(match[1])] = Row(line.number, int(match[2]), contexts)
        elif self.tool != "timerlat" and int(match[4]) <= int(match[3]):
            self.rows[int(match[1])] = Row(line.number, int(match[2]), [(0, 0, int(match[4]))])
        else:
            self.run.rejected.add("row whose numbers contradict each other", line.number)

    def goes_on(self, later: Top) -> bool:
        """Whether a later table is this one painted anew: counts and maxima only rise, minima only fall."""
        same = (self.tool, self.quote) == (later.tool, later.quote) and later.unit in ("", self.unit)
        if not same or self.stopped:
            return False
        if self.run.facts.get("duration", 0) > later.run.facts.get("duration", math.inf):
            return False
        if not self.rows or not later.rows:
            return True
        pairs = [(self.rows[cpu], later.rows[cpu]) for cpu in self.rows.keys() & later.rows.keys()]
        return bool(pairs) and all(_grew(before, after) for before, after in pairs)

    def painted_anew(self, later: Top) -> Top:
        """Return the later of two tables of one run, or this one if that was cut."""
        whole = self.rows.keys() <= later.rows.keys() and not (later.ruled and not later.everyone)
        last, other = (later, self) if whole else (self, later)
        last._cut = last._cut or not whole
        last._repaints = self._repaints + 1
        last.line, last.stopped, last.reason = self.line, later.stopped, later.reason
        last.run.rejected.merge(other.run.rejected)
        last.run.ignored.merge(other.run.ignored)
        last.run.ignored.add("row painted anew later" if whole else "cut table", other.line, max(1, len(other.rows)))
        return last

    def finish(self, where: str) -> Run:
        """Return the run that the table states.

        Raises
        ------
        LogError
            If it has no row.
        """
        run = self.run
        if not self.rows:
            raise LogError(where, "a table without a readable row", "at least one CPU's", line=self.line)
        unit = self.unit or ("ns" if self.asked.nanoseconds else "us")
        run.facts |= {
            "variant": "top",
            "printed_unit": unit,
            "unit_basis": "printed" if self.unit else "assumed",
            "resolution": 1.0 if unit == "ns" else 1000.0,
            "rounding": "exact" if unit == "ns" else "truncated",
            "evidence": "log",
        }
        if not self.unit:
            run.warnings.append(f"the unit is not in the log: taken to be {unit}; a card's printed_unit says otherwise")
        if self.tool == "timerlat":
            self._state_latencies(unit)
        else:
            self._state_noise()
        cut = self._cut or (self.ruled and not self.everyone) or bool(run.rejected.total)
        if cut:
            run.warnings.append("the table is not complete: there may be more CPUs")
        if self._repaints:
            run.warnings.append(f"the table was painted {self._repaints + 1} times: the last one is read")
        run.facts["ended"] = "cut" if cut else "complete"
        return run

    def _state_latencies(self, unit: str) -> None:
        """A summary of each context of each CPU; only the irq context's count is printed."""
        run = self.run
        run.facts["context"] = "kernel"
        for cpu, row in self.rows.items():
            run.series[f"cpu{cpu}"] = {"cpu": cpu}
            for quantity, context in zip(_QUANTITIES, row.contexts, strict=False):
                if context is None:
                    continue
                if quantity == "user":
                    run.facts["context"] = "user"
                low, average, high = (schema.to_ns(str(number), unit) for number in context)
                n = row.count if quantity == "irq" else -1
                run.rows.add(f"cpu{cpu}", quantity, "summary", low, high, n=n, avg=average, line=row.line)
        if self.everyone and not run.rejected.total:
            self._check_everyone(self.everyone)

    def _check_everyone(self, stated: Row) -> None:
        """Say where ALL contradicts the rows above it; its count is cut to six digits."""
        warn, rows = self.run.warnings.append, self.rows.values()
        count, places = sum(row.count for row in rows), 10 ** max(0, len(str(stated.count)) - 6)
        if count // places != stated.count // places:
            warn(f"line {stated.line}: ALL says COUNT {stated.count}, the rows {count}")
        for place, context in enumerate(stated.contexts):
            mine = [row.contexts[place] for row in rows if place < len(row.contexts)]
            ends = [(some[0], some[2]) for some in mine if some]
            found = (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None
            if context and found and found != (context[0], context[2]):
                warn(
                    f"line {stated.line}: ALL says {_QUANTITIES[place]} {context[0]} to {context[2]}, "
                    f"the rows {found[0]} to {found[1]}"
                )

    def _state_noise(self) -> None:
        """The largest single noise of each CPU, if there was any; how many there were is not printed."""
        run = self.run
        run.facts["context"] = "kernel"
        for cpu, row in self.rows.items():
            run.series[f"cpu{cpu}"] = {"cpu": cpu}
            largest = row.contexts[0][2] if row.contexts[0] else 0
            if largest:
                run.rows.add(f"cpu{cpu}", "noise", "summary", -math.inf, largest * 1000.0, line=row.line)
            else:
                run.warnings.append(f"line {row.line}: cpu{cpu} had no noise above the tracer's threshold")
        run.warnings.append(
            "only Max Single is a single noise; Noise, Max Noise and the counts are sums over periods and are not read"
        )


def _contexts(cells: str) -> list[tuple[int, int, int] | None] | None:
    """Least, average and most of each context; None if a number is missing or they contradict each other."""
    contexts: list[tuple[int, int, int] | None] = []
    for part in cells.split("|"):
        numbers = part.split()
        if numbers and set(numbers) == {"-"}:
            contexts.append(None)
            continue
        if len(numbers) not in (3, 4) or any(not number.isdigit() or len(number) > 18 for number in numbers):
            return None
        low, average, high = (int(number) for number in numbers[-3:])
        if not low <= average <= high or not low <= int(numbers[0]) <= high:
            return None
        contexts.append((low, average, high))
    return contexts


def _grew(before: Row, after: Row) -> bool:
    """Whether a row may be an earlier one, later."""
    return before.count <= after.count and all(
        new is not None and new[0] <= old[0] and new[2] >= old[2]
        for old, new in zip(before.contexts, after.contexts, strict=False)
        if old
    )
