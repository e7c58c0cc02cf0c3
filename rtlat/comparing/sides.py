"""One side of a comparison: what a run says of itself, and what its tool and command line tell besides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rtlat.display.look import stated
from rtlat.intervals import Distribution

_SKIPPING = {"cyclictest": "late activations are skipped and not counted"}
"""Tools whose source tells what no line of their output does."""


@dataclass(frozen=True)
class Side:
    """One run of a comparison.

    Attributes
    ----------
    facts : mapping
        Its row of ``runs``.
    d : Distribution
        What was measured, its series together unless they are compared one by one.
    parts : tuple of Distribution
        The series by themselves.
    priorities : tuple of int
        The real-time priorities stated for them.
    """

    facts: Mapping[str, Any]
    d: Distribution
    parts: tuple[Distribution, ...] = ()
    priorities: tuple[int, ...] = ()

    @property
    def run(self) -> str:
        """Its key."""
        return self.d.run or self.says("run")

    def says(self, name: str) -> str:
        """A column of runs as text, empty if it is not stated."""
        return stated(self.facts.get(name))

    def number(self, name: str) -> float:
        """A column of runs as a number, NaN if it is not stated."""
        return float(self.facts[name]) if self.says(name) else math.nan

    @property
    def power_states(self) -> str:
        """What the tool asked of idle states: as its output says, else as its command line asks."""
        if known := self.says("power_states"):
            return known
        command = self.says("command")
        if self.says("tool") != "cyclictest" or not command:
            return ""
        given = command.split()
        if any(word.startswith(("--laptop", "--default-system")) for word in given):
            return "left to the system"
        asked = [word for word in given if word.startswith(("--latency", "-e"))]
        return f"as asked ({' '.join(asked)})" if asked else "held in C0 by the tool"

    @property
    def overruns(self) -> str:
        """What the tool does with late activations."""
        return self.says("overrun_policy") or _SKIPPING.get(self.says("tool"), "")

    @property
    def left_out(self) -> float:
        """Activations that were due and are in no count; NaN if unknown."""
        if self.d.missed is not None:
            return float(self.d.missed)
        due = self.number("duration") * 1e9 / self.number("period") * max(1, len(self.parts))
        asked = self.says("duration_basis") in ("requested", "card", "printed")
        return max(0.0, due - self.d.total) if asked and self.d.total and not math.isnan(due) else math.nan


def conditions(side: Side) -> tuple[str, ...]:
    """Return what the runs of one arm must have in common to be repeats of each other: treatment and conditions."""
    names = (
        "approach",
        "kernel",
        "cmdline",
        "context",
        "load",
        "machine",
        "cpu",
        "cpu_mhz",
        "tool",
        "period",
        "evidence",
    )
    stopped = str(side.says("ended") == "stopped at threshold")
    told = str(side.d.total is not None)
    return (
        side.d.quantity,
        side.d.unit,
        *map(side.says, names),
        side.says("evidence"),
        side.power_states,
        stopped,
        told,
    )
