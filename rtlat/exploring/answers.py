"""What is said of a choice: how often its limit is reached, what n supports, and the table of its curves."""

from __future__ import annotations

import functools
import html
import math
from typing import TYPE_CHECKING

from rtlat.display.look import shortened
from rtlat.display.markup import Html, shown
from rtlat.display.tables import chosen, listed, side_by_side
from rtlat.exploring.choice import Choice
from rtlat.exploring.curves import curves
from rtlat.exploring.folder import Folder
from rtlat.selection import divisor
from rtlat.statistics.limits import Exceedance, exceedance
from rtlat.statistics.results import Bounds, refused
from rtlat.summaries import summary_of
from rtlat.tails.refusals import Refusal

if TYPE_CHECKING:
    import pandas as pd

_HOUR = 3600.0

NOTHING = "Nothing chosen holds an observation of this quantity."


def said(folder: Folder, choice: Choice) -> Html:
    """Return in sentences how many curves reach the limit, what the worst of them means, and what was pooled."""
    found = curves(folder, choice)
    if not found.curves:
        return Html(f"<p>{NOTHING}</p>")
    told = {name: one for name, one in _exceedances(folder, choice).items() if isinstance(one, Exceedance)}
    reached = sum(one.counted.low > 0 for one in told.values())
    curve = "curves" if len(found.curves) > 1 else "curve"
    sentences = [f"<b>{limit_of(choice)}</b>: of {len(found.curves)} {curve} {reached or 'none'} surely reached it."]
    if told:
        worst = max(told, key=lambda name: (told[name].low, told[name].upper))
        sentences.append(
            f"<b>{html.escape(shortened(worst, 40))}</b>{' most often' * (len(told) > 1)}: {_meant(told[worst])}."
        )
    if unknown := len(found.curves) - len(told):
        sentences.append(f"Of {unknown} nothing is counted: the table says why.")
    if found.mixed:
        sentences.append(f"Runs that are drawn as one differ in {listed(found.mixed)}: group by that to part them.")
    if found.left_out:
        sentences.append(f"{found.left_out:,} more have a lower worst observed value and are left out: choose fewer.")
    return Html(f"<p>{' '.join(sentences)}</p>")


def limit_of(choice: Choice) -> str:
    """Return the limit as people read it."""
    return f"{choice.limit:,.6g} {choice.unit}"


def _meant(one: Exceedance) -> str:
    """What was counted, and what that says of all cycles."""
    ends = [f"{end:,.0f}" for end in dict.fromkeys((one.counted.low, one.counted.high))]
    seen = "none" if one.counted.high == 0 else " to ".join(ends)
    skipped = f"; {one.missed:,} activations were missed and are in no count" if one.missed else ""
    bound = f"fewer than 1 in {math.floor(1 / one.upper):,} cycles do" if one.counted.high == 0 else ""
    rate = often(one) if one.period == one.period or not bound else ""
    says = html.escape(f"{bound} ({rate})" if bound and rate else bound or rate)
    load = "under the same load and if cycles are independent"
    return f"{seen} of {one.n:,} cycles; with 95 % confidence {says}, {load}{skipped}"


def table(folder: Folder, choice: Choice) -> Html:
    """Return the curves side by side, with how often each reaches the limit."""
    return shown(rows(folder, choice), NOTHING)


def rows(folder: Folder, choice: Choice) -> pd.DataFrame:
    """Return the table's rows: as `rtlat.display.tables.side_by_side` gives them, and two columns on the limit."""
    made = _side_by_side(folder, choice._replace(limit=0.0))
    if made.empty:
        return made
    told = _exceedances(folder, choice)
    several = [told[name] for name in made["run"]]
    after = list(made.columns).index("duration") + 1
    made = made.copy()
    made.insert(after, f"reach {limit_of(choice)}", [_counted(one) for one in several])
    made.insert(after + 1, "how often, 95 %", [often(one) for one in several])
    return made


@functools.lru_cache(maxsize=4)
def _side_by_side(folder: Folder, choice: Choice) -> pd.DataFrame:
    """The part of the table that does not know the limit."""
    import pandas as pd

    found = curves(folder, choice)
    if not found.curves:
        return pd.DataFrame()
    summary = summary_of([(d, False) for d in found.distributions], choice.percentiles)
    named = chosen(summary, found.runs, "each")
    return side_by_side(named, found.runs, [f"p{percent}" for percent in choice.percentiles])


@functools.lru_cache(maxsize=1)
def _exceedances(folder: Folder, choice: Choice) -> dict[str, Exceedance | Refusal]:
    """How often each curve reaches the limit, by the name it has in the table."""
    found = curves(folder, choice)
    runs = [curve.distribution.run for curve in found.curves]
    told = {}
    for d, period in found.curves:
        name = f"{d.run} {d.series}" if runs.count(d.run) > 1 else d.run
        told[name] = exceedance(d, choice.limit * divisor(d), period=period)
    return told


def _counted(one: Exceedance | Refusal) -> Bounds:
    """The count as a cell."""
    return refused(one.reason) if isinstance(one, Refusal) else one.counted


def often(one: Exceedance | Refusal) -> str:
    """Return how often the limit is reached, with 95 % confidence: in an hour of one thread, else in cycles.

    Examples
    --------
    >>> from rtlat.intervals import counted
    >>> d = counted([10, 60], n=[2999, 1])
    >>> [often(exceedance(d, limit, period=period)) for limit in (50, 99) for period in (1e6, math.nan)]
    ['30.4 to 6,680 an hour', '1 in 539 to 1 in 118,000 cycles', '< 3,590 an hour', '< 1 in 1,001 cycles']
    """
    if isinstance(one, Refusal):
        return "unknown"
    low, high, upper = one.per(_HOUR)
    none = one.counted.high == 0
    if not math.isnan(upper):
        return f"< {_figure(upper)} an hour" if none else f"{_figure(low)} to {_figure(high)} an hour"
    if none:
        return f"< 1 in {math.floor(1 / one.upper):,} cycles"
    rarest = f" to 1 in {_figure(1 / one.low)}" if one.low else " or less"
    return f"1 in {_figure(1 / one.high)}{rarest} cycles"


def _figure(value: float) -> str:
    """Three digits.

    Examples
    --------
    >>> _figure(0.012345), _figure(3593.2)
    ('0.0123', '3,590')
    """
    return f"{value:.3g}" if value < 1e3 else f"{float(f'{value:.3g}'):,.0f}"
