"""From the lines of one run of Xenomai's ``latency`` to the statements they make.

Windows say the least and the most of a known number of samples. The histogram of all samples says more where it
can be trusted: its values are absolute ones, its last bin holds all that lies beyond, and the width of a bin is
not printed. Where a negative value, a wrapped counter or a wrapped sample makes a bin say more than it knows,
the bin is widened or the histogram is left out, and a warning says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rtlat import schema
from rtlat.formats import _rtd_folded as folded
from rtlat.formats._rtd_checks import contradictions, find_lost_lines, has_klatency_average
from rtlat.formats._rtd_folded import Bin, Decoded
from rtlat.formats._rtd_gathered import KLATENCY, LatencyTest
from rtlat.formats._rtd_lines import MODES, TEN_MS, Summary, us
from rtlat.protocol import Run

_UNKNOWN = (-math.inf, math.nan, math.inf)


def run_of(test: LatencyTest) -> Run | None:
    """Return the run that a test's lines state, or None if they state no latency.

    Parameters
    ----------
    test : LatencyTest
        Its lines; what they lack and where they contradict each other is added to its warnings.

    Examples
    --------
    >>> from rtlat.formats._rtd_lines import Window
    >>> test = LatencyTest(periods={1_000_000}, begun=True, mode="periodic user-mode task")
    >>> test.windows.append(Window(8, 4458, 7504, 49833, 2, 0, 4458, 49833))
    >>> test.windows.append(Window(9, 4416, 5915, 33958, 2, 0, 4416, 49833))
    >>> run = run_of(test)
    >>> rows = run.rows.arrays()
    >>> rows["n"].tolist(), rows["missed"].tolist(), rows["time"].tolist(), run.facts["ended"]
    ([1000, 1000], [2, 0], [0.0, 1.002], 'cut')
    """
    if not (test.windows or test.summary or test.bins.get("avg") or test.drawn):
        return None
    if has_klatency_average(test):
        test.tool = KLATENCY
    run = Run(test.tool, ignored=test.ignored, rejected=test.rejected, warnings=test.warnings, quoted=test.quote > 0)
    find_lost_lines(test)
    run.warnings += contradictions(test)
    quantity, _ = MODES.get(test.mode, ("unknown", ""))
    wrapped = _add_windows(run, test, quantity)
    if test.summary:
        _add_summary(run, test, test.summary, quantity, wrapped)
    run.facts = _facts(test)
    whole = test.starts_with_first and not test.lost
    if test.bins or test.drawing:
        whole = _add_bins(run, test, quantity, wrapped)
    run.facts["ended"] = _ended(test) if whole else "cut"
    run.series["all"] = _series(test)
    run.warnings += _warnings(test)
    return run if len(run.rows) else None


def _add_windows(run: Run, test: LatencyTest, quantity: str) -> bool:
    """Add a row for each RTD line; whether a sample of any has wrapped."""
    wrapped, clipped = [], []
    start = 0.0 if test.begun else math.nan
    known = test.begun
    missed, lengths = test.missed(), test.lengths()
    for number, window in enumerate(test.windows):
        low, avg, high = float(window.low), float(window.avg), float(window.high)
        if test.has_wrapped(window, missed[number]):
            low, avg, high = _UNKNOWN
            wrapped.append(window.line)
        elif window.low == TEN_MS < window.high:
            low = -math.inf
            clipped.append(window.line)
        known = known and number not in test.lost
        run.rows.add(
            "all",
            quantity,
            "window",
            low,
            high,
            n=test.per_window or -1,
            avg=avg,
            missed=missed[number],
            seq=number + 1 if known else -1,
            time=start if known else math.nan,
            line=window.line,
        )
        start += lengths[number]
    if wrapped:
        run.warnings.append(
            f"line {wrapped[0]}: a sample is beyond the 2.147 s that latency can hold and shows as another number: "
            f"minimum, average and maximum of {_lines(wrapped)} are left open"
        )
    if clipped:
        run.warnings.append(
            f"line {clipped[0]}: 10000.000 us is where a minimum starts, not one that was seen: "
            f"the minimum of {_lines(clipped)} is left open"
        )
    return bool(wrapped)


def _lines(lines: list[int]) -> str:
    """How many lines, for the end of a sentence."""
    return "this line" if len(lines) == 1 else f"{len(lines)} such lines"


def _add_summary(run: Run, test: LatencyTest, summary: Summary, quantity: str, wrapped: bool) -> None:
    """Add a row for RTS, about whole windows only."""
    low, avg, high = float(summary.low), float(summary.avg), float(summary.high)
    if wrapped or summary.low < -TEN_MS:
        low, avg, high = _UNKNOWN
    elif summary.low == TEN_MS:
        low = -math.inf
    if test.tool == KLATENCY:
        avg = math.nan
        run.warnings.append(
            f"line {summary.line}: klatency divides by one line too many: its average of {us(summary.avg)} is left out"
            + (f", the RTD lines have {us(test.mean_of_windows()[0])}" if test.windows else "")
        )
    n = test.whole_windows * test.per_window
    n, missed = n if n > 0 else -1, max(-1, summary.overruns)
    run.rows.add("all", quantity, "summary", low, high, n=n, avg=avg, missed=missed, line=summary.line)


def _add_bins(run: Run, test: LatencyTest, quantity: str, wrapped: bool) -> bool:
    """Add the histograms, as far as they can be trusted; whether nothing of all samples is missing."""
    drawn = folded.decode(test.drawn) if test.drawing else None
    for row in drawn.strays if drawn else ():
        run.rejected.add("row of -g where no bin is, or whose counter has wrapped", row.line)
    bins = {kind: of_kind for kind, of_kind in test.bins.items() if of_kind}
    if drawn and drawn.bins:
        bins.setdefault("avg", drawn.bins)
    total = folded.total(bins.get("avg", {}))
    whole = _is_whole(run, test, drawn, total)
    width, basis = _width(test, bins, drawn)
    if reason := _refusal(test, total, width, wrapped):
        run.warnings.append(f"the histogram is left out: {reason}")
        return whole and test.starts_with_first and not test.lost
    top = max((number for of_kind in bins.values() for number in of_kind), default=0)
    clamped, lowest = top if _is_clamped(test, top, width) else None, _lowest(test)
    for kind, of_kind in bins.items():
        low, high, n, line = folded.edges(of_kind, width, clamped=clamped, lowest=lowest)
        run.rows.extend("all", quantity, "bin", low, high, n=n, line=line, of="all" if kind == "avg" else kind)
    run.facts |= {"folded": True, "bin_edges": basis, "overflow_policy": "clamped into last bin"}
    run.warnings += _warnings_of_bins(test, top, width, basis, lowest)
    return whole


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
    for kind, extremes in (("min", [w.low for w in test.windows]), ("max", [w.high for w in test.windows])):
        numbers = sorted(bins.get(kind, {}))
        sizes = sorted(map(abs, extremes))
        if numbers and folded.total(bins[kind]) <= len(sizes):  # in a table that was cut the largest are missing
            each = [number for number in numbers for _ in range(bins[kind][number].n)]
            places += [(number, number, size) for number, size in zip(each, sizes, strict=False)]
        elif numbers and sizes:
            places += [(numbers[0], numbers[-1], size) for size in sizes]
        elif numbers and test.summary and test.summary.low >= 0:
            place, extreme = (numbers[0], test.summary.low) if kind == "min" else (numbers[-1], test.summary.high)
            places.append((place, place, extreme))
    return places


def _refusal(test: LatencyTest, total: int, width: int, wrapped: bool) -> str:
    """Why the histogram says what it cannot know; empty if it does not."""
    duration = test.summary.actual if test.summary else -1
    expected = int(duration * 1e9 / test.period) if test.period and duration > 0 else 0
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
    lows = [window.low for window in test.windows] + ([test.summary.low] if test.summary else [])
    return min(lows, default=math.inf)


def _highest(test: LatencyTest) -> float:
    """The largest printed maximum [ns]; -inf if none is printed."""
    highs = [window.high for window in test.windows] + ([test.summary.high] if test.summary else [])
    return max(highs, default=-math.inf)


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


def _facts(test: LatencyTest) -> dict[str, Any]:
    """The columns of runs that the lines state."""
    facts: dict[str, Any] = {
        **test.about,
        "variant": test.variant,
        "context": MODES.get(test.mode, ("", ""))[1],
        "printed_unit": test.unit,
        "unit_basis": test.unit_basis,
        "resolution": 1.0,
        "rounding": "exact",
        "overrun_policy": "counted; the late sample keeps its whole latency",
    }
    if test.period:
        facts |= {"period": float(test.period), "window": test.per_window * test.period / 1e9}
    if not math.isnan(test.threshold):
        facts["threshold"] = test.threshold
    lasted = sum(test.lengths()) if test.windows else math.nan
    if test.summary and test.summary.actual >= 0:
        facts |= {"duration": float(test.summary.actual), "duration_basis": "printed"}
    elif not math.isnan(lasted):
        facts |= {"duration": lasted, "duration_basis": "derived"}
    if "duration" in facts and test.period:
        facts["nominal_n"] = int(facts["duration"] * 1e9 / test.period)
    return {name: value for name, value in facts.items() if value != ""}


def _ended(test: LatencyTest) -> str:
    """How the run ended; the clock cannot tell a test without ``-T`` from one that ran to its end."""
    if not test.summary or test.summary.asked < 0:
        return "unknown" if test.drawing and not test.windows else "cut"
    if not math.isnan(test.threshold):
        return "stopped at threshold"
    early = test.stopped or test.endless or test.summary.actual < test.summary.asked
    return "interrupted" if early else "complete"


def _series(test: LatencyTest) -> dict[str, Any]:
    """The columns of series that the lines state."""
    stated: dict[str, Any] = {"period": float(test.period)} if test.period else {}
    if test.priority >= 0 and test.mode != "in-kernel timer handler":  # printed there too, where it has no meaning
        stated["priority"] = test.priority
    if "avg" in test.stats:
        stated["n"] = test.stats["avg"].n
    return stated


def _warnings(test: LatencyTest) -> list[str]:
    """What a reader of the numbers must know."""
    warnings = []
    if not test.mode:
        warnings.append("no line says what was measured")
    if not test.period:
        stated = " and ".join(f"{period / 1000:g} us" for period in sorted(test.periods)) or "no line states one"
        warnings.append(f"the period is not known ({stated}), nor how many samples a line is about")
    if not test.summary:
        warnings.append("the RTS line is missing")
    switches = max((window.switches for window in test.windows), default=0)
    if switches > 0 or (test.summary and test.summary.switches > 0):
        warnings.append("mode switches to Linux took place in samples that became maxima (msw)")
    if test.rejected.total:
        first = min(line for _, line in test.rejected.reasons.values())
        warnings.append(f"{test.rejected.total} lines could not be read (the first is line {first})")
    return warnings
