"""What a log prints of a claim: decided by reading its numbers as they stand, without a word on what they stand for.

A histogram's row with the label 3.1 is an observation printed as 3.1, wherever in [3.1, 3.2) it may have been.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rtlat.claiming.assertions import EXCEED, MISSED, PERCENTILE, Latency
from rtlat.claiming.claims import Claim
from rtlat.claiming.evidence import period_of
from rtlat.claiming.findings import REFUTED, SUPPORTED, UNDECIDED, Finding, Needs
from rtlat.comparing.arms import Measured
from rtlat.intervals import Array, sum_of
from rtlat.selection import divisor, shown_unit
from rtlat.statements import ALL, BIN, MAX, OVER, QUANTILE, SAMPLE, Group
from rtlat.statistics.ranks import fraction
from rtlat.statistics.results import number

_NO_TABLE = Needs("a table that counts observations")


class Printed(NamedTuple):
    """The table of a run: labels with their counts, and how many observations it only puts beyond one."""

    label: Array
    n: Array
    beyond: Array


def read(claim: Claim, run: Measured) -> Finding:
    """Return what a run's log prints of a claim.

    Examples
    --------
    >>> import rtlat
    >>> from rtlat.claiming.claims import Claim
    >>> from rtlat.claiming.assertions import parse
    >>> from rtlat.claiming.selecting import Runs
    >>> (run,) = Runs(rtlat.read("data/seeds/rtirq-results.txt")).measured("pooled")
    >>> read(Claim("", "", "", parse("p99.9 <= 3.1us")), run).why
    '59,950 of 60,000 are printed as at most 3.1 us: 99.9167 %, where 99.9 % are claimed'
    """
    about = " ".join(filter(None, (run.run, run.series)))
    if run.says("evidence") == "claim":
        return Finding(about, UNDECIDED, "a claim is no evidence", Needs("a measurement"))
    kind = claim.assertion.kind
    if kind == MISSED:
        return _missed(about, run)
    limit = claim.assertion.limit
    if limit is None:
        raise ValueError(f"{claim.text} has no limit")
    strict = claim.assertion.strict
    if kind == PERCENTILE:
        return Finding(about, *_percentile(run, claim.assertion.figure, limit, strict))
    if kind == EXCEED:
        return Finding(about, *_exceed(claim, run, limit))
    return Finding(about, *_worst(run, limit, strict))


_Read = tuple[str, str, Needs]


def _percentile(run: Measured, figure: str, limit: Latency, strict: bool) -> _Read:
    """By counting labels; else by a percentile in print. Within the largest in print lie all."""
    if (worst := _worst(run, limit, strict))[0] == SUPPORTED:
        return worst
    if (table := _table(run)) is None:
        return _stated(run, figure, limit, strict)
    within = (table.label < limit.value if strict else table.label <= limit.value) & ~table.beyond
    least, total = sum_of(table.n[within]), sum_of(table.n)
    perhaps = (table.label < limit.value if strict else table.label <= limit.value) & table.beyond
    most = least + sum_of(table.n[perhaps])
    word = "below" if strict else "at most"
    count = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    share = f"{number(100 * least / total)} %" if least == most else "the rest lies beyond the last row"
    why = f"{count} of {total:,} are printed as {word} {limit.text}: {share}, where {figure} % are claimed"
    asked = fraction(figure)
    if Fraction(least, total) >= asked:
        return SUPPORTED, why, Needs()
    return (REFUTED, why, Needs()) if Fraction(most, total) < asked else (UNDECIDED, why, _NO_TABLE)


def _stated(run: Measured, figure: str, limit: Latency, strict: bool) -> _Read:
    """By a percentile that is printed as such."""
    share = float(fraction(figure))
    levels = [
        float(level)
        for one in run.told
        for q, level in zip(*_levels(one.group), strict=True)
        if math.isclose(q, share, rel_tol=1e-12)
    ]
    if not levels:
        return UNDECIDED, f"neither a table nor p{figure} is printed", _NO_TABLE
    worst = max(levels)
    why = f"p{figure} is printed as {_shown(run, worst)}"
    return _verdict(worst < limit.value if strict else worst <= limit.value), why, Needs()


def _levels(group: Group) -> tuple[Array, Array]:
    """Percentiles in print."""
    rows = group.rows.where((group.rows.kind == QUANTILE) & (group.rows.of == ALL))
    return rows.q, rows.low


def _worst(run: Measured, limit: Latency, strict: bool) -> _Read:
    """By the greatest number in print."""
    greatest, beyond = -math.inf, -math.inf
    for one in run.told:
        rows = one.group.rows.where(one.group.rows.kind != QUANTILE)
        rows = rows.where(np.isin(rows.of, (ALL, MAX, OVER)) & (rows.n != 0))
        values = np.where(rows.kind == BIN, rows.low, rows.high)
        is_open = np.isinf(rows.high)
        greatest = max(greatest, values[np.isfinite(values) & ~is_open].max(initial=-math.inf))
        beyond = max(beyond, rows.low[is_open & np.isfinite(rows.low)].max(initial=-math.inf))
    known = max(greatest, beyond)
    if math.isinf(known):
        return UNDECIDED, "no largest value is printed", Needs("a log that prints its maximum")
    if known > limit.value or (strict and known == limit.value):
        return REFUTED, f"{'' if known == greatest else 'at least '}{_shown(run, known)} is printed", Needs()
    if beyond > greatest:
        why = f"some are only printed as beyond {_shown(run, beyond)}"
        return UNDECIDED, why, Needs("a log that prints its maximum")
    return SUPPORTED, f"the largest in print is {_shown(run, greatest)}", Needs()


def _exceed(claim: Claim, run: Measured, limit: Latency) -> _Read:
    """By the rate of labels from the limit on."""
    table, period, rate = _table(run), period_of(run), claim.assertion.rate
    if table is None or not period > 0 or rate is None:
        missing = "no table is printed" if table is None else "the period is not known"
        return UNDECIDED, missing, _NO_TABLE if table is None else Needs("the period: a run card, or --set period=1ms")
    fewest = sum_of(table.n[table.label >= limit.value])
    most = fewest + sum_of(table.n[table.beyond & (table.label < limit.value)])
    seconds = sum_of(table.n) * period / 1e9
    count = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    why = f"{count} of {sum_of(table.n):,} are printed as {limit.text} or more, in {number(seconds)} s"
    if most < rate.hertz * seconds:
        return SUPPORTED, why, Needs()
    return (REFUTED, why, Needs()) if fewest >= rate.hertz * seconds else (UNDECIDED, why, _NO_TABLE)


def _missed(about: str, run: Measured) -> Finding:
    """By the tool's own count."""
    if run.d.missed is None:
        return Finding(about, UNDECIDED, "no count of overruns is printed", Needs("a tool that counts overruns"))
    return Finding(about, _verdict(run.d.missed == 0), f"{run.d.missed:,} missed activations are printed")


def _table(run: Measured) -> Printed | None:
    """The labels of all series; None if one of them has neither bins nor samples."""
    parts = []
    for one in run.told:
        rows = one.group.rows.where((one.group.rows.of == ALL) & (one.group.rows.n != 0))
        kind = next((kind for kind in (BIN, SAMPLE) if (rows.kind == kind).any()), None)
        if kind is None:
            return None
        rows = rows.where(rows.kind == kind)
        parts.append(Printed(rows.low, np.abs(rows.n), np.isinf(rows.high)))
    return Printed(*(np.concatenate(column) for column in zip(*parts, strict=True))) if parts else None


def _verdict(holds: bool) -> str:
    """Supported or refuted: what is printed is not uncertain."""
    return SUPPORTED if holds else REFUTED


def _shown(run: Measured, value: float) -> str:
    """A latency in the shown unit."""
    return f"{number(value / divisor(run.d))} {shown_unit(run.d)}"
