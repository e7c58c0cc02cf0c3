"""What a histogram of rtla states: its columns, where its bins end, and how it ended.

Neither bucket size nor number of entries is printed. The bucket size divides every label, so their greatest
common divisor is at least as wide; with few labels it may be wider. osnoise has its bins from the kernel, so
its min, avg and max are lower ends of bins; the kernel's table holds 2048 values and drops what is new after.

Private to ``rtla``.

Source: Linux ``tools/tracing/rtla/src`` (osnoise_hist.c), ``kernel/trace/tracing_map.h``
(TRACING_MAP_BITS_DEFAULT).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from rtlat.errors import LogError
from rtlat.formats._rtla_column import Column, Edges
from rtlat.formats._rtla_histogram import Cells, Histogram, Row
from rtlat.protocol import Run

_FOOTER = ("over", "count", "min", "avg", "max")
_ENOUGH = 8  # labels whose common divisor is the bucket size: all even by chance is 1 in 2^8
_KERNEL_TABLE = 2048
_LEAST_ENTRIES = 10  # rtla refuses a histogram of fewer


def finish(table: Histogram, where: str) -> Run:
    """Return the run that a histogram states.

    Raises
    ------
    LogError
        If it holds no observation that can be read.
    """
    run = table.run
    if table.bare is not None:
        _label(table, where)
    _drop_strays(table)
    edges = _edges(table)
    columns = _columns(table)
    if table.columns and not any(column.n or column.counts or column.over for column in columns):
        # 6.12 prints `over: 0`, `count: 0` whatever lies beyond, if no row holds anything
        raise LogError(where, "columns of CPUs, but no observation", "at least one row", line=table.line)
    noise = table.tool == "osnoise"
    _state_facts(table, edges, noise)
    scale = int(run.facts["resolution"]) if not noise else 1000
    for column in columns:
        run.series.setdefault(column.series, {"cpu": column.cpu} if column.cpu >= 0 else {})
    if table.columns == [] and "count" in table.footer:
        run.warnings.append("no noise above the tracer's threshold: there is nothing to count")
    sound = [column.state(run, edges, scale, noise) for column in columns]
    run.warnings.extend(_against_everyone(table, columns))
    _end(table, columns, all(sound))
    if noise:
        _require_room(table, columns)
    if not len(run.rows) and run.facts["ended"] == "cut":
        raise LogError(where, "a histogram without a readable row", "rows, over: and count:", line=table.line)
    return run


def _label(table: Histogram, where: str) -> None:
    """Find the rows below a table that --no-index left without words, by what they must add up to."""
    rows = table.bare or []
    place = next((place for place, (cells, _) in enumerate(rows) if cells[0] == "ALL"), len(rows))
    bins, named = rows[: max(0, place - 5)], rows[max(0, place - 5) : place]
    footer = dict(zip(_FOOTER, named, strict=False))
    counts = [[_whole(cell) or 0 for cell in cells] for cells, _ in [*bins, *named[:2]]]
    sums = [sum(column[:-1]) - column[-1] for column in zip(*counts, strict=True)]
    if len(named) < len(_FOOTER) or any(sums) or not any(counts[-1]):
        found = "rows without labels that do not add up"
        raise LogError(where, found, "--with-zeros and a summary with --no-index", line=table.line)
    table.footer = footer
    table.everyone = dict(zip(_FOOTER[1:], rows[place + 1 :], strict=False))
    table.run.rejected.add("row without a label", bins[0][1] if bins else table.line, len(bins))
    table.run.warnings.append(
        f"line {table.line}: the rows have no labels (--no-index) and the bucket size is not printed: only what is "
        "below them is read"
    )


def _drop_strays(table: Histogram) -> None:
    """Reject the few labels off the step of many: a damaged label must not make all bins narrower."""
    rows = table.rows
    steps = Counter(after.label - before.label for before, after in pairwise(rows))
    step = steps.most_common(1)[0][0] if steps else 1
    strays = [row for row in rows if row.label % step]
    if 0 < len(strays) <= len(rows) // 16:
        for row in strays:
            table.run.rejected.add("label off the bins", row.line)
        table.damaged = table.damaged or strays[0].line
        table.rows = [row for row in rows if not row.label % step]


def _edges(table: Histogram) -> Edges:
    """Where bins end, by the labels; by the command line if the log holds it."""
    labels = [*(row.label for row in table.rows), *table.empty]
    width = math.gcd(*labels)
    if table.tool == "osnoise":
        width = math.gcd(
            width, *(_whole(cell) or 0 for name in ("min", "max") for cell in table.footer.get(name, [[]])[0])
        )
    last = max(labels, default=0)
    asked = table.asked.bucket
    if asked and width % asked == 0:
        return Edges(asked, last, max(last + asked, asked * table.asked.entries), True)
    sure = width == 1 or (width > 0 and (bool(table.empty) or len(labels) >= _ENOUGH))
    if labels and not sure:
        return Edges(width, last, last + 1, sure)
    return Edges(width, last, last + width if labels else _LEAST_ENTRIES, sure)


def _columns(table: Histogram) -> list[Column]:
    """The columns, each with what stands below it."""
    names = table.columns
    if names is None:
        known = table.contexts or ["noise" if table.tool == "osnoise" else "unknown"]
        names = [(-1, known[place % len(known)]) for place in range(table.width)]
    return [_column(table, place, cpu, quantity) for place, (cpu, quantity) in enumerate(names)]


def _column(table: Histogram, place: int, cpu: int, quantity: str) -> Column:
    """One column."""
    rows = [Row(row.line, row.label, [row.counts[place]]) for row in table.rows if row.counts[place]]
    printed = {name: _cell(table.footer, name, place) for name in _FOOTER}
    over, n, low, average, high = (printed[name] for name in _FOOTER)
    if table.bare is not None:  # nothing tells where it begins
        over = ""
    some = bool(_whole(n))
    return Column(
        series=f"cpu{cpu}" if cpu >= 0 else f"column{place + 1}",
        quantity=quantity,
        cpu=cpu,
        labels=[row.label for row in rows],
        counts=[row.counts[0] for row in rows],
        lines=[row.line for row in rows],
        over=_whole(over),
        n=_whole(n),
        low=_whole(low) if some else None,
        high=_whole(high) if some else None,
        average=average if average != "-" else "",
        line=table.footer.get("count", ([], 0))[1],
        over_line=table.footer.get("over", ([], 0))[1],
    )


def _cell(footer: dict[str, Cells], name: str, place: int) -> str:
    """A cell of a line below the table, empty if it is not there."""
    cells = footer.get(name, ([], 0))[0]
    return cells[place] if place < len(cells) else ""


def _whole(cell: str) -> int | None:
    """A printed integer; None for anything else."""
    return int(cell) if cell.removeprefix("-").isdigit() else None


def _state_facts(table: Histogram, edges: Edges, noise: bool) -> None:
    """The columns of runs that the log states, and what it leaves open."""
    run = table.run
    unit = table.unit or ("ns" if table.asked.nanoseconds else "us")
    kinds = {quantity for _, quantity in table.columns or []}
    run.facts |= {
        "variant": "hist",
        "printed_unit": unit,
        "unit_basis": "printed" if table.unit else "assumed",
        "resolution": 1.0 if unit == "ns" else 1000.0,
        "rounding": "exact" if unit == "ns" else "truncated",
        "overflow_policy": "counted apart",
        "evidence": "log",
    }
    if noise:  # min and max are lower ends of bins
        run.facts |= {"resolution": max(edges.width, 1) * run.facts["resolution"], "rounding": "truncated"}
    if table.rows:
        run.facts["bin_edges"] = "given" if table.asked.bucket == edges.width else "inferred"
    if kinds:
        run.facts["context"] = "user" if "user" in kinds else "kernel"
    if not table.unit:
        run.warnings.append(f"the unit is not in the log: taken to be {unit}; a card's printed_unit says otherwise")
    if not table.columns and table.width:
        run.warnings.append("no header says which CPU a column is of")
    if table.rows and table.asked.bucket != edges.width:
        beyond = f", what lies beyond them at {edges.beyond} {unit} or above" if table.footer.get("over") else ""
        sure = "" if edges.sure else " at most, there are few labels"
        run.warnings.append(
            f"bucket size and entries are not printed: the labels make bins {edges.width or 'of any number of'} {unit} "
            f"wide{sure}{beyond}"
        )


def _against_everyone(table: Histogram, columns: list[Column]) -> Iterator[str]:
    """Yield what the lines after ALL: say that the columns do not."""
    if table.contexts and len(table.everyone) < len(_FOOTER) - 1:
        yield "the lines after ALL: are not all there"
    for place, quantity in enumerate(table.contexts):
        mine = [column for column in columns if column.quantity == quantity]
        for name, values, whole in (
            ("count", [column.n for column in mine], sum),
            ("min", [column.low for column in mine if column.n], min),
            ("max", [column.high for column in mine if column.n], max),
        ):
            known = [value for value in values if value is not None]
            stated = _whole(_cell(table.everyone, name, place))
            if known and len(known) == len(values) and stated is not None and whole(known) != stated:
                line = table.everyone[name][1]
                yield f"line {line}: ALL: says {quantity} {name} {stated}, the columns {whole(known)}"


def _end(table: Histogram, columns: list[Column], sound: bool) -> None:
    """Say how the run ended."""
    run = table.run
    told = [name for name in _FOOTER if name in table.footer]
    whole = sound and len(told) in (1, len(_FOOTER)) and "over" in told
    confirmed = sound and "count" in told and bool(columns)
    if not whole:
        lost = ", ".join(f"{name}:" for name in _FOOTER if name not in told)
        run.warnings.append(f"the table is not complete{f': {lost} missing' if lost else ''}")
    elif len(told) == 1 and columns:
        run.warnings.append("there is no summary (--no-summary): maxima beyond the bins are unknown")
    if table.damaged and not (table.bare is None and confirmed):
        run.warnings.append(f"the table is damaged (line {table.damaged}): observations may be missing")
        whole = False
    run.facts["ended"] = "complete" if whole else "cut"


def _require_room(table: Histogram, columns: list[Column]) -> None:
    """The kernel counts osnoise in a table of its own, and drops values when that is full."""
    values = sum(len(column.counts) + (column.over or 0) for column in columns)
    if values >= _KERNEL_TABLE:
        table.run.warnings.append(
            f"there may be {values} different values; the kernel's table for osnoise hist holds {_KERNEL_TABLE} and "
            "drops those that first come later, so the largest may be missing"
        )
