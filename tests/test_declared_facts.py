"""Declared facts: the figures of the documents' text, and errors that name the line."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path

import pytest

from rtlat.errors import LogError
from rtlat.formats.declared_facts import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

ROOT = Path(__file__).resolve().parent.parent
FACTS = ROOT / "data/seeds/facts.toml"

ONE = """[[fact]]
run = "a"
document = "a mail"
line = 66
evidence = "prose"
quantity = "irq"
statistic = "max"
value = 35
unit = "us"
"""


def parse(text: str) -> list[Run]:
    return list(FORMAT.parse(Source(None, "facts.toml", text.encode())))


def test_the_documents_figures() -> None:
    stated = {}
    for run in FORMAT.parse(Source(FACTS, "facts.toml")):
        rows = run.rows.arrays()
        for kind, quantity, low, avg, high in zip(
            *(rows[name] for name in ("kind", "quantity", "low", "avg", "high")), strict=True
        ):
            stated[run.facts["variant"], quantity, kind] = (low / 1000, avg / 1000, high / 1000)
        assert (rows["n"] == -1).all()
    unknown = math.inf
    expected = {
        ("rtirq low priority", "irq", "summary"): (-unknown, math.nan, 500.8),
        ("rtirq low priority", "irq", "quantile"): (486.1, math.nan, 486.1),
        ("rtirq headline", "irq", "summary"): (-unknown, math.nan, 5),
        ("Sinclair, isolated CPU", "irq", "summary"): (-unknown, math.nan, 35),
        ("Sinclair, isolated CPU", "user", "summary"): (-unknown, math.nan, 171),
        ("RedHawk, as claimed", "irq", "summary"): (-unknown, math.nan, 10),
        ("lil on a P5 at 166 MHz", "irq", "summary"): (-unknown, 5, 15.4),
        ("QNX, as claimed", "irq", "summary"): (-unknown, math.nan, 5),
        ("Kjeldaas, lil v3", "irq", "summary"): (3.9, math.nan, 20.3),
        ("tglx, USB plugging", "unknown", "summary"): (2000, math.nan, 5000),
        ("Shepherd, load task 3 s", "round_trip", "summary"): (9, math.nan, 29),
        ("Shepherd, load task 3 ms", "round_trip", "summary"): (9, math.nan, 29),
    }
    assert list(stated) == list(expected)
    for key, numbers in expected.items():
        assert stated[key] == pytest.approx(numbers, nan_ok=True), key


def test_each_figure_stands_in_its_document(seeds: Path) -> None:
    for fact in tomllib.loads(FACTS.read_text())["fact"]:
        (document,) = seeds.glob(fact["document"][:3] + "_*")
        text = document.read_text("utf-8").split("\n")[fact["line"] - 1]
        figures = [figure.replace(",", ".") for figure in re.findall(r"\d+(?:[.,]\d+)?", text)]
        words = {5: "five"}
        if fact["document"].startswith("004") and fact["line"] == 120:
            assert "unchanged" in " ".join(document.read_text("utf-8").split("\n")[119:121])
        elif fact["value"] == 15.4:  # stands at the start of the next line
            assert "(15,4uSec)" in document.read_text("utf-8").split("\n")[fact["line"]]
        else:
            assert str(fact["value"]) in figures or words.get(fact["value"], "?") in text, fact


def test_evidence_and_claims() -> None:
    runs = list(FORMAT.parse(Source(FACTS, "facts.toml")))
    claims = [run.facts["variant"] for run in runs if run.facts["evidence"] == "claim"]
    assert claims == ["rtirq headline", "RedHawk, as claimed", "QNX, as claimed"]
    sinclair = next(run for run in runs if run.facts["variant"].startswith("Sinclair"))
    assert sinclair.facts["duration"] == 24 * 3600
    assert sinclair.facts["note"].endswith("line 66; 001 Sinclair on tech-talk, 2018, line 67")
    shepherd = next(run for run in runs if run.facts["variant"] == "Shepherd, load task 3 s")
    assert shepherd.facts["nominal_n"] == 3_600_000


def test_the_card_names_the_runs_in_their_order() -> None:
    card = tomllib.loads((FACTS.parent / "runs.toml").read_text())["runs"]
    runs = list(FORMAT.parse(Source(FACTS, "facts.toml")))
    names = [card[f"facts.toml#{number}"]["name"] for number in range(1, len(runs) + 1)]
    assert names == [run.facts["variant"] for run in runs]


def test_rows_point_to_their_fact() -> None:
    lines = FACTS.read_text().split("\n")
    for run in FORMAT.parse(Source(FACTS, "facts.toml")):
        for line in run.rows.arrays()["line"]:
            assert lines[line - 1] == "[[fact]]"
            assert lines[line] == f'run = "{run.facts["variant"]}"'


def test_none_of_the_documents_is_claimed(seeds: Path) -> None:
    for path in seeds.iterdir():
        assert not any(mark.match(line.text) for line in Source(path, "x").head() for mark in FORMAT.marks)


def test_units_and_a_quantile() -> None:
    more = ONE.replace('"max"', '"quantile"\nq = 0.999').replace("35", "2557").replace('"us"', '"cycles"')
    (run,) = parse(ONE.replace("35", "0.1").replace('"us"', '"ms"') + more)
    rows = run.rows.arrays()
    assert rows["high"].tolist() == [100_000.0, 2557.0]
    assert rows["unit"].tolist() == ["ns", "cycles"]
    assert rows["q"].tolist()[1] == 0.999
    assert "printed_unit" not in run.facts


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("value = 35", "vlaue = 35", r"facts.toml:8: found the key 'vlaue', .*did you mean 'value'\?"),
        ("line = 66\n", "", r"facts.toml:1: found a fact without 'line'"),
        ("value = 35", "value = true", r"facts.toml:8: found value = True, expected a number"),
        ("value = 35", 'value = "35"', r"facts.toml:8: found value = '35', expected a number"),
        ("value = 35", "value = nan", r"facts.toml:8: found value = NaN, expected a number"),
        ('"prose"', '"log"', r"facts.toml:5: found evidence = 'log', expected printed table or prose or claim"),
        ('"max"', '"p99"', r"facts.toml:7: found statistic = 'p99'"),
        ('"max"', '"quantile"', r"facts.toml:1: found no q"),
        ('"max"', '"quantile"\nq = 99.9', r"facts.toml:8: found q = 99.9, expected a fraction"),
        ('"max"', '"quantile"\nq = nan', r"facts.toml:8: found q = NaN"),
        ('"us"', '"min"', r"facts.toml:9: found unit = 'min'"),
        ('"us"\n', '"us"\nduration = "24"\n', r"facts.toml:10: found duration = '24', expected a time"),
        ('"us"\n', '"us"\ncpu_mhz = -1\n', r"facts.toml:10: found cpu_mhz = -1, expected a positive number"),
        ('"us"\n', '"us"\nnominal_n = 1.5\n', r"facts.toml:10: found nominal_n = 1.5, expected a count"),
        ('"us"\n', '"us"\nload = ""\n', r"facts.toml:10: found load = ''"),
        ('"a mail"', '"a mail', r"facts.toml:3: found no TOML"),
        ("[[fact]]", "title = 1\n[[fact]]", r"facts.toml: found 'title' outside a fact"),
        ('"us"\n', '"us"', r"facts.toml:9: found a last line without line end"),
    ],
)
def test_errors_are_one_line_and_name_the_place(old: str, new: str, message: str) -> None:
    with pytest.raises(LogError, match="^" + message) as error:
        parse(ONE.replace(old, new))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (ONE, r"facts.toml:16: found a second max"),
        (ONE.replace('"max"', '"min"').replace("35", "36"), r"facts.toml:17: found min 36000"),
        (
            ONE.replace('"max"', '"min"').replace('"us"', '"cycles"'),
            r"facts.toml:18: found cycles beside a time",
        ),
        (ONE.replace('"max"', '"min"').replace('"prose"', '"claim"'), r"facts.toml:14: found evidence = 'claim'"),
    ],
)
def test_facts_of_one_run_must_agree(second: str, message: str) -> None:
    with pytest.raises(LogError, match="^" + message):
        parse(ONE + second)
