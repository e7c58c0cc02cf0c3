"""What the terminal shows: the evidence of a reading, a card to fill in, a summary as text, CSV or Markdown."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from rtlat import schema
from rtlat.errors import printable

if TYPE_CHECKING:
    import pandas as pd

    from rtlat.assembly import Reading
    from rtlat.protocol import Recording

_ASKED = ("approach", "load", "kernel", "machine", "cpu", "period", "duration", "context", "command", "started", "note")
"""The card keys worth asking for when a log does not state them."""


def evidence(recording: Recording, readings: list[Reading]) -> str:
    """Return, per log: the format and the line that decided, the runs, what was kept, ignored and rejected."""
    by_source = dict(list(recording.runs.groupby("source", sort=False)))
    kept = recording.records.groupby("run", observed=True).size().to_dict()
    lines = []
    for reading in readings:
        if reading.error:
            continue
        lines.append(reading.source.name)
        for known, line in reading.claims:
            why = f"by line {line.number}: {line.text.strip()[:60]!r}" if line and line.number else "as asked for"
            why = f"by {line.text}" if line and not line.number else why
            lines.append(f"  format    {known.name}, {why}")
        for run in by_source[reading.source.name].to_dict("records"):
            lines += _run_evidence(run, kept.get(run["run"], 0))
    return "\n".join(printable(line) for line in lines)


def _run_evidence(run: dict[Any, Any], kept: int) -> list[str]:
    """The lines about one run."""
    told = [run["tool"], run["variant"], run["version"] and f"version {run['version']}", run["approach"], run["ended"]]
    lines = [f"  run       {run['run']}: {', '.join(word for word in told if word)}", f"  kept      {kept} statements"]
    for what in ("ignored", "rejected"):
        reasons = json.loads(run[f"{what}_lines"])
        listed = "; ".join(f"{reason} ({count}, from line {first})" for reason, (count, first) in reasons.items())
        lines.append(f"  {what:9} {run[what]} lines{': ' if listed else ''}{listed}")
    return lines + [f"  warning   {warning}" for warning in json.loads(run["warnings"])]


def blank_card(recording: Recording, readings: list[Reading]) -> str:
    """Return a run card (TOML) for the logs: what they state as comments, what they do not state to fill in."""
    files = {reading.source.name: reading.source.path for reading in readings}
    lines = ["# Save as runs.toml beside the logs, fill in what you know, delete the rest.", "[defaults]"]
    lines += [f'# {key} = ""  # {schema.CARD_KEYS[key].doc}' for key in ("licence", "group")]
    for source, runs in recording.runs.groupby("source", sort=False):
        path = files.get(str(source))
        for number, run in enumerate(runs.to_dict("records"), 1):
            pattern = (path.name if path else str(source)) + (f"#{number}" if len(runs) > 1 else "")
            lines += ["", f"[runs.{_toml(pattern)}]"]
            for key in _ASKED:
                stated = run[key]
                known = stated == stated and stated not in ("", None)  # NaN differs from itself
                doc = schema.CARD_KEYS[key].doc
                lines.append(f"# {key}: the log states {_toml(str(stated))}" if known else f'# {key} = ""  # {doc}')
    return "\n".join(lines)


def _toml(text: str) -> str:
    """A TOML string: JSON's escapes are a subset of TOML's."""
    return json.dumps(text, ensure_ascii=False)


def summary_text(table: pd.DataFrame, shape: str) -> str:
    """Return a summary as aligned text, ``csv`` (each value as low, high and status) or ``md``."""
    if shape == "csv":
        return _csv(table)
    heads, rows = _cells(table)
    if shape == "md":
        ruled = [heads, ["---"] * len(heads), *rows]
        return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in ruled)
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < 3 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [heads, *rows]
    )


def _cells(table: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of the table people read: the columns that fit a terminal."""
    percentiles = [name for name in table.columns if name.startswith("p") and name[1:].replace(".", "").isdigit()]
    names = ["run", "series", "quantity", "n", "unit", "min", "mean", *percentiles, "max"]
    rows = [
        [_text(row[name]) + (" (pooled)" if name == "series" and row["pooled"] else "") for name in names]
        for row in table.to_dict("records")
    ]
    return names, rows


def _text(cell: Any) -> str:
    """One cell as text; unknown is a question mark."""
    from rtlat.stats import Bounds

    if isinstance(cell, Bounds):
        return printable(cell.text())
    return "?" if cell is None or cell != cell or str(cell) == "<NA>" else printable(str(cell))


def _csv(table: pd.DataFrame) -> str:
    """Every column; results of statistics as three columns each."""
    from rtlat.stats import Bounds

    results = [name for name in table.columns if len(table) and isinstance(table[name].iloc[0], Bounds)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = []
    for name in table.columns:
        heads += [f"{name}_low", f"{name}_high", f"{name}_status"] if name in results else [name]
    writer.writerow(heads)
    for row in table.to_dict("records"):
        cells: list[Any] = []
        for name in table.columns:
            if name in results:
                cells += [_finite(row[name].low), _finite(row[name].high), row[name].status]
            else:
                cells.append("" if str(row[name]) in ("<NA>", "nan", "None") else row[name])
        writer.writerow(cells)
    return out.getvalue().rstrip("\n")


def _finite(number: float | None) -> float | str:
    """A number, or nothing where an end is open."""
    return number if number is not None and abs(number) < float("inf") else ""
