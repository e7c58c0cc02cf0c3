"""What is called jitter, as tables: each figure of each run by its own name, and the Allan deviation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rtlat.display.look import stated
from rtlat.display.tables import listed, ordered
from rtlat.selection import divisor, shown_unit
from rtlat.statistics.jitter import DEFINITIONS, ORDER, Allan, allan
from rtlat.statistics.results import Bounds
from rtlat.timeline.course import Told

if TYPE_CHECKING:
    import pandas as pd

SPREADS = tuple(one.name for one in DEFINITIONS if one.needs != ORDER)
"""Figures for which the order of observations does not matter; `rtlat.summary` has a column for each."""

SUCCESSIVE = tuple(one for one in DEFINITIONS if one.needs == ORDER)
"""Figures of successive differences."""


def definitions() -> pd.DataFrame:
    """Return each figure's name, what it is of latencies L, and which records it needs."""
    import pandas as pd

    rows = [(one.name, one.formula, one.needs) for one in DEFINITIONS]
    needs = "equally spaced samples, or averages of windows"
    rows.append(("Allan deviation", "root of half the mean of (x(k+2m) - 2 x(k+m) + x(k))² / tau², x = L", needs))
    return pd.DataFrame(rows, columns=["name", "is", "needs"])


def spreads(rows: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the figures for which order does not matter, runs with the least spread first.

    Parameters
    ----------
    rows : DataFrame
        As `rtlat.display.tables.chosen` gives them.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    """
    import pandas as pd

    facts = runs.set_index("run")
    lines = []
    for row in ordered(rows, SPREADS):
        if any(_told(row[name]) for name in SPREADS):
            line = {"quantity": row["quantity"], "unit": row["unit"], **_about(facts.loc[row["run"]])}
            lines.append(line | {"run": row["name"], "n": row["n"]} | {name: row[name] for name in SPREADS})
    names = ["quantity", "unit", "approach", "load", "run", "n", *SPREADS]
    return pd.DataFrame(lines, columns=names).astype({"n": "Int64"})


def _about(run: Any) -> dict[str, str]:
    """What was compared."""
    return {name: stated(run[name]) or "unknown" for name in ("approach", "load")}


def _told(cell: Bounds) -> bool:
    """Whether a result says more than that no spread is negative."""
    return cell.low > 0 or math.isfinite(cell.high)


def successive(tolds: Sequence[Told], runs: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of successive differences, of the series whose samples stand in order.

    Parameters
    ----------
    tolds : sequence of Told
        As `rtlat.timeline.timeline_tables.of` gives them.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    """
    import pandas as pd

    facts = runs.set_index("run")
    lines = []
    for told in tolds:
        d = told.distribution
        found = {one.name: one.of(d, told.course).over(divisor(d)) for one in SUCCESSIVE}
        if any(_told(cell) for cell in found.values()):
            line = {"quantity": d.quantity, "unit": shown_unit(d), **_about(facts.loc[d.run])}
            lines.append(line | {"run": d.run, "series": d.series, "n": d.total} | found)
    names = ["quantity", "unit", "approach", "load", "run", "series", "n", *(one.name for one in SUCCESSIVE)]
    return pd.DataFrame(lines, columns=names).sort_values(["quantity", "unit"], kind="stable").astype({"n": "Int64"})


def refusals(tolds: Sequence[Told]) -> pd.DataFrame:
    """Return why figures are refused: a row for each reason, with the figures and the runs it is about."""
    import pandas as pd

    about: dict[tuple[str, ...], list[str]] = {}
    for told in tolds:
        reasons: dict[str, list[str]] = {}
        for one in DEFINITIONS:
            cell = one.of(told.distribution, told.course)
            if cell.status == "refused":
                reasons.setdefault(str(cell.reason), []).append(one.name)
        if isinstance(found := allan(told.course), Bounds):
            reasons.setdefault(str(found.reason), []).append("Allan deviation")
        for reason, names in reasons.items():
            about.setdefault((", ".join(names), reason), []).append(told.group.run)
    rows = [(*key, listed(list(dict.fromkeys(runs)))) for key, runs in about.items()]
    return pd.DataFrame(rows, columns=["refused", "why", "runs"])


def allan_deviations(tolds: Sequence[Told]) -> pd.DataFrame:
    """Return the Allan deviation of every series that has one.

    Returns
    -------
    DataFrame
        run, series, quantity, of (samples, or window averages), tau [s], low, high [1], terms: how many second
        differences the deviation is the mean of. Series in cycles are left out, for tau is in seconds.
    """
    import pandas as pd

    parts = []
    for told in tolds:
        d = told.distribution
        found = allan(told.course) if d.unit == "ns" else None
        if isinstance(found, Allan):
            columns: dict[str, Any] = {"run": d.run, "series": d.series, "quantity": d.quantity, "of": found.of}
            ends = {"low": found.low, "high": found.high, "terms": found.terms}
            parts.append(pd.DataFrame(columns | {"tau": found.tau} | ends))
    names = ["run", "series", "quantity", "of", "tau", "low", "high", "terms"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=names)
