"""Headers of the kernel's latency tracers: wakeup, wakeup_rt, wakeup_dl, irqsoff, preemptoff and preemptirqsoff.

::

    # tracer: irqsoff
    #
    # irqsoff latency trace v1.1.5 on 3.8.0-test+
    # --------------------------------------------------------------------
    # latency: 259 us, #4/4, CPU#2 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)
    #    -----------------
    #    | task: ps-6143 (uid:0 nice:0 policy:0 rt_prio:0)
    #    -----------------
    #  => started at: __lock_task_sighand
    #  => ended at:   _raw_spin_unlock_irqrestore

A trace is the path to one maximum, of all CPUs: how many latencies there were it does not say, and the functions it
lists are steps of that one. ``nsecs_to_usecs()`` in ``kernel/trace/trace.c`` divides by 1000. Up to Linux 2.6.28 the
lines below the first have no ``#``. Before there was ftrace, the latency tracer of the realtime patches wrote the same
header, called "preemption latency trace", with "us" in Latin-1 in v1.1.4.

M: is the preemption model. ``preempt_rt`` stands there only for PREEMPT_RT; the old tracer's ``rt`` does not tell:
"preemption latency trace v1.1.5 on 2.6.15-rc7" has it, which is no -rt kernel.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from rtlat import schema
from rtlat.errors import LogError
from rtlat.protocol import Format, Run, Tally
from rtlat.source import Line, Source

_TRACERS = ("wakeup", "wakeup_rt", "wakeup_dl", "irqsoff", "preemptoff", "preemptirqsoff")
_QUANTITIES = {name: "thread" if name.startswith("wakeup") else name for name in _TRACERS}
_NAMES = "|".join([*sorted(_TRACERS, key=len, reverse=True), "preemption"])
_START = r"[#\s]{0,20}"
_TRACER = re.compile(rf"{_START}tracer: ({_NAMES})\s*$")
_TITLE = re.compile(rf"{_START}({_NAMES}) latency trace (v\d[\d.]{{0,9}}) on (\S{{1,120}})\s*$")
_LATENCY = re.compile(
    _START + r"latency: (\d{1,12}) (?:u|µ|μ|\ufffd)s, #(\d{1,12})/(\d{1,12}), CPU#(\d{1,5}) \| \(M:(\S{1,40}) VP:"
)
_LATENCY_LIKE = re.compile(rf"{_START}latency: .{{0,40}}#\d+/")
_TASK = re.compile(rf"{_START}\| task: (.{{1,40}}-\d{{1,10}}) \(uid:\d+ nice:-?\d+ policy:(\w+) rt_prio:(\d+)\)\s*$")
_SECTION = re.compile(rf"{_START}=> (started|ended) at: +(\S.{{0,200}}?)\s*$")
_STEP = re.compile(r"\s{0,20}\S.{0,40}?\s\d{1,3}\S{3,9}\s+\d{1,12}us[^\w\s]?\s?:")
_FRAME = re.compile(r"\s{0,20}=> ")
_OLD_WAKEUP = re.compile(r".{0,90}?: __trace_start_sched_wakeup ")
_POLICIES = {"0": "SCHED_OTHER", "1": "SCHED_FIFO", "2": "SCHED_RR", "3": "SCHED_BATCH", "6": "SCHED_DEADLINE"}


@dataclass(slots=True)
class _Trace:
    """What the header of one trace tells; `path` are the functions where a section started and ended."""

    line: Line
    tracer: str
    version: str
    kernel: str
    latency: str
    cpu: int
    model: str
    task: str = ""
    path: dict[str, str] = field(default_factory=dict)
    wakeup: bool = False

    def run(self) -> Run:
        """Return the trace as a run of one maximum."""
        quantity = "thread" if self.wakeup else _QUANTITIES.get(self.tracer, "unknown")
        run = Run(self.tracer, quoted=self.line.quote > 0)
        run.rows.add("all", quantity, "summary", -math.inf, schema.to_ns(self.latency, "us"), line=self.line.number)
        run.facts = {
            "context": "kernel",
            "variant": self.version,
            "kernel": self.kernel,
            "printed_unit": "us",
            "unit_basis": "printed",
            "resolution": 1000.0,
            "rounding": "truncated" if self.tracer in _TRACERS else "unknown",
            "ended": "unknown",
            "note": f"the largest: {', '.join(self._cause())}",
        }
        if self.model.lower().startswith(("preempt_rt", "preempt_{rt")):
            run.facts["approach"] = "PREEMPT_RT"
        run.warnings = ["only the largest latency is printed: no count, and no other value; tracing lengthens it"]
        if quantity == "unknown":
            run.warnings.append(f"line {self.line.number}: whether it is a wake-up latency is not told")
        return run

    def _cause(self) -> Iterator[str]:
        """What made it so large, as far as the header tells."""
        if self.task:
            yield f"task {self.task}"
        yield f"on cpu{self.cpu}"
        yield from (f"{which} at {function}" for which, function in self.path.items())
        yield f"preemption model {self.model}"


class _Log:
    """A log's traces, and the lines that tell nothing."""

    def __init__(self) -> None:
        self.traces: list[_Trace] = []
        self.ignored, self.rejected = Tally(), Tally()
        self.tracer = self.version = self.kernel = ""
        self.held: Line | None = None
        self.empty = 0

    def read(self, line: Line) -> None:
        """Take a line, or hold it: mailers break ``latency: 40968 us, #20/20, CPU#1 |`` from what follows."""
        text = line.text
        if not text.strip():
            return
        if self.held:
            together = replace(self.held, text=f"{self.held.text} {text.strip()}")
            if line.quote == self.held.quote and (latency := _LATENCY.match(together.text)):
                self.held = None
                self.begin(latency, together)
                return
            self.give_up()
        if latency := _LATENCY.match(text):
            self.begin(latency, line)
        elif _LATENCY_LIKE.match(text):
            self.held = line
        elif tracer := _TRACER.match(text):
            self.tracer, self.version, self.kernel = tracer[1], "", ""
        elif title := _TITLE.match(text):
            self.tracer, self.version, self.kernel = title[1], f"latency trace {title[2]}", title[3]
        else:
            self.go_on(line)

    def give_up(self) -> None:
        """Reject the line that is held, if there is one."""
        if self.held:
            self.rejected.add("damaged line" if self.held.whole else "cut last line", self.held.number)
            self.held = None

    def begin(self, found: re.Match[str], line: Line) -> None:
        """Begin a trace with the line that tells its latency."""
        latency, entries, total, cpu, model = found.groups()
        if int(latency) == int(entries) == int(total) == 0:
            self.empty = self.empty or line.number
            self.ignored.add("maximum of nothing", line.number)
        else:
            tracer = self.tracer or "unknown"
            self.traces.append(_Trace(line, tracer, self.version, self.kernel, latency, int(cpu), model))
        self.tracer = self.version = self.kernel = ""

    def go_on(self, line: Line) -> None:
        """Take a line that belongs to the trace begun last: its cause, or a step on its path."""
        text = line.text
        trace = self.traces[-1] if self.traces and not self.tracer else None
        if trace and (task := _TASK.match(text)) and not trace.task:
            name, policy, priority = task.groups()
            trace.task = f"{name} ({_POLICIES.get(policy, f'policy {policy}')}, rt_prio {priority})"
        elif trace and (section := _SECTION.match(text)):
            trace.path.setdefault(section[1], section[2])
        elif trace and _STEP.match(text):
            self.ignored.add("step on the path to the maximum", line.number)
            trace.wakeup |= trace.tracer == "preemption" and bool(_OLD_WAKEUP.match(text))
        elif text.lstrip().startswith(("#", "|", "---")):
            self.ignored.add("header", line.number)
        else:
            self.ignored.add("stack trace" if _FRAME.match(text) else "no line of a trace", line.number)


