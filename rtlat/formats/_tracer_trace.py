"""The events of one trace as runs: timerlat's samples, osnoise's periods, noise events, hwlat's gaps.

A trace gives a run for each of them: they are printed in different units, and what is a part of another's
observation must not be counted with it. ``time`` is that of the line's stamp, from the first of the trace.

Private to ``tracer_lines``, and imports no other format.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rtlat.digits import Array
from rtlat.formats._tracer_block import Events
from rtlat.formats._tracer_checks import Activations, Windows
from rtlat.formats._tracer_event import TEXT, Event, Shape
from rtlat.protocol import Run, Tally
from rtlat.rows import Rows
from rtlat.shapes import Stretch

_WAITING = 1 << 16
"""Samples that are gathered before they become arrays."""

WINDOW = "window"

OTHER = "other event of the trace"
"""Why an event is ignored that tells neither latency nor noise."""

_STATED = {
    "timerlat": (("", "all", ("latency",)),),
    "noise": (("", "all", ("duration",)),),
    "hwlat": (("", "over", ("inner", "outer")),),
    "osnoise": (("", WINDOW, ("longest",)), ("period_noise", "all", ("noise",))),
}
"""What each kind of event states: the quantity unless it is what the event tells, of which observations, and the
numbers of which it is the greatest."""

_LATEST = 2**62
"""Stamps that arrays can hold. [ns]"""

TOLD = ("preempt-lazy-depth", "osnoise is tainted", "IN US")
"""What a trace's header may say: the flags of PREEMPT_RT, that the tracer lost its way, the unit of osnoise."""

# time_to_us() in trace_osnoise.c and trace_hwlat.c divides by 1000
_NS: dict[str, Any] = {"printed_unit": "ns", "resolution": 1.0, "rounding": "exact"}
_US: dict[str, Any] = {"printed_unit": "us", "resolution": 1000.0, "rounding": "truncated"}


class Gathered:
    """A run and the samples and windows on their way to its rows: flat memory, however many they are."""

    def __init__(self, tool: str, keep: int, quoted: bool, **facts: Any) -> None:
        self.run = Run(tool, Rows(keep), {"context": "kernel", "ended": "unknown", **facts}, quoted=quoted)
        self.run.rows.step = facts["resolution"]
        self.waiting = 0
        self.quantities: set[str] = set()
        self.integers: dict[tuple[str, str, str], array[int]] = {}
        self.times: dict[tuple[str, str, str], array[float]] = {}

    def add(self, cpu: int, quantity: str, of: str, value: int, line: int, time: float, seq: int = -1) -> None:
        """Append a sample; or, of `WINDOW`, the greatest of a period."""
        key = self._key(cpu, quantity, of)
        self.integers[key].extend((value, line, seq))
        self.times[key].append(time)
        self.waiting += 1
        if self.waiting >= _WAITING:
            self.flush()

    def add_many(self, cpu: int, quantity: str, of: str, value: Array, line: Array, time: Array, seq: Array) -> None:
        """Do as `add` with many of one series."""
        key = self._key(cpu, quantity, of)
        self.integers[key].frombytes(np.column_stack((value, line, seq)).tobytes())
        self.times[key].frombytes(time.tobytes())
        self.waiting += len(value)
        if self.waiting >= _WAITING:
            self.flush()

    def _key(self, cpu: int, quantity: str, of: str) -> tuple[str, str, str]:
        """Where samples wait."""
        key = f"cpu{cpu}", quantity, of
        if key not in self.integers:
            self.integers[key], self.times[key] = array("q"), array("d")
            self.run.series[key[0]] = {"cpu": cpu}
            self.quantities.add(quantity)
        return key

    def flush(self) -> None:
        """Turn what waits into rows."""
        rows = self.run.rows
        for (series, quantity, of), integers in self.integers.items():
            value, line, seq = np.array(integers, np.int64).reshape(-1, 3).T
            time = np.array(self.times[series, quantity, of])
            if of == WINDOW:  # a period whose longest noise is 0 saw none
                high, n = np.where(value == 0, math.inf, value * rows.step), np.where(value == 0, 0, -1)
                low = np.full(len(value), -math.inf)
                rows.extend(series, quantity, "window", low, high, n=n, line=line, time=time)
            else:
                rows.samples(series, quantity, value, line, seq, time, of)
        self.integers.clear()
        self.times.clear()
        self.waiting = 0


