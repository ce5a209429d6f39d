"""Remedies, and the names by which they are chosen.

A new remedy is one class in one file of this folder and one line in the registry.
"""

from .base import Remedy, RemedyPredictor
from .ifacm.ifacm import IFACM, Layer

REMEDIES: dict[str, type[Remedy]] = {"ifacm": IFACM}

__all__ = ["IFACM", "REMEDIES", "Layer", "Remedy", "RemedyPredictor"]
