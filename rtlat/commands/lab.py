"""``rtlat lab``: the notebooks in JupyterLab."""

from __future__ import annotations

import argparse
import os
import sys

from rtlat.commands.notebooks import notebooks_folder


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: this command has no options."""


def run(options: argparse.Namespace) -> int:
    """Become JupyterLab."""
    os.execvp(sys.executable, [sys.executable, "-m", "jupyterlab", f"--notebook-dir={notebooks_folder().parent}"])
