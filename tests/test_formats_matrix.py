"""Every format's marks on every log there is: who claims what, by a table written from what recorded the files."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest
from conftest import ROOT, SHARED

from rtlat.errors import LogError
from rtlat.formats import FORMATS
from rtlat.source import Source

TEXT, JSON, RTD = ("cyclictest_text",), ("rt_tests_json",), ("rtd_table",)
LINES, LATENCY = ("tracer_lines",), ("latency_tracer",)
PAIRS = ("rt_tests_pairs",)
NOBODY: tuple[str, ...] = ()
JD = {name: (f"jitterdebugger_{name}",) for name in ("results", "samples", "status")}

# the first pattern that fits a path holds; a path that none fits is nobody's
EXPECTED = {
    # the seeds, and what of them is in the project
    "seeds/000_*": ("rtirq_results",),
    "seeds/002_*": ("lil_dmesg",),
    "seeds/003_*": ("task_maxima",),
    "data/seeds/facts.toml": ("declared_facts",),
    "data/seeds/lil*": ("lil_dmesg",),
    "data/seeds/patch-ikd-trace.txt": ("lil_dmesg",),
    "data/seeds/rtirq*": ("rtirq_results",),
    "data/seeds/*maxima*": ("task_maxima",),
    "tests/data/seeds/lil*": ("lil_dmesg",),
    "tests/data/seeds/rtirq*": ("rtirq_results",),
    "tests/data/seeds/*maxima*": ("task_maxima",),
    # one run told twice, as text and as JSON
    "*/json_stdout*.txt": TEXT + JSON,
    # cyclictest and the other tools of rt-tests, whose JSON only its command line tells from cyclictest's
    "*/rt-tests/*.json": JSON,
    "*/data/json/*.json": JSON,
    "*/data/json/*": TEXT,
    "*/rt-tests/hwlatdetect*": ("hwlatdetect",),
    "*/rt-tests/tool_cyclicdeadline*": TEXT,
    "*/rt-tests/tool_signaltest*": ("rt_tests_signal",),
    "*/rt-tests/tool_sigwaittest_json.stdout": NOBODY,  # refused an option
    "*/rt-tests/tool_pmqtest*": PAIRS,
    "*/rt-tests/tool_ptsematest*": PAIRS,
    "*/rt-tests/tool_sigwaittest*": PAIRS,
    "*/rt-tests/tool_svsematest*": PAIRS,
    "*/rt-tests/tool_oslat*": ("rt_tests_oslat",),
    "*/rt-tests/tool_rt_migrate*": ("rt_tests_migrate",),
    "*/rt-tests/tool_queuelat.txt": ("queuelat",),
    "*/rt-tests/tool_*": NOBODY,
    "*/rt-tests/MA*": NOBODY,
    "*/rt-tests/h100_q_sigkill.txt": NOBODY,  # empty
    "*/rt-tests/status_nobody_fail.txt": NOBODY,  # refused to run
    "*/rt-tests/status_smi.txt": NOBODY,  # refused to run
    "*/rt-tests/*": TEXT,
    "*/emulated-kernels/*.json": JSON,
    "*/emulated-kernels/*.hist": TEXT,
    "*/emulated-kernels/*.samples*": TEXT,
    "*/emulated-kernels/*/xenomai-latency-*": RTD,
    "*/samanjot-*.json": JSON,
    "*/hwlat-report.txt": ("hwlatdetect",),
    "*/guest-*/hwlatdetect*": ("hwlatdetect",),
    "*/lkml-hwlatdetect*": ("hwlatdetect",),
    "*/public/cyclictest/SOURCES.tsv": NOBODY,
    "*/public/cyclictest/osadl_*": ("rt_dataset",),
    "*/public/cyclictest/*": TEXT,
    # Xenomai, EVL and RTAI
    "*/xenomai-rtai-evl/SOURCES.tsv": NOBODY,
    "*/xenomai-rtai-evl/18_*": NOBODY,  # hectic: no latency
    "*/xenomai-rtai-evl/*": RTD,
    "*/derived/d*": RTD,
    "*/xenomai-mercury/README.md": NOBODY,
    "*/xenomai-mercury/l33_p2s.txt": NOBODY,  # refused its period
    "*/xenomai-mercury/l33_t1_mercury.txt": NOBODY,  # refused its mode
    "*/xenomai-mercury/*": RTD,
    "tests/data/xenomai/*": RTD,
    "tests/data/evl/*": RTD,
    "tests/data/rtai/*": RTD,
    "tests/data/cyclictest/*": TEXT,
    "*/tracefs-*.max_latency.txt": NOBODY,  # one number
    "*/tracefs-osnoise-dir.txt": NOBODY,
    "*/tracefs-wakeup*": LATENCY,
    "*/tracefs-*": LINES,
    "*/rtla612-*_trace*": LINES,
    "*/other-tools/*rtla*": ("rtla",),
    "*/emulated-kernels/preempt_rt/rtla-*": ("rtla",),
    "tests/data/rtla/*": ("rtla",),
    "*/trace-cmd-report-*": LINES,
    "*/kerneldoc-osnoise.txt": LINES,
    "*/kerneldoc-*": LATENCY,
    "*/lkml-preemptirqsoff*": LATENCY,
    "*/hdr-percentiles*": ("hdr_percentiles",),
    "tests/data/hdr/percentiles.txt": ("hdr_percentiles",),
    "tests/data/rt-dataset/*": ("rt_dataset",),
    "*/*.hlog": ("hdr_log",),
    "*/j*d*/results.json": JD["results"],
    "*/j*d*/samples.*": JD["samples"],
    "*/jitterdebugger*.txt": JD["status"],
    "*/*stress-ng-cyclic*.txt": ("stress_ng_cyclic",),
    "*/host-rt-app-thread*": ("rt_app_log",),
    "*/host-bpftrace*": ("bpf_histogram",),
    "*/rttest-*": ("ros2_rttest",),
    "*/ros2-performance_test*": ("ros2_performance_test",),
    "*/cip-lava-*": ("lava_results",),
    "tests/data/stress-ng/*": ("stress_ng_cyclic",),
    "tests/data/rt-app/*": ("rt_app_log",),
    "tests/data/bpf/*": ("bpf_histogram",),
    "tests/data/ros2/rttest*": ("ros2_rttest",),
    "tests/data/ros2/performance*": ("ros2_performance_test",),
    "tests/data/lava/*": ("lava_results",),
    "tests/data/rteval/*": ("rteval_xml",),
    "tests/data/linuxcnc/*": ("linuxcnc_histogram",),
}
FOLDERS = ((SHARED, "logs"), (SHARED, "seeds"), (ROOT, "data"), (ROOT, "tests/data"))
FILES = {
    path.relative_to(base).as_posix(): path
    for base, folder in FOLDERS
    for path in sorted((base / folder).rglob("*"))
    if path.is_file()
}


def claims(path: Path) -> tuple[str, ...]:
    start = next(Source(path, path.name).chunks(), b"")
    binary = tuple(known.name for known in FORMATS if known.claims and known.claims(start))
    if binary:
        return binary
    try:
        lines = Source(path, path.name).head()
    except LogError:  # empty or binary
        return ()
    return tuple(
        known.name for known in FORMATS if any(mark.match(line.text) for line in lines for mark in known.marks)
    )


@pytest.mark.parametrize("name", FILES)
def test_who_claims(name: str) -> None:
    expected = next((claim for pattern, claim in EXPECTED.items() if fnmatch(name, pattern)), NOBODY)
    assert sorted(claims(FILES[name])) == sorted(expected)


def test_every_pattern_of_the_table_fits_a_log() -> None:
    if not (SHARED / "logs").is_dir():
        pytest.skip("no log collection: set RTLAT_LOGS")
    idle = [pattern for pattern in EXPECTED if not any(fnmatch(name, pattern) for name in FILES)]
    assert [pattern for pattern in idle if not pattern.startswith("tests/data/")] == []
