"""Claims on runs whose law is known: how often they are refuted although they hold, or supported although they do not.

The claims and the laws are those of `check_simulated`. Here a few replicates of each, held to a binomial bound that a
true claim breaks in less than one of a million cases; all replicates with ``-m slow -s``, which prints the table.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
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
from bench.trials import Case, Row, committed, fewer, rows, table

SMALL = 0.008
FULL = list(cases())
CLAIMED = [case for case in fewer(FULL, SMALL) if any(claim[1:] != (0, 1) for claim in case.claims)]
MADE = committed((Path(__file__).parent / "check_simulated.md").read_text("utf-8"))


@pytest.mark.parametrize("case", CLAIMED, ids=lambda case: case.title)
def test_a_few_replicates_do_not_contradict_a_claim(case: Case) -> None:
    for row in rows(case):
        assert row.trials == case.replicates
        assert not row.contradicts(1e-6), f"{row.claim.what}: {row.successes} of {row.trials}"


@pytest.mark.slow
def test_all_replicates_hold_the_claims_and_are_those_of_the_table() -> None:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = [row for case in FULL for row in rows(case, pool)]
    print("\n" + table(found))
    assert [row for row in found if not row.claim.least <= row.share <= row.claim.most] == []
    shares = {(cells[0], cells[1]): float(cells[3]) for cells in MADE}
    assert {(row.title, row.claim.what): row.share for row in found} == pytest.approx(shares, abs=0.01)


def test_the_table_holds_what_is_claimed() -> None:
    claims = [(case, claim) for case in FULL for claim in case.claims]
    wanted = [[case.title, claim.what, str(case.replicates), claim.text] for case, claim in claims]
    assert [cells[:3] + cells[4:] for cells in MADE] == wanted
    for (case, claim), cells in zip(claims, MADE, strict=True):
        assert claim.least <= float(cells[3]) <= claim.most, cells
        assert not Row(case.title, claim, int(cells[2]), round(float(cells[3]) * int(cells[2]))).contradicts()


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
