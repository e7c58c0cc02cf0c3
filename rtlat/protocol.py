"""The types at the seams: what a format gives (`Run`), what a format is (`Format`), what a user gets (`Recording`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from rtlat.rows import Rows
from rtlat.source import Source

if TYPE_CHECKING:
    import pandas as pd


class Tally:
    """Lines that are no data, counted by reason, with the first line number of each.

    Examples
    --------
    >>> tally = Tally()
    >>> tally.add("prose", 3); tally.add("prose", 4); tally.add("blank", 5)
    >>> tally.reasons, tally.total
    ({'prose': [2, 3], 'blank': [1, 5]}, 3)
    """

    def __init__(self) -> None:
        self.reasons: dict[str, list[int]] = {}

    def add(self, reason: str, line: int, count: int = 1) -> None:
        """Count `count` lines for `reason`, the first of them at `line`."""
        self.reasons.setdefault(reason, [0, line])[0] += count

    def copy(self) -> Tally:
        """Return another of the same lines."""
        copied = Tally()
        copied.merge(self)
        return copied

    def merge(self, other: Tally) -> None:
        """Count what `other` counted, too."""
        for reason, (count, line) in other.reasons.items():
            self.add(reason, line, count)

    @property
    def total(self) -> int:
        """All lines, whatever the reason."""
        return sum(count for count, _ in self.reasons.values())


@dataclass(slots=True)
class Run:
    """One run as a format found it in a log: what the log says, nothing else.

    Attributes
    ----------
    tool : str
        The program that measured, as its users call it.
    rows : Rows
        The run's statements.
    facts : dict
        Columns of ``runs`` that the log itself states (kernel, command, period [ns], resolution, ended ...).
    series : dict of dict
        Columns of ``series`` by series name.
    ignored, rejected : Tally
        Lines that are no data; lines that should be data and are not.
    warnings : list of str
        What a reader of the numbers must know; sentences, with the line number where there is one.
    quoted : bool
        Whether its lines stood behind ``>``; a quoted run that repeats another of the file is dropped.
    format : str
        The name of the format that read it; for `rtlat.reading` to set.
    """

    tool: str
    rows: Rows = field(default_factory=Rows)
    facts: dict[str, Any] = field(default_factory=dict)
    series: dict[str, dict[str, Any]] = field(default_factory=dict)
    ignored: Tally = field(default_factory=Tally)
    rejected: Tally = field(default_factory=Tally)
    warnings: list[str] = field(default_factory=list)
    quoted: bool = False
    format: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    """A line family rtlat can read.

    Attributes
    ----------
    name : str
        As in ``--format NAME``.
    title : str
        Tools and files that write it.
    gives : str
        Kinds of rows and quantities it gives.
    versions : str
        Versions of the tool that are known to print it.
    marks : tuple of Pattern
        A line of the first 64 KiB that any of them matches (``match``, on cleaned text) claims the log. None
        matches a line of only digits and blanks.
    parse : callable
        Yields the log's runs, in the order they stand in it.
    claims : callable, optional
        Whether a log that is no text is claimed, by its first 64 KiB.
    words : tuple of str
        Each line that a mark matches holds one of them: they are looked for first, which is a hundred times cheaper.
    elides : bool
        Whether the tool itself prints ``...`` for rows without an observation.
    together : callable, optional
        Returns the runs of many small logs that hold one each, as `parse` would; None for each log that is to be read
        by itself, whatever it is.
    """

    name: str
    title: str
    gives: str
    versions: str
    marks: tuple[re.Pattern[str], ...]
    parse: Callable[[Source], Iterator[Run]]
    claims: Callable[[bytes], bool] | None = None
    words: tuple[str, ...] = ("",)
    elides: bool = False
    together: Callable[[Sequence[bytes]], list[Run | None]] | None = None


class Recording(NamedTuple):
    """What was read: the one schema's three frames (see `rtlat.schema`)."""

    records: pd.DataFrame
    runs: pd.DataFrame
    series: pd.DataFrame
