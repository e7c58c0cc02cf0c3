"""The figure behind a claim: how often each latency is reached and what is allowed, or the runs of both arms."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rtlat.claiming.assertions import EXCEED, PERCENTILE, WORST, Rate
from rtlat.claiming.claims import TABLE
from rtlat.claiming.evidence import period_of
from rtlat.claiming.findings import Decision
from rtlat.comparing.arms import Measured
from rtlat.comparing.contrast import LIMIT, Contrast
from rtlat.display.look import INK, SOFT, shortened
from rtlat.display.panels import stacked
from rtlat.selection import divisor, shown_unit
from rtlat.statistics.ranks import fraction
from rtlat.tails.tail_curves import exceedance_of
from rtlat.tails.tail_figures import exceedance_figure

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

MOST = 6
"""Runs that are drawn; those that decide come first."""

_ROW, _COLOURS = 44, {"runs": "#0072B2", "reference": SOFT}
"""Height of an arm [px], and what its marks look like."""


def figure(decision: Decision, runs: pd.DataFrame) -> go.Figure | None:
    """Return the figure behind a claim, None where there is nothing to draw.

    Parameters
    ----------
    decision : Decision
        What was found.
    runs : DataFrame
        As in `rtlat.schema.RUNS`: of the recording that was checked.
    """
    if decision.contrasts:
        return _arms(arms(decision))
    points = curves(decision)
    if points.empty:
        return None
    drawn = exceedance_figure(points, runs)
    if (share := allowed(decision)) is not None:
        drawn.add_hline(share, line={"color": INK, "width": 1, "dash": "2px,2px"})
        rate = "" if decision.claim.assertion.kind == PERCENTILE else f" ({_rate(decision)})"
        text = f"allowed: {share:.3g}{rate}"
        drawn.add_annotation(x=1, xref="paper", xanchor="right", y=math.log10(share), yanchor="bottom", text=text)
        drawn.update_annotations({"showarrow": False})
        drawn.layout.yaxis.range = [
            min(drawn.layout.yaxis.range[0], math.log10(share / 3)),
            drawn.layout.yaxis.range[1],
        ]
    return drawn


def curves(decision: Decision) -> pd.DataFrame:
    """Return the share of cycles that reach each latency, of the runs that decide.

    Returns
    -------
    DataFrame
        As `rtlat.tails.tail_curves.exceedance` gives it.
    """
    import pandas as pd

    limit = decision.claim.assertion.limit
    parts = []
    for run in _deciding(decision):
        name = " ".join(filter(None, (run.run, run.series)))
        at = limit.value / divisor(run.d) if limit else math.nan
        parts.append(exceedance_of(run.d, name, at, decision.claim.confidence))
    known = [part for part in parts if part is not None]
    return pd.concat(known, ignore_index=True) if known else pd.DataFrame()


def _deciding(decision: Decision) -> list[Measured]:
    """The runs that are drawn."""
    outcomes = {one.about: one.outcome for one in decision.findings}
    return sorted(decision.runs, key=lambda run: outcomes.get(run.run) != decision.outcome)[:MOST]


def allowed(decision: Decision) -> float | None:
    """Return the share of cycles that a claim allows beyond its limit; None where that is not known."""
    asserted = decision.claim.assertion
    if asserted.kind == PERCENTILE:
        return float(1 - fraction(asserted.figure))
    if decision.claim.about == TABLE or not decision.findings:
        return None
    rate = _rate(decision)
    periods = {period_of(run) for run in decision.runs}
    period = periods.pop() if len(periods) == 1 else math.nan
    return rate.hertz * period / 1e9 if rate is not None and period > 0 else None


def _rate(decision: Decision) -> Rate | None:
    """How often the limit may be exceeded."""
    return {EXCEED: decision.claim.assertion.rate, WORST: decision.claim.rate}.get(decision.claim.assertion.kind)


def arms(decision: Decision) -> pd.DataFrame:
    """Return the primary figure of each run of both arms.

    Returns
    -------
    DataFrame
        comparison, arm (runs, reference), run, low and high [unit], unit, beyond: whether it lies in an overflow.
    """
    import pandas as pd

    rows = []
    for contrast in decision.contrasts:
        scale, unit = (1e-6, "in a million") if contrast.question.figure == LIMIT else _scale(contrast)
        limit = decision.claim.assertion.limit
        name = f"cycles that reach {limit.text}" if limit else f"p{contrast.question.figure}"
        for side, figures in zip(contrast.sides, contrast.figures(), strict=True):
            rows += [
                {
                    "comparison": f"{name}, {contrast.a.runs[0].says('load') or 'load unknown'}",
                    "arm": side.arm,
                    "run": run.run,
                    "low": one.low / scale,
                    "high": one.high / scale,
                    "unit": unit,
                    "beyond": one.status == "overflow",
                }
                for run, one in zip(side.runs, figures, strict=True)
                if one.status != "refused"
            ]
    return pd.DataFrame(rows)


def _scale(contrast: Contrast) -> tuple[float, str]:
    """What the shown unit is in stored ones, and its name."""
    return divisor(contrast.a.d), shown_unit(contrast.a.d)


def _arms(table: pd.DataFrame) -> go.Figure | None:
    """A panel for each comparison, a row for each arm, a mark for each run."""
    if table.empty:
        return None
    groups = list(table.groupby("comparison", sort=False))
    figure, panels = stacked([(str(name), str(rows["unit"].iloc[0]), 2 * _ROW) for name, rows in groups])
    for panel, (_, rows) in zip(panels, groups, strict=True):
        names = list(dict.fromkeys(rows["arm"]))
        panel.rows(names)
        values = rows["low"][rows["low"] > 0]
        panel.latency(*_around(values.tolist()))
        for row in rows.to_dict("records"):
            symbol = "arrow-right-open" if row["beyond"] else "circle-open"
            name = html.escape(shortened(str(row["run"]), 40))
            text = f"<b>{name}</b><br>{'from ' * row['beyond']}{row['low']:,.5g} {panel.unit}"
            marker = {"symbol": symbol, "size": 11, "color": _COLOURS[row["arm"]], "line": {"width": 2}}
            at = {"x": [row["low"]], "y": [names.index(row["arm"])]}
            panel.add("scatter", **at, mode="markers", marker=marker, hovertext=text, hoverinfo="text")
    return figure


def _around(values: Sequence[float]) -> tuple[float, float]:
    """An axis with room on both sides."""
    return (min(values) / 1.3, max(values) * 1.3) if values else (1.0, 10.0)
