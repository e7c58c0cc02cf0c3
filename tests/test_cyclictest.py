"""cyclictest's command line, as getopt_long takes it: the recorded commands, and the spellings of each option."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from rtlat.cyclictest import Asked, asked


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cyclictest", Asked()),
        ("", Asked()),
        ("cyclictest -h 200", Asked(limit=200)),
        ("cyclictest -h200", Asked(limit=200)),
        ("cyclictest -H 200", Asked(limit=200)),
        ("cyclictest -mqSh200", Asked(limit=200)),
        ("cyclictest --histogram 200", Asked(limit=200)),
        ("cyclictest --histogram=200", Asked(limit=200)),
        ("cyclictest --histog=200", Asked(limit=200)),
        ("cyclictest --histofall=200 --histfile=h100", Asked(limit=200)),
        ("cyclictest -h200 -h40", Asked(limit=40)),
        ("cyclictest -h5000000", Asked(limit=1_000_000)),
        ("cyclictest -h 0", Asked()),
        ("cyclictest -h", Asked()),
        ("cyclictest -h many", Asked()),
        ("cyclictest -t5 -a1-3 -i200", Asked(interval=200)),
        ("cyclictest -a -h5 -t -i7", Asked(limit=5, interval=7)),
        ("cyclictest -ah5", Asked()),  # the CPU set "h5"
        ("cyclictest -p80 -i 10000 -d 0", Asked(interval=10000, distance=0)),
        ("cyclictest --json=-h5 --policy=rr", Asked()),
        ("cyclictest --latency=10 --laptop --dbg_cyclictest", Asked()),
        ("cyclictest --breaktrace=25 -l2000", Asked(threshold=25, loops=2000)),
        ("cyclictest -D90", Asked(duration=90)),
        ("cyclictest -D 60m", Asked(duration=3600)),
        ("cyclictest -D2H", Asked(duration=7200)),
        ("cyclictest --duration 1d", Asked(duration=86400)),
        ("cyclictest -l10m", Asked(loops=10)),
    ],
)
def test_each_spelling(command: str, expected: Asked) -> None:
    assert asked(command) == expected


def test_the_recorded_commands_ask_for_what_their_tables_have(logs: Path) -> None:
    folder = logs / "recorded/rt-tests"
    checked = 0
    with (folder / "MANIFEST.tsv").open(encoding="utf-8") as manifest:
        for name, command, *_ in csv.reader(manifest, delimiter="\t"):
            dense = re.findall(rb"^(\d{5,6}) \d", (folder / name).read_bytes(), re.MULTILINE) if name != "file" else []
            end = rb"# Total" in (folder / name).read_bytes() if dense else False
            if end and re.match(r"(timeout \S+ |\S*/)?(\S+/)?cyclictest ", command) and "|" not in command:
                rows = [int(label) for label in dense]
                assert asked(command).limit == max(rows) + 1, (name, command)
                checked += 1
    assert checked >= 15
