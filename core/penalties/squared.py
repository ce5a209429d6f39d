"""A penalty that hardly counts small increases."""

from .base import Penalty


class SquaredPenalty(Penalty):
    """``(W - W_0)**2``, by which the paper's results would be minima of its objective."""

    def __call__(self, increase: float, largest_size: float) -> float:  # noqa: ARG002
        """Return the increase squared."""
        return increase * increase
