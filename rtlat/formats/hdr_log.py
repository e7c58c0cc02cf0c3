"""Interval logs of HdrHistogram (.hlog), as jHiccup and many Java services write them.

::

    #[Histogram log format version 1.2]
    #[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 08:24:39 PDT 2015]
    "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
    Tag=A,0.127,1.007,2.769,HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEu...

Each line holds the histogram of an interval, compressed; those of one tag are added up, bucket by bucket, because
only their buckets are exact: the greatest of an interval is known to its bucket, whose end `Interval_Max` prints.
The encoding is read by the package hdrhistogram, which knows its second version (HdrHistogram since 2.1.5).

No unit is stated, but for jHiccup, which records nanoseconds. jHiccup makes observations up: for each stall longer
than its interval it adds those that it would have made meanwhile, so n is more than it measured.

Sources: HdrHistogram ``HistogramLogReader.java``, ``EncodableHistogram.java``; jHiccup ``HiccupMeter.java``.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rtlat.columns import Array
from rtlat.errors import LogError, UnsupportedFormatError, printable
from rtlat.protocol import Format, Run
from rtlat.source import Source

_NUMBER = r"\d{1,12}(?:\.\d{1,9})?"
_INTERVAL = re.compile(
    rf"(?:Tag=(?P<tag>[^,]{{1,200}}),)?(?P<start>{_NUMBER}),(?P<length>{_NUMBER}),(?P<max>{_NUMBER}),"
    r'"?(?P<code>HIST[A-Za-z0-9+/]{4,}={0,2})"?\s*$',
    re.ASCII,
)
_HEAD = re.compile(r'#\[Histogram log format version \d|\s*"StartTimestamp","(?:Interval_Length|EndTimestamp)"')
_TOOL = re.compile(r"#\[Logged with (jHiccup) version (\S{1,40})\]")
_STARTED = re.compile(r"#\[StartTime: \d[\d.]* \(seconds since epoch\), (.{1,80})\]")
_VERSIONS = {0x1C849309: "0", 0x1C849302: "1"}
_SECOND = 0x1C849304
_HEADER = struct.Struct(">IIiIQQd")  # cookie, length, offset, digits, lowest, highest, ratio
_LARGEST_PAYLOAD = 4 << 20  # as many counters as the package allows


@dataclass(slots=True)
class _Sum:
    """The intervals of one tag, added up."""

    line: int
    shape: Any
    counts: Array = field(default_factory=lambda: np.zeros(0, np.int64))


def parse(source: Source) -> Iterator[Run]:
    """Yield the one run: its intervals added up, a series for each tag.

    Raises
    ------
    LogError
        If the package hdrhistogram is not installed, or no interval can be decoded.
    UnsupportedFormatError
        If the histograms are encoded in a version that the package does not read.
    """
    decode = _decoder(source.name)
    run = Run("HdrHistogram")
    sums: dict[str, _Sum] = {}
    begins, ends = math.inf, 0.0
    scales = [1, 10**3, 10**6, 10**9]
    for line in source.lines():
        interval = _INTERVAL.match(line.text)
        if not interval:
            _describe(run, line.text, line.number)
            continue
        code = interval["code"]
        _require_second_version(source.name, code, line.number)
        try:
            histogram, counts = _decoded(decode, code)
            _add(sums, printable(interval["tag"] or "all"), histogram, counts, line.number)
        except ValueError as error:
            if not run.rejected.total:
                run.warnings.append(
                    f"line {line.number}: an interval that cannot be decoded: {printable(str(error))[:80]}"
                )
            run.rejected.add("an interval that cannot be decoded", line.number)
            continue
        begins = min(begins, float(interval["start"]))
        ends = max(ends, float(interval["start"]) + float(interval["length"]))
        left = [scale for scale in scales if not counts.any() or _is_shown(histogram, scale, interval["max"])]
        if not left:
            greatest = histogram.get_max_value()
            run.warnings.append(
                f"line {line.number}: Interval_Max is {interval['max']}, the histogram ends at {greatest}"
            )
        scales = left or scales
    if not any(added.counts.any() for added in sums.values()):
        raise LogError(source.name, "no interval with an observation", "an interval log of HdrHistogram")
    _finish(run, sums, ends - begins)
    yield run


def _decoder(name: str) -> Callable[[str], Any]:
    """The package's decoder, or the way to get it."""
    try:
        from hdrh.histogram import HdrHistogram
    except ImportError:
        remedy = "install rtlat with its extra hdr, as in pip install '.[hdr]'"
        raise LogError(name, "an interval log of HdrHistogram", "the package hdrhistogram to read it", remedy) from None
    decode: Callable[[str], Any] = HdrHistogram.decode
    return decode


