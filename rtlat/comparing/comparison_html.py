"""A comparison in a notebook: what follows in a few sentences, and each pair with its tables."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rtlat.comparing.comparison import Comparison, compare
from rtlat.comparing.comparison_views import CYCLES, STANDING, UNRANKED, effect_cells, of_pair, spread_cells
from rtlat.comparing.conclusions import NOT_COMPARABLE
from rtlat.display.look import shortened
from rtlat.display.markup import STYLE, Html
from rtlat.errors import SelectionError
from rtlat.protocol import Recording
from rtlat.statistics.repeats import NO_WORSE, WORSE

if TYPE_CHECKING:
    from rtlat.comparing.comparison import Percents

_EXPERIMENT = "The experiment that would make them comparable"

_REFUSED = f"{NOT_COMPARABLE}: "

_LONGEST = 60
"""Characters of a load in a heading, and of a cell that stays on one line."""


_MOST = 3
"""Conclusions that are told at once."""


def compared(
    recording: Recording, against: str, quantity: str, series: str, percentiles: Percents, limit: str = ""
) -> Comparison | str:
    """Return what a comparison of the approaches found, or why there is none: one approach, say.

    Parameters
    ----------
    recording, against, quantity, series, percentiles, limit
        As for `rtlat.compare`.
    """
    try:
        asked: dict[str, Any] = {"quantity": quantity, "series": series, "percentiles": percentiles}
        return compare(recording, against, limit=limit or None, **asked)
    except SelectionError as error:
        return f"Nothing is compared: {error}."


def verdict(found: Comparison | str) -> Html:
    """Return what follows from a comparison in a few sentences, the gravest first.

    Parameters
    ----------
    found : Comparison or str
        As `compared` gives it.
    """
    if isinstance(found, str):
        return Html(f"<p>{html.escape(found)}</p>")
    rows = found.outcomes.to_dict("records")
    met = [row for row in rows if row["outcome"] != NOT_COMPARABLE]
    met.sort(key=lambda row: [WORSE, NO_WORSE].index(row["outcome"]) if row["outcome"] in (WORSE, NO_WORSE) else 2)
    lines = [
        f"<li><b>{row['outcome'].capitalize()}</b>: {html.escape(_of(row))}: {html.escape(row['why'])}.</li>"
        for row in met[:_MOST]
    ]
    rest = [f"{len(met) - _MOST} more conclusions"] * (len(met) > _MOST)
    left = len(rows) - len(met)
    rest += [f"{left} {'pairs' if left > 1 else 'pair'} that cannot be compared, with the reasons,"] * (left > 0)
    more = f"<p>{' and '.join(rest).rstrip(',')} stand below.</p>" if rest else ""
    return Html(f"<ul>{''.join(lines)}</ul>{more}" if lines else f"<p>{UNRANKED}.</p>{more}")


def _of(row: dict[Any, Any]) -> str:
    """What was compared with what."""
    load = "load unknown" if row["load"] == "unknown" else shortened(row["load"], 30, tail=False)
    return f"{row['arm']} against {row['against']}, {row['quantity']}, {load}"


def shown(found: Comparison | str) -> Html:
    """Return a comparison as HTML."""
    if isinstance(found, str):
        return verdict(found)
    rows = found.outcomes.to_dict("records")
    met = [row for row in rows if row["outcome"] != NOT_COMPARABLE]
    alone = [row for row in rows if row["outcome"] == NOT_COMPARABLE]
    parts = [STYLE, *(_pair(found, row) for row in met)]
    if alone:
        cells = [
            [f"{row['arm']} against {row['against']}", row["quantity"], row["runs"], row["why"].removeprefix(_REFUSED)]
            for row in alone
        ]
        heading = "Not comparable" if met else UNRANKED
        parts.append(f"<h4>{heading}</h4>{_table([['', 'quantity', 'runs', 'why'], *cells], words=(0, 1, 2, 3))}")
    if found.experiment:
        lines = html.escape("\n".join(found.experiment))
        parts.append(
            f"<details><summary>The experiment that would make them comparable</summary><pre>{lines}</pre></details>"
        )
    tables = [(name, getattr(found, name)) for name in ("outcomes", "verdicts", "spread", "effects")]
    return Html(
        "".join(parts) + f"<p>{CYCLES if met else ''} {STANDING}</p>",
        [(name, table) for name, table in tables if len(table)],
    )


def _pair(found: Comparison, row: dict[Any, Any]) -> str:
    """One set of repeats against the reference's: the verdict, the spread between runs, the effects, the conclusion."""
    load = "load unknown" if row["load"] == "unknown" else shortened(row["load"], _LONGEST, tail=False)
    title = f"{row['arm']} against {row['against']}: {row['quantity']} [{row['unit']}], {load}"
    verdicts = of_pair(found.verdicts, row)
    said = html.escape(" ".join(f"{text[0].upper()}{text[1:]}." for text in verdicts["reasons"]))
    return (
        f"<h4>{html.escape(title)}</h4><p>{said}</p>{_table(spread_cells(found, row), words=(0, -1))}"
        f"{_table(effect_cells(found, row), words=(0, -1))}"
        f"<p><b>{row['outcome'].capitalize()}</b>: {html.escape(row['why'])}.</p>"
    )


def _table(rows: list[list[str]], words: Sequence[int]) -> str:
    """Rows of cells as a table, the first of them its head."""
    heads, *body = (_cells(row, "td" if number else "th", words) for number, row in enumerate(rows))
    lines = "".join(f"<tr>{cells}</tr>" for cells in body)
    return f"<table class=rtlat><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"


def _cells(row: Sequence[str], tag: str, words: Sequence[int]) -> str:
    """A row's cells, words to the left."""
    left = [
        ""
        if place not in words and place - len(row) not in words
        else " class=w"
        if len(cell) < _LONGEST or tag == "th"
        else ' class="w l"'
        for place, cell in enumerate(row)
    ]
    return "".join(f"<{tag}{side}>{html.escape(cell)}</{tag}>" for side, cell in zip(left, row, strict=True))
