"""Update functions: what a layer adds to the scores, by p(x)."""

from abc import ABC, abstractmethod

import numpy as np

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
