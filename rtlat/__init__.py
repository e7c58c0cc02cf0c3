"""Real-time latency logs: read, understood, compared and defended.

>>> import rtlat
>>> sorted(rtlat.__all__)[:3]
['Bounds', 'Recording', 'RtlatError']
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # to import typing here would be a good part of the time that `rtlat --help` takes

__version__ = "0.1.0"

# Public name -> the module that holds it, imported when first used: `rtlat --help` needs no pandas.
_HOME = {
    "Bounds": "statistics.results",
    "Recording": "protocol",
    "RtlatError": "errors",
    "block_maxima": "counts",
    "ccdf": "counts",
    "check": "claiming.checking",
    "compare": "comparing.comparison",
    "concat": "reading",
    "detect": "detection",
    "exceedance": "counts",
    "histogram": "counts",
    "percentiles": "summaries",
    "read": "reading",
    "read_all": "reading",
    "select": "selection",
    "summary": "summaries",
    "summary_json": "summaries",
    "validate": "frames",
}

__all__ = sorted([*_HOME, "__version__"])

if TYPE_CHECKING:
    from typing import Any

    from rtlat.errors import RtlatError as RtlatError
    from rtlat.protocol import Recording as Recording


def __getattr__(name: str) -> Any:
    """Import a public name from the module that holds it."""
    if name not in _HOME:
        raise AttributeError(f"module 'rtlat' has no attribute {name!r}")
    attribute = getattr(importlib.import_module(f"rtlat.{_HOME[name]}"), name)
    globals()[name] = attribute
    return attribute


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
