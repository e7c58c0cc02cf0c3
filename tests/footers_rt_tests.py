"""As `footers`, for cyclictest and the other tools of rt-tests, text and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal

from footers import One, Runs, ns


def row(text: str, name: str) -> list[int]:
    """The numbers behind a footer's name."""
    found = re.search(rf"^# {name}: ([\d ]+)$", text.replace("\t", " "), re.M)
    return [int(number) for number in found[1].split()] if found else []


# cyclictest


def status(text: str, unit: str) -> dict[int, One]:
    """The last status line of each thread that has a sample."""
    found = re.findall(r"^T: *(\d+) .*C: *(\d+) Min: *(-?\d+) .*Max: *(-?\d+)", text, re.M)
    return {int(t): One(int(c), ns(low, unit), ns(high, unit)) for t, c, low, high in found if int(c)}


def cyclictest(text: str, unit: str = "us") -> Runs:
    """The footers of a histogram, else the last status lines."""
    text = re.sub(r"^ +(?=#|T:|\d{6} )", "", text, flags=re.M)
    threads, table = status(text, unit), rows(text)
    low, high = row(text, "Min Latenc(?:ies|ys|y)"), row(text, "Max Latenc(?:ies|ys|y)")
    if not high:
        return [list(threads.values())]
    sums = [sum(cells[t] for _, cells in table) for t in range(len(high))] if table else [0] * len(high)
    total, over = row(text, "Total") or sums, row(text, "Histogram Overflows?")
    lowest = [min((label for label, cells in table if cells[t]), default=None) for t in range(len(high))]
    found = []
    for t in range(len(low) or len(over)):  # -H adds a column, the sum or the greatest of all
        n = max(total[t] + over[t], threads[t].n or 0 if t in threads else 0)
        least = low[t] if low else lowest[t]
        found += [One(n, None if least is None else ns(least, unit), ns(high[t], unit), over[t])] if n else []
    return [found]


def without_footers(text: str) -> Runs:
    """A table that somebody cut off or made into CSV: its rows, each with an end."""
    return [counted(rows(text, r"^ ?(\d{6})[ ,]([\d\t ,]+)\n"))]


def samples(text: str, unit: str = "us", old: bool = False) -> list[One]:
    """``thread: cycle: value`` lines, each with an end; up to 0.83 each thread's first is no sample."""
    values: dict[int, list[int]] = {}
    for thread, value in re.findall(r"^ *(\d+): *\d+: *(-?\d+)(?: +\d+)?\n", text, re.M):
        values.setdefault(int(thread), []).append(int(value))
    threads = status(text, unit)
    found = []
    for thread, kept in values.items():
        kept = kept[1:] if old else kept
        n = max(len(kept), threads[thread].n or 0 if thread in threads else 0)
        found.append(One(n, ns(min(kept), unit), ns(max(kept), unit), None if thread in threads else 0))
    return found


def verbose(text: str) -> Runs:
    return [samples(text)]


def verbose_old(text: str) -> Runs:
    return [samples(text, old=True)]


def nanoseconds(text: str) -> Runs:
    return cyclictest(text, "ns")


def rows(text: str, pattern: str = r"^(\d{5,6})[ ,]([\d\t ,]+)$") -> list[tuple[int, list[int]]]:
    """The rows of a histogram."""
    return [
        (int(label), [int(n) for n in re.split(r"[\s,]+", cells.strip())])
        for label, cells in re.findall(pattern, text, re.M)
    ]


def counted(table: list[tuple[int, list[int]]], width: int = 1000, clamped: bool = False) -> list[One]:
    """The series of a table without footers; the last row of a clamped one has no upper end."""
    found = []
    for column in range(len(table[0][1])):
        full = [(label, cells[column]) for label, cells in table if cells[column]]
        if full:
            over = dict(full).get(table[-1][0], 0) if clamped else None
            found.append(One(sum(n for _, n in full), Decimal(full[0][0] * width), None, over))
    return found


def old_histogram(text: str) -> Runs:
    """Up to 0.44: rows and a Total, what lies beyond is not counted; no minimum, and a maximum that is a row's."""
    found = counted(rows(text))
    assert row(text, "Total") == [one.n for one in found], "rows and Total"
    return [found]


def clamped_histogram(text: str) -> Runs:
    """0.45 to 0.55: what lies beyond is in the last row."""
    found = counted(rows(text), clamped=True)
    assert row(text, "Total") == [one.n for one in found], "rows and Total"
    return [found]


def parted(mark: str, reader: Callable[[str], Runs]) -> Callable[[str], Runs]:
    """Several runs, each of which begins with a line."""

    def read(text: str) -> Runs:
        pieces = re.split(rf"^(?={mark})", text, flags=re.M)
        return [run for piece in pieces[1:] for run in reader(piece)]

    return read


def status_screens(text: str) -> Runs:
    """One run however often its lines were painted."""
    return cyclictest(text)


# JSON


