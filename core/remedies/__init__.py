"""Remedies, and the names by which they are chosen.

A new remedy is one class in this folder and one line here.
"""

from .base import Remedy, RemedyPredictor
from .ifacm.ifacm import IFACM

REMEDIES: dict[str, type[Remedy]] = {"ifacm": IFACM}

__all__ = ["IFACM", "REMEDIES", "Remedy", "RemedyPredictor"]
