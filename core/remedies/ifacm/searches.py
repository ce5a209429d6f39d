"""Searches for a layer's gamma and delta, and the names by which they are chosen.

A new search is one class in one file of this folder and one line in the registry.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from ...arrays import FloatArray

Objective = Callable[[float, float], float]
"""Of gamma and delta, both positive; sees every point, and so can keep the best."""

Round = Callable[[Objective, int], None]
"""Looks for the least of an objective, with a bound on the evaluations from each start."""


class Search(ABC):
    """A way to look for a layer, in rounds: the next is for when the last found no layer."""

    @property
    @abstractmethod
    def rounds(self) -> tuple[Round, ...]:
        """The rounds in their order; the first is there for every layer."""


Start = tuple[float, float]

PAPER_START: Start = (-5.0, -5.0)
"""The paper's start for (log gamma, log delta)."""

FIRST_STEP = 0.5
"""R's rule for the first simplex, a tenth of the largest coordinate. SciPy's default of 5 %
hardly moves off the start, around which no prediction set changes."""

LARGEST_LOGARITHM = 100.0
"""Beyond it a parameter no longer changes which sets are correct, and would overflow."""

X_TOLERANCE = 1e-4
F_TOLERANCE = 1e-8


def nelder_mead(objective: Objective, max_evaluations: int, start: Start = PAPER_START) -> None:
    """Minimise ``objective(gamma, delta)`` over positive numbers by Nelder-Mead.

    Nothing is returned: the objective sees every point, and whoever supplies it keeps the
    best, of which there may be several where the objective is piecewise constant.
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
            "xatol": X_TOLERANCE,
            "fatol": F_TOLERANCE,
        },
    )


class PaperSearch(Search):
    """Nelder-Mead from ``(log gamma, log delta) = (-5, -5)``, and the layers end where it does."""

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The one round."""
        return (nelder_mead,)


STARTS: tuple[Start, ...] = ((-2.0, -5.0), (-3.0, -7.0))
"""For (log gamma, log delta): a larger gamma, and a smaller delta, than the paper's start has."""


class RestartedSearch(Search):
    """The paper's search and, when that finds no further layer, Nelder-Mead from two more starts.

    Its layers begin with those of the paper's search. From where that ends they go on, each to
    lower the objective, so that what it ends with is never worse.
    """

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The paper's search, and the other starts."""
        return nelder_mead, _from_other_starts


def _from_other_starts(objective: Objective, max_evaluations: int) -> None:
    for start in STARTS:
        nelder_mead(objective, max_evaluations, start)


SEARCHES: dict[str, type[Search]] = {"restarted": RestartedSearch, "paper": PaperSearch}
"""By name; the first is an audit's default."""
