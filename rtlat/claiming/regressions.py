"""What runs say of a claim against a reference: by one declared figure, with runs as the observations.

All such claims of a file are decided together, so that the chance of any false "refuted" among them is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rtlat.claiming.claims import Claim
from rtlat.claiming.evidence import bars
from rtlat.claiming.findings import REFUTED, SUPPORTED, UNDECIDED, Decision, Finding, Needs, joined
from rtlat.claiming.selecting import Runs, selected, under_conditions
from rtlat.comparing.arms import Measured, Repeats
from rtlat.comparing.comparability import OPEN
from rtlat.comparing.conclusions import Conclusion, conclusions
from rtlat.comparing.contrast import LIMIT, Contrast, Question
from rtlat.comparing.pairing import Pair, paired, unmet
from rtlat.statistics.repeats import ENOUGH, NO_WORSE, WORSE

RUNS, REFERENCE = "runs", "reference"
"""What the arms are called."""

_OUTCOMES = {WORSE: REFUTED, NO_WORSE: SUPPORTED}

_ENOUGH = Needs(f"{ENOUGH} runs of either arm, alternating between them", runs=ENOUGH)


@dataclass(frozen=True)
class Asked:
    """A claim against a reference, with its arms, before anything is concluded.

    Attributes
    ----------
    claim : Claim
        What is claimed.
    pairs : tuple of Pair
        The arms that may be compared.
    contrasts : tuple of Contrast
        The same, with what is asked of them.
    findings : tuple of Finding
        Of arms that may not be compared, or that are not there.
    """

    claim: Claim
    pairs: tuple[Pair, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    findings: tuple[Finding, ...] = ()


def asked(claim: Claim, runs: Runs, reference: Runs | None) -> Asked:
    """Return the arms of a claim.

    Parameters
    ----------
    claim : Claim
        Against a reference.
    runs : Runs
        What was measured.
    reference : Runs or None
        What it is held against; if the claim selects it, the runs themselves may hold it.

    Raises
    ------
    ClaimError
        As for `rtlat.claiming.selecting.selected`.
    """
    mine, others = under_conditions(claim, selected(claim, runs, claim.runs))
    if not mine:
        return _without(claim, f"every run was measured {others}", "runs under the claim's conditions")
    source = reference or (runs if claim.reference else None)
    if source is None or not source.keys:
        return _without(claim, "there is no reference", f"--against LOG..., {ENOUGH} runs")
    like = replace(claim, quantity=mine[0].d.quantity)
    theirs, others = under_conditions(claim, selected(like, source, claim.reference, REFERENCE))
    if not theirs:
        return _without(claim, f"the reference was measured {others}", "a reference under the claim's conditions")
    if source is runs:
        mine = [run for run in mine if not any(run is other for other in theirs)]
    else:
        logs = {run.says("sha256") for run in mine} - {""}
        theirs = [run for run in theirs if run.says("sha256") not in logs]
    if not (mine and theirs):
        return _without(claim, "the reference holds the same runs and no others", "other runs as the reference")
    sets = [*_arm(RUNS, runs, claim.series, mine), *_arm(REFERENCE, source, claim.series, theirs)]
    pairs = paired(sets, REFERENCE)
    used = tuple(pair for pair in pairs if pair.compared)
    left = tuple(
        Finding(_name(pair), UNDECIDED, pair.verdict.text(), Needs("runs that are comparable with the reference"))
        for pair in unmet(pairs)
    )
    return Asked(claim, used, tuple(Contrast(pair.a, pair.b, _question(claim)) for pair in used), left)


def concluded(several: Sequence[Asked]) -> list[Decision]:
    """Return the decision on each of several claims against references."""
    found = iter(conclusions([contrast for one in several for contrast in one.contrasts]))
    decisions = []
    for one in several:
        findings = [_finding(pair, next(found)) for pair in one.pairs] + list(one.findings)
        runs = [run for pair in one.pairs for run in pair.a.runs]
        decisions.append(replace(joined(one.claim, findings, runs, noun="comparisons"), contrasts=one.contrasts))
    return decisions


def _without(claim: Claim, why: str, needs: str) -> Asked:
    """A claim that has not both arms."""
    return Asked(claim, findings=(Finding(RUNS, UNDECIDED, why, Needs(needs, runs=ENOUGH)),))


def _arm(name: str, runs: Runs, series: str, chosen: Sequence[Measured]) -> list[Repeats]:
    """The chosen runs, those together that repeat each other."""
    kept = {id(run) for run in chosen}
    arms = (Repeats(name, tuple(run for run in one.runs if id(run) in kept)) for one in runs.sets(series))
    return [arm for arm in arms if arm.runs]


def _question(claim: Claim) -> Question:
    """What is asked of the arms."""
    asserted = claim.assertion
    limit = asserted.limit.value if asserted.figure == LIMIT and asserted.limit else None
    return Question((), asserted.figure, limit, asserted.tolerance / 100, float(claim.confidence))


def _name(pair: Pair) -> str:
    """An arm by its load and series."""
    first = pair.a.runs[0]
    return ", ".join(filter(None, (first.says("load") or RUNS, first.series)))


def _finding(pair: Pair, found: Conclusion) -> Finding:
    """What two arms say of a claim."""
    outcome, why = _OUTCOMES.get(found.outcome, UNDECIDED), found.why
    fewest = min(len(pair.a.runs), len(pair.b.runs))
    needs = Needs() if outcome != UNDECIDED else _ENOUGH if fewest < ENOUGH else Needs("more runs of either arm")
    if pair.verdict.word == OPEN:
        why = f"{why}; {OPEN} {'; '.join(pair.verdict.of(OPEN))}"
    barred = {run.run: reasons for run in (*pair.a.runs, *pair.b.runs) if (reasons := list(bars(run)))}
    if outcome == SUPPORTED and barred:
        run, reasons = next(iter(barred.items()))
        why = f"{why}, but {run} may only refute, not support: {' and '.join(reasons)}"
        outcome, needs = UNDECIDED, Needs("runs that ended by themselves, with their whole logs")
    return Finding(_name(pair), outcome, why, needs)
