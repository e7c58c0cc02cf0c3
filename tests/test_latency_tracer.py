"""Headers of latency traces: against the logs' own lines, the old tracer's notation, and damage."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from conftest import ROOT, SHARED

import rtlat
from rtlat.errors import LogError
from rtlat.formats.latency_tracer import FORMAT
from rtlat.protocol import Run
from rtlat.source import Source

GUEST = "logs/recorded/other-tools/guest-6.12.117-rt/"
PUBLIC = "logs/public/other-tools/"
WAKEUP_RT = ROOT / "tests/data/tracers/tracefs-wakeup_rt.trace.txt"

# quantity, whether the header proves PREEMPT_RT; all else is read from the log by plain expressions
TRACES = {
    GUEST + "tracefs-wakeup.trace.txt": ("thread", True),
    GUEST + "tracefs-wakeup_rt.trace.txt": ("thread", True),
    PUBLIC + "kerneldoc-wakeup.txt": ("thread", False),
    PUBLIC + "kerneldoc-wakeup_rt.txt": ("thread", False),
    PUBLIC + "kerneldoc-irqsoff.txt": ("irqsoff", False),
    PUBLIC + "kerneldoc-preemptoff.txt": ("preemptoff", False),
    PUBLIC + "kerneldoc-preemptirqsoff.txt": ("preemptirqsoff", False),
    PUBLIC + "lkml-preemptirqsoff-v1.1.5.txt": ("preemptirqsoff", False),
}


def parse(text: str | bytes) -> list[Run]:
    return list(FORMAT.parse(Source(None, "trace", text.encode() if isinstance(text, str) else text)))


def latency(run: Run) -> int:
    """The maximum of a run [us]; its row states nothing else."""
    rows = run.rows.arrays()
    assert (rows["kind"].tolist(), rows["of"].tolist(), rows["n"].tolist()) == (["summary"], ["all"], [-1])
    assert rows["low"].tolist() == [-math.inf]
    assert rows["unit"].tolist() == ["ns"]
    return int(rows["high"][0]) // 1000


@pytest.mark.parametrize("name", TRACES)
def test_every_log_against_plain_expressions(name: str) -> None:
    path = SHARED / name
    if not path.exists():
        pytest.skip("no log collection: set RTLAT_LOGS")
    text = path.read_text()
    (run,) = parse(text)
    quantity, realtime = TRACES[name]
    header = re.search(r"# latency: (\d+) us, #(\d+)/\d+, CPU#(\d+) \| \(M:(\w+) ", text)
    title = re.search(r"# (\w+) latency trace (\S+) on (\S+)", text)
    task = re.search(r"task: (\S+) ", text)
    assert header
    assert title
    assert task
    assert latency(run) == int(header[1])
    assert run.rows.arrays()["quantity"].tolist() == [quantity]
    assert run.rows.arrays()["line"].tolist() == [text[: header.start()].count("\n") + 1]
    assert (run.tool, run.facts["kernel"], run.facts["variant"]) == (title[1], title[3], f"latency trace {title[2]}")
    assert run.facts.get("approach") == ("PREEMPT_RT" if realtime else None)
    note = run.facts["note"]
    assert f"task {task[1]} (" in note
    assert f"on cpu{header[3]}" in note
    assert f"preemption model {header[4]}" in note
    for which, function in re.findall(r"=> (started|ended) at: +(\S+)", text):
        assert f"{which} at {function}" in note
    # the header says how many steps there are, of which the mail shows four
    steps = 4 if "lkml" in name else int(header[2])
    assert run.ignored.reasons["step on the path to the maximum"][0] == steps
    assert run.rejected.total == 0


@pytest.mark.parametrize("tracer", ["wakeup", "wakeup_rt"])
def test_the_kernel_s_own_maximum(logs: Path, tracer: str) -> None:
    folder = logs.parent / GUEST
    (run,) = parse((folder / f"tracefs-{tracer}.trace.txt").read_bytes())
    assert latency(run) == int((folder / f"tracefs-{tracer}.max_latency.txt").read_text())


OLD = """preemption latency trace v1.1.5 on 2.6.13-rt9
--------------------------------------------------------------------
 latency: 44 us, #3/3, CPU#0 | (M:{model} VP:0, KP:0, SP:1 HP:1 #P:2)
    -----------------
    | task: IRQ 14-155 (uid:0 nice:-5 policy:1 rt_prio:46)
    -----------------

                 _------=> CPU#
   cmd     pid ||||| time  |   caller
      \\   /    |||||   \\   |   /
  <idle>-0     0Dnh2    0us : {first} (try_to_wake_up)
  <idle>-0     0Dnh1    1us+: preempt_schedule (__trace_start_sched_wakeup)
  <idle>-0     0Dnh.   44us : schedule (cpu_idle)
