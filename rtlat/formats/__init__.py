"""One file per line family; CONTRIBUTING.md says how to add one."""

from rtlat.formats import (
    cyclictest_text,
    declared_facts,
    jitterdebugger_results,
    jitterdebugger_samples,
    jitterdebugger_status,
    latency_tracer,
    lil_dmesg,
    rt_tests_json,
    rtd_table,
    rtirq_results,
    rtla,
    task_maxima,
    tracer_lines,
)
from rtlat.protocol import Format

FORMATS: tuple[Format, ...] = (
    cyclictest_text.FORMAT,
    declared_facts.FORMAT,
    jitterdebugger_results.FORMAT,
    jitterdebugger_samples.FORMAT,
    jitterdebugger_status.FORMAT,
    latency_tracer.FORMAT,
    lil_dmesg.FORMAT,
    rt_tests_json.FORMAT,
    rtd_table.FORMAT,
    rtirq_results.FORMAT,
    rtla.FORMAT,
    task_maxima.FORMAT,
    tracer_lines.FORMAT,
)
"""Every format, in alphabetical order; the order has no meaning."""
