"""Maximum likelihood of a few parameters, and the region of parameters that the data do not contradict.

A likelihood is a function of many points at once: an array with a row of parameters for each point gives the
mean log-likelihood per observation at each, -inf where the parameters are impossible. The mean, because sums
over 1e8 observations hide from an optimiser what little of them it can still change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rtlat.intervals import Array

Likelihood = Callable[[Array], Array]

_STEP = 1e-4
"""Of the differences that stand for derivatives: parameters are of the order of one, the mean likelihood too."""

_DAMPING = np.array([0.0, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e4, 1e6])

_ROUNDS = 60


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where a likelihood is greatest.

    Attributes
    ----------
    parameters : ndarray
        The estimate.
    value : float
        Mean log-likelihood there.
    information : ndarray
        Minus the second derivatives of the mean log-likelihood there: the observed information of one observation.
    regular : bool
        Whether it is a maximum within the parameters' range, with curvature in every direction.
    """

    parameters: Array
    value: float
    information: Array
    regular: bool


def maximum(likelihood: Likelihood, starts: Array) -> Maximum:
    """Return the greatest likelihood that damped Newton steps reach from the best of several starts.

    Parameters
    ----------
    likelihood : callable
        Mean log-likelihood of points (an array with a row of parameters for each).
    starts : ndarray
        A row of parameters for each start.

    Examples
    --------
    >>> found = maximum(lambda p: -((p[:, 0] - 3) ** 2) - (p[:, 1] - p[:, 0]) ** 2, np.array([[0.0, 0.0]]))
    >>> found.parameters.round(6).tolist(), found.information.round(3).tolist(), found.regular
    ([3.0, 3.0], [[4.0, -2.0], [-2.0, 2.0]], True)
    """
    values = likelihood(starts)
    best, value = starts[int(np.argmax(values))], float(values.max())
    unit = np.eye(starts.shape[1])
    for _ in range(_ROUNDS):
        slope, information = _derivatives(likelihood, best)
        if not np.isfinite(slope).all() or not np.isfinite(information).all():
            break
        weight = np.trace(np.abs(information)) / len(unit) + 1e-12
        least = min(0.0, float(np.linalg.eigvalsh(information)[0]))
        damped = information + (_DAMPING * weight - 1.01 * least + 1e-14)[:, None, None] * unit
        steps = np.linalg.solve(damped, slope[:, None])[..., 0]
        values = likelihood(best + steps)
        place = int(np.argmax(values))
        if not values[place] > value:
            break
        best, gain, value = best + steps[place], float(values[place]) - value, float(values[place])
        if gain < 1e-14 and np.abs(steps[place]).max() < 1e-7:
            break
    slope, information = _derivatives(likelihood, best)
    finite = bool(np.isfinite(information).all() and np.isfinite(slope).all())
    regular = finite and float(np.linalg.eigvalsh(information)[0]) > 0 and float(np.abs(slope).max()) < 1e-4
    return Maximum(best, value, information, regular)


def _derivatives(likelihood: Likelihood, at: Array) -> tuple[Array, Array]:
    """Slope and minus the second derivatives, by central differences, in one call."""
    size = len(at)
    shift = _STEP * np.eye(size)
    pairs = [(i, j) for i in range(size) for j in range(i)]
    points = [np.zeros(size)]
    for i in range(size):
        points += [shift[i], -shift[i]]
    for i, j in pairs:
        points += [shift[i] + shift[j], shift[i] - shift[j], shift[j] - shift[i], -shift[i] - shift[j]]
    value = likelihood(at + np.array(points))
    with np.errstate(invalid="ignore"):
        ahead, behind = value[1 : 2 * size + 1 : 2], value[2 : 2 * size + 1 : 2]
        slope = (ahead - behind) / (2 * _STEP)
        information = np.diag(2 * value[0] - ahead - behind) / _STEP**2
        for place, (i, j) in enumerate(pairs):
            both, one, other, none = value[2 * size + 1 + 4 * place :][:4]
            information[i, j] = information[j, i] = (one + other - both - none) / (4 * _STEP**2)
    return slope, information


def boundary(likelihood: Likelihood, top: Maximum, drop: float) -> Array:
    """Return points all around the region in which the mean log-likelihood is at most `drop` below its maximum.

    With `drop` = chi2 / 2n the least and the greatest value of any function of the parameters in the region are
    its profile-likelihood interval (the image of a likelihood region, [1]_ chapter 2), so one boundary serves every
    parameter and every level.

    References
    ----------
    .. [1] S. Coles, "An Introduction to Statistical Modeling of Extreme Values," Springer, 2001.

    Examples
    --------
    >>> flat = lambda p: -((p[:, 0] - 3) ** 2) / 8 - p[:, 1] ** 2 / 2
    >>> edge = boundary(flat, maximum(flat, np.zeros((1, 2))), 0.5)
    >>> [round(float(end), 3) for end in (edge[:, 0].min(), edge[:, 0].max(), edge[:, 1].max())]
    [1.0, 5.0, 1.0]
    """
    rays = _directions(len(top.parameters)) @ np.linalg.inv(np.linalg.cholesky(top.information))
    goal = float(np.sqrt(2 * drop))
    radius, inside, outside = np.full(len(rays), goal), np.zeros(len(rays)), np.full(len(rays), np.inf)
    moving = np.arange(len(rays))
    for _ in range(_ROUNDS):
        at = radius[moving]
        fall = top.value - likelihood(top.parameters + at[:, None] * rays[moving])
        distance = np.sqrt(2 * np.maximum(fall, 0))  # grows linearly along a ray where the likelihood is normal
        above = ~(distance < goal)
        outside[moving[above]], inside[moving[~above]] = at[above], at[~above]
        low, high = inside[moving], outside[moving]
        with np.errstate(divide="ignore", invalid="ignore"):
            guess = at * np.clip(goal / distance, 0.2, 2)
        between = np.where(np.isinf(high), 2 * at, (low + high) / 2)
        following = np.where((guess > low) & (guess < high), guess, between)
        near = (np.abs(distance - goal) < 1e-5 * goal) | (high - low < 1e-7 * high)
        settled = np.where(np.isfinite(distance), at, low)  # the likelihood may end at a cliff
        radius[moving] = np.where(near, settled, following)
        moving = moving[~near]
        if not len(moving):
            break
    return np.asarray(top.parameters + radius[:, None] * rays)


@lru_cache
def _directions(size: int) -> Array:
    """Unit vectors spread evenly: a circle, or a sphere by the golden spiral."""
    if size == 2:
        angle = np.linspace(0, 2 * np.pi, 180, endpoint=False)
        return np.column_stack([np.cos(angle), np.sin(angle)])
    place = np.arange(2000) + 0.5
    height = 1 - 2 * place / len(place)
    turn = np.pi * (1 + 5**0.5) * place
    return np.column_stack([np.sqrt(1 - height**2) * np.cos(turn), np.sqrt(1 - height**2) * np.sin(turn), height])
