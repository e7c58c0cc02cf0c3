"""A folder of logs, read once: what could be read and what not, and what each series tells."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rtlat.assembly import Reading
from rtlat.display.tables import listed
from rtlat.errors import UsageError
from rtlat.exploring.pools import Pools
from rtlat.protocol import Recording
from rtlat.reading import read_all
from rtlat.selection import shown_unit
from rtlat.timeline.course import Told, told

MOST_FOLDERS = 500
"""Folders that are offered; with more, a deeper one is a better place to begin."""


def folders(data: Sequence[str]) -> list[str]:
    """Return each path of `data`, and all folders below it that hold files.

    Examples
    --------
    >>> folders(["data/emulated-kernels"])[:2]
    ['data/emulated-kernels', 'data/emulated-kernels/preempt_rt']
    """
    found = []
    for path in data:
        found.append(path)
        for place, below, files in os.walk(path):
            below[:] = sorted(name for name in below if not name.startswith("."))
            if files and place != path:
                found.append(place)
            if len(found) >= MOST_FOLDERS:
                break
    return list(dict.fromkeys(found))


@dataclass(frozen=True, eq=False)
class Folder:
    """What was read of a folder.

    Attributes
    ----------
    path : str
        As it was chosen.
    card : str
        A run card instead of those beside the logs; empty if none was given.
    facts : tuple of str
        Card keys for all runs, as ``KEY=VALUE``.
    recording : Recording
        All that could be read.
    readings : list of Reading
        One for each log.
    kept : dict
        What took long to find out about it.
    """

    path: str
    card: str
    facts: tuple[str, ...]
    recording: Recording
    readings: list[Reading]
    kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def tolds(self) -> list[Told]:
        """What each series tells, without claims: nobody measured these."""
        claims = set(self.recording.runs["run"][self.recording.runs["evidence"] == "claim"])
        return [entry for entry in told(self.recording) if entry.group.run not in claims]

    @cached_property
    def by_quantity(self) -> Mapping[tuple[str, str], list[Told]]:
        """The series by quantity and the unit they are shown in, those of the most series first."""
        found: dict[tuple[str, str], list[Told]] = {}
        for entry in self.tolds:
            d = entry.distribution
            found.setdefault((d.quantity, shown_unit(d)), []).append(entry)
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    @cached_property
    def places(self) -> Mapping[tuple[str, str], Mapping[str, list[int]]]:
        """Where the series of each run stand in those of a quantity."""
        found: dict[tuple[str, str], dict[str, list[int]]] = {}
        for key, series in self.by_quantity.items():
            for place, entry in enumerate(series):
                found.setdefault(key, {}).setdefault(entry.group.run, []).append(place)
        return found

    @cached_property
    def pools(self) -> Mapping[tuple[str, str], Pools]:
        """The same, ready to be pooled."""
        return {key: Pools([entry.distribution for entry in series]) for key, series in self.by_quantity.items()}

    def said(self) -> list[str]:
        """Return how much was read, and for each log that was not, why."""
        runs, failed = len(self.recording.runs), [str(reading.error) for reading in self.readings if reading.error]
        logs = len(self.readings) or 1
        read = f"{runs} run{'s' * (runs != 1)} in {logs} log{'s' * (logs != 1)}"
        return [f"{read}, {len(failed)} of them not read:" if failed else f"{read}.", *failed]

    def logs_of(self, runs: Sequence[str]) -> tuple[list[str], str]:
        """Return the logs that hold these runs, and a sentence if they hold others as well.

        Where all runs are asked for, or what was read is no log, the folder itself stands for them.
        """
        paths = {reading.source.name: reading.source.path for reading in self.readings}
        sources = dict(zip(self.recording.runs["run"], self.recording.runs["source"], strict=True))
        wanted = {sources[run] for run in runs}
        if len(runs) == len(sources) or any(paths.get(source) is None for source in wanted):
            whole = "" if len(runs) == len(sources) else "The report is about the whole folder: it is stored as one."
            return [self.path], whole
        others = [run for run, source in sources.items() if source in wanted and run not in set(runs)]
        more = f"The report takes whole logs, and these also hold {listed(others)}." if others else ""
        return [str(Path(str(paths[source]))) for source in sources.values() if source in wanted], more


def opened(path: str, card: str = "", facts: Sequence[str] = ()) -> Folder:
    """Read a folder.

    Raises
    ------
    LogError
        If nothing in it can be read.
    CardError
        If a card cannot be used.
    UsageError
        If a fact is none.
    """
    for fact in facts:
        if "=" not in fact:
            raise UsageError(f"facts: {fact}: found no '=', expected KEY=VALUE")
    stated: dict[str, Any] = dict(fact.split("=", 1) for fact in facts)
    recording, readings = read_all(path, card=card or None, **stated)
    return Folder(path, card, tuple(facts), recording, readings)
