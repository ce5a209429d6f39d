"""Penalties on wider sets within IFACM's objective, and the names by which they are chosen.

A new penalty is one class and one line here.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

from ...conformal.measures import Task


class Penalty(ABC):
    """What an increase in inefficiency counts in the objective ``DCV + C * penalty``."""

    tasks: ClassVar[tuple[Task, ...]] = ("regression", "classification")

    @abstractmethod
    def __call__(self, increase: float, largest_size: float) -> float:
        """Return what an increase ``W - W_0 > 0`` of the mean set size or width counts.

        ``largest_size`` is the size of the set of all labels; infinite for intervals.
        """


class LinearPenalty(Penalty):
    """``W - W_0``, the paper's eq. (opt1)."""

    def __call__(self, increase: float, largest_size: float) -> float:  # noqa: ARG002
        """Return the increase."""
        return increase


class SquaredPenalty(Penalty):
    """``(W - W_0)**2``, by which the paper's results would be minima of its objective."""

    def __call__(self, increase: float, largest_size: float) -> float:  # noqa: ARG002
        """Return the increase squared."""
        return increase * increase


class PerLabelPenalty(Penalty):
    """``(W - W_0) / K`` for K labels, likewise consistent with the paper's results."""

    tasks = ("classification",)

    def __call__(self, increase: float, largest_size: float) -> float:
        """Return the increase as a share of the number of labels."""
        return increase / largest_size


PENALTIES: dict[str, type[Penalty]] = {
    "linear": LinearPenalty,
    "squared": SquaredPenalty,
    "per-label": PerLabelPenalty,
}
"""By name; the first is the paper's printed form."""
