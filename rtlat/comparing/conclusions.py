"""What a contrast allows to conclude about the one figure that was declared: worse, no worse, or undecided.

Measured on runs of one system, rules over the cycles of single runs call one of two equal systems worse in 10 to 80 of
100 cases, as soon as runs differ or latencies come in bursts. So a conclusion takes five runs an arm; with fewer it is
said what was observed, and how much runs would have to differ to explain it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rtlat.comparing.contrast import LIMIT, Contrast, median
from rtlat.intervals import Array
from rtlat.selection import divisor, shown_unit
from rtlat.statistics.ranks import samples_needed, supports
from rtlat.statistics.repeats import ENOUGH, NO_WORSE, UNDECIDED, WORSE, Between, adjusted, explaining, judged
from rtlat.statistics.results import Bounds, number

NOT_COMPARABLE = "not comparable"


@dataclass(frozen=True)
class Conclusion:
    """The outcome for one set of repeats against the reference's.

    Attributes
    ----------
    outcome : str
        worse, no worse, undecided, or not comparable.
    why : str
        A sentence.
    """

    outcome: str
    why: str


def conclusions(contrasts: Sequence[Contrast]) -> list[Conclusion]:
    """Return the conclusion of each contrast; the chance of any false "worse" among all of them is kept at 5 %."""
    decisive = [place for place, contrast in enumerate(contrasts) if not _obstacle(contrast)]
    chances = dict(zip(decisive, adjusted([_found(contrasts[place]).p for place in decisive]), strict=True))
    return [
        _concluded(contrast, chances[place]) if place in chances else Conclusion(UNDECIDED, _obstacle(contrast))
        for place, contrast in enumerate(contrasts)
    ]


def _found(contrast: Contrast) -> Between:
    """The difference of the primary figure, where every run tells it."""
    if contrast.primary is None:
        raise ValueError("a run does not tell the figure")
    return contrast.primary


def _obstacle(contrast: Contrast) -> str:
    """Why nothing can be concluded, empty if something can."""
    mine, theirs = contrast.figures()
    untold = [figure for figure in (*mine, *theirs) if figure.status == "refused"]
    if untold:
        return f"{_name(contrast)} is not known of {len(untold)} of {len(mine) + len(theirs)} runs: {untold[0].reason}"
    figure = contrast.question.figure
    silent = [run.run for side in contrast.sides for run in side.runs if not run.d.total]
    if silent:
        return f"the number of observations of {silent[0]} is unknown"
    fewest = min(run.d.total or 0 for side in contrast.sides for run in side.runs)
    if figure != LIMIT and not supports(fewest, figure):
        return f"a run of {fewest:,} cycles cannot tell p{figure}: it takes {samples_needed(figure) or 0:,}"
    return "" if min(len(mine), len(theirs)) >= ENOUGH else _observed(contrast)


def _observed(contrast: Contrast) -> str:
    """What too few runs show, and how much runs would have to differ to explain it."""
    found = _found(contrast)
    runs = f"{found.k} against {found.m} run{'s' if found.m > 1 else ''}: {ENOUGH} an arm are needed"
    nearest = min(abs(found.observed.low), abs(found.observed.high))
    if found.observed.low <= 0 <= found.observed.high or not math.isfinite(nearest):
        same = "" if math.isfinite(nearest) else ", as far as histograms reach"
        return f"{_name(contrast)} does not differ beyond what the records leave open{same}. {runs}"
    spread = explaining(nearest, found.k, found.m, contrast.question.confidence)
    told = _deviation(contrast)
    seen = "" if math.isnan(told) else f" (here it is {_amount(contrast, told)} within the arms)"
    return (
        f"{_name(contrast)} is {_amount(contrast, nearest)}{_share(contrast, nearest)} "
        f"{'higher' if found.observed.low > 0 else 'lower'}. {runs}; runs of one arm that differ with a standard "
        f"deviation of {_amount(contrast, spread)}{_share(contrast, spread)}{seen} would explain it by themselves"
    )


def _concluded(contrast: Contrast, p: float) -> Conclusion:
    """The outcome of a contrast with enough runs."""
    found, tolerance = _found(contrast), tolerated(contrast)
    outcome = judged(found, tolerance, p, contrast.question.confidence)
    name, sure = _name(contrast), f"{number(contrast.question.confidence)} %"
    matters = f"a shift of {_amount(contrast, tolerance)} matters"
    shift = _between(contrast, found.observed.low, found.observed.high)
    within = f"{name} is shifted by {shift} ({sure} interval {_between(contrast, found.low, found.high)})"
    if outcome == WORSE:
        chance = f"{p:.2g}" if p >= 0.001 else "below 0.001"
        return Conclusion(outcome, f"{within}; arms that are alike differ so much with a chance of {chance}")
    if outcome == NO_WORSE:
        most = _amount(contrast, max(0.0, found.at_most))
        return Conclusion(
            outcome, f"{name} is shifted by {shift}, with {sure} confidence up by {most} at most; {matters}"
        )
    return Conclusion(outcome, f"{within}; {matters}{_beyond(contrast)}; more runs would tell")


def _beyond(contrast: Contrast) -> str:
    """How many runs have their figure beyond the histogram."""
    mine, theirs = contrast.figures()
    beyond = sum(figure.status == "overflow" for figure in (*mine, *theirs))
    return f"; it lies beyond the histogram in {beyond} of {len(mine) + len(theirs)} runs" if beyond else ""


def tolerated(contrast: Contrast) -> float:
    """Return the shift of the primary figure that matters: never less than the step of the grid.

    In the unit of the data, or as a share of all cycles.
    """
    _, theirs = contrast.figures()
    reference = median(theirs).low
    own = contrast.question.tolerance * abs(reference) if math.isfinite(reference) else 0.0
    return own if contrast.question.figure == LIMIT else max(own, contrast.step)


def _name(contrast: Contrast) -> str:
    """The primary figure as people call it."""
    if contrast.question.figure != LIMIT:
        return f"p{contrast.question.figure}"
    return f"the share of cycles that reach {number(contrast.limit / divisor(contrast.a.d))} {shown_unit(contrast.a.d)}"


def _amount(contrast: Contrast, size: float) -> str:
    """A difference of the primary figure with its unit."""
    if contrast.question.figure == LIMIT:
        return f"{number(float(f'{size * 1e6:.4g}'))} in a million"
    return f"{size / divisor(contrast.a.d):.4g} {shown_unit(contrast.a.d)}"


def _between(contrast: Contrast, low: float, high: float) -> str:
    """Two ends of a difference, with its unit."""
    scale = 1e6 if contrast.question.figure == LIMIT else 1 / divisor(contrast.a.d)
    unit = "in a million" if contrast.question.figure == LIMIT else shown_unit(contrast.a.d)
    if math.isinf(low) and math.isinf(high):
        return "an unknown amount"
    return Bounds(float(f"{low * scale:.4g}"), float(f"{high * scale:.4g}"), "bounds").text(unit)


def _share(contrast: Contrast, size: float) -> str:
    """A difference as a share of the reference's figure, in percent."""
    reference = median(contrast.figures()[1]).low
    return f" ({100 * size / reference:.3g} %)" if reference > 0 and math.isfinite(reference) else ""


def _deviation(contrast: Contrast) -> float:
    """Standard deviation of the primary figure from run to run within the arms, NaN where no arm has two runs."""
    arms: list[Array] = [np.array([figure.low for figure in figures]) for figures in contrast.figures()]
    freedom = sum(len(arm) - 1 for arm in arms)
    squares = sum(float(((arm - arm.mean()) ** 2).sum()) for arm in arms if np.isfinite(arm).all())
    return math.sqrt(squares / freedom) if freedom else math.nan
