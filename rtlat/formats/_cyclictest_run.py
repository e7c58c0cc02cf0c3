"""One run of cyclictest whose lines come in: all that it prints, and what that says together.

Private to ``cyclictest_text``.

Source: rt-tests ``src/cyclictest/cyclictest.c`` (print_stat, print_tids, trigger_print), and recorded output.
"""

from __future__ import annotations

import math

from rtlat.formats._cyclictest_context import Context
from rtlat.formats._cyclictest_histogram import Table
from rtlat.formats._cyclictest_sequence import Sequence
from rtlat.formats._cyclictest_statements import FIRST_MIN, MIN_FORGOTTEN, sane
from rtlat.formats._cyclictest_status import Status
from rtlat.protocol import Run
from rtlat.rows import Rows


class OpenRun:
    """A run whose lines are still coming in.

    Parameters
    ----------
    keep : int
        Samples kept as rows.
    """

    def __init__(self, keep: int) -> None:
        self.run = Run("cyclictest")
        self.context = Context()
        self.sequence = Sequence(Rows(keep))
        self.status: dict[int, Status] = {}
        self.table: Table | None = None
        self.spikes: list[tuple[int, int, int]] = []
        self.listed = -1
        self.tids: list[str] = []
        self.broken: dict[str, tuple[str, int]] = {}
        self.maxima: dict[str, float] = {}
        self.cut = False
        self.final = True
        self.unquoted = False

    @property
    def has_data(self) -> bool:
        """Whether there is a number of it."""
        return bool(self.sequence.threads or self.status or self.table or self.is_ending)

    @property
    def is_ending(self) -> bool:
        """Whether it has printed what comes after the status lines."""
        return bool(self.spikes or self.tids or self.broken)

    @property
    def group(self) -> int:
        """Samples of which a line is the largest (``-o``): 1 without, -1 if it is not known how many."""
        return self.context.asked.group or self.sequence.group

    def finish(self) -> Run | None:
        """Return the run; None if it holds no observation."""
        run, context = self.run, self.context
        unit, basis = self._unit()
        step = 1000.0 if unit == "us" else 1.0
        samples = self.sequence.rows
        samples.step = step
        twice = self.table is not None and samples.folded  # two histograms of the same observations
        run.rows = Rows() if twice else samples
        run.facts = {
            "context": "user",
            "evidence": "log",
            "printed_unit": unit,
            "unit_basis": basis,
            "resolution": step,
            "rounding": "truncated" if unit == "us" else "exact",
            **context.facts,
        }
        ended = self._state_table(step)
        if twice and ended == "cut":
            run.rows = samples
            run.warnings.append("the histogram is not kept: the samples are the same observations")
        self._state_samples(step, counted=twice and ended != "cut")
        self._state_status(step)
        self._state_over(step)
        run.facts["ended"] = self._ended(ended)
        self._state_periods()
        self._state_command(step)
        if run.tool == "cyclictest":
            run.facts.setdefault("version", context.version)
        run.quoted = not self.unquoted
        if not len(run.rows):
            return None
        self._doubt_unit(basis)
        return run

    def _unit(self) -> tuple[str, str]:
        """The printed unit and how it is known: by the padding of status lines, the command, or not at all."""
        units = {status.unit for status in self.status.values()} - {""}
        if units == {"ns"}:
            self.context.bound((0, 32), None)
        if len(units) == 1:
            return units.pop(), "inferred"
        if self.context.command:
            return ("ns" if self.context.asked.nanoseconds else "us"), "documented"
        return "us", "assumed"

    def _doubt_unit(self, basis: str) -> None:
        """Say so if the numbers may be nanoseconds and nothing tells."""
        least = [status.low for status in self.status.values() if status.n and status.low != FIRST_MIN]
        least += [thread.low for thread in self.sequence.threads.values() if thread.n]
        if self.table and self.table.least is not None:
            least.append(self.table.least)
        if basis == "assumed" and least and min(least) >= 1000:
            self.run.warnings.append(
                f"no latency is below {min(least)}: with -N these would be nanoseconds, which nothing here tells; "
                "they are taken for microseconds (a card may say printed_unit)"
            )

    def _state_table(self, step: float) -> str:
        """Add the histogram; return how it ended."""
        if self.table is None:
            return ""
        self.run.facts["variant"] = "histogram"
        ended = self.table.finish(step, self.context.asked.limit)
        self.maxima |= self.table.maxima
        return ended

    def _state_samples(self, step: float, counted: bool) -> None:
        """Say of the samples what their cycle numbers tell."""
        run, sequence = self.run, self.sequence
        if not sequence.n:
            return
        group = self.group
        sure = "interval" in self.context.kinds or max(thread.n for thread in sequence.threads.values()) > 2
        if group != 1 and sure:
            run.rows.samples_of = "max"
            run.facts["variant"] = f"largest of each {group if group > 1 else 'few'} samples (-o)"
        else:
            run.facts.setdefault("variant", "samples")
            if sequence.missing > 0:
                run.warnings.append(f"{sequence.missing} cycles are missing among the samples")
        if counted:
            run.warnings.append(f"{sequence.n} samples are not kept one by one: the histogram counts them too")
        elif run.rows.folded:
            run.facts["bin_edges"] = "samples"
        if sequence.late:
            self.context.bound(None, (0, 83))
            run.warnings.append(
                "each thread begins with 0 at cycle 0, which is no sample: up to 0.83 values stand one cycle late"
            )
        repeated = sum(thread.repeated for thread in sequence.threads.values())
        if repeated:
            run.warnings.append(f"{repeated} samples repeat a cycle number: a latency of 0 or less prints so, as 0")

    def _state_status(self, step: float) -> None:
        """Add the last status line of each thread, where no histogram's footer says it better."""
        run = self.run
        for status in self.status.values():
            series = f"t{status.thread}"
            facts = run.series.setdefault(series, {})
            facts.update({"priority": status.priority} if status.priority >= 0 else {"policy": "deadline"})
            facts.setdefault("n", status.n)
            if status.high == -FIRST_MIN:
                self.context.bound(None, (0, 71))
            if series in self.maxima:
                continue
            if not status.n:
                run.warnings += [] if self.table else [f"{series}: no sample"]
                continue
            low: float = status.low * step if status.low != FIRST_MIN else -math.inf
            if run.tool == "cyclicdeadline" and low > 0:
                low = -math.inf
                run.warnings.append(f"{series}: line {status.line}: {MIN_FORGOTTEN}")
            high, avg = status.high * step, status.avg * step
            if status.negative:
                low, high, avg = -math.inf, math.inf, math.nan
                run.warnings.append(
                    f"{series}: a latency was negative (the clock was set?): Max {status.high} and Avg {status.avg} "
                    f"(line {status.line}) are wrong"
                )
            low, high, avg = sane(run, f"{series}: line {status.line}", low, high, avg)
            run.facts.setdefault("variant", "status lines")
            run.rows.add(series, "thread", "summary", low, high, n=status.n, avg=avg, line=status.line)
            self.maxima[series] = high
            self._compare(status)

    def _compare(self, status: Status) -> None:
        """Say so if a status line does not agree with the thread's own samples."""
        thread = self.sequence.threads.get(status.thread)
        if thread is None or not thread.n or status.negative:
            return
        for name, printed, own, wrong in (
            ("Min", status.low, thread.low, status.low > thread.low > 0),
            ("Max", status.high, thread.high, status.high < thread.high),
            ("C", status.n, thread.n, status.n < thread.n),
        ):
            if wrong:
                self.run.warnings.append(
                    f"t{status.thread}: line {status.line} says {name} {printed}, its samples say {own}"
                )

    def _state_over(self, step: float) -> None:
        """Add spikes, and the latency that broke the run: observations over a limit."""
        rows = self.run.rows
        if rows.folded:  # its greatest samples are listed, and these among them
            return
        for thread, value, line in self.spikes:
            rows.add(f"t{thread}", "thread", "sample", value * step, value * step, n=1, of="over", line=line)
        if self.spikes and self.listed != len(self.spikes):
            total = f"of {self.listed}" if self.listed >= 0 else "and their total is missing"
            self.run.warnings.append(f"{len(self.spikes)} spikes are listed {total}")
        if "value" in self.broken:
            value, line = int(self.broken["value"][0]), self.broken["value"][1]
            tid = self.broken.get("tid", ("", 0))[0]
            thread = self.tids.index(tid) if tid in self.tids else -1
            if (thread, value) not in [spike[:2] for spike in self.spikes]:
                series = f"t{thread}" if thread >= 0 else "all"
                rows.add(series, "thread", "sample", value * step, value * step, n=1, of="over", line=line)
                self.run.facts.setdefault("variant", "break only")
                if value * step < max(self.maxima.values(), default=0) < math.inf:
                    self.run.warnings.append(f"line {line} says the break value is {value}, the maximum is higher")

    def _ended(self, table: str) -> str:
        """How the run ended, as far as its lines tell."""
        if table == "cut":
            return table
        if self.broken:
            return "stopped at threshold"
        if table:
            return table
        live = {"policy", "policies", "load"} & self.context.kinds
        if self.status and self.final and not live and not self.cut:
            return "complete"  # -q prints status lines once, at the end
        return "cut" if self.cut else "unknown"

    def _state_periods(self) -> None:
        """Add each thread's own period, processor and policy."""
        run, context = self.run, self.context
        names = [f"t{thread}" for thread in {**self.sequence.threads, **self.status}] + list(run.series)
        intervals = {status.thread: status.interval for status in self.status.values()}
        if not intervals and context.intervals and (len(context.intervals) > 1 or self.table):
            # `Thread 0 Interval: 1500`: printed after the distance to the next thread was added
            distance = context.intervals.get(1, 0) - context.intervals.get(0, 0) if len(context.intervals) > 1 else 0
            intervals = {thread: interval - distance for thread, interval in context.intervals.items()}
        elif not intervals and context.command:
            threads = [int(name[1:]) for name in dict.fromkeys(names)]
            intervals = {thread: round(context.asked.period(thread) / 1000) for thread in threads}
        for thread, interval in intervals.items():
            run.series.setdefault(f"t{thread}", {})["period"] = interval * 1000.0
        for name in dict.fromkeys(names):
            facts = run.series.setdefault(name, {})
            if context.policy:
                facts["policy"] = context.policy
            if int(name[1:]) in context.cpus:
                facts["cpu"] = context.cpus[int(name[1:])]
        periods = {facts.get("period") for facts in run.series.values()}
        if len(periods) == 1 and (period := periods.pop()):
            run.facts["period"] = period
            if run.rows.samples_of == "max" and self.group > 1:
                run.facts["window"] = self.group * period / 1e9

    def _state_command(self, step: float) -> None:
        """Add what the command line says."""
        facts, context = self.run.facts, self.context
        if not context.command:
            return
        facts["command"] = context.command
        if context.asked.threshold:
            facts["threshold"] = context.asked.threshold * step
        if context.asked.duration and facts["ended"] == "complete":
            facts.update(duration=float(context.asked.duration), duration_basis="requested")
