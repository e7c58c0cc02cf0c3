"""What the simulations of `check_simulated` claim, and the runs that they make; `test_simulated` runs them."""

from __future__ import annotations

import numpy as np
from check_simulated import (
    ALWAYS,
    BY_LIMIT,
    BY_P99_9,
    OFTEN,
    RARELY,
    TOGETHER,
    WHOLE,
    N,
    binned,
    cases,
    in_order,
    worse,
)
from comparison_laws import BURSTS, INDEPENDENT, LAWS, RUNS_DIFFER, cycles
from conftest import ROOT

import rtlat

FULL = list(cases())


def test_the_claims_are_those_that_were_promised() -> None:
    """False alarms and false support under every law, power where runs differ, nothing from fewer than five runs."""
    claims = {(case.title, claim.what): claim[1:] for case in FULL for claim in case.claims}
    for law in LAWS:
        for name in (worse(BY_P99_9), worse(BY_LIMIT), TOGETHER):
            assert claims[f"5 runs an arm, {law}, alike", f"refuted: {name}"] == RARELY == (0, 0.06)
        for name in (worse(BY_P99_9), worse(BY_LIMIT)):
            assert claims[f"5 runs an arm, {law}, just beyond: {name}", f"supported: {name}"] == RARELY
            assert claims[f"4 runs an arm, {law}, worse", f"undecided: {name}"] == ALWAYS == (1, 1)
    for name in (worse(BY_P99_9, 5), worse(BY_LIMIT)):
        assert claims[f"5 runs an arm, {RUNS_DIFFER}, worse", f"refuted: {name}"] == OFTEN == (0.80, 1)
    just_beyond = {title for (title, what), bounds in claims.items() if what == "supported" and bounds == RARELY}
    for kind in ("p99.9 <= 75us", "exceed(100us)", "exceed(127us)", "max < 127us"):
        for law in (f"{INDEPENDENT}, 1 run", f"{BURSTS}, 1 run, in order", f"{RUNS_DIFFER}, 5 runs"):
            assert f"{kind}, {law}, just beyond" in just_beyond
    assert {f"p99.9 < 90us, {WHOLE}, 1 run, in order, just beyond", "missed == 0, independent, 1 run, just beyond"} <= (
        just_beyond
    )


def test_the_readme_says_what_the_table_shows() -> None:
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert "In [simulations](tests/check_simulated.md), a claim that misses the truth by little is supported" in text
    assert "is supported in at most 6 % of cases, and equal systems are called worse in at most 6 %" in text
    for case in FULL:
        for claim in case.claims:
            if "alike" in case.title and claim.what.startswith("refuted"):
                assert claim.most == 0.06


def test_runs_that_are_made_are_those_that_were_drawn() -> None:
    values = cycles(np.random.default_rng(3))
    for recording in (in_order(values), binned(np.bincount(values.astype(int), minlength=500)[None])):
        row = rtlat.summary(recording, [99.9]).iloc[0]
        assert row["n"] == N
        assert row["p99.9"].low == np.floor(np.quantile(values, 0.999, method="inverted_cdf"))
