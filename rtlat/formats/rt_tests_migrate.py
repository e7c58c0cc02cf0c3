"""What rt-migrate-test prints: when each of the tasks that are released together got a CPU.

::

    Iter:      0       1       2
       0:    20055      47      57        microseconds until each task ran
     len:    40055   20047   20057        until it had run for its 20 ms
     loops: 590881  622390  589690

    Parent pid: 21734
     Task 0 (prio 2) (pid 21735):
       Max: 20070 us
       Min: 36 us
       Tot: 160531 us
       Avg: 16053 us

Unless told otherwise there is one task more than CPUs, so that of lowest priority waits for the others by
design: its figures are no scheduling latency. Progress bars before the table are a line repainted many times.

Source: rt-tests ``src/rt-migrate-test/rt-migrate-test.c`` (print_results), and recorded output of 2.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from rtlat import schema
from rtlat.errors import LogError
from rtlat.formats._rt_tests_tools import MICROSECONDS, MIGRATION_NOTE, QUANTITY, rounds
from rtlat.protocol import Format, Run
from rtlat.rows import Rows
from rtlat.source import Line, Source

_HEAD = re.compile(r"\s*Iter:((?: +\d{1,5})+)\s*$", re.ASCII)
_ROW = re.compile(r"\s*(\d{1,9}):((?: +\d{1,15})+)\s*$", re.ASCII)
_REST = re.compile(r"\s*(?:len|loops):(?: +\d{1,19})+\s*$", re.ASCII)
_TASK = re.compile(r"\s*Task (\d{1,5}) \(prio (\d{1,3})\) \(pid \d{1,10}\):\s*$", re.ASCII)
_FIGURE = re.compile(r"\s*(Max|Min|Tot|Avg): (\d{1,18}) us\s*$", re.ASCII)
_LIKE = re.compile(r"\s*(?:\d{1,9}: +\d|Iter: |Task \d|(?:Max|Min|Tot|Avg): )")
_VERDICT = re.compile(r"\s*(Passed|Failed)!\s*$")
_BAR = re.compile(r"\|[ -]*\|?\s*$")
_QUANTITY = QUANTITY["rt-migrate-test"]


@dataclass(slots=True)
class _Task:
    """A task's own block: its priority, and its figures [us] with their lines."""

    priority: int
    figures: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(slots=True)
class _OpenRun:
    """A run whose lines are still coming in; `times` has what each task shows in each iteration [us]."""

    run: Run = field(default_factory=lambda: Run("rt-migrate-test", facts=dict(MICROSECONDS)))
    names: list[int] = field(default_factory=list)
    times: list[list[int]] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)
    tasks: dict[int, _Task] = field(default_factory=dict)
    failed: bool = False
    unquoted: bool = False

    def row(self, line: Line, number: int, cells: list[str]) -> bool:
        """Take an iteration; return whether it is sound."""
        after = self.places[-1][1] if self.places else -1
        if self.tasks or len(cells) != len(self.names) or number <= after or not line.whole:
            return False
        self.times.append([int(cell) for cell in cells])
        self.places.append((line.number, number))
        return True

    def finish(self, keep: int) -> Run | None:
        """Return the run; None if no task ran."""
        run = self.run
        run.rows = Rows(keep)
        run.rows.step = 1000.0
        run.facts |= {"note": MIGRATION_NOTE, "unit_basis": "printed"}
        lines, numbers = np.array(self.places, np.int64).reshape(-1, 2).T
        if len(numbers) and int(numbers[-1]) != len(numbers) - 1:
            run.warnings.append(f"{int(numbers[-1]) + 1 - len(numbers)} iterations are missing")
        for place, name in enumerate(self.names):
            values = np.array([times[place] for times in self.times], np.int64)
            run.rows.samples(f"t{name}", _QUANTITY, values, lines, numbers)
            run.series[f"t{name}"] = {"n": len(values)} if len(values) else {}
        run.facts |= {"bin_edges": "samples"} if run.rows.folded else {}
        whole = [task for task in self.tasks.values() if len(task.figures) == 4]
        implied = rounds((task.figures["Tot"][0], task.figures["Avg"][0]) for task in whole)
        for name, task in self.tasks.items():
            self._state(name, task, implied)
        complete = whole and len(whole) == len(self.names or self.tasks)
        run.facts["ended"] = "stopped at threshold" if self.failed else "complete" if complete else "cut"
        run.quoted = not self.unquoted
        return run if len(run.rows) else None

    def _state(self, name: int, task: _Task, implied: int) -> None:
        """Add what a task's own block says."""
        run, series = self.run, f"t{name}"
        run.series.setdefault(series, {})
        run.series[series] |= {"priority": task.priority, "policy": "fifo"}
        if len(task.figures) < 4:
            run.warnings.append(f"the figures of {series} are not complete")
            return
        (low, _), (high, line), (total, _), (average, _) = (task.figures[key] for key in ("Min", "Max", "Tot", "Avg"))
        if not low <= average <= high or (implied > 0 and not low * implied <= total <= high * implied):
            run.warnings.append(f"line {line}: the figures of {series} contradict each other: they are not kept")
            return
        place = self.names.index(name) if name in self.names else -1
        own = [times[place] for times in self.times] if place >= 0 else []
        found = {"Min": min(own, default=low), "Max": max(own, default=high), "Tot": sum(own) if own else total}
        for key, value in found.items():
            printed, where = task.figures[key]
            if value != printed:
                run.warnings.append(f"line {where}: {series} has {key} {printed}, its iterations {value}")
        sound = own and found["Tot"] == total
        n = len(own) if sound else implied
        run.rows.add(series, _QUANTITY, "summary", low * 1e3, high * 1e3, n=n, avg=average * 1e3, line=line)


