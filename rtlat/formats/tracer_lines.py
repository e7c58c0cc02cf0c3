"""Lines of the kernel's latency tracers: timerlat, osnoise and its noise events, and hwlat.

::

    # tracer: timerlat
              <idle>-0       [000] d.h1.    15.541057: #1     context    irq timer_latency     94171 ns
               <...>-169     [000] ....1    15.541516: #1     context thread timer_latency    795410 ns
    # tracer: osnoise
               <...>-859     [000] ....    81.637220: 1000000    190  99.98100    9    18    0   1007    18    1
           osnoise/0-279     [000] d.h11   213.214215: irq_noise: local_timer:236 start 213.214127679 duration 38571 ns
           osnoise/0-279     [000] ....1   213.214260: sample_threshold: start 213.207192187 duration 7065946 ns \
interference 1
    # tracer: hwlat
               <...>-186     [001] db...    24.801029: #1     inner/outer(us): 5557/12242 ts:1796058438.866018897 \
count:595

as ``/sys/kernel/tracing/trace`` shows them, or as ``trace-cmd report`` and ``perf script`` do (`_tracer_event`).

* timerlat numbers the activations of each CPU: an interrupt and the thread it woke have the same number, which is
  ``seq``; between their lines stand those of other CPUs.
* An osnoise line gives a period's whole noise (``period_noise``) and its longest (a window of ``noise``); how many
  there were it does not say. ``sample_threshold`` is one noise above the tracer's threshold. It encloses those that
  ``irq_noise``, ``softirq_noise``, ``thread_noise`` and ``nmi_noise`` tell: each of these is a quantity of its own.
* hwlat prints the largest gap of a window if it exceeds the threshold: no line is a good result.
* Header flags with ``preempt-lazy-depth`` stand in ``kernel/trace/trace_osnoise.c`` only for CONFIG_PREEMPT_RT; other
  tracers' headers show them on patched kernels without it, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rtlat.errors import LogError
from rtlat.formats._tracer_block import FEWEST, reader
from rtlat.formats._tracer_event import PREFIX, Event, Shape, event, speaks_of_latency
from rtlat.formats._tracer_trace import OTHER, TOLD, Trace
from rtlat.protocol import Format, Run, Tally
from rtlat.shapes import Stretch
from rtlat.source import Line, Source

_BEGIN = re.compile(r"\s{0,20}(?:# tracer: (\w{1,40})|version = \d{1,3}|cpus=\d{1,5})\s*$")
_ENTRIES = re.compile(r"\s{0,20}# entries-in-buffer/entries-written: (\d{1,18})/(\d{1,18})\b")
# `CPU:2 [LOST 7 EVENTS]` in the kernel's text, `CPU:7 [204600 EVENTS DROPPED]` in trace-cmd's; the number may be absent
_LOST = re.compile(r"\s{0,20}CPU:\d{1,5} \[(?:LOST )?(?:(\d{1,18}) )?EVENTS(?: DROPPED)?\]\s*$")
_FRAME = re.compile(r"\s{0,20}=> ")


class _Log:
    """A log's traces, and the lines that belong to none."""

    def __init__(self, keep: int) -> None:
        self.keep = keep
        self.traces = [Trace(keep)]
        self.ignored = Tally()
        self.held: Line | None = None

    @property
    def trace(self) -> Trace:
        """The trace whose lines are being read."""
        return self.traces[-1]

    def read(self, line: Line) -> None:
        """Take a line, or hold it: mailers break `#1 inner/outer(us):` from `41/41    ts:1702045267.016266287`."""
        if not line.text.strip():
            return
        if self.held:
            together = replace(self.held, text=f"{self.held.text} {line.text.strip()}", whole=line.whole)
            if line.quote == self.held.quote and (found := event(together.text)):
                self.held = None
                self.take(found, together)
                return
            self.give_up()
        if found := event(line.text):
            self.take(found, line)
        elif speaks_of_latency(line.text):
            self.held = line
        else:
            self.pass_over(line)

    def read_many(self, found: Stretch[Shape]) -> None:
        """Take events that follow each other; where something ends, the next lines one by one."""
        one_by_one = FEWEST if self.held or self.trace.quote else 0
        while len(found):
            for line in found.part(0, one_by_one).lines():
                self.read(line)
            found = found.part(one_by_one)
            one_by_one = max(FEWEST, 2 * one_by_one)
            found = found.part(self.trace.take_many(found, self.ignored) if len(found) else 0)

    def give_up(self) -> None:
        """Reject the line that is held, if there is one."""
        if self.held:
            self.trace.rejected.add("damaged line" if self.held.whole else "cut last line", self.held.number)
            self.held = None

    def take(self, found: Event, line: Line) -> None:
        """Keep an event in its trace; a number that returns, or another depth of quoting, begins a new one."""
        if not line.whole and not line.text.endswith(" ns"):
            self.trace.rejected.add("cut last line", line.number)
            return
        if self.trace.parts and line.quote != self.trace.quote:
            self.traces.append(Trace(self.keep))
        self.trace.quote = line.quote
        if found.kind == "timerlat" and self.trace.activations.again(found):
            self.trace.entries += 1
            self.ignored.add("activation told a second time", line.number)
            return
        if found.kind == "timerlat" and self.trace.activations.anew(found):
            self.traces.append(Trace(self.keep, line.quote, self.trace.tracer, told=self.trace.told, anew=True))
        if not self.trace.take(found, line.number):
            self.ignored.add(OTHER, line.number)

    def pass_over(self, line: Line) -> None:
        """Note what a line that is no event says of the trace."""
        text = line.text
        begin, entries, lost = _BEGIN.match(text), _ENTRIES.match(text), _LOST.match(text)
        if lost:
            self.trace.lost.append((int(lost[1]) if lost[1] else -1, line.number))
        if begin and (self.trace.parts or self.trace.tracer):
            self.traces.append(Trace(self.keep))
        if begin and begin[1]:
            self.trace.tracer, self.trace.quote = begin[1], line.quote
        if entries:
            self.trace.buffer = int(entries[1]), int(entries[2]), line.number
        if begin or text.lstrip().startswith("#"):
            self.trace.told |= {words for words in TOLD if words in text}
            self.ignored.add("header", line.number)
        elif not lost:
            self.ignored.add("stack trace" if _FRAME.match(text) else "no line of a trace", line.number)


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each tracer of each trace in a log, and one for its noise events.

    Raises
    ------
    LogError
        If there is no event that tells a latency or noise.

    Examples
    --------
    >>> trace = b'''<idle>-0    [000] d.h1.  15.541057: #1  context    irq timer_latency     94171 ns
    ...  <...>-169  [000] ....1  15.541516: #1  context thread timer_latency    795410 ns
    ... '''
    >>> (run,) = parse(Source(None, "trace", trace))
    >>> rows = run.rows.arrays()
    >>> rows["quantity"].tolist(), rows["high"].tolist(), rows["seq"].tolist(), rows["series"].tolist()
    (['irq', 'thread'], [94171.0, 795410.0], [1, 1], ['cpu0', 'cpu0'])
    """
    log = _Log(source.keep)
    blocks = reader()
    for block in source.blocks():
        for item in blocks.stretches(block):
            if isinstance(item, Line):
                log.read(item)
            else:
                log.read_many(item)
    log.give_up()
    runs: list[Run] = []
    unread = Tally()
    for trace in log.traces:
        found = trace.runs()
        runs += found
        if not found:
            unread.merge(trace.rejected)
    if not runs:
        expected = "lines such as '<idle>-0  [000] d.h1.  15.541057: #1  context  irq timer_latency  94171 ns'"
        raise LogError(source.name, "a trace without a latency or noise", expected)
    runs[0].ignored = log.ignored
    runs[0].rejected.merge(unread)
    if unread.total:
        first = min(line for _, line in unread.reasons.values())
        runs[0].warnings.append(f"{unread.total} lines outside its trace could not be read (the first is line {first})")
    yield from runs


_EVENTS = (
    r"#\d{1,10} +context +(?:irq|thread|user-ret)\b",
    r"#\d{1,10} +inner/outer\(us\):",
    r"(?:osnoise:)?(?:(?:nmi|irq|softirq|thread)_noise|sample_threshold): .{0,60}\bstart \d",
    r"(?:osnoise:)?(?:timerlat_sample: +timer_latency=|osnoise_sample: +runtime=)\d",
    r"(?:timerlat: +seq|osnoise: +noise|hwlat: +cnt):\d",
    r"\d+ +\d+ +\d{1,3}\.\d{5} +\d+(?: +\d+){5}\s*$",
)

FORMAT = Format(
    name="tracer_lines",
    title="kernel traces of timerlat, osnoise and hwlat: tracefs text, trace-cmd report, tracepoints",
    gives="samples of irq, thread and user latency, windows of noise, noise events, gaps over hwlat's threshold",
    versions="Linux 4.9 (hwlat), 5.14 (osnoise, timerlat) to 6.15",
    words=("tracer: ", "] "),
    marks=(
        re.compile(r"\s{0,20}# tracer: (?:timerlat|osnoise|hwlat)\s*$"),
        re.compile(rf"{PREFIX}\s+(?:{'|'.join(_EVENTS)})"),
    ),
    parse=parse,
)
