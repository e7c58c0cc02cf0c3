"""Messages of the lil module (Linux Interrupt Latency benchmark, 1998), and steps of a patch-ikd kernel trace.

::

    # insmod ./lil.o irq=3 num=2000000 detect=1
    Linux Interrupt Latency benchmark - Copyright (C) 1998 Andrea Arcangeli
    detected slow IRQ at: cycle 252593, latency 1653, eip c0117b05, CPU 0
    latency cycles: mean 542, max 2100, min 542

Latencies are CPU cycles, and the order is mean, max, min. In a "detected slow IRQ" line ``cycle`` is the
running number of the interrupt. Only the shell's ``insmod`` line says how many interrupts there were
("init_module: Device or resource busy" after it is how the module ends by design). A trace has a line per
function: ``c010c0f1 do_IRQ +<d/54> (0.41) pid(226) # comment``, times in us.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from rtlat import schema
from rtlat.errors import LogError
from rtlat.protocol import Format, Run, Tally
from rtlat.source import Line, Source

_INSMOD = re.compile(r"\binsmod \S{0,200}\blil(?:\.o)?(?: +\w{1,20}=[^\s=]{1,20}){0,9}")
_BANNER = re.compile(r"\s*Linux Interrupt Latency benchmark - Copyright")
_SLOW = re.compile(r"\s*detected slow IRQ at: cycle (\d+), latency (\d+), eip [0-9a-f]+, CPU \d+\s*$")
_MEAN = re.compile(r"\s*latency cycles: mean (\d+), max (\d+), min (\d+)\s*$")
_MESSAGE = re.compile(r"\s*(?:detected slow IRQ|latency cycles:)")
_STEP = re.compile(
    r"\s*[0-9a-f]{8,16} \S{1,200} \+<[0-9a-f]{1,16}/[0-9a-f]{1,16}> \((\d{1,9}[.,]\d{1,9})\) pid\(\d+\)\s*(#.*)?$"
)
_STEP_LIKE = re.compile(r"\s*[0-9a-f]{8,16} \S{1,200} \+<")


@dataclass(slots=True)
class _Benchmarks:
    """The lil runs so far; `run` is the one whose lines are being read, `command` the insmod line before it."""

    runs: list[Run] = field(default_factory=list)
    run: Run | None = None
    command: str = ""
    quote: int = 0

    def take(self, line: Line) -> bool:
        """Whether the line is lil's, or the shell's that started it; then it is kept."""
        if line.text.strip() and line.quote != self.quote:
            self.run, self.command, self.quote = None, "", line.quote
        if insmod := _INSMOD.search(line.text[:1000]):
            self.run, self.command = None, insmod[0]
        elif _BANNER.match(line.text):
            if self.run and len(self.run.rows):
                self.run = None
            self.run = self.run or self._start()
        elif _MESSAGE.match(line.text):
            self.run = self.run or self._start()
            self._take_message(self.run, line)
        else:
            return False
        return True

    def _start(self) -> Run:
        """Open a run with what the insmod line says."""
        given = dict(re.findall(r"(\w+)=(\S+)", self.command))
        run = Run("lil", quoted=self.quote > 0)
        run.facts = {
            "context": "irq",
            "printed_unit": "cycles",
            "unit_basis": "printed",
            "resolution": 1.0,
            "rounding": "exact",
            "ended": "cut",  # until the line with the mean, which lil prints last
        }
        if self.command:
            run.facts["command"] = self.command
        if "irq" in given:
            run.facts["variant"] = f"irq={given['irq']}"
        if given.get("num", "").isdigit() and len(given["num"]) < 18:
            run.facts["nominal_n"] = int(given["num"])
        self.command = ""
        self.runs.append(run)
        return run

    def _take_message(self, run: Run, line: Line) -> None:
        """Keep a slow interrupt, or the summary, which ends the run."""
        slow, mean = _counts(_SLOW.match(line.text)), _counts(_MEAN.match(line.text))
        if not line.whole:
            run.rejected.add("cut last line", line.number)
        elif slow:
            cycle, latency = slow
            run.rows.add(
                "all", "irq", "sample", latency, latency, n=1, of="over", seq=cycle, unit="cycles", line=line.number
            )
        elif mean and mean[2] <= mean[1]:
            _summarise(run, line.number, *mean)
            self.run = None
        else:
            run.rejected.add("damaged message", line.number)


@dataclass(slots=True)
class _Traces:
    """The trace steps so far, a run for each quoting depth; `block` is whether the next step goes on with a series."""

    runs: dict[int, Run] = field(default_factory=dict)
    series: Counter[int] = field(default_factory=Counter)
    block: bool = False
    quote: int = 0
    comment: bool = False

    def take(self, line: Line) -> bool:
        """Whether the line belongs to a trace; then it is kept. Other lines end a series."""
        if not _STEP_LIKE.match(line.text):
            # `c010c133 do_IRQ +<4f/54> (0.63) pid(226) # exit irq3 and return in` and its next line
            wrapped = self.comment and line.quote == self.quote and line.text[:1].islower()
            self.block, self.comment = self.block and wrapped, False
            return wrapped
        if not self.block or line.quote != self.quote:
            self.series[line.quote] += 1
        self.block, self.quote = True, line.quote
        run = self.runs.setdefault(line.quote, _trace(line.quote))
        step = _STEP.match(line.text)
        self.comment = bool(step and step[2])
        if step:
            time = schema.to_ns(step[1].replace(",", "."), "us")
            name, number = f"trace{self.series[line.quote]}", len(run.rows) + 1
            run.rows.add(name, "step", "sample", time, time, n=1, of="part", seq=number, line=line.number)
        else:
            run.rejected.add("damaged step" if line.whole else "cut last line", line.number)
        return True


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each lil benchmark, and one for the kernel trace steps, if there are any.

    Raises
    ------
    LogError
        If there is no latency at all.

    Examples
    --------
    >>> dmesg = b"$ insmod lil.o irq=3 num=2000000\\n<4>latency cycles: mean 542, max 2100, min 542\\n"
    >>> (run,) = parse(Source(None, "dmesg", dmesg))
    >>> row = run.rows.arrays()
    >>> row["low"].tolist(), row["avg"].tolist(), row["high"].tolist(), row["n"].tolist()
    ([542.0], [542.0], [2100.0], [2000000])
    """
    benchmarks, traces, ignored = _Benchmarks(), _Traces(), Tally()
    for line in source.lines():
        if not benchmarks.take(line) and not traces.take(line) and line.text.strip():
            ignored.add("no line of lil or of a trace", line.number)
    found = [*benchmarks.runs, *traces.runs.values()]
    runs = sorted((run for run in found if len(run.rows)), key=lambda run: int(run.rows.arrays()["line"][0]))
    if not runs:
        raise LogError(source.name, "no latency", "'latency cycles: mean 542, max 2100, min 542' or trace steps")
    runs[0].ignored = ignored
    for run in found:  # one run answers for the lines that belong to none
        if not len(run.rows):
            runs[0].rejected.merge(run.rejected)
    for run in runs:
        run.warnings += _warnings(run)
        yield run


