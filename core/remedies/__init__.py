"""Predictors adjusted so that coverage depends less on x, by name; may import coverage and below.

A new remedy is one class and one line in ``names.py``.
"""

from .base import Remedy, RemedyPredictor
from .guard import Guarded
from .ifacm.ifacm import IFACM
from .mondrian import LabelConditional, Mondrian
from .names import REMEDIES, RemedyName, asked_for, parse_remedy, title_of
from .quantile.quantile import QuantileAdjustment

__all__ = [
    "IFACM",
    "REMEDIES",
    "Guarded",
    "LabelConditional",
    "Mondrian",
    "QuantileAdjustment",
    "Remedy",
    "RemedyName",
    "RemedyPredictor",
    "asked_for",
    "parse_remedy",
    "title_of",
]
