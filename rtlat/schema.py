"""The one schema: the columns of records, runs and series, their units, and `validate()`.

Every row of ``records`` is one statement a log makes: *n observations of one series lie between low and
high*. ``runs`` has a row per run, ``series`` a row per run and series. Nothing here reads a log.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from rtlat.errors import SchemaError

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("sample", "bin", "window", "summary", "quantile")
"""What a row is, finest first: a sample, a histogram bin, a period's min/avg/max, the run's, a printed percentile."""

OF = ("all", "min", "max", "over", "part")
"""Which observations a row is about: all; one extreme per window; only those over a threshold; a part."""

QUANTITIES = {
    "irq": "interrupt raised to its handler",
    "thread": "wake-up latency: timer expiry to the woken thread",
    "user": "interrupt or timer to the return to user mode",
    "round_trip": "output written to the answering interrupt's waiter resumed",
    "deviation": "deviation of a cyclic task from its timeline",
    "period_jitter": "time between consecutive wake-ups minus the period",
    "noise": "time stolen from a busy loop",
    "switch": "context switch time",
    "step": "one step of a kernel function trace",
    "unknown": "not stated",
}
"""What was measured. Never pooled or ranked across."""

UNITS = ("ns", "cycles", "unknown")
"""The unit of low, high, avg and std: nanoseconds, CPU cycles while no clock rate is known, or unknown."""

ENDED = ("complete", "interrupted", "stopped at threshold", "cut", "unknown")
"""How a run ended. ``cut``: the log stops before its tool was done."""

EVIDENCE = ("log", "printed table", "prose", "claim")
"""What a run's numbers are: a tool's log, a table in a document, figures in prose, somebody's claim."""

ROUNDING = ("exact", "truncated", "unknown")
"""How printed numbers relate to measured ones: equal, truncated towards zero to `resolution`, or not stated."""

