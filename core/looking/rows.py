"""The figures that every closer look at test rows gives."""

from dataclasses import dataclass

from ..prediction_sets import BoolArray

Where = BoolArray | None
"""Which of the test rows to look at, shape (n,); None for all."""


@dataclass(frozen=True, kw_only=True)
class GroupFigures:
    """Share of prediction sets that hold their label, and their mean size, in a group of rows.

    Attributes
    ----------
    n
        Test rows of the group.
    low_base, high_base, low_adjusted, high_adjusted
        Ends of Wilson's 95 % intervals for the accuracies.
    size_base, size_adjusted
        Mean number of labels in a set, or mean width in the label's own units.
    """

    n: int
    accuracy_base: float
    low_base: float
    high_base: float
    size_base: float
    accuracy_adjusted: float
    low_adjusted: float
    high_adjusted: float
    size_adjusted: float
