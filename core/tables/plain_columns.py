"""Columns of a table as saved predictors take them: plain arrays of numbers, moments or texts."""

from functools import cache

import numpy as np

from ..messages import InputError
from ..scoring.groups import Columns, Kind, Values
from ..scoring.predictor import lacking
from .columns import Column, first_cell
from .dates import in_doubt
from .table import Table

_OTHER_KIND = (
    "column '{column}' holds '{value}' in row {row}, where the predictor wants a {kind}; have it "
    "read as that, or mend that value"
)
_IN_DOUBT = (
    "which is the day, and which the month, in column '{column}', such as '{value}' in row {row}? "
    "Write dates as in 2014-10-13"
)


def plain_columns(table: Table) -> Columns:
    """Return what reads columns of a table, each once."""

    @cache
    def read(name: str, kind: Kind) -> Values:
        if name not in table:
            raise lacking(name)
        return _values(table[name], kind)

    return read


def _values(column: Column, kind: Kind) -> Values:
    if kind == "category":
        levels = column.levels
        return levels.where(levels.notna(), None).to_numpy(dtype=object)
    if column.missing.all():
        return np.full(len(column), np.nan if kind == "number" else np.datetime64("NaT", "us"))
    if column.holds != kind:
        about = {"column": column.name, "kind": kind, **first_cell(column.series, ~column.missing)}
        raise InputError("saved.kind", _OTHER_KIND, **about)
    if kind == "number":
        column.check_finite()
        return column.numbers
    if column.series.dtype == object and in_doubt(column.series):
        about = {"column": column.name, **first_cell(column.series, ~column.missing)}
        raise InputError("saved.date", _IN_DOUBT, **about)
    return column.dates.to_numpy()
