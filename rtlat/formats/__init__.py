"""One file per line family; CONTRIBUTING.md says how to add one."""

import importlib

from rtlat.protocol import Format


def _present() -> tuple[Format, ...]:
    found = []
    for name in (
        "cyclictest_text", "declared_facts", "lil_dmesg", "rt_tests_json",
        "rtd_table", "rtirq_results", "task_maxima", "xenomai_gnuplot",
    ):  # fmt: skip
        try:
            found.append(importlib.import_module(f"rtlat.formats.{name}").FORMAT)
        except (ModuleNotFoundError, AttributeError):
            continue
    return tuple(found)


FORMATS: tuple[Format, ...]


def __getattr__(name: str) -> object:
    if name == "FORMATS":
        return _present()
    raise AttributeError(name)
