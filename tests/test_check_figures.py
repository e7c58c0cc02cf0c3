"""The figure and the table behind a claim."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from recordings import SAME_FACTS, histogram, recording, rtirq_table

import rtlat
from rtlat.claiming import check_figures, check_html
from rtlat.claiming.checking import check
from rtlat.claiming.claims import beside
from rtlat.errors import ClaimError
from rtlat.protocol import Recording
from rtlat.rows import Rows

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT / "data" / "seeds"


@pytest.fixture(scope="module")
def seed_recording() -> Recording:
    return rtlat.read(SEEDS)


def runs_of(*counts: dict[int, int]) -> Recording:
    """Runs under the same conditions."""
    made = []
    for each in counts:
        rows = Rows()
        histogram(rows, each)
        made.append((rows, SAME_FACTS))
    return recording(*made)


def claims(tmp_path: Path, *texts: str) -> Path:
    path = tmp_path / "claims.toml"
    path.write_text("\n".join(f'[[claim]]\nclaim = "{text}"' for text in texts), "utf-8")
    return path


def test_the_curve_is_that_of_the_article(seed_recording: Recording, seeds: Path) -> None:
    decision = check(SEEDS / "claims.toml", seed_recording).decisions[0]
    points = check_figures.curves(decision)
    table = rtirq_table(seeds)
    for value, share in zip(points["value"], points["share low"], strict=True):
        beyond = sum(n for tenth, n in table.items() if tenth >= round(value * 10, 6))
        assert share == pytest.approx(beyond / 60_000)
    assert set(points["limit"]) == {3.1}
    assert check_figures.allowed(decision) == pytest.approx(0.001)


def test_a_line_stands_at_the_limit_and_one_at_what_is_allowed(tmp_path: Path) -> None:
    made = runs_of({10: 90_000, 70: 10})
    path = claims(tmp_path, "p99.9 <= 50us", "exceed(50us) < 1/hour")
    for decision, allowed in zip(check(path, made).decisions, (0.001, 1 / 3_600_000), strict=True):
        assert check_figures.allowed(decision) == pytest.approx(allowed)
        figure = check_figures.figure(decision, made.runs)
        assert figure is not None
        assert [shape.y0 for shape in figure.layout.shapes] == pytest.approx([allowed])
        assert 10 ** figure.layout.yaxis.range[0] < allowed
        assert any(trace.x is not None and list(trace.x) == [50, 50] for trace in figure.data)


def test_of_many_runs_those_are_drawn_that_decide(tmp_path: Path) -> None:
    fine, bad = {10: 10_000}, {10: 10_000, 70: 500}
    made = runs_of(*[fine] * 8, bad)
    (decision,) = check(claims(tmp_path, "p99.9 <= 50us"), made).decisions
    drawn = list(dict.fromkeys(check_figures.curves(decision)["run"]))
    assert len(drawn) == check_figures.MOST
    assert drawn[0] == "r8"


def test_each_run_of_both_arms_is_a_mark(tmp_path: Path) -> None:
    mine, theirs = ([{10: 10_000, at + k: 100} for k in range(5)] for at in (70, 60))
    (decision,) = check(
        claims(tmp_path, "no worse than reference on p99.9 within 5 %"), runs_of(*mine), runs_of(*theirs)
    ).decisions
    table = check_figures.arms(decision)
    assert table.groupby("arm", sort=False)["low"].apply(list).to_dict() == {
        "runs": [70.0, 71.0, 72.0, 73.0, 74.0],
        "reference": [60.0, 61.0, 62.0, 63.0, 64.0],
    }
    figure = check_figures.figure(decision, runs_of(*mine).runs)
    assert figure is not None
    assert sorted(float(trace.x[0]) for trace in figure.data) == sorted(table["low"])


def test_a_share_of_cycles_is_shown_in_a_million(tmp_path: Path) -> None:
    mine, theirs = ([{10: 999_000 - k, 70: count + k} for k in range(5)] for count in (2000, 1000))
    (decision,) = check(
        claims(tmp_path, "no worse than reference on exceed(50us) within 5 %"), runs_of(*mine), runs_of(*theirs)
    ).decisions
    table = check_figures.arms(decision)
    assert set(table["unit"]) == {"in a million"}
    assert np.allclose(table["low"][:2], [1e6 * 2000 / 1_001_000, 1e6 * 2001 / 1_001_000])


def test_what_has_no_counts_has_no_figure(tmp_path: Path, seed_recording: Recording) -> None:
    path = tmp_path / "claims.toml"
    path.write_text('[[claim]]\nclaim = "max <= 40us"\nruns = "Sinclair*"\nquantity = "irq"\n', "utf-8")
    (decision,) = check(path, seed_recording).decisions
    assert check_figures.figure(decision, seed_recording.runs) is None


def test_a_report_says_what_was_found(seed_recording: Recording) -> None:
    checked = check(SEEDS / "claims.toml", seed_recording)
    head = str(check_html.answer(checked))
    assert "<b>Refuted.</b> 3 claims: 1 supported, 1 refuted, 1 undecided" in head
    assert "max &lt;= 5us" in head
    assert "59,950 of 60,000" in str(check_html.about(checked.decisions[0]))


def test_words_of_a_claim_are_no_markup(tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text('[[claim]]\nclaim = "max <= 5us"\nname = "<i>x</i>"\nreason = "<script>y</script>"\n', "utf-8")
    checked = check(path, runs_of({1: 10}))
    for shown in (check_html.answer(checked), check_html.about(checked.decisions[0])):
        assert "<script>" not in str(shown)
        assert "<i>x" not in str(shown)


def test_claims_are_found_beside_the_data(tmp_path: Path) -> None:
    assert len(beside("", [str(SEEDS)]).claims) == 3
    assert len(beside("", str(SEEDS / "lil.txt")).claims) == 3
    assert beside("", [str(tmp_path)]).claims == ()
    assert len(beside(str(claims(tmp_path, "max <= 1us")), [str(SEEDS)]).claims) == 1
    with pytest.raises(ClaimError):
        beside(str(tmp_path / "none.toml"), [str(SEEDS)])
    none = check(beside("", [str(ROOT / "data")]), runs_of({1: 10}))
    assert "write a claims.toml beside the logs" in str(check_html.answer(none))
