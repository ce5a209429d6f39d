"""What every update function offers."""

from abc import ABC, abstractmethod

from ..prediction_sets import FloatArray


class UpdateFunction(ABC):
    """U(x): positive where p(x) is below the confidence level, negative where above."""

    @abstractmethod
    def __call__(
        self, probability: FloatArray, confidence_level: float, delta: float
    ) -> FloatArray:
        """Return U for estimated probabilities of correctness, in a new array of shape (n,)."""
