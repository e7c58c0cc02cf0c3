"""The one visual language of figures and tables: an approach keeps its colour, a load its dash, a percentile its mark.

Names of runs are shortened here and nowhere else, so that a row of a table and a curve carry the same words.
"""

from __future__ import annotations

import html
import re
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

COLOURS = {
    "PREEMPT_RT": "#0072B2",
    "Xenomai": "#D55E00",
    "rtirq": "#009E73",
    "stock": "#222222",
    "RTAI": "#CC79A7",
    "EVL": "#E69F00",
}
"""Colours that the colour-blind can tell apart, after Okabe and Ito (2008)."""

OTHER_COLOURS = ("#56B4E9", "#661100", "#332288", "#117733", "#4d4d4d")
"""Of further approaches; with those above, the most that stay apart to the colour-blind."""

HATCHES = dict(zip((*COLOURS.values(), *OTHER_COLOURS), "/x+\\.-|" * 2, strict=False))
"""How a surface of a colour is hatched, for those who see no colours."""

_DASHES = ("solid", "5px,2px", "2px,2px", "6px,2px,2px,2px", "10px,3px", "10px,3px,2px,3px")
_MARKS = ("circle", "diamond", "square", "triangle-up", "pentagon", "star", "hexagon", "cross")

_TIMES = (
    (172_800, 86_400, "d"),
    (3_600, 3_600, "h"),
    (60, 60, "min"),
    (1, 1, "s"),
    (1e-3, 1e-3, "ms"),
    (1e-6, 1e-6, "us"),
)
"""From how many seconds on a unit is used, its length and its name."""

WORST = "x"
"""The mark of the worst observed value."""

INK, SOFT, GRID = "#1b1f24", "#57606a", "#e1e5ea"


class Look(NamedTuple):
    """How a run appears; texts are HTML already.

    Attributes
    ----------
    name : str
        Its key, shortened.
    label : str
        What was compared: approach and load, as far as they are known, else its group or its name.
    treatment : str
        The first part of the label, which has the colour.
    brief : str
        The label where there is little room: beside its curve.
    colour, dash : str
        As plotly names them.
    basis : str
        How long it measured, such as "10 h"; empty if unknown.
    """

    name: str
    label: str
    treatment: str
    brief: str
    colour: str
    dash: str
    basis: str

    def rests_on(self, n: Any) -> str:
        """Return n and the duration in a few characters."""
        return ", ".join(filter(None, (f"n {number(n)}", self.basis)))


def looks(runs: pd.DataFrame) -> dict[str, Look]:
    """Return how each run appears, by its key.

    A run goes by its approach and load. What is unknown is filled in, so that no two curves look the same by
    accident: an approach by the group, or by the run's name if all runs have one group; a load by the run's
    name where several runs of that approach have none.

    Parameters
    ----------
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    """
    keys = [str(run) for run in runs["run"]]
    groups, approaches, loads = ([stated(value) for value in runs[name]] for name in ("group", "approach", "load"))
    spare = keys if len(set(groups)) < 2 else groups
    names = [approach or other for approach, other in zip(approaches, spare, strict=True)]
    silent = [name for name, load in zip(names, loads, strict=True) if not load]
    loads = [
        load or (key if key != name and silent.count(name) > 1 else "")
        for key, name, load in zip(keys, names, loads, strict=True)
    ]
    colours = _colours(names)
    ordered = sorted(set(loads), key=lambda load: (load != "idle", load == "", load))
    dashes = dict(zip(ordered, _DASHES * len(ordered), strict=False))
    return {
        key: Look(
            html.escape(shortened(key, 36)),
            html.escape(" · ".join(filter(None, (shortened(name, 30), shortened(load, 24, tail=load in keys))))),
            html.escape(shortened(name, 30)),
            html.escape(" · ".join(filter(None, (shortened(name, 16), shortened(load, 12, tail=load in keys))))),
            colours[name],
            dashes[load],
            duration(seconds),
        )
        for key, name, load, seconds in zip(keys, names, loads, runs["duration"], strict=True)
    }


def stated(value: Any) -> str:
    """Return a cell of runs as text, empty if nothing is stated.

    Examples
    --------
    >>> stated("idle"), stated(None), stated(float("nan")), stated(1e6)
    ('idle', '', '', '1e+06')
    """
    if value is None or str(value) in ("<NA>", "nan"):
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _colours(treatments: Iterable[str]) -> dict[str, str]:
    """A colour for each treatment: its own, else one that follows from its name; of two that clash one moves on."""
    own = {_letters(name): colour for name, colour in COLOURS.items()}
    found: dict[str, str] = {}
    for name in sorted(set(treatments)):
        first = zlib.crc32(_letters(name).encode())
        others = [OTHER_COLOURS[(first + step) % len(OTHER_COLOURS)] for step in range(len(OTHER_COLOURS))]
        free = [colour for colour in others if colour not in found.values()]
        found[name] = own.get(_letters(name)) or (free or others)[0]
    return found


def _letters(name: str) -> str:
    """What names have in common that differ in case and marks only: PREEMPT-RT and Preempt_RT."""
    return re.sub(r"[\W_]+", "", name.lower())


def mark(place: int) -> str:
    """Return the mark of the percentile at a place of the list that was asked for."""
    return _MARKS[place % len(_MARKS)]


def shortened(text: str, length: int, *, tail: bool = True) -> str:
    """Return `text` with its middle left out if it is longer than `length`, or its end without `tail`.

    Names of runs often differ only at the end; of a load's command line the beginning tells most.

    Examples
    --------
    >>> shortened("konchalas_rt_preempt_10h_bbb_busy", 20), shortened("stress-ng --cpu 2 --vm 1", 12, tail=False)
    ('konchalas_…_bbb_busy', 'stress-ng -…')
    """
    if len(text) <= length:
        return text
    half = (length - 1) // 2 if tail else 0
    return f"{text[: length - 1 - half]}…{text[-half:] if half else ''}"


def duration(seconds: float) -> str:
    """Return a time as people say it; nothing if it is unknown.

    Parameters
    ----------
    seconds : float
        [s]

    Examples
    --------
    >>> [duration(seconds) for seconds in (36_000.0, 90.0, 0.25, 1e-6, 0.0, float("nan"))]
    ['10 h', '1.5 min', '250 ms', '1 us', '0 s', '']
    """
    if seconds != seconds:
        return ""
    for least, length, unit in _TIMES:
        if abs(seconds) >= least:
            return f"{seconds / length:.4g} {unit}"
    return f"{seconds / 1e-9:.4g} ns" if seconds else "0 s"


def number(n: Any) -> str:
    """Return a count in a few characters; ``?`` if it is unknown.

    Examples
    --------
    >>> [number(n) for n in (812, 60_000, 36_000_000, None)]
    ['812', '60 k', '36 M', '?']
    """
    if not stated(n):
        return "?"
    for size, unit in ((10**9, " G"), (10**6, " M"), (10**4, " k")):
        if n >= size:
            return f"{n / (size if size != 10**4 else 1000):.3g}{unit}"
    return f"{n}"


def titled(quantity: str, unit: str) -> str:
    """Return a heading for a quantity: its name, what it is, its unit.

    Examples
    --------
    >>> titled("irq", "us")
    'irq (interrupt raised to its handler) [us]'
    """
    from rtlat.schema import QUANTITIES

    return f"{quantity} ({QUANTITIES.get(quantity, 'not stated')}) [{unit}]"
