"""Remedies side by side over seeds, and one remedy over its settings: audits of the same splits."""

from .compare import compare, seeds_or_default
from .result import RemedyComparison

__all__ = ["RemedyComparison", "compare", "seeds_or_default"]