def parse(source: Source) -> Iterator[Run]:
    """Yield a run of one maximum for each latency trace of a log.

    Raises
    ------
    LogError
        If no trace tells its latency.

    Examples
    --------
    >>> header = b'''# wakeup_rt latency trace v1.1.5 on 6.12.117
    ... # latency: 5743 us, #27/27, CPU#1 | (M:preempt_rt VP:0, KP:0, SP:0 HP:0 #P:2)
    ... '''
    >>> (run,) = parse(Source(None, "trace", header))
    >>> run.tool, run.rows.arrays()["high"].tolist(), run.facts["approach"]
    ('wakeup_rt', [5743000.0], 'PREEMPT_RT')
    """
    log = _Log()
    for line in source.lines():
        log.read(line)
    log.give_up()
    runs = [trace.run() for trace in log.traces]
    if not runs:
        found = "a trace in which nothing was recorded yet" if log.empty else "a trace that tells no latency"
        expected = "'# latency: 259 us, #4/4, CPU#2 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)'"
        raise LogError(source.name, found, expected, line=log.empty)
    runs[0].ignored, runs[0].rejected = log.ignored, log.rejected
    if log.rejected.total:
        first = min(line for _, line in log.rejected.reasons.values())
        runs[0].warnings.append(f"{log.rejected.total} lines could not be read (the first is line {first})")
    yield from runs


FORMAT = Format(
    name="latency_tracer",
    title="kernel latency traces: wakeup, wakeup_rt, wakeup_dl, irqsoff, preemptoff, preemptirqsoff",
    gives="one maximum of thread latency, or of a section with interrupts or preemption off",
    versions="ftrace of Linux 2.6.27 to 6.15; latency tracer v1.1.4 and v1.1.5 of the realtime patches",
    words=("tracer: ", "latency trace v", "latency: "),
    marks=(_TRACER, _TITLE, _LATENCY),
    parse=parse,
)
