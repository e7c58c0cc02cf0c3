"""Which sets of repeats stand against which of the reference's, and whether they may."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rtlat.comparing.arms import Repeats
from rtlat.comparing.comparability import ALIKE, CORRECTED, OPEN, REFUSED, Verdict, merged, verdict

_WEIGHTS = (ALIKE, CORRECTED, OPEN, REFUSED)


@dataclass(frozen=True)
class Pair:
    """Two sets of repeats, of which the second is the reference's, and the verdict on them.

    Attributes
    ----------
    a, b : Repeats
        What is compared, and with what.
    verdict : Verdict
        Whether they may be compared.
    compared : bool
        Whether they are: no other set of the reference is nearer to alike.
    """

    a: Repeats
    b: Repeats
    verdict: Verdict
    compared: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """How far from alike they are."""
        return _WEIGHTS.index(self.verdict.word), len(self.verdict.findings)


def paired(sets: Sequence[Repeats], reference: str) -> list[Pair]:
    """Return every set against every set of the reference's arm; those are compared that are nearest to alike."""
    theirs = [one for one in sets if one.arm == reference]
    theirs = [one for one in theirs if one.runs[0].says("evidence") != "claim"] or theirs
    pairs = []
    for a in sets:
        if a.arm == reference:
            continue
        mine = [Pair(a, b, _met(a, b)) for b in theirs if a.runs[0].series == b.runs[0].series]
        best = min((pair.place for pair in mine), default=(0, 0))
        pairs += [replace(pair, compared=pair.place == best and pair.verdict.word != REFUSED) for pair in mine]
    return pairs


def _met(a: Repeats, b: Repeats) -> Verdict:
    """The verdict on two sets of repeats."""
    pairs = (verdict(one, other) for one in a.representatives() for other in b.representatives())
    return merged(pairs, (a.arm, a.runs), (b.arm, b.runs))


def unmet(pairs: Sequence[Pair]) -> list[Pair]:
    """Return, for each set that is compared with nothing, the pair that is nearest to comparable."""
    met = {id(pair.a) for pair in pairs if pair.compared}
    rest: dict[int, list[Pair]] = {}
    for pair in pairs:
        if id(pair.a) not in met:
            rest.setdefault(id(pair.a), []).append(pair)
    return [
        min(several, key=lambda pair: (pair.a.d.quantity != pair.b.d.quantity, len(pair.verdict.of(REFUSED))))
        for several in rest.values()
    ]
