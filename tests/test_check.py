"""Claims against runs whose evidence is known: by the rule of three, by counting, by tables of binomial limits."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparison_laws import RUNS_DIFFER, US, run
from recordings import SAME_FACTS, histogram, one, recording
from scipy import stats

import rtlat
from rtlat.claiming.checking import Checked, check
from rtlat.claiming.claims import load
from rtlat.claiming.findings import REFUTED, SUPPORTED, UNDECIDED, Decision
from rtlat.errors import ClaimError
from rtlat.protocol import Recording
from rtlat.rows import Rows

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT / "data" / "seeds"
DAY = 86_400_000
"""Cycles of a day at 1 kHz."""


def decided(
    tmp_path: Path, claim: str, recording: Recording, *keys: str, reference: Recording | None = None
) -> Decision:
    """The decision on one claim."""
    path = tmp_path / "claims.toml"
    path.write_text("\n".join(["[[claim]]", f'claim = "{claim}"', *keys]), "utf-8")
    (decision,) = check(path, recording, reference).decisions
    return decision


def counted(counts: dict[int, int], **facts: Any) -> Recording:
    """A histogram of whole us at 1 kHz."""
    rows = Rows()
    histogram(rows, counts)
    return one(rows, **(SAME_FACTS | facts))


@pytest.fixture(scope="module")
def audit() -> Checked:
    """The seed documents held to what they say of themselves."""
    return check(SEEDS / "claims.toml", rtlat.read(SEEDS))


def test_the_table_of_the_article_holds_what_it_says(audit: Checked) -> None:
    decision = audit.decisions[0]
    assert decision.outcome == SUPPORTED
    assert "59,950 of 60,000" in decision.why
    assert "99.9167 %" in decision.why


def test_the_headline_is_refuted_by_the_table(audit: Checked) -> None:
    decision = audit.decisions[1]
    assert decision.outcome == REFUTED
    assert "5.2 us is printed" in decision.why
    assert "line 3" in decision.claim.reason


def test_a_rate_that_was_not_measured_is_undecided(audit: Checked) -> None:
    decision = audit.decisions[2]
    assert decision.outcome == UNDECIDED
    assert "at a period of 1 ms, not 10 us" in decision.why
    assert decision.needs.text == "a run at a period of 10 us"
    assert audit.outcome == REFUTED


def test_the_audit_does_not_hang_on_rounding(tmp_path: Path, seeds: Path) -> None:
    """One label lower the table holds less than 99.9 %: 99.868 % by the article's own column."""
    recording = rtlat.read(SEEDS / "rtirq-results.txt")
    lower = decided(tmp_path, "p99.9 <= 3.0us", recording, 'about = "table"')
    assert lower.outcome == REFUTED
    printed = next(
        line for line in next(seeds.glob("000_*")).read_text("utf-8").splitlines() if line.startswith("3.00 ")
    )
    assert f"({99.868:.3f}" in printed.replace("99.868333", "99.868")
    assert "99.8683 %" in lower.why


def test_the_same_table_does_not_show_it_of_the_process(tmp_path: Path) -> None:
    """Whether the label 3.1 means [3.1, 3.2) is not stated: up to 79 cycles lie beyond it, and 60 are allowed."""
    found = decided(tmp_path, "p99.9 <= 3.1us", rtlat.read(SEEDS / "rtirq-results.txt"))
    assert found.outcome == UNDECIDED
    assert decided(tmp_path, "p99.9 <= 3.3us", rtlat.read(SEEDS / "rtirq-results.txt")).outcome == SUPPORTED


def test_a_claim_is_no_evidence(tmp_path: Path) -> None:
    for about in ("table", "process"):
        keys = 'runs = "rtirq headline"', f'about = "{about}"'
        found = decided(tmp_path, "max <= 5us", rtlat.read(SEEDS), *keys)
        assert found.outcome == UNDECIDED
        assert "a claim is no evidence" in found.why


def test_one_exceedance_refutes_a_maximum(tmp_path: Path) -> None:
    found = decided(tmp_path, "max <= 50us", counted({10: 10**9, 60: 1}))
    assert found.outcome == REFUTED
    assert "worst observed 60-61 us" in found.why


