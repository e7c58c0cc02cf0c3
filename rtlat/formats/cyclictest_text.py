"""The text that cyclictest and cyclicdeadline print (rt-tests 0.18 to 2.10), in every mode.

::

    # /dev/cpu_dma_latency set to 0us
    policy: fifo: loadavg: 4.95 2.27 0.87 9/140 12937
    T: 0 (12935) P:95 I:1000 C:      1 Min:     25 Act:   25 Avg:   25 Max:      25     live, and at the end with -q
           0:      17:      41                                                          -v, and -o with -v
    # Histogram                                                                         -h, -H, --histfile
    000012 000171   000025
    # Thread Ids: 30334 30335                                                           -b
    # Break thread: 30335
    # Break value: 49
    T: 0 Spike:      26: TS:    581330960                                               --spike
    T: 0 (31065) I:10000 C:    201 Min:      1 Act:   60 Avg:   17 Max:      66         cyclicdeadline: without P

Live output is a screen repainted many times: of each thread the last status line is kept, and Act, its latest
sample, is not. Latencies are in microseconds, truncated, or in nanoseconds with ``-N``; only the padding of
status lines and a command line in the log tell which. Min of cyclicdeadline starts anew after a latency of 0.

A log may hold several runs (`_cyclictest_log`); many small logs are read together where they are alike.

The modules ``_cyclictest_*`` belong to this format alone and import one way: footer < statements < status, histogram;
those, sequence and context < run < log; rows and statements < alike. Samples stand alone.

Source: rt-tests ``src/cyclictest/cyclictest.c``, tags v0.18 to v2.1, ``src/sched_deadline/cyclicdeadline.c``, and
recorded output up to 2.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rtlat.errors import LogError
from rtlat.formats._cyclictest_alike import read_alike
from rtlat.formats._cyclictest_log import Log, is_passed_over
from rtlat.formats._cyclictest_rows import Rows, tables
from rtlat.formats._cyclictest_samples import stretches
from rtlat.formats._cyclictest_samples import together as together_samples
from rtlat.protocol import Format, Run
from rtlat.source import Line, Source


def parse(source: Source) -> Iterator[Run]:
    """Yield the runs of a log.

    Raises
    ------
    LogError
        If there is no observation in it.

    Examples
    --------
    >>> log = b"T: 0 ( 2526) P:80 I:1000 C:    200 Min:     17 Act:   24 Avg:   49 Max:    1074\\n"
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> rows["low"].tolist(), rows["avg"].tolist(), rows["high"].tolist(), rows["n"].tolist()
    ([17000.0], [49000.0], [1074000.0], [200])
    >>> run.series
    {'t0': {'priority': 80, 'n': 200, 'period': 1000000.0}}
    """
    log = Log(source)
    for block in source.blocks():
        for piece in tables(block):
            if isinstance(piece, Rows):
                log.rows(piece)
                continue
            for item in together_samples(stretches(log.footer(piece)), is_passed_over):
                if isinstance(item, Line):
                    log.line(item)
                else:
                    log.samples(*item)
    last = log.open
    log.close_run()
    if not log.runs:
        raise LogError(source.name, log.found, "status lines, samples or a histogram")
    if last.run is not log.runs[-1]:
        log.runs[-1].ignored.merge(log.open.run.ignored)
        log.runs[-1].rejected.merge(log.open.run.rejected)
    yield from log.runs


def together(texts: Sequence[bytes]) -> list[Run | None]:
    """Return the runs of many logs of one histogram each; None for each log that is to be read by itself."""
    return read_alike(texts, _runs)


def _runs(text: bytes) -> list[Run]:
    """The runs of a log; none where `parse` would raise."""
    try:
        return list(parse(Source(None, "log", text)))
    except LogError:
        return []


FORMAT = Format(
    name="cyclictest_text",
    title="cyclictest: status lines, -q, -v, -o, -h, -H, --histfile, -b, --spike; cyclicdeadline",
    gives="samples, bins and summaries of wake-up latency by thread",
    versions="rt-tests 0.18 to 2.10",
    words=(":", "# Histogram", "Using all CPUS", "# /dev/cpu_dma_latency", "cyclictest V ", "000000,"),
    marks=(
        re.compile(r"\s*T: *\d+ *\( *\d+\) *(?:P: *\d+ +)?I: *\d+ +C: *\d+ +Min:"),
        re.compile(r"Using all CPUS\s*$|interval: \d+:\d+\s*$"),
        re.compile(r"\s*# Histogram *$"),
        re.compile(r"\s*# (?:Min|Avg|Max) Latenc(?:ies|ys|y): \d"),
        re.compile(r"Thread \d+ Interval: \d+ *$"),
        re.compile(r"(?=[ \d]{7}\d:[ \d]{7,17}\d:[ \d-]{7}) *\d+: *\d+: *-?\d+(?: +\d+)? *$"),
        re.compile(r"# Break (?:thread|value): \d+ *$"),
        re.compile(r"# /dev/cpu_dma_latency set to \d+us"),
        re.compile(r"cyclictest V \d"),
        re.compile(r"\s?000000(?:,\d{6,})+ *$"),
    ),
    parse=parse,
    together=together,
)
