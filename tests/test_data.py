"""The example logs and what their cards say of them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import rtlat

DATA = Path(__file__).resolve().parent.parent / "data"
KERNELS = DATA / "emulated-kernels"


@pytest.fixture(scope="module")
def recording() -> rtlat.Recording:
    return rtlat.read(KERNELS)


def test_every_campaign_has_a_card_and_every_run_a_licence() -> None:
    for campaign in filter(Path.is_dir, DATA.iterdir()):
        assert (campaign / "runs.toml").is_file()
        assert (rtlat.read(campaign).runs["licence"] != "").all(), campaign.name


def test_no_log_is_left_out(recording: rtlat.Recording) -> None:
    logs = {path.relative_to(DATA).as_posix() for path in KERNELS.rglob("*.*") if path.suffix != ".toml"}
    assert set(recording.runs["source"]) == logs
    assert recording.runs["rejected"].sum() == 0


@pytest.mark.parametrize("log", sorted(KERNELS.glob("*/*.json")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_card_agrees_with_what_json_says_of_its_machine(recording: rtlat.Recording, log: Path) -> None:
    said = json.loads(log.read_text())
    runs = recording.runs.set_index("source")
    run = runs.loc[log.relative_to(DATA).as_posix()]
    assert run["approach"] == ("PREEMPT_RT" if said["sysinfo"]["realtime"] else "stock")
    kernel = f"{said['sysinfo']['release']} {said['sysinfo']['version']}"
    same = runs["approach"] == run["approach"]
    assert set(runs.loc[same, "kernel"]) == {kernel}, "the card gives the other logs of this kernel another one"


def test_the_kernels_differ_by_approach_and_load_only(recording: rtlat.Recording) -> None:
    runs = recording.runs
    assert set(runs["approach"]) == {"PREEMPT_RT", "stock"}, "Xenomai's test program makes no Xenomai kernel"
    sizes = runs.groupby(["load", "approach"]).size().unstack()
    assert sizes["PREEMPT_RT"].tolist() == sizes["stock"].tolist() == [8, 9]
    for column in ("machine", "cpu", "cmdline", "licence"):
        assert runs[column].nunique() == 1, column
    assert runs["machine"].str.contains("emulated").all()
    assert runs["note"].str.contains("rank nothing real").all()


def test_logs_are_as_recorded(logs: Path) -> None:
    for log in KERNELS.glob("*/*"):
        recorded = (logs / "recorded" / log.relative_to(DATA)).with_name(log.name.removesuffix(".gz"))
        ours = log.read_bytes()
        assert recorded.read_bytes() == (gzip.decompress(ours) if log.suffix == ".gz" else ours)
