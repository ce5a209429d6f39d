"""What every penalty on an increase in inefficiency offers."""

from abc import ABC, abstractmethod
from typing import ClassVar

from ..measures import Task


class Penalty(ABC):
    """What an increase in inefficiency counts in the objective ``DCV + C * penalty``."""

    tasks: ClassVar[tuple[Task, ...]] = ("regression", "classification")

    @abstractmethod
    def __call__(self, increase: float, largest_size: float) -> float:
        """Return what an increase ``W - W_0 > 0`` of the mean set size or width counts.

        ``largest_size`` is the size of the set of all labels; infinite for intervals.
        """
