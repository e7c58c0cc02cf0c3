"""What is chosen of a folder, and what there is to choose from."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rtlat.errors import UsageError
from rtlat.exploring.folder import Folder
from rtlat.statistics.ranks import fraction

if TYPE_CHECKING:
    import pandas as pd

FIRST = ("run", "approach", "load", "kernel", "group")
"""Columns of runs that are offered first to group by."""

POOLED, EACH = "pooled", "each"
"""The series of a run together, or every series by itself."""


class Choice(NamedTuple):
    """What is looked at.

    Attributes
    ----------
    runs : tuple of str
        Their keys.
    by : str
        The column of runs by which they are grouped: runs of one value are pooled.
    quantity, unit : str
        What was measured, and the unit it is shown in.
    series : str
        `POOLED`, `EACH`, or the name of one.
    percentiles : tuple of str
        [%]
    limit : float
        [unit]
    """

    runs: tuple[str, ...]
    by: str
    quantity: str
    unit: str
    series: str
    percentiles: tuple[str, ...]
    limit: float


def columns(runs: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the columns of runs to group by, as label and name: the usual first, then those that differ most."""
    counts = {str(name): runs[name].nunique(dropna=False) for name in runs}
    rest = sorted(counts, key=lambda name: (counts[name] == 1, name))
    names = [*FIRST, *(name for name in rest if name not in FIRST)]
    return [(f"{name} ({counts[name]} value{'s' * (counts[name] != 1)})", name) for name in names]


def series_of(folder: Folder, quantity: str, unit: str) -> list[str]:
    """Return what may be chosen of the series: all together, each, or one by its name."""
    names = {entry.group.series for entry in folder.by_quantity[quantity, unit]}
    return [POOLED, EACH, *sorted(names, key=natural)]


def natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts t2 before t10.

    Examples
    --------
    >>> sorted(["t10", "t2", "all"], key=natural)
    ['all', 't2', 't10']
    """
    return [(int(part) if part.isdigit() else -1, part) for part in re.split(r"(\d{1,18})", name)]


def percentiles_in(text: str) -> tuple[str, ...]:
    """Return percentiles as they are typed, each once and rising.

    Raises
    ------
    UsageError
        If one of them is none, or there is none.

    Examples
    --------
    >>> percentiles_in("99.9, 50 99")
    ('50', '99', '99.9')
    """
    words = list(dict.fromkeys(re.split(r"[\s,;]+", text.strip(" ,;"))))
    if words == [""]:
        raise UsageError("no percentile: type some, such as 50, 99, 99.9")
    return tuple(sorted(words, key=fraction))


def limits(folder: Folder, quantity: str, unit: str) -> tuple[float, float, float]:
    """Return the least and the greatest limit that tell something, and one to begin with, in the unit.

    To begin with stands what one observation in a thousand of all of them reaches, rounded to two digits.
    """
    from rtlat.statistics import stats

    pools = folder.pools[quantity, unit]
    scale = 1000.0 if unit == "us" else 1.0
    ds = pools.distributions
    ends = np.array([end for d in ds for end in (*d.minimum, *d.maximum)]) / scale
    ends = ends[np.isfinite(ends) & (ends > 0)]
    if not len(ends):
        return 1.0, 10.0, 3.0
    least, most = float(ends.min()), float(ends.max())
    known = [place for place, d in enumerate(ds) if d.total and not d.refusal]
    start = stats.percentile(pools.pool(known), "99.9").low / scale if known else most
    start = start if least < start < math.inf else most
    return rounded(least / 1.3), rounded(most * 4), rounded(start, 2)


def rounded(value: float, digits: int = 3) -> float:
    """Return a number with so many digits, as people say a limit.

    Examples
    --------
    >>> rounded(102.3293), rounded(0.04567, 2)
    (102.0, 0.046)
    """
    return float(f"{value:.{digits}g}")


def limit_text(choice: Choice) -> str:
    """Return the limit as a notebook's parameter takes it.

    Examples
    --------
    >>> limit_text(Choice((), "run", "thread", "us", "pooled", ("50",), 102.0))
    '102us'
    """
    return f"{choice.limit:g}{choice.unit if choice.unit == 'us' else ''}"
