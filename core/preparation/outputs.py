"""Outputs of a user's own model for a table's rows, read from its columns and checked."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..messages import InputError, Names, Sentence, first_of, in_quotes
from ..rows.examples import ModelOutputs
from ..scoring.columns import LARGEST
from ..scoring.outputs import EXACT, ROUNDING, SMALLEST, OutputProbabilities, OutputSpread
from ..tables.columns import Column, check_exists
from ..tables.table import Table
from .set_text import parse_sets
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
_HOLDS = "column '{column}' holds {value} in row {row}, "
_NO_END = f"{_HOLDS}beyond which there is no number"
_TOO_LARGE = f"{_HOLDS}which is too large to compute with; mend that value, or leave out that row"
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
    columns = settings.probabilities or settings.set_columns
    return classes_of_columns(columns, classes, settings.target)


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
        read = _read_members if settings.set_columns else _read_sets
        read = _read_probabilities if settings.probabilities else read
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
    output = {"prediction": label.output(prediction.name)}
    if not spreads:
        return ModelOutputs(prediction=label.coded(values), written=output)
    sigma, least = _spread(spreads[0], notes)
    by = prediction.name if label.logarithmic else None
    spread = OutputSpread(spreads[0].name, by, label.scale, least)
    if label.logarithmic:
        sigma = sigma / values
        notes.append(_LOG_SIGMA)
    sigma = np.maximum(sigma / label.scale, SMALLEST)
    return ModelOutputs(
        prediction=label.coded(values), sigma=sigma, written={**output, "log_sigma": spread}
    )


def _read_quantiles(
    columns: Sequence[Column], label: NumericLabel, notes: list[Sentence]
) -> ModelOutputs:
    lower, upper = map(_finite, columns)
    for column, values in zip(columns, (lower, upper), strict=True):
        _refuse_without_log(column, values, label)
    notes += odd_notes({"quantiles_crossed": _crossed(columns, lower, upper)})
    names = dict(zip(("lower", "upper"), (column.name for column in columns), strict=True))
    written = {end: label.output(name) for end, name in names.items()}
    return ModelOutputs(lower=label.coded(lower), upper=label.coded(upper), written=written)


def _read_bounds(
    columns: Sequence[Column], label: NumericLabel, notes: list[Sentence]
) -> ModelOutputs:
    lower, upper = map(_numbers_of, columns)
    columns[0].refuse(np.isposinf(lower), "outputs.infinite_end", _NO_END)
    columns[1].refuse(np.isneginf(upper), "outputs.infinite_end", _NO_END)
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
    values = _numbers_of(column)
    column.refuse(np.abs(values) > LARGEST, "outputs.too_large", _TOO_LARGE)
    return values


def _spread(column: Column, notes: list[Sentence]) -> tuple[FloatArray, float]:
    """Return the spreads, and what those of 0 are raised to."""
    values = _finite(column)
    sentence = "but a spread is never negative; choose standard deviations, or mend that value"
    column.refuse(values < 0.0, "outputs.negative_sigma", _HOLDS + sentence)
    if not values.any():
        sentence = "column '{column}' is 0 in every row, which is no spread; leave it out"
        raise InputError("outputs.zero_sigma", sentence, column=column.name)
    zero = values == 0.0
    if zero.any():
        count = int(zero.sum())
        notes.append(Sentence("outputs.raised_sigma", _RAISED, column=column.name, count=count))
    least = float(SIGMA_FLOOR * np.sqrt(np.mean(values**2)))
    return np.where(zero, least, values), least


def _refuse_without_log(column: Column, values: FloatArray, label: NumericLabel) -> None:
    if label.logarithmic:
        sentence = "which has no logarithm; model the label itself, or leave out that row"
        column.refuse(values <= 0.0, "outputs.no_logarithm", _HOLDS + sentence)


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


TRUTH = {"true": True, "1": True, "false": False, "0": False}
_EMPTY = "Empty cells in '{column}', taken for sets that hold no class: {count}."
_UNKNOWN = "Classes in the sets of '{column}' that are no row's label ({count}): {listed}."

_TWO = 2

_RESCALED = (
    "Rows whose probabilities sum to 1 only after rounding, and are divided by their sum: {count}."
)


def _numbers_of(column: Column) -> FloatArray:
    """Return the numbers of a column, none missing; refused if it holds something else."""
    sentence = (
        "column '{column}' holds '{value}' in row {row}, which was not read as a number; "
        "mend that value, or have the column read as numbers"
    )
    column.refuse_text("outputs.no_number", sentence)
    return column.numbers


def _read_sets(
    columns: Sequence[Column], own: Column, label: ClassLabel, notes: list[Sentence]
) -> ModelOutputs:
    column, classes = columns[0], own.levels.unique()
    codes, sets = parse_sets(column, classes)
    place = {name: k for k, name in enumerate(label.classes)}
    members = np.zeros((len(sets) + 1, len(place)), dtype=bool)  # the last is an empty cell's
    for row, names in enumerate(sets):
        members[row, [place[name] for name in names]] = True
    others = [name for name in label.classes if name not in {*classes}]
    if column.missing.any():
        about = {"column": column.name, "count": int(column.missing.sum())}
        notes.append(Sentence("sets.empty_cells", _EMPTY, **about))
    if others:
        about = {"column": column.name, "count": len(others)}
        listed = first_of(in_quotes(others))
        notes.append(Sentence("sets.unknown_classes", _UNKNOWN, **about, listed=listed))
    return ModelOutputs(members=members[codes])


def _read_members(
    columns: Sequence[Column], own: Column, label: ClassLabel, _: list[Sentence]
) -> ModelOutputs:
    classes = classes_of_columns([c.name for c in columns], label.classes, own.name)
    sentence = "column '{column}' holds '{value}' in row {row}, which is neither true nor false"
    members = np.zeros((len(own), len(label.classes)), dtype=bool)
    for name, column in zip(classes, columns, strict=True):
        says = column.levels.str.lower().map(TRUTH)
        column.refuse(says.isna().to_numpy(), "sets.no_truth", sentence)
        members[:, label.classes.index(name)] = says
    return ModelOutputs(members=members)


def _read_probabilities(
    columns: Sequence[Column], own: Column, label: ClassLabel, notes: list[Sentence]
) -> ModelOutputs:
    """Return the probabilities of the label's classes; a note on those that were rescaled."""
    classes = classes_of_columns([c.name for c in columns], label.classes, own.name)
    values = dict(zip(classes, map(_shares, columns), strict=True))
    if len(values) == 1:
        ((name, share),) = values.items()
        values |= {other: 1.0 - share for other in label.classes if other != name}
    matrix = np.column_stack([values[name] for name in label.classes])
    sums = matrix.sum(axis=1)
    off = np.abs(sums - 1.0)
    sentence = (
        "the probabilities in '{column}' and beside it sum to {value} in row {row}, not to 1; name "
        "the columns of all classes, and no others"
    )
    too_far = off > ROUNDING * matrix.shape[1] + EXACT
    columns[0].refuse(too_far, "probabilities.sum", sentence, lambda row: f"{sums[row]:.4g}")
    rounded = off > EXACT
    if rounded.any():
        notes.append(Sentence("probabilities.rescaled", _RESCALED, count=int(rounded.sum())))
        matrix[rounded] /= sums[rounded, None]
    places = np.array([label.classes.index(name) for name in classes], dtype=np.int32)
    said = OutputProbabilities(tuple(c.name for c in columns), places, len(label.classes))
    return ModelOutputs(probabilities=matrix, written={"probabilities": said})


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
            "is '{column}' of class '{one}' or of '{other}'? Name the columns after "
            "their classes, such as p_{one}"
        )
        doubt = {"column": columns[place], "one": one[place], "other": other[place]}
        raise InputError("probabilities.in_doubt", sentence, **doubt)
    best = min(readings, key=lambda reading: readings[reading], default=())
    if len(classes) - readings.get(best, len(classes)) >= _TWO:
        lacking = next(name for name in classes if name not in best)
        sentence = (
            "none of the columns is of class '{lacking}' of label '{label}'; name one for "
            "each class, or leave out the rows of a class that your model does not know"
        )
        raise InputError("probabilities.lacking", sentence, lacking=lacking, **about)
    sentence = (
        "which class is '{column}' of? The classes of '{label}' are {classes}; "
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
        sentence = "is '{column}' of class '{one}' or of '{other}'? Name it p_{one} or p_{other}"
        about = {"column": column, "one": classes[0], "other": classes[1]}
        raise InputError("probabilities.in_doubt", sentence, **about)
    return found[0]


def _names(column: str, name: str) -> bool:
    """Say whether a name of a column has a class as a word of its own."""
    first, last = (r"[^\W\d_]" if end.isalpha() else r"\d" for end in (name[:1], name[-1:]))
    pattern = rf"(?<!{first}){re.escape(name)}(?!{last})"
    return re.search(pattern, column, re.IGNORECASE) is not None


def _shares(column: Column) -> FloatArray:
    values = _numbers_of(column)
    sentence = "but a probability is from 0 to 1; divide percent by 100, or mend that value"
    outside = ~((values >= -EXACT) & (values <= 1.0 + EXACT))
    column.refuse(outside, "probabilities.range", _HOLDS + sentence)
    return np.clip(values, 0.0, 1.0)
