"""Trials with known truth: what is claimed, what happened in how many replicates, and the table of it.

Every replicate has a seed of its own, so a table does not depend on how many processes made it.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

Random = np.random.Generator
Outcome = dict[str, bool]


class Claim(NamedTuple):
    """What is to happen in which share of the replicates; without bounds it is only reported."""

    what: str
    least: float = 0.0
    most: float = 1.0

    @property
    def text(self) -> str:
        """The bounds in words."""
        ends = (f"at least {self.least:g}" if self.least > 0 else "", f"at most {self.most:g}" if self.most < 1 else "")
        return ", ".join(filter(None, ends))


@dataclass(frozen=True)
class Case:
    """A law with known truth, and what is claimed of it."""

    title: str
    draw: Callable[[Random], Outcome]
    claims: tuple[Claim, ...]
    replicates: int


class Row(NamedTuple):
    """What happened."""

    title: str
    claim: Claim
    trials: int
    successes: int

    @property
    def share(self) -> float:
        """Share of the replicates in which it happened."""
        return self.successes / self.trials

    def contradicts(self, chance: float = 0.001) -> bool:
        """Whether so few, or so many, would happen with less than this chance if the claim held."""
        from scipy.stats import binom

        few = binom.cdf(self.successes, self.trials, self.claim.least) < chance
        return bool(few or binom.sf(self.successes - 1, self.trials, self.claim.most) < chance)


def case(title: str, draw: Callable[..., Outcome], arguments: tuple[Any, ...], replicates: int, *claims: Claim) -> Case:
    """Return a case whose replicates are drawn with these arguments, after the random numbers."""
    return Case(title, partial(_drawn, draw, arguments), claims, replicates)


def _drawn(draw: Callable[..., Outcome], arguments: tuple[Any, ...], random: Random) -> Outcome:
    """A case's replicate; a partial of a function can be sent to another process."""
    return draw(random, *arguments)


def fewer(cases: Iterable[Case], size: float) -> Iterator[Case]:
    """Yield the same cases with their replicates times `size`."""
    for one in cases:
        yield replace(one, replicates=max(1, round(one.replicates * size)))


def outcomes(case: Case, first: int, last: int) -> list[Outcome]:
    """Some of a case's replicates."""
    seed = zlib.crc32(case.title.encode())
    return [case.draw(np.random.default_rng([seed, place])) for place in range(first, last)]


def rows(case: Case, pool: ProcessPoolExecutor | None = None) -> list[Row]:
    """What happened in all replicates of a case, in several processes if there is a pool of them."""
    cuts = np.linspace(0, case.replicates, min(case.replicates, 20) + 1).astype(int).tolist()
    parts = [(case, first, last) for first, last in pairwise(cuts)]
    made = pool.map(outcomes, *zip(*parts, strict=True)) if pool else (outcomes(*part) for part in parts)
    all_outcomes = [outcome for part in made for outcome in part]
    found = []
    for claim in case.claims:
        told = [outcome[claim.what] for outcome in all_outcomes if claim.what in outcome]
        found.append(Row(case.title, claim, len(told), sum(told)))
    return found


def table(found: Iterable[Row]) -> str:
    """Rows as Markdown."""
    lines = ["| case | what | replicates | share | claim |", "|---|---|---|---|---|"]
    for row in found:
        lines.append(f"| {row.title} | {row.claim.what} | {row.trials} | {row.share:.3f} | {row.claim.text} |")
    return "\n".join(lines)


def report(title: str, introduction: str, cases: Iterable[Case]) -> int:
    """Print the table of all replicates, with progress on stderr; exit status 1 if a claim is contradicted."""
    found: list[Row] = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        every = list(cases)
        for place, one in enumerate(every, 1):
            found += rows(one, pool)
            shares = ", ".join(f"{row.claim.what} {row.share:.3f}" for row in found[-len(one.claims) :])
            print(f"{place}/{len(every)} {one.title}: {shares}", file=sys.stderr, flush=True)
    print(f"# {title}\n\n{introduction}\n{table(found)}")
    return int(any(row.contradicts() for row in found))


def committed(text: str) -> list[list[str]]:
    """Return the cells of each row of a table that was printed."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]