LARGEST_COUNT = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a frame.

    Attributes
    ----------
    name, dtype, doc : str
        Name, pandas dtype and meaning, with the unit in brackets.
    card : bool
        Whether a run card or ``--set`` may fill it.
    choices : tuple of str
        Allowed values; empty means any.
    """

    name: str
    dtype: str
    doc: str
    card: bool = False
    choices: tuple[str, ...] = ()


RECORDS = (
    Column("run", "category", "key into runs"),
    Column("series", "category", "t0, cpu3 or the task's name; 'all' where the tool prints nothing finer"),
    Column("quantity", "category", "what was measured", choices=tuple(QUANTITIES)),
    Column("kind", "category", "what the row is", choices=KINDS),
    Column("of", "category", "which observations it is about", choices=OF),
    Column("low", "float64", "lower end as printed; -inf if unknown [unit]"),
    Column("high", "float64", "upper end as printed; inf if unknown; a bin is [low, high) [unit]"),
    Column("n", "Int64", "observations, given or exactly implied; NA if unknown, always NA for quantile"),
    Column("avg", "float64", "average as printed for this row's observations [unit]"),
    Column("std", "float64", "standard deviation as printed for this row's observations [unit]"),
    Column("q", "float64", "only for quantile: the fraction, 0.999 for p99.9"),
    Column("missed", "Int64", "activations the tool says it skipped in this row"),
    Column("seq", "Int64", "the tool's activation or cycle number; NA if none"),
    Column("time", "float64", "from the run's start to the start of what the row covers [s]"),
    Column("unit", "category", "unit of low, high, avg and std", choices=UNITS),
    Column("line", "int64", "first source line, 0 = none"),
)

RUNS = (
    Column("run", "str", "key: the card's name or the file's stem, with #k in files of several runs"),
    Column(
        "group", "str", "the card's group, else the folder's name: what to compare by when no approach is known", True
    ),
    Column("source", "str", "the log, relative to what was asked for"),
    Column("sha256", "str", "of the log's bytes"),
    Column("format", "str", "the format that read it"),
    Column("tool", "str", "the program that measured"),
    Column("variant", "str", "the tool's mode or table layout"),
    Column("version", "str", "the tool's version as printed, or the range its output fits", True),
    Column("approach", "str", "rtirq, PREEMPT_RT, Xenomai, stock, ...", True),
    Column("approach_basis", "str", "where approach comes from: log, card, set; empty if unknown"),
    Column("context", "str", "where the measuring code ran: user, kernel, irq", True),
    Column("kernel", "str", "kernel release and version", True),
    Column("cmdline", "str", "the kernel's command line", True),
    Column("command", "str", "the tool's command line", True),
    Column("machine", "str", "board or computer", True),
    Column("cpu", "str", "processor model", True),
    Column("cpu_mhz", "float64", "clock rate; turns cycles into ns [MHz]", True),
    Column("load", "str", "what else ran: idle, stress-ng ..., unknown if empty", True),
    Column("period", "float64", "activation period of the run [ns]", True),
    Column("duration", "float64", "how long it measured [s]", True),
    Column("duration_basis", "str", "printed, requested, derived, card"),
    Column("started", "str", "when it started, as printed", True),
    Column("nominal_n", "Int64", "observations by duration and rate; never used as n", True),
    Column("printed_unit", "str", "the unit the tool printed: us, ns, cycles", True),
    Column("resolution", "float64", "step of the printed numbers [ns, or cycles]", True),
    Column("rounding", "str", "how printed numbers relate to measured ones", True, ROUNDING),
    Column("bin_edges", "str", "given, inferred, assumed, or samples (equal samples counted together)"),
    Column("unit_basis", "str", "printed, documented, card or assumed"),
    Column("folded", "boolean", "whether negative values were folded to their absolute value"),
    Column("threshold", "float64", "limit the tool watched: break or detection threshold [ns, or cycles]"),
    Column("window", "float64", "length of a window row [s]"),
    Column(
        "overflow_policy",
        "str",
        "what the tool does beyond its last bin: counted apart, clamped into last bin, dropped",
    ),
    Column("overrun_policy", "str", "what the tool does with late activations"),
    Column("ended", "str", "how the run ended", choices=ENDED),
    Column("evidence", "str", "what the numbers are", True, EVIDENCE),
    Column("note", "str", "what a reader of the comparison must know", True),
    Column("licence", "str", "of the log", True),
    Column("ignored", "Int64", "lines that are no data"),
    Column("rejected", "Int64", "lines that should be data and are not"),
    Column("ignored_lines", "str", "JSON: reason -> [count, first line]"),
    Column("rejected_lines", "str", "JSON: reason -> [count, first line]"),
    Column("warnings", "str", "JSON: list of sentences"),
)

SERIES = (
    Column("run", "str", "key into runs"),
    Column("series", "str", "as in records"),
    Column("cpu", "Int64", "the processor it ran on"),
    Column("period", "float64", "its own activation period [ns]"),
    Column("priority", "Int64", "real-time priority"),
    Column("policy", "str", "scheduling policy"),
    Column("n", "Int64", "observations the tool states for it"),
    Column("ended", "str", "how it ended, if not as its run", choices=("", *ENDED)),
)

CARD_KEYS = {column.name: column for column in RUNS if column.card}
"""The columns of runs that a card or ``--set`` may fill (a card may also set ``name`` and ``quantity``)."""

_NS = {"ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_MINUTES = {"min": 60, "h": 3_600, "d": 86_400, "day": 86_400}


def to_ns(text: str, unit: str) -> float:
    """Return a printed number as nanoseconds, exactly rounded once.

    ``4.35 * 1000`` is not 4350 in binary; going through Decimal makes 4.35 us the float 4350.0, so that
    dividing by 1000 prints 4.35 again.

    Parameters
    ----------
    text : str
        A decimal number as printed.
    unit : str
        ns, us, ms, s or cycles (cycles are returned unchanged).

    Returns
    -------
    float
        [ns, or cycles]

    Raises
    ------
    ValueError
        If `text` is no finite decimal number.

    Examples
    --------
    >>> to_ns("8.2", "us"), to_ns("-1.5", "ms"), to_ns("542", "cycles")
    (8200.0, -1500000.0, 542.0)
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text!r} is no number") from None
    if not number.is_finite() or abs(number.adjusted()) > 30:
        raise ValueError(f"{text!r} is no number a latency can have")
    return float(number if unit in ("cycles", "unknown") else number * _NS[unit])


