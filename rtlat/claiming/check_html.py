"""Checked claims in a notebook: one table of all, then each with its reasons."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from rtlat.claiming.check_views import STANDING, asserted, count
from rtlat.claiming.checking import Checked
from rtlat.claiming.findings import Decision
from rtlat.display.markup import Html, joined, shown

if TYPE_CHECKING:
    import pandas as pd

_EMPTY = "No claims: write a claims.toml beside the logs, or name one (-p claims=FILE)."


def answer(checked: Checked) -> Html:
    """Return the outcome of all claims, as sentences and one table."""
    import pandas as pd

    if not checked.decisions:
        return Html(f"<p>{_EMPTY}</p>")
    rows = [
        {
            "outcome": one.outcome,
            "claim": one.claim.name,
            "asserted": asserted(one.claim),
            "it would take": one.needs.text or "-",
        }
        for one in checked.decisions
    ]
    head = f"<p><b>{checked.outcome.capitalize()}.</b> {count(checked)} ({html.escape(checked.path.name)}).</p>"
    return joined([head, shown(pd.DataFrame(rows)), f"<p>{STANDING}</p>"])


def about(decision: Decision) -> Html:
    """Return one claim with its reasons, and what each run says of it."""
    claim = decision.claim
    parts = [
        f"<h3>{html.escape(claim.name)}</h3>",
        f"<p><b>{decision.outcome.capitalize()}</b>: {_text(decision.why)}.</p>",
    ]
    if decision.needs.text:
        parts.append(f"<p>It would take {_text(decision.needs.text)}.</p>")
    parts.append(
        f"<p>Claimed: {_text(asserted(claim))}.{f' Because: {_text(claim.reason)}.' if claim.reason else ''}</p>"
    )
    if len(decision.findings) > 1:
        parts.append(shown(findings(decision)))
    return joined(parts)


def findings(decision: Decision) -> pd.DataFrame:
    """Return what each run, or each comparison, says of a claim."""
    import pandas as pd

    rows = [{"of": one.about, "outcome": one.outcome, "why": one.why} for one in decision.findings]
    return pd.DataFrame(rows)


def _text(words: str) -> str:
    """Words as HTML."""
    return html.escape(words)
