"""Prediction sets as judged by the labels they were to hold."""

import math
from dataclasses import dataclass

from ..arrays import BoolArray, FloatArray


@dataclass(frozen=True)
class Judged:
    """Prediction sets of the test rows.

    Attributes
    ----------
    correct
        Which of them hold their label, shape (n_test,).
    sizes
        Their widths, or numbers of labels, shape (n_test,).
    largest
        The number of all labels; infinite for intervals.
    """

    correct: BoolArray
    sizes: FloatArray
    largest: float = math.inf

    @property
    def are_intervals(self) -> bool:
        """Whether they are intervals rather than sets of labels."""
        return math.isinf(self.largest)
