"""A penalty that counts an increase as a share of all labels."""

from .base import Penalty


class PerLabelPenalty(Penalty):
    """``(W - W_0) / K`` for K labels, likewise consistent with the paper's results."""

    tasks = ("classification",)

    def __call__(self, increase: float, largest_size: float) -> float:
        """Return the increase as a share of the number of labels."""
        return increase / largest_size
