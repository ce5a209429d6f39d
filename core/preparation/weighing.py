"""How often each row of a table counts."""

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..errors import InputError
from ..messages import Sentence
from ..rows.weights import Weights, scaled
from ..tables.columns import check_exists
from ..tables.table import Table

_NOT_COUNTED = "Rows {what} in column '{column}', left out: {rows}."
_ADVICE = "give every row a number of 0 or more, or choose another column"
_TEXT = (
    f"weight column '{{column}}' holds '{{value}}' in row {{row}}, which is no number; {_ADVICE}"
)
_NEGATIVE = f"weight column '{{column}}' is {{value}} in row {{row}}, which is below 0; {_ADVICE}"
_NONE = "weight column '{column}' is {what} in every row; choose another, or leave the weights out"
_FEW = (
    "only {rows} rows have a weight above 0 in column '{column}'; an audit needs at least {least}"
)


@dataclass(frozen=True)
class Weighed:
    """The rows of a table that count, and how often, shape (n,); None where each does once."""

    table: Table
    weights: Weights
    notes: tuple[Sentence, ...] = ()


def weighed(table: Table, column: str | None, least: int) -> Weighed:
    """Return the rows of a weight above 0; refused if a weight is unusable, or they are too few."""
    if column is None:
        return Weighed(table, None)
    check_exists(table.names, column)
    weights = _numbers(table, column)
    zero, missing = weights == 0.0, np.isnan(weights)
    for what, such in (("0", zero), ("missing", missing)):
        if such.all():
            raise InputError("weight.none", _NONE, column=column, what=what)
    counting = np.flatnonzero(weights > 0.0)
    if len(counting) < least:
        about = {"rows": len(counting), "column": column, "least": least}
        raise InputError("weight.too_few_rows", _FEW, **about)
    notes = tuple(
        Sentence(
            "rows.without_weight", _NOT_COUNTED, what=what, column=column, rows=int(such.sum())
        )
        for what, such in (("of weight 0", zero), ("without a weight", missing))
        if such.any()
    )
    return Weighed(table.rows(counting), scaled(weights[counting]), notes)


def _numbers(table: Table, name: str) -> FloatArray:
    column = table[name]
    column.refuse_text("weight.no_number", _TEXT)
    if column.holds != "number":
        return np.full(len(column), np.nan)
    column.check_finite()
    column.refuse(column.numbers < 0.0, "weight.negative", _NEGATIVE)
    return column.numbers
