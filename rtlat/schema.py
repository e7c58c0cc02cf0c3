"""The one schema: the columns of records, runs and series, and their units.

Every row of ``records`` is one statement a log makes: *n observations of one series lie between low and
high*. ``runs`` has a row per run, ``series`` a row per run and series. Nothing here reads a log.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

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
    "period_noise": "time stolen from a busy loop in one period",
    "nmi_noise": "time stolen by one NMI, without what interrupted it",
    "irq_noise": "time stolen by one interrupt, without what interrupted it",
    "softirq_noise": "time stolen by one softirq, without what interrupted it",
    "thread_noise": "time stolen by one thread, without what interrupted it",
    "hwlat": "gap in a loop that spins with interrupts off",
    "irqsoff": "interrupts off",
    "preemptoff": "preemption off",
    "preemptirqsoff": "interrupts or preemption off",
    "signal": "signal sent to its receiver resumed",
    "signal_ring": "signal handed on by every thread of a ring until it is back",
    "message": "message sent to its receiver resumed",
    "mutex": "mutex released to its waiter resumed",
    "semaphore": "semaphore posted to its waiter resumed",
    "migration": "tasks released together to each running on some CPU",
    "loop": "one pass of a loop of fixed work, the work included",
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
    Column("power_states", "str", "what the tool asked of the processor's idle states while it measured", True),
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
