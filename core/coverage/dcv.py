"""Deviation from conditional validity, and how large it is by chance alone."""

import math
from dataclasses import dataclass

from ..arrays import FloatArray


@dataclass(frozen=True)
class Deviation:
    """DCV, the root mean square of p(x) - CL, in its two parts."""

    level: float  # mean(p) - CL: coverage overall, which varies with the calibration set
    spread: float  # standard deviation of p(x): how much coverage depends on the object

    @property
    def value(self) -> float:
        """``sqrt(level**2 + spread**2)``, the paper's DCV."""
        return math.hypot(self.level, self.spread)


def deviation(probability: FloatArray, confidence_level: float) -> Deviation:
    """Return the deviation of estimated coverage probabilities, shape (n,), from CL."""
    return Deviation(float(probability.mean()) - confidence_level, float(probability.std()))


def noise_floor(parameters: int, n: int, confidence_level: float) -> float:
    """Return the DCV a perfectly valid predictor shows on n examples by estimation noise alone.

    ``sqrt(k w / n)`` with k fitted parameters of the logistic estimator, intercept included,
    and ``w = CL (1 - CL)``: the first-order mean of DCV squared at the true null.
    """
    return math.sqrt(parameters * confidence_level * (1.0 - confidence_level) / n)


def adjusted_floor(parameters: int, n_train: int, n_test: int, confidence_level: float) -> float:
    """Return the best DCV on n_test examples reachable after an adjustment fitted on n_train.

    The adjustment carries the training set's estimation noise, which adds to the test set's:
    ``sqrt(k w (1 / n_train + 1 / n_test))``.
    """
    return math.hypot(
        noise_floor(parameters, n_train, confidence_level),
        noise_floor(parameters, n_test, confidence_level),
    )
