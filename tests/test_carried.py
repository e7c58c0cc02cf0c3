"""What mails, terminals, loggers and web pages do to a log, tried on a log of every format: nothing of it changes."""

from __future__ import annotations

import quopri
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from test_contract import READABLE, plain

from rtlat.assembly import Reading
from rtlat.decoding import is_quoted_printable
from rtlat.detection import parts
from rtlat.errors import AmbiguousFormatError
from rtlat.filling import fill
from rtlat.protocol import Run
from rtlat.source import Source

NOT_OF_LINES = ("declared_facts", "rteval_xml")  # TOML and XML are carried by no mail line by line


def read(data: bytes) -> Reading:
    reading = Reading(Source(None, "log", data), "")
    fill(reading, None, None)
    return reading


def statements(run: Run, moved: int = 0) -> list[tuple[Any, ...]]:
    """All rows of a run, as they would be if its first line stood `moved` lines higher."""
    arrays = run.rows.arrays()
    arrays["line"] = arrays["line"] - moved
    return sorted(zip(*(map(str, column.tolist()) for column in arrays.values()), strict=True))


def _logs() -> Iterator[tuple[str, Path, str]]:
    """The two smallest logs of each format whose lines may be carried, and are not carried already."""
    seen: dict[str, int] = {}
    for path in sorted(READABLE, key=lambda path: path.stat().st_size):
        data = plain(path.read_bytes())
        if b"\0" in data or data.startswith((b">", b"<")) or b"\n>" in data or is_quoted_printable(data):
            continue
        name = read(data).claims[0][0].name
        if name not in NOT_OF_LINES and seen.get(name, 0) < 2:
            seen[name] = seen.get(name, 0) + 1
            yield name, path, data.decode("utf-8", "replace").removesuffix("\n") + "\n"


LOGS = {f"{name}: {path.relative_to(ROOT)}": text for name, path, text in _logs()}


@pytest.fixture(params=LOGS)
def log(request: pytest.FixtureRequest) -> str:
    return LOGS[request.param]


