"""What oslat's buckets hold, which three versions of it answer differently, and what it makes of its extremes.

A bucket is labelled with its upper edge, the last one also holds all that is longer. In whole microseconds the
label 4 means

========  ==============  ====================================================================
rt-tests  a latency in    because
========  ==============  ====================================================================
to 2.4    [3, 4) us       it counts floor(t), but prints floor(t) + 1 as minimum and maximum
2.6       (2, 3] us       it rounds up what it counts and prints; its first bucket stays empty
2.10      [3, 4) us       it counts and prints floor(t)
========  ==============  ====================================================================

With ``-W`` (from 2.5) a bucket may be wider, or in nanoseconds if it is no multiple of a microsecond; then
latencies are whole nanoseconds. The printed extremes are stored without what the tool added, so that they are
truncated as those of other tools. Its averages are not kept: they take each bucket at its upper edge, add the
first core's longest latencies to every core, and in nanoseconds add those a thousandfold.

With ``-B`` the buckets start at the least latency of a trial run. What is less is put into the first bucket;
from 2.5 on it is wrapped around instead and lands in the last one.

Private to the formats ``rt_tests_*``.

Source: rt-tests ``src/oslat/oslat.c`` (insert_bucket, bucket_to_lat, calculate), and 2.4, 2.6 and 2.10 as run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from rtlat.protocol import Run

NOTE = "every pass of the busy loop is an observation: percentiles are of passes, not of time"
"""What a reader of oslat's figures must know."""


@dataclass(slots=True)
class Core:
    """What is printed of a core.

    Attributes
    ----------
    number : int
        Of the CPU.
    buckets : dict
        Label -> count and line, of buckets that are not empty [ns].
    low, high : int or None
        Minimum and maximum as printed [ns].
    line : int
        Of the maximum.
    """

    number: int
    buckets: dict[int, tuple[int, int]] = field(default_factory=dict)
    low: int | None = None
    high: int | None = None
    line: int = 0

    @property
    def n(self) -> int:
        """Passes that were counted."""
        return sum(count for count, _ in self.buckets.values())


@dataclass(frozen=True, slots=True)
class Buckets:
    """How the buckets are laid out.

    Attributes
    ----------
    unit, width : int
        What latencies are counted in: 1000, or 1 in nanoseconds; and how wide a bucket is [ns].
    bias : int or None
        Where they start; None if that is not known [ns].
    last : int
        Label of the last one, 0 if that is not known [ns].
    version : tuple of int
        Of rt-tests as printed, (0, 0) if it is not.
    """

    unit: int
    width: int
    bias: int | None = 0
    last: int = 0
    version: tuple[int, int] = (0, 0)


def version_of(printed: str) -> tuple[int, int]:
    """Return a version that is printed with %1.2f as two numbers: 2.40 is 2.4, and 2.10 may be 2.1.

    Examples
    --------
    >>> version_of("2.40"), version_of("2.10"), version_of("1.90"), version_of("")
    ((2, 4), (2, 10), (1, 9), (0, 0))
    """
    major, _, minor = printed.partition(".")
    if not (major.isdigit() and minor.isdigit()):
        return 0, 0
    return int(major), int(minor[:-1] if minor.endswith("0") and minor != "10" else minor)


def state(run: Run, cores: list[Core], buckets: Buckets, complete: bool) -> bool:
    """Add what is printed of all cores; return whether their numbers agree.

    Parameters
    ----------
    run : Run
        Gets rows, the n of each core, and warnings.
    cores : list of Core
        In their order.
    buckets : Buckets
        As far as the log tells.
    complete : bool
        Whether no bucket is missing.
    """
    added, shift = _rounding(run, cores, buckets)
    agree = True
    for core in cores:
        if core.buckets:
            agree &= _state_core(run, core, buckets, added, shift, complete)
        else:
            run.warnings.append(f"cpu{core.number}: no pass was counted")
    return agree


def _rounding(run: Run, cores: list[Core], buckets: Buckets) -> tuple[int, int]:
    """What the version added to extremes, and how far below its label's edges a bucket lies [ns]."""
    unit, version = buckets.unit, buckets.version
    lowest = {core.number: min(core.buckets) for core in cores if core.buckets}
    printed = [(core.low, lowest[core.number]) for core in cores if core.low is not None and core.number in lowest]
    old = bool(printed) and all(low == label for low, label in printed)
    if (0, 0) < version < (2, 5) or (version in ((0, 0), (2, 10)) and old):
        if version == (2, 10):
            run.facts["version"] = "2.1"
        return unit, 0
    # where it rounds up nothing is 0, and nothing is in a first bucket of one unit
    floors = any(low == 0 for low, _ in printed) or any(label <= unit for label in lowest.values())
    if version == (2, 10):
        run.facts["version"] = "2.10"
    elif version == (0, 0) and not floors:
        run.warnings.append(
            "no version is printed: buckets are taken as of 2.6, which rounds up (2.10 would have them one step higher)"
        )
        run.facts["bin_edges"] = "assumed"
    return (0, 0) if floors or version >= (2, 10) else (unit, unit)


def _state_core(run: Run, core: Core, buckets: Buckets, added: int, shift: int, complete: bool) -> bool:
    """Add one core's buckets and extremes; return whether they agree."""
    name, labels = f"cpu{core.number}", sorted(core.buckets)
    low, high = (math.nan if end is None else float(end - added) for end in (core.low, core.high))
    edges = {label: [float(label - buckets.width - shift), float(label - shift)] for label in labels}
    first, last = edges[labels[0]], edges[labels[-1]]
    first[0] = max(first[0], 0.0)
    if buckets.bias != 0:
        first[0] = 0.0 if math.isnan(low) else min(first[0], low)
    if (labels[-1] == buckets.last and not high < last[1]) or (not buckets.last and high >= last[1]):
        last[1] = math.inf
    # what lies below the bias is in the last bucket, from 2.5 on; with buckets of one unit the tool crashes instead
    wraps = buckets.bias != 0 and buckets.width > buckets.unit and (shift or not added)
    if wraps and (high >= last[1] or high < last[0] if buckets.bias is None else (core.low or 0) < buckets.bias):
        last[:] = -math.inf, math.inf
    for label in labels:
        count, line = core.buckets[label]
        run.rows.add(name, "noise", "bin", *edges[label], n=count, line=line)
    run.series[name] = {**run.series.get(name, {}), "cpu": core.number}
    if complete:
        run.series[name]["n"] = core.n
    if math.isnan(low) or math.isnan(high):
        return True
    agree = first[0] <= low < first[1] and last[0] <= high < last[1] and low <= high
    if not agree:
        run.warnings.append(
            f"line {core.line}: {name} has minimum {core.low} and maximum {core.high} ns, "
            f"which its buckets {labels[0]} to {labels[-1]} ns do not allow"
        )
    if low <= high:
        n = core.n if complete and agree else -1
        run.rows.add(name, "noise", "summary", low, high, n=n, line=core.line)
    return agree
