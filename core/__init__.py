"""Conditional coverage of conformal predictors: measured, and mended by IFACM.

The way through: table -> roles -> encoded data -> split -> base conformity measure -> ICP, and
IFACM over it -> audit result. :func:`audit` goes all of it; every step can be used alone.
"""

from .audit import audit
from .errors import InputError
from .icp import InductiveConformalPredictor
from .measures import NormalizedMeasure, ScoringMeasure, StandardMeasure
from .remedies import IFACM
from .result import AuditResult
from .settings import AuditSettings
from .table import parse_table, read_table

__all__ = [
    "IFACM",
    "AuditResult",
    "AuditSettings",
    "InductiveConformalPredictor",
    "InputError",
    "NormalizedMeasure",
    "ScoringMeasure",
    "StandardMeasure",
    "audit",
    "parse_table",
    "read_table",
]
