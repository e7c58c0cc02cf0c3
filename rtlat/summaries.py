"""A row of results for each series, as a frame and as JSON.

Latencies are in us (or cycles, while no clock rate is known). Series stand separately; the pool of a run's
series is one more row, marked as such, so that nobody adds it to its parts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rtlat.distribution import distributions
from rtlat.intervals import ANYWHERE, Distribution
from rtlat.pooling import pool
from rtlat.protocol import Recording
from rtlat.selection import Names, answers, divisor, shown_unit
from rtlat.statistics import stats
from rtlat.statistics.ranks import fraction
from rtlat.statistics.results import Bounds, plain

if TYPE_CHECKING:
    import pandas as pd

Percents = Sequence[str | float] | None

_RESULTS = {"min": stats.minimum, "max": stats.maximum, "mean": stats.mean, "std": stats.std}


def summary(recording: Recording, percentiles: Percents = None) -> pd.DataFrame:
    """Return one row of results per run, series and quantity, and one per run and quantity for all its series.

    Parameters
    ----------
    recording : Recording
        What was read.
    percentiles : sequence of str or float, optional
        Such as ``["50", "99.9"]``; by default those to 99.999 and further nines as far as n supports them. [%]

    Returns
    -------
    DataFrame
        run, series, quantity, pooled, kind (which rows answered), unit, n, n_basis, overflow, missed; then, as
        `rtlat.Bounds` in `unit`: min, max, mean, std, range, iqr, mad, p99-p1, p99.9-p50 and each percentile.
    """
    rows = [(d, pooled) for _, d, pooled in each(recording)]
    return summary_of(rows, _percents(percentiles, [d for d, _ in rows]))


def summary_of(rows: Sequence[tuple[Distribution, bool]], percents: Sequence[str]) -> pd.DataFrame:
    """Return the rows of `summary` for distributions, each with whether it is a pool."""
    import pandas as pd

    columns: dict[str, Any] = {
        "run": [d.run for d, _ in rows],
        "series": [d.series for d, _ in rows],
        "quantity": [d.quantity for d, _ in rows],
        "pooled": [pooled for _, pooled in rows],
        "kind": [d.kind for d, _ in rows],
        "unit": [shown_unit(d) for d, _ in rows],
        "n": pd.array([d.total for d, _ in rows], dtype="Int64"),
        "n_basis": [d.n_basis for d, _ in rows],
        "overflow": pd.array([d.overflow for d, _ in rows], dtype="Int64"),
        "missed": pd.array([d.missed for d, _ in rows], dtype="Int64"),
    }
    for name, statistic in (_RESULTS | stats.SPREADS).items():
        columns[name] = [statistic(d).over(divisor(d)) for d, _ in rows]
    levels = [_levels(d, percents) for d, _ in rows]
    for place, percent in enumerate(percents):
        columns[f"p{percent}"] = [found[place] for found in levels]
    return pd.DataFrame(columns)


def _levels(d: Distribution, percents: Sequence[str]) -> list[Bounds]:
    """Percentiles in the shown unit."""
    return [result.over(divisor(d)) for result in stats.percentiles(d, percents)]


def each(recording: Recording) -> list[tuple[str, Distribution, bool]]:
    """Return run, distribution and whether it is a pool, of each series and then of each run's series together."""
    found: list[tuple[str, Distribution, bool]] = []
    runs: dict[str, list[Distribution]] = {}
    for d in distributions(recording):
        runs.setdefault(d.run, []).append(d)
    for run, series in runs.items():
        found += [(run, d, False) for d in series]
        parts: dict[tuple[str, str], list[Distribution]] = {}
        for d in series:
            if d.series != "all":  # what a tool prints of all series together is no series beside them
                parts.setdefault((d.quantity, d.unit), []).append(d)
        pools = [pool(several) for several in parts.values() if len(several) > 1]
        found += [(run, d, True) for d in pools if (d.minimum, d.maximum) != (ANYWHERE, ANYWHERE)]
    return found


def _percents(asked: Percents, ds: Sequence[Distribution]) -> list[str]:
    """The percentiles as text, each once; by default those that the largest n supports."""
    if asked is None:
        return list(stats.default_percentiles(max((d.total or 0 for d in ds), default=0)))
    texts = list(dict.fromkeys(str(percent).strip() for percent in asked))
    for text in texts:
        fraction(text)
    return texts


def percentiles(
    recording: Recording, percentiles: Percents = None, run: Names = None, series: Names = None, quantity: Names = None
) -> pd.DataFrame:
    """Return a row for each percentile of each series of a selection.

    Parameters
    ----------
    recording : Recording
        What was read.
    percentiles : sequence of str or float, optional
        As in `summary`. [%]
    run, series, quantity : str or sequence of str, optional
        What to keep; all where not given.

    Returns
    -------
    DataFrame
        run, series, quantity, unit, percent, low, high [unit], status, rank, n, supported, reason.

    Raises
    ------
    SelectionError
        If the selection is empty or mixes quantities or units; the choices are named.
    """
    import pandas as pd

    found = [d for _, d in answers(recording, run, series, quantity)]
    percents = _percents(percentiles, found)
    rows = []
    for d in found:
        for percent, result in zip(percents, _levels(d, percents), strict=True):
            row: dict[str, Any] = {
                "run": d.run,
                "series": d.series,
                "quantity": d.quantity,
                "unit": shown_unit(d),
                "percent": percent,
            }
            row |= {"low": result.low, "high": result.high, "status": result.status, "rank": result.rank}
            rows.append(row | {"n": d.total, "supported": result.supported, "reason": result.reason or ""})
    table = pd.DataFrame(rows)
    return table.astype({"rank": "Int64", "n": "Int64", "supported": "boolean"})


def summary_json(recording: Recording, percentiles: Percents = None) -> dict[str, Any]:
    """Return the same results as plain values for JSON: unknown is None, never infinite or NaN.

    Parameters
    ----------
    recording : Recording
        What was read.
    percentiles : sequence of str or float, optional
        As in `summary`. [%]

    Returns
    -------
    dict
        ``{"schema": 1, "runs": [...]}``; values are in the series' `unit`.
    """
    every = each(recording)
    percents = _percents(percentiles, [d for _, d, _ in every])
    runs = []
    for row in recording.runs.to_dict("records"):
        mine = [(d, pooled) for run, d, pooled in every if run == row["run"]]
        warnings = json.loads(row["warnings"] or "[]")
        warnings += [f"{d.series}: {warning}" for d, pooled in mine if not pooled for warning in d.warnings]
        entry = {name: plain(row[name]) for name in ("run", "source", "tool", "approach", "duration", "ended")}
        runs.append({**entry, "warnings": warnings, "series": [_series(d, pooled, percents) for d, pooled in mine]})
    return {"schema": 1, "runs": runs}


def _series(d: Distribution, pooled: bool, percents: Sequence[str]) -> dict[str, Any]:
    """One series' entry."""
    entry: dict[str, Any] = {"series": d.series, "pooled": pooled, "quantity": d.quantity, "kind": d.kind}
    entry |= {"unit": shown_unit(d), "n": d.total, "n_basis": d.n_basis or None}
    entry |= {"overflow": d.overflow, "missed": d.missed}
    for name, statistic in _RESULTS.items():
        entry[name] = plain(statistic(d).over(divisor(d)))
    entry["percentiles"] = {}
    for percent, result in zip(percents, _levels(d, percents), strict=True):
        extra: dict[str, Any] = {"rank": result.rank, "supported": result.supported}
        entry["percentiles"][percent] = plain(result) | extra
    return entry
