"""A log of cyclictest's text on its way into runs, piece by piece.

A run ends where a line comes that cannot follow: a header after numbers, a status line of another thread id, a
histogram after a histogram, a bucket or a cycle number that falls.

Private to ``cyclictest_text``.

Source: rt-tests ``src/cyclictest/cyclictest.c``, tags v0.18 to v2.1, ``src/sched_deadline/cyclicdeadline.c``, and
recorded output up to 2.10.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from rtlat.formats._cyclictest_context import recognise
from rtlat.formats._cyclictest_footer import FOOTER
from rtlat.formats._cyclictest_histogram import Table
from rtlat.formats._cyclictest_rows import ROW_LIKE, Rows, read_row
from rtlat.formats._cyclictest_run import OpenRun
from rtlat.formats._cyclictest_samples import Samples, sample
from rtlat.formats._cyclictest_status import read_status
from rtlat.protocol import Run
from rtlat.source import Block, Line, Source

_SAMPLE_LIKE = re.compile(r"[ \d]{8}:[ \d]{8,18}:", re.ASCII)
# what cyclicdeadline prints before the same status lines, without P, and the same histogram
_CYCLICDEADLINE = re.compile(r"Using all CPUS\s*$|interval: \d+:\d+\s*$|deadline thread \d|thread\[\d+\] runtime=\d")
_STARTS = {"latency", "no_latency", "max_cpus", "interval"}
_PROMPTS = {"kernel", "processor", "command"}  # a user's words before a run, or between the lines of one


class Log:
    """A log on its way into runs."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.runs: list[Run] = []
        self.open = OpenRun(source.keep)
        self.found = "no line of cyclictest's results"
        self.snapshot = False
        self.before: list[tuple[str, dict[str, str]]] = []

    def samples(self, samples: Samples, between: Iterable[Line] = (), quote: int = 0) -> None:
        """Take sample lines, and those between them; a cycle number that falls begins another run."""
        lines = deque(between)
        while len(samples.line):
            run = self.open
            after = run.table is not None or run.is_ending or (run.status and not run.sequence.threads)
            taken = 0 if after else run.sequence.take(*samples, late="max_cpus" not in run.context.kinds)
            run.unquoted |= taken > 0 and quote == 0
            end = samples.line[taken] if taken < len(samples.line) else sys.maxsize
            while lines and lines[0].number < end:
                self.line(lines.popleft())
            if taken < len(samples.line):
                self.close_run()
            samples = samples.part(slice(taken, None))

    def line(self, line: Line) -> None:
        """Take any other line."""
        text = line.text.lstrip()
        if not text.strip("\0 \t"):
            return
        if text[0] == "T" and (status := read_status(line)):
            known = self.open.status.get(status.thread)
            same = known is None or (known.tid == status.tid if known.tid and status.tid else status.n >= known.n)
            tool = "cyclictest" if status.priority >= 0 else "cyclicdeadline"
            if self.open.table or self.open.is_ending or not same or (self.open.status and tool != self.open.run.tool):
                self.close_run()
            elif known and status.n < known.n:
                self.open.run.ignored.add("older status line", line.number)
                return
            self.open.run.tool = tool
            self.open.status[status.thread] = status
            self.open.final = not self.snapshot and (known is None or tool == "cyclictest")
        elif text[0].isdigit() and (one := sample(line)):
            self.samples(one, quote=line.quote)
        elif not line.whole and not FOOTER.match(text.rstrip()):
            self._cut(line, text)
        elif text[0].isdigit() and ROW_LIKE.match(line.text):
            if row := read_row(line):
                self._rows(row)
            else:
                self._reject(line, "damaged row")
        else:
            self._other(line, text)
            return
        self.open.unquoted |= line.quote == 0

    def _cut(self, line: Line, text: str) -> None:
        """A last line without its end: it may be cut, and then is no data."""
        if (text[0] in "T#" or text[0].isdigit()) and len(text.rstrip()) > 1:
            self.open.run.rejected.add("cut last line", line.number)
            self.open.cut = True
        else:
            self.open.run.ignored.add("not of cyclictest", line.number)

    def rows(self, rows: Rows) -> None:
        """Take rows of a histogram; where the bucket does not rise, another begins."""
        falls = np.flatnonzero(rows.bucket[1:] <= rows.bucket[:-1]) + 1
        for start, stop in pairwise([0, *falls.tolist(), len(rows.bucket)]):
            self._rows(rows.part(start, stop) if len(falls) else rows)
            self.open.unquoted = True

    def footer(self, block: Block) -> Block:
        """Take a whole footer at the start of a block; return what comes after it."""
        table = self.open.table
        if not table or block.margin or not block.data.startswith(b"# "):
            return block
        taken, kinds = table.footer.take_whole(block.data.decode("utf-8", "replace"), block.first)
        for kind in kinds:
            self.open.context.note(kind, {})
        self.open.unquoted |= taken > 0
        rest = block.data.split(b"\n", taken)[-1] if taken else block.data
        return Block(block.first + taken, rest, block.whole)

    def _rows(self, rows: Rows) -> None:
        """Take rows of one histogram, of this run if they can follow."""
        table = self.open.table
        if (self.open.is_ending and not self.open.spikes) or (
            table and (table.footer.has_begun or rows.bucket[0] <= table.last)
        ):
            self.close_run()
            table = None
        if table is None:
            table = self.open.table = Table(self.open.run, int(rows.line[0]))
        if table.last < 0:
            table.narrow = rows.narrow
            self.open.context.bound(*((None, (0, 44)) if table.narrow else ((0, 45), None)))
            if rows.tabbed:
                self.open.context.bound(None, (0, 72))
        table.add(rows)

    def _other(self, line: Line, text: str) -> None:
        """A line by its kind."""
        kind, said = recognise(text)
        run = self.open
        if kind in _PROMPTS and run.has_data:
            self.before.append((kind, said))
            return
        if self._begins(kind):
            self.close_run()
            run = self.open
        run.context.note(kind, said)
        if kind == "histogram":
            run.table = Table(run.run, line.number, headed=True)
        elif (footer := FOOTER.match(text.rstrip())) and run.table:
            run.table.footer.take(footer, line)
            run.unquoted |= line.quote == 0
        elif footer:
            run.run.ignored.add("footer line without its histogram", line.number)
            self.found = "the footer of a histogram without its rows"
        elif kind == "spike":
            run.spikes.append((int(said["index"]), int(said["spike"]), line.number))
            run.unquoted |= line.quote == 0
        elif kind == "spikes":
            run.listed = int(said["spikes"])
        elif kind == "ids":
            run.tids = said["ids"].split()
        elif kind in ("break_thread", "break_value"):
            run.broken.update({name: (value, line.number) for name, value in said.items()})
            run.unquoted |= line.quote == 0
        elif kind in ("snapshot", "dashes"):
            self.snapshot = kind == "snapshot"
        elif kind == "latency":
            self.found = "cyclictest's header without a result (a run that is killed prints none)"
        elif not kind:
            self._unknown(line, text)

    def _begins(self, kind: str) -> bool:
        """Whether a line of this kind cannot belong to the run so far."""
        run = self.open
        if kind == "histogram":
            return run.table is not None or bool(run.broken or run.tids)
        # `# cyclictest current status:` and its T: lines go to stderr, which is there first
        early = run.status and not (run.table or run.sequence.threads or run.is_ending)
        headed = run.context.kinds & {"latency", "no_latency", "policy", "policies", "load"}
        return kind in _STARTS and run.has_data and not (kind == "latency" and early and not headed)

    def _unknown(self, line: Line, text: str) -> None:
        """A line that is not cyclictest's, or not any more."""
        if _CYCLICDEADLINE.match(text):
            if self.open.has_data:
                self.close_run()
            self.open.run.tool = "cyclicdeadline"
            self.found = "cyclicdeadline's header without a result (it needs HRTICK for a run time below 2 ms)"
        if text.startswith("Usage:"):
            self.found = "cyclictest's usage text (it refused an option)"
        if text.startswith("T:"):
            self._reject(line, "unreadable status line")
        elif _SAMPLE_LIKE.match(line.text):
            self._reject(line, "damaged sample line")
        elif "\0" in text:  # a crash leaves blocks of them in a file
            self._reject(line, "NUL bytes")
        elif self.open.table and not self.open.table.footer.has_begun:
            self.open.table.reject("line inside the histogram that is no row", line.number)
        else:
            self.open.run.ignored.add("not of cyclictest", line.number)

    def _reject(self, line: Line, reason: str) -> None:
        """Count a line that should be data."""
        if self.open.table and not self.open.table.footer.has_begun:
            self.open.table.reject(reason, line.number)
        else:
            self.open.run.rejected.add(reason, line.number)

    def close_run(self) -> None:
        """End the run; without an observation, what was counted goes to the next."""
        open_run, self.open = self.open, OpenRun(self.source.keep)
        while self.before:
            self.open.context.note(*self.before.pop(0))
        if open_run.table and not open_run.table.is_one:
            open_run.run.ignored.add("row outside a histogram", open_run.table.line, open_run.table.length)
            open_run.table = None
        if run := open_run.finish():
            self.runs.append(run)
            return
        if open_run.table:
            self.found = "a histogram without a sample (up to 0.44 those beyond it are not counted)"
        elif open_run.status:
            self.found = "threads without a sample (C: 0)"
        self.open.run.ignored, self.open.run.rejected = open_run.run.ignored, open_run.run.rejected


def is_passed_over(line: Line) -> bool:
    """Whether a line among samples is counted and nothing else, as `Log` does."""
    text = line.text.lstrip()
    if not text.strip("\0 \t"):
        return True
    special = text.startswith(("T", "Usage:")) or ROW_LIKE.match(line.text) or FOOTER.match(text.rstrip())
    return line.whole and not (special or recognise(text)[0] or _CYCLICDEADLINE.match(text))
