"""Tasks in processes of their own, one for each processor at a time: what fails, or dies, costs no other task."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection, wait
from typing import Any, TextIO

from rtlat.errors import KernelLostError, ReportError

Tell = Callable[[str], None]

_ERASE = "\r\x1b[K"
_BAR = 24
"""Characters of the bar."""


def results(
    work: Callable[[Any, Tell], Any], tasks: Mapping[str, Any], progress: Progress
) -> dict[str, Any | ReportError]:
    """Return what ``work(task, tell)`` returned for each task, or the ReportError that it raised.

    A task whose kernel was lost is begun once more. If the caller is interrupted, all processes are killed, and
    their kernels end with them.

    Parameters
    ----------
    work : callable
        A function of a module; it calls `tell` with what it is doing.
    tasks : mapping
        By the names that progress shows.
    progress : Progress
        Told of every step.
    """
    context = multiprocessing.get_context("forkserver")  # imports once, and forks before threads run
    context.set_forkserver_preload([work.__module__, "papermill", "nbconvert.filters"])
    waiting, lost = list(tasks)[::-1], set[str]()
    running: dict[Connection, tuple[str, Any]] = {}
    found: dict[str, Any] = {}
    try:
        while waiting or running:
            while waiting and len(running) < _processors():
                name = waiting.pop()
                pipe, end = context.Pipe(duplex=False)
                process = context.Process(target=_child, args=(end, work, tasks[name], dict(os.environ)), daemon=True)
                process.start()
                end.close()
                running[pipe] = name, process
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                name, process = running[ready]
                said = _heard(ready, process)
                if isinstance(said, str):
                    progress.at(name, said)
                    continue
                del running[ready]
                ready.close()
                process.join()
                if isinstance(said, KernelLostError) and name not in lost:
                    lost.add(name)
                    waiting.append(name)
                    progress.at(name, "its kernel was lost: once more")
                    continue
                found[name] = said[0] if isinstance(said, tuple) else said
                progress.done(name, f"{name}: failed" if isinstance(found[name], ReportError) else str(found[name]))
    finally:
        for _, process in running.values():
            _end(process)
        progress.stop()
    return {name: found[name] for name in tasks}


def _child(pipe: Connection, work: Callable[[Any, Tell], Any], task: Any, environment: dict[str, str]) -> None:
    """What a process does: a string down the pipe for each step, at last the result in a tuple, or the error."""
    os.setsid()  # an interrupt from the keyboard goes to the caller alone, which ends this process
    os.environ.clear()
    os.environ.update(environment)
    try:
        said: Any = (work(task, pipe.send),)
    except ReportError as error:
        said = error
    pipe.send(said)


def _end(process: Any) -> None:
    """Kill a process and the browsers it started; its kernel sees that it is gone, and ends."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:  # it has no session of its own yet
        process.kill()
    process.join()


def _heard(pipe: Connection, process: Any) -> Any:
    """What a process says; an error if it ended without a word."""
    try:
        return pipe.recv()
    except EOFError:
        process.join()
        return ReportError(f"its process ended with status {process.exitcode}")


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Progress:
    """Lines for whoever waits: one for each result, and on a terminal below them a bar that is repainted.

    Parameters
    ----------
    stream : file, optional
        Where to say it; nothing is said if left out.
    total : int
        How many tasks there are.
    """

    def __init__(self, stream: TextIO | None, total: int) -> None:
        self.stream, self.total, self.ended = stream, total, 0
        self.now: dict[str, str] = {}
        self.since: dict[str, float] = {}
        self.live = stream is not None and stream.isatty()

    def at(self, name: str, text: str) -> None:
        """Say what a task is doing."""
        self.since.setdefault(name, time.monotonic())
        self.now[name] = text
        self._paint()

    def done(self, name: str, text: str) -> None:
        """Say what came of a task."""
        self.now.pop(name, None)
        self.ended += 1
        took = time.monotonic() - self.since.pop(name, time.monotonic())
        if self.stream:
            print(f"{_ERASE * self.live}{text}, {took:.0f} s", file=self.stream, flush=True)
        self._paint()

    def stop(self) -> None:
        """Take the bar away."""
        self.now.clear()
        self._paint()

    def _paint(self) -> None:
        """Draw the bar anew, cut at the terminal's width; nothing if no task is at work."""
        if not self.live:
            return
        filled = round(_BAR * self.ended / self.total)
        doing = ", ".join(f"{name}: {text}" for name, text in self.now.items())
        bar = f"[{'#' * filled}{'.' * (_BAR - filled)}] {self.ended} of {self.total}  {doing}"
        bar = bar[: shutil.get_terminal_size().columns - 1] if self.now else ""
        print(_ERASE + bar, end="", file=self.stream, flush=True)
