"""Whether coverage depends on the columns that neither model nor remedy may see."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arrays import BoolArray, FloatArray, IndexArray
from ..coverage.dcv import deviation, noise_floor
from ..coverage.dcv_inference import evidence
from ..coverage.estimators import LogisticEstimator
from ..errors import InputError
from ..messages import Sentence
from ..preparation.collinearity import independent_columns
from ..preparation.encoding import TableEncoder
from ..tables.table import Table

ALL = "(all)"
"""Stands for all audit-only columns together."""

_NO_DCV = (
    "There is no DCV by {what}: in the training rows nothing varies that is not rare, or there are "
    "too many different values."
)


@dataclass(frozen=True, kw_only=True)
class AuditOnlyRow:
    """DCV of the test rows with respect to audit-only columns, in place of the features.

    ``column`` is ``(all)`` where ``joint``: all of them together. The floor is the same before and
    after, as no adjustment was fitted on the columns. ``parameters`` of the logistic regression
    behind ``dcv`` include the intercept; ``converged`` says whether it reached its optimum. For the
    other figures see ``ResultRow``.
    """

    column: str
    joint: bool
    predictor: str
    dcv: float
    dcv_floor: float
    dcv_corrected: float | None
    dcv_corrected_low: float | None
    dcv_corrected_high: float | None
    p_value: float
    parameters: int
    converged: bool


class AuditOnly(NamedTuple):
    """The figures, and what had to be said of columns without any."""

    rows: list[AuditOnlyRow]
    notes: list[Sentence]


def diagnose_audit_only(
    table: Table,
    columns: tuple[str, ...],
    train: IndexArray,
    test: IndexArray,
    correct: dict[str, BoolArray],
    confidence_level: float,
) -> AuditOnly:
    """Return the DCV of each predictor with respect to each audit-only column, and to all.

    ``table`` has the rows with a label, of which ``train`` and ``test`` are positions; columns are
    encoded as features are, learned on training rows. ``correct`` says by the predictor's name
    which of the test rows' sets hold their label, shape (n_test,).
    """
    rows, notes = [], []
    together = [list(columns)] if len(columns) > 1 else []
    for members in [*together, *([column] for column in columns)]:
        joint = len(members) > 1
        try:
            encoder = TableEncoder(members).fit(table.rows(train, members))
        except InputError:
            what = "the audit-only columns together" if joint else f"audit-only '{members[0]}'"
            notes.append(Sentence("audit-only.no-dcv", _NO_DCV, what=what))
            continue
        X = encoder.transform(table.rows(test, members))
        determined = np.ascontiguousarray(X[:, independent_columns(X)])
        column = ALL if joint else members[0]
        rows += [
            AuditOnlyRow(
                column=column,
                joint=joint,
                predictor=name,
                **_figures(determined, right, confidence_level),
            )
            for name, right in correct.items()
        ]
    return AuditOnly(rows, notes)


def _figures(X: FloatArray, correct: BoolArray, confidence_level: float) -> dict[str, Any]:
    parameters = X.shape[1] + 1
    estimator = LogisticEstimator().fit(X, correct)
    probability = estimator.predict(X)
    found = evidence(X, correct, probability, confidence_level)
    return {
        "dcv": deviation(probability, confidence_level).value,
        "dcv_floor": noise_floor(parameters, len(correct), confidence_level),
        "dcv_corrected": found.corrected,
        "dcv_corrected_low": found.low,
        "dcv_corrected_high": found.high,
        "p_value": found.p_value,
        "parameters": parameters,
        "converged": estimator.converged_,
    }