def count(text: str) -> int:
    """Return a printed count, refusing what a 64-bit counter cannot hold.

    Raises
    ------
    ValueError
        If `text` is not made of digits only, or exceeds 2**63 - 1.

    Examples
    --------
    >>> count("000171")
    171
    >>> count("9223372036854775808")
    Traceback (most recent call last):
    ...
    ValueError: 9223372036854775808 is beyond 2^63 - 1, no count a tool can print
    """
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{text!r} is no count")
    if len(text.lstrip("0")) > 19 or int(text) > LARGEST_COUNT:
        raise ValueError(f"{text[:40]} is beyond 2^63 - 1, no count a tool can print")
    return int(text)


def duration_ns(text: str) -> float:
    """Return a duration with its unit, such as ``250us`` or ``1.5 h``, in nanoseconds.

    Raises
    ------
    ValueError
        If the number or the unit is missing or unknown.

    Examples
    --------
    >>> duration_ns("250us"), duration_ns("1 ms"), duration_ns("2h")
    (250000.0, 1000000.0, 7200000000000.0)
    """
    number = text.strip().rstrip("abcdefghijklmnopqrstuvwxyzµμ ")
    unit = text.strip()[len(number) :].strip()
    if unit in _MINUTES:
        return to_ns(number, "s") * _MINUTES[unit]
    if unit not in _NS:
        raise ValueError(f"{text!r} has no known unit: write it like 250us, 1ms, 10s or 2h")
    return to_ns(number, unit)


def frame(columns: tuple[Column, ...], data: dict[str, Any]) -> pd.DataFrame:
    """Build a frame with exactly `columns`, in their order and dtypes, from arrays by name.

    Missing columns become all-missing; ``Int64`` columns may come as int64 arrays in which -1 stands for
    missing (no count, cycle number or running total is negative).

    Examples
    --------
    >>> frame(SERIES, {"run": ["a"], "series": ["t0"], "n": [-1]})["n"].isna().tolist()
    [True]
    """
    import numpy as np
    import pandas as pd

    length = max((len(values) for values in data.values()), default=0)
    built: dict[str, Any] = {}
    for column in columns:
        values = data.get(column.name)
        if values is None:
            empty = {"str": "", "category": "", "float64": np.nan, "int64": 0}.get(column.dtype, pd.NA)
            values = [empty] * length
        if column.dtype == "Int64":
            array = _integers(values)
            built[column.name] = pd.arrays.IntegerArray(array, array < 0)
        elif column.dtype == "category":
            built[column.name] = values if isinstance(values, pd.Categorical) else pd.Categorical(values)
        else:
            if column.dtype == "str":
                values = ["" if value is None else str(value) for value in values]
            built[column.name] = pd.Series(values, dtype=column.dtype).array
    return pd.DataFrame(built, columns=[column.name for column in columns])


def _integers(values: Any) -> Any:
    """Int64 values as an int64 array in which -1 stands for missing."""
    import numpy as np
    import pandas as pd

    if isinstance(values, np.ndarray):
        return values.astype(np.int64)
    return np.asarray([-1 if value is None or value is pd.NA else value for value in values], np.int64)


