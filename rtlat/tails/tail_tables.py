"""Estimated levels as tables, of single cycles and of blocks, and why there are none.

Where a tool prints the maximum of each second only, or exceedances come in bursts, the maxima of blocks are what may
be extrapolated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat.display.look import duration
from rtlat.display.tables import listed
from rtlat.intervals import Array
from rtlat.selection import divisor
from rtlat.statistics.results import Bounds, refused
from rtlat.tails.blocks import FEWEST, BlockTail, block_tail
from rtlat.tails.evidence_tables import frame, line, table_of
from rtlat.tails.examined import Examined
from rtlat.tails.holdout import Holdout
from rtlat.tails.levels import INTERVAL_REACH, NUMBER_REACH, Level, short
from rtlat.tails.plan import lasting
from rtlat.tails.refusals import REMEDIES, Refusal
from rtlat.tails.tail import Tail
from rtlat.timeline.course import PLACED, Course, Told

if TYPE_CHECKING:
    import pandas as pd

SECOND = 1.0
"""Length of a block of samples. [s]"""

Maxima = tuple[Array, Array, Array, float]
"""Bounds of the maxima of blocks, the cycles in each (-1 where unknown), and how long a block is. [unit, 1, s]"""


def fitted(examined: Sequence[Examined]) -> pd.DataFrame:
    """Return the tails that can be extrapolated.

    Returns
    -------
    DataFrame
        quantity, unit, approach, load, run, n; threshold, exceedances and scale [unit]; shape with its interval; p of
        the test of fit; how many lower thresholds are rejected.
    """

    def columns(one: Examined) -> dict[str, Any] | None:
        if not isinstance(one.tail, Tail):
            return None
        fit, (shape, low, high), scale = one.tail.fit, one.tail.shape, divisor(one.distribution)
        chosen = one.tail.choice.chosen
        return {
            "threshold": short(fit.over.threshold / scale),
            "exceedances": fit.over.count,
            "scale": short(fit.scale / scale),
            "shape": f"{shape:.2f} ({low:.2f} to {high:.2f})",
            "p of fit": f"{chosen.test.p:.2g}" if chosen else "unknown",
            "lower ones rejected": one.tail.choice.rejected,
        }

    return table_of(examined, columns)


def estimated_levels(examined: Sequence[Examined]) -> pd.DataFrame:
    """Return the estimated levels of every tail that can be extrapolated, for the powers of ten beyond its n.

    Returns
    -------
    DataFrame
        quantity, unit, approach, load, run, n; one cycle in so many, and how long that takes; the estimated level as
        text, its interval as `rtlat.Bounds` [unit].
    """

    def columns(one: Examined, power: int) -> dict[str, Any] | None:
        n = one.distribution.total or 1
        cycles = 10.0 ** (math.floor(math.log10(n)) + power)
        found = one.tail.level(cycles) if isinstance(one.tail, Tail) and cycles <= INTERVAL_REACH * n else None
        if not isinstance(found, Level):
            return None
        found = found.over(divisor(one.distribution))
        return {
            "one cycle in": f"{cycles:,.0f}",
            "about every": "period unknown" if math.isnan(one.period) else lasting(cycles * one.period / 1e9),
            "estimated level": "interval only" if math.isnan(found.value) else short(found.value),
            f"{short(found.confidence)} % interval": Bounds(found.low, found.high, "interval"),
        }

    return frame(line(one, row) for one in examined for power in (1, 2) if (row := columns(one, power)))


def block_levels(examined: Sequence[Examined], confidence: str | float = 95) -> pd.DataFrame:
    """Return what one block in ten times as many as there are is estimated to exceed, of every series told in time.

    Returns
    -------
    DataFrame
        quantity, unit, approach, load, run (with its series, if there are several), n; blocks and how long one is; one
        block in so many; as `rtlat.Bounds` the interval of the estimated level, or why there is none; as text the
        level, the shape, and what speaks against it.
    """
    lines = []
    for one in examined:
        for part in one.parts:
            if (maxima := maxima_of(part)) is not None:
                row = _row(maxima, confidence, divisor(one.distribution))
                name = f"{one.name} {part.group.series}" if len(one.parts) > 1 else one.name
                lines.append(line(one._replace(name=name), row) | {"n": part.distribution.total})
    return frame(lines)


def maxima_of(part: Told) -> Maxima | None:
    """Return the maxima of a series' windows, or of its seconds; None where the log tells of neither.

    Blocks of samples that are cut short by the run's end are left out.
    """
    course = part.course
    if not isinstance(course, Course) or course.kind not in ("sample", "window"):
        return None
    if course.kind == "window":
        n = course.rows.n if (course.rows.n > 1).any() else np.full(len(course.low), -1)
        return course.low, course.high, n, math.nan if course.basis == PLACED else course.grain
    if course.basis == PLACED:
        return None
    place = np.floor(course.time / SECOND)
    starts = np.flatnonzero(np.diff(place, prepend=-1))
    n = np.diff(starts, append=len(place))
    return np.maximum.reduceat(course.low, starts), np.maximum.reduceat(course.high, starts), n, SECOND


def _row(maxima: Maxima, confidence: str | float, scale: float) -> dict[str, Any]:
    """What the maxima of one series tell."""
    greatest_low, greatest_high, n, length = maxima
    found = block_tail(greatest_low, greatest_high, n, confidence)
    row: dict[str, Any] = {"blocks": len(n), "of": duration(length) or "unknown length"}
    asked = 10.0 ** math.floor(math.log10(NUMBER_REACH * max(len(n), FEWEST)))
    level = found.level(asked) if isinstance(found, BlockTail) else found
    row |= {"one block in": f"{asked:,.0f}"}
    if not isinstance(found, BlockTail) or not isinstance(level, Level):
        reason = f"{level.reason}; {level.remedy}" if not isinstance(level, Level) else ""
        return row | {"estimated level": "refused", "interval": refused(reason), "shape": "unknown", "flags": "none"}
    level, (shape, low, high) = level.over(scale), found.shape
    row |= {"estimated level": short(level.value), "interval": Bounds(level.low, level.high, "interval")}
    return row | {"shape": f"{shape:.2f} ({low:.2f} to {high:.2f})", "flags": "; ".join(found.flags) or "none"}


def caveats(examined: Sequence[Examined]) -> pd.DataFrame:
    """Return what speaks against the fitted tails, what could not be checked, and what the rest of the run says."""
    import pandas as pd

    about: dict[tuple[str, str], list[str]] = {}
    for one in examined:
        if not isinstance(one.tail, Tail):
            continue
        held = one.holdout
        text = held.text(one.group[1], divisor(one.distribution)) if isinstance(held, Holdout) else ""
        notes = {"flag": one.tail.flags, "not checked": one.tail.assumptions, "hold-out": (text,) if text else ()}
        for what, found in notes.items():
            for note in found:
                about.setdefault((what, note), []).append(one.name)
    rows = [(*key, listed(names)) for key, names in sorted(about.items())]
    return pd.DataFrame(rows, columns=["what", "found", "runs"])


def remedies(examined: Sequence[Examined]) -> pd.DataFrame:
    """Return the kinds of refusals, each with what would help and how many runs it is about."""
    import pandas as pd

    kinds = [refusal.kind for one in examined if (refusal := _refusal(one))]
    rows = [(kind, f"{kinds.count(kind)} of {len(examined)}", REMEDIES[kind]) for kind in dict.fromkeys(kinds)]
    return pd.DataFrame(rows, columns=["refused", "runs", "what would help"])


def refusals(examined: Sequence[Examined]) -> pd.DataFrame:
    """Return why tails are not extrapolated: a row for each reason, with the runs it is about."""
    import pandas as pd

    about: dict[tuple[str, str], list[str]] = {}
    for one in examined:
        if refusal := _refusal(one):
            about.setdefault((refusal.kind, refusal.reason), []).append(one.name)
    rows = [(*key, listed(names)) for key, names in sorted(about.items(), key=lambda item: item[0][0])]
    return pd.DataFrame(rows, columns=["refused", "because", "runs"])


def _refusal(one: Examined) -> Refusal | None:
    """Why a tail is not extrapolated."""
    return None if isinstance(one.tail, Tail) else one.tail.refusal
