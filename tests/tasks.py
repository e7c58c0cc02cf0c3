"""A task for processes that import little: what it does follows from its name."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from rtlat.errors import KernelLostError, ReportError


def work(task: str, tell: Callable[[str], None]) -> str:
    """Do what the task's name says."""
    tell("at work")
    if task.startswith("/"):  # a kernel that is lost the first time
        if not Path(task).exists():
            Path(task).touch()
            raise KernelLostError("gone")
        return f"second {os.getpid()}"
    if task == "lost":
        raise KernelLostError("gone for good")
    if task == "fail":
        raise ReportError("no")
    if task == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return f"done {os.getpid()} {os.environ.get('RTLAT_TEST')} {Path.cwd()}"
