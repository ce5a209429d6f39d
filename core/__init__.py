"""Conditional coverage of conformal predictors: measured, and mended by IFACM.

The way through: table -> roles -> encoded data -> split -> base conformity measure -> ICP, and
IFACM over it -> audit result. :func:`audit` goes all of it; every step can be used alone.
"""

from .conformal.icp import InductiveConformalPredictor
from .conformal.measures import NormalizedMeasure, ScoringMeasure, StandardMeasure
from .errors import InputError
from .preparation.settings import AuditSettings
from .remedies import IFACM
from .report.audit import audit
from .report.gate import judge
from .report.predictions import audit_predictions
from .report.result import AuditResult, to_json
from .tables.reading import parse_table, read_table

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
    "audit_predictions",
    "judge",
    "parse_table",
    "read_table",
    "to_json",
]
