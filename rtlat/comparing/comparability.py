"""What may be compared with what: a verdict for a pair of runs, with its reasons.

What is under comparison, the treatment, is the approach, the kernel and their configuration; it is never a reason
against comparing. All else has to be alike, or the difference is not the treatment's: what was measured, on which
machine, under which load, for how long, and by which rules the tool counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rtlat.comparing.sides import Side
from rtlat.display.look import duration
from rtlat.intervals import ANYWHERE
from rtlat.schema import QUANTITIES
from rtlat.selection import shown_unit
from rtlat.statistics.superiority import grid

REFUSED, OPEN, CORRECTED = "not comparable", "comparable if", "comparable after correction"
ALIKE = "comparable"

_NEAR = 0.05
"""By how much numbers of observations may differ before that is worth a word, as a share."""

_SKIPPED = 0.001
"""Share of the due activations that may be missing from the counts before that is worth a word."""


class Finding(NamedTuple):
    """One thing that differs between two runs, or may differ.

    Attributes
    ----------
    what : str
        Such as "load".
    weight : str
        `REFUSED`, `OPEN` or `CORRECTED`.
    text : str
        The reason, the condition, or the correction.
    """

    what: str
    weight: str
    text: str


@dataclass(frozen=True)
class Verdict:
    """Whether two runs may be compared, and why not, or what has to hold for it.

    Attributes
    ----------
    findings : tuple of Finding
        All that differs or may differ.
    """

    findings: tuple[Finding, ...]

    @property
    def word(self) -> str:
        """The verdict: the gravest of its findings."""
        weights = {finding.weight for finding in self.findings}
        return next((weight for weight in (REFUSED, OPEN, CORRECTED) if weight in weights), ALIKE)

    def of(self, weight: str) -> list[str]:
        """The texts of one weight."""
        return [finding.text for finding in self.findings if finding.weight == weight]

    def text(self) -> str:
        """Return the verdict in one sentence.

        Examples
        --------
        >>> Verdict((Finding("load", OPEN, "the load is the same (not stated)"),)).text()
        'comparable if the load is the same (not stated)'
        """
        if refusals := self.of(REFUSED):
            return f"{REFUSED}: {'; '.join(refusals)}"
        conditions, corrections = self.of(OPEN), self.of(CORRECTED)
        word = f"{OPEN} {'; '.join(conditions)}" if conditions else CORRECTED if corrections else ALIKE
        return word + (f"{'. Corrected' if conditions else ''}: {'; '.join(corrections)}" if corrections else "")


def verdict(a: Side, b: Side) -> Verdict:
    """Return whether `a` may be compared with the reference `b`.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> idle, busy = (Side({"load": load, "machine": "m"}, counted([7])) for load in ("idle", "hackbench"))
    >>> verdict(idle, busy).text()
    'not comparable: load: idle against hackbench'
    """
    if "claim" in (a.says("evidence"), b.says("evidence")):
        return Verdict((Finding("evidence", REFUSED, "evidence: a claim is no measurement"),))
    return Verdict(tuple(finding for check in _CHECKS for finding in check(a, b)))


def merged(verdicts: Iterable[Verdict], *arms: tuple[str, Sequence[Side]]) -> Verdict:
    """Return one verdict for the runs of two arms: every finding once, with the numbers of the first pair.

    Parameters
    ----------
    verdicts : iterable of Verdict
        Of pairs of runs.
    *arms : tuple
        Name and runs of either arm: runs whose load is not stated are repeats only if it was the same.
    """
    found: dict[tuple[str, str], Finding] = {}
    for one in verdicts:
        for finding in one.findings:
            found.setdefault((finding.what, finding.weight), finding)
    silent = [name for name, runs in arms if len(runs) > 1 and not runs[0].says("load")]
    if silent:
        text = f"the load did not change from run to run ({' and '.join(silent)}: not stated)"
        found["repeats", OPEN] = Finding("repeats", OPEN, text)
    return Verdict(tuple(found.values()))


Findings = Iterator[Finding]


def _alike(what: str, mine: str, theirs: str) -> Findings:
    """A fact that must be the same."""
    if mine and theirs:
        if mine.casefold().split() != theirs.casefold().split():
            yield Finding(what, REFUSED, f"{what}: {mine} against {theirs}")
    else:
        why = f"stated for one side only: {mine or theirs}" if mine or theirs else "not stated"
        yield Finding(what, OPEN, f"the {what} is the same ({why})")


def _quantity(a: Side, b: Side) -> Findings:
    mine, theirs = a.d.quantity, b.d.quantity
    if mine == theirs == "unknown":
        yield Finding("quantity", OPEN, "both measured the same quantity (not stated)")
    elif mine != theirs:
        meant = " against ".join(f"{quantity} ({QUANTITIES[quantity]})" for quantity in (mine, theirs))
        yield Finding("quantity", REFUSED, f"quantity: {meant}")


def _unit(a: Side, b: Side) -> Findings:
    mine, theirs = a.d.unit, b.d.unit
    if mine != theirs:
        remedy = "; state the clock rate (cpu_mhz)" if "cycles" in (mine, theirs) else ""
        yield Finding("unit", REFUSED, f"unit: {shown_unit(a.d)} against {shown_unit(b.d)}{remedy}")
    elif mine != "ns":
        yield Finding("unit", OPEN, "the clock rates are the same" if mine == "cycles" else "the units are the same")
    elif a.says("tool") != b.says("tool"):
        assumed = [side.says("tool") for side in (a, b) if side.says("unit_basis") == "assumed"]
        if assumed:
            yield Finding("unit", OPEN, f"the numbers of {' and '.join(assumed)} are in us (assumed)")


def _context(a: Side, b: Side) -> Findings:
    yield from _alike("context", a.says("context"), b.says("context"))


def _load(a: Side, b: Side) -> Findings:
    yield from _alike("load", a.says("load"), b.says("load"))


def _hardware(a: Side, b: Side) -> Findings:
    for name in ("machine", "cpu", "cpu_mhz"):
        if a.says(name) and b.says(name) and a.says(name) != b.says(name):
            yield Finding("hardware", REFUSED, f"hardware: {a.says(name)} against {b.says(name)}")
            return
    if not (a.says("machine") and b.says("machine")):
        yield from _alike("machine", a.says("machine"), b.says("machine"))


def _power_states(a: Side, b: Side) -> Findings:
    yield from _alike("handling of power states", a.power_states, b.power_states)


def _number(a: Side, b: Side) -> Findings:
    n, m = a.d.total, b.d.total
    if n and m:
        if abs(n - m) > _NEAR * max(n, m):
            lasted = list(dict.fromkeys(duration(side.number("duration")) or "unknown" for side in (a, b)))
            text = f"n {n:,} against {m:,} (duration {' against '.join(lasted)}): worst observed compared at equal n"
            yield Finding("n and duration", CORRECTED, text)
        return
    only = "so no percentile has an interval, and a worst observed value grows with n"
    same = [a.says(name) == b.says(name) != "" for name in ("duration", "tool")]
    if not all(same) or a.says("period") != b.says("period"):
        yield Finding("n and duration", REFUSED, f"n and duration: n is unknown, {only}")
    else:
        yield Finding("n and duration", OPEN, "n is the same (not stated, only the duration)")


def _bins(a: Side, b: Side) -> Findings:
    if a.d.refusal or b.d.refusal:
        return
    steps = grid(a.d), grid(b.d)
    if any(math.isnan(step) for step in steps):
        yield Finding("bins", CORRECTED, "without bins of one width: compared as bounds")
    elif not math.isclose(*steps, rel_tol=1e-6):
        shown = " against ".join(f"{step / 1000:g} us" if a.d.unit == "ns" else f"{step:g}" for step in steps)
        yield Finding("bins", CORRECTED, f"bins of {shown}: compared on the coarser grid")


def _stopping(a: Side, b: Side) -> Findings:
    if "stopped at threshold" in (a.says("ended"), b.says("ended")):
        text = "stopping rule: stopped at a threshold, so n only tells when it was first reached: compare times to it"
        yield Finding("stopping rule", REFUSED, text)
    if "partial" in (a.d.status, b.d.status):
        yield Finding("stopping rule", OPEN, "what is missing of a cut histogram would not change it")


def _evidence(a: Side, b: Side) -> Findings:
    if "prose" in (a.says("evidence"), b.says("evidence")):
        yield Finding("evidence", OPEN, "the prose tells right what was measured")
    for d in (a.d, b.d):
        if d.refusal and d.maximum == ANYWHERE:
            yield Finding("evidence", REFUSED, f"evidence: {d.refusal}")


def _overruns(a: Side, b: Side) -> Findings:
    policies, lost = (a.overruns, b.overruns), [a.left_out, b.left_out]
    shares = [left / side.d.total for left, side in zip(lost, (a, b), strict=True) if side.d.total and left > 0]
    some = max(shares, default=0.0) > _SKIPPED
    counts = " and ".join("unknown" if math.isnan(left) else f"{left:,.0f}" for left in lost)
    if all(policies) and policies[0] != policies[1]:
        if some:
            text = f"overrun policy: {policies[0]} against {policies[1]}, with {counts} late activations"
            yield Finding("overrun policy", REFUSED, text)
        elif any(math.isnan(left) for left in lost):
            yield Finding("overrun policy", OPEN, f"no activation was late ({policies[0]} against {policies[1]})")
    elif some:
        text = f"activations that are in no count would not change it ({counts}; every-period view: deadlines)"
        yield Finding("overrun policy", OPEN, text)


def _folded(a: Side, b: Side) -> Findings:
    if (a.says("folded") == "True") != (b.says("folded") == "True"):
        text = "no early wake-up was folded into the positive values of one side (the other keeps the sign)"
        yield Finding("folded signs", OPEN, text)


def _tool(a: Side, b: Side) -> Findings:
    if a.says("tool") != b.says("tool"):
        tools = " and ".join(side.says("tool") or "an unknown tool" for side in (a, b))
        yield Finding("tool", OPEN, f"{tools} time the same path")


def _period(a: Side, b: Side) -> Findings:
    periods = [duration(side.number("period") / 1e9) for side in (a, b)]
    if all(periods) and periods[0] != periods[1]:
        yield Finding("period", OPEN, f"the period does not matter ({' against '.join(periods)})")
    elif not all(periods):
        yield from _alike("period", *periods)


def _priority(a: Side, b: Side) -> Findings:
    if a.priorities and b.priorities and a.priorities != b.priorities:
        shown = " against ".join(", ".join(map(str, side.priorities)) for side in (a, b))
        yield Finding("priority", OPEN, f"the priority does not matter ({shown})")


_CHECKS = (
    _evidence,
    _quantity,
    _unit,
    _context,
    _hardware,
    _load,
    _number,
    _stopping,
    _tool,
    _period,
    _priority,
    _power_states,
    _bins,
    _overruns,
    _folded,
)
