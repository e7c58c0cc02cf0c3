"""The files around the library say the same thing as the library, and as each other."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rtlat

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
RUNTIME: list[str] = PROJECT["dependencies"]
DEVELOPMENT: list[str] = PROJECT["optional-dependencies"]["dev"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
PEERS: list[str] = EXTRAS["bench"]  # only measured against, never used
EXTRA: list[str] = [one for name, extra in EXTRAS.items() if name not in ("dev", "bench") for one in extra]
README = (ROOT / "README.md").read_text("utf-8")
NOTEBOOKS = sorted(ROOT.glob("notebooks/*.ipynb"))

# Imported under another name than the one they are installed by.
INSTALLED_AS = {"hdrh": "hdrhistogram", "jupyter_client": "jupyter-client"}


def normal(name: str) -> str:
    """Return a package's name as both registries would compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def floor(requirement: str) -> tuple[str, str]:
    """Return name and version range of a requirement such as ``numpy>=2.2``."""
    parts = re.fullmatch(r"([\w.-]+?)\s*(>=[\d.]+)", requirement)
    assert parts, f"{requirement!r} is not a name with a floor"
    return normal(parts[1]), parts[2]


def locked() -> dict[str, list[str]]:
    """Return the versions that requirements.lock pins, by package."""
    versions: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE):
        versions.setdefault(normal(name), []).append(version)
    return versions


def written() -> list[Path]:
    """Return the project's own files, which git knows or will know; logs stay as their tools wrote them."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("no git checkout: nothing says which files belong to the project")
    names = [Path(name) for name in listed.stdout.split("\0") if name]
    own = [name for name in names if "data" not in name.parts or name.suffix in (".toml", ".md")]
    return [ROOT / name for name in own if (ROOT / name).is_file()]


def test_environment_yml_equals_pyproject() -> None:
    yaml = pytest.importorskip("yaml")
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    assert (environment["name"], environment["channels"]) == ("rtlat", ["conda-forge"])
    *packages, last = environment["dependencies"]
    assert last == {"pip": ["-e ."]}
    packages.remove("pip")
    wanted = {floor(requirement) for requirement in RUNTIME} | {("python", PROJECT["requires-python"])}
    assert {floor(package) for package in packages} == wanted
    assert len(packages) == len(wanted)


def test_environment_yml_is_what_conda_would_accept() -> None:
    yaml = pytest.importorskip("yaml")
    match_spec = pytest.importorskip("rattler").MatchSpec
    for package in yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))["dependencies"][:-1]:
        spec = match_spec(package, strict=True)
        assert spec.name.normalized == package.split()[0]
    with pytest.raises(Exception, match="unable to parse"):
        match_spec("numpy =>2", strict=True)


def test_lock_covers_the_dependencies() -> None:
    specifiers = pytest.importorskip("packaging.specifiers")
    versions = locked()
    for requirement in RUNTIME + DEVELOPMENT:
        name, range_ = floor(requirement)
        assert versions.get(name), f"{name} is not in requirements.lock: remake it"
        assert all(version in specifiers.SpecifierSet(range_) for version in versions[name])


def test_tests_meet_every_extra() -> None:
    assert set(EXTRA) <= set(DEVELOPMENT)


def test_lock_pins_by_hash_and_names_no_host() -> None:
    text = (ROOT / "requirements.lock").read_text("utf-8")
    assert "://" not in text
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]
    assert len(entries) > len(RUNTIME + DEVELOPMENT)
    assert all("--hash=sha256:" in entry for entry in entries)
    command = re.search(r"uv export .*", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert command
    assert command[0].split(" && ")[0] in text, "CONTRIBUTING.md tells another command than the one that made the lock"


def test_what_is_imported_is_declared() -> None:
    declared = {floor(requirement)[0] for requirement in RUNTIME + EXTRA}
    for path in (ROOT / "rtlat").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for top in {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"rtlat"}:
                assert normal(INSTALLED_AS.get(top, top)) in declared, f"{path.name} imports {top}"


def test_each_dependency_earns_its_place_in_contributing() -> None:
    told = set(
        re.findall(r"\*\*([\w-]+)\*\*", (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## Dependencies")[1])
    )
    assert told == {floor(requirement)[0] for requirement in RUNTIME + DEVELOPMENT + PEERS}


def test_readme_shows_the_formats() -> None:
    table = re.search(r"<!-- formats -->\n(.*?)\n?<!-- /formats -->", README, re.DOTALL)
    assert table
    printed = subprocess.run(
        [sys.executable, "-m", "rtlat", "formats", "--md"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert table[1].strip() == printed.stdout.strip(), "paste `rtlat formats --md` into README.md"


def test_readme_python_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    lines = [line for line in block.splitlines() if line]
    assert len(lines) == 5
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for line in lines:
        if isinstance(ast.parse(line).body[0], ast.Expr):
            assert len(eval(line, names)) > 0, f"{line} shows nothing"
        else:
            exec(line, names)


def test_readme_commands_exist() -> None:
    commands = re.findall(r"^    \./run (rtlat [^#\n]*|pytest)", README, re.MULTILINE)
    assert {"rtlat report", "pytest"} <= {command.strip() for command in commands}
    for command in commands:
        _, *words = shlex.split(command.split(" > ")[0])
        options = {word for word in words if word.startswith("--")}
        if words:
            helped = subprocess.run(
                [sys.executable, "-m", "rtlat", words[0], "--help"], capture_output=True, text=True, check=True
            )
            assert options <= set(re.findall(r"--[\w-]+", helped.stdout)), command


def test_what_readme_links_to_exists() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert (ROOT / target).is_file(), f"README.md points at {target}"


def test_changelog_begins_with_this_version() -> None:
    versions = re.findall(r"^## \[([^]]+)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert versions[0] == rtlat.__version__


def test_licence_is_the_declared_one() -> None:
    licence = (ROOT / "LICENSE").read_text("utf-8")
    assert licence.startswith(f"{PROJECT['license']} License\n")
    assert "Copyright (c) 2026 The rtlat authors" in licence


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_carry_no_outputs(notebook: Path) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "nbstripout", "--keep-id", "--verify", notebook], capture_output=True, text=True
    )
    assert checked.returncode == 0, f"run nbstripout --keep-id {notebook.relative_to(ROOT)}: {checked.stdout}"


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    folders = re.compile(rb"(?<![\w.~/-])/(?:work|root|tmp|home/\w+)/")
    hosts = re.compile(rb"pypi\.org|pythonhosted\.org|anaconda\.org|deb\.debian\.org", re.IGNORECASE)
    for path in written():
        data = path.read_bytes()
        for what in (folders, hosts):
            found = what.search(data)
            assert not found, f"{path.relative_to(ROOT)}: {data[max(0, found.start() - 40) : found.end() + 40]!r}"
