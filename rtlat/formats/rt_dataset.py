"""OSADL's RT Dataset, the JSON in which latency histograms of whole machines are exchanged.

::

    "format": {"name": "RT Dataset", "version": "1.0"},
    "latency": {
        "granularity": "microseconds",
        "cores": [
            [0, 1, 2, ..., 399],
            [0, 0, 14, 40712, ...],
            ...
        ],
        "maxima": [410, 390, ...]
    }

The first of ``cores`` is no core but the classes, which the format's description does not say: the others are
counts in those classes, and there are as many maxima as those. What lay beyond the last class is not stored, nor
how much it was: ``cycles`` less the counts holds also what a thread did not run because another was done first.
A core whose maximum lies in a class has lost nothing.

Sources: osadl/Latencyplot ``README.md``, ``src/mk-rtdataset.py``, ``src/mk-cycldataset.py`` (whose files are called
"RT Cyclictest" and do not describe the machine), ``src/plot-rtdataset.py`` (numbers of the cores).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rtlat import cyclictest, jsonruns, jsontext, schema
from rtlat.columns import Array
from rtlat.errors import LogError
from rtlat.protocol import Format, Run
from rtlat.source import Source

_NAMES = ("RT Dataset", "RT Cyclictest")
_UNITS = {"nanoseconds": "ns", "microseconds": "us", "milliseconds": "ms"}
_LARGEST_CLASS = 10**9
_REALTIME = re.compile(r"(?!.*CONFIG_).*PREEMPT[_ ]RT|CONFIG_PREEMPT_RT(?:_FULL)?=y$")


@dataclass(frozen=True, slots=True)
class _Core:
    """The counts of a core by class, their lines, and its maximum; -1 if that is not known."""

    name: str
    cpu: int
    counts: Array
    lines: Array
    maximum: int
    maximum_line: int


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each JSON object.

    Raises
    ------
    LogError
        If the JSON is damaged in a way that cannot be undone exactly, or its first row holds no classes.

    Examples
    --------
    >>> log = b'''{"format": {"name": "RT Dataset", "version": "1.0"}, "condition": {"cycles": 9},
    ... "latency": {"granularity": "microseconds", "cores": [[0, 1, 2], [0, 5, 4], [1, 6, 0]], "maxima": [2, 31]}}'''
    >>> (run,) = parse(Source(None, "demo.json", log))
    >>> rows = run.rows.arrays()
    >>> [*zip(rows["series"].tolist(), rows["low"].tolist(), rows["high"].tolist(), rows["n"].tolist())][2::3]
    [('cpu0', -inf, 2000.0, 9), ('cpu1', -inf, 31000.0, -1)]
    >>> run.warnings
    ['line 2: cpu1: 31 is beyond the last class, 2, and what lies there is not stored: at least one observation']
    """
    yield from jsonruns.runs(source.name, source.lines(), _is_table, _run, "an RT Dataset")


def _is_table(path: jsontext.Path) -> bool:
    """Whether an array holds counts."""
    return path == ("latency", "maxima") or (len(path) == 3 and path[:2] == ("latency", "cores"))


def _run(report: jsontext.Object) -> Run:
    """The run a dataset states."""
    step = _step(report)
    asked = cyclictest.asked(report.text("condition", "cyclictest"))
    classes = _classes(report)
    cores = [*_cores(report, len(classes))]
    if not any(core.counts.any() for core in cores):
        found = "no observation of any core" if report.whole else "JSON that is cut before its first core ends"
        raise LogError(report.where, found, "counts", line=report.line("latency", "cores"))
    run = Run(_tool(report), facts=_facts(report, asked, step), quoted=report.quoted)
    cycles = report.whole_number("condition", "cycles") if ("condition", "cycles") in report.members else -1
    beyond = [_add(run, core, classes, step, cycles, report.whole) for core in cores]
    if any(beyond):
        run.facts["overflow_policy"] = "dropped"
    run.facts["ended"] = "cut"
    if report.whole:
        most = max(sum(core.counts.tolist()) for core in cores)
        run.facts["ended"] = asked.ended(most, max(core.maximum for core in cores), 0) if asked.loops else "unknown"
    else:
        run.warnings.append("the log is cut: it holds the cores that are complete, not what came after them")
    return run


