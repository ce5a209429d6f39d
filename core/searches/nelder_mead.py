"""Nelder-Mead over the logarithms of gamma and delta."""

import numpy as np
from scipy.optimize import minimize

from ..prediction_sets import FloatArray
from .base import Objective

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
