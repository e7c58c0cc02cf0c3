"""How long to test by the runs of a recording: a sentence for each series, and for all series of a run together."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from rtlat.counts import limit_in
from rtlat.errors import SelectionError
from rtlat.intervals import Distribution
from rtlat.pooling import pool
from rtlat.protocol import Recording
from rtlat.selection import shown_unit
from rtlat.tails.plan import PER_CYCLES, Plan, plan
from rtlat.tails.refusals import Refusal
from rtlat.timeline.course import told


class Planned(NamedTuple):
    """The answer for one series, or for all series of a run that count the same quantity."""

    d: Distribution
    pooled: bool
    answer: Plan | Refusal


def plans(recording: Recording, limit: str | float, per: str = "day", confidence: str | float = 95) -> list[Planned]:
    """Return, for each series, how long to test, and what it shows.

    The series of a run together are as long as all of them one after the other: a rate per day is that of one thread.

    Parameters
    ----------
    recording : Recording
        What was read; periods come from it, too.
    limit : str or float
        With a unit, such as ``"50us"``; without one in us, or in cycles where the data are.
    per : str
        A key of `rtlat.tails.plan.UNITS_OF_TIME`.
    confidence : str or float
        One-sided. [%]

    Raises
    ------
    UsageError
        If the limit, `per` or `confidence` is none.
    """
    answers = []
    runs: dict[tuple[str, str, str], list[tuple[Distribution, float]]] = {}
    for group, d, pace, _, _ in told(recording):
        answers.append(Planned(d, False, _answer(d, limit, per, confidence, pace.period * 1e9)))
        if group.series != "all":
            runs.setdefault((d.run, d.quantity, d.unit), []).append((d, pace.period * 1e9))
    for several in runs.values():
        if len(several) > 1:
            together = pool(d for d, _ in several)
            answer = _answer(together, limit, per, confidence, mean_period(several))
            if isinstance(answer, Plan):
                answers.append(Planned(together, True, answer))
    return answers


def _answer(d: Distribution, limit: str | float, per: str, confidence: str | float, period: float) -> Plan | Refusal:
    """The plan of one distribution."""
    try:
        stored = limit_in(limit, d)
    except SelectionError:
        return Refusal("unit unknown", f"its latencies are in {d.unit}, the limit is a time")
    return plan(d, stored, _read(limit, d), per, confidence, period)


def _read(limit: str | float, d: Distribution) -> str:
    """A limit as it is to be read: a blank before the unit, and the unit where there is none."""
    number, unit = re.fullmatch(r"\s*(.*?)\s*([^\d.\s]*)\s*", str(limit)).groups()  # type: ignore[union-attr]
    return f"{number} {unit or shown_unit(d)}"


def mean_period(several: list[tuple[Distribution, float]]) -> float:
    """Return the time per cycle of all series together in ns; NaN if a period or an n is unknown."""
    time = sum((d.total or 0) * period for d, period in several)
    n = sum(d.total or 0 for d, _ in several)
    return time / n if n else math.nan


def plans_text(planned: list[Planned]) -> str:
    """Return one line for each answer."""
    quantities = {d.quantity for d, _, _ in planned}
    lines = []
    for d, pooled, answer in planned:
        name = f"{d.run} all series together" if pooled else f"{d.run} {d.series}"
        lines.append(f"{name}{f' {d.quantity}' if len(quantities) > 1 else ''}: {answer.text()}")
    return "\n".join(lines)


def plans_json(planned: list[Planned], limit: str, per: str, confidence: str | float) -> dict[str, Any]:
    """Return the same as plain values for JSON: unknown is None.

    ``per`` of an entry is the time in which exceedances are counted, or ``1000000 cycles`` where the period is unknown.
    """
    entries = [_entry(*one) for one in planned]
    return {"schema": 1, "limit": limit, "per": per, "confidence": float(confidence), "plans": entries}


def _entry(d: Distribution, pooled: bool, answer: Plan | Refusal) -> dict[str, Any]:
    """One answer."""
    entry: dict[str, Any] = {"run": d.run, "series": d.series, "quantity": d.quantity, "pooled": pooled}
    if isinstance(answer, Refusal):
        return entry | {"refused": answer.kind, "reason": answer.reason, "remedy": answer.remedy}
    timed = not math.isnan(answer.period)
    return entry | {
        "n": answer.n,
        "period_ns": answer.period if timed else None,
        "exceedances": {"low": int(answer.counted.low), "high": int(answer.counted.high)},
        "missed": answer.missed,
        "needed_cycles": answer.needed,
        "needed_seconds": answer.needs if timed else None,
        "had_seconds": answer.had if timed else None,
        "per": answer.per if timed else f"{PER_CYCLES} cycles",
        "fewer_than": answer.at_most,
        "more_than": answer.at_least,
        "shown": answer.shown,
        "text": answer.text(),
    }
