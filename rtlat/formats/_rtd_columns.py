"""Whose table it is: the columns that an RTH line names, for nothing else tells the tables of six tools apart.

::

    RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst
    RTH|    lat min|    ovl min|    lat avg|    lat max|    ovl max|   overruns

The first is in microseconds, the second in nanoseconds, and its columns stand in another order.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

LATENCY_TABLES = {
    ("lat min", "lat avg", "lat max", "overrun", "lat best", "lat worst"): "6 columns",
    ("lat min", "lat avg", "lat max", "overrun", "msw", "lat best", "lat worst"): "7 columns",
}
"""The tables of Xenomai's ``latency`` and EVL's ``latmus``; the words of their RTT line tell them apart."""

RTAI_TABLES = {
    ("lat min", "ovl min", "lat avg", "lat max", "ovl max", "overruns"): "latency",
    ("lat min", "lat avg", "lat max", "jit fast", "jit slow"): "preempt",
}
"""The tables of RTAI's testsuite."""

MAKERTAI = ("general", "description")
"""What the two heads of makertaikernel.sh's own table begin with."""

FOREIGN = {
    ("cpu", "ctx switches", "total"): "Xenomai switchtest or EVL hectic",
    ("ctx switches", "total"): "Xenomai switchtest",
    ("lat min", "lat avg", "lat max", "lost"): "Xenomai switchbench",
    ("lat min", "lat avg", "lat max", "overrun", "errors", "lat best", "lat worst"): "Xenomai smokey",
    ("lat min", "lat avg", "lat max", "ovl max", "overruns", "freq.cntr"): "RTAI latency without ovl min",
}
"""The tables that are known and not read."""


@lru_cache(maxsize=64)
def columns(text: str) -> tuple[str, ...]:
    """Return the columns that an RTH line names.

    Examples
    --------
    >>> columns("RTH|---------cpu|ctx switches|-------total")
    ('cpu', 'ctx switches', 'total')
    """
    return tuple(name.strip("- ") for name in text.split("|")[1:])


def are_damaged(names: tuple[str, ...], tables: Iterable[tuple[str, ...]], enough: int) -> bool:
    """Whether columns are those of no known table, but share `enough` names with one of `tables`."""
    known = names in LATENCY_TABLES or names in RTAI_TABLES or names in FOREIGN
    return not known and any(len(set(table).intersection(names)) >= enough for table in tables)
