"""How often a limit was reached in each second, where a log tells when: what a burst is to a count.

Thirty exceedances in one burst tell no more of the rate than one does. The counts of seconds vary more than those of
independent cycles then, and by that factor an interval is too narrow that takes cycles as independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rtlat.intervals import Array
from rtlat.timeline.course import PLACED, Course, Told

FEWEST = 20
"""Blocks of time below which their counts tell nothing of bursts."""

_BLOCK, _BLOCKS = 10, 40
"""Windows in a block at least, and blocks of a long run: a window only tells whether the limit was reached in it, and
the longer a block, the longer the clusters of windows that it holds whole."""


class Counted(NamedTuple):
    """Events in blocks of time.

    Attributes
    ----------
    events : ndarray
        Of each block. [1]
    exposure : ndarray
        Of each block. [cycles, or windows]
    what : str
        What the exposure is: cycles or windows.
    """

    events: Array
    exposure: Array
    what: str


def per_second(series: Sequence[Told], limit: float) -> Counted | None:
    """Return how often a limit was surely reached in each second, all series of a run together.

    Windows only tell whether it was reached in them; ten of them are a block, of a long run a fortieth.

    Parameters
    ----------
    series : sequence of Told
        Of one run.
    limit : float
        [unit of the data]

    Returns
    -------
    Counted or None
        None where the log does not tell when, or too short a time.
    """
    courses = [one.course for one in series if isinstance(one.course, Course) and one.course.basis != PLACED]
    kinds = {course.kind for course in courses}
    if len(courses) < len(series) or len(kinds) != 1 or not kinds <= {"sample", "window"}:
        return None
    windows = kinds == {"window"}
    end, grain = min(course.end for course in courses), max(course.grain for course in courses)
    length = grain * max(_BLOCK, end / grain // _BLOCKS) if windows else 1.0
    blocks = int(end / length * (1 + 1e-9))
    if blocks < FEWEST or not math.isfinite(length):
        return None
    events, exposure = np.zeros(blocks), np.zeros(blocks)
    for course in courses:
        place = np.floor(course.time / length * (1 + 1e-9)).astype(np.int64)
        inside = place < blocks
        exposure += np.bincount(place[inside], minlength=blocks)
        events += np.bincount(place[inside & (course.low >= limit)], minlength=blocks)
    return Counted(events[exposure > 0], exposure[exposure > 0], "windows" if windows else "cycles")
