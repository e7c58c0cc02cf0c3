"""What the terminal shows: the evidence of a reading, a card to fill in, a summary as text, CSV or Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rtlat import schema
from rtlat.display import plain
from rtlat.errors import printable

if TYPE_CHECKING:
    import pandas as pd

    from rtlat.assembly import Reading
    from rtlat.protocol import Recording
    from rtlat.source import Line

_ASKED = ("approach", "load", "kernel", "machine", "cpu", "period", "duration", "context", "command", "started", "note")
"""The card keys worth asking for when a log does not state them."""


def account(recording: Recording, readings: list[Reading]) -> list[dict[str, Any]]:
    """Return what became of each log: its formats and the lines that decided, its runs, or its error.

    Logs that are not among `readings` were read before: a report or a store has kept what was in them.

    Of each run: what it is, what was kept of it by kind and quantity and from which lines, what was ignored and
    rejected by reason with how many lines and the first, and every warning.
    """
    by_source = dict(list(recording.runs.groupby("source", sort=False)))
    by_run = dict(list(recording.records.groupby("run", observed=True)))
    told: list[dict[str, Any]] = []
    for reading in readings:
        if reading.error:
            told.append({"source": reading.source.name, "error": str(reading.error)})
            continue
        formats = [{"format": known.name, **_decided(line)} for known, line in reading.claims]
        runs = _run_accounts(by_source[reading.source.name], by_run)
        indent = {"indented_by": reading.source.margin} if reading.source.margin else {}
        told.append({"source": reading.source.name, "formats": formats, **indent, "runs": runs})
    fresh = {reading.source.name for reading in readings}
    for source, rows in by_source.items():
        if source not in fresh:
            formats = [{"format": name, "why": "read before"} for name in rows["format"].unique()]
            told.append({"source": source, "formats": formats, "runs": _run_accounts(rows, by_run)})
    return told


def _run_accounts(runs: pd.DataFrame, records: Mapping[Any, pd.DataFrame]) -> list[dict[str, Any]]:
    """The accounts of the runs of one log."""
    return [_run_account(run, records.get(run["run"])) for run in runs.to_dict("records")]


def _decided(line: Line | None) -> dict[str, Any]:
    """Why a format was taken: a line, or what else said so."""
    if line is None:
        return {"why": "as asked for"}
    return {"line": line.number, "text": line.text.strip()[:60]} if line.number else {"why": f"by {line.text}"}


def _run_account(run: dict[Any, Any], records: pd.DataFrame | None) -> dict[str, Any]:
    """One run's account."""
    words = {name: run[name] for name in ("run", "tool", "variant", "version", "approach", "ended") if run[name]}
    kept = []
    if records is not None:
        for (kind, quantity), rows in records.groupby(["kind", "quantity"], observed=True, sort=False):
            lines = [int(rows["line"].min()), int(rows["line"].max())]
            series = rows["series"].astype("str").unique().tolist()
            kept.append({"kind": kind, "quantity": quantity, "statements": len(rows), "series": series, "lines": lines})
    told = {name: json.loads(run[f"{name}_lines"]) for name in ("ignored", "rejected")}
    return {**words, "kept": kept, **told, "warnings": json.loads(run["warnings"])}


def evidence(recording: Recording, readings: list[Reading], as_json: bool = False) -> str:
    """Return, per log: the format and the line that decided, the runs, what was kept, ignored and rejected."""
    logs = account(recording, readings)
    if as_json:
        return json.dumps({"schema": 1, "logs": logs}, indent=1, allow_nan=False)
    lines = []
    for log in logs:
        if "error" in log:
            continue
        lines.append(log["source"])
        for found in log["formats"]:
            why = found.get("why") or f"by line {found['line']}: {found['text']!r}"
            lines.append(f"  format    {found['format']}, {why}")
        if "indented_by" in log:
            lines.append(f"  indented  by {log['indented_by']}")
        for run in log["runs"]:
            lines += _run_lines(run)
    return "\n".join(printable(line) for line in lines)


def _run_lines(run: dict[str, Any]) -> list[str]:
    """The lines about one run."""
    version = f"version {run['version']}" if "version" in run else ""
    told = [run["tool"], run.get("variant"), version, run.get("approach"), run["ended"]]
    lines = [f"  run       {run['run']}: {', '.join(word for word in told if word)}"]
    kept = [_kept(part) for part in run["kept"]]
    total = sum(part["statements"] for part in run["kept"])
    lines.append(f"  kept      {total} statements{': ' if kept else ''}{'; '.join(kept)}")
    for what in ("ignored", "rejected"):
        listed = [f"{reason} ({count}, from line {first})" for reason, (count, first) in run[what].items()]
        total = sum(count for count, _ in run[what].values())
        lines.append(f"  {what:9} {total} lines{': ' if listed else ''}{'; '.join(listed)}")
    return lines + [f"  warning   {warning}" for warning in run["warnings"]]


def _kept(part: dict[str, Any]) -> str:
    """What was kept of one kind and quantity."""
    first, last = part["lines"]
    names, more = part["series"][:4], len(part["series"]) - 4
    series = ", ".join(names) + (f" and {more} more" if more > 0 else "")
    place = f"line {first}" if first == last else f"lines {first} to {last}"
    many = "summaries" if part["kind"] == "summary" else f"{part['kind']}s"
    kind = part["kind"] if part["statements"] == 1 else many
    return f"{part['statements']} {kind} of {part['quantity']} ({series}; {place})"


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
        told = plain.table(table)
        return plain.csv_of(told["columns"], told["rows"]).rstrip("\n")
    heads, rows = _cells(table)
    if shape == "md":
        ruled = [heads, ["---"] * len(heads), *rows]
        return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in ruled)
    return "\n".join(aligned(heads, rows, 3))


def aligned(heads: list[str], rows: list[list[str]], words: int) -> list[str]:
    """Return lines of columns below their heads, the first `words` of them to the left and numbers to the right.

    Examples
    --------
    >>> aligned(["run", "n"], [["a", "60000"]], 1)
    ['run      n', 'a    60000']
    """
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    return [
        "  ".join(
            cell.ljust(width) if i < words else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [heads, *rows]
    ]


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
    from rtlat.statistics.stats import Bounds

    if isinstance(cell, Bounds):
        return printable(cell.text())
    return "?" if cell is None or cell != cell or str(cell) == "<NA>" else printable(str(cell))
