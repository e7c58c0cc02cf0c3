"""Percentile tables of HdrHistogram (``outputPercentileDistribution``, ``hdr_percentiles_print``), text or CSV.

::

           Value   Percentile   TotalCount 1/(1-Percentile)

           2.845     0.100000       348248         1.11
          64.767     1.000000      3477000          inf
    #[Mean    =        4.881, StdDeviation   =        1.777]
    #[Max     =       64.736, Total count    =      3477000]
    #[Buckets =           27, SubBuckets     =         2048]

A row says how many observations are at most `Value`, which is the last value of one of the histogram's buckets.
Rows are so read as bins between the values in print, and what the table calls a percentile is not: a bucket was
reached at it. How wide a bucket is follows from the sub-buckets, if some power of ten makes every value one less
than a multiple of its bucket's width; then the edges are exact, the first bin is one bucket and the maximum lies in
the last one. `Max` is that bucket's low or high end or the maximum itself, and mean and deviation are made from the
middles of buckets, so all three are checked and not kept. No unit is printed.

Sources: HdrHistogram ``AbstractHistogram.java`` (outputPercentileDistribution), HdrHistogram_c
``hdr_histogram.c`` (hdr_percentiles_print).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from rtlat import schema
from rtlat.errors import LogError
from rtlat.protocol import Format, Run
from rtlat.source import Line, Source

_HEAD = re.compile(r'\s*"?Value"?(?:,| +)"?Percentile"?(?:,| +)"?TotalCount"?(?:,| +)"?1/\(1-Percentile\)"?\s*$')
_ROW = re.compile(
    r"\s*(?P<value>\d{1,18}(?:\.\d{1,6})?)(?:,| +)(?P<level>0\.\d{2,18}|1\.0{2,18})(?:,| +)(?P<count>\d{1,19})"
    r"(?:(?:,| +)(?P<inverse>\d{1,30}\.\d+|inf|Infinity))?\s*$",
    re.ASCII,
)
_NUMBER = r"(\d{1,18}(?:\.\d{1,12})?)"
_MEAN = re.compile(rf"\s*#\[Mean +=\s*{_NUMBER}, StdDeviation +=\s*(?:{_NUMBER}|-?nan)\]\s*$", re.ASCII)
_MAX = re.compile(rf"\s*#\[Max +=\s*{_NUMBER}, Total ?[Cc]ount +=\s*(\d{{1,19}})(?:\.0+)?\]\s*$", re.ASCII)
_BUCKETS = re.compile(r"\s*#\[Buckets +=\s*\d{1,9}, SubBuckets +=\s*(\d{1,9})\]\s*$", re.ASCII)
_HALF = Decimal("0.5")
_CENT = Decimal("0.01")
_BITS = 10  # chance passes for proof in one of a thousand tables
_MOST_ROWS = 100_000  # a table has a few for each halving of what is left above


@dataclass(frozen=True, slots=True)
class _Row:
    """Observations up to a value, and where it stands."""

    value: Decimal
    level: Decimal
    count: int
    line: int


@dataclass(slots=True)
class _Table:
    """One table on its way to a run."""

    run: Run = field(default_factory=lambda: Run("HdrHistogram"))
    rows: list[_Row] = field(default_factory=list)
    ended: bool = False
    mean: tuple[str, int] = ("", 0)
    greatest: tuple[str, int, int] = ("", -1, 0)
    sub_buckets: int = 0


def parse(source: Source) -> Iterator[Run]:
    """Yield a run for each table.

    Raises
    ------
    LogError
        If no table has an observation.

    Examples
    --------
    >>> log = b'''       Value   Percentile   TotalCount 1/(1-Percentile)
    ...
    ...        0.189     0.000000            1         1.00
    ...       16.015     0.500000          600         2.00
    ...       20.015     0.900000          900        10.00
    ...       64.767     1.000000         1000          inf
    ... #[Max     =       64.736, Total count    =         1000]
    ... #[Buckets =           27, SubBuckets     =         2048]
    ... '''
    >>> (run,) = parse(Source(None, "demo", log))
    >>> rows = run.rows.arrays()
    >>> [*zip(rows["low"].tolist(), rows["high"].tolist(), rows["n"].tolist(), rows["of"].tolist())][::2]
    [(0.188, 0.19, 1, 'all'), (16.016, 20.016, 300, 'all'), (64.736, 64.768, 1, 'max')]
    """
    table, found = _Table(), False
    for line in source.lines():
        if _HEAD.match(line.text):
            if run := _finished(table):
                found = True
                yield run
            table = _Table()
        else:
            _take(table, line)
    if run := _finished(table):
        yield run
    elif not found:
        raise LogError(source.name, "no observation", "a percentile table of HdrHistogram")


def _take(table: _Table, line: Line) -> None:
    """Add what a line says to the table."""
    run, text = table.run, line.text
    row = _ROW.match(text)
    if row and not line.whole:
        run.rejected.add("cut last line", line.number)
    elif row and len(table.rows) == _MOST_ROWS:
        run.rejected.add("more rows than a percentile table has", line.number)
    elif row and not table.ended:
        _add(table, row, line.number)
    elif mean := _MEAN.match(text):
        table.mean, table.ended = (mean[1], line.number), True
    elif greatest := _MAX.match(text):
        table.greatest, table.ended = (greatest[1], int(greatest[2]), line.number), True
    elif buckets := _BUCKETS.match(text):
        table.sub_buckets, table.ended = int(buckets[1]), True
    elif text.strip() and (text.lstrip().startswith("#[") or (table.rows and not table.ended)):
        run.rejected.add("no row of a percentile table" if line.whole else "cut last line", line.number)
    elif text.strip():
        run.ignored.add("text around the table", line.number)


def _add(table: _Table, found: re.Match[str], number: int) -> None:
    """Keep a row that agrees with itself and with the one before."""
    row = _Row(Decimal(found["value"]), Decimal(found["level"]), int(found["count"]), number)
    before = table.rows[-1] if table.rows else _Row(Decimal(0), Decimal(0), 0, 0)
    rest, inverse = 1 - row.level, found["inverse"] or "inf"  # the last row has inf, or nothing at all
    least = 1 / (rest + _digit(row.level)) - _CENT
    most = 1 / (rest - _digit(row.level)) + _CENT if rest > _digit(row.level) else Decimal("inf")
    agrees = most == Decimal("inf") if inverse[0] in "iI" else least <= Decimal(inverse) <= most
    if not agrees:
        table.run.rejected.add("a row whose percentiles contradict each other", number)
    elif row.value < before.value or row.count < before.count or row.level < before.level:
        table.run.rejected.add("a row that is less than the one before", number)
    elif row.count > schema.LARGEST_COUNT or len(row.value.as_tuple().digits) > 15:
        table.run.rejected.add("a number too large to be one", number)
    else:
        table.rows.append(row)


def _finished(table: _Table) -> Run | None:
    """The run of a table, None if it has no observation."""
    run, rows = table.run, table.rows
    if not rows or not rows[-1].count:
        return None
    total = table.greatest[1] if table.greatest[1] >= 0 else rows[-1].count
    whole = rows[-1].level == 1 and rows[-1].count == total
    if rows[-1].count != total:
        where = f"line {table.greatest[2]}"
        run.warnings.append(f"{where}: total count is {total}, the table ends at {rows[-1].count} observations")
    for row in rows:
        if row.count + 1 < (row.level - _digit(row.level)) * total:
            run.warnings.append(f"line {row.line}: {row.count} of {total} observations do not reach {row.level}")
            whole = False
            break
    run.facts = {
        "variant": "percentile table",
        "printed_unit": "unknown",
        "rounding": "unknown",
        "bin_edges": "given",
        "ended": "complete" if whole else "cut",
        "evidence": "log",
    }
    if run.rejected.total:
        first = min(number for _, number in run.rejected.reasons.values())
        run.warnings.append(f"{run.rejected.total} lines of the table could not be read (the first is line {first})")
    _state(table, whole)
    run.warnings.append("no unit is printed; printed_unit in a run card says which")
    return run


def _state(table: _Table, whole: bool) -> None:
    """Add the bins, and check the footer against them."""
    run, rows = table.run, table.rows
    digit = min(_digit(row.value) for row in rows)
    digits = len(str(int(1 / digit))) - 1
    sub_buckets = table.sub_buckets or 1 << (2 * 10**digits - 1).bit_length()
    unit = _unit(rows, digits, sub_buckets)
    if unit:
        edges = [row.value + unit for row in rows]
        smallest = min(int(edge / unit) & -int(edge / unit) for edge in edges)  # no bucket is wider than divides all
        widths = [max(smallest, _width(int(row.value / unit), sub_buckets)) * unit for row in (rows[0], rows[-1])]
    else:
        edges = [row.value + _HALF * digit for row in rows]
        widths = [edges[0], edges[-1]]
        run.facts["bin_edges"] = "assumed"
        run.warnings.append("the values in print are rounded: each edge of a bin is good to one in its last digit")
    low = edges[0] - widths[0] if rows[0].level == 0 else Decimal(0)
    steps: dict[Decimal, _Row] = {}
    for row, edge in zip(rows, edges, strict=True):
        if edge not in steps or row.count > steps[edge].count:  # of values that are printed alike, the last counts all
            steps[edge] = row
    count, least, most = 0, Decimal(0), Decimal(0)
    for edge, row in steps.items():
        if n := row.count - count:
            run.rows.add("all", "unknown", "bin", float(low), float(edge), n=n, unit="unknown", line=row.line)
            least, most = least + low * n, most + edge * n
            low, count = edge, row.count
    last = edges[-1] - widths[-1], edges[-1]
    if whole and unit:
        ends = float(last[0]), float(last[1])
        run.rows.add("all", "unknown", "bin", *ends, n=1, of="max", unit="unknown", line=rows[-1].line)
    if whole:
        _check(table, last, (least / count, most / count))


def _unit(rows: list[_Row], digits: int, sub_buckets: int) -> Decimal | None:
    """The largest power of ten of which all values are whole numbers that close a bucket, None if none surely is."""
    printed = {row.value for row in rows}
    for power in range(digits + 1):
        values = [value.scaleb(power) for value in printed]
        widths = [_width(int(value), sub_buckets) for value in values]
        if all(
            value == int(value) and (int(value) + 1) % width == 0 for value, width in zip(values, widths, strict=True)
        ):
            zeros = 3 * (digits - power) * len(values)  # a decimal that is zero tells 3 bits
            return (
                Decimal(1).scaleb(-power) if zeros + sum(map(int.bit_length, widths)) - len(widths) >= _BITS else None
            )
    return None


def _width(value: int, sub_buckets: int) -> int:
    """The width of the bucket that holds a value, in a histogram that tells ones apart.

    Examples
    --------
    >>> [_width(value, 2048) for value in (0, 2047, 2048, 4095, 4096, 64767)]
    [1, 1, 2, 2, 4, 32]
    """
    return 1 << max(0, value.bit_length() - sub_buckets.bit_length() + 1)


def _check(table: _Table, last: tuple[Decimal, Decimal], mean: tuple[Decimal, Decimal]) -> None:
    """Warn where the footer contradicts the rows."""
    where = table.greatest[2]
    if where and not last[0] - _digit(maximum := Decimal(table.greatest[0])) <= maximum <= last[1]:
        table.run.warnings.append(f"line {where}: the maximum is {maximum}, the last row {table.rows[-1].value}")
    where = table.mean[1]
    if where and not mean[0] - _digit(average := Decimal(table.mean[0])) <= average <= mean[1] + _digit(average):
        table.run.warnings.append(f"line {where}: the mean is {average}, the rows allow {mean[0]:.3f} to {mean[1]:.3f}")


def _digit(number: Decimal) -> Decimal:
    """What the last digit of a printed number counts.

    Examples
    --------
    >>> _digit(Decimal("0.000")), _digit(Decimal("12"))
    (Decimal('0.001'), Decimal('1'))
    """
    return Decimal(1).scaleb(int(number.as_tuple().exponent))


FORMAT = Format(
    name="hdr_percentiles",
    title="HdrHistogram's percentile table: Value, Percentile, TotalCount, 1/(1-Percentile)",
    gives="bins between the printed values, and where the maximum lies",
    versions="HdrHistogram of Java, C and others; wrk2",
    words=("TotalCount",),
    marks=(_HEAD,),
    parse=parse,
)
