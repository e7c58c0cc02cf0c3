"""Claims checked against runs: what each of them is worth, and what all of them are worth together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rtlat.claiming.assertions import NO_WORSE
from rtlat.claiming.claims import TABLE, Claim, Claims, load
from rtlat.claiming.deciding import decided
from rtlat.claiming.findings import REFUTED, SUPPORTED, UNDECIDED, Decision, Needs, joined
from rtlat.claiming.printed import read
from rtlat.claiming.regressions import asked, concluded
from rtlat.claiming.selecting import Runs, selected, under_conditions
from rtlat.comparing.arms import Measured
from rtlat.display.look import duration
from rtlat.display.tables import listed
from rtlat.protocol import Recording


@dataclass(frozen=True)
class Checked:
    """Claims with the decisions on them.

    Attributes
    ----------
    path : Path
        The claims file.
    decisions : tuple of Decision
        In the order of the file.
    """

    path: Path
    decisions: tuple[Decision, ...]

    @property
    def outcome(self) -> str:
        """Refuted if a claim is, supported if all are, else undecided."""
        outcomes = {decision.outcome for decision in self.decisions}
        return next((outcome for outcome in (REFUTED, UNDECIDED) if outcome in outcomes), SUPPORTED)


def check(claims: str | Path | Claims, recording: Recording, reference: Recording | None = None) -> Checked:
    """Return whether runs support claims.

    Parameters
    ----------
    claims : path or Claims
        A claims file.
    recording : Recording
        What was measured.
    reference : Recording, optional
        What claims of "no worse than reference" are held against.

    Raises
    ------
    ClaimError
        With file and line: a claim that is none, a selection without runs, a unit that does not fit.

    Examples
    --------
    >>> import rtlat
    >>> found = check("data/seeds/claims.toml", rtlat.read("data/seeds"))
    >>> [decision.outcome for decision in found.decisions]
    ['supported', 'refuted', 'undecided']
    """
    given = claims if isinstance(claims, Claims) else load(claims)
    runs, against = Runs(recording), Runs(reference) if reference is not None else None
    regressions = [asked(claim, runs, against) for claim in given.claims if claim.assertion.kind == NO_WORSE]
    told = iter(concluded(regressions))
    return Checked(
        given.path,
        tuple(next(told) if claim.assertion.kind == NO_WORSE else _decision(claim, runs) for claim in given.claims),
    )


def _decision(claim: Claim, runs: Runs) -> Decision:
    """The decision on a claim that each run has to bear out."""
    chosen = selected(claim, runs, claim.runs)
    met, others = under_conditions(claim, chosen)
    if not met:
        named = "the run was" if len(chosen) == 1 else f"all {len(chosen)} runs were"
        return Decision(
            claim, UNDECIDED, f"{named} measured {others}", Needs(f"a run {_conditions(claim)}"), runs=tuple(chosen)
        )
    if claim.about == TABLE:
        return joined(claim, [read(claim, run) for run in met], met)
    return joined(claim, [decided(claim, run, len(met)) for run in met], met, _scope(met))


def _conditions(claim: Claim) -> str:
    """What a claim asks of a run."""
    period = f"at a period of {duration(claim.period / 1e9)}" if claim.period == claim.period else ""
    return " and ".join(filter(None, (f"under the load {claim.load}" if claim.load else "", period)))


def _scope(runs: Sequence[Measured]) -> str:
    """For what a decision on a process stands."""
    loads = list(dict.fromkeys(run.says("load") or "not stated" for run in runs))
    return f"load: {listed(loads)}" + ("; one run: what differs from run to run is not in it" if len(runs) == 1 else "")