def test_no_exceedance_means_a_rate(tmp_path: Path) -> None:
    """The rule of three: for less than one a day with 95 % confidence it takes 2.9957 days without one."""
    enough = math.ceil(-math.log(0.05) * DAY)
    for n, outcome in ((enough, SUPPORTED), (enough - 5, UNDECIDED)):
        found = decided(tmp_path, "max <= 50us", counted({10: n}))
        assert found.outcome == outcome
    assert found.needs.n == pytest.approx(enough, abs=5)
    assert found.needs.seconds == pytest.approx(2.99573 * 86_400, rel=1e-5)
    assert "72 h" in found.needs.text
    assert decided(tmp_path, "max <= 50us", counted({10: enough}), "confidence = 99").outcome == UNDECIDED
    weekly = decided(tmp_path, "max <= 50us", counted({10: enough}), 'rate = "1/week"')
    assert weekly.needs.seconds == pytest.approx(7 * 2.99573 * 86_400, rel=1e-5)
    hourly = decided(tmp_path, "max <= 50us", counted({10: enough // 24 + 1}), 'rate = "1/hour"')
    assert hourly.outcome == SUPPORTED


def test_the_claim_may_ask_more_of_the_limit_than_the_log_tells(tmp_path: Path) -> None:
    """5 us in print are [5, 6) us: not surely more than 5 us, nor surely not."""
    found = decided(tmp_path, "max <= 5us", counted({5: DAY * 4}))
    assert found.outcome == UNDECIDED
    assert decided(tmp_path, "max <= 6us", counted({5: DAY * 4})).outcome == SUPPORTED
    assert decided(tmp_path, "max < 5us", counted({5: DAY * 4})).outcome == REFUTED


@pytest.mark.parametrize(
    ("beyond", "n", "outcome"),
    [
        (0, 3688, SUPPORTED),
        (0, 3687, UNDECIDED),  # what both ends of its interval take
        (44, 60_000, SUPPORTED),
        (60, 60_000, UNDECIDED),
        (75, 60_000, REFUTED),
        (9, 1000, REFUTED),
    ],
)
def test_a_percentile_is_decided_by_exact_limits(tmp_path: Path, beyond: int, n: int, outcome: str) -> None:
    found = decided(tmp_path, "p99.9 <= 50us", counted({10: n - beyond, 70: beyond}))
    assert found.outcome == outcome
    exact = stats.binomtest(beyond, n)
    if outcome == SUPPORTED:
        assert exact.proportion_ci(0.90).high <= 0.001
    if outcome == REFUTED:
        assert exact.proportion_ci(0.90).low > 0.001
    if n == 3687:
        assert found.needs.n == 3688


def test_what_it_takes_is_enough(tmp_path: Path) -> None:
    """A run as long as was said to be needed, with the same share of exceedances, decides."""
    found = decided(tmp_path, "p99.9 <= 50us", counted({10: 59_945, 70: 55}))
    assert found.outcome == UNDECIDED
    needed = found.needs.n or 0
    beyond = round(needed * 55 / 60_000)
    assert decided(tmp_path, "p99.9 <= 50us", counted({10: needed - beyond, 70: beyond})).outcome == SUPPORTED
    assert found.needs.seconds == needed / 1000


@pytest.mark.parametrize(
    ("count", "days", "outcome"),
    [(0, 3, SUPPORTED), (0, 2, UNDECIDED), (2, 7, SUPPORTED), (6, 2, REFUTED), (2, 2, UNDECIDED)],
)
def test_a_rate_is_decided_by_exact_limits(tmp_path: Path, count: int, days: int, outcome: str) -> None:
    found = decided(tmp_path, "exceed(50us) < 1/day", counted({10: days * DAY - count, 50: count}))
    assert found.outcome == outcome
    limits = [
        stats.chi2.ppf(0.95, 2 * count + 2) / 2 / days,
        stats.chi2.ppf(0.05, 2 * count) / 2 / days if count else 0,
    ]
    assert (limits[0] < 1, limits[1] > 1) == (outcome == SUPPORTED, outcome == REFUTED)


@pytest.mark.parametrize("ended", ["cut", "stopped at threshold"])
def test_a_run_that_did_not_end_by_itself_may_refute_but_not_support(tmp_path: Path, ended: str) -> None:
    found = decided(tmp_path, "p99.9 <= 50us", counted({10: 10**6}, ended=ended))
    assert found.outcome == UNDECIDED
    assert "may only refute" in found.why
    assert decided(tmp_path, "p99.9 <= 50us", counted({10: 10**6, 70: 10**5}, ended=ended)).outcome == REFUTED


def test_a_histogram_that_drops_what_it_has_no_bin_for_supports_nothing(tmp_path: Path) -> None:
    dropping = counted({10: 10**6}, overflow_policy="dropped")
    found = decided(tmp_path, "p99.9 <= 50us", dropping)
    assert found.outcome == UNDECIDED
    assert "only a part of its histogram is known" in found.why


def test_an_overflow_leaves_open_only_what_lies_beyond(tmp_path: Path) -> None:
    rows = Rows()
    histogram(rows, {10: 10**6})
    rows.add("t0", "thread", "bin", 400 * US, math.inf, n=2000)
    overflowing = one(rows, **SAME_FACTS)
    assert decided(tmp_path, "p99.9 <= 500us", overflowing).outcome == UNDECIDED
    assert decided(tmp_path, "p99 <= 400us", overflowing).outcome == SUPPORTED
    assert decided(tmp_path, "p99.9 <= 300us", overflowing).outcome == REFUTED
    assert decided(tmp_path, "max <= 399us", overflowing).outcome == REFUTED


def test_rejected_lines_and_prose_support_nothing(tmp_path: Path) -> None:
    for facts, told in (({"rejected": 3}, "3 lines"), ({"evidence": "prose"}, "only prose")):
        found = decided(tmp_path, "p99.9 <= 50us", counted({10: 10**6}, **facts))
        assert found.outcome == UNDECIDED
        assert told in found.why


def test_without_a_period_nothing_is_said_of_time(tmp_path: Path) -> None:
    found = decided(tmp_path, "max <= 50us", counted({10: 10**9}, period=None))
    assert found.outcome == UNDECIDED
    assert "--set period=1ms" in found.needs.text
    assert decided(tmp_path, "p99.9 <= 50us", counted({10: 10**6}, period=None)).outcome == SUPPORTED


def test_skipped_activations_refute_that_none_was_missed(tmp_path: Path) -> None:
    """cyclictest skips what is due while it is late: 5.5 ms at 1 kHz are five activations that nobody recorded."""
    found = decided(tmp_path, "missed == 0", counted({10: 10**6, 5500: 1}))
    assert found.outcome == REFUTED
    assert "5 of 1,000,006 activations were skipped" in found.why
    assert decided(tmp_path, "missed == 0", counted({10: 3 * DAY})).outcome == SUPPORTED
    assert decided(tmp_path, "missed == 0", counted({10: 10**6})).outcome == UNDECIDED


def test_skipped_activations_count_as_late(tmp_path: Path) -> None:
    """One stall of 100 ms in 40,000 cycles is 100 late activations, more than the 40 that p99.9 allows."""
    stalled = counted({10: 40_000, 100_500: 1})
    assert decided(tmp_path, "p99.9 <= 500us", stalled).outcome == UNDECIDED
    assert decided(tmp_path, "p99.9 <= 500us", counted({10: 40_000, 900: 1})).outcome == SUPPORTED


def runs_of(*counts: dict[int, int], **facts: Any) -> Recording:
    """Several runs under the same conditions."""
    made = []
    for each in counts:
        rows = Rows()
        histogram(rows, each)
        made.append((rows, SAME_FACTS | facts))
    return recording(*made)


def test_every_run_has_to_bear_it_out(tmp_path: Path) -> None:
    fine, bad, short = {10: 10**6}, {10: 10**6, 60: 5000}, {10: 500}
    found = decided(tmp_path, "p99.9 <= 50us", runs_of(fine, bad, short))
    assert found.outcome == REFUTED
    assert found.why.startswith("1 of 3 runs refute it (r1). r1: ")
    assert [one.outcome for one in found.findings] == [SUPPORTED, REFUTED, UNDECIDED]
    assert decided(tmp_path, "p99.9 <= 50us", runs_of(fine, short)).outcome == UNDECIDED
    assert decided(tmp_path, "p99.9 <= 50us", runs_of(fine, fine)).outcome == SUPPORTED


def test_the_chance_to_refute_in_error_is_parted_among_the_runs(tmp_path: Path) -> None:
    """74 of 60,000 refute p99.9 at 95 %, but not where twenty runs may refute it."""
    one_run, fine = {10: 59_926, 60: 74}, {10: 10**6}
    assert stats.binomtest(74, 60_000).proportion_ci(0.90).low > 0.001
    assert stats.binomtest(74, 60_000).proportion_ci(1 - 2 * 0.05 / 20).low < 0.001
    assert decided(tmp_path, "p99.9 <= 50us", runs_of(one_run)).outcome == REFUTED
    assert decided(tmp_path, "p99.9 <= 50us", runs_of(one_run, *[fine] * 19)).outcome == UNDECIDED


def test_bursts_are_seen_where_the_order_is_known(tmp_path: Path) -> None:
    """30 late cycles in 60,000 would support p99.9 if they were independent; in three bursts they do not."""
    for length, outcome in ((1, SUPPORTED), (10, UNDECIDED)):
        late = np.concatenate(
            [np.arange(length) + start for start in np.linspace(500, 59_000, 30 // length).astype(int)]
        )
        values = np.full(60_000, 10.0)
        values[::999] = 12.0
        values[late] = 70.0
        rows = Rows()
        rows.extend("t0", "thread", "sample", values * US, values * US, n=1, seq=np.arange(60_000), unit="ns")
        found = decided(tmp_path, "p99.9 <= 50us", one(rows, **SAME_FACTS))
        assert found.outcome == outcome
        assert ("bursts" in found.why) == (length == 10)


def arm(seed: int, tail: float, k: int = 5) -> Recording:
    """Runs that differ."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(k):
        low, _, n, _, _ = run(random, RUNS_DIFFER, tail).intervals
        rows = Rows()
        rows.extend("t0", "thread", "bin", low, low + US, n=n, unit="ns")
        made.append((rows, SAME_FACTS))
    return recording(*made)


NO_WORSE = "no worse than reference on p99.9 within 10 %"


def test_a_reference_is_held_against_five_runs(tmp_path: Path) -> None:
    worse = decided(tmp_path, NO_WORSE, arm(1, 3.0), reference=arm(2, 1.0))
    assert worse.outcome == REFUTED
    better = decided(tmp_path, NO_WORSE, arm(1, 0.3), reference=arm(2, 1.0))
    assert better.outcome == SUPPORTED
    few = decided(tmp_path, NO_WORSE, arm(1, 3.0, k=4), reference=arm(2, 1.0))
    assert few.outcome == UNDECIDED
    assert few.needs.runs == 5
    assert "4 against 5 runs: 5 an arm are needed" in few.why


def test_without_a_reference_it_is_undecided(tmp_path: Path) -> None:
    found = decided(tmp_path, NO_WORSE, arm(1, 1.0))
    assert found.outcome == UNDECIDED
    assert "--against LOG" in found.needs.text


def test_the_reference_may_be_among_the_runs(tmp_path: Path) -> None:
    mine, theirs = arm(1, 3.0), arm(2, 1.0)
    renamed = theirs.runs.assign(run=theirs.runs["run"].str.replace("r", "old"))
    records = theirs.records.assign(
        run=theirs.records["run"].cat.rename_categories(lambda name: name.replace("r", "old"))
    )
    both = rtlat.concat([mine, Recording(records, renamed, theirs.series)])
    keys = 'runs = "r*"', 'reference = "old*"'
    found = decided(tmp_path, NO_WORSE, both, *keys)
    assert found.outcome == REFUTED
    assert len(found.runs) == 5
    itself = decided(tmp_path, NO_WORSE, mine, 'reference = "r*"')
    assert itself.outcome == UNDECIDED
    assert "holds the same runs" in itself.why


def test_a_log_is_no_reference_of_itself(tmp_path: Path) -> None:
    """A lab that keeps tonight's runs before it checks them must not hold them against themselves."""
    mine, old = arm(1, 3.0), arm(2, 1.0)
    tonight = Recording(mine.records, mine.runs.assign(sha256=[f"{k}" * 64 for k in range(5)]), mine.series)
    assert decided(tmp_path, NO_WORSE, tonight, reference=old).outcome == REFUTED
    itself = decided(tmp_path, NO_WORSE, tonight, reference=tonight)
    assert itself.outcome == UNDECIDED
    assert "holds the same runs" in itself.why


def test_a_reference_may_hold_more_than_is_asked_for(tmp_path: Path) -> None:
    rows = Rows()
    histogram(rows, {60: 10_000})
    histogram(rows, {1: 10_000}, quantity="irq")
    mixed = recording(*[(rows, SAME_FACTS)] * 5)
    found = decided(tmp_path, NO_WORSE, runs_of(*[{50: 10_000}] * 5), reference=mixed)
    assert found.outcome == SUPPORTED


def test_what_is_not_comparable_is_undecided(tmp_path: Path) -> None:
    theirs = arm(2, 1.0)
    other = Recording(theirs.records, theirs.runs.assign(load="hackbench"), theirs.series)
    found = decided(tmp_path, NO_WORSE, arm(1, 3.0), reference=other)
    assert found.outcome == UNDECIDED
    assert "load: idle against hackbench" in found.why


def test_a_cut_reference_supports_nothing(tmp_path: Path) -> None:
    theirs = arm(2, 1.0)
    cut = Recording(theirs.records, theirs.runs.assign(rejected=1), theirs.series)
    assert decided(tmp_path, NO_WORSE, arm(1, 0.3), reference=cut).outcome == UNDECIDED
    assert decided(tmp_path, NO_WORSE, arm(1, 3.0), reference=cut).outcome == REFUTED


def test_a_load_is_a_condition(tmp_path: Path) -> None:
    quiet, busy = runs_of({10: 10**6}), runs_of({90: 10**6}, load="stress-ng --cpu 2")
    claim = "p99.9 <= 50us"
    assert decided(tmp_path, claim, quiet, 'load = "Stress-ng*"').outcome == UNDECIDED
    assert "under the load idle, not stress*" in decided(tmp_path, claim, quiet, 'load = "stress*"').why
    assert decided(tmp_path, claim, busy, 'load = "Stress-ng*"').outcome == REFUTED


@pytest.mark.parametrize(
    ("claim", "keys", "line", "told"),
    [
        ("max <= 5us", ('runs = "r7"',), 3, "no file or run matches 'r7'"),
        ("max <= 5us", ('runs = { load = "bsuy" }',), 3, "no load matches 'bsuy'"),
        ("max <= 5us", ('runs = { load = "idle", tool = "rtla" }',), 3, "no tool matches 'rtla'"),
        ("max <= 5us", ('quantity = "irq"',), 3, "found no quantity 'irq'"),
        ("max <= 5us", ('series = "t9"',), 3, "no series 't9'"),
        ("max <= 5cycles", (), 2, "found the limit 5 cycles, expected us: r0 is in us; give the limit in us"),
    ],
)
def test_a_selection_that_holds_nothing_is_told(
    tmp_path: Path, claim: str, keys: tuple[str, ...], line: int, told: str
) -> None:
    with pytest.raises(ClaimError) as error:
        decided(tmp_path, claim, counted({1: 10}), *keys)
    assert str(error.value).startswith(f"{tmp_path / 'claims.toml'}:{line}: ")
    assert told in str(error.value)


def test_a_time_does_not_fit_cycles(tmp_path: Path) -> None:
    recording = rtlat.read(SEEDS / "lil.txt")
    with pytest.raises(ClaimError, match=r"found the limit 5 us, expected cycles: .* state the clock rate \(cpu_mhz\)"):
        decided(tmp_path, "max <= 5us", recording, 'runs = "lil-4"')
    printed = decided(tmp_path, "max <= 2100cycles", recording, 'runs = "lil-4"', 'about = "table"')
    assert printed.outcome == SUPPORTED


def test_several_quantities_have_to_be_told_apart(tmp_path: Path) -> None:
    rows = Rows()
    histogram(rows, {1: 10})
    histogram(rows, {2: 10}, quantity="irq")
    with pytest.raises(ClaimError, match="found the quantities thread, irq, expected one"):
        decided(tmp_path, "max <= 5us", one(rows, **SAME_FACTS))
    assert decided(tmp_path, "max <= 1us", one(rows, **SAME_FACTS), 'quantity = "irq"').outcome == REFUTED


def test_a_table_is_read_and_not_judged(tmp_path: Path) -> None:
    table = counted({10: 900, 60: 99, 80: 1})
    for claim, outcome in (
        ("p90 <= 10us", SUPPORTED),
        ("p90 < 10us", REFUTED),
        ("max <= 80us", SUPPORTED),
        ("max < 80us", REFUTED),
        ("exceed(80us) < 2/second", SUPPORTED),  # one in the one second that it lasted
        ("exceed(60us) < 100/second", REFUTED),
        ("missed == 0", UNDECIDED),
    ):
        assert decided(tmp_path, claim, table, 'about = "table"').outcome == outcome, claim


def test_a_printed_percentile_is_read(tmp_path: Path) -> None:
    """The article's prose puts 99.9 % of low-priority interrupts within 486.1 us, and the worst at 500.8 us."""
    recording = rtlat.read(SEEDS)
    keys = 'runs = "rtirq low priority"', 'about = "table"'
    assert decided(tmp_path, "p99.9 <= 486.1us", recording, *keys).outcome == SUPPORTED
    assert decided(tmp_path, "p99.9 <= 486us", recording, *keys).outcome == REFUTED
    assert decided(tmp_path, "max <= 500us", recording, *keys).outcome == REFUTED
    assert decided(tmp_path, "p99 <= 486us", recording, *keys).outcome == UNDECIDED


def test_an_overflow_in_print_is_read_as_such(tmp_path: Path) -> None:
    rows = Rows()
    histogram(rows, {10: 998})
    rows.add("t0", "thread", "bin", 400 * US, math.inf, n=2)
    table = one(rows, **SAME_FACTS)
    keys = 'about = "table"'
    assert decided(tmp_path, "p99 <= 10us", table, keys).outcome == SUPPORTED
    assert decided(tmp_path, "p99.9 <= 500us", table, keys).outcome == UNDECIDED
    assert decided(tmp_path, "max <= 500us", table, keys).outcome == UNDECIDED
    assert decided(tmp_path, "max <= 300us", table, keys).outcome == REFUTED


def test_a_maximum_in_print_closes_an_overflow(tmp_path: Path) -> None:
    """An observation beyond 400 us, and the log's maximum: 450 us."""
    rows = Rows()
    histogram(rows, {10: 900})
    rows.add("t0", "thread", "bin", 400 * US, math.inf, n=100)
    rows.add("t0", "thread", "summary", 10 * US, 450 * US, n=1000)
    table = one(rows, **SAME_FACTS)
    for claim, outcome in (("p99 <= 450us", SUPPORTED), ("p99 <= 440us", UNDECIDED), ("p99 <= 399us", REFUTED)):
        assert decided(tmp_path, claim, table, 'about = "table"').outcome == outcome, claim


def test_a_published_worst_is_read_by_its_thread(tmp_path: Path) -> None:
    """T4 of the first arrangement is printed with 2888 us, T3 with 2993 us."""
    recording = rtlat.read(SEEDS)
    keys = 'runs = "tglx, timers in ksoftirqd"', 'about = "table"'
    assert decided(tmp_path, "max <= 2888us", recording, *keys, 'series = "T4"').outcome == SUPPORTED
    assert decided(tmp_path, "max <= 2992us", recording, *keys).outcome == REFUTED
    assert decided(tmp_path, "max <= 2993us", recording, *keys).outcome == SUPPORTED


def test_claims_of_one_file_share_the_chance_of_a_false_alarm(tmp_path: Path) -> None:
    """By itself p = 0.0476 is enough; of twelve such claims in one file none may be refuted by it."""
    mine = runs_of(*[{10: 10**4, 60 + value: 100} for value in (3, 5, 7, 8, 9)])
    theirs = runs_of(*[{10: 10**4, 60 + value: 100} for value in (0, 1, 2, 4, 6)])
    pairs = sum(a > b for a in (3, 5, 7, 8, 9) for b in (0, 1, 2, 4, 6))
    p = stats.mannwhitneyu((3, 5, 7, 8, 9), (0, 1, 2, 4, 6), alternative="greater", method="exact").pvalue
    assert (pairs, round(p, 4)) == (22, 0.0278)
    text = [
        f'[[claim]]\nname = "{place}"\nclaim = "no worse than reference on p99.9 within 1 %"' for place in range(12)
    ]
    path = tmp_path / "claims.toml"
    for several, outcome in ((text[:1], REFUTED), (text, UNDECIDED)):
        path.write_text("\n".join(several), "utf-8")
        assert {one.outcome for one in check(load(path), mine, theirs).decisions} == {outcome}
