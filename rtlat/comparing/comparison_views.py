"""A comparison as people read it in a terminal, and as plain values for JSON; the verdict comes first."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from rtlat.comparing.comparability import REFUSED
from rtlat.comparing.comparison import Comparison
from rtlat.comparing.conclusions import NOT_COMPARABLE
from rtlat.errors import printable
from rtlat.schema import QUANTITIES
from rtlat.statistics.repeats import NO_WORSE, UNDECIDED, WORSE
from rtlat.statistics.results import Bounds

if TYPE_CHECKING:
    import pandas as pd

STANDING = (
    "Measured latencies are a lower bound of what an application will meet: it has work of its own, and a test runs no"
    " longer than it runs."
)
"""Stands under every comparison."""

CYCLES = (
    "Intervals of cycles take cycles as independent and know nothing of what differs from run to run; where seconds or"
    " runs are named, their dispersion widens them. Runs are taken as independent, and as alternating between the arms;"
    " an effect of runs is the median of what pairs of them differ by."
)

UNRANKED = "These cannot be ranked: none is comparable with the reference"

_EXPERIMENT = "The experiment that would make them comparable:"

_ENDS = ("least", "median", "greatest")

_KEY = ["arm", "against", "load", "quantity", "unit", "runs", "reference runs"]

_LEFT_OUT = 3
"""Pairs that are named, of those that were left out."""

_WIDTH = 118
"""Of a sentence. [characters]"""

EXIT = {NO_WORSE: 0, WORSE: 1, UNDECIDED: 3}
"""Exit codes of the command line."""


def overall(found: Comparison) -> str:
    """Return the outcome of a whole comparison: worse if any is, no worse if all are, else undecided."""
    outcomes = set(found.outcomes["outcome"])
    return WORSE if WORSE in outcomes else NO_WORSE if outcomes == {NO_WORSE} else UNDECIDED


def text(found: Comparison) -> str:
    """Return a comparison as lines for a terminal."""
    lines = [] if (found.outcomes["outcome"] != NOT_COMPARABLE).any() else [f"{UNRANKED}.", ""]
    for row in found.outcomes.to_dict("records"):
        lines += _one(found, row)
    lines += _unmet(found) + _context(found.context)
    if found.experiment:
        lines += [_EXPERIMENT, "", *map("  {}".format, found.experiment), ""]
    if not found.effects.empty:
        lines += _sentence(CYCLES, "")
    return "\n".join(printable(line) for line in [*lines, *_sentence(STANDING, "")])


def _one(found: Comparison, row: dict[Any, Any]) -> list[str]:
    """One set of repeats against the reference's: the verdict, the spread, the effects, the conclusion."""
    load = "load unknown" if row["load"] == "unknown" else f"load {row['load']}"
    what = f"{row['quantity']} ({QUANTITIES[row['quantity']]}) [{row['unit']}]"
    lines = [f"{row['arm']} against {row['against']}: {what}, {load}"]
    lines += [*_sentence(f"{row['runs']} against {row['reference runs']}"), ""]
    for verdict in of_pair(found.verdicts[found.verdicts["compared"]], row).to_dict("records"):
        lines += [*_sentence(verdict["reasons"]), ""]
    if not of_pair(found.effects, row).empty:
        lines += [*aligned(spread_cells(found, row), (0, -1)), "", *aligned(effect_cells(found, row), (0, -1)), ""]
    why = row["why"] if row["why"].startswith(row["outcome"]) else f"{row['outcome']}: {row['why']}"
    return [*lines, *_sentence(f"{why[0].upper()}{why[1:]}."), ""]


