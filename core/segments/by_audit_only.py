"""Whether coverage depends on the columns that neither model nor remedy may see."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..coverage.dcv import deviation, floor_by_formula
from ..coverage.dcv_inference import NoiseFormula, evidence
from ..coverage.estimators import LogisticEstimator
from ..coverage.null_model import NullModel, draws_at_once, simulate_chance
from ..messages import InputError, Sentence
from ..preparation.encoding import TableEncoder
from ..preparation.prepare import PreparedData
from ..rows.dependent_columns import independent_columns
from ..rows.outcomes import Outcomes

ALL = "(all)"  # stands for all audit-only columns together

_NO_DCV = (
    "There is no DCV by {what}: nothing varies that is not rare in the rows to learn from, or "
    "there are too many different values."
)


@dataclass(frozen=True, kw_only=True)
class AuditOnlyRow:
    """DCV of the test rows with respect to audit-only columns, in place of the features.

    ``column`` is ``(all)`` where ``joint``: all of them together; ``in_a_line`` says that any of
    them is taken as a straight line, as numbers are. The floor is the same before and
    after, as no adjustment was fitted on the columns; simulated where the formula is rough for any
    predictor. ``parameters`` of the logistic regression behind ``dcv`` include the intercept;
    ``converged`` says whether it reached its optimum. For the other figures see ``ResultRow``.
    """

    column: str
    joint: bool
    predictor: str
    dcv: float
    dcv_floor: float
    dcv_spread_floor: float
    dcv_corrected: float | None
    dcv_corrected_low: float | None
    dcv_corrected_high: float | None
    p_value: float
    parameters: int
    converged: bool
    dcv_formula: NoiseFormula
    in_a_line: bool = False


def diagnose_audit_only(
    data: PreparedData, outcomes: Mapping[str, Outcomes], null_model: NullModel
) -> tuple[list[AuditOnlyRow], list[Sentence]]:
    """Return the DCV of each predictor with respect to each audit-only column, and to all.

    Beside the figures is what there is to say of columns without any. Columns are encoded as
    features are. ``outcomes`` are those of the test rows, by the predictor's name; ``null_model``
    says what they are like without any fault.
    """
    table, columns, learning = data.table, data.roles.audit_only, data.learning
    rows, notes = [], []
    together = [list(columns)] if len(columns) > 1 else []
    for members in [*together, *([column] for column in columns)]:
        joint = len(members) > 1
        try:
            encoder = TableEncoder(members).fit(
                table.rows(learning.rows, members), learning.weights
            )
        except InputError:
            what = "the audit-only columns together" if joint else f"audit-only '{members[0]}'"
            notes.append(Sentence("audit-only.no-dcv", _NO_DCV, what=what))
            continue
        X = encoder.transform(table.rows(data.test.rows, members))
        rows += [
            AuditOnlyRow(
                column=ALL if joint else members[0],
                joint=joint,
                in_a_line=any(table[column].kind in ("number", "date") for column in members),
                **figures,
            )
            for figures in _figures(X[:, independent_columns(X)], outcomes, null_model)
        ]
    return rows, notes


def _figures(
    X: FloatArray, outcomes: Mapping[str, Outcomes], null_model: NullModel
) -> list[dict[str, Any]]:
    X, level, parameters = np.ascontiguousarray(X), null_model.law.level, X.shape[1] + 1
    fits = {
        name: LogisticEstimator().fit(X, of_one.correct, of_one.weights)
        for name, of_one in outcomes.items()
    }
    found = {name: evidence(X, outcomes[name], fit, level) for name, fit in fits.items()}
    floor = null_model.widened(floor_by_formula(parameters, len(X), null_model.law), X)
    if any(of_one.dcv_formula == "rough" for of_one in found.values()):
        draws = draws_at_once(parameters)
        drawn = simulate_chance(X, {}, LogisticEstimator(), null_model, floor_draws=draws).floor
        floor = floor if drawn is None else drawn
    return [
        {
            "predictor": name,
            "dcv": deviation(fit.predict(X), level, outcomes[name].weights).value,
            "dcv_floor": floor.value,
            "dcv_spread_floor": floor.spread,
            **vars(found[name]),
            "parameters": parameters,
            "converged": fit.converged_,
        }
        for name, fit in fits.items()
    ]
