"""The histograms of one run as OSADL's RT Dataset, to give to others; `rtlat.formats.rt_dataset` reads it back.

The format has a count for each microsecond and core, the maximum of each, and what the machine was. It has no
place for what lies beyond its last class but that maximum, nor for averages, order, times and names of series.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rtlat.errors import SelectionError
from rtlat.intervals import Array, Distribution
from rtlat.protocol import Recording
from rtlat.selection import answers
from rtlat.statements import ALL, BIN, SAMPLE, Group
from rtlat.store import write

MOST_CLASSES = 10_000
"""Classes of 1 us that are written: what is slower than 10 ms lies beyond them."""

_CLASS = 1000.0  # ns


class _Core(NamedTuple):
    """Counts by class of one series, the first value beyond its histogram (inf if none is), and its maximum."""

    d: Distribution
    classes: Array
    counts: Array
    bound: float
    beyond: int
    maximum: int


def is_meant(path: Path) -> bool:
    """Whether a file's name asks for this format."""
    return path.name.endswith(".rtdataset.json")


def save(recording: Recording, path: Path) -> list[str]:
    """Write the histograms of one run, and return what the format has no place for.

    Raises
    ------
    SelectionError
        If there is more than one run or quantity, or a series that its classes cannot hold.
    LogError
        If the place cannot be written.
    """
    dataset, left_out = describe(recording)
    text = json.dumps(dataset, indent=4, ensure_ascii=False) + "\n"
    write(path, lambda name: Path(name).write_text(text, "utf-8"))
    return left_out


def describe(recording: Recording) -> tuple[dict[str, Any], list[str]]:
    """Return an RT Dataset of the run, and what it has no place for; as `save`, without writing.

    Examples
    --------
    >>> from rtlat import read
    >>> dataset, left_out = describe(read("tests/data/json/deb2.10-1_h20.json"))
    >>> len(dataset["latency"]["cores"]), dataset["latency"]["cores"][0][-1], len(dataset["latency"]["maxima"])
    (3, 19, 2)
    >>> left_out[0]
    '576 observations beyond 19 us but for the maximum of each core'
    """
    if len(recording.runs) != 1:
        raise SelectionError(f"an RT Dataset holds one run, not {len(recording.runs)}: read one log")
    run = recording.runs.to_dict("records")[0]
    cores = [_core(group, d) for group, d in answers(recording, None, None, None)]
    bounds = [core.bound for core in cores if core.bound < math.inf]
    highest = max((int(core.classes.max()) for core in cores if len(core.classes)), default=0)
    length = int(min(MOST_CLASSES, *bounds or [highest + 1]))
    if not length:
        raise SelectionError("the histogram ends below a microsecond, the width of an RT Dataset's classes")
    for core in cores:
        if core.d.status == "partial" and core.maximum < length:
            raise SelectionError(f"what {core.d.series} lost beyond its last bin has no maximum to tell of it")
    columns = [np.zeros(length, np.int64) for _ in cores]
    for core, column in zip(cores, columns, strict=True):
        inside = core.classes < length
        np.add.at(column, core.classes[inside], core.counts[inside])
    maxima = [core.maximum for core in cores]
    latency = {
        "granularity": "microseconds",
        "maxima": maxima if min(maxima) >= 0 else [],
        "cores": [[*range(length)], *(column.tolist() for column in columns)],
    }
    totals = [core.d.total or int(column.sum()) for core, column in zip(cores, columns, strict=True)]
    left_out = _left_out(run, cores, [int(column.sum()) for column in columns], length)
    return _described(run, max(totals)) | {"latency": latency}, left_out


def _core(group: Group, d: Distribution) -> _Core:
    """A series in classes of 1 us, or the reason why it has none."""
    name, rows = d.series, group.rows
    rows = rows.where((rows.of == ALL) & (rows.kind == (SAMPLE if d.kind == "sample" else BIN)) & (rows.n != 0))
    if d.quantity != "thread":
        raise SelectionError(f"{name} is {d.quantity}: an RT Dataset holds thread latency, as cyclictest measures it")
    if d.unit != "ns":
        raise SelectionError(f"{name} is in {d.unit}: an RT Dataset is in microseconds, a card may help")
    if d.total is None or d.kind not in ("sample", "bin"):
        raise SelectionError(f"{name} has no histogram: {d.refusal or f'its log only has a {d.kind}'}")
    if group.facts.ended == "cut" and d.kind == "bin" and group.facts.bin_edges != "samples":
        raise SelectionError(f"the histogram of {name} is not whole: an RT Dataset cannot say so")
    beyond = np.isinf(rows.high)
    bounds, rows, n = rows.low[beyond], rows.where(~beyond), int(rows.n[beyond].sum())
    low = np.floor_divide(rows.low, _CLASS).astype(np.int64)
    if (bounds < 0).any() or (low < 0).any():
        raise SelectionError(f"{name} may hold negative latencies, for which an RT Dataset has no class")
    if (rows.high > (low + 1) * _CLASS).any():
        raise SelectionError(f"{name} has bins wider than the microsecond of an RT Dataset's classes")
    least, most = d.maximum
    greatest = int(least // _CLASS) if least >= 0 and most <= least + _CLASS else -1
    bound = float(bounds.min() // _CLASS) if n else math.inf
    return _Core(d, low, np.abs(rows.n), bound, n, greatest)


def _left_out(run: dict[Any, Any], cores: Sequence[_Core], stored: list[int], length: int) -> list[str]:
    """What the format has no place for, as far as this run has it."""
    beyond = sum(core.beyond + int(core.counts[core.classes >= length].sum()) for core in cores)
    held = sum(stored) + beyond
    uncounted = sum(core.d.total for core in cores if core.d.total is not None) - held
    named = [core.d.series for core in cores] != [f"cpu{index}" for index in range(len(cores))]
    left_out = {
        f"{beyond} observations beyond {length - 1} us but for the maximum of each core": beyond > 0,
        f"{uncounted} observations that are in no bin": uncounted > 0,
        "averages": any(core.d.avg for core in cores),
        "order and times": any(core.d.kind == "sample" for core in cores),
        "missed activations": any(core.d.missed for core in cores),
        "fractions of a microsecond": run["resolution"] < _CLASS,
        "names of the series": named,
        "the approach": run["approach"] and not re.search("PREEMPT[_ ]RT", run["kernel"]),
        "warnings": run["warnings"] != "[]",
    }
    return [what for what, holds in left_out.items() if holds]


def _described(run: dict[Any, Any], cycles: int) -> dict[str, Any]:
    """What the dataset says besides latencies; texts that its readers ask for are there, if empty."""
    vendor, _, kind = run["cpu"].partition(" ")
    interval = run["period"] / 1000
    return {
        "format": {"name": "RT Dataset", "version": "1.0"},
        "timestamps": {
            "origin": _iso(run["started"]),
            "dataset": datetime.now(UTC).isoformat(timespec="seconds"),
        },
        "system": {"hostname": run["machine"]},
        "processor": {"family": "", "vendor": vendor, "type": kind}
        | ({"clock": f"{run['cpu_mhz']:g}"} if run["cpu_mhz"] > 0 else {}),
        "kernel": {"version": run["kernel"], "config": [], "cmdline": run["cmdline"]},
        "condition": {"load": run["load"], "cycles": cycles}
        | ({"interval": int(interval) if interval == int(interval) else interval} if interval > 0 else {})
        | {"cyclictest": run["command"] or run["tool"]},
    }


def _iso(started: str) -> str:
    """A time as ISO writes it, if it is one that can be read."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return read(started).isoformat()
        except (TypeError, ValueError, OverflowError):
            continue
    return started