def _sentence(words: str, indent: str = "  ") -> list[str]:
    """A sentence on lines of a readable width."""
    return textwrap.wrap(words, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def of_pair(table: pd.DataFrame, row: dict[Any, Any]) -> pd.DataFrame:
    """Return the rows of a table that are about the same two sets."""
    which = (table[_KEY] == [row[name] for name in _KEY]).all(axis=1)
    return table[which.to_numpy(bool)]


def spread_cells(found: Comparison, row: dict[Any, Any]) -> list[list[str]]:
    """Return as rows of text, with a head, what differs from run to run of either arm."""
    table = found.spread[found.spread["runs"].isin([row["runs"], row["reference runs"]]).to_numpy(bool)]
    same = table["arm"].isin([row["arm"], row["against"]]) & (table["quantity"] == row["quantity"])
    table = table[same.to_numpy(bool)]
    figure = table["figure"].iloc[0]
    ends = _ENDS if table["number"].max() > 1 else ("median",)
    heads = [f"{end} {figure}" for end in ends] if len(ends) > 1 else [figure]
    cells = [["arm", "runs", "n", "duration", *heads, "worst", "in"]]
    for one in table.to_dict("records"):
        figures = [plain(one[end]) if one["number"] > 1 or end == "median" else "" for end in ends]
        n = "?" if str(one["n"]) == "<NA>" else f"{one['n']:,}"
        worst = plain(one["worst observed"])
        cells.append([one["arm"], str(one["number"]), n, one["duration"], *figures, worst, one["in"]])
    return cells


def effect_cells(found: Comparison, row: dict[Any, Any]) -> list[list[str]]:
    """Return as rows of text, with a head, every effect with its interval."""
    cells = [["", row["arm"], row["against"], "effect", "interval", "of"]]
    for one in of_pair(found.effects, row).to_dict("records"):
        values = [plain(one[side]) for side in ("value", "reference")]
        differ = [shown(one[name], one["measure"]) for name in ("effect", "interval")]
        cells.append([one["what"], *values, *differ, one["basis"]])
    return cells


def shown(result: Bounds, unit: str = "") -> str:
    """Return a difference with four digits, nothing where there is none.

    Examples
    --------
    >>> shown(Bounds(0.30812345, 1.6, "bounds"), "times"), shown(Bounds(-math.inf, math.inf, "bounds"))
    ('0.3081-1.6 times', '')
    """
    low, high = (float(f"{end:.4g}") for end in (result.low, result.high))
    return plain(Bounds(low, high, result.status), unit)


def plain(result: Bounds, unit: str = "") -> str:
    """Return a result as it reads, nothing where there is none."""
    unknown = result.status == "refused" or (math.isinf(result.low) and math.isinf(result.high))
    return "" if unknown else result.text(unit)


def aligned(rows: list[list[str]], left: tuple[int, ...] = (0,)) -> list[str]:
    """Return rows of cells as lines, numbers to the right.

    Examples
    --------
    >>> aligned([["", "a"], ["p50", "100"]])
    ['         a', '  p50  100']
    """
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.ljust(width) if place in left or place - len(row) in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _unmet(found: Comparison) -> list[str]:
    """Pairs that are not compared, where their arms are compared otherwise: the nearest ones."""
    met = found.verdicts[found.verdicts["compared"]]
    unmet = [
        f"{row['runs']} against {row['reference runs']}: {row['reasons']}"
        for row in found.verdicts[~found.verdicts["compared"]].to_dict("records")
        if row["verdict"] == REFUSED and not met[(met["arm"] == row["arm"]).to_numpy(bool)].empty
    ]
    lines = [line for one in sorted(unmet, key=len)[:_LEFT_OUT] for line in _sentence(one)]
    if more := len(unmet) - _LEFT_OUT if len(unmet) > _LEFT_OUT else 0:
        lines += _sentence(f"and {more} more, which --json lists")
    return ["Pairs that were left out, as each has a nearer one:", *lines, ""] if lines else []


def _context(context: pd.DataFrame) -> list[str]:
    """What differs between the runs."""
    if context.empty:
        return ["Nothing that the logs or run cards state differs between the runs.", ""]
    width = max(map(len, context["what"]))
    lines, before = ["What differs between the runs:"], ""
    for row in context.to_dict("records"):
        head = "" if row["what"] == before else row["what"]
        rest = textwrap.wrap(f"{row['value']}: {row['runs']}", _WIDTH - width - 4, break_on_hyphens=False)
        lines += [f"  {name:{width}}  {part}" for name, part in zip([head, *[""] * len(rest)], rest, strict=False)]
        before = row["what"]
    return [*lines, ""]


def json_of(found: Comparison) -> dict[str, Any]:
    """Return a comparison as plain values: unknown is None, never infinite or NaN."""
    tables = {name: getattr(found, name) for name in ("outcomes", "verdicts", "spread", "effects", "context")}
    rows = {
        name: [{str(key): _plain(cell) for key, cell in row.items()} for row in table.to_dict("records")]
        for name, table in tables.items()
    }
    return {"schema": 1, "outcome": overall(found), **rows, "experiment": list(found.experiment)}


def _plain(cell: Any) -> Any:
    """One cell."""
    if isinstance(cell, Bounds):
        ends = {"low": _finite(cell.low), "high": _finite(cell.high), "status": cell.status}
        return ends | ({"reason": cell.reason} if cell.reason else {})
    return None if str(cell) == "<NA>" else cell


def _finite(end: float) -> float | None:
    """An end, None where it is open."""
    return end if math.isfinite(end) else None
