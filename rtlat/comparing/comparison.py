"""Runs compared, as tables: the verdict first, then the spread between runs, effects, and what may be concluded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from rtlat.comparing import experiment
from rtlat.comparing.arms import POOLED, Repeats, by_column, repeats
from rtlat.comparing.conclusions import NOT_COMPARABLE, conclusions
from rtlat.comparing.contrast import LIMIT, Contrast, Question, median
from rtlat.comparing.effect_rows import Effect, effects
from rtlat.comparing.pairing import Pair, paired, unmet
from rtlat.counts import limit_in
from rtlat.display.look import duration, stated
from rtlat.display.tables import context_differences, listed
from rtlat.errors import SelectionError, UsageError, nearest
from rtlat.protocol import Recording
from rtlat.selection import divisor, shown_unit
from rtlat.statistics import stats
from rtlat.statistics.ranks import fraction, risk

if TYPE_CHECKING:
    import pandas as pd

Percents = Sequence[str | float] | None

USUAL: tuple[str, ...] = ("50", "99", "99.9")
"""Percentiles that are shown if none are asked for; the last one decides."""


_ABOUT = ("arm", "against", "load", "quantity", "unit", "runs", "reference runs")
OUTCOMES = (*_ABOUT, "outcome", "why")
VERDICTS = (*_ABOUT, "verdict", "reasons", "compared")
_FIGURES = ("number", "n", "duration", "figure", "least", "median", "greatest", "worst observed", "in")
SPREAD = ("arm", "load", "quantity", "unit", "runs", *_FIGURES)
EFFECTS = (*_ABOUT, "what", "value", "reference", "effect", "measure", "interval", "basis")


class Comparison(NamedTuple):
    """What was found, as tables.

    Attributes
    ----------
    outcomes : DataFrame
        A row for each set of repeats of each arm: what it was compared with, outcome (worse, no worse, undecided, not
        comparable) and why.
    verdicts : DataFrame
        A row for each pair of sets of repeats: verdict, reasons, and whether it was compared.
    spread : DataFrame
        What differs from run to run of one set: number of runs, n, duration, least, median and greatest primary
        figure, the worst observed, and in which run and series.
    effects : DataFrame
        what, value, reference, effect, its measure, its interval, and what that takes as observations.
    context : DataFrame
        What differs between the runs in what logs and cards say.
    experiment : tuple of str
        Commands of the experiment that would make comparable what is not; empty if all is.
    """

    outcomes: pd.DataFrame
    verdicts: pd.DataFrame
    spread: pd.DataFrame
    effects: pd.DataFrame
    context: pd.DataFrame
    experiment: tuple[str, ...]


def compare(
    recording: Recording,
    against: str = "",
    *,
    arms: str | Mapping[str, str] = "approach",
    quantity: str = "",
    series: str = POOLED,
    percentiles: Percents = None,
    limit: str | float | None = None,
    figure: str = "",
    tolerance: float = 5.0,
    confidence: float = 95.0,
) -> Comparison:
    """Compare each arm with a reference: what may be compared, by how much it differs, what can be concluded.

    Parameters
    ----------
    recording : Recording
        What was read.
    against : str
        The reference's arm; if empty, ``stock`` where there is one, else the first.
    arms : str or mapping
        What is compared: a column of runs (approach, kernel, group, run), or the arm of each run by its key.
        Where the column says nothing, the group is the arm, or the run itself.
    quantity : str
        Only this one; each quantity by itself if empty.
    series : str
        ``pooled``: the series of a run together; ``each``: every series by itself; or the name of one.
    percentiles : sequence of str or float, optional
        To be shown; 50, 99 and 99.9 if not given. [%]
    limit : str or float, optional
        Whose exceedances are compared, such as ``"50us"``; without a unit in us (or cycles).
    figure : str
        The one figure that decides, declared before the data are seen: a percentile, or ``limit``. If empty, the
        limit where one is given, else 99.9.
    tolerance : float
        The shift of that figure that matters, of the reference's. [%]
    confidence : float
        [%]

    Returns
    -------
    Comparison
        Tables.

    Raises
    ------
    SelectionError
        If there is only one arm, or a name is unknown; the nearest is given.
    UsageError
        If a percentile, a limit or a tolerance is none.

    Examples
    --------
    >>> import rtlat
    >>> found = rtlat.compare(rtlat.read("data/seeds"), "rtirq", quantity="irq")
    >>> set(found.outcomes["outcome"])
    {'not comparable'}
    """
    named = dict(by_column(recording, arms) if isinstance(arms, str) else arms)
    reference = _reference(against, named, set(map(str, recording.runs["run"])))
    pairs = paired(repeats(recording, named, quantity, series), reference)
    asked = _question(percentiles, limit, figure, tolerance, confidence)
    used = [pair for pair in pairs if pair.compared]
    contrasts = [Contrast(pair.a, pair.b, _with_limit(asked, limit, pair.b)) for pair in used]
    concluded = [_about(pair) | vars(found) for pair, found in zip(used, conclusions(contrasts), strict=True)]
    alone = [_about(pair) | {"outcome": NOT_COMPARABLE, "why": pair.verdict.text()} for pair in unmet(pairs)]
    spread = {id(side): one for contrast in contrasts for side, one in _spread(contrast)}
    both = zip(used, contrasts, strict=True)
    rows = [_about(pair) | _cells(pair, one) for pair, contrast in both for one in effects(contrast)]
    names = {run.run for pair in used or pairs for side in (pair.a, pair.b) for run in side.runs}
    return Comparison(
        _frame(concluded + alone, OUTCOMES),
        _frame([_about(pair) | _verdict(pair) for pair in pairs], VERDICTS),
        _frame(list(spread.values()), SPREAD),
        _frame(rows, EFFECTS),
        context_differences(recording.runs[recording.runs["run"].isin(names)].reset_index(drop=True)),
        tuple(_experiment(recording, named, reference)) if alone else (),
    )


def _reference(against: str, arms: Mapping[str, str], runs: set[str]) -> str:
    """The reference's arm."""
    for run in set(arms) - runs:
        raise SelectionError(f"no run {run!r} here{nearest(run, runs)}")
    known = list(dict.fromkeys(arms.values()))
    if len(known) < 2:
        told = ", ".join(known) or "none"
        remedy = "tell them apart in a run card (approach = ...), or see arms="
        raise SelectionError(f"one arm only ({told}): a comparison needs two; {remedy}")
    if against and against not in known:
        raise SelectionError(f"no arm {against!r} here{nearest(against, known)}")
    return against or ("stock" if "stock" in known else known[0])


