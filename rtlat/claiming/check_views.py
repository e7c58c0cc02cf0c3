"""Checked claims as people read them in a terminal, as a comment on a pull request, and as plain values for JSON."""

from __future__ import annotations

import html
import math
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from rtlat.claiming.checking import Checked
from rtlat.claiming.claims import TABLE, Claim
from rtlat.claiming.findings import REFUTED, SUPPORTED, UNDECIDED, Decision, Needs
from rtlat.errors import printable

STANDING = (
    "Supported means: under the measured load, with the confidence that is claimed, and if cycles are independent"
    " where no bursts are named. A test shows what happened while it ran; the worst observed is not the worst case."
)
"""Stands under every table of claims."""

_INDENT, _WIDTH = " " * 12, 118
"""Of what stands under a claim. [characters]"""

_MOST = 4
"""Runs that are named one by one."""


def count(checked: Checked) -> str:
    """Return how many claims have which outcome."""
    outcomes = [decision.outcome for decision in checked.decisions]
    told = [f"{outcomes.count(each)} {each}" for each in (SUPPORTED, REFUTED, UNDECIDED) if each in outcomes]
    return f"{len(outcomes)} claim{'s' * (len(outcomes) != 1)}: {', '.join(told)}"


def text(checked: Checked) -> str:
    """Return claims, outcomes and reasons as lines for a terminal."""
    lines = []
    for decision in checked.decisions:
        claim = decision.claim
        named = claim.name != claim.text
        lines += [f"{decision.outcome:<10}  {claim.name if named else asserted(claim)}"]
        lines += _sentence(asserted(claim)) if named else []
        lines += _sentence(decision.why)
        lines += _sentence(f"takes: {decision.needs.text}") if decision.needs.text else []
        lines += [line for row in _each(decision) for line in _sentence(row)]
        lines += [*(_sentence(f"claimed because: {claim.reason}") if claim.reason else []), ""]
    return "\n".join(printable(line) for line in [*lines, f"{count(checked)}.", "", *_sentence(STANDING, "")])


def asserted(claim: Claim) -> str:
    """Return a claim with all that it is subject to.

    Examples
    --------
    >>> from rtlat.claiming.assertions import parse
    >>> asserted(Claim("", "max <= 5us", "", parse("max <= 5us"), load="stress*"))
    'max <= 5us, under the load stress*, with 95 % confidence'
    """
    conditions = [
        f"under the load {claim.load}" if claim.load else "",
        f"at a period of {claim.period / 1000:g} us" if claim.period == claim.period else "",
        "as printed" if claim.about == TABLE else f"with {claim.confidence} % confidence",
    ]
    return ", ".join([claim.text, *filter(None, conditions)])


def _each(decision: Decision) -> Iterator[str]:
    """What each further run says that refutes a claim, or leaves it open."""
    told = [one for one in decision.findings if one.outcome == decision.outcome != SUPPORTED]
    further = [one for one in told if f"{one.about}: {one.why}" not in decision.why]
    for one in further[:_MOST]:
        yield f"- {one.about}: {one.why}"
    if len(further) > _MOST:
        yield f"- and {len(further) - _MOST} more"


def _sentence(words: str, indent: str = _INDENT) -> list[str]:
    """A sentence on lines of a readable width."""
    return textwrap.wrap(words, _WIDTH, initial_indent=indent, subsequent_indent=indent)


def markdown(checked: Checked) -> str:
    """Return a comment on a pull request: a table of claims, with the reasons."""
    lines = [f"### Latency claims: {checked.outcome}", "", f"{count(checked)} in `{_plain(checked.path.name)}`.", ""]
    lines += ["| | claim | why | what it would take |", "|---|---|---|---|"]
    for decision in checked.decisions:
        claim = decision.claim
        name = (
            f"{_plain(claim.name)}<br>{_plain(asserted(claim))}"
            if claim.name != claim.text
            else _plain(asserted(claim))
        )
        outcome = decision.outcome if decision.outcome == SUPPORTED else f"**{decision.outcome}**"
        lines.append(f"| {outcome} | {name} | {_plain(decision.why)} | {_plain(decision.needs.text)} |")
    return "\n".join([*lines, "", STANDING, ""])


def _plain(words: str) -> str:
    """Words in which no Markdown, HTML or mention is left.

    Examples
    --------
    >>> _plain("a|b <script> *x* @you")
    'a\\\\|b &lt;script&gt; \\\\*x\\\\* @\\u200byou'
    """
    escaped = re.sub(r"([\\`*_\[\]|~#])", r"\\\1", printable(words))
    return html.escape(escaped, quote=False).replace("@", "@\u200b")


def json_of(checked: Checked) -> dict[str, Any]:
    """Return checked claims as plain values: unknown is None, never infinite or NaN."""
    return {
        "schema": 1,
        "outcome": checked.outcome,
        "claims_file": checked.path.name,
        "claims": [_decision(decision) for decision in checked.decisions],
    }


def _decision(decision: Decision) -> dict[str, Any]:
    """One claim."""
    claim = decision.claim
    findings = [
        {"about": one.about, "outcome": one.outcome, "why": one.why, "takes": _needs(one.needs)}
        for one in decision.findings
    ]
    return {
        "name": claim.name,
        "claim": claim.text,
        "about": claim.about,
        "confidence": float(claim.confidence),
        "reason": claim.reason,
        "outcome": decision.outcome,
        "why": decision.why,
        "takes": _needs(decision.needs),
        "findings": findings,
    }


def _needs(needs: Needs) -> dict[str, Any] | None:
    """What it would take, None if nothing is missing."""
    if not needs.text:
        return None
    seconds = needs.seconds if math.isfinite(needs.seconds) else None
    return {"text": needs.text, "n": needs.n, "seconds": seconds, "runs": needs.runs}
