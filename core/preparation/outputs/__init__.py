"""Outputs of a user's own model for a table's rows, read from its columns and checked."""

from collections.abc import Collection

import numpy as np

from ...arrays import BoolArray
from ...errors import InputError
from ...messages import Sentence
from ...rows.examples import ModelOutputs
from ...tables.columns import check_exists
from ...tables.table import Table
from ..settings import AuditSettings
from ..target import ClassLabel, LabelCoding
from .classes import classes_in_sets, classes_of_columns, read_probabilities, read_sets
from .numbers import read_bounds, read_prediction, read_quantiles

_FAITH = Sentence(
    "outputs.unseen",
    "What your model said is taken as it is: the figures tell how it does on new rows as far as no "
    "row of this table was used to fit it.",
)


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
        return classes_in_sets(table[settings.label_set], classes)
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
    if isinstance(label, ClassLabel):
        read = read_probabilities if settings.probabilities else read_sets
        outputs = read(table, label, settings, notes)
    elif settings.prediction is not None:
        outputs = read_prediction(table, label, settings, notes)
    else:
        read_ends = read_quantiles if settings.quantiles else read_bounds
        outputs = read_ends(table, label, settings, notes)
    return outputs, [_FAITH, *notes]
