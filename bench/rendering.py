"""The scoreboard as text, as a Markdown table and as a picture."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from bench.scoreboard import Row

COLOURS = {"met": "#2a7f62", "missed": "#c0392b", "": "#8a8f98"}
_HEAD = """# The scoreboard

Made by `python -m bench --md bench/scoreboard.md`. Ratios, lower is better: CPU time of rtlat over that of a peer or a
limit, medians of three or five runs each, alternately, in fresh processes pinned to one processor; exponents are those
of fitted powers. Why goals are missed stands in [profile.md](profile.md).

| row | what is compared | ratio | goal | |
|---|---|---|---|---|
"""


def line(row: Row) -> str:
    """One row for the terminal."""
    goal = "" if row.goal is None else f"(goal {row.goal:g}: {row.verdict})"
    return f"{row.name:20} {row.ratio:9.3g}  {goal:20} {row.what}; {row.detail}"


def table(rows: Sequence[Row]) -> str:
    """All rows as Markdown: ratios only, since figures are those of a machine."""
    cells = ((row.name, row.what, f"{row.ratio:.3g}", f"{row.goal:g}" if row.goal else "", row.verdict) for row in rows)
    return _HEAD + "".join(f"| {' | '.join(row)} |\n" for row in cells)


def picture(rows: Sequence[Row]) -> str:
    """Each ratio over its goal, on a logarithmic axis: what ends left of the line meets it."""
    judged = [row for row in rows if row.goal]
    height, left, decade = 22, 190, 130
    parts = []
    for place, row in enumerate(judged):
        share = math.log10(min(max(row.ratio / (row.goal or 1), 1e-2), 1e2))
        x, y = left + 2 * decade, 30 + place * height
        begin, width = x + min(share, 0) * decade, max(abs(share) * decade, 1)
        parts.append(f'<text x="{left - 8}" y="{y + 11}" text-anchor="end">{html.escape(row.name)}</text>')
        parts.append(f'<rect x="{begin:.1f}" y="{y}" width="{width:.1f}" height="14" fill="{COLOURS[row.verdict]}"/>')
        parts.append(f'<text x="{left + 4 * decade + 8}" y="{y + 11}">{row.ratio:.3g} of {row.goal:g}</text>')
    end = 30 + len(judged) * height
    for power in range(-2, 3):
        x = left + (power + 2) * decade
        colour = "#222" if power == 0 else "#ccc"
        parts.append(f'<path d="M{x} 22V{end}" stroke="{colour}"/>')
        parts.append(f'<text x="{x}" y="16" text-anchor="middle">{10.0**power:g} x goal</text>')
    size = f'width="{left + 4 * decade + 130}" height="{end + 10}" style="background:#fff"'
    style = "text{font:12px sans-serif;fill:#222}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style>{"".join(parts)}</svg>\n'
