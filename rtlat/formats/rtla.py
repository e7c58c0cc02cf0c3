"""What ``rtla`` prints of the kernel's timerlat and osnoise tracers: histograms and the tables of top.

::

    # RTLA timerlat histogram
    # Time unit is microseconds (us)
    # Duration:   0 00:00:02
    Index   IRQ-000   Thr-000   Usr-000
    60            1         0         0
    over:         0         1         0
    count:        1         1         0
    min:         60     15060         -
    avg:         60     15060         -
    max:         60     15060         -
    rtla timerlat hit stop tracing
    ## CPU 0 hit stop tracing, analyzing it ##

timerlat measures each activation up to three times: in the timer's interrupt (irq), in the woken thread (thread),
and back in user mode (user). They are never added. osnoise counts single noises, each as long as it lasted: events,
not activations. A limit that stopped a run is not printed, unless the command line stands in the log.

Source: Linux ``tools/tracing/rtla/src``, 6.1 to 6.19; ``timerlat_aa.c`` for the analysis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rtlat.errors import LogError
from rtlat.formats import _rtla_histogram as histogram
from rtlat.formats import _rtla_top as top
from rtlat.formats._rtla_command import Command, command
from rtlat.formats._rtla_histogram import Histogram
from rtlat.formats._rtla_run import finish
from rtlat.formats._rtla_top import Top
from rtlat.protocol import Format, Run, Tally
from rtlat.source import Line, Source

_STOPPED = re.compile(r"\s*(?:rtla )?(?:timerlat|osnoise|hwnoise) hit stop tracing\s*$|\s*## CPU \d+ hit stop tracing")
_REASON = re.compile(r"\s*(\w{1,20} latency): +(\d{1,15}\.\d{1,3}) us \(100")
_MISSED = re.compile(r"\s*(?:\d{1,18} \([\d.]{1,9}%\)|unknown number of) events missed, results might not be accurate")


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each histogram, and for each table of top with all its repaints.

    Raises
    ------
    LogError
        If no table holds an observation.

    Examples
    --------
    >>> log = b'''# RTLA timerlat histogram
    ... # Time unit is microseconds (us)
    ... # Duration:   0 00:00:05
    ... Index   IRQ-003   Thr-003
    ... 1            90         0
    ... 2             9         0
    ... 7             0        99
    ... over:         1         1
    ... count:      100       100
    ... min:          1         7
    ... avg:          1         7
    ... max:         17        21
    ... '''
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> [*zip(rows["quantity"].tolist(), rows["low"].tolist(), rows["high"].tolist(), rows["n"].tolist())][:3]
    [('irq', 1000.0, 2000.0, 90), ('irq', 2000.0, 3000.0, 9), ('irq', 8000.0, inf, 1)]
    >>> run.series, run.facts["duration"], run.facts["ended"]
    ({'cpu3': {'cpu': 3}}, 5.0, 'complete')
    """
    runs: list[Run] = []
    errors: list[LogError] = []
    ignored = Tally()
    for table in _tables(source, ignored):
        try:
            runs.append(_run(table, source.name))
        except LogError as error:
            errors.append(error)
            ignored.merge(table.run.ignored)
            ignored.add("table without an observation", table.line)
    if not runs:
        raise errors[0] if errors else LogError(source.name, "no table", "what rtla prints")
    runs[0].ignored.merge(ignored)
    yield from runs


def _tables(source: Source, ignored: Tally) -> list[Histogram | Top]:
    """The log's tables; of a table that was painted several times the last."""
    tables: list[Histogram | Top] = []
    asked = Command()
    for line in source.lines():
        current = tables[-1] if tables and tables[-1].quote == line.quote else None
        if opened := _opened(line, current, asked):
            _join(tables)
            tables.append(opened)
            current, asked = opened, Command()
        if current and current.take(line):
            continue
        if current and _STOPPED.match(line.text):
            current.stopped = current.stopped or line.number
        elif current and (reason := _REASON.match(line.text)):
            current.reason = f" (a {reason[1]} of {reason[2]} us)"
        elif current and _MISSED.match(line.text):
            current.run.warnings.append(f"line {line.number}: {line.text.strip()}")
        elif found := command(line.text):
            asked = found
        if line.text.strip():
            (current.run.ignored if current else ignored).add("text around the tables", line.number)
    _join(tables)
    return [table for table in tables if isinstance(table, Top) or table.headed or table.closed]


