"""What a conformal predictor returns: one interval or one label set for each object."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import BoolArray, FloatArray
from ..inputs import as_codes, as_numbers
from .weights import Weights, weighted_mean


@dataclass(frozen=True)
class IntervalSets:
    """Prediction intervals, shape (n,) each; infinite ends mean that every label is kept.

    Where the lower end is above the upper one the interval is empty.
    """

    lower: FloatArray
    upper: FloatArray

    @property
    def sizes(self) -> FloatArray:
        """Widths of the intervals, shape (n,); 0 of an empty one."""
        with np.errstate(invalid="ignore"):  # both ends beyond all floats
            widths = self.upper - self.lower
        return np.where(np.isinf(self.upper), np.inf, np.maximum(widths, 0.0))

    def contain(self, y: FloatArray) -> BoolArray:
        """Say for each row whether its interval holds ``y``, shape (n,)."""
        y = as_numbers(y)
        return (self.lower <= y) & (y <= self.upper)


@dataclass(frozen=True)
class LabelSets:
    """Label sets as a membership matrix, shape (n, number of labels)."""

    members: BoolArray

    @property
    def sizes(self) -> FloatArray:
        """Numbers of labels in the sets, shape (n,)."""
        sizes: FloatArray = self.members.sum(axis=1).astype(np.float64)
        return sizes

    def contain(self, y: NDArray[np.intp]) -> BoolArray:
        """Say for each row whether its set holds the label code ``y``, shape (n,)."""
        held: BoolArray = self.members[np.arange(len(y)), as_codes(y, self.members.shape[1])]
        return held


PredictionSets = IntervalSets | LabelSets


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What became of prediction sets, seen beside the labels they were to hold."""

    correct: BoolArray  # which of them hold their label, shape (n,)
    sizes: FloatArray  # their widths, or numbers of labels, shape (n,)
    largest: float = math.inf  # the number of all labels; infinite for intervals
    weights: Weights = None  # of the rows

    @property
    def accuracy(self) -> float:
        """The share of those that hold their label."""
        return weighted_mean(self.correct, self.weights)

    @property
    def are_intervals(self) -> bool:
        """Whether they are intervals rather than sets of labels."""
        return math.isinf(self.largest)