def rt_tests_json(text: str) -> Runs:
    """Threads of a file of rt-tests; what is no JSON of it is mended as far as one can see it."""
    text = re.sub(r'^ *"cmdline.*$', "", text, flags=re.M).replace("-nan", "null").replace("nan", "null")
    document = json.loads(text[text.index("{") : text.rindex("}") + 1])
    unit = "ns" if document.get("resolution_in_ns") else "us"
    found = []
    for thread in document["thread"].values():
        receiver = thread.get("receiver", thread)
        source = receiver if "min" in receiver else thread
        cycles = source.get("cycles", source.get("samples", thread.get("cycles")))
        bins = sum(thread.get("histogram", {}).values())
        over = cycles - bins if bins else None
        if cycles:
            found.append(One(cycles, ns(source["min"], unit), ns(source["max"], unit), over))
    return [found]


def deadline_json(text: str) -> Runs:
    """cyclicdeadline's min may be the one after the least."""
    return [[one._replace(low=None) for one in run] for run in rt_tests_json(text)]


def deadline(text: str) -> Runs:
    return [[one._replace(low=None) for one in run] for run in cyclictest(text)]


def pairs_json(text: str) -> Runs:
    """Pairs: one of the two counts, the other measures."""
    found = []
    for pair in json.loads(text)["thread"].values():
        receiver = pair["receiver"]
        n = next(side["samples"] for side in (receiver, pair.get("sender", {}), pair) if "samples" in side)
        found.append(One(n, ns(receiver["min"], "us"), ns(receiver["max"], "us")))
    return [found]


# the rest of rt-tests


def pairs(text: str) -> Runs:
    """The last head and results of each pair: heads first, then results."""
    heads = dict(re.findall(r"^#\d+: .*; #(\d+): .*Cycles (\d+)", text, re.M))
    last = {
        pair: (low, high) for pair, low, high in re.findall(r"^#(\d+) -> #\d+, Min +(\d+), .*Max +(\d+)", text, re.M)
    }
    return [[One(int(heads[pair]), ns(low, "us"), ns(high, "us")) for pair, (low, high) in last.items()]]


def signal_ring(text: str) -> Runs:
    """Thread 0 times the ring; the others' times hold its pause, and are nobody's latency."""
    c, low, high = re.findall(r"^T: 0 .*C: *(\d+) Min: *(\d+) .*Max: *(\d+)", text, re.M)[-1]
    others = set(re.findall(r"^T: *(\d+) ", text, re.M)) - {"0"}
    return [[One(int(c), ns(low, "us"), ns(high, "us")), *[One()] * len(others)]]


def signal_json(text: str) -> Runs:
    """As `signal_ring`."""
    first, *others = json.loads(text)["thread"].values()
    return [[One(first["cycles"], ns(first["min"], "us"), ns(first["max"], "us")), *[One() for _ in others]]]


def migrate_json(text: str) -> Runs:
    return [[One(10, ns(task["min"], "us"), ns(task["max"], "us")) for task in json.loads(text)["thread"].values()]]


def oslat(text: str) -> Runs:
    """The rows of all cores, the last including overflows."""
    cores = len(re.search(r"Core:\s+([\d ]+)", text)[1].split())  # type: ignore[index]
    table = [
        [int(cell) for cell in cells.split()]
        for cells in re.findall(r"^ +[\d.]+ \(us\):\s+([\d ]+?)(?: \(incl.*)?$", text, re.M)
    ]
    high = re.search(r"Maximum:\s+([\d. ]+) \(us\)", text)[1].split()  # type: ignore[index]
    return [
        [One(sum(line[core] for line in table), None, ns(high[core], "us"), table[-1][core]) for core in range(cores)]
    ]


def oslat_json(text: str) -> Runs:
    """The last bucket of each core holds what lies beyond it."""
    unit = "ns" if "-W" in text else "us"
    found = []
    for core in json.loads(text)["thread"].values():
        bins = list(core["histogram"].values())
        found.append(One(sum(bins), None, ns(core["max"], unit), bins[-1]))
    return [found]


def migrate(text: str) -> Runs:
    """Ten rows of every task; Min and Max of each."""
    return [
        [One(10, ns(low, "us"), ns(high, "us"), 0) for high, low in re.findall(r"Max: (\d+) us\n +Min: (\d+) us", text)]
    ]


def hwlatdetect(text: str) -> Runs:
    """Max Latency, else the greatest of its lines."""
    if found := re.search(r"Max Latency: (\d+)us", text):
        return [[One(None, None, ns(found[1], "us"))]]
    gaps = [max(int(a), int(b)) for a, b in re.findall(r"inner:(\d+), outer:(\d+)", text)]
    return [[One(None, None, ns(max(gaps), "us"))]] if gaps else [[One()]]


def queuelat(text: str) -> Runs:
    """Rows of a histogram in ns."""
    found = [(int(low), int(n)) for low, n in re.findall(r"^\[(\d+) - \w+\] = (\d+)", text, re.M) if int(n)]
    return [[One(sum(n for _, n in found), Decimal(found[0][0]), None, 0)]]
