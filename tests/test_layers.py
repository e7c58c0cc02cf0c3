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
ORDER = re.findall(r"^\| `(\w+)` \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE)

LONGEST = 320
HEAVY = {"numpy", "pandas", "scipy", "plotly", "papermill", "nbformat", "nbconvert", "nbclient", "pyarrow"}
NO_FRAMES = {"distribution": {"plotly"}, "stats": {"pandas", "plotly"}, "formats": {"pandas", "plotly", "scipy"}}
NAMES_OF_NOTHING = {"utils", "util", "helpers", "helper", "core", "base", "common", "misc"}


def layer(path: Path) -> str:
    """Return the name that stands in the list for a module: its own, or that of its subpackage."""
    relative = path.relative_to(PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield (dotted module, line) of each import of a module, wherever it stands."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: imports are absolute"
            name = str(node.module)
            inside = name in ("rtlat", "rtlat.formats")
            yield from ((f"{name}.{alias.name}" if inside else name, node.lineno) for alias in node.names)


def family(module: str) -> str:
    """Return the family that a module of `formats` belongs to: a reader's parts are called ``_FAMILY_PART``."""
    return module.lstrip("_").partition("_")[0]


def ours(path: Path) -> Iterator[tuple[str, str, int]]:
    """Yield (layer, module within it, line) of each import of rtlat itself."""
    for name, line in imports(path):
        package, _, rest = name.partition(".")
        if package == "rtlat" and rest and not rest.startswith("_"):
            top, _, within = rest.partition(".")
            yield top, within, line


def test_the_list_names_every_module() -> None:
    assert len(ORDER) == len(set(ORDER))
    assert set(ORDER) == {layer(path) for path in MODULES} - {"__init__"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_run_one_way(path: Path) -> None:
    own = layer(path)
    place = ORDER.index(own) if own in ORDER else len(ORDER)
    for other, within, line in ours(path):
        where = f"{path.relative_to(ROOT)}:{line}"
        if own == other == "formats" and path.stem != "__init__":
            assert within.startswith("_"), f"{where}: formats.{within} is another format"
            assert family(within) == family(path.stem), f"{where}: formats.{within} is a part of another format"
        assert other == own or other in ORDER[:place], f"{where}: {other} does not stand above {own}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_module_is_one_idea(path: Path) -> None:
    assert path.stem not in NAMES_OF_NOTHING
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST
    for name, line in imports(path):
        forbidden = NO_FRAMES.get(layer(path), set())
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
