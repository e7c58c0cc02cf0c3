"""What the simulations of `comparison_simulated` claim, and the laws they draw from; `test_simulated` runs them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from comparison_laws import BURSTS, INDEPENDENT, LAWS, RUNS_DIFFER, cycles, exceeding, quantile, run
from comparison_simulated import ALWAYS, BY_P99_9, RARELY, cases
from conftest import ROOT

from bench.trials import committed

FULL = list(cases())
MADE = committed((Path(__file__).parent / "comparison_simulated.md").read_text("utf-8"))


def test_the_claims_are_those_that_were_promised() -> None:
    """False alarms under every law, power where runs differ, and no conclusion from fewer than five runs."""
    claims = {(case.title, claim.what): claim for case in FULL for claim in case.claims}
    for law in LAWS:
        for k in (5, 8):
            assert claims[f"{k} runs an arm, {law}, alike", f"called worse {BY_P99_9}"][1:] == RARELY == (0, 0.06)
            assert claims[f"{k} runs an arm, {law}, alike", "interval of p99.9"].least == 0.93
        for k in ("1 run", "4 runs"):
            assert claims[f"{k} an arm, {law}, worse", f"called undecided {BY_P99_9}"][1:] == ALWAYS == (1, 1)
        assert (f"5 runs an arm, {law}, worse", f"called worse {BY_P99_9}") in claims, "the power under bursts is shown"
    assert claims[f"5 runs an arm, {RUNS_DIFFER}, worse", f"called worse {BY_P99_9}"].least == 0.80


def test_the_readme_says_what_the_table_shows() -> None:
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    told = re.search(
        r"In \[simulations\]\(tests/comparison_simulated\.md\) equal systems are called worse in less than (\d+) %,"
        r" and a tail twice as heavy is found in four of five cases where runs differ",
        text,
    )
    assert told
    called = {(cells[0], cells[1]): float(cells[3]) for cells in MADE if "called worse" in cells[1]}
    alike = [share for (title, _), share in called.items() if title.endswith("alike")]
    assert len(alike) == 3 * 2 * 3, "of every law by either figure: five runs an arm, eight, and three arms"
    assert max(alike) < int(told[1]) / 100
    assert called[f"5 runs an arm, {RUNS_DIFFER}, worse", f"called worse {BY_P99_9}"] >= 0.8


@pytest.mark.parametrize("law", LAWS)
def test_runs_follow_their_law(law: str) -> None:
    """Of many cycles, or of many runs, the share beyond a limit is that of the formula, and so is the quantile."""
    random = np.random.default_rng(7)
    many = [run(random, law, 2.0, 20_000) for _ in range(1500)]
    beyond = [d.intervals.n[d.intervals.low >= 70_000].sum() / 20_000 for d in many]
    error = np.std(beyond) / np.sqrt(len(beyond))
    assert np.mean(beyond) == pytest.approx(exceeding(70, 2.0, law=law), abs=4 * error)
    if law != RUNS_DIFFER:
        values = cycles(random, law, 2.0, 3_000_000)
        assert np.quantile(values, 0.999) == pytest.approx(quantile(0.999, 2.0), rel=0.01)


def test_bursts_are_bursts() -> None:
    """After a bad cycle comes another in nine of ten cases; of independent ones hardly ever."""
    random = np.random.default_rng(8)
    follows = {}
    for law in (INDEPENDENT, BURSTS):
        bad = cycles(random, law, n=3_000_000) >= 80
        follows[law] = (bad[1:] & bad[:-1]).sum() / bad.sum()
    assert follows[INDEPENDENT] < 0.01
    late = np.exp(-(80 - 40) / 15)  # of the bad cycles
    assert follows[BURSTS] == pytest.approx(0.9 * late, rel=0.35), "four standard errors"
