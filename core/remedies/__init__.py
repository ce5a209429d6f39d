"""Predictors adjusted so that coverage depends less on x, by name; may import coverage and below.

A new remedy is one class and one line in ``names.py``.
"""

from .base import Remedy, RemedyPredictor, ScoreAdjustment
from .guard import Guarded
from .ifacm.ifacm import IFACM, CrossFittedIFACM, FloorIFACM, SmoothIFACM
from .mondrian import LabelConditional, Mondrian
from .names import REMEDIES, RemedyName, asked_for, parse_remedy, title_of
from .quantile.quantile import PairsAdjustment, QuantileAdjustment

__all__ = [
    "IFACM",
    "REMEDIES",
    "CrossFittedIFACM",
    "FloorIFACM",
    "Guarded",
    "LabelConditional",
    "Mondrian",
    "PairsAdjustment",
    "QuantileAdjustment",
    "Remedy",
    "RemedyName",
    "RemedyPredictor",
    "ScoreAdjustment",
    "SmoothIFACM",
    "asked_for",
    "parse_remedy",
    "title_of",
]
