"""What the tools of rt-tests write with ``--json`` (from 1.11-rc0, 2019), in a file or amid the text of their output.

The file is not always JSON: the command line stands in it as it was given, quotes and all, and a thread
without a sample has ``"avg": -nan``. Both are read. Two keys end in a colon, ``"cmdline:"`` and
``"rt_test_version:"``. The command line names the tool, and so what its numbers mean.

The modules ``_rt_tests_json_*`` belong to this format alone and import one way: facts < threads, figures, oslat.

Sources: rt-tests ``src/lib/rt-utils.c`` (rt_write_json), write_stats of each tool.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from rtlat import cyclictest, jsonruns, jsontext
from rtlat.errors import LogError
from rtlat.formats import _rt_tests_json_figures as figures
from rtlat.formats import _rt_tests_json_oslat as oslat
from rtlat.formats import _rt_tests_json_threads as threads
from rtlat.formats._rt_tests_json_facts import Measured, asked, command_of, ended, facts_of, tool_of
from rtlat.protocol import Format, Run
from rtlat.source import Line, Source

# `  "cmdline:": "cyclictest -t2 -a -m -p80 -q -D1 --json=json_quote".json",` is no JSON
_COMMAND = re.compile(r'(\s*"cmdline:?": *)"(.*)"(,?\s*)$')

_STATE: dict[str, Callable[[Run, jsontext.Object, list[str], cyclictest.Asked], Measured]] = {
    "cyclicdeadline": threads.state,
    "cyclictest": threads.state,
    "oslat": oslat.state,
    "pmqtest": figures.pairs,
    "ptsematest": figures.pairs,
    "rt-migrate-test": figures.tasks,
    "signaltest": figures.ring,
    "sigwaittest": figures.pairs,
    "svsematest": figures.pairs,
}


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each JSON object; text around them is ignored and counted.

    Raises
    ------
    UnsupportedFormatError
        If a tool wrote it that measures no latency.
    LogError
        If the JSON is damaged in a way that cannot be undone exactly, or no thread has a sample.

    Examples
    --------
    >>> log = b'''{"cmdline:": "cyclictest -q -h20 -l300", "resolution_in_ns": 0, "thread": {"0": {
    ... "histogram": {"18": 4, "19": 1}, "cycles": 7, "min": 18, "max": 931, "avg": 150.86, "cpu": 1}}}'''
    >>> (run,) = parse(Source(None, "demo.json", log))
    >>> rows = run.rows.arrays()
    >>> [*zip(rows["kind"].tolist(), rows["low"].tolist(), rows["n"].tolist())]
    [('bin', 18000.0, 4), ('bin', 19000.0, 1), ('bin', 20000.0, 2), ('summary', 18000.0, 7)]
    >>> run.series, run.facts["ended"], run.warnings
    ({'t0': {'n': 7, 'cpu': 1, 'period': 1000000.0}}, 'interrupted', [])
    """
    yield from jsonruns.runs(source.name, map(_repaired, source.lines()), _is_histogram, _run, "the JSON of rt-tests")


def _repaired(line: Line) -> Line:
    """The line, as JSON if it is the command line."""
    if raw := _COMMAND.match(line.text):
        return replace(line, text=raw[1] + json.dumps(jsontext.unescaped(raw[2])) + raw[3])
    return line


def _is_histogram(path: jsontext.Path) -> bool:
    """Whether an object holds the bins of a thread."""
    return len(path) == 3 and path[0] == "thread" and path[2] == "histogram"


def _run(report: jsontext.Object) -> Run:
    """The run a report states."""
    names = [path[1] for path in report.closed if len(path) == 2 and path[0] == "thread"]
    command, tool = command_of(report), tool_of(report, names)
    for name in names:
        if not re.fullmatch(r"\d{1,6}", name, re.ASCII):
            raise LogError(report.where, f"thread {name[:40]!r}", "a number", line=report.line("thread", name))
    run = Run(tool, facts=facts_of(report, command), quoted=report.quoted)
    wanted = asked(tool, command)
    measured = _STATE[tool](run, report, names, wanted)
    periods = {series.get("period") for series in run.series.values()}
    if len(periods) == 1 and None not in periods:
        run.facts["period"] = periods.pop()
    run.facts["ended"] = ended(report, wanted, measured, run.facts.get("duration", 0))
    if not report.whole:
        run.warnings.append("the log is cut: it holds the threads that are complete, not what came after them")
    for key, expected in (("num_threads", str(len(names))), ("return_code", "0"), ("file_version", "1")):
        if report.whole and (stated := report.text(key)) not in ("", expected):
            run.warnings.append(f"line {report.line(key)}: {key} is {stated[:40]}, not {expected}")
    return run


FORMAT = Format(
    name="rt_tests_json",
    title="--json of cyclictest, cyclicdeadline, oslat, signaltest, pmqtest, ptsematest, svsematest, sigwaittest and "
    "rt-migrate-test",
    gives="bins and summaries, by thread, pair or core",
    versions="rt-tests 1.11 to 2.10",
    words=('"rt_test_version', '"cmdline:"'),
    marks=(re.compile(r'.*"rt_test_version:?"\s*:'), re.compile(r'\s*"cmdline:"\s*:')),
    parse=parse,
)
