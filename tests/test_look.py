"""That an approach keeps its colour, and that the colour-blind, and readers of grey print, tell approaches apart."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from rtlat.display.look import COLOURS, OTHER_COLOURS, Look, looks
from rtlat.display.panels import MOST_NAMED, stacked

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009),
# their published matrices for severity 1.0, on linear RGB.
BLIND = {
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]
    ],
}  # fmt: skip
SRGB_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour: str, seen: np.ndarray) -> np.ndarray:
    """Return CIE L*a*b* (D65) of a colour as somebody sees it."""
    share = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    x, y, z = SRGB_TO_XYZ @ np.clip(seen @ linear, 0, 1) / np.array([0.95047, 1, 1.08883])
    fx, fy, fz = (np.cbrt(t) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


@pytest.mark.parametrize("kind", [*BLIND, "normal"])
def test_the_colour_blind_tell_approaches_apart(kind: str) -> None:
    """2.3 is a just noticeable difference (Mahy and others, 1994); thin lines take several times that."""
    seen = np.array(BLIND.get(kind, np.eye(3)))
    colours = [*COLOURS.values(), *OTHER_COLOURS]
    apart = {
        (one, other): float(np.linalg.norm(lab(one, seen) - lab(other, seen)))
        for one, other in itertools.combinations(colours, 2)
    }
    assert min(apart.values()) > 15, min(apart, key=apart.__getitem__)


@pytest.mark.parametrize("colour", [*COLOURS.values(), *OTHER_COLOURS])
def test_a_line_stands_out_from_the_paper(colour: str) -> None:
    assert lab(colour, np.eye(3))[0] < 75, "of a white page's 100"


def colours_of(*approaches: str) -> list[str]:
    """Return the colours of runs of these approaches."""
    names = [f"r{place}" for place in range(len(approaches))]
    runs = pd.DataFrame({"run": names, "group": "", "approach": approaches, "load": "", "duration": 1.0})
    return [look.colour for look in looks(runs).values()]


def test_an_approach_keeps_its_colour_whatever_else_is_there() -> None:
    (alone,) = colours_of("my own scheduler")
    assert alone in OTHER_COLOURS
    assert colours_of("PREEMPT_RT", "my own scheduler")[1] == alone
    assert colours_of("preempt-rt", "Preempt RT", "XENOMAI") == [COLOURS["PREEMPT_RT"]] * 2 + [COLOURS["Xenomai"]]


def test_approaches_without_a_colour_of_their_own_differ_while_there_are_colours() -> None:
    names = [f"variant {place}" for place in range(len(OTHER_COLOURS))]
    assert set(colours_of(*names)) == set(OTHER_COLOURS)
    assert set(colours_of(*names, "one more")) == set(OTHER_COLOURS)


def run(name: str) -> Look:
    """Return a look with this label."""
    return Look(name, name, name, name, "#0072B2", "solid", "")


def test_labels_stand_beside_their_curves_and_not_upon_each_other() -> None:
    figure, (panel,) = stacked([("one", "us", 340)])
    panel.latency(1, 1000)
    panel.counts(1e-6, 1, "share")
    panel.beside(
        [(500, 1e-3, run("a")), (510, 1e-3, run("b")), (5, 0.1, run("c")), (90, 1e-3, run("a")), (0, 1, run("d"))]
    )
    found = {trace.text[0].strip(): (trace.x[0], trace.y[0]) for trace in figure.data}
    assert found["c"] == (5, pytest.approx(0.1, rel=0.01))
    assert {name: x for name, (x, _) in found.items()} == {"a": 500, "b": 510, "c": 5}
    pixels = [np.log10(found[name][1]) / 6 * 340 for name in "ab"]
    assert 14 <= abs(pixels[0] - pixels[1]) < 20
    panel.beside([(1, 1, run(str(place))) for place in range(MOST_NAMED + 1)])
    assert len(figure.data) == 3, "many labels would hide the curves"


def test_a_long_legend_moves_no_panel() -> None:
    def top(names: int) -> float:
        figure, (panel,) = stacked([("one", "us", 340)])
        for place in range(names):
            panel.line([1, 2], [1, 2], run(f"an approach with a long name, number {place}"))
        figure_height = figure.layout.height - figure.layout.margin.t
        assert figure.layout.margin.b == 0
        return float(figure_height)

    assert top(1) == top(20)
