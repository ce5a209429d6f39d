"""The paper's update function U*."""

import numpy as np

from ..prediction_sets import FloatArray
from .base import UpdateFunction


class SignUpdate(UpdateFunction):
    """+1 where p < CL - delta, -1 where p > CL + delta, else 0 (the paper's U*)."""

    def __call__(
        self, probability: FloatArray, confidence_level: float, delta: float
    ) -> FloatArray:
        """Return U for estimated probabilities of correctness, in a new array of shape (n,)."""
        too_low = probability < confidence_level - delta
        too_high = probability > confidence_level + delta
        return np.subtract(too_low, too_high, dtype=np.float64)
