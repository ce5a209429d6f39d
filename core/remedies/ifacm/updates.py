"""What a layer adds to scores, but for its gamma, by the estimated probability of a correct set."""

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import logit

from ...arrays import FloatArray


class UpdateFunction(ABC):
    """U(x): positive where p(x) is below the confidence level, negative where above."""

    @abstractmethod
    def __call__(
        self, probability: FloatArray, confidence_level: float, delta: float
    ) -> FloatArray:
        """Return U for estimated probabilities of correctness, in a new array of shape (n,)."""


class SignUpdate(UpdateFunction):
    """+1 where p < CL - delta, -1 where p > CL + delta, else 0 (the paper's U*)."""

    def __call__(
        self, probability: FloatArray, confidence_level: float, delta: float
    ) -> FloatArray:
        """Return U, in a new array of shape (n,)."""
        too_low = probability < confidence_level - delta
        too_high = probability > confidence_level + delta
        return np.subtract(too_low, too_high, dtype=np.float64)


class LogOddsUpdate(UpdateFunction):
    """The gap ``logit(CL) - logit(p)`` in units of delta, clipped at -1 and 1.

    It is the sign update as delta goes to 0, and in proportion to the gap where delta is large.
    """

    def __call__(
        self, probability: FloatArray, confidence_level: float, delta: float
    ) -> FloatArray:
        """Return U, in a new array of shape (n,)."""
        with np.errstate(divide="ignore", over="ignore"):
            gap = logit(confidence_level) - logit(probability)
            gap /= delta
        return np.clip(gap, -1.0, 1.0, out=gap)
