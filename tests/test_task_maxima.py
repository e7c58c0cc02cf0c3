"""Published task maxima: what the mail's lines state, and what damage leaves of them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from rtlat.errors import LogError
from rtlat.formats.task_maxima import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

ROOT = Path(__file__).resolve().parent.parent
MAXIMA = ROOT / "data/seeds/task-maxima.txt"
# As the mail prints them, T0 to T4, in microseconds.
PRINTED = [[2123, 2556, 2882, 2993, 2888], [423, 372, 756, 802, 1208], [84, 114, 120, 117, 158]]


def parse(text: str) -> list[Run]:
    return list(FORMAT.parse(Source(None, "log", text.encode())))


def highs(run: Run) -> dict[str, float]:
    """Task -> its printed maximum [ns, or as printed]."""
    rows = run.rows.arrays()
    return dict(zip(rows["series"].tolist(), rows["high"].tolist(), strict=True))


def test_the_mail_as_it_stands(seeds: Path) -> None:
    (mail,) = seeds.glob("003_*")
    runs = list(FORMAT.parse(Source(mail, mail.name)))
    assert [[high / 1000 for high in highs(run).values()] for run in runs] == PRINTED
    for run in runs:
        rows = run.rows.arrays()
        assert rows["series"].tolist() == ["T0", "T1", "T2", "T3", "T4"]
        assert rows["n"].tolist() == [-1] * 5
        assert rows["low"].tolist() == [-math.inf] * 5
        assert set(rows["unit"]) == {"ns"}
        assert set(rows["quantity"]) == {"deviation"}
        assert [facts["priority"] for facts in run.series.values()] == [60, 59, 58, 57, 56]
        assert [facts["period"] for facts in run.series.values()][:2] == [1e6, 2e6]
        assert all(math.isnan(facts["period"]) for facts in list(run.series.values())[2:])
        assert run.facts["evidence"] == "printed table"
        assert run.facts["duration"] == 3600
        assert run.facts["load"] == "load average ~4.0"
        assert run.rejected.total == 0
    assert [line for run in runs for line in run.rows.arrays()["line"].tolist()] == [
        *range(67, 72),
        *range(75, 80),
        *range(84, 89),
    ]
    assert runs[1].facts["variant"].endswith("(seperated timer softirqd PRIO=70)")
    assert len({run.facts["variant"] for run in runs}) == 3


def test_only_the_mail_is_claimed(seeds: Path) -> None:
    claimed = [
        path.name[:3]
        for path in sorted(seeds.iterdir())
        if any(mark.match(line.text) for line in Source(path, path.name).head() for mark in FORMAT.marks)
    ]
    assert claimed == ["003"]


def test_the_lines_alone_have_no_unit(seeds: Path) -> None:
    runs = list(FORMAT.parse(Source(MAXIMA, MAXIMA.name)))
    assert [list(highs(run).values()) for run in runs] == PRINTED
    assert {unit for run in runs for unit in run.rows.arrays()["unit"]} == {"unknown"}
    assert any("names no unit" in warning for warning in runs[0].warnings)
    (mail,) = seeds.glob("003_*")
    assert set(MAXIMA.read_text().split("\n")) <= set(mail.read_text("utf-8").split("\n"))


def test_damage_a_quoted_block_and_a_cut_end() -> None:
    path = ROOT / "tests/data/seeds/maxima-two-blocks-cut.txt"
    runs = list(FORMAT.parse(Source(path, path.name)))
    assert [highs(run) for run in runs] == [{"T0": 41_000, "T2": 77_000}, {"T0": 410_000}, {"T0": 410_000}]
    assert [run.quoted for run in runs] == [False, False, True]
    assert runs[0].rejected.reasons == {"damaged maximum": [1, 7], "cut last line": [1, 14]}
    assert runs[0].series["T0"] == {"priority": 60, "period": 500_000.0}
    assert runs[0].facts["variant"] == "Timers in a thread of their own"


def test_two_units_are_none() -> None:
    (run,) = parse("Deviation in microseconds.\nJitter in nanoseconds.\n[T0 Prio: 60] 12\n")
    assert run.rows.arrays()["unit"].tolist() == ["unknown"]
    assert any("ns, us" in warning for warning in run.warnings)


def test_a_task_that_comes_again_begins_another_run() -> None:
    first, second = parse("[T0 Prio: 60] 12\n[T1 Prio: 59] 13\n[T0 Prio: 60] 5\n")
    assert (highs(first), highs(second)) == ({"T0": 12.0, "T1": 13.0}, {"T0": 5.0})


def test_nothing_readable_is_an_error() -> None:
    with pytest.raises(LogError, match=r"^log: found no maximum"):
        parse("[T0 Prio: 60] soon\n")
