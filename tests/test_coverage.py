"""Simulations with known truth: what intervals cover, how often true tails are refused, and what is caught.

The claims and the laws are those of `bench.coverage`. Here a few replicates of each, held to a binomial bound that a
true claim breaks in less than one of a million cases; all replicates with ``-m slow``, some minutes on two processors.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT))

from bench.coverage import cases
from bench.trials import Case, Claim, Row, committed, fewer, rows, table

SMALL = 0.03
FULL = list(cases())
CLAIMED = [case for case in fewer(cases(), SMALL) if any(claim[1:] != (0, 1) for claim in case.claims)]


def committed_rows() -> list[list[str]]:
    """Return the cells of the table that was made last."""
    return committed((ROOT / "bench" / "coverage.md").read_text("utf-8"))


@pytest.mark.parametrize("case", CLAIMED, ids=lambda case: case.title)
def test_a_few_replicates_do_not_contradict_a_claim(case: Case) -> None:
    for row in rows(case):
        assert row.trials >= 0.6 * case.replicates
        assert not row.contradicts(1e-6), f"{row.claim.what}: {row.successes} of {row.trials}"


@pytest.mark.slow
@pytest.mark.parametrize("case", FULL, ids=lambda case: case.title)
def test_all_replicates_hold_the_claims_and_are_those_of_the_table(case: Case) -> None:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = rows(case, pool)
    made = {(cells[0], cells[1]): float(cells[3]) for cells in committed_rows()}
    for row, line in zip(found, table(found).splitlines()[2:], strict=True):
        print(line, flush=True)
        assert row.share >= row.claim.least, line
        assert not row.contradicts(), line
        assert row.share == pytest.approx(made[row.title, row.claim.what], abs=0.01), "make bench/coverage.md anew"


def test_the_table_holds_what_is_claimed() -> None:
    claims = [(case.title, claim) for case in FULL for claim in case.claims]
    cells = committed_rows()
    assert [(row[0], row[1]) for row in cells] == [(title, claim.what) for title, claim in claims]
    for (_, claim), row in zip(claims, cells, strict=True):
        assert claim.least <= float(row[3]), row
        assert not Row("", claim, int(row[2]), round(float(row[3]) * int(row[2]))).contradicts(), row


def test_the_bound_rejects_what_is_far_from_a_claim_only() -> None:
    claim = Claim("covers", 0.93, 0.97)
    verdicts = [Row("", claim, 1000, covered).contradicts() for covered in (880, 935, 950, 968, 995)]
    assert verdicts == [True, False, False, False, True]


def test_replicates_do_not_depend_on_how_they_are_parted() -> None:
    case = next(case for case in fewer(cases(), 0.002) if case.title.startswith("percentile 99.9"))
    with ProcessPoolExecutor(2) as pool:
        assert rows(case) == rows(case, pool)
