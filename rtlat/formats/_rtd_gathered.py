"""The lines of one run of Xenomai's ``latency`` or EVL's ``latmus``, gathered.

``latency`` (testsuite/latency/latency.c, v2.0 to v3.3) drops its first second as warm-up, then prints a line for
every ``1e9 / period`` samples: their minimum, average (divided as integers) and maximum, the *running* totals
of overruns and mode switches, the running extremes. A line is a number of samples, not a time: each overrun
makes it one period longer. The final RTS line is about whole lines only, while the histogram called "avg"
counts all samples up to the end; those called "min" and "max" count one extreme of each line. The lines of ``latmus``
are the same, but its RTS line is about all samples (benchmarks/latmus.c, ``timer_test_sitter``).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rtlat.digits import Array
from rtlat.formats import _rtd_folded as folded
from rtlat.formats._rtd_folded import Bin, Row
from rtlat.formats._rtd_lines import TEN_MS, Stats, Summary, Window
from rtlat.formats._rtd_rows import RtdRows
from rtlat.protocol import Tally

LATENCY, KLATENCY, LATMUS = "xenomai latency", "xenomai klatency", "evl latmus"

A_TICK, ENOUGH_TIMES = 100, 10
"""Of the clocks of small boards, a usual one [ns]; how many different times show what it really is."""


class Clock(NamedTuple):
    """An RTT line: the seconds it prints, the window that follows, and how many RTD lines came before."""

    line: int
    seconds: int
    window: int
    before: int


@dataclass(slots=True)
class LatencyTest:
    """One run as its lines state it.

    Attributes
    ----------
    begun, stopped, endless : bool
        Whether the log shows the run's start, so that totals count from zero; a ^C; that there was no ``-T``.
    about : dict of str to str
        Columns of runs that the log states as they stand there.
    lost : set of int
        Windows before which RTD lines are missing.
    drawn : list of Row
        The rows of ``-g``.
    comments : dict of str to str
        What the comments before them say, if they are those of ``latmus``; `commented` is the line of its totals.
    samples : int
        What ``latmus`` counts in all.
    exceeded : tuple of int and int
        The line in which ``latmus`` says that its threshold is exceeded, and by what [ns].
    torn : bool
        Whether a row of a histogram could not be read.
    """

    quote: int = 0
    tool: str = LATENCY
    variant: str = ""
    mode: str = ""
    periods: set[int] = field(default_factory=set)
    priority: int = -1
    cpu: int = -1
    unit: str = "us"
    unit_basis: str = "documented"
    begun: bool = False
    stopped: bool = False
    endless: bool = False
    threshold: float = math.nan
    message: str = ""
    about: dict[str, str] = field(default_factory=dict)
    windows: RtdRows[Window] = field(default_factory=lambda: RtdRows(Window))
    lost: set[int] = field(default_factory=set)
    rejected_windows: int = 0
    clocks: list[Clock] = field(default_factory=list)
    bins: dict[str, dict[int, Bin]] = field(default_factory=dict)
    stats: dict[str, Stats] = field(default_factory=dict)
    drawing: bool = False
    drawn: list[Row] = field(default_factory=list)
    comments: dict[str, str] = field(default_factory=dict)
    commented: int = 0
    samples: int = -1
    exceeded: tuple[int, int] | None = None
    weird: int = 0
    unreliable: bool = False
    torn: bool = False
    summary: Summary | None = None
    ignored: Tally = field(default_factory=Tally)
    rejected: Tally = field(default_factory=Tally)
    warnings: list[str] = field(default_factory=list)

    @property
    def period(self) -> int:
        """The period [ns]; 0 if none is printed, or more than one."""
        return next(iter(self.periods)) if len(self.periods) == 1 else 0

    @property
    def per_window(self) -> int:
        """Samples of a window, exactly; 0 if the period is not known."""
        return 10**9 // self.period if self.period else 0

    @property
    def answers_by_gpio(self) -> bool:
        """Whether another machine times the answers, with a period and a way with late ones of its own."""
        return self.mode.endswith("-gpio")

    @property
    def takes_periods_off(self) -> bool:
        """Whether late samples have lost whole periods, each counted as an overrun."""
        return self.tool == LATMUS and not self.answers_by_gpio

    @property
    def rtd_lines(self) -> int:
        """RTD lines so far, with those that could not be read."""
        return len(self.windows) + self.rejected_windows

    @property
    def starts_with_first(self) -> bool:
        """Whether the first window is the run's first: its extremes are then the running ones."""
        first = self.windows[0] if self.windows and not self.begun else None
        return first is None or (first.low, first.high) == (first.best, first.worst)

    @property
    def counted(self) -> int:
        """Windows that the histogram of their minima counts; -1 if there is none."""
        if "min" in self.stats:
            return self.stats["min"].n
        return folded.total(self.bins["min"]) if "min" in self.bins and not self.torn else -1

    @property
    def whole_windows(self) -> int:
        """Windows that the summary is about; -1 if that is not certain, or it is about more than whole ones."""
        if self.tool == LATMUS:
            return -1
        if self.counted >= len(self.windows):
            return self.counted
        certain = self.windows and self.begun and not self.lost and self.counted < 0 and self.agrees_on_average
        return len(self.windows) if certain else -1

    @property
    def agrees_on_average(self) -> bool:
        """Whether the printed average is that of the windows."""
        if not self.summary or not self.windows:
            return True
        mean, tolerance = self.mean_of_windows()
        return abs(self.summary.avg - mean) <= tolerance

    def mean_of_windows(self) -> tuple[float, int]:
        """The mean of the windows' averages, and how far the printed one may lie from it. [ns, ns].

        Up to 2.6, averages are divided in ticks of the clock. The smallest step between printed times shows the
        tick, if there are enough of them.
        """
        windows = self.windows
        times = np.unique(np.concatenate((windows.low, windows.avg, windows.high)))
        tick = int(np.diff(times).min()) if len(times) >= ENOUGH_TIMES else A_TICK
        return int(windows.avg.sum()) / len(windows), min(tick, 10 * A_TICK) + 1

    def option(self, letter: str) -> int:
        """What the printed command line gives for an option such as ``-H 10``; 0 if nothing."""
        given = re.search(rf" -[a-z]{{0,9}}{letter} ?(\d{{1,9}})(?: |$)", self.about.get("command", ""))
        return int(given[1]) if given else 0

    @property
    def follows_gap(self) -> Array:
        """Whether RTD lines are missing before each window."""
        gaps = np.zeros(len(self.windows) + 1, np.bool_)
        gaps[list(self.lost)] = True
        return gaps[:-1]

    def missed(self) -> Array:
        """Overruns of each window, the difference of the running totals; -1 if a line before it is missing."""
        totals = self.windows.overruns
        none_before = self.begun or not (len(totals) and totals[0])
        before = np.append(0 if none_before else -1, totals)[:-1]
        known = (before >= 0) & (before <= totals) & ~self.follows_gap
        return np.where(known, totals - before, -1)

    def lengths(self) -> Array:
        """How long each window lasted [s]: its samples and its overruns, a period each; NaN if that is not known."""
        missed = self.missed()
        known = (missed >= 0) & (self.period > 0 and not self.answers_by_gpio)
        return np.where(known, (self.per_window + missed) * (self.period * 1.0) / 1e9, math.nan)

    def wrapped(self, missed: Array) -> Array:
        """Whether a sample of each window left the 32 bits in which ``latency`` keeps it, 2.147 s to either side.

        No timer is 10 ms early, and no more periods are skipped than all latencies together last. Those of
        ``latmus`` have lost whole periods, or come from another machine.
        """
        windows = self.windows
        if self.tool == LATMUS:
            return np.zeros(len(windows), np.bool_)
        together = self.per_window * (windows.avg + 1.0 + np.maximum(0, -windows.low)) + self.period
        skipped = missed * (self.period * 1.0)
        beyond: Array = (windows.low < -TEN_MS) | (windows.high == -TEN_MS)
        return beyond | ((skipped > 0) & (skipped > together))
