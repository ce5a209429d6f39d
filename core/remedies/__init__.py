"""Measures adjusted so that coverage depends less on x, by name; may import coverage and below."""

from .base import Remedy, RemedyPredictor
from .ifacm.ifacm import IFACM

REMEDIES: dict[str, type[Remedy]] = {"ifacm": IFACM}

__all__ = ["IFACM", "REMEDIES", "Remedy", "RemedyPredictor"]
