"""Run cards: what they fill, what they may not, and errors that name the line and the nearest key."""

from __future__ import annotations

from pathlib import Path

import pytest

import rtlat
from rtlat import cards
from rtlat.errors import CardError


def write(folder: Path, text: str) -> Path:
    path = folder / "runs.toml"
    path.write_text(text)
    return path


def test_later_tables_win_over_earlier_ones_and_defaults(tmp_path: Path) -> None:
    card = cards.load(
        write(
            tmp_path,
            '[defaults]\nload = "idle"\nperiod = "1ms"\n'
            '[runs."*.log"]\napproach = "stock"\n[runs."rt/*_busy.log"]\nload = "busy"\n'
            '[runs."x.log#2"]\nload = "two"\n',
        )
    )
    assert card.facts(tmp_path / "a.log") == {"load": "idle", "period": 1e6, "approach": "stock"}
    assert card.facts(tmp_path / "rt" / "b_busy.log")["load"] == "busy"
    assert card.facts(tmp_path / "x.log", 1)["load"] == "idle"
    assert card.facts(tmp_path / "x.log", 2)["load"] == "two"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[defaults]\naproach = "rt"\n', r"runs.toml:2: unknown key 'aproach'; did you mean 'approach'\?"),
        ('[defaults]\nload="x"\nperiod = "1000"\n', r"runs.toml:3: period = '1000': .*no known unit"),
        ("[defaults]\ncpu_mhz = -3\n", "runs.toml:2: cpu_mhz = -3: expected a positive number"),
        ("[defaults]\ncpu_mhz = true\n", "expected a text or a number"),
        ('[defaults]\nquantity = "latency"\n', "is none of irq, thread"),
        ('[defaults]\nevidence = "rumour"\n', "is none of log, printed table, prose, claim"),
        ('[default]\nload = "x"\n', r"unknown table 'default'; did you mean 'defaults'\?"),
        ("load = \n", "no run card"),
        ("runs = 3\n", "runs is no table of patterns"),
        ("[runs]\nload = 3\n", "'load' is no table"),
        ("[defaults]\nduration = inf\n", "expected a positive number"),
    ],
)
def test_a_bad_card_is_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CardError, match=message) as caught:
        cards.load(write(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_a_pattern_that_matches_nothing_is_an_error(tmp_path: Path) -> None:
    card = cards.load(write(tmp_path, '[runs."*_bussy.log"]\nload = "busy"\n'))
    with pytest.raises(CardError, match=r"the pattern '\*_bussy.log' matches no log"):
        card.require_matches({tmp_path / "a_busy.log": 1})


def test_a_run_that_the_log_does_not_have_is_an_error(tmp_path: Path) -> None:
    card = cards.load(write(tmp_path, '[runs."a.log#3"]\nload = "busy"\n'))
    card.require_matches({tmp_path / "a.log": 3})
    with pytest.raises(CardError, match="asks for run 3 of a log that has 2"):
        card.require_matches({tmp_path / "a.log": 2})


def test_the_card_beside_the_log_or_one_folder_up_is_found(tmp_path: Path) -> None:
    (tmp_path / "rt" / "deep").mkdir(parents=True)
    path = write(tmp_path, "")
    assert cards.beside(tmp_path / "a.log") == path
    assert cards.beside(tmp_path / "rt" / "a.log") == path
    assert cards.beside(tmp_path / "rt" / "deep" / "a.log") is None


def test_durations_are_seconds_and_periods_nanoseconds() -> None:
    assert cards.value("duration", "10h") == 36_000
    assert cards.value("duration", "90") == 90
    assert cards.value("duration", 1.5) == 1.5
    assert cards.value("period", "250us") == 250_000


def test_a_card_one_folder_up_is_found_from_within(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "boots").mkdir()
    (tmp_path / "runs.toml").write_text('[runs."boots/*"]\nload = "idle"\n')
    (tmp_path / "boots" / "a.txt").write_text("latency cycles: mean 542, max 2100, min 542\n")
    monkeypatch.chdir(tmp_path / "boots")
    assert rtlat.read("a.txt").runs["load"].tolist() == ["idle"]
