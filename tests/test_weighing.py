"""Memory that rows of all samples would take: said before it is taken, and refused where there is none."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import pytest

import rtlat
from rtlat import weighing
from rtlat.errors import RtlatWarning, UsageError
from rtlat.source import Source

LINE = b"       0:%8d:%8d\n"


@pytest.fixture(scope="module")
def verbose(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300,000 samples."""
    path = tmp_path_factory.mktemp("logs") / "v.log"
    path.write_bytes(b"".join(LINE % (number, 20 + number % 9) for number in range(300_000)))
    path.with_suffix(".gz").write_bytes(gzip.compress(path.read_bytes(), 1))
    return path


@pytest.mark.parametrize(("name", "looked_at"), [("v.log", 2 << 20), ("v.log", 32 << 20), ("v.gz", 7 << 20)])
def test_lines_are_guessed_by_the_beginning(
    verbose: Path, name: str, looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weighing, "_LOOKED_AT", looked_at)
    assert weighing._lines(Source(verbose.with_name(name), name)) == pytest.approx(300_000, rel=0.2)


def test_what_is_much_is_said_and_what_is_too_much_refused(verbose: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "WORTH_SAYING", 1 << 20)
    with pytest.warns(RtlatWarning, match="keep=2000000: 0.3 million samples as rows take about 0.1 GiB"):
        rtlat.read(verbose, keep=2_000_000)
    monkeypatch.setattr(weighing, "_free", lambda: 50 << 20)
    with pytest.raises(UsageError, match=r"about 0.1 GiB, 0.0 GiB are free; keep fewer"):
        rtlat.read(verbose, keep=2_000_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rtlat.read(verbose)  # by default so many are not kept
        monkeypatch.setattr(weighing, "WORTH_SAYING", 1 << 30)
        rtlat.read(verbose, keep=2_000_000)
