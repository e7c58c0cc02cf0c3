"""./run, with stand-ins for Python, uv and conda that only write down what they are asked."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

PYTHON = """#!/bin/sh
echo "$*" >>"$ASKED"
case "$*" in
    *version_info*) echo "$VERSION"; [ "$VERSION" != 3.9.2 ] ;;
    *"import ensurepip"*) [ -z "$NO_ENSUREPIP" ] ;;
    *"-m venv"*) for folder in "$@"; do :; done; mkdir -p "$folder/bin" && cp "$0" "$folder/bin/python" ;;
    *"-m pip install"*" uv") [ -z "$NO_UV" ] && cp "$UV" "${0%python}uv" ;;
    *"-m pip"*) [ -z "$NO_PIP" ] ;;
esac
"""
UV = """#!/bin/sh
echo "uv $*" >>"$ASKED"
"""


@dataclass
class Checkout:
    """A folder with ./run in it and the stand-ins beside it."""

    top: Path

    @property
    def folder(self) -> Path:
        return self.top / "checkout"

    def run(self, *command: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        stands = {name: str(self.top / name.lower()) for name in ("PYTHON", "UV", "ASKED")}
        full = {"PATH": os.defpath, "VERSION": "3.11.2", **stands, **env}
        (self.top / "asked").write_text("")
        return subprocess.run(
            [self.folder / "run", *command], cwd=cwd or self.folder, env=full, capture_output=True, text=True
        )

    def asked(self) -> list[str]:
        return (self.top / "asked").read_text().splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    made.folder.mkdir()
    shutil.copy(ROOT / "run", made.folder / "run")
    for name in ("requirements.lock", "pyproject.toml"):
        (made.folder / name).write_text("")
    for name, text in (("python", PYTHON), ("uv", UV)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return made


def test_first_call_builds_and_later_calls_only_run(checkout: Checkout) -> None:
    first = checkout.run("sh", "-c", 'echo "$VIRTUAL_ENV $PATH"')
    venv = str(checkout.folder / ".venv")
    assert first.returncode == 0
    assert first.stdout.split() == [venv, f"{venv}/bin:{os.defpath}"]
    assert first.stderr.count("\n") == 1
    asked = "\n".join(checkout.asked())
    assert f"-m venv --clear {venv}" in asked
    assert "uv pip sync" in asked
    assert "--require-hashes" in asked
    assert f"--no-deps --no-build-isolation -e {checkout.folder}" in asked
    second = checkout.run("sh", "-c", "exit 7")
    assert (second.returncode, second.stderr, checkout.asked()) == (7, "", [])


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_a_newer_file_updates_the_environment(checkout: Checkout, name: str) -> None:
    checkout.run("true")
    later = (checkout.folder / ".venv/complete").stat().st_mtime + 10
    os.utime(checkout.folder / name, (later, later))
    checkout.run("true")
    asked = "\n".join(checkout.asked())
    assert "uv pip sync" in asked
    assert "-m venv" not in asked


def test_an_interrupted_build_is_made_anew(checkout: Checkout) -> None:
    broken = checkout.run("true", NO_UV="1", NO_PIP="1")
    assert broken.returncode != 0
    assert not (checkout.folder / ".venv/complete").exists()
    assert checkout.run("true").returncode == 0
    assert any("-m venv --clear" in line for line in checkout.asked())


def test_a_moved_checkout_is_made_anew(checkout: Checkout) -> None:
    checkout.run("true")
    elsewhere = checkout.top / "elsewhere"
    checkout.folder.rename(elsewhere)
    elsewhere.with_name("checkout").symlink_to(elsewhere)
    result = checkout.run("sh", "-c", 'echo "$VIRTUAL_ENV"')
    assert result.stdout.strip() == str(elsewhere / ".venv")
    assert any("-m venv --clear" in line for line in checkout.asked())


def test_pip_stands_in_for_uv(checkout: Checkout) -> None:
    result = checkout.run("true", NO_UV="1")
    assert result.returncode == 0
    assert any("pip install --require-hashes -r" in line for line in checkout.asked())
    assert not any(line.startswith("uv") for line in checkout.asked())


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({"VERSION": "3.9.2"}, "3.11 or newer"),
        ({"PYTHON": "no-such-python"}, "not there"),
        ({"NO_ENSUREPIP": "1"}, "apt install python3-venv"),
    ],
)
def test_what_is_missing_is_said_in_one_line(checkout: Checkout, env: dict[str, str], says: str) -> None:
    result = checkout.run("true", **env)
    assert result.returncode == 1
    assert says in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (checkout.folder / ".venv").exists()


def test_an_active_conda_environment_is_used(checkout: Checkout) -> None:
    conda = checkout.top / "conda"
    (conda / "bin").mkdir(parents=True)
    for name, text in (("python", "#!/bin/sh\nexit 0\n"), ("rtlat", "#!/bin/sh\necho from conda\n")):
        (conda / "bin" / name).write_text(text)
        (conda / "bin" / name).chmod(0o755)
    result = checkout.run("rtlat", "report", CONDA_PREFIX=str(conda))
    assert result.stdout == "from conda\n"
    assert not (checkout.folder / ".venv").exists()
    assert checkout.run("true", CONDA_PREFIX=str(conda)).returncode == 0
    assert (checkout.folder / ".venv").exists(), "a command that conda's environment lacks runs in .venv"


def test_any_folder_will_do(checkout: Checkout) -> None:
    assert checkout.run("pwd", cwd=checkout.top).stdout.strip() == str(checkout.top)


def test_nothing_to_run_is_a_usage_error(checkout: Checkout) -> None:
    result = checkout.run()
    assert result.returncode == 2
    assert result.stderr.startswith("usage: ./run ")
