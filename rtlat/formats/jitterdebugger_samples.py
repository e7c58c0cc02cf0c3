"""``samples.raw`` of jitterdebugger (``-s``), and the ``samples.csv`` that jittersamples makes of it.

A raw record is 28 bytes without padding, in the byte order of the machine: thread (u32), the time at which it
woke (i64 seconds, i64 nanoseconds, CLOCK_MONOTONIC), latency (u64). A line of the CSV is such a record, and
record 2 of one is line 2 of the other::

    1;809.604122949;27596

Neither tells its unit, which is microseconds but for ``-N``. A latency below 1000 is no number of nanoseconds: then
it is microseconds, else nobody knows. Both files may lack the last samples of a run.

Source: jitterdebugger ``jitterdebugger.h`` (struct latency_sample), ``jd_samples_csv.c``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from rtlat.columns import Array
from rtlat.errors import LogError
from rtlat.protocol import Format, Run
from rtlat.source import Source, block_lines

_Part = tuple[tuple[Array, ...], Array]  # thread, seconds, nanoseconds and value of some samples; their numbers

_FIELDS = (("thread", "u4"), ("seconds", "i8"), ("nanoseconds", "i8"), ("value", "u8"))
_RECORD = 28
_THREADS, _SECONDS, _VALUES = 1 << 16, 1 << 40, 1 << 40  # far more than there can be, far less than chance would give
_LINE = re.compile(r"(\d{1,5});(\d{1,12})\.(\d{9});(\d{1,18})\s*$", re.ASCII)
_LINES = re.compile(rb"(?:\d{1,5};\d{1,12}\.\d{9};\d{1,18}\n)*", re.ASCII)
_AS_BLANKS = bytes.maketrans(b";.\n", b"   ")


def claims(start: bytes) -> bool:
    """Whether a file that begins so is samples.raw: most records at its start are such as can be.

    Examples
    --------
    >>> record = np.array([(1, 809, 604122949, 27596)], [(name, "<" + dtype) for name, dtype in _FIELDS])
    >>> claims(record.tobytes()), claims(b"0;809.496981008;30144\\n1;809.604122949;27596")
    (True, False)
    """
    return bool(_order(start))


def _order(start: bytes) -> str:
    """The byte order in which the records at the start of a file make sense, empty if in none."""
    for order in "<>":
        records = _records(start, order)
        if 2 * int(_sensible(records).sum()) > len(records):
            return order
    return ""


def _records(data: bytes, order: str) -> Array:
    """The whole records of some bytes."""
    layout = np.dtype([(name, order + dtype) for name, dtype in _FIELDS])
    return np.frombuffer(data, layout, len(data) // _RECORD)


def _sensible(records: Array) -> Array:
    """Which records can be."""
    sensible: Array = (
        (records["thread"] < _THREADS)
        & (records["seconds"] > 0)  # nobody measures in the first second after the start of the machine
        & (records["seconds"] < _SECONDS)
        & (records["nanoseconds"] >= 0)
        & (records["nanoseconds"] < 1_000_000_000)
        & (records["value"] < _VALUES)
    )
    return sensible


def parse(source: Source) -> Iterator[Run]:
    """Yield the one run.

    Raises
    ------
    LogError
        If it holds no sample.

    Examples
    --------
    >>> (run,) = parse(Source(None, "samples.csv", b"0;809.25;7\\n0;809.496981008;30\\n1;809.604122949;27\\n"))
    >>> rows = run.rows.arrays()
    >>> rows["series"].tolist(), rows["low"].tolist(), rows["time"].round(6).tolist(), rows["line"].tolist()
    (['t0', 't1'], [30000.0, 27000.0], [0.0, 0.107142], [2, 3])
    >>> run.rejected.reasons
    {'no sample': [1, 1]}
    """
    run = Run("jitterdebugger", facts={"ended": "unknown"})
    run.rows.keep = source.keep
    order = _order(next(source.chunks(), b""))
    parts = _raw(source, run, order) if order else _csv(source, run)
    least, start, last = _VALUES, 0.0, 0.0
    for fields, numbers in parts:
        thread, seconds, nanoseconds, value = fields
        if not len(run.rows):
            origin = int(seconds.min())
            start = float((seconds - origin + nanoseconds / 1e9).min())
        time = seconds - origin + nanoseconds / 1e9 - start
        least, last = min(least, int(value.min())), max(last, float(time.max()))
        for name in np.unique(thread).tolist():
            own = thread == name
            run.rows.samples(f"t{name}", "thread", value[own], numbers[own], np.full(own.sum(), -1), time[own])
    if not len(run.rows):
        raise LogError(source.name, "no sample", "samples.raw or samples.csv of jitterdebugger")
    _describe(run, least, last)
    yield run


def _raw(source: Source, run: Run, order: str) -> Iterator[_Part]:
    """The records of samples.raw."""
    rest, first = b"", 1
    for chunk in source.chunks():
        data = rest + chunk
        records = _records(data, order)
        rest = data[len(records) * _RECORD :]
        numbers = np.arange(first, first + len(records))
        first += len(records)
        sensible = _sensible(records)
        for number in numbers[~sensible].tolist():
            run.rejected.add("no sample", number)
        if sensible.any():
            yield tuple(records[name][sensible].astype(np.int64) for name, _ in _FIELDS), numbers[sensible]
    if rest:
        _cut(run, first)
    run.facts["variant"] = "samples.raw"


def _csv(source: Source, run: Run) -> Iterator[_Part]:
    """The lines of samples.csv: a block at once, or line by line where it holds anything else."""
    for block in source.blocks():
        if block.whole and _LINES.fullmatch(block.data):
            fields = np.fromstring(block.data.translate(_AS_BLANKS), np.int64, sep=" ").reshape(-1, 4)
            yield tuple(fields.T), np.arange(block.first, block.first + len(fields))
            continue
        found, numbers = [], []
        for line in block_lines(block):
            match = _LINE.match(line.text) if line.whole else None
            if match:
                found.append([*map(int, match.groups())])
                numbers.append(line.number)
            elif not line.whole:
                _cut(run, line.number)
            elif line.text.strip():
                run.rejected.add("no sample", line.number)
        if found:
            yield tuple(np.array(found, np.int64).T), np.array(numbers)
    run.facts["variant"] = "samples.csv"


def _cut(run: Run, number: int) -> None:
    """Say that the file ends inside a sample."""
    run.rejected.add("cut last sample", number)
    run.facts["ended"] = "cut"


def _describe(run: Run, least: int, last: float) -> None:
    """State the unit, if it can be told, and what else the samples tell of their run."""
    known = least < 1000
    run.rows.step, run.rows.unit = (1000.0, "ns") if known else (1.0, "unknown")
    run.facts |= {
        "context": "user",
        "printed_unit": "us" if known else "unknown",
        "unit_basis": "assumed" if known else "",
        "resolution": run.rows.step,
        "rounding": "truncated",
        "evidence": "log",
    }
    if run.rows.folded:
        run.facts["bin_edges"] = "samples"
    if last > 0:
        run.facts |= {"duration": last, "duration_basis": "derived"}
    if not known:
        run.warnings.append(
            f"no latency is below {least}: nanoseconds, as with -N, or slow microseconds? resolution_in_ns in the "
            "results.json of the same run tells; printed_unit in a run card says which"
        )
    if run.rejected.total:
        first = min(line for _, line in run.rejected.reasons.values())
        run.warnings.append(f"{run.rejected.total} records are no samples (the first is {first})")


FORMAT = Format(
    name="jitterdebugger_samples",
    title="jitterdebugger's samples.raw and samples.csv",
    gives="samples of thread latency, by thread, with their time",
    versions="jitterdebugger 0.2 to 0.3.1",
    words=(";",),
    marks=(_LINE,),
    parse=parse,
    claims=claims,
)