@dataclass(slots=True)
class Trace:
    """One trace: what its header says, and its events.

    Attributes
    ----------
    tracer : str
        As in ``# tracer: timerlat``.
    buffer : tuple of int, or None
        Entries that were in the buffer, entries written, line of the header.
    told : frozenset of str
        Which of `TOLD` stand in the header.
    lost : list of tuple of int
        Events lost (-1: how many is not told), line.
    """

    keep: int
    quote: int = 0
    tracer: str = ""
    buffer: tuple[int, int, int] | None = None
    told: frozenset[str] = frozenset()
    lost: list[tuple[int, int]] = field(default_factory=list)
    anew: bool = False
    stopped: bool = False
    entries: int = 0
    first: int = -1
    last: int = -1
    period: int = 2**62  # shortest runtime of an osnoise line [us]
    parts: dict[str, Gathered] = field(default_factory=dict)
    activations: Activations = field(default_factory=Activations)
    windows: Windows = field(default_factory=Windows)
    rejected: Tally = field(default_factory=Tally)

    def take(self, event: Event, line: int) -> bool:
        """Whether the event tells a latency or noise; then it is kept."""
        self.entries += 1
        time = math.nan
        if event.stamp >= 0:
            self.first = event.stamp if self.first < 0 else self.first
            self.last = event.stamp
            time = (event.stamp - self.first) / 1e9
        if event.kind not in _STATED:
            self.stopped |= event.kind == "stopped"
            return False
        numbers = event.numbers
        if event.kind == "timerlat":
            self.activations.take(event, line)
        elif event.kind == "osnoise":
            self.period = min(self.period, numbers.get("runtime", self.period))
        elif event.kind == "hwlat":
            self.windows.take(event)
        part = self._part(event.kind, event.dialect)
        for quantity, of, names in _STATED[event.kind]:
            value = max(numbers[name] for name in names)
            part.add(event.cpu, quantity or event.what, of, value, line, time, numbers.get("seq", -1))
        return True

    def take_many(self, found: Stretch[Shape], ignored: Tally) -> int:
        """Keep events up to the first that may begin another trace or is told again; return how many were read."""
        events = Events(found)
        kinds = list(events.kinds())
        timerlat = [self.activations.until(events, places) for shape, places in kinds if shape.kind == "timerlat"]
        kept = min([len(found) if self.first < _LATEST else 0, *timerlat])
        if kept < len(found):
            return self.take_many(found.part(0, kept), ignored) if kept else 0
        self.entries += len(found)
        if len(stamps := events.stamp[events.stamp >= 0]):
            self.first = int(stamps[0]) if self.first < 0 else self.first
            self.last = int(stamps[-1])
        time = np.where(events.stamp < 0, math.nan, (events.stamp - self.first) / 1e9)
        for shape, places in kinds:
            if shape.kind in _STATED:
                self._take_kind(shape, events, places, time)
            else:
                ignored.add(OTHER, int(events.line[places[0]]), len(places))
        return len(found)

    def _take_kind(self, shape: Shape, events: Events, places: Array, time: Array) -> None:
        """Keep events of one kind."""
        numbers = events.numbers
        if shape.kind == "timerlat":
            self.activations.take_many(events, places)
        elif shape.kind == "osnoise":
            runtime = numbers["runtime"][places]
            self.period = min(self.period, int(runtime.min(where=runtime >= 0, initial=self.period)))
        elif shape.kind == "hwlat":
            self.windows.take_many(numbers["seq"][places], numbers["count"][places])
        part = self._part(shape.kind, shape.dialect)
        for cpu, what, here in events.series(places):
            for quantity, of, names in _STATED[shape.kind]:
                value = np.max([numbers[name][here] for name in names], axis=0)
                part.add_many(cpu, quantity or what, of, value, events.line[here], time[here], numbers["seq"][here])

    def _part(self, kind: str, dialect: str) -> Gathered:
        """The run that events of a kind belong to."""
        if kind not in self.parts:
            tool = "osnoise" if kind == "noise" else kind
            printed = dialect == TEXT and (kind != "osnoise" or "IN US" in self.told)
            facts = {
                "variant": "noise events" if kind == "noise" else dialect,
                "unit_basis": "printed" if printed else "documented",
                **(_US if kind in ("osnoise", "hwlat") else _NS),
            }
            self.parts[kind] = Gathered(tool, self.keep, self.quote > 0, **facts)
        return self.parts[kind]

    def runs(self) -> list[Run]:
        """Return the runs of the trace; none if it holds neither latency nor noise."""
        if not self.parts and self.tracer == "hwlat" and self.buffer and self.buffer[1] == 0:
            return [self._nothing_found(self.buffer[2])]
        for kind, part in self.parts.items():
            part.flush()
            self._finish(part.run, kind, part.quantities)
        runs = [part.run for part in self.parts.values()]
        if runs:
            runs[0].rejected = self.rejected
        return runs

    def _finish(self, run: Run, kind: str, quantities: set[str]) -> None:
        """Add what the whole trace says of one of its runs."""
        shown = self.entries + self.rejected.total
        cut = self.buffer and shown < self.buffer[0]
        if run.rows.folded:
            run.facts["bin_edges"] = "samples"
        if "preempt-lazy-depth" in self.told and self.tracer in ("timerlat", "osnoise"):
            run.facts["approach"] = "PREEMPT_RT"
        duration = (self.last - self.first) / 1e9
        if kind == "osnoise" and self.period < 2**62:
            run.facts["window"] = self.period / 1e6
            duration += run.facts["window"]
        if duration > 0 and kind != "hwlat":  # of hwlat the log shows no more than when it found gaps
            run.facts |= {"duration": duration, "duration_basis": "derived"}
        if kind == "timerlat":
            run.warnings += self.activations.warnings()
            run.facts["context"] = "user" if "user" in quantities else "kernel"
        if kind == "hwlat":
            run.warnings += self.windows.warnings()
        if kind == "noise" and "noise" in quantities:
            run.warnings.append("noise below the tracer's threshold is not recorded")
        if self.stopped:
            run.facts["ended"] = "stopped at threshold"
        if cut or "cut last line" in self.rejected.reasons:
            run.facts["ended"] = "cut"
        if cut and self.buffer:
            run.warnings.append(
                f"line {self.buffer[2]}: {self.buffer[0]} entries were in the buffer, the log shows {shown} of them"
            )
        run.warnings += self._warnings()

    def _warnings(self) -> list[str]:
        """What is absent from the log, or damaged."""
        found = []
        if self.lost:
            known = sum(events for events, _ in self.lost if events > 0)
            number = "an unknown number of" if any(events < 0 for events, _ in self.lost) else str(known)
            found.append(f"line {self.lost[0][1]}: {number} events were lost before they could be read")
        if self.buffer and self.buffer[1] > self.buffer[0]:
            inside, written, line = self.buffer
            found.append(f"line {line}: of {written} entries written only the last {inside} were still in the buffer")
        if self.rejected.total:
            first = min(line for _, line in self.rejected.reasons.values())
            found.append(f"{self.rejected.total} lines could not be read (the first is line {first})")
        if "osnoise is tainted" in self.told:
            found.append("the tracer says that it is tainted: it lost track of an interrupt or a thread")
        if self.anew:
            found.append("the activation numbers begin again in the log: the tracer was started anew")
        return found

    def _nothing_found(self, line: int) -> Run:
        """The run of a hwlat trace without entries: a good result."""
        run = Gathered("hwlat", self.keep, self.quote > 0, variant=TEXT, **_US).run
        run.rows.add("all", "hwlat", "summary", -math.inf, math.inf, n=0, of="over", line=line)
        run.warnings = ["no gap exceeded the tracer's threshold while it ran; the log does not say for how long"]
        return run
