"""What a report on large latencies says first: worst observed, evidence for a limit, estimated levels, in sentences."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from rtlat.display.answers import folded
from rtlat.display.look import shortened
from rtlat.display.markup import Html
from rtlat.selection import divisor
from rtlat.tails.evidence_tables import plan_of, shown_duration
from rtlat.tails.examined import Examined
from rtlat.tails.levels import NUMBER_REACH, STANDING, Level
from rtlat.tails.plan import Plan
from rtlat.tails.tail import Tail

_MOST = 3
"""Estimated levels that are named."""


def answer(examined: Sequence[Examined], limit: str = "", confidence: str | float = 95) -> Html:
    """Return what was observed and what may be said beyond it: a few sentences for each quantity.

    Parameters
    ----------
    examined : sequence of Examined
        As `rtlat.tails.examined.of` gives them.
    limit : str
        Such as ``"50us"``; none if empty.
    confidence : str or float
        [%]
    """
    groups: dict[tuple[str, str], list[Examined]] = {}
    for one in examined:
        groups.setdefault(one.group, []).append(one)
    parts = []
    for (quantity, unit), runs in sorted(groups.items(), key=lambda group: -len(group[1])):
        further = "".join(
            f"<li>{sentence}</li>" for sentence in (*_limit(runs, limit, confidence), *_levels(runs, unit))
        )
        first = f"<b>{html.escape(quantity)} [{html.escape(unit)}]</b>: {_worst(runs, unit)} {_count(runs)}"
        parts.append(f"<li>{first}{f'<ul>{further}</ul>' if further else ''}</li>")
    return Html(f"{folded(parts)}{standing()}")


def standing() -> Html:
    """Return the sentence that stands under every estimated level."""
    return Html(f"<p><b>{html.escape(STANDING)}</b></p>")


def _who(one: Examined) -> str:
    """A run in a sentence, with what was compared."""
    words = dict.fromkeys(word for word in (one.approach, one.load) if word not in ("unknown", one.name))
    about = [shortened(word, 24, tail=False) for word in words]
    return html.escape(", ".join(filter(None, [" · ".join(about), one.name])))


def _worst(runs: Sequence[Examined], unit: str) -> str:
    """The worst observed, with n and duration."""
    one = max(runs, key=lambda one: one.worst.low)
    n = f"{one.distribution.total:,}" if one.distribution.total else "unknown"
    basis = f"n {n}, duration {shown_duration(one)}"
    return f"worst observed <b>{html.escape(one.worst.text(unit))}</b> ({_who(one)}; {basis})."


def _limit(runs: Sequence[Examined], limit: str, confidence: str | float) -> list[str]:
    """In how many runs a limit was reached, and what the run says that has most evidence against it."""
    if not limit:
        return []
    known = [(one, found) for one in runs if isinstance(found := plan_of(one, limit, confidence), Plan)]
    if not known:
        return []
    reached = sum(found.counted.low > 0 for _, found in known)
    told = f"{len(known)} runs that tell" if len(known) > 1 else "the one run that tells"
    first = f"{html.escape(known[0][1].limit)} was reached in {reached or 'none'} of {told}."
    one, best = min(known, key=lambda item: (item[1].counted.high / item[1].n, -item[1].n))
    return [first, f"{_who(one)}: {html.escape(best.text())}."]


def _count(runs: Sequence[Examined]) -> str:
    """How many tails can be extrapolated."""
    fitted = sum(isinstance(one.tail, Tail) for one in runs)
    if len(runs) == 1:
        return f"Its tail can{'' if fitted else 'not'} be extrapolated."
    return f"{fitted or 'None'} of {len(runs)} tails can be extrapolated."


def _levels(runs: Sequence[Examined], unit: str) -> list[str]:
    """Levels at the highest power of ten for which there is a number."""
    sentences = []
    for one, tail in [(one, one.tail) for one in runs if isinstance(one.tail, Tail)][:_MOST]:
        cycles = 10.0 ** math.floor(math.log10(NUMBER_REACH * tail.n))
        found = tail.level(cycles)
        if isinstance(found, Level):
            text = found.over(divisor(one.distribution)).text(unit)
            sentences.append(f"One cycle in {cycles:,.0f} exceeds the {html.escape(text)} ({_who(one)}).")
    return sentences
