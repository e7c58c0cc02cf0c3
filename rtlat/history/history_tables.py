"""Histories as tables and sentences: figures run by run, what changed, and the first bad kernel."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
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
                "since": f"{one.when(change.place)}, {one.line.runs[change.place]['run']}",
                "between": " and ".join(dict.fromkeys((one.when(change.first), one.when(change.last)))),
                "kernel": " to ".join(dict.fromkeys((good or "unknown", bad or "unknown"))),
                "chance": chance(log_p),
            }
        )
    return pd.DataFrame(rows)


def answer(told: Sequence[History], alone: Sequence[str]) -> Html:
    """Return what changed in sentences, with the first bad kernel of every rise, and what could not be asked."""
    asked = questions(told)
    items = [f"<li>{_sentence(one, figure, change)}</li>" for one in told for figure, change in one.found]
    found = f"{len(items) or 'None'} of {asked} figures changed" if asked else "No figure could be asked for changes"
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


def _sentence(one: History, figure: str, change: Change) -> str:
    """One change."""
    shares = figure == one.reach
    what = f"number of a million cycles that {figure}" if shares else figure
    unit = "" if shares else f" {one.line.unit}"
    before, after = (Bounds(*ends, "bounds").text() for ends in (change.before, change.after))
    how = "rises" if change.rises else "falls"
    run = one.line.runs[change.place]["run"]
    where = f"with {one.when(change.place)} ({run})" if one.line.dated else f"with {run}, {one.when(change.place)}"
    sure = ""
    if change.first < change.last:
        sure = f", in any case between {one.when(change.first)} and {one.when(change.last)}"
    text = (
        f"<b>{html.escape(one.name)}</b>, {one.line.quantity}: the median {html.escape(what)} {how} from "
        f"{html.escape(before)} to <b>{html.escape(after)}{unit}</b> {html.escape(where + sure)}."
    )
    return text + (f" {html.escape(kernel_sentence(one, change))}" if change.rises else "")


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
        history, figure, what, last good, first bad.
    """
    import pandas as pd

    rows = []
    for one in told:
        for figure, change in one.found:
            if change.rises:
                pair = pd.DataFrame([one.line.runs[change.first - 1], one.line.runs[change.last]])
                for what, values in context_differences(pair).groupby("what", sort=False)["value"]:
                    good, bad = values
                    rows.append((one.name, figure, what, good, bad))
    return pd.DataFrame(rows, columns=["history", "figure", "what", "last good", "first bad"])


def silence(told: Sequence[History]) -> pd.DataFrame:
    """Return which figures were not asked for changes, and why."""
    import pandas as pd

    rows: dict[tuple[str, str], list[str]] = {}
    for one in told:
        for figure, reason in one.silent.items():
            rows.setdefault((f"{one.name}, {one.line.quantity}", reason), []).append(figure)
    table = [(history, ", ".join(figures), reason) for (history, reason), figures in rows.items()]
    return pd.DataFrame(table, columns=["history", "figures", "reason"])
