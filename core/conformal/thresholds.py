"""Threshold rules: from calibration scores to the score that a label must reach."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from ..arrays import FloatArray
from .examples import Examples
from .rank import conformal_threshold

Threshold = float | FloatArray
"""One number for all; one for each object, shape (n,); or for each label, too, shape (n, K)."""


class Thresholds(ABC):
    """What a rule has learned."""

    @abstractmethod
    def at(self, examples: Examples) -> Threshold:
        """Return the score from which on labels of these objects are kept."""


class ThresholdRule(ABC):
    """How thresholds are learned on calibration examples."""

    @abstractmethod
    def learn(self, scores: FloatArray, examples: Examples, confidence_level: float) -> Thresholds:
        """Learn from the scores of calibration examples, shape (n,)."""


@dataclass(frozen=True)
class SingleThreshold(Thresholds):
    """The same for every label of every object."""

    value: float

    def at(self, examples: Examples) -> float:  # noqa: ARG002
        """Return the one number."""
        return self.value


class SingleThresholdRule(ThresholdRule):
    """The r-th smallest score of all calibration examples: the paper's eq. (predinterval1)."""

    def learn(
        self,
        scores: FloatArray,
        examples: Examples,  # noqa: ARG002
        confidence_level: float,
    ) -> SingleThreshold:
        """Take the score of exact rank; ``-inf`` where there are too few."""
        return SingleThreshold(conformal_threshold(scores, confidence_level))
