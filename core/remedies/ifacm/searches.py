"""Searches for a layer's gamma and delta, and the names by which they are chosen.

A new search is one class and one line here.
"""

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize

from ...arrays import FloatArray

Objective = Callable[[float, float], float]
"""Of gamma and delta, both positive; sees every point, and so can keep the best."""

Round = Callable[[Objective, int], None]
"""Looks for the least of an objective, with a bound on the evaluations from each start."""

Start = tuple[float, float]
"""For (log gamma, log delta)."""

PAPER_START: Start = (-5.0, -5.0)

MORE_STARTS: tuple[Start, ...] = ((-2.0, -5.0), (-3.0, -7.0))
"""With a larger gamma, and a smaller delta, than the paper's start has."""

FIRST_STEP = 0.5
"""R's rule for the first simplex, a tenth of the largest coordinate. SciPy's default of 5 %
hardly moves off the start, around which no prediction set changes."""

LARGEST_LOGARITHM = 100.0
"""Beyond it a parameter no longer changes which sets are correct, and would overflow."""


def nelder_mead(objective: Objective, max_evaluations: int, start: Start = PAPER_START) -> None:
    """Minimise ``objective(gamma, delta)`` over positive numbers by Nelder-Mead.

    Whoever supplies the objective sees every point and keeps the best, of which there may be
    several where it is piecewise constant.
    """
    simplex = np.vstack([start, start + FIRST_STEP * np.eye(len(start))])

    def of_logarithms(point: FloatArray) -> float:
        gamma, delta = np.exp(np.minimum(point, LARGEST_LOGARITHM))
        return objective(float(gamma), float(delta))

    minimize(
        of_logarithms,
        simplex[0],
        method="Nelder-Mead",
        options={
            "initial_simplex": simplex,
            "maxfev": max_evaluations,
            "xatol": 1e-4,
            "fatol": 1e-8,
        },
    )


def _from_more_starts(objective: Objective, max_evaluations: int) -> None:
    for start in MORE_STARTS:
        nelder_mead(objective, max_evaluations, start)


class Search:
    """A way to look for a layer, in rounds: the next is for when the last found no layer."""

    rounds: ClassVar[tuple[Round, ...]]
    starts: ClassVar[int] = 1  # of all rounds together


class PaperSearch(Search):
    """Nelder-Mead from the paper's start, and the layers end where it finds none."""

    rounds = (nelder_mead,)


class RestartedSearch(Search):
    """The paper's search and, when that finds no further layer, Nelder-Mead from two more starts.

    Its layers begin with those of the paper's search. From where that ends they go on, each to
    lower the objective, so that what it ends with is never worse.
    """

    rounds = (nelder_mead, _from_more_starts)
    starts = 1 + len(MORE_STARTS)


SEARCHES: dict[str, type[Search]] = {"restarted": RestartedSearch, "paper": PaperSearch}
"""By name; the first is an audit's default."""
