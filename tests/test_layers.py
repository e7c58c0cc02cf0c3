"""Who imports whom: one way, in the order that CONTRIBUTING.md lists, and nothing heavy before it is needed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "rtlat"
MODULES = sorted(PACKAGE.rglob("*.py"))
ORDER = re.findall(r"^\| `([\w.]+)` \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE)

LONGEST = 320
HEAVY = {"numpy", "pandas", "scipy", "plotly", "papermill", "nbformat", "nbconvert", "nbclient", "pyarrow"}
FOLDERS = {path.parent.relative_to(PACKAGE).as_posix() for path in MODULES if path.stem == "__init__"} - {"."}
NO_FRAMES = {
    "distribution": {"plotly"},
    "statistics": {"pandas", "plotly"},
    "formats": {"pandas", "plotly", "scipy"},
}
NAMES_OF_NOTHING = {"utils", "util", "helpers", "helper", "core", "base", "common", "misc"}


def layer(path: Path) -> str:
    """Return the name that stands in the list for a module; all formats are one layer."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return "formats" if parts[0] == "formats" else ".".join(parts)


def within(name: str) -> tuple[str, str]:
    """Return the layer of what is imported from rtlat by its dotted name, and what of it."""
    first, _, rest = name.partition(".")
    if first in FOLDERS - {"formats"}:
        module, _, rest = rest.partition(".")
        return f"{first}.{module}", rest
    return first, rest


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield (dotted module, line) of each import of a module, wherever it stands."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: imports are absolute"
            name = str(node.module)
            inside = name == "rtlat" or name.removeprefix("rtlat.") in FOLDERS
            yield from ((f"{name}.{alias.name}" if inside else name, node.lineno) for alias in node.names)


def family(module: str) -> str:
    """Return the family that a module of `formats` belongs to: a reader's parts are called ``_FAMILY_PART``."""
    return module.lstrip("_").partition("_")[0]


def ours(path: Path) -> Iterator[tuple[str, str, int]]:
    """Yield (layer, module within it, line) of each import of rtlat itself."""
    for name, line in imports(path):
        package, _, rest = name.partition(".")
        if package == "rtlat" and rest and not rest.startswith("_"):
            yield *within(rest), line


def test_the_list_names_every_module() -> None:
    assert len(ORDER) == len(set(ORDER))
    assert set(ORDER) == {layer(path) for path in MODULES if path.stem != "__init__" or path.parent.name == "formats"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_run_one_way(path: Path) -> None:
    own = layer(path)
    place = ORDER.index(own) if own in ORDER else len(ORDER)
    for other, part, line in ours(path):
        where = f"{path.relative_to(ROOT)}:{line}"
        if own == other == "formats" and path.stem != "__init__":
            assert part.startswith("_"), f"{where}: formats.{part} is another format"
            assert family(part) == family(path.stem), f"{where}: formats.{part} is a part of another format"
        assert other == own or other in ORDER[:place], f"{where}: {other} does not stand above {own}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_module_is_one_idea(path: Path) -> None:
    assert path.stem not in NAMES_OF_NOTHING
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST
    for name, line in imports(path):
        forbidden = NO_FRAMES.get(layer(path).partition(".")[0], set())
        assert name.partition(".")[0] not in forbidden, f"{path.name}:{line} imports {name}"


@pytest.mark.parametrize(
    "code", ["import rtlat", "import rtlat.__main__", "import rtlat.cli; rtlat.cli.main(['--help'])"]
)
def test_starting_loads_nothing_heavy(code: str) -> None:
    report = "import atexit, sys; atexit.register(lambda: print('loaded', *sys.modules, file=sys.stderr))"
    done = subprocess.run([sys.executable, "-c", f"{report}; {code}"], capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    assert loaded[0] == "loaded"
    assert "rtlat" in loaded
    assert not HEAVY & {name.partition(".")[0] for name in loaded}