def _step(report: jsontext.Object) -> float:
    """The width of a class [ns]."""
    granularity = report.text("latency", "granularity")
    if granularity not in _UNITS:
        found = f"granularity {granularity[:40]!r}" if granularity else "no granularity"
        raise LogError(report.where, found, f"one of {', '.join(_UNITS)}", line=report.line("latency", "granularity"))
    return schema.to_ns("1", _UNITS[granularity])


def _classes(report: jsontext.Object) -> Array:
    """The classes' lower edges, from the first row."""
    path = ("latency", "cores", "0")
    classes = report.table(*path)[1]
    if path not in report.closed or not len(classes) or (np.diff(classes) <= 0).any():
        found = "a first row that does not rise" if path in report.closed else "no complete first row of cores"
        raise LogError(report.where, found, "the classes, such as 0, 1, 2 ...", line=report.line(*path))
    if classes[-1] > _LARGEST_CLASS:
        raise LogError(report.where, f"class {classes[-1]}", "a latency", line=report.line(*path))
    return classes


def _cores(report: jsontext.Object, classes: int) -> Iterator[_Core]:
    """The complete rows but the first, with their maxima."""
    names = [path for path in report.closed if len(path) == 3 and path[:2] == ("latency", "cores")][1:]
    _, maxima, maxima_lines = report.table("latency", "maxima")
    if not report.whole:  # of cores that are cut away
        maxima = maxima[: len(names) if ("latency", "maxima") in report.closed else 0]
    if len(maxima) not in (0, len(names)):
        found = f"{len(maxima)} maxima of {len(names)} cores"
        raise LogError(report.where, found, "one of each", line=report.line("latency", "maxima"))
    cpus = _cpus(report.text("condition", "cyclictest"), len(names))
    for index, path in enumerate(names):
        _, counts, lines = report.table(*path)
        if len(counts) != classes:
            found = f"{len(counts)} counts in {classes} classes"
            raise LogError(report.where, found, "as many as classes", line=report.line(*path))
        if sum(counts.tolist()) > schema.LARGEST_COUNT:
            raise LogError(report.where, "more than 2^63 - 1 observations", "counts", line=report.line(*path))
        maximum = (int(maxima[index]), int(maxima_lines[index])) if len(maxima) else (-1, report.line(*path))
        yield _Core(f"cpu{cpus[index]}", cpus[index], counts, lines, *maximum)


def _cpus(command: str, number: int) -> list[int]:
    """The processors, of ``-a2,4-6`` where that lists as many as there are rows, else counted from 0."""
    listed: list[int] = []
    affinity = re.search(r"\s(?:-a ?|--affinity=)(\d{1,4}(?:[-,]\d{1,4})*)(?:\s|$)", command, re.ASCII)
    for part in affinity[1].split(",") if affinity else ():
        first, _, last = part.partition("-")
        if not last.isdigit() and last:
            return [*range(number)]
        listed += range(int(first), int(last or first) + 1)
    return listed if len(listed) == len(set(listed)) == number else [*range(number)]


def _tool(report: jsontext.Object) -> str:
    """The program that measured: the first word of the command line, whose key is called cyclictest."""
    words = report.text("condition", "cyclictest").split()
    return words[0].rpartition("/")[2][:40] if words else "cyclictest"