def _question(
    percentiles: Sequence[str | float] | None,
    limit: str | float | None,
    figure: str,
    tolerance: float,
    confidence: float,
) -> Question:
    """What is asked, checked."""
    percents = tuple(str(percent).strip() for percent in percentiles or USUAL)
    figure = figure.removeprefix("p") or (LIMIT if limit is not None else USUAL[-1])
    if figure == LIMIT and limit is None:
        raise UsageError("figure: the limit decides, but no limit is given")
    for percent in (*percents, *([figure] if figure != LIMIT else [])):
        fraction(percent)
    risk(confidence)
    if not 0 <= tolerance < math.inf:
        raise UsageError(f"tolerance: {tolerance!r} is no share in percent")
    return Question(percents, figure, None, tolerance / 100, confidence)


def _with_limit(asked: Question, limit: str | float | None, side: Repeats) -> Question:
    """The question with the limit in the unit of the data."""
    return asked if limit is None else replace(asked, limit=limit_in(limit, side.d))


def _about(pair: Pair) -> dict[str, Any]:
    """What a row is about."""
    series = pair.a.runs[0].series
    return {
        "arm": f"{pair.a.arm} {series}".strip(),
        "against": f"{pair.b.arm} {series}".strip(),
        "load": pair.a.runs[0].says("load") or "unknown",
        "quantity": pair.a.d.quantity,
        "unit": shown_unit(pair.a.d),
        "runs": listed([run.run for run in pair.a.runs]),
        "reference runs": listed([run.run for run in pair.b.runs]),
    }


def _verdict(pair: Pair) -> dict[str, Any]:
    """A verdict's own cells."""
    return {
        "verdict": pair.verdict.word,
        "reasons": pair.verdict.text(),
        "compared": pair.compared,
    }


def _spread(contrast: Contrast) -> Iterator[tuple[Repeats, dict[str, Any]]]:
    """What differs from run to run of either side."""
    scale, unit = divisor(contrast.a.d), shown_unit(contrast.a.d)
    share = contrast.question.figure == LIMIT
    name = "in a million" if share else f"p{contrast.question.figure}"
    for side, figures in zip(contrast.sides, contrast.figures(), strict=True):
        shown = sorted((one.over(1e-6 if share else scale) for one in figures), key=lambda one: (one.low, one.high))
        lasted = list(dict.fromkeys(duration(run.number("duration")) or "unknown" for run in side.runs))
        worst = max((part for run in side.runs for part in run.parts), key=lambda part: part.maximum[0])
        yield (
            side,
            {
                "arm": f"{side.arm} {side.runs[0].series}".strip(),
                "load": side.runs[0].says("load") or "unknown",
                "quantity": side.d.quantity,
                "unit": unit,
                "runs": listed([run.run for run in side.runs]),
                "number": len(side.runs),
                "n": side.d.total,
                "duration": listed(lasted),
                "figure": name,
                "least": shown[0],
                "median": median(shown),
                "greatest": shown[-1],
                "worst observed": stats.maximum(side.d).over(scale),
                "in": f"{worst.run} {worst.series}",
            },
        )


def _cells(pair: Pair, effect: Effect) -> dict[str, Any]:
    """An effect's own cells; a unit of its own stands with its name."""
    own = f", {effect.unit}" if effect.unit not in ("", shown_unit(pair.a.d)) else ""
    return {"what": effect.what + own, **{name: getattr(effect, name) for name in EFFECTS[len(_ABOUT) + 1 :]}}


def _experiment(recording: Recording, arms: Mapping[str, str], reference: str) -> list[str]:
    """The commands that would make the arms comparable, the reference first."""
    runs = recording.runs[recording.runs["run"].isin(list(arms))]
    names: dict[str, str] = {}
    for run, approach, tool in zip(runs["run"], runs["approach"], runs["tool"], strict=True):
        named = arms[run] if experiment.tool_of(str(tool)) == "" else f"{arms[run]} ({tool})"
        names.setdefault(arms[run], stated(approach) or named)
    if len(set(names.values())) == 1:  # the same approach, so what differs is how it was set up
        names = {arm: f"{arm} ({name})" for arm, name in names.items()}
    approaches = [names.pop(reference), *names.values()]
    loads = [stated(load) for load in runs["load"] if stated(load) and not stated(load).startswith("idle")]
    return experiment.commands(approaches, loads[0] if loads else "")


def _frame(rows: list[dict[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Rows as a table, also where there are none."""
    import pandas as pd

    table = pd.DataFrame(rows, columns=list(columns))
    return table.astype({"n": "Int64"}) if "n" in table else table