"""


def test_the_tracer_before_ftrace() -> None:
    (wakeup,) = parse(OLD.format(model="rt", first="__trace_start_sched_wakeup"))
    (section,) = parse(OLD.format(model="preempt", first="irq_enter"))
    assert latency(wakeup) == latency(section) == 44
    assert wakeup.rows.arrays()["quantity"].tolist() == ["thread"]
    assert section.rows.arrays()["quantity"].tolist() == ["unknown"]
    assert any("not told" in warning for warning in section.warnings)
    assert wakeup.facts["note"] == "the largest: task IRQ 14-155 (SCHED_FIFO, rt_prio 46), on cpu0, preemption model rt"
    assert wakeup.facts["kernel"] == "2.6.13-rt9"
    assert wakeup.facts["rounding"] == "unknown"
    # kernels without the realtime patch said so, too
    assert "approach" not in wakeup.facts
    assert wakeup.ignored.reasons["step on the path to the maximum"][0] == 3


@pytest.mark.parametrize("model", ["preempt_rt", "PREEMPT_RT", "PREEMPT_{RT,(full)}"])
def test_the_preemption_model_tells_the_approach(model: str) -> None:
    (run,) = parse(OLD.format(model=model, first="irq_enter"))
    assert run.facts["approach"] == "PREEMPT_RT"


@pytest.mark.parametrize("model", ["preempt", "desktop", "server", "rt", "PREEMPT(full)", "voluntary", "unknown"])
def test_other_models_tell_none(model: str) -> None:
    (run,) = parse(OLD.format(model=model, first="irq_enter"))
    assert "approach" not in run.facts


def test_ftrace_without_hashes() -> None:
    text = "# tracer: irqsoff\n" + OLD.format(model="preempt", first="irq_enter").replace("preemption", "irqsoff")
    (run,) = parse(text)
    assert run.rows.arrays()["quantity"].tolist() == ["irqsoff"]
    assert run.facts["rounding"] == "truncated"


def test_latin_1_microseconds() -> None:
    text = OLD.format(model="preempt", first="irq_enter").replace("v1.1.5", "v1.1.4").encode()
    (run,) = parse(text.replace(b"44 us", b"44 \xb5s"))
    assert latency(run) == 44


@pytest.mark.parametrize("place", [" #P:2)", " VP:0,", " (M:", " CPU#0 |"])
def test_a_mailer_breaks_the_header(place: str) -> None:
    text = OLD.format(model="preempt", first="irq_enter").replace(place, "\n" + place.strip(), 1)
    (run,) = parse("".join(f"> {line}\n" for line in text.split("\n")))
    assert latency(run) == 44
    assert run.quoted
    assert run.rejected.total == 0
    assert "IRQ 14-155" in run.facts["note"]


def test_several_traces_of_a_log_each_with_its_own_cause() -> None:
    text = WAKEUP_RT.read_text()
    other = text.replace("wakeup_rt", "irqsoff").replace("5743 us", "12 us").replace("ktimers/1-33", "ps-7")
    runs = parse(f"{text}\nand with interrupts off:\n\n{other}\n{text}")
    assert [(run.tool, latency(run)) for run in runs] == [("wakeup_rt", 5743), ("irqsoff", 12), ("wakeup_rt", 5743)]
    assert ["ps-7" in run.facts["note"] for run in runs] == [False, True, False]


def test_nothing_was_recorded_yet() -> None:
    text = (
        "# wakeup latency trace v1.1.5 on 6.1\n# latency: 0 us, #0/0, CPU#0 | (M:desktop VP:0, KP:0, SP:0 HP:0 #P:4)\n"
    )
    with pytest.raises(LogError, match="trace:2: found a trace in which nothing was recorded yet"):
        parse(text)


@pytest.mark.parametrize(
    "damaged", ["# latency: 57x3 us, #27/27", "# latency: 5743 us, #27/2x", "# latency: us, #27/27"]
)
def test_a_damaged_header_is_no_number(damaged: str) -> None:
    text = WAKEUP_RT.read_text()
    with pytest.raises(LogError, match="tells no latency"):
        parse(text.replace("# latency: 5743 us, #27/27", damaged))
    runs = parse(text + text.replace("# latency: 5743 us, #27/27", damaged))
    assert [latency(run) for run in runs] == [5743]
    assert runs[0].rejected.total == 1
    assert any("could not be read" in warning for warning in runs[0].warnings)


def test_a_log_cut_anywhere_states_its_maximum_or_nothing() -> None:
    data = WAKEUP_RT.read_bytes()
    told = data.index(b" VP:") + len(b" VP:")
    for end in range(1, len(data)):
        try:
            runs = parse(data[:end])
        except LogError:
            assert end < told
        else:
            assert [latency(run) for run in runs] == [5743]
            assert end >= told


def test_a_summary_says_how_little_is_known() -> None:
    (run,) = rtlat.summary_json(rtlat.read(WAKEUP_RT), ["99"])["runs"]
    (series,) = run["series"]
    assert run["approach"] == "PREEMPT_RT"
    assert series["n"] is None
    assert (series["max"]["low"], series["max"]["high"]) == (5743.0, 5744.0)
    assert series["percentiles"]["99"]["status"] == "refused"


def test_hostile_lines_cost_no_time() -> None:
    lines = ("# " * 60_000, "latency: " * 20_000, "| task: " + "a-1 " * 30_000, " => started at: " + "x " * 60_000)
    with pytest.raises(LogError):
        parse("\n".join(lines) + "\n")  # quadratic in these would be minutes
