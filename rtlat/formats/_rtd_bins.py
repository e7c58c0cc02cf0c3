"""The histograms of one run as bins, as far as they can be trusted.

Only the bin's number is printed in a log, its width is not; ``-g`` files print one of them, and some libevl and
Xenomai add one to each count. Where a negative value, a wrapped counter or a wrapped sample makes a bin say more
than it knows, the bin is widened or the histogram is left out, and a warning says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from rtlat import schema
from rtlat.formats import _rtd_folded as folded
from rtlat.formats import _rtd_latmus as latmus
from rtlat.formats._rtd_folded import Bin, Decoded
from rtlat.formats._rtd_gathered import LatencyTest
from rtlat.formats._rtd_lines import us
from rtlat.protocol import Run


def add_bins(run: Run, test: LatencyTest, quantity: str, wrapped: bool) -> bool:
    """Add the histograms to a run, as far as they can be trusted; return whether nothing of all samples is missing.

    Parameters
    ----------
    run, test : Run, LatencyTest
        The run so far, and the lines it is made of.
    quantity : str
        As in records.
    wrapped : bool
        Whether a sample stands in a wrong bin because it left its 32 bits.
    """
    drawn = _decoded(test)
    for row in drawn.strays if drawn else ():
        run.rejected.add("row of -g where no bin is, or whose counter has wrapped", row.line)
    bins = {kind: of_kind for kind, of_kind in test.bins.items() if of_kind}
    if drawn and drawn.bins:
        bins.setdefault("avg", drawn.bins)
    total = folded.total(bins.get("avg", {}))
    whole = _is_whole(run, test, drawn, total)
    width, basis = _width(test, bins, drawn)
    if reason := _refusal(test, drawn, total, width, wrapped):
        run.warnings.append(f"the histogram is left out: {reason}")
        return whole and test.starts_with_first and not test.lost
    top = max((number for of_kind in bins.values() for number in of_kind), default=0)
    says = drawn.clamped if drawn else None
    clamped = top if (says if says is not None else _is_clamped(test, top, width)) else None
    lowest = _lowest(test)
    for kind, of_kind in bins.items():
        low, high, n, line = folded.edges(of_kind, width, clamped=clamped, lowest=lowest)
        run.rows.extend("all", quantity, "bin", low, high, n=n, line=line, of="all" if kind == "avg" else kind)
    run.facts |= {"folded": True, "bin_edges": basis, "overflow_policy": "clamped into last bin"}
    run.warnings += _warnings_of_bins(test, top, width, basis, lowest)
    return whole


def _decoded(test: LatencyTest) -> Decoded | None:
    """The histogram of ``-g``; the first ``latmus`` still draws it as ``latency`` does, with the middles of bins."""
    if not test.drawing:
        return None
    return latmus.decode(test) if test.comments else folded.decode(test.drawn)


def _is_whole(run: Run, test: LatencyTest, drawn: Decoded | None, total: int) -> bool:
    """Whether no row of the histogram of all samples is missing, by the count in HSS or the frame that ``-g`` draws."""
    least = test.whole_windows * test.per_window
    if least > 0 and not least <= total <= least + test.per_window:
        run.warnings.append(f"{test.whole_windows} lines are {least} samples, the histogram of all holds {total}")
    stated = test.stats["avg"].n if "avg" in test.stats else -1
    if drawn and "avg" not in test.bins:
        if not drawn.whole:
            run.warnings.append("rows of -g are missing or damaged: the histogram is not complete")
        return drawn.whole and stated in (-1, total)
    if stated < 0:
        run.warnings.append("the HSS line that counts all samples is missing: the histogram may not be complete")
    return stated == total


def _width(test: LatencyTest, bins: Mapping[str, Mapping[int, Bin]], drawn: Decoded | None) -> tuple[int, str]:
    """The width of a bin [ns] and where it comes from; 0 if nothing explains the lines."""
    if drawn and drawn.width:
        return drawn.width, "given"
    if test.option("B"):
        return test.option("B"), "given"
    top = max((number for of_kind in bins.values() for number in of_kind), default=0)
    widths = folded.possible_widths(_places(test, bins), top)
    if folded.DEFAULT_WIDTH in widths:
        return folded.DEFAULT_WIDTH, "inferred" if len(widths) == 1 else "assumed"
    return (widths[0], "inferred") if len(widths) == 1 else (0, "")


def _places(test: LatencyTest, bins: Mapping[str, Mapping[int, Bin]]) -> list[tuple[int, int, int]]:
    """In which bins, from first to last, printed extremes must lie."""
    places: list[tuple[int, int, int]] = []
    for kind, extremes in (("min", test.windows.low), ("max", test.windows.high)):
        numbers = sorted(bins.get(kind, {}))
        sizes = np.sort(np.abs(extremes)).tolist()
        if numbers and folded.total(bins[kind]) <= len(sizes):  # in a table that was cut the largest are missing
            each = [number for number in numbers for _ in range(bins[kind][number].n)]
            places += [(number, number, size) for number, size in zip(each, sizes, strict=False)]
        elif numbers and sizes:
            places += [(numbers[0], numbers[-1], size) for size in sizes]
        elif numbers and test.summary and test.summary.low >= 0:
            place, extreme = (numbers[0], test.summary.low) if kind == "min" else (numbers[-1], test.summary.high)
            places.append((place, place, extreme))
    return places


def _refusal(test: LatencyTest, drawn: Decoded | None, total: int, width: int, wrapped: bool) -> str:
    """Why the histogram says what it cannot know; empty if it does not."""
    duration = test.summary.actual if test.summary else -1
    expected = int(duration * 1e9 / test.period) if test.period and duration > 0 else 0
    if drawn and drawn.doubt:
        return drawn.doubt
    if wrapped:
        return "a wrapped sample stands in a wrong bin"
    if expected - total - (test.summary.overruns if test.summary else 0) > 2**31:
        return f"{duration} s are about {expected} samples, it holds {total}: a 32-bit counter has wrapped"
    if total > schema.LARGEST_COUNT:
        return f"it holds {total} samples, more than a run can have"
    if not width:
        return "neither bins of 1 us nor one other round width agree with the minima and maxima of the lines"
    return ""


def _is_clamped(test: LatencyTest, top: int, width: int) -> bool:
    """Whether the highest bin holds all that lies beyond: by ``-H``, its default, or a maximum beyond it."""
    if size := test.option("H"):
        return top == size - 1
    return top + 1 in folded.DEFAULT_SIZES or _highest(test) >= (top + 1) * width


def _lowest(test: LatencyTest) -> float:
    """The smallest printed minimum [ns]; inf if none is printed."""
    least = float(test.windows.low.min()) if len(test.windows) else math.inf
    return min(least, test.summary.low) if test.summary else least


def _highest(test: LatencyTest) -> float:
    """The largest printed maximum [ns]; -inf if none is printed."""
    most = float(test.windows.high.max()) if len(test.windows) else -math.inf
    return max(most, test.summary.high) if test.summary else most


def _warnings_of_bins(test: LatencyTest, top: int, width: int, basis: str, lowest: float) -> list[str]:
    """What a reader of the histogram must know."""
    warnings = []
    if basis == "assumed":
        warnings.append("the width of a bin is not printed and no line tells it: 1 us is assumed, the default of -B")
    elif basis != "given" and width != folded.DEFAULT_WIDTH:
        warnings.append(f"bins are {width} ns wide: the only round width with which the lines' extremes fit their bins")
    if lowest < 0:
        warnings.append(
            f"the histogram counts absolute values and the smallest is {us(lowest)}: bins up to it are one; "
            "samples after the last line are taken to be no smaller"
        )
    elif lowest == math.inf:
        warnings.append("the histogram counts absolute values, and no minimum is printed: some may have been negative")
    if -math.inf < _highest(test) < top * width:
        warnings.append(
            f"the histogram reaches {us(top * width)}, the printed maximum is {us(_highest(test))}: "
            "the larger samples came after the last line"
        )
    return warnings
