"""Where the logs are that tests read: our own in data/ and tests/data/, others' through RTLAT_LOGS."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("rtlat", deadline=None)  # a busy machine is no defect
settings.load_profile("rtlat")

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("RTLAT_LOGS", ROOT.parent / "shared")).resolve()


def _folder(name: str) -> Path:
    """Return a folder of the log collection, or skip."""
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"no log collection: set RTLAT_LOGS to the folder that holds {name}/")
    return folder


@pytest.fixture(scope="session")
def logs() -> Path:
    """Collected logs: recorded/, derived/ and public/."""
    return _folder("logs")


@pytest.fixture(scope="session")
def seeds() -> Path:
    """The five documents the project began with."""
    return _folder("seeds")
