"""Observations that textbooks of extreme values fit (see textbook/README.md)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rtlat.intervals import Array

FOLDER = Path(__file__).resolve().parent / "textbook"


def sea_level() -> Array:
    """Return the yearly maxima of the sea level at Port Pirie [m]."""
    return np.asarray(np.loadtxt(FOLDER / "portpirie.csv", delimiter=",", skiprows=1)[:, 1])


def rain() -> Array:
    """Return the daily rainfalls above 30 mm, of 17,531 days [mm]."""
    return np.asarray(np.loadtxt(FOLDER / "rain_over_30mm.csv"))


def fire_losses() -> Array:
    """Return the Danish fire losses above 10, of 2,167 [million kroner]."""
    return np.asarray(np.loadtxt(FOLDER / "danish_over_10.csv"))


def cut(values: Array, width: float) -> tuple[Array, Array, Array]:
    """Return values as bins: low ends, high ends and counts."""
    place, n = np.unique(np.floor(values / width), return_counts=True)
    return place * width, (place + 1) * width, n
