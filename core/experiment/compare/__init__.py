"""Remedies side by side over seeds, and one remedy over its settings: audits of the same splits."""

from .compare import REMEDIES, SEEDS, compare
from .penalties import PenaltyPath, penalty_path
from .result import RemedyComparison
from .workers import Workers

__all__ = [
    "REMEDIES",
    "SEEDS",
    "PenaltyPath",
    "RemedyComparison",
    "Workers",
    "compare",
    "penalty_path",
]
