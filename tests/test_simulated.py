"""Runs whose law is known: what `rtlat compare` and `rtlat check` say of them, and how often it is wrong.

The cases are those of `comparison_simulated` and `check_simulated`. Here a few replicates of each, held to a binomial
bound that a true claim breaks in less than one of a million cases; all replicates with ``-m slow -s``, which prints the
table.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import check_simulated
import comparison_simulated
import pytest

from bench.trials import Case, Row, committed, fewer, rows, table


class Simulation(NamedTuple):
    """All cases, the cells of the table that was made of them, and the fewest replicates of a row."""

    cases: list[Case]
    made: list[list[str]]
    fewest: int


def simulation(name: str, cases: list[Case], fewest: int) -> Simulation:
    return Simulation(cases, committed((Path(__file__).parent / f"{name}.md").read_text("utf-8")), fewest)


SIMULATIONS = {
    "comparison": simulation("comparison_simulated", list(comparison_simulated.cases()), 500),
    "check": simulation("check_simulated", list(check_simulated.cases()), 200),
}
FEW = [*fewer(SIMULATIONS["comparison"].cases, 0.02), *fewer(SIMULATIONS["check"].cases, 0.008)]
CLAIMED = [case for case in FEW if any(claim[1:] != (0, 1) for claim in case.claims)]
each_simulation = pytest.mark.parametrize("simulated", SIMULATIONS.values(), ids=list(SIMULATIONS))


@pytest.mark.parametrize("case", CLAIMED, ids=lambda case: case.title)
def test_a_few_replicates_do_not_contradict_a_claim(case: Case) -> None:
    for row in rows(case):
        assert row.trials == case.replicates
        assert not row.contradicts(1e-6), f"{row.claim.what}: {row.successes} of {row.trials}"


@pytest.mark.slow
@each_simulation
def test_all_replicates_hold_the_claims_and_are_those_of_the_table(simulated: Simulation) -> None:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = [row for case in simulated.cases for row in rows(case, pool)]
    print("\n" + table(found))
    assert [row for row in found if not row.claim.least <= row.share <= row.claim.most] == []
    shares = {(cells[0], cells[1]): float(cells[3]) for cells in simulated.made}
    assert {(row.title, row.claim.what): row.share for row in found} == pytest.approx(shares, abs=0.01)


@each_simulation
def test_the_table_holds_what_is_claimed(simulated: Simulation) -> None:
    claims = [(case, claim) for case in simulated.cases for claim in case.claims]
    wanted = [[case.title, claim.what, str(case.replicates), claim.text] for case, claim in claims]
    assert [cells[:3] + cells[4:] for cells in simulated.made] == wanted
    for (case, claim), cells in zip(claims, simulated.made, strict=True):
        assert claim.least <= float(cells[3]) <= claim.most, cells
        assert int(cells[2]) >= simulated.fewest
        assert not Row(case.title, claim, int(cells[2]), round(float(cells[3]) * int(cells[2]))).contradicts()
