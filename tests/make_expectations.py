"""Write tests/expectations.tsv: what each log of the collection says of itself, by the simplest means.

    python tests/make_expectations.py FOLDER > tests/expectations.tsv

Nothing of rtlat is used. Columns: the file below FOLDER, its format, the runs in it, the series of all runs
together, the sum of their observations, the least minimum and the greatest maximum (ns; in cycles or in the file's
own unit where it states no time), the sum of what lies beyond the last bins, and where the figures are from. An
empty cell: the log does not say, or does not say it simply. The format ``-``: the log is refused, with the reason.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import footers as f
import footers_rt_tests as r

HEAD = ("file", "format", "runs", "series", "n", "min", "max", "overflow", "basis")

FOOTER, STATUS, RAW, ROWS, SUMMARY = "footer", "status lines", "raw rows", "rows of the histogram", "printed summary"
_NO_UNIT = "; that they are ns is nowhere said"
TEXT, JSON, RTD, RTLA = "cyclictest_text", "rt_tests_json", "rtd_table", "rtla"

# the first pattern that fits a file holds
READ: dict[str, tuple[str, Callable[[Any], f.Runs], str]] = {
    "recorded/rt-tests/old_v0.[1-7]?_v.txt": (TEXT, r.verbose_old, RAW),
    "recorded/rt-tests/old_v0.83_v.txt": (TEXT, r.verbose_old, RAW),
    "recorded/rt-tests/*_v.txt": (TEXT, r.verbose, RAW),
    "recorded/rt-tests/v_t*": (TEXT, r.verbose, RAW),
    "recorded/rt-tests/v_h50*": (TEXT, r.verbose, RAW),
    "recorded/rt-tests/v_i100*": (TEXT, r.verbose, RAW),
    "recorded/rt-tests/v_N*": (TEXT, r.verbose, RAW + _NO_UNIT),
    "recorded/rt-tests/tool_oslat*.json": (JSON, r.oslat_json, ROWS),
    "recorded/rt-tests/tool_cyclicdeadline*.json": (JSON, r.deadline_json, SUMMARY),
    "recorded/rt-tests/tool_p*.json": (JSON, r.pairs_json, SUMMARY),
    "recorded/rt-tests/tool_s[iv][gs][we]*.json": (JSON, r.pairs_json, SUMMARY),
    "recorded/rt-tests/tool_signaltest.json": (JSON, r.signal_json, SUMMARY),
    "recorded/rt-tests/tool_rt_migrate.json": (JSON, r.migrate_json, SUMMARY),
    "recorded/rt-tests/json_stdout*": (JSON, r.rt_tests_json, SUMMARY),
    "recorded/rt-tests/*.json": (JSON, r.rt_tests_json, SUMMARY),
    "recorded/rt-tests/*json_N_h8.stdout": (TEXT, r.cyclictest, FOOTER + _NO_UNIT),
    "recorded/rt-tests/json_N_h.stdout": (TEXT, r.cyclictest, FOOTER + _NO_UNIT),
    "recorded/rt-tests/*_N_*": (TEXT, r.nanoseconds, STATUS),
    "recorded/rt-tests/status_N*": (TEXT, r.nanoseconds, STATUS),
    "recorded/rt-tests/N_h*": (TEXT, r.cyclictest, FOOTER + _NO_UNIT),
    "recorded/rt-tests/h30_truncated.txt": (TEXT, r.without_footers, ROWS),
    "public/cyclictest/lemariva*": (TEXT, r.without_footers, ROWS),
    "recorded/rt-tests/tool_cyclicdeadline*": (TEXT, r.deadline, STATUS),
    "recorded/rt-tests/json_N*": (TEXT, r.nanoseconds, STATUS),
    "recorded/rt-tests/old_v0.[23]?_h*": (TEXT, r.old_histogram, ROWS),
    "recorded/rt-tests/old_v0.46_h*": (TEXT, r.clamped_histogram, ROWS),
    "recorded/rt-tests/old_v0.50_h*": (TEXT, r.clamped_histogram, ROWS),
    "recorded/rt-tests/concatenated_[rm]*": (TEXT, r.parted("# Histogram$", r.cyclictest), FOOTER),
    "recorded/rt-tests/tool_pmqtest*": ("rt_tests_pairs", r.pairs, STATUS),
    "recorded/rt-tests/tool_p*": ("rt_tests_pairs", r.pairs, STATUS),
    "recorded/rt-tests/tool_svsem*": ("rt_tests_pairs", r.pairs, STATUS),
    "recorded/rt-tests/tool_sigwait*": ("rt_tests_pairs", r.pairs, STATUS),
    "recorded/rt-tests/tool_signal*": ("rt_tests_signal", r.signal_ring, STATUS),
    "recorded/rt-tests/tool_oslat*": ("rt_tests_oslat", r.oslat, ROWS),
    "recorded/rt-tests/tool_rt_migrate*": ("rt_tests_migrate", r.migrate, SUMMARY),
    "recorded/rt-tests/tool_queuelat.txt": ("queuelat", r.queuelat, ROWS),
    "recorded/rt-tests/*h[1-9]*": (TEXT, r.cyclictest, FOOTER),
    "recorded/rt-tests/*": (TEXT, r.cyclictest, STATUS),
    "recorded/emulated-kernels/*.hist": (TEXT, r.cyclictest, FOOTER),
    "recorded/emulated-kernels/*.json": (JSON, r.rt_tests_json, SUMMARY),
    "recorded/emulated-kernels/*.samples": (TEXT, r.verbose, RAW),
    "recorded/emulated-kernels/*/xenomai-*": (RTD, f.rtd, FOOTER),
    "*rtla*osnoise-top-q.txt": (RTLA, f.rtla_osnoise_top, ROWS),
    "*rtla*top-q.txt": (RTLA, f.rtla_timerlat_top, ROWS),
    "*rtla*-top-u-q.txt": (RTLA, f.rtla_timerlat_top, ROWS),
    "*/rtla612-timerlat-hist-noindex*": (RTLA, f.rtla_bare, FOOTER),
    "*/rtla612-timerlat-hist-noirq*": (RTLA, f.rtla_rows, ROWS),
    "*/rtla612-osnoise-hist-T500ms*": (RTLA, f.none, "no column of a CPU"),
    "*/rtla*hist*.txt": (RTLA, f.rtla_histogram, FOOTER),
    "*/rtla-*": (RTLA, f.rtla_histogram, FOOTER),
    "*/tracefs-osnoise.trace.txt": ("tracer_lines", f.osnoise_trace, RAW),
    "*/rtla612-osnoise_trace*": ("tracer_lines", f.noise_events, RAW),
    "*/tracefs-hwlat*": ("tracer_lines", f.hwlat_trace, RAW),
    "*/tracefs-wakeup*": ("latency_tracer", f.latency_tracer, SUMMARY),
    "*timerlat*trace*": ("tracer_lines", f.timerlat_trace, RAW),
    "*/trace-cmd-report*": ("tracer_lines", f.timerlat_trace, RAW),
    "*/tracefs-timerlat*": ("tracer_lines", f.timerlat_trace, RAW),
    "public/other-tools/kerneldoc-osnoise*": ("tracer_lines", f.osnoise_trace, RAW),
    "public/other-tools/kerneldoc-*": ("latency_tracer", f.latency_tracer, SUMMARY),
    "public/other-tools/lkml-preemptirqsoff*": ("latency_tracer", f.latency_tracer, SUMMARY),
    "*hwlat*": ("hwlatdetect", r.hwlatdetect, SUMMARY),
    "*/j*d*/results.json": ("jitterdebugger_results", f.jitterdebugger, SUMMARY),
    "*/samples.csv": ("jitterdebugger_samples", f.jitterdebugger_csv, RAW),
    "*/samples.raw": ("jitterdebugger_samples", f.jitterdebugger_raw, RAW),
    "*/jitterdebugger*.txt": ("jitterdebugger_status", f.jitterdebugger_status, STATUS),
    "*stress-ng-cyclic*": ("stress_ng_cyclic", f.stress_ng, SUMMARY),
    "*/host-rt-app-*": ("rt_app_log", f.rt_app, RAW),
    "*/host-bpftrace*.json": ("bpf_histogram", f.bpftrace_json, ROWS),
    "*/host-bpftrace*": ("bpf_histogram", f.bpftrace, ROWS),
    "*/rttest-*-full*": ("ros2_rttest", f.rttest, RAW),
    "*/rttest-*": ("ros2_rttest", f.rttest_statistics, SUMMARY),
    "*/ros2-performance_test-idle*": ("ros2_performance_test", f.performance_windows, RAW),
    "*/ros2-performance_test-*": ("ros2_performance_test", f.performance_totals, RAW),
    "*/hdr-percentiles*": ("hdr_percentiles", f.hdr_percentiles, FOOTER),
    "*/cip-lava*": ("lava_results", f.lava, SUMMARY),
    "*/samanjot-*": (JSON, r.rt_tests_json, SUMMARY),
    "public/cyclictest/osadl*": ("rt_dataset", f.rt_dataset, SUMMARY),
    "public/cyclictest/manureggia*": (TEXT, r.verbose, RAW),
    "public/cyclictest/*": (TEXT, r.cyclictest, FOOTER),
    "derived/*": (RTD, f.rtd, SUMMARY),
    "public/xenomai-rtai-evl/19_*": (RTD, f.rtai_latency, RAW),
    "public/xenomai-rtai-evl/24_*": (RTD, f.rtai_latency, RAW),
    "public/xenomai-rtai-evl/2[35]_*": (RTD, f.rtai_switches, SUMMARY),
    "public/xenomai-rtai-evl/*": (RTD, f.rtd, SUMMARY),
    "recorded/xenomai-mercury/*": (RTD, f.rtd, SUMMARY),
}

_NOT_A_LOG = "no log: about the logs, or about the machine"
REFUSED: dict[str, str] = {
    **dict.fromkeys(("*/SOURCES.tsv", "*/MANIFEST.tsv", "*/COMMANDS.tsv", "*/README.md", "*/MACHINE.txt"), _NOT_A_LOG),
    **dict.fromkeys(
        ("*/cmdline.txt", "*/cmdline", "*/cpuinfo*", "*/cpus_online", "*/interrupts", "*/uname*"), _NOT_A_LOG
    ),
    **dict.fromkeys(("*/dmesg", "*/config.gz", "*/rc.txt", "*/available_tracers.txt", "*-osnoise-dir.txt"), _NOT_A_LOG),
    "*/trace-cmd-record.log": "trace-cmd tells that it recorded",
    "*.max_latency.txt": "one number without a word",
    "*/rtla612-osnoise-top-auto.txt": "stopped before it printed a CPU's row",
    "*/host-rt-app.con*": "rt-app's configuration and console: no latency",
    "*/host-stress-ng-cyclic.yaml": "counts of operations: no latency",
    "*/host-stress-ng-schedmix.txt": "counts of operations: no latency",
    "*/host-stress-ng-timer.txt": "counts of operations: no latency",
    "recorded/emulated-kernels/*/stress-ng.txt": "counts of operations: no latency",
    "public/cyclictest/typed_lkml_eevdf_table.txt": "four kernels' footers side by side, without their rows",
    "public/other-tools/hdr-jHiccup-2.0.1*": "an encoding that current libraries do not read",
    "public/xenomai-rtai-evl/18_*": "hectic counts context switches: no latency",
    "public/xenomai-rtai-evl/26_*": "it had no permission to start",
    "recorded/rt-tests/h100_q_sigkill.txt": "empty: it was killed",
    "recorded/rt-tests/histfile_q.stdout": "only the head: the histogram went into another file",
    "recorded/rt-tests/json_no_samples_invalid.json": "stopped before a sample",
    "recorded/rt-tests/no_samples_int.txt": "stopped before a sample",
    "recorded/rt-tests/o5_l500.txt": "usage: -o needs -v",
    "recorded/rt-tests/old_v0.[23]?_h6_q_overflow.txt": "all samples lie beyond the table, which does not count them",
    "recorded/rt-tests/status_nobody_fail.txt": "it had no permission to start",
    "recorded/rt-tests/status_smi.txt": "no SMI counter",
    "recorded/rt-tests/tool_cyclicdeadline_fail.txt": "it refused its run time",
    "recorded/rt-tests/tool_cyclicdeadline_json.stdout": "only the head: the results are in the JSON",
    "recorded/rt-tests/tool_deadline_test.txt": "empty",
    "recorded/rt-tests/tool_hackbench*": "a duration: no latency",
    "recorded/rt-tests/tool_hwlatdetect*": "it ended with a traceback",
    "recorded/rt-tests/tool_pi*_stress*": "counts of inversions: no latency",
    "recorded/rt-tests/tool_ssdd*": "counts of steps: no latency",
    "recorded/rt-tests/tool_queuelat_usage.txt": "usage",
    "recorded/rt-tests/tool_sigwaittest_json.stdout": "usage",
    "recorded/rt-tests/tool_usage.txt": "usage",
    "recorded/rt-tests/version_help.txt": "usage",
    "recorded/xenomai-mercury/l33_int_warmup.txt": "stopped before its first line",
    "recorded/xenomai-mercury/l33_p2s.txt": "it refused its period",
    "recorded/xenomai-mercury/l33_t1_mercury.txt": "it refused its mode",
}

_RTAI = "latency, three switch times, and preempt's latency and two jitters; n and the signs of jitters are not printed"
_CAMPAIGN = "public/xenomai-rtai-evl/{}_rtai_full_host-rtai-5.2-4.4.176-{}.txt"
BY_HAND: dict[str, tuple[Any, ...]] = {
    _CAMPAIGN.format(30, "039-2019-06-18-poll-tscreliable-plain-cpu1-idle-perfect"): (
        RTD,
        3,
        7,
        None,
        None,
        3968,
        None,
        _RTAI,
    ),
    _CAMPAIGN.format(32, "041-2019-06-18-poll-tscreliable-isolcpus1-cpu1-idle-good"): (
        RTD,
        3,
        7,
        None,
        None,
        697876,
        None,
        _RTAI,
    ),
    _CAMPAIGN.format(34, "056-2019-06-19-allacpi-tscreliable-isolcpus1-plain-cpu1-nolatency-cimn-ok"): (
        *(RTD, 2, 4, None, None, 10367, None),
        "as the others, but the switches test printed nothing",
    ),
    "public/xenomai-rtai-evl/22_rtai_kern_preempt_jit_columns.txt": (RTD, 1, 3, None, None, 69412, None, _RTAI),
    "public/other-tools/lkml-rtla-osnoise-hist-avg0-bug.txt": (
        RTLA,
        1,
        2,
        6993,
        1000,
        2955000,
        None,
        "two columns without a head",
    ),
    "public/other-tools/hdr-jHiccup-2.0.7S.logV2.hlog": (
        "hdr_log",
        1,
        1,
        48761,
        None,
        None,
        0,
        "decoded with the package hdrh",
    ),
    "recorded/rt-tests/concatenated_us_ns.txt": (
        TEXT,
        2,
        4,
        660,
        15935,
        1074000,
        None,
        "status lines in us, then in ns",
    ),
    "recorded/rt-tests/bad_option.txt": (TEXT, 1, 1, 985, 31000, 8624000, None, "footers, but the rows are cut out"),
    "recorded/rt-tests/v_h50_q_l200.txt": (
        TEXT,
        1,
        2,
        400,
        18000,
        177000,
        None,
        "200 and 197 samples, 200 and 200 in the table",
    ),
    "recorded/rt-tests/break_b20_notracefs.txt": (
        TEXT,
        1,
        1,
        None,
        None,
        21000,
        None,
        "only the value that stopped it",
    ),
    "recorded/rt-tests/break_b20_v.txt": (TEXT, 1, 1, None, None, 43000, None, "only the value that stopped it"),
    "recorded/rt-tests/v_o5_l500.txt": (TEXT, 1, 1, None, None, 110000, None, "the greatest of each five"),
    "recorded/rt-tests/negative_forced.json": (JSON, 1, 1, 500, 21000, None, 308, "the maximum is a negative value"),
    "recorded/rt-tests/negative_forced_q.txt": (TEXT, 1, 1, 500, None, None, None, "minimum and maximum are wrong"),
    "recorded/rt-tests/negative_forced_h40_q.txt": (
        TEXT,
        1,
        1,
        500,
        21000,
        None,
        284,
        "the maximum is 2^64 less something",
    ),
    "recorded/rt-tests/negative_forced_deb2.10_h40_q.txt": (
        *(TEXT, 1, 1, 500, 20000, None, 250),
        "the maximum is 2^64 less something",
    ),
    "recorded/rt-tests/tool_pmqtest_p80_q_D3_T1.txt": (
        *("rt_tests_pairs", 1, 1, 2, None, None, None),
        "a timeout counts as a latency, which spoils minimum and maximum",
    ),
    "recorded/xenomai-mercury/l31_quiet_stats.txt": (
        *(RTD, 1, 1, 16000, 15030, 53955008, None),
        "four whole windows of 250 us; the histogram's 18877 include a fifth that was not finished",
    ),
    "recorded/rt-tests/tool_oslat_b.txt": (
        "rt_tests_oslat",
        1,
        1,
        None,
        None,
        56000,
        None,
        "one latency over a threshold",
    ),
}
"""Format, runs, series, n, min, max, overflow and why, of files that nothing simple reads; checked by hand."""


def expectation(name: str, path: Path) -> tuple[Any, ...]:
    """One row of the table."""
    if name in BY_HAND:
        *cells, why = BY_HAND[name]
        return (name, *cells, f"by hand: {why}")
    if reason := next((why for pattern, why in REFUSED.items() if fnmatch(name, pattern)), ""):
        return (name, "-", *[None] * 6, reason)
    kind, reader, basis = next(entry for pattern, entry in READ.items() if fnmatch(name, pattern))
    data = path.read_bytes()
    runs = reader(data if name.endswith(".raw") else f.plain(data))
    series = [one for run in runs for one in run]
    return (
        name,
        kind,
        len(runs),
        len(series),
        total(one.n for one in series),
        min((one.low for one in series if one.low is not None), default=None),
        max((one.high for one in series if one.high is not None), default=None),
        total(one.over for one in series),
        basis,
    )


def total(numbers: Iterator[int | None]) -> int | None:
    """A sum; unknown if a part of it is."""
    known = list(numbers)
    return None if None in known or not known else sum(number for number in known if number is not None)


def shown(cell: Any) -> str:
    """A cell of the table."""
    if isinstance(cell, Decimal):
        return f"{cell.normalize():f}"
    return "" if cell is None else str(cell)


def table(folder: Path) -> list[str]:
    """The whole table, a line for each file."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    rows = [expectation(path.relative_to(folder).as_posix(), path) for path in files]
    return ["\t".join(map(shown, cells)) for cells in (HEAD, *rows)]


if __name__ == "__main__":
    print("\n".join(table(Path(sys.argv[1]))))
