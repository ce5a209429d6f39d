"""Outputs of a user's own model for a table's rows, read from its columns and checked."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..messages import InputError, Sentence
from ..rows.examples import ModelOutputs
from ..tables.columns import LARGEST, Column, check_exists
from ..tables.table import Table
from .output_classes import (
    classes_of_columns,
    numbers_of,
    parse_sets,
    read_probabilities,
    read_sets,
)
from .settings import AuditSettings
from .target import ClassLabel, LabelCoding, NumericLabel

_FAITH = Sentence(
    "outputs.unseen",
    "What your model said is taken as it is: the figures tell how it does on new rows as far as no "
    "row of this table was used to fit it.",
)

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


def rows_without_outputs(table: Table, settings: AuditSettings) -> BoolArray:
    """Say which rows have no model outputs, shape (n,); an empty cell is an empty set.

    Raises :class:`InputError` if a column does not exist, or is missing in every row.
    """
    lacking = np.zeros(len(table), dtype=bool)
    for name, what in settings.output_columns.items():
        check_exists(table.names, name)
        missing = table[name].missing
        if missing.all():
            sentence = "column '{column}' {what}, but is missing in every row; choose another"
            raise InputError("outputs.missing", sentence, column=name, what=what)
        if name != settings.label_set:
            lacking |= missing
    return lacking


def classes_of_outputs(table: Table, settings: AuditSettings) -> Collection[str]:
    """Return the classes in model outputs, beside those that rows have as their label."""
    if settings.outputs is None:
        return ()
    classes: list[str] = table[settings.target].levels.unique().tolist()
    if settings.label_set is not None:
        return {*chain(*parse_sets(table[settings.label_set], classes)[1])}
    return classes_of_columns(settings.probabilities, classes, settings.target)


def read_outputs(
    table: Table, label: LabelCoding, settings: AuditSettings
) -> tuple[ModelOutputs | None, list[Sentence]]:
    """Return the model outputs of rows that all have some, and notes on them.

    Raises :class:`InputError` if it is unusable: its sentence names column, row and value.
    """
    notes: list[Sentence] = []
    if settings.outputs is None:
        return None, notes
    columns, own = [table[name] for name in settings.output_columns], table[settings.target]
    if isinstance(label, ClassLabel):
        read = read_probabilities if settings.probabilities else read_sets
        outputs = read(columns, own, label, notes)
    elif settings.prediction is not None:
        outputs = _read_prediction(columns, own, label, notes)
    else:
        read_ends = _read_quantiles if settings.quantiles else _read_bounds
        outputs = read_ends(columns, label, notes)
    return outputs, [_FAITH, *notes]


def _read_prediction(
    columns: Sequence[Column], own: Column, label: NumericLabel, notes: list[Sentence]
) -> ModelOutputs:
    """Return predictions, and spreads if there are; a note on those that were raised."""
    prediction, *spreads = columns
    values = _finite(prediction)
    if np.array_equal(values, own.numbers):
        sentence = (
            "column '{column}' is the label itself in every row, no prediction; choose another"
        )
        raise InputError("outputs.label", sentence, column=prediction.name)
    _refuse_without_log(prediction, values, label)
    if not spreads:
        return ModelOutputs(prediction=label.coded(values))
    sigma = _spread(spreads[0], notes)
    if label.logarithmic:
        sigma = sigma / values
        notes.append(_LOG_SIGMA)
    return ModelOutputs(prediction=label.coded(values), sigma=sigma / label.scale)


def _read_quantiles(
    columns: Sequence[Column], label: NumericLabel, notes: list[Sentence]
) -> ModelOutputs:
    lower, upper = map(_finite, columns)
    for column, values in zip(columns, (lower, upper), strict=True):
        _refuse_without_log(column, values, label)
    notes += odd_notes({"quantiles_crossed": _crossed(columns, lower, upper)})
    return ModelOutputs(lower=label.coded(lower), upper=label.coded(upper))


def _read_bounds(
    columns: Sequence[Column], label: NumericLabel, notes: list[Sentence]
) -> ModelOutputs:
    lower, upper = map(numbers_of, columns)
    sentence = "column '{column}' holds {value} in row {row}, beyond which there is no number"
    columns[0].refuse(np.isposinf(lower), "outputs.infinite_end", sentence)
    columns[1].refuse(np.isneginf(upper), "outputs.infinite_end", sentence)
    counts = {
        "infinite": int((np.isinf(lower) | np.isinf(upper)).sum()),
        "crossed": _crossed(columns, lower, upper),
        "zero_width": int((lower == upper).sum()),
    }
    if label.logarithmic:
        _refuse_without_log(columns[1], upper, label)
        counts["no_log"] = int((np.isfinite(lower) & (lower <= 0.0)).sum())
        lower = np.maximum(lower, 0.0)
    notes += odd_notes(counts)
    return ModelOutputs(lower=label.coded(lower), upper=label.coded(upper))


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
        count = int(zero.sum())
        notes.append(Sentence("outputs.raised_sigma", _RAISED, column=column.name, count=count))
    return np.where(zero, SIGMA_FLOOR * np.sqrt(np.mean(values**2)), values)


def _refuse_without_log(column: Column, values: FloatArray, label: NumericLabel) -> None:
    if label.logarithmic:
        sentence = (
            "column '{column}' holds {value} in row {row}, which has no logarithm; model the label "
            "itself, or leave out that row"
        )
        column.refuse(values <= 0.0, "outputs.no_logarithm", sentence)


def _crossed(columns: Sequence[Column], lower: FloatArray, upper: FloatArray) -> int:
    """Return how many rows' ends are in the wrong order; refused if most are."""
    crossed = int((lower > upper).sum())
    if crossed > _MOST_CROSSED * len(lower):
        sentence = (
            "'{lower}' is above '{upper}' in {count} of {rows} rows; exchange the two columns, or "
            "choose others"
        )
        names = {"lower": columns[0].name, "upper": columns[1].name}
        raise InputError("outputs.crossed", sentence, **names, count=crossed, rows=len(lower))
    return crossed


def odd_notes(counts: Mapping[str, int]) -> list[Sentence]:
    """Return a note on each kind of odd intervals or quantiles of which there are any."""
    return [
        Sentence(f"outputs.{kind}", _COUNTED[kind], count=count)
        for kind, count in counts.items()
        if count
    ]
