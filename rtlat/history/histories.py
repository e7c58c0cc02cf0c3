"""The histories of a recording: figures run by run, and what changed in them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rtlat.comparing.contrast import LIMIT
from rtlat.display.look import shortened, stated
from rtlat.history.changes import ALPHA, FEWEST, Change, changes
from rtlat.history.lines import FACTS, Line, lines
from rtlat.selection import divisor
from rtlat.statistics.results import Bounds, number

if TYPE_CHECKING:
    from rtlat.protocol import Recording

_RELEASE = re.compile(r"\d+\.\d+\S*")
"""A kernel's release, among what else is said of it."""

_ALWAYS = ("approach", "load")
"""Facts by which a history goes even where there is only one."""


@dataclass(frozen=True)
class History:
    """One line with its figures, and what changed.

    Attributes
    ----------
    line : Line
        The runs.
    name : str
        What the runs share, as far as it tells lines apart.
    figures : dict of list
        For each figure the result of every run.
    reach : str
        The name of the figure that is a share: how many of a million cycles reach a level.
    found : list of (str, Change)
        The figures that changed.
    alpha : dict
        Of each figure that was asked, the probability below which a change counts.
    silent : dict
        The figures of which nothing is said, with the reason.
    """

    line: Line
    name: str
    figures: dict[str, list[Bounds]]
    reach: str
    found: list[tuple[str, Change]]
    alpha: dict[str, float]
    silent: dict[str, str]

    def when(self, place: int) -> str:
        """Return when a run started, or which of the runs it is."""
        run = self.line.runs[place]
        return str(run["when"])[:16].replace("T", " ") if self.line.dated else f"run {place + 1}"

    def kernel(self, place: int) -> str:
        """Return the release of a run's kernel, empty if it is not stated."""
        return release(self.line.runs[place])


def release(run: Mapping[str, Any]) -> str:
    """Return the release of a run's kernel; all that is said of it, if there is none.

    Examples
    --------
    >>> release({"kernel": "6.1.0-57-rt-amd64 #1 SMP PREEMPT_RT"}), release({"kernel": "Linux 2.4.23 with rtirq"})
    ('6.1.0-57-rt-amd64', '2.4.23')
    """
    text = stated(run["kernel"])
    found = _RELEASE.search(text)
    return found[0] if found else shortened(text, 40)


def histories(
    recording: Recording, percentiles: Sequence[str], limit: str = "", quantity: str = "", figure: str = "99.9"
) -> tuple[list[History], list[str]]:
    """Return the histories of a recording with what changed in them, and the runs that stand alone.

    Parameters
    ----------
    recording : Recording
        What was read.
    percentiles : sequence of str
        Figures of each run. [%]
    limit : str
        How often it is reached is another figure; the median of the runs' p99.9 if empty.
    quantity : str
        Only this one; all if empty.
    figure : str
        What decides, declared before the data are seen: a percentile, or ``limit``. Half of the chance of a false
        alarm is its own, all other figures share the rest.

    Raises
    ------
    SelectionError
        If no run measures that quantity, or the limit is in another unit.
    UsageError
        If the limit or a percentile is none.
    """
    found, alone = lines(recording, quantity)
    if figure not in (*percentiles, LIMIT):
        percentiles = [*percentiles, figure]
    told = []
    for line in found:
        level = line.level(limit)
        known = not math.isnan(level)
        reach = f"reach {number(level / divisor(line.ds[0]))} {line.unit}" if known else "reach a level that none tells"
        figures = {f"p{percent}": results for percent, results in line.percentiles(percentiles).items()}
        figures |= {"worst observed": line.worst(), reach: [share.over(1e-6) for share in line.share(level)]}
        told.append((line, figures, reach, _silent(line, figures)))
    asked = [
        [name == (reach if figure == LIMIT else f"p{figure}") for name in figures if name not in silent]
        for _, figures, reach, silent in told
    ]
    alphas = _alphas(sum(map(sum, asked)), sum(map(len, asked)))
    made = []
    for (line, figures, reach, silent), name, decide in zip(told, _names(found), asked, strict=True):
        alpha = dict(
            zip((each for each in figures if each not in silent), (alphas[one] for one in decide), strict=True)
        )
        steps = [(each, change) for each in alpha for change in changes(figures[each], alpha[each])]
        made.append(History(line, name, figures, reach, steps, alpha, silent))
    return made, alone


def _alphas(deciding: int, asked: int) -> tuple[float, float]:
    """The probability below which a change of any figure counts, and of one that decides."""
    rest = asked - deciding
    if not deciding or not rest:
        return (ALPHA / max(1, asked),) * 2
    return ALPHA / 2 / rest, ALPHA / 2 / deciding


def _silent(line: Line, figures: Mapping[str, Sequence[Bounds]]) -> dict[str, str]:
    """The figures that are not asked for changes, and why."""
    silent = {}
    for name, results in figures.items():
        refused = [result.reason or "" for result in results if result.status == "refused"]
        if len(results) < FEWEST:
            silent[name] = f"{len(results)} runs; changes are looked for in {FEWEST} and more"
        elif refused:
            silent[name] = f"{len(refused)} of {len(results)} runs do not tell it ({refused[0]})"
        elif name == "worst observed" and line.unequal():
            silent[name] = f"{line.unequal()}; a larger n alone gives a larger worst observed value"
    return silent


def _names(found: Sequence[Line]) -> list[str]:
    """What tells lines apart."""
    told = [
        place for place, fact in enumerate(FACTS) if fact in _ALWAYS or len({line.facts[place] for line in found}) > 1
    ]
    names = [[shortened(line.facts[place], 34, tail=False) for place in told] for line in found]
    return [" · ".join(filter(None, name)) or "all runs" for name in names]
