"""Probabilities of classes: which column is of which class, and whether they are probabilities."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ...arrays import FloatArray
from ...errors import InputError
from ...messages import Names, Sentence
from ...rows.examples import ModelOutputs
from ...tables.columns import Column
from ...tables.table import Table
from ..settings import AuditSettings
from ..target import ClassLabel
from .numbers import numbers_of

ROUNDING = 0.005
"""Of a probability written with two decimals; sums of them may be off by so much for each."""

_EXACT = 1e-6
_TWO = 2

_RESCALED = (
    "Rows whose probabilities sum to 1 only after rounding, and are divided by their sum: {count}."
)


def read_probabilities(
    table: Table, label: ClassLabel, settings: AuditSettings, notes: list[Sentence]
) -> ModelOutputs:
    """Return the probabilities of the label's classes; a note on those that were rescaled."""
    names = settings.probabilities
    columns = dict(
        zip(classes_of_columns(names, label.classes, settings.target), names, strict=True)
    )
    values = {name: _shares(table, column) for name, column in columns.items()}
    if len(values) == 1:
        ((name, share),) = values.items()
        values |= {other: 1.0 - share for other in label.classes if other != name}
    matrix = np.column_stack([values[name] for name in label.classes])
    return ModelOutputs(probabilities=_summing_to_one(matrix, table[names[0]], notes))


def classes_of_columns(
    columns: Sequence[str], classes: Sequence[str], label: str
) -> tuple[str, ...]:
    """Return the class of each column by its name, which may be none of ``classes``.

    The columns' names are classes' with the same signs before and behind, in any order. Of two
    classes one column is enough. Raises :class:`InputError` with a question where that is in doubt.
    """
    if len(columns) == 1:
        return (_class_of_one(columns[0], classes, label),)
    readings = {reading: len({*classes} - {*reading}) for reading in _readings(columns, classes)}
    complete = [reading for reading, lacking in readings.items() if lacking == 0]
    about = {"label": label, "classes": Names(classes)}
    if len(complete) == 1:
        return complete[0]
    if complete:
        one, other = complete[:_TWO]
        place = next(i for i in range(len(columns)) if one[i] != other[i])
        sentence = (
            "is '{column}' the probability of '{one}' or of '{other}'? Name the columns after "
            "their classes, such as p_{one}"
        )
        doubt = {"column": columns[place], "one": one[place], "other": other[place]}
        raise InputError("probabilities.in_doubt", sentence, **doubt)
    best = min(readings, key=lambda reading: readings[reading], default=())
    if len(classes) - readings.get(best, len(classes)) >= _TWO:
        lacking = next(name for name in classes if name not in best)
        sentence = (
            "no column of probabilities is of class '{lacking}' of label '{label}'; name one for "
            "each class, or leave out the rows of a class that your model does not know"
        )
        raise InputError("probabilities.lacking", sentence, lacking=lacking, **about)
    sentence = (
        "which class is '{column}' the probability of? The classes of '{label}' are {classes}; "
        "name each column after its class, such as p_{example}"
    )
    nameless = (name for name in columns if not surroundings([name], classes))
    about |= {"column": next(nameless, columns[0]), "example": classes[0]}
    raise InputError("probabilities.unnamed", sentence, **about)


def _readings(columns: Sequence[str], classes: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the classes that the columns are of by each way to take off what stands around."""
    folded = {name.casefold(): name for name in classes}
    if len(folded) < len(classes):  # classes that differ in capitals alone
        folded = {name: name for name in classes}
    for before, behind in surroundings(columns, list(folded)):
        if all(c.startswith(before) and c.endswith(behind) for c in columns):
            middles = [c[len(before) : len(c) - len(behind)] for c in columns]
            found = tuple(folded.get(m, folded.get(m.casefold(), m)) for m in middles)
            if all(middles) and len({*found}) == len(columns):
                yield found


def surroundings(columns: Sequence[str], classes: Sequence[str]) -> set[tuple[str, str]]:
    """Return what stands before and behind a class in a column's name, wherever one does."""
    return {
        (column[: found.start()], column[found.end() :])
        for column in columns
        for name in classes
        for found in re.finditer(re.escape(name), column, re.IGNORECASE)
    }


def _class_of_one(column: str, classes: Sequence[str], label: str) -> str:
    if len(classes) != _TWO:
        sentence = (
            "one column of probabilities is enough for two classes only, and '{label}' has "
            "{count}; name one for each class"
        )
        raise InputError("probabilities.one_column", sentence, label=label, count=len(classes))
    found = [name for name in classes if _names(column, name)]
    if len(found) != 1:
        sentence = (
            "is '{column}' the probability of '{one}' or of '{other}'? Name it p_{one} or p_{other}"
        )
        about = {"column": column, "one": classes[0], "other": classes[1]}
        raise InputError("probabilities.in_doubt", sentence, **about)
    return found[0]


def _names(column: str, name: str) -> bool:
    """Say whether a name of a column has a class as a word of its own."""
    letter, digit = r"[^\W\d_]", r"\d"
    edge = {True: letter, False: digit}
    first, last = edge[name[:1].isalpha()], edge[name[-1:].isalpha()]
    pattern = rf"(?<!{first}){re.escape(name)}(?!{last})"
    return re.search(pattern, column, re.IGNORECASE) is not None


def _shares(table: Table, name: str) -> FloatArray:
    column = table[name]
    values = numbers_of(column)
    sentence = (
        "column '{column}' holds {value} in row {row}, but a probability is from 0 to 1; divide "
        "percent by 100, or mend that value"
    )
    outside = ~((values >= -_EXACT) & (values <= 1.0 + _EXACT))
    column.refuse(outside, "probabilities.range", sentence)
    return np.clip(values, 0.0, 1.0)


def _summing_to_one(matrix: FloatArray, first: Column, notes: list[Sentence]) -> FloatArray:
    sums = matrix.sum(axis=1)
    off = np.abs(sums - 1.0)
    sentence = (
        "the probabilities in '{column}' and beside it sum to {value} in row {row}, not to 1; name "
        "the columns of all classes, and no others"
    )
    too_far = off > ROUNDING * matrix.shape[1] + _EXACT
    first.refuse(too_far, "probabilities.sum", sentence, lambda row: f"{sums[row]:.4g}")
    rounded = off > _EXACT
    if rounded.any():
        notes.append(Sentence("probabilities.rescaled", _RESCALED, count=int(rounded.sum())))
        matrix[rounded] /= sums[rounded, None]
    return matrix
