"""Tables as escaped HTML, and what runs have in common."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rtlat.display import plain
from rtlat.display.look import shortened, stated, titled
from rtlat.display.tables import context_differences, context_shared
from rtlat.statistics.results import STATUSES, Bounds

if TYPE_CHECKING:
    import pandas as pd

_TOO_FEW = "n is too small for this percentile: with 95 % confidence nothing observed bounds it from both sides"

STYLE = (
    "<style>table.rtlat{font-size:.8em}"
    "table.rtlat td,table.rtlat th{text-align:right;white-space:nowrap;padding:.3em .5em}"
    "table.rtlat .w{text-align:left}table.rtlat .l{white-space:normal;min-width:12em;overflow-wrap:anywhere}"
    "table.rtlat tbody th{padding-top:1.2em;font-weight:600}table.rtlat .u,ol.rtlat{color:#57606a}"
    "ol.rtlat{font-size:.8em}</style>"
)
"""Text left, numbers right, what is unsure in grey."""

TABLES = "application/vnd.rtlat.tables+json"
"""The MIME type of the tables that an output of a notebook shows: a list of name, columns and rows."""

_LONGEST = 34
"""Characters of a name or a load in a table of numbers."""


class Html(str):
    """HTML that a notebook shows as such, with the tables in it as plain values.

    Parameters
    ----------
    text : str
        The HTML.
    tables : sequence of (str, DataFrame), optional
        The tables by name; the name is empty for one that goes by the heading above it.
    """

    tables: tuple[tuple[str, pd.DataFrame], ...]

    def __new__(cls, text: str, tables: Sequence[tuple[str, pd.DataFrame]] = ()) -> Html:
        """Keep the tables beside the text."""
        made = super().__new__(cls, text)
        made.tables = tuple(tables)
        return made

    def _repr_html_(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        tables = [{"name": name, **plain.table(table)} for name, table in self.tables]
        return {TABLES: tables} if tables else {}

    def __repr__(self) -> str:
        return f"{len(self)} characters of HTML"


def joined(parts: Sequence[str]) -> Html:
    """Return pieces of HTML after each other, with the tables in them."""
    return Html("".join(parts), [table for part in parts if isinstance(part, Html) for table in part.tables])


def shown(table: pd.DataFrame, empty: str = "Nothing.") -> Html:
    """Return a table as HTML: escaped, with a heading per quantity and unit, and footnotes for what is refused.

    Parameters
    ----------
    table : DataFrame
        Cells are text, counts or results. Columns ``quantity`` and ``unit`` become headings, if both are there.
    empty : str
        Shown instead of a table without rows.
    """
    if table.empty:
        return Html(f"<p>{html.escape(empty)}</p>")
    grouped = {"quantity", "unit"} <= set(table.columns)
    names = [name for name in table.columns if not grouped or name not in ("quantity", "unit")]
    words = {name for name in names if isinstance(table[name].iloc[0], str)}
    numbers = len(words) < len(names)
    notes: dict[str, int] = {}
    body, heading = [], ""
    for row in table.to_dict("records"):
        if grouped and titled(row["quantity"], row["unit"]) != heading:
            heading = titled(row["quantity"], row["unit"])
            body.append(f'<tr><th class="w" colspan="{len(names)}">{html.escape(heading)}</th></tr>')
        cells = (_cell(row[name], name in words, _LONGEST if numbers else 0, notes) for name in names)
        body.append(f"<tr>{''.join(cells)}</tr>")
    head = "".join(f"<th{' class=w' * (name in words)}>{html.escape(name)}</th>" for name in names)
    foot = "".join(f"<li>{html.escape(note)}</li>" for note in notes)
    text = f"{STYLE}<table class=rtlat><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    return Html(text + (f"<ol class=rtlat>{foot}</ol>" if foot else ""), [("", table)])


def _cell(value: Any, is_words: bool, longest: int, notes: dict[str, int]) -> str:
    """One cell; a refusal and a percentile that n does not support get a footnote."""
    if isinstance(value, Bounds):
        return _result(value, notes)
    text = f"{value:,}" if isinstance(value, int) else stated(value) or "unknown"
    classes = " ".join(["w"] * is_words + ["l"] * (len(text) > _LONGEST and not longest) + ["u"] * (text == "unknown"))
    title = f' title="{html.escape(text)}"' if longest and len(text) > longest else ""
    text = shortened(text, longest) if longest else text
    return f"<td{f' class={chr(34)}{classes}{chr(34)}' if classes else ''}{title}>{html.escape(text)}</td>"


def _result(value: Bounds, notes: dict[str, int]) -> str:
    """The cell of a result: at most four digits behind each other, all of them when pointed at."""
    note = value.reason if value.status == "refused" else _TOO_FEW if value.supported is False else None
    mark = f"<sup>{notes.setdefault(note, len(notes) + 1)}</sup>" if note else ""
    told = [value.text(), STATUSES[value.status], f"rank {value.rank:,}" if value.rank else ""]
    title = html.escape("; ".join(filter(None, told)))
    # the greatest value has a column of its own
    lower = replace(value, worst=None, high=math.inf) if value.worst is not None else value
    text = html.escape(_wider(lower).text())
    return f'<td{" class=u" if note else ""} title="{title}">{text}{mark}</td>'


def _wider(value: Bounds) -> Bounds:
    """The same bounds with fewer digits, never narrower.

    Examples
    --------
    >>> _wider(Bounds(0.271507, 1158.18, "ok")).text(), _wider(Bounds(542, 113893, "ok")).text()
    ('0.2715-1159', '542-113893')
    """
    low, high = ((math.floor, value.low), (math.ceil, value.high))
    ends = []
    for toward, end in (low, high):
        digits = 3 - math.floor(math.log10(abs(end))) if end and math.isfinite(end) else 0
        scale = 10 ** max(0, digits)
        near = round(end * scale) / scale if math.isfinite(end) else end
        ends.append(end if math.isclose(near, end, rel_tol=1e-12) else toward(end * scale) / scale)
    return replace(value, low=ends[0], high=ends[1])


def context(rows: pd.DataFrame, runs: pd.DataFrame) -> Html:
    """Return what differs between the runs of each quantity, and what they share, as HTML.

    Parameters
    ----------
    rows : DataFrame
        As `rtlat.display.tables.chosen` gives them.
    runs : DataFrame
        As in `rtlat.schema.RUNS`.
    """
    parts: list[str] = []
    for quantity, group in rows.groupby("quantity", sort=False):
        used = runs[runs["run"].isin(group["run"])]
        same = context_shared(used)
        shared = "; ".join(f"{what}: {value}" for what, value in zip(same["what"], same["value"], strict=True))
        count = "1 run" if len(used) == 1 else f"{len(used)} runs"
        parts.append(f"<p><b>{quantity}</b>, {count}. {'In common: ' * (len(used) > 1)}{html.escape(shared)}.</p>")
        if len(used) > 1:
            parts.append(shown(context_differences(used), "Nothing that the logs or run cards state differs."))
    return joined(parts)