def _facts(report: jsontext.Object, asked: cyclictest.Asked, step: float) -> dict[str, Any]:
    """The columns of runs that the dataset states."""
    name = next((key for key in ("format", "format-test") if report.text(key, "name")), "")
    config = (member.text for path, member in report.members.items() if path[:2] == ("kernel", "config"))
    facts: dict[str, Any] = {
        "variant": f"{report.text(name, 'name')} {report.text(name, 'version')}".strip(),
        "command": report.text("condition", "cyclictest"),
        "kernel": report.text("kernel", "version"),
        "cmdline": report.text("kernel", "cmdline"),
        "machine": report.text("system", "hostname"),
        "cpu": " ".join(filter(None, (report.text("processor", key) for key in ("vendor", "type")))),
        "load": report.text("condition", "load"),
        "context": "user",
        "printed_unit": _UNITS[report.text("latency", "granularity")],
        "unit_basis": "printed",
        "resolution": step,
        "rounding": "truncated",
        "bin_edges": "given",
        "evidence": "log",
    }
    if any(map(_REALTIME.match, (facts["kernel"], *config))):
        facts["approach"] = "PREEMPT_RT"
    if origin := report.text("timestamps", "origin"):
        facts["note"] = f"data of {origin}"  # when its file was made: the end of the run, not its start
    if clock := re.fullmatch(r"(\d{1,6}(?:\.\d+)?)(?: ?MHz)?", report.text("processor", "clock"), re.ASCII):
        facts["cpu_mhz"] = float(clock[1])
    if asked.threshold:
        facts["threshold"] = asked.threshold * step
    numbers = [report.text("condition", key) for key in ("interval", "cycles")]
    if all(re.fullmatch(r"[1-9]\d{0,14}", number, re.ASCII) for number in numbers):
        interval, cycles = map(int, numbers)
        duration = {"duration": interval * cycles / 1e6, "duration_basis": "requested"}
        facts |= {"period": interval * 1e3, "nominal_n": cycles, **duration}
    return {key: value for key, value in facts.items() if value != ""}


def _add(run: Run, core: _Core, classes: Array, step: float, cycles: int, whole: bool) -> bool:
    """Add a core's rows, and what is odd about them; return whether some of its observations are not stored."""
    total, last = sum(core.counts.tolist()), int(classes[-1])
    some = core.counts > 0
    edges = classes[some] * step
    run.rows.extend(core.name, "thread", "bin", edges, edges + step, n=core.counts[some], line=core.lines[some])
    run.series[core.name] = {"cpu": core.cpu}
    where = f"line {core.maximum_line}: {core.name}"
    beyond = core.maximum > last or (core.maximum < 0 and total != cycles)
    if core.maximum < 0 and beyond and whole:
        run.warnings.append(f"{where}: no maximum tells whether there were observations beyond the last class, {last}")
    elif core.maximum > last:
        run.warnings.append(
            f"{where}: {core.maximum} is beyond the last class, {last}, and what lies there is not stored: "
            "at least one observation"
        )
    elif core.maximum >= 0 and total and core.maximum != (highest := int(classes[some][-1])):
        run.warnings.append(f"{where}: the maximum is {core.maximum}, the highest class with a count {highest}")
        beyond = core.maximum > highest  # a lost count
    if 0 <= cycles < total:
        run.warnings.append(f"{where}: the classes hold {total} observations, cycles is {cycles}")
    if not beyond:
        run.series[core.name]["n"] = total
    if whole and (core.maximum >= 0 or not beyond):
        high = core.maximum * step if core.maximum >= 0 else math.inf
        run.rows.add(core.name, "thread", "summary", -math.inf, high, n=-1 if beyond else total, line=core.maximum_line)
    return beyond


FORMAT = Format(
    name="rt_dataset",
    title="OSADL's RT Dataset (JSON)",
    gives="bins and maxima of thread latency, by CPU, and the machine they are of",
    versions="RT Dataset 1.0, RT Cyclictest 1.0",
    words=('"name"',),
    marks=(re.compile(rf'.{{0,400}}?"name"\s*:\s*"(?:{"|".join(_NAMES)})"'),),
    parse=parse,
)