def parse(source: Source) -> Iterator[Run]:
    """Yield the runs of a log: another begins with each head of a table.

    Raises
    ------
    LogError
        If no task ran.

    Examples
    --------
    >>> log = b'''Iter:      0       1
    ...    0:    20055      47
    ...    1:       51      54
    ... '''
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> rows["series"].tolist(), rows["low"].tolist(), run.facts["ended"]
    (['t0', 't0', 't1', 't1'], [20055000.0, 51000.0, 47000.0, 54000.0], 'cut')
    """
    runs: list[Run] = []
    open_run = _OpenRun()
    for line in source.lines():
        if _HEAD.match(line.text) and line.whole and (open_run.names or open_run.tasks):
            finished = open_run.finish(source.keep)
            runs += [finished] if finished else []
            open_run = _OpenRun()
        _take(open_run, line)
    last = open_run.finish(source.keep)
    runs += [last] if last else []
    if not runs:
        raise LogError(source.name, "no iteration of rt-migrate-test", "its table (a run that is killed prints none)")
    if not last:
        runs[-1].ignored.merge(open_run.run.ignored)
        runs[-1].rejected.merge(open_run.run.rejected)
    yield from runs


def _take(run: _OpenRun, line: Line) -> None:
    """Take a line."""
    text, known = line.text, True
    if head := _HEAD.match(text):
        run.names = [int(name) for name in head[1].split()] if line.whole else []
        known = line.whole
    elif run.names and (row := _ROW.match(text)):
        known = run.row(line, int(row[1]), row[2].split())
    elif (task := _TASK.match(text)) and int(task[1]) not in run.tasks:
        run.tasks[int(task[1])] = _Task(int(task[2]))
    elif run.tasks and (figure := _FIGURE.match(text)):
        figures = next(reversed(run.tasks.values())).figures
        known = line.whole and figure[1] not in figures
        if known:
            figures[figure[1]] = schema.count(figure[2]), line.number
    elif (run.names or run.tasks) and _LIKE.match(text):
        known = False
    else:
        run.failed |= bool((verdict := _VERDICT.match(text)) and verdict[1] == "Failed")
        if text.strip():
            reason = "length and loops" if _REST.match(text) else "progress bar" if _BAR.match(text) else "other text"
            run.run.ignored.add(reason, line.number)
        return
    run.unquoted |= line.quote == 0
    if not known:
        run.run.rejected.add("damaged line" if line.whole else "cut last line", line.number)


FORMAT = Format(
    name="rt_tests_migrate",
    title="rt-migrate-test",
    gives="samples and a summary of migration latency for each task",
    versions="rt-tests 2.4",
    words=("Iter:", "Task "),
    marks=(_HEAD, _TASK),
    parse=parse,
)
