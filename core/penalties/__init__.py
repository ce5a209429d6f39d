"""Penalties on wider sets within IFACM's objective, and the names by which they are chosen.

A new penalty is one class in one file of this folder and one line in the registry.
"""

from .base import Penalty
from .linear import LinearPenalty
from .per_label import PerLabelPenalty
from .squared import SquaredPenalty

PENALTIES: dict[str, type[Penalty]] = {
    "linear": LinearPenalty,
    "squared": SquaredPenalty,
    "per-label": PerLabelPenalty,
}
"""By name; the first is the paper's printed form."""

__all__ = ["PENALTIES", "LinearPenalty", "Penalty", "PerLabelPenalty", "SquaredPenalty"]