def each(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "".join(f"{change(line)}\n" for line in text.split("\n")[:-1])


def before(mark: str) -> Callable[[str], str]:
    return each(lambda line: mark + line)


PROSE = "Hello all,\n\nwe ran it on 4 boards, 1000 times; the 2nd is rev 3.14.\n\n"
CARRIERS: dict[str, Callable[[str], str]] = {
    "colours": each(lambda line: f"\x1b[32m{line}\x1b[0m"),
    "repaints": before("\x1b[2K\r"),
    "dmesg": before("[ 1234.567890] "),
    "dmesg -T": before("[Mon Nov 30 10:11:12 2026] "),
    "syslog": before("Nov 30 10:11:12 host tool[42]: "),
    "journalctl": before("2026-11-30T10:11:12+0100 host tool[42]: "),
    "journalctl -o short-monotonic": before("[ 1234.567890] host tool[42]: "),
    "a CI server": before("2026-11-30T10:11:12.1234567Z "),
    "a terminal program": before("[10:11:12.345] "),
    "a mail": before("> "),
    "a mail in a mail": before("> > "),
    "a mail of another program": before("| "),
    "indentation by 4": before("    "),
    "indentation by a tab": before("\t"),
    "HTML entities": each(
        lambda line: re.sub('[<>&"|]', lambda found: f"&#{ord(found[0])};", line).replace("  ", "&nbsp; ")
    ),
    "no-break blanks": each(lambda line: line.replace("  ", "\u00a0 ")),
    "tabs as blanks": each(str.expandtabs),
    "padding": each(lambda line: line + "   "),
    "squeezed blanks": each(lambda line: re.sub(r"[ \t]+", " ", line)),
    "no leading blanks": each(lambda line: re.sub(r"[ \t]+", " ", line).strip()),
    "a fence": lambda text: f"```\n{text}```\n",
    "a web page": lambda text: f"<html><body>\n<pre>\n{text}</pre>\n</body></html>\n",
    "a prompt": lambda text: f"root@host:~# ./tool -q\n{text}root@host:~# \n",
    "blank lines": lambda text: f"\n\n{text}\n\n",
    "a page of prose": lambda text: f"{PROSE}{text}\nBest regards,\nX\n",
    "a quoting answer": lambda text: f"{PROSE}{before('> ')(text)}\nBest regards,\nX\n",
    "an indented answer": lambda text: f"{PROSE}{before('    ')(text)}\nBest regards,\nX\n",
}
MOVED = {"a fence": 1, "a web page": 2, "a prompt": 1, "blank lines": 2}
MOVED |= dict.fromkeys(("a page of prose", "a quoting answer", "an indented answer"), PROSE.count("\n"))

LOST = {
    # rows that end in | look like those of a Markdown table
    ("a mail of another program", "bpf_histogram"),
    # version and unit are told by how many blanks there are
}
TOLD_BY_BLANKS = {"version", "unit_basis", "resolution", "note"}
TOLD_BY_PLACE = {"evidence"}  # a table within prose is a printed one


@pytest.mark.parametrize("carrier", CARRIERS)
def test_what_carries_a_log_changes_nothing(log: str, carrier: str) -> None:
    alone, carried = read(log.encode()), read(CARRIERS[carrier](log).encode())
    name = alone.claims[0][0].name
    if (carrier, name) in LOST:
        assert carried.error or any(run.rejected.total or run.warnings for run in carried.runs)
        return
    assert [known.name for known, _ in carried.claims] == [name], carried.error
    assert not carried.error
    expected = [statements(run) for run in alone.runs]
    assert [statements(run, MOVED.get(carrier, 0)) for run in carried.runs] == expected
    for run, other in zip(alone.runs, carried.runs, strict=True):
        assert run.series == other.series
        apart = {key for key in {*run.facts, *other.facts} if run.facts.get(key) != other.facts.get(key)}
        assert apart <= (
            TOLD_BY_BLANKS if carrier in ("padding", "squeezed blanks", "no leading blanks") else TOLD_BY_PLACE
        )
        if name != "jitterdebugger_samples":  # whose every line is a sample
            assert run.rejected.total == other.rejected.total


def numbers(run: Run) -> list[tuple[Any, ...]]:
    """All rows of a run without their lines."""
    columns = [column.tolist() for name, column in run.rows.arrays().items() if name != "line"]
    return sorted(zip(*(map(str, column) for column in columns), strict=True))


def test_a_mail_in_quoted_printable_changes_nothing(log: str) -> None:
    sent = quopri.encodestring(log.encode())
    if is_quoted_printable(sent):  # else no line was broken
        found = read(sent)
        assert [numbers(run) for run in found.runs] == [numbers(run) for run in read(log.encode()).runs]


def test_a_stop_before_any_line_changes_no_number(log: str) -> None:
    lines = log.split("\n")[:-1]
    expected = [statements(run) for run in read(log.encode()).runs]
    for place in {len(lines) // 2, max(0, len(lines) - 4), len(lines) - 1}:
        stopped = [*lines[:place], f"^C{lines[place]}", *lines[place + 1 :], ""]
        found = read("\n".join(stopped).encode())
        repeated = any("repeat" in warning for run in found.runs for warning in run.warnings)
        assert repeated or [statements(run) for run in found.runs] == expected


FIRST = {key.partition(":")[0]: text for key, text in reversed(LOGS.items())}
TOLD_TWICE = {"cyclictest_text", "rt_tests_json", "lava_results", "jitterdebugger_results", "jitterdebugger_status"}
NEIGHBOURS = [
    (one, other)
    for step in (1, 7)
    for one, other in zip(FIRST, [*list(FIRST)[step:], *list(FIRST)[:step]], strict=True)
    if not {one, other} <= TOLD_TWICE
]


@pytest.mark.parametrize(("one", "other"), NEIGHBOURS)
def test_two_tools_in_one_file_are_read_as_two(one: str, other: str) -> None:
    between = "\nroot@host:~# next\n"
    together = read((FIRST[one] + between + FIRST[other]).encode())
    moved = (FIRST[one] + between).count("\n")
    assert [known.name for known, _ in together.claims] == [one, other]
    expected = [statements(run) for name in (one, other) for run in read(FIRST[name].encode()).runs]
    split = sum(run.format == one for run in together.runs)
    found = [statements(run, moved * (place >= split)) for place, run in enumerate(together.runs)]
    assert found == expected


def test_tools_that_print_at_the_same_time_are_not_told_apart() -> None:
    one, other = FIRST["cyclictest_text"], FIRST["hwlatdetect"]
    with pytest.raises(AmbiguousFormatError, match=r"cyclictest_text \(line 1.*hwlatdetect \(line"):
        parts(Source(None, "log", (one + other + one).encode()))


def test_a_tool_that_prints_dots_itself_left_nothing_out() -> None:
    (run,) = read((ROOT / "tests/data/rt-tests/tool_queuelat.txt").read_bytes()).runs
    assert not any("dots" in warning for warning in run.warnings)


@pytest.mark.parametrize(
    "log", [text for name, text in LOGS.items() if not name.startswith(("rt_tests_oslat", "queuelat"))]
)
def test_lines_left_out_are_told_or_refused(log: str) -> None:
    lines = log.split("\n")[:-1]
    whole = read(log.encode())
    expected = [numbers(run) for run in whole.runs]
    known = {warning for run in whole.runs for warning in run.warnings}
    for place in range(1, len(lines) - 3, max(1, len(lines) // 7)):
        left = read("\n".join([*lines[:place], "...", *lines[place + 2 :], ""]).encode())
        if left.error or [numbers(run) for run in left.runs] == expected:
            continue
        assert any(
            run.facts.get("ended") != "complete" or run.rejected.total or set(run.warnings) - known for run in left.runs
        ), f"line {place + 1}"
