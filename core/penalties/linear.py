"""The penalty as the paper prints it."""

from .base import Penalty


class LinearPenalty(Penalty):
    """``W - W_0``, the paper's eq. (opt1)."""

    def __call__(self, increase: float, largest_size: float) -> float:  # noqa: ARG002
        """Return the increase."""
        return increase