def validate(records: pd.DataFrame, runs: pd.DataFrame, series: pd.DataFrame) -> None:
    """Check all of the schema that can be checked, and raise at the first breach.

    Checked: columns and dtypes, choices, keys, ``low <= high``, samples that are points, bins that are
    not empty and do not overlap within one (run, series, quantity, of) except over, ``n`` and ``q`` only where they
    belong, no negative counts or lines.

    Raises
    ------
    SchemaError
        Naming column, row and file:line.
    """
    for name, table, columns in (("records", records, RECORDS), ("runs", runs, RUNS), ("series", series, SERIES)):
        _check_columns(name, table, columns)
    if runs["run"].duplicated().any():
        raise SchemaError(f"runs: the key {runs.loc[runs['run'].duplicated(), 'run'].iloc[0]!r} stands twice")
    for name, table in (("records", records), ("series", series)):
        strangers = ~table["run"].astype("str").isin(runs["run"])
        _refuse(records if name == "records" else table, runs, strangers, "run", "is no key of runs")
    _check_rows(records, runs)


def _check_columns(name: str, table: pd.DataFrame, columns: tuple[Column, ...]) -> None:
    """Names, order, dtypes and choices of one frame."""
    names = [column.name for column in columns]
    if list(table.columns) != names:
        raise SchemaError(f"{name}: columns are {list(table.columns)}, expected {names}")
    for column in columns:
        dtype = str(table[column.name].dtype)
        if dtype != column.dtype:
            raise SchemaError(f"{name}: column {column.name} has dtype {dtype}, expected {column.dtype}")
        if column.choices:
            wrong = ~table[column.name].astype("str").isin([*column.choices, ""])
            if wrong.any():
                row = int(wrong.to_numpy().argmax())
                value = table[column.name].iloc[row]
                raise SchemaError(f"{name}: row {row}: {column.name} {value!r} is none of {', '.join(column.choices)}")


def _check_rows(records: pd.DataFrame, runs: pd.DataFrame) -> None:
    """The rules between the columns of records."""
    low, high, kind = records["low"], records["high"], records["kind"].astype("str")
    _refuse(records, runs, low.isna() | high.isna(), "low", "is NaN: an unknown end is -inf or inf")
    _refuse(records, runs, low > high, "low", "lies above high")
    _refuse(records, runs, (kind == "sample") & (low != high), "high", "differs from low in a sample")
    _refuse(records, runs, (kind == "bin") & (low >= high), "high", "does not lie above low in a bin")
    quantile = kind == "quantile"
    _refuse(records, runs, quantile & records["n"].notna(), "n", "is given for a quantile, which states no n")
    _refuse(records, runs, quantile != records["q"].notna(), "q", "belongs to quantile rows, and only there")
    _refuse(records, runs, quantile & ~records["q"].between(0, 1), "q", "is no fraction")
    _refuse(records, runs, records["line"] < 0, "line", "is negative")
    placed = (kind == "bin") & ~((low == -math.inf) & (high == math.inf))  # else it says nothing of where
    # of samples over a limit often only that limit is known: their bins are alike
    placed &= records["of"].astype("str") != "over"
    bins = records[placed.to_numpy()].sort_values(["run", "series", "quantity", "of", "low"])
    same = (
        bins[["run", "series", "quantity", "of"]].astype("str")
        == bins[["run", "series", "quantity", "of"]].astype("str").shift()
    ).all(axis=1)
    overlap = same & (bins["low"] < bins["high"].shift())
    _refuse(bins, runs, overlap, "low", "lies inside the bin before: an observation would count twice")


def _refuse(table: pd.DataFrame, runs: pd.DataFrame, wrong: pd.Series[bool], column: str, why: str) -> None:
    """Raise for the first row where `wrong`, naming column, row and file:line."""
    if not wrong.any():
        return
    row = table[wrong.to_numpy(dtype=bool)].iloc[0]
    source = dict(zip(runs["run"], runs["source"], strict=True)).get(str(row["run"]), "?")
    line = f":{row['line']}" if "line" in table.columns else ""
    shown = repr(row[column]) if isinstance(row[column], str) else row[column]
    raise SchemaError(f"{source}{line}: column {column}, row {row.name}: {shown} {why}")
