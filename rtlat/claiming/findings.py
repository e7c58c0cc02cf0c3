"""What was found of a claim: supported, refuted or undecided, with what it would take to decide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rtlat.claiming.claims import Claim
from rtlat.comparing.arms import Measured
from rtlat.comparing.contrast import Contrast
from rtlat.display.tables import listed

SUPPORTED, REFUTED, UNDECIDED = "supported", "refuted", "undecided"

_VERBS = {REFUTED: "refute it", UNDECIDED: "leave it open", SUPPORTED: "support it"}


@dataclass(frozen=True, slots=True)
class Needs:
    """What it would take to decide a claim.

    Attributes
    ----------
    text : str
        In words; empty if nothing is missing.
    n : int or None
        Cycles of a run, all together; None if it is not a matter of their number.
    seconds : float
        How long that takes; NaN if unknown. [s]
    runs : int or None
        Runs of either arm, all together.
    """

    text: str = ""
    n: int | None = None
    seconds: float = math.nan
    runs: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What one run, or one arm against its reference, says of a claim.

    Attributes
    ----------
    about : str
        The run, with its series if there are several; or the arm and its load.
    outcome : str
        `SUPPORTED`, `REFUTED` or `UNDECIDED`.
    why : str
        A sentence.
    needs : Needs
        What it would take, where it is undecided.
    """

    about: str
    outcome: str
    why: str
    needs: Needs = Needs()


@dataclass(frozen=True)
class Decision:
    """What all runs say of a claim.

    Attributes
    ----------
    claim : Claim
        What is claimed.
    outcome : str
        `REFUTED` if a run refutes it, `SUPPORTED` if every run supports it, else `UNDECIDED`.
    why : str
        A sentence.
    needs : Needs
        What it would take, where it is undecided.
    findings : tuple of Finding
        Of each run, or of each arm against its reference.
    runs : tuple of Measured
        The runs that decide, for a figure.
    contrasts : tuple of Contrast
        Of a regression claim: the arms, for a figure.
    """

    claim: Claim
    outcome: str
    why: str
    needs: Needs = Needs()
    findings: tuple[Finding, ...] = ()
    runs: tuple[Measured, ...] = ()
    contrasts: tuple[Contrast, ...] = ()


def joined(
    claim: Claim, findings: Sequence[Finding], runs: Sequence[Measured] = (), note: str = "", noun: str = "runs"
) -> Decision:
    """Return the decision on a claim that each of several runs has to bear out.

    Parameters
    ----------
    claim : Claim
        What is claimed.
    findings : sequence of Finding
        One or more.
    runs : sequence of Measured
        The runs they are about.
    note : str
        Stands behind the reason.
    noun : str
        What the findings are of.
    """
    outcomes = {one.outcome for one in findings}
    outcome = next((each for each in (REFUTED, UNDECIDED) if each in outcomes), SUPPORTED)
    deciding = [one for one in findings if one.outcome == outcome]
    first = max(deciding, key=lambda one: one.needs.seconds if one.needs.seconds == one.needs.seconds else 0.0)
    named = listed([one.about for one in deciding])
    told = f"{len(deciding)} of {len(findings)} {noun} {_VERBS[outcome]} ({named}). " if len(findings) > 1 else ""
    why = f"{told}{first.about}: {first.why}" + (f"; {note}" if note else "")
    return Decision(claim, outcome, why, first.needs, tuple(findings), tuple(runs))
