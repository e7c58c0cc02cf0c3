"""Comparisons as users make them: from Python, from the command line with folders as arms, from the notebook."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparison_laws import run
from recordings import SAME_FACTS, US, histogram, recording

import rtlat
from rtlat.cli import main
from rtlat.comparing import comparison_html
from rtlat.comparing.comparison_html import compared
from rtlat.comparing.comparison_views import json_of, overall, text
from rtlat.comparing.experiment import commands
from rtlat.errors import SelectionError, UsageError
from rtlat.rows import Rows

ROOT = Path(__file__).resolve().parent.parent
REPEATS = ROOT / "data" / "emulated-kernels" / "repeats"
SEEDS = ROOT / "data" / "seeds"
HISTOGRAM = """\
# /dev/cpu_dma_latency set to 0us
# Histogram
{rows}
# Total: {n:09d}
# Min Latencies: {low:05d}
# Avg Latencies: {low:05d}
# Max Latencies: {high:05d}
# Histogram Overflows: 00000
# Histogram Overflow at cycle number:
# Thread 0:

"""
CARD = '[defaults]\nmachine = "one board"\nload = "idle"\nperiod = "1ms"\n'


def write(path: Path, counts: dict[int, int]) -> None:
    """A histogram as cyclictest prints it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = "\n".join(f"{value:06d} {n:06d}" for value, n in sorted(counts.items()))
    path.write_text(HISTOGRAM.format(rows=rows, n=sum(counts.values()), low=min(counts), high=max(counts)))


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five runs each of three arms: old, slower and alike."""
    rng = np.random.default_rng(8)
    for arm, tail in (("old", 1.0), ("slower", 3.0), ("alike", 1.0)):
        for number in range(5):
            d = run(rng, "runs differ", tail, n=20_000)
            counts = {int(low // US): int(n) for low, n in zip(d.intervals.low, d.intervals.n, strict=True)}
            write(tmp_path / arm / f"{number}.hist", counts)
    (tmp_path / "runs.toml").write_text(CARD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(counts: dict[int, int], **facts: Any) -> tuple[Rows, dict[str, Any]]:
    rows = Rows()
    histogram(rows, counts)
    return rows, {**SAME_FACTS, **facts}


def test_folders_are_arms_with_their_files_as_repeats(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "slower", "alike", "--against", "old", "--json"]) == 1
    document = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert document["schema"] == 1
    assert document["outcome"] == "worse"
    outcomes = {row["arm"]: row["outcome"] for row in document["outcomes"]}
    assert outcomes["slower"] == "worse"
    assert outcomes["alike"] in ("no worse", "undecided")
    assert {row["number"] for row in document["spread"]} == {5}
    assert {row["reasons"] for row in document["verdicts"]} == {"comparable"}
    (shift,) = (row for row in document["effects"] if row["arm"] == "slower" and row["what"] == "p99.9")
    assert shift["basis"] == "runs"
    assert shift["effect"]["low"] == pytest.approx(15 * math.log(3), abs=6), "an exponential tail, three times as heavy"
    assert shift["interval"]["low"] > 0


def test_exit_codes(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "slower", "--against", "old"]) == 1
    assert main(["compare", "old", "--against", "slower"]) == 0
    assert main(["compare", "slower/0.hist", "--against", "old/0.hist"]) == 3, "one run an arm"
    assert main(["compare", "slower", "--against", "old", "--set", "load="]) == 1, "comparable if the load is the same"
    capsys.readouterr()
    assert main(["compare", "slower", "missing.hist", "--against", "old"]) == 4
    shown = capsys.readouterr()
    assert "Worse:" in shown.out, "what could be read is compared"
    assert shown.err.startswith("rtlat: missing.hist: found nothing")
    assert main(["compare", "slower", "--against", "missing.hist"]) == 4
    assert main(["compare", "missing.hist", "--against", "also-missing.hist"]) == 4
    assert main(["compare", "slower", "--against", "slower"]) == 2
    assert main(["compare", "slower", "--against", "old", "--percentiles", "99.9,many"]) == 2
    assert main(["compare", "slower", "--against", "old", "--figure", "limit"]) == 2
    errors = capsys.readouterr().err
    assert "on both sides of --against" in errors
    assert "Traceback" not in errors
    (lab / "hackbench.toml").write_text('[defaults]\nload = "hackbench"\n')
    assert main(["compare", "slower", "--against", "old", "--quantity", "irq"]) == 4, "no error says worse"
    assert main(["compare", "slower/0.hist", "slower/0.hist", "--against", "old"]) == 4


def test_the_verdict_comes_first_then_the_spread_then_effects(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["compare", "slower", "--against", "old", "--limit", "70us", "--percentiles", "50,99.9"])
    shown = capsys.readouterr().out
    places = [shown.index(part) for part in ("comparable", "median in a million", "p50", "reach 70 us", "Worse:")]
    assert places == sorted(places)
    assert "in slower/" not in shown
    assert "p99 " not in shown
    assert "lower bound" in shown


def test_files_named_one_by_one_are_repeats_unless_apart(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(path.relative_to(lab)) for path in sorted(lab.glob("slower/*.hist"))]
    assert main(["compare", *files, "--against", "old", "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)["outcomes"]
    assert row["arm"] == "slower*"
    assert main(["compare", *files, "--against", "old", "--apart", "--json"]) == 3
    assert len(json.loads(capsys.readouterr().out)["outcomes"]) == 5
    assert main(["compare", "slower/*.hist", "--against", "old/*.hist", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["outcomes"][0]["against"] == "*.hist"


def test_a_stored_folder_is_an_arm(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (lab / "slower").iterdir():
        path.rename(path.with_stem(f"boot-{path.stem}"))
    main(["read", "slower", "-o", "kept"])
    capsys.readouterr()
    assert main(["compare", "kept", "--against", "old", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["outcomes"][0]["arm"] == "kept"


def test_the_emulated_kernels_five_boots_each() -> None:
    """n and worst observed are those of the footers; the conclusion is not that of single boots."""
    found = rtlat.compare(rtlat.read(REPEATS), "stock")
    assert sorted(found.outcomes["load"]) == sorted({row["load"] for row in found.outcomes.to_dict("records")})
    assert found.verdicts["compared"].sum() == 2, "idle with idle, loaded with loaded"
    idle = found.spread[(found.spread["arm"] == "stock") & (found.spread["load"] == "idle")].iloc[0]
    footers: dict[str, list[int]] = {"Total": [], "Max Latencies": [], "Histogram Overflows": []}
    for path in REPEATS.glob("stock-*-idle.hist"):
        for name, numbers in footers.items():
            (line,) = (line for line in path.read_text().splitlines() if line.startswith(f"# {name}:"))
            numbers += map(int, line.partition(":")[2].split())
    totals, worst = sum(footers["Total"] + footers["Histogram Overflows"]), max(footers["Max Latencies"])
    assert idle["n"] == totals
    assert idle["worst observed"].low == worst
    assert found.context["what"].tolist() == ["approach"] * 2 + ["kernel"] * 2 + ["load"] * 2


def test_the_seeds_cannot_be_ranked_and_say_what_would_do() -> None:
    found = rtlat.compare(rtlat.read(SEEDS), "rtirq")
    assert set(found.outcomes["outcome"]) == {"not comparable"}
    assert overall(found) == "undecided"
    shown = text(found)
    assert shown.startswith("These cannot be ranked")
    assert "cyclictest -m -S -p 95" in shown
    assert "latency -t 0 -p 1000" in shown
    assert found.experiment[-1].startswith("rtlat compare lab/")
    assert found.experiment[-1].endswith("--against lab/rtirq")
    page = comparison_html.shown(compared(rtlat.read(SEEDS), "rtirq", "", "pooled", None))
    assert "These cannot be ranked" in page
    assert "stress-ng" in page


def test_konchalas_xenomai_is_undecided_until_it_is_repeated(logs: Path) -> None:
    """Ten hours each on one board: 130 us against 37 us in the footers, and one run an arm."""
    names = [f"konchalas_{kernel}_10h_bbb.log" for kernel in ("rt_preempt", "xenomai")]
    facts = {"period": "250us", "duration": "10h", "load": "idle", "machine": "BeagleBone Black"}
    read = rtlat.read([logs / "public" / "cyclictest" / name for name in names], **facts)
    found = rtlat.compare(read, "konchalas_rt_preempt_10h_bbb", arms="run")
    assert found.verdicts["verdict"].tolist() == ["comparable"]
    worst = found.effects[found.effects["what"] == "worst observed"].iloc[0]
    assert (worst["value"].low, worst["reference"].low) == (37, 130)
    assert found.outcomes["outcome"].tolist() == ["undecided"]
    assert "standard deviation of" in found.outcomes["why"].iloc[0]


def test_json_has_no_infinity() -> None:
    rows = Rows()
    rows.add("t0", "thread", "bin", 20 * US, math.inf, n=9000)
    found = rtlat.compare(recording((rows, dict(SAME_FACTS)), made({20: 9000})), "r1", arms="run")
    document = json.loads(json.dumps(json_of(found), allow_nan=False))
    shifts = {row["what"]: row for row in document["effects"]}
    assert shifts["p50"]["effect"] == {"low": -1.0, "high": None, "status": "overflow"}
    assert shifts["worst observed"]["effect"]["reason"].startswith("a worst observed value grows with n")


def test_what_is_asked_must_make_sense() -> None:
    both = recording(made({20: 9000}), made({20: 9000}))
    with pytest.raises(SelectionError, match="no arm 'stok' here; did you mean 'stock'"):
        rtlat.compare(recording(made({20: 9}, approach="stock"), made({20: 9}, approach="EVL")), "stok")
    with pytest.raises(SelectionError, match=r"one arm only \(stock\)"):
        rtlat.compare(recording(made({20: 9}, approach="stock")))
    with pytest.raises(SelectionError, match="no column 'kernal' in runs; did you mean 'kernel'"):
        rtlat.compare(both, arms="kernal")
    with pytest.raises(SelectionError, match="no series 't9' here"):
        rtlat.compare(both, arms="run", series="t9")
    with pytest.raises(SelectionError, match="no run 'r9' here"):
        rtlat.compare(both, arms={"r0": "a", "r9": "b"})
    with pytest.raises(UsageError, match="tolerance"):
        rtlat.compare(both, arms="run", tolerance=-1.0)
    assert "one arm only" in compared(recording(made({20: 9}, approach="stock")), "", "", "pooled", None)


def test_hostile_names_reach_no_page() -> None:
    mine, theirs = made({20: 9000}, approach="<script>"), made({20: 9000}, approach="b")
    page = comparison_html.shown(compared(recording(mine, theirs), "b", "", "pooled", None))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_setups_of_one_approach_are_told_apart_in_the_experiment() -> None:
    name = "rtai-with-a-very-long-name-of-its-setup"
    runs = [
        made({20: 9000}, approach="RTAI", load=load, run=f"{name}-{load}") for load in ("idle at night", "Busy clients")
    ]
    lines = rtlat.compare(recording(*runs), f"{name}-Busy clients", arms="run").experiment
    folders = ["lab/rtai-with-a-very-long-name-of", "lab/rtai-with-a-very-long-name-of-2"]
    assert lines[2] == f"mkdir -p {' '.join(folders)}"
    assert lines[-1] == f"rtlat compare {folders[1]} --against {folders[0]}"
    assert "# load in the logs: Busy clients;" in lines[3], "idle is no load"


def test_of_many_pairs_left_out_the_nearest_are_named() -> None:
    runs = [made({20: 9000}, approach=approach, load=f"load {k}") for approach in ("a", "b") for k in range(4)]
    found = rtlat.compare(recording(*runs), "b")
    assert (~found.verdicts["compared"]).sum() == 12
    shown = text(found)
    assert shown.count("not comparable: load:") == 3
    assert "and 9 more, which --json lists" in shown
    assert len(json_of(found)["verdicts"]) == 16


def test_what_differs_stands_once_and_fits_the_terminal() -> None:
    long = [f"{word}-" * 40 + "end" for word in ("one", "other")]
    found = rtlat.compare(
        recording(*(made({20: 9000}, run=name, kernel=name[:3]) for name in long)), long[0], arms="run"
    )
    lines = text(found).splitlines()
    start = lines.index("What differs between the runs:")
    assert lines[start + 1].startswith("  kernel  one: ")
    assert [line for line in lines[start + 2 :] if line.startswith("  kernel")] == []


def test_an_experiment_for_each_approach() -> None:
    lines = commands(["stock", "Xenomai 3.2", "EVL", "RTAI", "rtirq"], "idle", seconds=60, period_us=250)
    told = "\n".join(lines)
    assert "enough for p99.99." in lines[1], "240,000 cycles"
    for tool in ("cyclictest", "latency -t 0 -p 250", "latmus", "testsuite/user/latency"):
        assert tool in told
    assert "None of these tools runs on rtirq" in told
    assert "lab/xenomai-3.2" in lines[-1]
    hostile = "\n".join(commands(["a; rm -rf /", "b"], "x; reboot"))
    assert "rm -rf /" not in hostile.replace("# booted: a; rm -rf /", "")
    assert "reboot" not in hostile.replace("# load in the logs: x; reboot;", "")