def _opened(line: Line, current: Histogram | Top | None, asked: Command) -> Histogram | Top | None:
    """A new table, if a line begins one."""
    text = line.text
    if title := histogram.TITLE.match(text):
        return Histogram(line.number, line.quote, Run("rtla"), asked, tool=title[1])
    header = histogram.HEADER.match(text)
    begins = (header and (header[1] or header[2])) or histogram.UNIT.match(text) or histogram.DURATION.match(text)
    if begins and not (isinstance(current, Histogram) and current.waits):
        return Histogram(line.number, line.quote, Run("rtla"), asked)
    if top.TITLE.match(text) or top.CLOCK.match(text) or top.HEADER.match(text):
        return None if isinstance(current, Top) and current.waits(text) else _new_top(line, asked)
    # --no-header: a table begins with its first row, and must have an `over:` to be one
    nameless = current is None or (isinstance(current, Histogram) and current.closed and not current.headed)
    if nameless and histogram.ROW.match(text):
        return Histogram(line.number, line.quote, Run("rtla"), asked)
    return None


def _new_top(line: Line, asked: Command) -> Top:
    """An empty table of top."""
    return Top(line.number, line.quote, Run("rtla"), asked)


def _join(tables: list[Histogram | Top]) -> None:
    """Make one of the last two tables, if the last is the one before it painted anew."""
    if len(tables) > 1:
        before, last = tables[-2:]
        if isinstance(before, Top) and isinstance(last, Top) and before.goes_on(last):
            tables[-2:] = [before.painted_anew(last)]


def _run(table: Histogram | Top, where: str) -> Run:
    """The run of a table, with what the command line and the lines after the table say."""
    run = table.finish(where) if isinstance(table, Top) else finish(table, where)
    run.tool = f"rtla {table.tool}".strip()
    run.quoted = table.quote > 0
    asked = table.asked
    if asked.text:
        run.facts["command"] = asked.text
    if asked.period:
        run.facts["period"] = asked.period * 1000.0
    if asked.threshold:
        run.facts["threshold"] = asked.threshold * 1000.0
    if table.stopped:
        limit = "" if asked.threshold else ", which the log does not tell"
        run.warnings.append(
            f"line {table.stopped}: the run was stopped by an observation over its limit{limit}{table.reason}: that "
            "observation, the counts and the duration are not those of an ordinary run"
        )
        if run.facts["ended"] == "complete":
            run.facts["ended"] = "stopped at threshold"
    return run


FORMAT = Format(
    name="rtla",
    title="rtla timerlat and osnoise, hist and top",
    gives="bins and summaries of irq, thread and user latency or of noise, by CPU",
    versions="rtla 6.1 to 6.12",
    words=(
        "# RTLA ",
        "# Time unit",
        "IRQ-",
        "Thr-",
        "Usr-",
        "CPU-",
        "over:",
        "Latency",
        "Noise",
        "time is in us",
        "CPU COUNT",
    ),
    marks=(
        histogram.TITLE,
        histogram.UNIT,
        re.compile(r"(?:\s*Index)?(?:\s+(?:IRQ|Thr|Usr|CPU)-\d{3,6})+\s*$"),
        re.compile(r"\s*over:(?:\s+-?\d{1,18})+\s*$", re.ASCII),
        re.compile(r"\s{20,99}(?:Timer Latency|Operating System Noise|Hardware-related Noise)\s*$"),
        top.CLOCK,
        top.HEADER,
    ),
    parse=parse,
)
