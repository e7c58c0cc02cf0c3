"""The bar of a long reading: on a terminal, after a second, and nowhere else."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

import rtlat
from rtlat import progress as module
from rtlat.progress import Progress


class Terminal(io.StringIO):
    """A stderr that somebody looks at."""

    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch, after: float = -1.0) -> Terminal:
    """From here on stderr is a terminal, and `after` seconds are long."""
    monkeypatch.setattr(sys, "stderr", Terminal())  # not in a fixture: pytest has its own again for the test
    monkeypatch.setattr(module, "AFTER", after)
    assert isinstance(sys.stderr, Terminal)
    return sys.stderr


def write_log(folder: Path, name: str, lines: int) -> Path:
    path = folder / name
    path.write_bytes(b"".join(b"       0:%8d:%8d\n" % (place, 20 + place % 7) for place in range(lines)))
    return path


def test_a_long_reading_shows_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    write_log(tmp_path, "a.log", 200_000)
    write_log(tmp_path, "b.log", 100_000)
    rtlat.read(tmp_path)
    shown = terminal.getvalue().split("\r")
    assert any("/8.10M" in line and "B/s" in line and "<" in line for line in shown)  # 300,000 lines of 27 bytes
    assert not shown[-1].strip()  # it is wiped away


def test_what_is_quick_has_no_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch, after=1e9)
    rtlat.read(write_log(tmp_path, "a.log", 200_000))
    assert terminal.getvalue() == ""


def test_a_pipe_has_a_rate_and_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with Progress(lambda: None) as progress:
        for _ in range(3):
            progress.advance(5_000_000)
    assert "B/s" in terminal.getvalue()
    assert "%" not in terminal.getvalue()


def test_without_a_terminal_nothing_is_shown_nor_imported(tmp_path: Path) -> None:
    path = write_log(tmp_path, "a.log", 100_000)
    code = (
        "import sys, rtlat.progress, rtlat; rtlat.progress.AFTER = -1.0; "
        f"rtlat.read({str(path)!r}); sys.exit('tqdm' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
