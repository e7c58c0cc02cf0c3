"""Claims files: every mistake is told by file and line, with the nearest word."""

from __future__ import annotations

from pathlib import Path

import pytest

from rtlat.claiming.claims import FILE, TABLE, load
from rtlat.errors import ClaimError

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def write(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A function that writes a claims file."""

    def written(text: str) -> Path:
        path = tmp_path / "claims.toml"
        path.write_text(text, "utf-8")
        return path

    return written


def test_what_stands_in_a_file_is_read(write) -> None:  # type: ignore[no-untyped-def]
    path = write(
        '[defaults]\nconfidence = 99\nload = "stress*"\n\n'
        '[[claim]]\nclaim = "max <= 5us"\nruns = ["a.hist", "b/*"]\nrate = "1/week"\nreason = "why not"\n\n'
        '[[claim]]\n# the second\nname = "two"\nclaim = "p99 <= 1ms"\nload = "idle"\nabout = "table"\n'
        'runs = { kernel = "6.*", machine = ["x", "y"] }\nperiod = "250us"\nquantity = "irq"\nseries = "each"\n'
    )
    first, second = load(path).claims
    assert (first.name, first.confidence, first.load, first.reason) == ("max <= 5us", "99", "stress*", "why not")
    assert first.runs == ((FILE, ("a.hist", "b/*")),)
    assert str(first.rate) == "1/week"
    assert first.where == f"{path}:6"
    assert (second.name, second.load, second.about, second.period) == ("two", "idle", TABLE, 250_000.0)
    assert second.runs == (("kernel", ("6.*",)), ("machine", ("x", "y")))
    assert second.where == f"{path}:14"


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ('[[claim]]\nclaim = "mx <= 5us"\n', 2, "claim: found 'mx <= 5us', expected a claim"),
        ('[[claim]]\nclaim = "max <= 5us"\nlaod = "idle"\n', 3, "unknown key 'laod'; did you mean 'load'?"),
        ('[defaults]\n\nquantitty = "irq"\n[[claim]]\nclaim = "max <= 5us"\n', 3, "did you mean 'quantity'?"),
        ('[defaults]\nclaim = "max <= 5us"\n[[claim]]\nclaim = "max <= 5us"\n', 2, "unknown key 'claim'"),
        ('[[claim]]\nclaim = "max <= 5us"\nquantity = "irqs"\n', 3, "did you mean 'irq'?"),
        ('[[claim]]\nclaim = "max <= 5us"\nruns = { kernl = "6*" }\n', 3, "did you mean 'kernel'?"),
        ('[[claim]]\nclaim = "max <= 5us"\nruns = []\n', 3, "expected a pattern"),
        ('[[claim]]\nclaim = "max <= 5us"\nconfidence = 40\n', 3, "expected more than 50 and less than 100"),
        ('[[claim]]\nclaim = "max <= 5us"\nconfidence = 101\n', 3, "no confidence"),
        ('[[claim]]\nclaim = "max <= 5us"\nperiod = 1000\n', 3, "no known unit"),
        ('[[claim]]\nclaim = "max <= 5us"\nabout = "paper"\n', 3, "'process' (what the system does) or 'table'"),
        ('[[claim]]\nclaim = "p99 <= 5us"\nrate = "1/day"\n', 3, "only max and missed take"),
        ('[[claim]]\nclaim = "p99 <= 5us"\nreference = "x"\n', 3, "only 'no worse' takes"),
        ('[[claim]]\nclaim = "no worse than reference on p99 within 5 %"\nabout = "table"\n', 3, "no table tells"),
        ('[[claim]]\nclaim = "max <= 5us"\n\n[[claim]]\nclaim = "max <= 5us"\n', 5, "a second claim 'max <= 5us'"),
        ('[[claim]]\nclaim = "max <= 5us"\n[[claim]]\nreason = "none"\n', 3, "found no claim in [[claim]]"),
        ("[[claim]]\nclaim = 5\n", 2, "expected words in quotes"),
        ('[[claim]]\nclaim = "max <= 5us\n', 2, "no TOML"),
        ('[[claim]]\nclaim = "max <= 5us"\nquantity = ["irq"]\n', 3, "expected words in quotes"),
        ('[[claim]]\nclaim = "max <= 5us"\nperiod = "0us"\n', 3, "expected more than 0"),
        ('[[claim]]\nclaim = "max <= 5us"\nruns = true\n', 3, "expected a pattern"),
    ],
)
def test_a_mistake_is_told_by_its_line(write, text: str, line: int, told: str) -> None:  # type: ignore[no-untyped-def]
    path = write(text)
    with pytest.raises(ClaimError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "[defaults]\nload = 'idle'\n", "claim = 'max <= 5us'\n", "[claim]\nx = 1\n"])
def test_a_file_without_claims_says_how_to_write_one(write, text: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ClaimError, match=r"write \[\[claim\]\] and claim = "):
        load(write(text))


def test_other_tables_and_files_are_refused(write, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ClaimError, match=r"found the table 'claims', expected \[defaults\] and \[\[claim\]\]"):
        load(write('[[claims]]\nclaim = "max <= 5us"\n'))
    with pytest.raises(ClaimError, match="found nothing, expected a claims file"):
        load(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ClaimError, match="no claims file"):
        load(tmp_path / "binary.toml")
    with pytest.raises(ClaimError, match="no claims file"):
        load(tmp_path)


def test_the_claims_of_the_seeds_are_read() -> None:
    assert len(load(ROOT / "data/seeds/claims.toml").claims) == 3
