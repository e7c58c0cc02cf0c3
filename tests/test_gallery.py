"""The README's pictures: each notebook has one, and the script makes it."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted(path.stem for path in ROOT.glob("notebooks/*.ipynb"))
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def size_of(picture: Path) -> tuple[int, int]:
    """Return width and height of a PNG, from its header."""
    head = picture.read_bytes()[:24]
    assert head[:8] == SIGNATURE
    width, height = struct.unpack(">II", head[16:24])
    return width, height


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_each_notebook_has_a_picture_that_the_readme_shows(name: str) -> None:
    picture = ROOT / "gallery" / f"{name}.png"
    assert picture.stat().st_size < 200_000
    assert size_of(picture)[0] >= 600
    assert f"gallery/{name}.png" in (ROOT / "README.md").read_text("utf-8")


def test_no_picture_is_of_a_notebook_that_is_gone() -> None:
    assert {path.stem for path in (ROOT / "gallery").glob("*.png")} <= set(NOTEBOOKS)


def test_the_script_makes_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("gallery_main", ROOT / "gallery" / "__main__.py")
    assert spec
    assert spec.loader
    gallery = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gallery)
    monkeypatch.setattr(gallery, "picture", lambda name: tmp_path / f"{name}.png")
    assert gallery.main(["deadline"]) == 0
    (made,) = tmp_path.iterdir()
    assert made.name == "deadline.png"
    assert size_of(made)[0] > 600
    assert made.stat().st_size > 20_000, "curves were drawn"