def _counts(match: re.Match[str] | None) -> list[int]:
    """The counts of a matched line; none if it did not match, or one is beyond 2^63."""
    try:
        return [schema.count(text) for text in match.groups()] if match else []
    except ValueError:
        return []


def _summarise(run: Run, line: int, mean: int, largest: int, smallest: int) -> None:
    """Keep what lil prints last, checked against its own lines."""
    slow = run.rows.arrays()
    n, avg = run.facts.get("nominal_n", -1), float(mean)
    if slow["seq"].max(initial=0) > n >= 0:
        run.warnings.append(f"line {line}: interrupt {slow['seq'].max()} was slow, but num={n}: n is not known")
        n = -1
    if slow["high"].max(initial=0) > largest:
        run.warnings.append(f"line {line}: max {largest} cycles, but a slow IRQ took {slow['high'].max():.0f}")
    if not smallest <= mean <= largest:
        run.warnings.append(f"line {line}: mean {mean} does not lie between min {smallest} and max {largest}: left out")
        avg = math.nan
    run.rows.add("all", "irq", "summary", smallest, largest, n=n, avg=avg, unit="cycles", line=line)
    run.facts["ended"] = "complete"


def _trace(quote: int) -> Run:
    """An empty run of trace steps."""
    run = Run("patch-ikd", quoted=quote > 0)
    run.facts = {
        "variant": "kernel function trace",
        "context": "kernel",
        "printed_unit": "us",
        "unit_basis": "assumed",
        "resolution": 10.0,
        "rounding": "unknown",
    }
    return run


def _warnings(run: Run) -> list[str]:
    """What a reader of the numbers must know."""
    of = run.rows.arrays()["of"].tolist()
    warnings = []
    if run.tool == "patch-ikd":
        warnings.append(
            "whether a step's time runs from the entry before or to the next is not stated, nor its unit but by the "
            "text; the tracer's own cost is in it, and the traced kernel need not be that of other runs in this log"
        )
    if "over" in of:
        warnings.append(
            f"{of.count('over')} slow IRQ lines tell only of interrupts that took more than three times the mean up "
            "to then; they are no sample of the run"
        )
    if run.facts.get("ended") == "cut":
        warnings.append("the line with mean, max and min is missing")
    if run.rejected.total:
        first = min(line for _, line in run.rejected.reasons.values())
        warnings.append(f"{run.rejected.total} lines could not be read (the first is line {first})")
    return warnings


FORMAT = Format(
    name="lil_dmesg",
    title="lil, the Linux Interrupt Latency benchmark (dmesg), and patch-ikd kernel traces",
    gives="summary and slow samples of irq latency in CPU cycles; steps of a function trace",
    versions="lil 1 to 8 (1998)",
    words=("Linux Interrupt Latency", "slow IRQ", "latency cycles: ", "pid("),
    marks=(_BANNER, _SLOW, _MEAN, _STEP),
    parse=parse,
)
