"""Predictions, spreads, quantiles and ends of intervals, in the label's own units."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...arrays import BoolArray, FloatArray
from ...errors import InputError
from ...messages import Sentence
from ...rows.examples import ModelOutputs
from ...tables.columns import LARGEST, Column
from ...tables.table import Table
from ..settings import AuditSettings
from ..target import NumericLabel

SIGMA_FLOOR = 1e-6
"""Spreads of 0 are raised to this share of their root mean square, as their log is taken."""

_MOST_CROSSED = 0.5

_RAISED = (
    "Spreads of 0 in '{column}', which are raised to a millionth of the usual one: {count}. Where "
    "the model errs although it is so sure, all other intervals may become very wide for it."
)
_LOG_SIGMA = Sentence(
    "outputs.log_sigma",
    "The spread is taken to be in the label's units, and divided by the prediction for the "
    "logarithm.",
)
_COUNTED = {
    "infinite": "Intervals with an infinite end, audited as they are: {count}. The mean width is "
    "infinite then, too.",
    "crossed": "Intervals whose lower end is above the upper one, which hold nothing: {count}.",
    "zero_width": "Intervals of no width, which hold one number: {count}.",
    "no_log": "Lower ends of 0 or less, taken for 0, so that the logarithm has no bound: {count}.",
    "quantiles_crossed": "Rows whose lower quantile is above the upper one: {count}.",
}


def read_prediction(
    table: Table, label: NumericLabel, settings: AuditSettings, notes: list[Sentence]
) -> ModelOutputs:
    """Return predictions, and spreads if there are; a note on those that were raised."""
    prediction = _of(table, settings.prediction)
    values = _finite(prediction)
    if np.array_equal(values, table[settings.target].numbers):
        sentence = (
            "column '{column}' is the label itself in every row, no prediction; choose another"
        )
        raise InputError("outputs.label", sentence, column=prediction.name)
    _refuse_without_log(prediction, values, label)
    if settings.sigma is None:
        return ModelOutputs(prediction=label.coded(values))
    sigma = _spread(_of(table, settings.sigma), notes)
    if label.logarithmic:
        sigma = sigma / values
        notes.append(_LOG_SIGMA)
    return ModelOutputs(prediction=label.coded(values), sigma=sigma / label.scale)


def read_quantiles(
    table: Table, label: NumericLabel, settings: AuditSettings, notes: list[Sentence]
) -> ModelOutputs:
    """Return lower and upper quantiles; a note on those that cross."""
    columns = [_of(table, name) for name in settings.quantiles]
    lower, upper = map(_finite, columns)
    for column, values in zip(columns, (lower, upper), strict=True):
        _refuse_without_log(column, values, label)
    _count(notes, "quantiles_crossed", _crossed(columns, lower, upper))
    return ModelOutputs(lower=label.coded(lower), upper=label.coded(upper))


def read_bounds(
    table: Table, label: NumericLabel, settings: AuditSettings, notes: list[Sentence]
) -> ModelOutputs:
    """Return the ends of intervals; a note on each kind of odd ones."""
    columns = [_of(table, name) for name in (settings.lower, settings.upper)]
    lower, upper = map(numbers_of, columns)
    sentence = "column '{column}' holds {value} in row {row}, beyond which there is no number"
    columns[0].refuse(np.isposinf(lower), "outputs.infinite_end", sentence)
    columns[1].refuse(np.isneginf(upper), "outputs.infinite_end", sentence)
    _count(notes, "infinite", np.isinf(lower) | np.isinf(upper))
    _count(notes, "crossed", _crossed(columns, lower, upper))
    _count(notes, "zero_width", lower == upper)
    if label.logarithmic:
        _refuse_without_log(columns[1], upper, label)
        _count(notes, "no_log", np.isfinite(lower) & (lower <= 0.0))
        lower = np.maximum(lower, 0.0)
    return ModelOutputs(lower=label.coded(lower), upper=label.coded(upper))


def _of(table: Table, name: str | None) -> Column:
    assert name is not None  # noqa: S101 - the settings name it
    return table[name]


def numbers_of(column: Column) -> FloatArray:
    """Return the numbers of a column, none missing; refused if it holds something else."""
    sentence = (
        "column '{column}' holds '{value}' in row {row}, which was not read as a number; "
        "mend that value, or have the column read as numbers"
    )
    column.refuse_text("outputs.no_number", sentence)
    return column.numbers


def _finite(column: Column) -> FloatArray:
    values = numbers_of(column)
    sentence = (
        "column '{column}' holds {value} in row {row}, which is too large to compute with; mend "
        "that value, or leave out that row"
    )
    column.refuse(np.abs(values) > LARGEST, "outputs.too_large", sentence)
    return values


def _spread(column: Column, notes: list[Sentence]) -> FloatArray:
    values = _finite(column)
    sentence = (
        "column '{column}' holds {value} in row {row}, but a spread is never negative; choose the "
        "column of standard deviations, or mend that value"
    )
    column.refuse(values < 0.0, "outputs.negative_sigma", sentence)
    if not values.any():
        sentence = "column '{column}' is 0 in every row, which is no spread; leave it out"
        raise InputError("outputs.zero_sigma", sentence, column=column.name)
    zero = values == 0.0
    if zero.any():
        about: dict[str, Any] = {"column": column.name, "count": int(zero.sum())}
        notes.append(Sentence("outputs.raised_sigma", _RAISED, **about))
    return np.where(zero, SIGMA_FLOOR * np.sqrt(np.mean(values**2)), values)


def _refuse_without_log(column: Column, values: FloatArray, label: NumericLabel) -> None:
    if label.logarithmic:
        sentence = (
            "column '{column}' holds {value} in row {row}, which has no logarithm; model the label "
            "itself, or leave out that row"
        )
        column.refuse(values <= 0.0, "outputs.no_logarithm", sentence)


def _crossed(columns: list[Column], lower: FloatArray, upper: FloatArray) -> BoolArray:
    crossed = lower > upper
    if crossed.mean() > _MOST_CROSSED:
        sentence = (
            "'{lower}' is above '{upper}' in {count} of {rows} rows; exchange the two columns, or "
            "choose others"
        )
        names = {"lower": columns[0].name, "upper": columns[1].name}
        about = {"count": int(crossed.sum()), "rows": len(crossed)}
        raise InputError("outputs.crossed", sentence, **names, **about)
    return crossed


def _count(notes: list[Sentence], kind: str, where: BoolArray) -> None:
    notes += odd_notes({kind: int(where.sum())})


def odd_notes(counts: Mapping[str, int]) -> list[Sentence]:
    """Return a note on each kind of odd intervals or quantiles of which there are any."""
    return [
        Sentence(f"outputs.{kind}", _COUNTED[kind], count=count)
        for kind, count in counts.items()
        if count
    ]
