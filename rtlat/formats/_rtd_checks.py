"""What the lines of one run of ``latency`` or ``latmus`` say of each other: missing lines, and contradictions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from rtlat.digits import Array
from rtlat.formats import _rtd_folded as folded
from rtlat.formats._rtd_folded import Bin
from rtlat.formats._rtd_gathered import KLATENCY, LATMUS, LatencyTest
from rtlat.formats._rtd_lines import Stats, Summary, us

USUAL_LINES = 21
"""RTD lines to an RTT line unless ``-l`` said otherwise."""


def find_lost_lines(test: LatencyTest) -> None:
    """Enter into `test` before which windows the log has lost lines, and warn how that shows."""
    everywhere = slice(0, len(test.windows))
    if test.counted >= 0:
        if test.windows and test.counted > test.rtd_lines:
            _lose(test, everywhere, f"the histogram counts {test.counted} RTD lines, the log holds {test.rtd_lines}")
        return
    lengths = test.lengths()
    lines = [after.before - before.before for before, after in pairwise(test.clocks)]
    usual, often = Counter(lines).most_common(1)[0] if lines else (0, 0)
    usual = USUAL_LINES if USUAL_LINES in lines else usual
    slack = 2 if usual == USUAL_LINES or often > 1 else 0.5  # -l may be why they are not 21
    for (before, after), count in zip(pairwise(test.clocks), lines, strict=True):
        if count < usual:
            reason = f"lines {before.line} to {after.line}: {usual - count} of {usual} RTD lines are missing"
            _lose(test, slice(before.window, after.window), reason)
        elif _is_longer(after.seconds - before.seconds, lengths[before.window + 1 : after.window + 1], slack):
            reason = (
                f"line {after.line}: the clock has gone on for longer than the RTD lines before it: some are missing"
            )
            _lose(test, slice(before.window, after.window), reason)
    summary = test.summary if test.begun and not test.lost else None
    if summary and _is_longer(summary.actual, lengths, 1 + float(lengths.max(initial=0))):
        _lose(test, everywhere, f"line {summary.line}: the test took longer than its RTD lines last: some are missing")


def _is_longer(clock: int, lengths: Array, slack: float) -> bool:
    """Whether a clock of whole seconds, at most one percent wrong, has gone on for longer than some windows."""
    return len(lengths) > 0 and clock > math.fsum(lengths) * 1.01 + slack


def _lose(test: LatencyTest, where: slice, reason: str) -> None:
    """Note that lines are missing somewhere among some windows."""
    test.lost.update(range(*where.indices(len(test.windows))))
    test.warnings.append(reason)


def has_klatency_average(test: LatencyTest) -> bool:
    """Whether RTS prints an average that only ``klatency`` prints.

    It divides the sum of the lines' averages by one more than their number, the unfinished one, and takes 1 ns
    off (operator order, Xenomai 2.x). The last line may have been cut off by ^C.
    """
    if not test.summary or not test.windows or test.mode != "in-kernel periodic task":
        return False
    mean, tolerance = test.mean_of_windows()
    lines = len(test.windows)
    expected = [mean * number / (number + 1) - 1 for number in (lines, lines + 1)]
    fits = min(abs(test.summary.avg - average) for average in expected) <= tolerance
    return fits and not test.agrees_on_average


def contradictions(test: LatencyTest) -> Iterator[str]:
    """Yield a sentence for each thing that the lines of a test say against each other."""
    yield from _of_windows(test)
    yield from _of_clocks(test)
    if test.summary and test.windows:
        yield from _of_summary(test, test.summary)
    for kind, stats in test.stats.items():
        if kind in test.bins:
            yield from _of_histogram(kind, test.bins[kind], stats)


def _of_windows(test: LatencyTest) -> Iterator[str]:
    """Running extremes and totals; of each kind the first contradiction, and how many there are."""
    windows = test.windows
    if not len(windows):
        return
    line, best, worst = windows.line, windows.best, windows.worst
    exact = ~test.follows_gap
    exact[0] &= test.begun
    low, high = windows.low.copy(), windows.high.copy()
    low[1:], high[1:] = np.minimum(low[1:], best[:-1]), np.maximum(high[1:], worst[:-1])
    back = np.zeros(len(line), np.bool_)
    back[1:] = (np.diff(windows.overruns) < 0) | (np.diff(windows.switches) < 0)
    least, most = (best > low) | (exact & (best != low)), (worst < high) | (exact & (worst != high))
    found = []
    for place, wrong in enumerate((least, most, back)):
        if not wrong.any():
            continue
        first, others = int(np.argmax(wrong)), int(wrong.sum()) - 1
        says = (
            f"lat best {us(best[first])}, the lines {us(low[first])}",
            f"lat worst {us(worst[first])}, the lines {us(high[first])}",
            "a running total has gone back",
        )[place]
        found.append((first, place, f"line {line[first]}: {says}" + (f", and {others} lines more" if others else "")))
    yield from (sentence for _, _, sentence in sorted(found))
    if test.lost or not test.begun:
        if best[-1] < windows.low.min():
            yield f"line {line[-1]}: lat best {us(best[-1])} lies in none of the lines of this log"
        if worst[-1] > windows.high.max():
            yield f"line {line[-1]}: lat worst {us(worst[-1])} lies in none of the lines of this log"


def _of_clocks(test: LatencyTest) -> Iterator[str]:
    """A clock that has gone on for less than the windows last; the first such line."""
    lengths = test.lengths()
    spans = [
        (after.line, after.seconds - before.seconds, lengths[before.window + 1 : after.window + 1])
        for before, after in pairwise(test.clocks)
    ]
    if test.summary and test.summary.actual >= 0:
        spans.append((test.summary.line, test.summary.actual, lengths))
    for line, clock, span in spans:
        if (lasted := math.fsum(span)) > clock * 1.01 + 2:
            yield f"line {line}: the clock has gone on for {clock} s, the RTD lines before it last {lasted:.3f} s"
            return


def _of_summary(test: LatencyTest, summary: Summary) -> Iterator[str]:
    """RTS against the last window's running extremes, and against the windows' averages."""
    last = test.windows[-1]
    more = test.tool == LATMUS or bool(test.lost)  # RTS may be about samples that no line of the log is about
    for name, printed, running, beyond in (
        ("minimum", summary.low, last.best, summary.low < last.best),
        ("maximum", summary.high, last.worst, summary.high > last.worst),
    ):
        if printed != running and not (more and (beyond or test.lost)):
            yield f"line {summary.line}: {name} {us(printed)}, the RTD lines {us(running)}"
    if summary.overruns < last.overruns:
        yield f"line {summary.line}: {summary.overruns} overruns, the RTD lines {last.overruns}"
    if not test.agrees_on_average and not more and test.tool != KLATENCY:
        mean, _ = test.mean_of_windows()
        yield f"line {summary.line}: average {us(summary.avg)}, that of the RTD lines {us(mean)}"


def _of_histogram(kind: str, bins: dict[int, Bin], stats: Stats) -> Iterator[str]:
    """HSS, in bins from their lower edges, against HSD."""
    n = folded.total(bins)
    mean = sum(number * counted.n for number, counted in bins.items()) / n
    spread = sum(counted.n * (number - mean) ** 2 for number, counted in bins.items())
    std = math.sqrt(spread / (n - 1)) if n > 1 else 0.0
    if n != stats.n:
        yield f"line {stats.line}: {stats.n} samples of {kind}, the bins hold {n}"
    elif abs(mean - stats.mean) > 0.002 or abs(std - stats.std) > 0.002:
        yield (
            f"line {stats.line}: {kind} has average {stats.mean:.3f} and stddev {stats.std:.3f} bins, "
            f"the bins {mean:.3f} and {std:.3f}"
        )