def _describe(run: Run, text: str, number: int) -> None:
    """Take a line that is no interval."""
    if tool := _TOOL.match(text):
        run.tool, run.facts["version"] = tool[1], tool[2]
    elif started := _STARTED.match(text):
        run.facts["started"] = started[1]
    elif "HIST" in text:
        run.rejected.add("a damaged interval", number)
    elif text.strip() and not text.startswith("#") and not _HEAD.match(text):
        run.ignored.add("text around the intervals", number)


def _require_second_version(name: str, code: str, number: int) -> None:
    """Refuse the encodings that the package does not know."""
    cookie = int.from_bytes(base64.b64decode(code[:8])[:4], "big") & ~0xF0
    if cookie != _SECOND:
        version = f"version {_VERSIONS[cookie]}" if cookie in _VERSIONS else "of doubles, or unknown"
        found, remedy = f"histograms whose encoding is {version}", "write them again with HdrHistogram 2.1.5 or later"
        raise UnsupportedFormatError(name, found, "version 2 of integers", remedy, number)


def _decoded(decode: Callable[[str], Any], code: str) -> tuple[Any, Array]:
    """A histogram with its counts; `ValueError` with the reason if it is damaged or unusual."""
    try:
        inflate = zlib.decompressobj()
        payload = inflate.decompress(base64.b64decode(code, validate=True)[8:], _LARGEST_PAYLOAD)
    except (binascii.Error, zlib.error) as error:
        raise ValueError(str(error)) from None
    if inflate.unconsumed_tail or len(payload) < _HEADER.size:
        raise ValueError(f"{len(payload)} bytes")
    _, length, offset, _, _, _, ratio = _HEADER.unpack_from(payload)
    if length != len(payload) - _HEADER.size or offset or ratio != 1.0:
        raise ValueError("a header that fits no histogram of integers")
    try:
        histogram = decode(code)
    except Exception as error:  # the package raises some ten kinds
        raise ValueError(str(error) or type(error).__name__) from None
    counts = np.ctypeslib.as_array(histogram.counts).astype(np.int64)
    if (counts < 0).any():
        raise ValueError("a count beyond 2^63 - 1")
    return histogram, counts


def _add(sums: dict[str, _Sum], tag: str, histogram: Any, counts: Array, number: int) -> None:
    """Add an interval to those of its tag, whose buckets must be the same."""
    added = sums.setdefault(tag, _Sum(number, histogram))
    same = ("significant_figures", "unit_magnitude")
    if any(getattr(histogram, name) != getattr(added.shape, name) for name in same):
        raise ValueError("other buckets than those before")
    longer, shorter = (counts, added.counts) if len(counts) > len(added.counts) else (added.counts, counts)
    total = longer.copy()
    total[: len(shorter)] += shorter
    if (total < 0).any():
        raise ValueError("more than 2^63 - 1 observations")
    added.counts = total
    added.shape = histogram if len(counts) > len(shorter) else added.shape


def _is_shown(histogram: Any, scale: int, printed: str) -> bool:
    """Whether a printed maximum lies in the last bucket, in units of `scale`; the package cuts it to a whole one."""
    greatest, digit = histogram.get_max_value(), 10.0 ** -len(printed.partition(".")[2])
    low = min(histogram.get_lowest_equivalent_value(greatest) / scale - digit, greatest // scale)
    return bool(low <= float(printed) <= histogram.get_highest_equivalent_value(greatest) / scale + digit)


def _finish(run: Run, sums: dict[str, _Sum], duration: float) -> None:
    """Add the bins of all tags, and what is known of the run."""
    unit = "ns" if run.tool == "jHiccup" else "unknown"
    for tag, added in sums.items():
        places = np.flatnonzero(added.counts)
        low = [added.shape.get_value_from_index(int(place)) for place in places]
        high = [added.shape.get_highest_equivalent_value(value) + 1 for value in low]
        edges = np.array(low, np.float64), np.array(high, np.float64)
        run.rows.extend(tag, "unknown", "bin", *edges, n=added.counts[places], unit=unit, line=added.line)
    run.facts |= {
        "variant": "interval log",
        "printed_unit": unit,
        "unit_basis": "documented" if unit == "ns" else "",
        "rounding": "unknown",
        "bin_edges": "given",
        "duration": duration,
        "duration_basis": "derived",
        "ended": "unknown",
        "evidence": "log",
    }
    if unit == "unknown":
        run.warnings.append("no unit is stated; printed_unit in a run card says which")
    else:
        run.warnings.append(
            "jHiccup adds observations for the time of a stall that it did not make: n is more than it measured"
        )
    if run.rejected.total:
        first = min(number for _, number in run.rejected.reasons.values())
        run.warnings.append(f"{run.rejected.total} intervals are missing (the first is line {first})")


FORMAT = Format(
    name="hdr_log",
    title="interval logs of HdrHistogram (.hlog), such as jHiccup's; needs the extra hdr",
    gives="bins of all intervals together, by tag",
    versions="log format 1.0 to 1.3, encoding version 2",
    words=("#[Histogram", "StartTimestamp", "HIST"),
    marks=(_HEAD, _INTERVAL),
    parse=parse,
)
