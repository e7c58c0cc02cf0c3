"""Which runs a claim is about, and which of them were measured under its conditions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from rtlat.claiming.assertions import CYCLES
from rtlat.claiming.claims import FILE, Claim, Selector
from rtlat.comparing.arms import Measured, Repeats, repeats
from rtlat.display.look import duration, stated
from rtlat.display.tables import listed
from rtlat.errors import SelectionError, nearest
from rtlat.protocol import Recording
from rtlat.selection import shown_unit

_MOST = 6
"""Known names that are told where one is not."""


class Runs:
    """The runs of a recording, read once for all claims.

    Parameters
    ----------
    recording : Recording
        What was read.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.keys = [str(run) for run in recording.runs["run"]]
        self._sets: dict[str, list[Repeats]] = {}

    def names(self, column: str) -> list[list[str]]:
        """Return, for each run, what a pattern of a column may match."""
        if column != FILE:
            return [[stated(value)] for value in self.recording.runs[column]]
        sources = [stated(source) for source in self.recording.runs["source"]]
        return [[key, source, PurePosixPath(source).name] for key, source in zip(self.keys, sources, strict=True)]

    def sets(self, series: str) -> list[Repeats]:
        """Return the runs, those together that repeat each other.

        Raises
        ------
        SelectionError
            If no run has such a series; the nearest is named.
        """
        if series not in self._sets:
            self._sets[series] = repeats(self.recording, dict.fromkeys(self.keys, ""), series=series)
        return self._sets[series]

    def measured(self, series: str) -> list[Measured]:
        """Return every run of every quantity, in the order of the logs."""
        order = {run: place for place, run in enumerate(self.keys)}
        return sorted((run for one in self.sets(series) for run in one.runs), key=lambda run: order[run.run])


def selected(claim: Claim, runs: Runs, selector: Selector, key: str = "runs") -> list[Measured]:
    """Return the runs that a claim is about: of one quantity, in the unit of its limit.

    Raises
    ------
    ClaimError
        With file and line, if there is none, if they mix quantities, or if the limit's unit does not fit.
    """
    names = _named(claim, runs, selector, key)
    try:
        every = [run for run in runs.measured(claim.series) if run.run in names]
    except SelectionError as error:
        raise claim.error("series", str(error)) from None
    if not every:
        raise claim.error("series", f"found no series {claim.series!r} in {listed(names)}")
    quantities = list(dict.fromkeys(run.d.quantity for run in every))
    if claim.quantity and claim.quantity not in quantities:
        hint = nearest(claim.quantity, quantities)
        raise claim.error("quantity", f"found no quantity {claim.quantity!r} in {listed(names)}{hint}")
    if not claim.quantity and len(quantities) > 1:
        raise claim.error("claim", f"found the quantities {', '.join(quantities)}, expected one; write quantity = ...")
    chosen = [run for run in every if claim.quantity in ("", run.d.quantity)]
    for run in chosen:
        _require_unit(claim, run)
    return chosen


def _named(claim: Claim, runs: Runs, selector: Selector, key: str) -> list[str]:
    """The keys of the runs that a selector means."""
    meant = set(runs.keys)
    for column, patterns in selector:
        names = dict(zip(runs.keys, runs.names(column), strict=True))
        found = {run for run in names if _matches(names[run], column, patterns)}
        if not found:
            what, wanted = "file or run" if column == FILE else column, " or ".join(map(repr, patterns))
            known = _known(patterns[0], sorted({words[0] for words in names.values()}))
            raise claim.error(key, f"{key}: no {what} matches {wanted}{known}")
        meant &= found
    if not meant:
        raise claim.error(key, f"{key}: no run matches all of {', '.join(column for column, _ in selector)}")
    return [run for run in runs.keys if run in meant]


def _known(pattern: str, known: Sequence[str]) -> str:
    """What could have been meant."""
    return nearest(pattern, known) if len(known) <= _MOST else f"; known: {', '.join(known[:_MOST])} ..."


def _matches(names: Sequence[str], column: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns means a run; one of a file may leave out the folders above it."""
    forms = [form for pattern in patterns for form in (pattern, *([f"*/{pattern}"] if column == FILE else []))]
    return any(fnmatchcase(name, form) or name == form for name in names for form in forms)


def _require_unit(claim: Claim, run: Measured) -> None:
    """Refuse a limit in time where the latencies are in cycles, and the other way round."""
    limit = claim.assertion.limit
    if limit is None or limit.unit == run.d.unit:
        return
    unit = shown_unit(run.d)
    remedy = {
        "ns": "give the limit in us",
        CYCLES: "give it in cycles, or state the clock rate (cpu_mhz) in a run card",
    }.get(run.d.unit, "state the unit (printed_unit) in a run card")
    expected = f"{unit}: {run.run} is in {unit}" if unit in ("us", CYCLES) else f"a known unit of {run.run}"
    raise claim.error("claim", f"found the limit {limit.text}, expected {expected}; {remedy}")


def under_conditions(claim: Claim, chosen: Sequence[Measured]) -> tuple[list[Measured], str]:
    """Return the runs that were measured under a claim's load and period, and what the others were measured under."""
    fits = [_load_fits(claim, run) and _period_fits(claim, run) for run in chosen]
    met, others = ([run for run, fit in zip(chosen, fits, strict=True) if fit is wanted] for wanted in (True, False))
    told = []
    if claim.load:
        loads = dict.fromkeys(run.says("load") or "unknown" for run in others if not _load_fits(claim, run))
        told += [f"under the load {listed(list(loads))}, not {claim.load}"] if loads else []
    if claim.period == claim.period:
        periods = dict.fromkeys(_period_text(run) for run in others if not _period_fits(claim, run))
        told += [f"at a period of {listed(list(periods))}, not {duration(claim.period / 1e9)}"] if periods else []
    return met, " and ".join(told)


def _load_fits(claim: Claim, run: Measured) -> bool:
    """Whether a run's load is the claim's."""
    return not claim.load or fnmatchcase(run.says("load").casefold(), claim.load.casefold())


def _period_fits(claim: Claim, run: Measured) -> bool:
    """Whether a run's period is the claim's."""
    periods = [one.pace.period * 1e9 for one in run.told]
    return math.isnan(claim.period) or all(math.isclose(claim.period, period, rel_tol=1e-6) for period in periods)


def _period_text(run: Measured) -> str:
    """A run's period."""
    return listed([duration(period) or "unknown" for period in dict.fromkeys(one.pace.period for one in run.told)])
