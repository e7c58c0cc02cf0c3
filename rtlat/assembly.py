"""From the runs of many logs to one Recording: keys, cards applied, units settled, each frame built once."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rtlat import cards, frames, schema
from rtlat.columns import WORDS, Chunk, Words, joined
from rtlat.errors import CardError, LogError, SelectionError, printable
from rtlat.protocol import Format, Recording, Run
from rtlat.source import Line, Source

if TYPE_CHECKING:
    import pandas as pd


@dataclass(slots=True)
class Reading:
    """One log on its way to the frames: the formats found in it, each with the line that decided if any did."""

    source: Source
    group: str
    claims: list[tuple[Format, Line | None]] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    error: LogError | None = None
    named: bool = True
    sha256: str = ""

    def __post_init__(self) -> None:
        self.group = printable(self.group)


def assemble(readings: list[Reading], chosen: list[cards.Card | None], facts: dict[str, Any]) -> Recording:
    """Build the three frames of all runs, each once from joined arrays.

    Parameters
    ----------
    readings : list of Reading
        The logs with their runs.
    chosen : list of Card or None
        The card of each log.
    facts : dict
        What the user said of all runs (``--set``).

    Raises
    ------
    CardError
        If two runs get the same name, or a unit is unknown.
    """
    rows: list[tuple[str, list[Chunk]]] = []
    runs: list[dict[str, Any]] = []
    series: list[dict[str, Any]] = []
    stems = _stems([reading.source for reading in readings])
    for reading, card, stem in zip(readings, chosen, stems, strict=True):
        for number, run in enumerate(reading.runs, 1):
            stated = card.facts(reading.source.path, number) if card and reading.source.path else {}
            key = str(facts.get("name") or stated.get("name") or stem)
            if "name" in facts or "name" not in stated:
                key += f"#{number}" if len(reading.runs) > 1 else ""
            row = _run_row(key, reading, run, stated, facts)
            chunks = _converted(run, row, run.rows.chunks())
            if quantity := {**stated, **facts}.get("quantity"):
                chunks = [(length, {**chunk, "quantity": quantity}) for length, chunk in chunks]
            rows.append((key, chunks))
            runs.append(row)
            series.extend(_series_rows(key, run, chunks))
    _require_unique([row["run"] for row in runs], [row["source"] for row in runs])
    recording = Recording(
        _records(rows),
        frames.frame(schema.RUNS, {c.name: [row.get(c.name) for row in runs] for c in schema.RUNS}),
        frames.frame(schema.SERIES, {c.name: [row.get(c.name) for row in series] for c in schema.SERIES}),
    )
    frames.validate(*recording)
    return recording


def _stems(sources: list[Source]) -> list[str]:
    """A key per log: its stem; where two logs share it, as much of the path as tells them apart."""
    # The name of an absolute path is its last part.
    paths = [Path(printable(str(source.path or source.name))) for source in sources]
    levels = [
        [path.stem for path in paths],
        [path.name for path in paths],
        [f"{path.parent.name}/{path.stem}".lstrip("/") for path in paths],
        [f"{path.parent.name}/{path.name}".lstrip("/") for path in paths],
        [f"{path.parent.parent.name}/{path.parent.name}/{path.name}".lstrip("/") for path in paths],
        [source.name for source in sources],
    ]
    together: dict[str, list[int]] = {}
    for index, stem in enumerate(levels[0]):
        together.setdefault(stem, []).append(index)
    keys = list(levels[0])
    for indices in together.values():
        level = next((lv for lv in levels if len({lv[i] for i in indices}) == len(indices)), levels[-1])
        for index in indices:
            keys[index] = level[index]
    return keys


def _require_unique(keys: list[str], sources: list[str]) -> None:
    """One key, one run."""
    for key, number in Counter(keys).items():
        if number > 1:
            logs = sorted({source for other, source in zip(keys, sources, strict=True) if other == key})
            raise CardError(f"{number} runs are called {key!r} ({', '.join(logs[:3])}); give each its own name")


def _run_row(key: str, reading: Reading, run: Run, stated: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """One row of runs: the log's facts, then what the card and ``--set`` add."""
    row: dict[str, Any] = dict(run.facts)
    for key_, answer in {**stated, **given}.items():
        if key_ in cards.EXTRA_KEYS:
            continue
        known = row.get(key_)
        if key_ in given or key_ in cards.LABELS or known is None or known == "" or key_ == "printed_unit":
            row[key_] = answer
            if key_ == "duration":
                row["duration_basis"] = "card"
        elif known != answer:
            run.warnings.append(f"the card says {key_} = {answer}, the log says {known}: the log's is used")
    if row.get("approach"):
        basis = "set" if "approach" in given else "card" if "approach" in stated else "log"
        row["approach_basis"] = basis
    row.setdefault("group", reading.group)
    row.setdefault("ended", "unknown")
    row.setdefault("evidence", "log")
    row.setdefault("rounding", "unknown")
    row.update(
        run=key,
        source=reading.source.name,
        sha256=reading.sha256,
        format=run.format,
        tool=run.tool,
        ignored=run.ignored.total,
        rejected=run.rejected.total,
        ignored_lines=json.dumps(run.ignored.reasons),
        rejected_lines=json.dumps(run.rejected.reasons),
        warnings=json.dumps(run.warnings),
    )
    return row


