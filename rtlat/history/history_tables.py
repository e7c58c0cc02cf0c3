"""Histories as tables and sentences: figures run by run, what changed, and the first bad kernel."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rtlat.display.look import duration
from rtlat.display.markup import Html
from rtlat.display.tables import context_differences, listed
from rtlat.history.changes import ALPHA, FEWEST, Change
from rtlat.history.histories import History
from rtlat.statistics.results import Bounds, number
from rtlat.timeline.timeline_tables import chance

if TYPE_CHECKING:
    import pandas as pd


def over_time(told: Sequence[History]) -> pd.DataFrame:
    """Return the figures of every run, in the order of its history.

    Returns
    -------
    DataFrame
        history, quantity, unit, when (a date, or the place among the runs), run, kernel, n, duration, then the
        percentiles and the worst observed value [unit], and how many of a million cycles reach which level.
    """
    import pandas as pd

    rows = []
    for one in told:
        for place, run in enumerate(one.line.runs):
            row: dict[str, Any] = {
                "history": one.name,
                "quantity": one.line.quantity,
                "unit": one.line.unit,
                "when": one.when(place),
            }
            row |= {"run": str(run["run"]), "kernel": one.kernel(place) or "unknown", "n": one.line.ds[place].total}
            row["duration"] = duration(run["duration"]) or "unknown"
            row |= {name: results[place] for name, results in one.figures.items() if name != one.reach}
            rows.append(row | {"reach, of a million": one.figures[one.reach][place], "level": one.reach})
    return pd.DataFrame(rows)


def questions(told: Sequence[History]) -> int:
    """Return how many figures were asked for changes."""
    return sum(len(one.alpha) for one in told)


def changed(told: Sequence[History]) -> pd.DataFrame:
    """Return every change that is claimed, the least probable first.

    Returns
    -------
    DataFrame
        history, figure, from and to (the medians of the runs on either side), shift (with 95 % confidence, at this
        place), since (the first run of the new level), between (in about 95 of 100 cases it is one of these), kernel
        (the last of the old level and the first of the new one) and chance, which bounds the probability that runs
        that are alike show any change, all questions together.
    """
    import pandas as pd

    rows = []
    found = [
        (change.log_p + math.log(ALPHA / one.alpha[figure]), one, figure, change)
        for one in told
        for figure, change in one.found
    ]
    for log_p, one, figure, change in sorted(found, key=lambda entry: entry[0]):
        low, high = change.shift.low, change.shift.high
        good, bad = one.kernel(change.first - 1), one.kernel(change.last)
        rows.append(
            {
                "history": f"{one.name}, {one.line.quantity} [{one.line.unit}]",
                "figure": f"{figure}, of a million" if figure == one.reach else figure,
                "from": Bounds(*change.before, "bounds").text(),
                "to": Bounds(*change.after, "bounds").text(),
                "shift": f"{number(low)} to {number(high)}",
                "since": one.when(change.place),
                "between": " and ".join(dict.fromkeys((one.when(change.first), one.when(change.last)))),
                "kernel": " to ".join(dict.fromkeys((good or "unknown", bad or "unknown"))),
                "chance": chance(log_p),
            }
        )
    return pd.DataFrame(rows)


def answer(told: Sequence[History], alone: Sequence[str]) -> Html:
    """Return what changed in sentences, with the first bad kernel of every rise, and what could not be asked."""
    asked = questions(told)
    items = [f"<li>{sentence}</li>" for one in told for sentence in _sentences(one)]
    found = (
        f"{sum(len(one.found) for one in told) or 'None'} of {asked} figures changed"
        if asked
        else "No figure could be asked for changes"
    )
    parts = [f"<ul>{''.join(items)}</ul>" if items else ""]
    parts.append(
        f"<p>{found}. Runs are the observations: that runs which are alike show any change here has a probability of "
        f"less than {100 * ALPHA:g} %.</p>"
        if asked
        else f"<p>{found}.</p>"
    )
    short = [one for one in told if len(one.line.ds) < FEWEST]
    if short:
        names = listed([f"{one.name} ({one.line.quantity}, {len(one.line.ds)} runs)" for one in short])
        parts.append(f"<p>Too short for changes, which take {FEWEST} runs: {html.escape(names)}.</p>")
    if alone:
        parts.append(f"<p>Without another run like them: {html.escape(listed(list(alone)))}.</p>")
    undated = [one for one in told if not one.line.dated]
    if undated:
        parts.append(
            f"<p>In {len(undated)} of {len(told)} histories not every log tells when it started: those runs stand in "
            "the order in which they were read, from a store in the order of adding, else by name.</p>"
        )
    return Html("".join(parts))


def _sentences(one: History) -> Iterator[str]:
    """What changed in one history; figures that change together stand in one sentence, the one that decides first."""
    together: dict[tuple[int, int, int, bool], list[tuple[str, Change]]] = {}
    for figure, change in sorted(one.found, key=lambda found: -one.alpha[found[0]]):
        key = change.place, change.first, change.last, change.rises
        together.setdefault(key, []).append((figure, change))
    for (place, first, last, rises), found in together.items():
        run = str(one.line.runs[place]["run"])
        where = f"from {one.when(place)} on ({run}" if one.line.dated else f"from {run} on ({one.when(place)}"
        sure = f"; 95 %: between {one.when(first)} and {one.when(last)})" if first < last else ")"
        how = "is higher" if rises else "is lower"
        levels = ", ".join(_levels(one, figure, change) for figure, change in found)
        text = (
            f"<b>{html.escape(one.name)}</b>, {one.line.quantity}, {how} {html.escape(where + sure)}: median {levels}."
        )
        yield text + (f" {html.escape(kernel_sentence(one, found[0][1]))}" if rises else "")


def _levels(one: History, figure: str, change: Change) -> str:
    """The level of one figure before and after."""
    shares = figure == one.reach
    what, unit = (f"cycles of a million that {figure}", "") if shares else (figure, f" {one.line.unit}")
    before, after = (html.escape(Bounds(*ends, "bounds").text()) for ends in (change.before, change.after))
    return f"{html.escape(what)} {before}, then <b>{after}{unit}</b>"


def kernel_sentence(one: History, change: Change) -> str:
    """Return which kernel was the last good one and which the first bad one, or why the kernel tells nothing."""
    good, bad = one.kernel(change.first - 1), one.kernel(change.last)
    if not good or not bad:
        return "The logs do not say which kernels ran."
    if good == bad:
        return f"The kernel is {good} before and after: look for what else differs."
    between = [one.kernel(place) for place in range(change.first, change.last)]
    unsure = [kernel for kernel in dict.fromkeys(between) if kernel not in ("", good, bad)]
    text = f"Last good kernel: {good}. First bad kernel: {bad}"
    text += f", or one before it: {listed(unsure)}." if unsure else "."
    if bad in {one.kernel(place) for place in range(change.start, change.first)}:
        text += f" But {bad} also ran before the change: the kernel alone does not explain it."
    return text


def differences(told: Sequence[History]) -> pd.DataFrame:
    """Return what the logs say differently of the last good run and the first bad one, for every rise.

    Returns
    -------
    DataFrame
        history, figures (that rise there), what, last good, first bad.
    """
    import pandas as pd

    rows = []
    for one in told:
        pairs: dict[tuple[int, int], list[str]] = {}
        for figure, change in one.found:
            if change.rises:
                pairs.setdefault((change.first - 1, change.last), []).append(figure)
        for (good, bad), figures in pairs.items():
            facts = context_differences(pd.DataFrame([one.line.runs[good], one.line.runs[bad]]))
            for what, values in facts.groupby("what", sort=False)["value"]:
                rows.append((one.name, ", ".join(figures), what, *values))
    return pd.DataFrame(rows, columns=["history", "figures", "what", "last good", "first bad"])


def silence(told: Sequence[History]) -> pd.DataFrame:
    """Return which figures were not asked for changes, and why."""
    import pandas as pd

    rows: dict[tuple[str, str], list[str]] = {}
    for one in told:
        for figure, reason in one.silent.items():
            rows.setdefault((f"{one.name}, {one.line.quantity}", reason), []).append(figure)
    table = [(history, ", ".join(figures), reason) for (history, reason), figures in rows.items()]
    return pd.DataFrame(table, columns=["history", "figures", "reason"])
