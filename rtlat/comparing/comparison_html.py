"""A comparison in a notebook: what may be compared and what follows, then each pair with its tables."""

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

if TYPE_CHECKING:
    from rtlat.comparing.comparison import Percents

_EXPERIMENT = "The experiment that would make them comparable"

_REFUSED = f"{NOT_COMPARABLE}: "

_LONGEST = 60
"""Characters of a load in a heading, and of a cell that stays on one line."""


def compared(
    recording: Recording, against: str, quantity: str, series: str, percentiles: Percents, limit: str = ""
) -> Html:
    """Return what a comparison of the approaches found, as HTML; one sentence where there is only one.

    Parameters
    ----------
    recording, against, quantity, series, percentiles, limit
        As for `rtlat.compare`.
    """
    try:
        asked: dict[str, Any] = {"quantity": quantity, "series": series, "percentiles": percentiles}
        return shown(compare(recording, against, limit=limit or None, **asked))
    except SelectionError as error:
        return Html(f"<p>Nothing is compared: {html.escape(str(error))}.</p>")


def shown(found: Comparison) -> Html:
    """Return a comparison as HTML."""
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