def _converted(run: Run, row: dict[str, Any], chunks: list[Chunk]) -> list[Chunk]:
    """Turn cycles into ns where the clock is known, and ns read under a wrong unit into right ones."""
    factor, units = 1.0, set()
    if row.get("cpu_mhz") and "cycles" in _names(chunks, "unit"):
        factor, units = 1_000.0 / row["cpu_mhz"], {"cycles"}
        row["unit_basis"] = "card"
    elif run.facts.get("printed_unit", row.get("printed_unit")) != row.get("printed_unit"):
        try:
            factor = schema.to_ns("1", row["printed_unit"]) / schema.to_ns("1", run.facts["printed_unit"])
        except KeyError:
            raise CardError(
                f"{row['source']}: printed_unit = {row['printed_unit']!r} is none of ns, us, ms, s"
            ) from None
        units = {"ns", "unknown"}
        row["unit_basis"] = "card"
    if not units:
        return chunks
    for name in ("resolution", "threshold"):
        if row.get(name) is not None and not math.isnan(row[name]):
            row[name] *= factor
    numbers, words = joined(chunks)
    unit = words["unit"].spelled()
    where = np.isin(words["unit"].codes, [words["unit"].names.index(name) for name in units & set(words["unit"].names)])
    for name in ("low", "high", "avg", "std"):
        numbers[name] = np.where(where, numbers[name] * factor, numbers[name])
    unit[where] = "ns"
    spelled = {name: column.spelled() for name, column in words.items()}
    return [(len(unit), {**numbers, **spelled, "unit": unit})]


def _names(chunks: list[Chunk], column: str) -> list[str]:
    """The words of a column, each once, in the order of the rows."""
    names: dict[str, None] = {}
    for _, chunk in chunks:
        words = chunk.get(column, WORDS[column])
        if isinstance(words, Words):
            first = np.unique(words.codes, return_index=True)[1]
            words = [words.names[code] for code in words.codes[np.sort(first)].tolist()]
        names |= dict.fromkeys([words] if isinstance(words, str) else words)
    return list(names)


def _series_rows(key: str, run: Run, chunks: list[Chunk]) -> list[dict[str, Any]]:
    """One row per series, in the order the log shows them."""
    names = dict.fromkeys([*_names(chunks, "series"), *run.series])
    return [{"run": key, "series": name, "ended": "", **run.series.get(name, {})} for name in names]


def _records(rows: list[tuple[str, list[Chunk]]]) -> pd.DataFrame:
    """One records frame from the chunks of all runs; categories by code, so that no string is compared twice."""
    import pandas as pd

    keys = [key for key, _ in rows]
    lengths = [sum(length for length, _ in chunks) for _, chunks in rows]
    numbers, words = joined([chunk for _, chunks in rows for chunk in chunks])
    words = {"run": Words(np.repeat(np.arange(len(keys)), lengths), keys), **words}
    columns = {
        name: pd.Categorical.from_codes(column.codes, categories=pd.Index(column.names, dtype="str"))
        for name, column in words.items()
    }
    return frames.frame(schema.RECORDS, numbers | columns)


def concat(recordings: Iterable[Recording]) -> Recording:
    """Join recordings into one, with their categories united: runs in their order, others sorted.

    Raises
    ------
    SelectionError
        If one run key stands for two different logs.
    """
    import pandas as pd
    from pandas.api.types import union_categoricals

    parts = list(recordings)
    runs = pd.concat([part.runs for part in parts], ignore_index=True)
    for key, logs in runs.groupby("run")["sha256"]:
        if logs.nunique() > 1:
            raise SelectionError(f"the run {key!r} stands for two different logs; name them in a run card")
    first = {key: number for number, part in reversed(list(enumerate(parts))) for key in part.runs["run"]}
    kept = [
        Recording(*(table[table["run"].astype("str").map(first) == number] for table in part))
        for number, part in enumerate(parts)
    ]
    runs = pd.concat([part.runs for part in kept], ignore_index=True)
    records = {}
    for column in schema.RECORDS:
        values = [part.records[column.name] for part in kept]
        if column.dtype == "category":
            joined = union_categoricals(values, sort_categories=True).remove_unused_categories()
            records[column.name] = pd.Series(
                joined.set_categories(runs["run"].array) if column.name == "run" else joined
            )
        else:
            records[column.name] = pd.concat(values, ignore_index=True)
    return Recording(pd.DataFrame(records), runs, pd.concat([part.series for part in kept], ignore_index=True))
