"""Status lines of jitterdebugger: one for each thread, painted over and over with ``-v``, else printed at the end.

::

    T: 0 (15116) A: 0 C:      9978 Min:        13 Avg:   36.61 Max:      4457

Before 0.3 they ran ``C Min Max Avg`` (and the first had no ``A:``), and what stood behind ``C:`` was the sum of
the latencies, not their number. The unit is not printed; it is microseconds but for ``-N``. A latency below 1000 is
no number of nanoseconds: then it is microseconds, else nobody knows, unless a break was hit and its line says it.

Source: jitterdebugger ``jitterdebugger.c`` (display_stats), from the first version to 0.3.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rtlat import schema
from rtlat.errors import LogError
from rtlat.protocol import Format, Run
from rtlat.source import Line, Source

_STATUS = re.compile(
    r"\s*T: ?(?P<thread>\d{1,6}) +\( *(?P<tid>\d{1,10})\) +(?:A: *(?P<cpu>\d{1,6}) +)?C: *(?P<count>\d{1,20}) +"
    r"Min: *(?P<low>\d{1,20}) +(?:Avg: *(?P<avg>-?nan|\d{1,20}\.\d\d) +)?Max: *(?P<high>\d{1,20})"
    r"(?: +Avg: *(?P<old_avg>-?nan|\d{1,20}\.\d\d))?\s*$",
    re.ASCII,
)
_ANY_STATUS = re.compile(r"\s*T: ?\d{1,6} +\( *\d{1,10}\) +[AC]:", re.ASCII)
_BREAK = re.compile(r"\s*Thread \d{1,10} on CPU \d{1,6} hit \d{1,20} (ns|us) latency\s*$", re.ASCII)

_Last = dict[str, tuple[int, re.Match[str]]]  # line and fields of the last status of each thread


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each start of the tool; of each thread the last line holds.

    Raises
    ------
    LogError
        If no thread has a sample.

    Examples
    --------
    >>> log = b"T: 0 (15116) A: 2 C:      9978 Min:        13 Avg:   36.61 Max:      4457 \\n"
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> [rows[name].tolist() for name in ("series", "low", "high", "n", "avg")], run.series
    ([['t0'], [13000.0], [4457000.0], [9978], [36610.0]], {'t0': {'n': 9978, 'cpu': 2}})
    """
    run, last, yielded = _new_run(), _Last(), False
    for line in source.lines():
        status = _STATUS.match(line.text)
        if not status:
            _other(run, line)
        elif not (line.whole or line.text.endswith(" ")):  # the tool ends each line with a blank
            _cut(run, line)
        elif _contradicts(status):
            run.rejected.add("a status whose numbers contradict each other", line.number)
        else:
            before = last.get(status["thread"])
            if before and before[1]["tid"] != status["tid"]:
                if _state(run, last):
                    yielded = True
                    yield run
                run, last = _new_run(), _Last()
            elif before:
                run.ignored.add("status painted over", before[0])
            last[status["thread"]] = line.number, status
    if _state(run, last):
        yield run
    elif not yielded:
        raise LogError(source.name, "no sample in any thread", "the status lines of jitterdebugger")


def _new_run() -> Run:
    """A run of which nothing is known yet."""
    facts = {"variant": "status lines", "context": "user", "ended": "unknown", "evidence": "log"}
    return Run("jitterdebugger", facts=facts)


def _other(run: Run, line: Line) -> None:
    """Take a line that is no status."""
    if told := _BREAK.match(line.text):
        run.facts |= {"ended": "stopped at threshold", "printed_unit": told[1], "unit_basis": "printed"}
    elif _ANY_STATUS.match(line.text) and line.whole:
        run.rejected.add("damaged status", line.number)
    elif _ANY_STATUS.match(line.text):
        _cut(run, line)
    elif line.text.strip():
        run.ignored.add("no status", line.number)


def _cut(run: Run, line: Line) -> None:
    """Say that the log ends inside a status."""
    run.rejected.add("cut last line", line.number)
    run.facts["ended"] = "cut"


def _average(status: re.Match[str]) -> str:
    """The average as printed, empty if the thread has no sample yet."""
    printed = status["avg"] or status["old_avg"] or ""
    return "" if "nan" in printed else printed


def _contradicts(status: re.Match[str]) -> bool:
    """Whether the average is not between the extremes, or is missing."""
    if not (status["avg"] or status["old_avg"]):
        return True
    average = _average(status)
    return bool(average) and not int(status["low"]) <= float(average) + 0.005 <= int(status["high"]) + 0.01


def _state(run: Run, last: _Last) -> bool:
    """Add the rows of a run, and its unit; return whether there are any."""
    lows = [int(status["low"]) for _, status in last.values() if _average(status)]
    unit = run.facts.setdefault("printed_unit", "us" if min(lows, default=0) < 1000 else "unknown")
    run.facts.setdefault("unit_basis", "" if unit == "unknown" else "assumed")
    if unit == "unknown":
        run.warnings.append(
            f"no latency is below {min(lows)}: nanoseconds, as with -N, or slow microseconds? printed_unit in a run "
            "card says which"
        )
    run.facts |= {"resolution": schema.to_ns("1", unit), "rounding": "exact" if unit == "ns" else "truncated"}
    for thread, (number, status) in last.items():
        name = f"t{thread}"
        n = int(status["count"]) if status["avg"] else -1
        run.series[name] = ({"n": n} if n >= 0 else {}) | ({"cpu": int(status["cpu"])} if status["cpu"] else {})
        if not _average(status):
            run.warnings.append(f"line {number}: {name} has no sample")
            continue
        if n < 0 and not len(run.rows):
            run.warnings.append(f"line {number}: C: is the sum of the latencies in this version, not their number")
        low, high, average = (schema.to_ns(text, unit) for text in (status["low"], status["high"], _average(status)))
        stored = "unknown" if unit == "unknown" else "ns"
        run.rows.add(name, "thread", "summary", low, high, n=n, avg=average, unit=stored, line=number)
    return len(run.rows) > 0


FORMAT = Format(
    name="jitterdebugger_status",
    title="status lines of jitterdebugger on a console",
    gives="summaries of thread latency, by thread",
    versions="jitterdebugger up to 0.3.1",
    words=("Min:",),
    marks=(_STATUS,),
    parse=parse,
)
