"""What every search for a layer's gamma and delta offers."""

from abc import ABC, abstractmethod
from collections.abc import Callable

Objective = Callable[[float, float], float]
"""Of gamma and delta, both positive; sees every point, and so can keep the best."""

Round = Callable[[Objective, int], None]
"""Looks for the least of an objective, with a bound on the evaluations from each start."""


class Search(ABC):
    """A way to look for a layer, in rounds: the next is for when the last found no layer."""

    @property
    @abstractmethod
    def rounds(self) -> tuple[Round, ...]:
        """The rounds in their order; the first is there for every layer."""
