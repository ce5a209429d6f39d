"""Outputs for classes: sets written as text, and probabilities, of a column for each class."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..messages import Cell, InputError, Names, Sentence, first_of, in_quotes
from ..rows.examples import ModelOutputs
from ..tables.columns import Column, coded
from .target import ClassLabel

SEPARATORS: tuple[str | None, ...] = (";", "|", ",", "/", None)  # None is white space
_BRACKETED = re.compile(r"\w*\s*[\[({](.*)[\])}]", re.DOTALL)
"""Also what R and Python print: c("a", "b"), {'a'}, frozenset({'a'})."""

_WHOLE = re.compile(r"(-?\d+)\.0*")
_QUOTES = "'\"`"

_EMPTY = "Empty cells in '{column}', taken for sets that hold no class: {count}."
_UNKNOWN = "Classes in the sets of '{column}' that are no row's label ({count}): {listed}."

ROUNDING = 0.005  # of a probability of two decimals; a sum of them may be off by so much for each
_EXACT = 1e-6
_TWO = 2

_RESCALED = (
    "Rows whose probabilities sum to 1 only after rounding, and are divided by their sum: {count}."
)


def numbers_of(column: Column) -> FloatArray:
    """Return the numbers of a column, none missing; refused if it holds something else."""
    sentence = (
        "column '{column}' holds '{value}' in row {row}, which was not read as a number; "
        "mend that value, or have the column read as numbers"
    )
    column.refuse_text("outputs.no_number", sentence)
    return column.numbers


def read_sets(
    columns: Sequence[Column], own: Column, label: ClassLabel, notes: list[Sentence]
) -> ModelOutputs:
    """Return the members of the sets; notes on empty cells and on classes that no row has."""
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


def parse_sets(
    column: Column, classes: Collection[str]
) -> tuple[NDArray[np.intp], list[tuple[str, ...]]]:
    """Return for each row which different set it has, -1 for an empty cell, and these.

    What stands between classes is found out by which reading gives the most of ``classes``; that
    another one gives as many, or more of them in one row, is a question; so is a class that a set
    may hold whole, but is taken to pieces.
    """
    codes, texts = coded(column.series)
    known = {*classes}
    if column.holds == "number":
        sentence = (
            "the sets in '{column}' were read as numbers, such as {value} in row {row}, which is "
            "no class; write them with ; between classes, or in brackets"
        )
        are_classes = np.append([text in known for text in texts], True).astype(bool)
        column.refuse(~are_classes[codes], "sets.numbers", sentence)
    readings = {sep: [_members(text, sep, known) for text in texts] for sep in SEPARATORS}

    def merit(sep: str | None) -> tuple[int, int]:
        names = [name for members in readings[sep] for name in members]
        of_label = sum(name in known for name in names)
        return of_label, of_label - len(names)

    best = max(SEPARATORS, key=merit)
    if merit(best)[0] == 0:
        sentence = (
            "column '{column}' holds '{value}' in row {row}, which names no class of the label; "
            "write sets as classes with ; or , between them"
        )
        column.refuse(codes >= 0, "sets.no_class", sentence)
    for sep in SEPARATORS:
        ties, by_sign = merit(sep) == merit(best), sep is not None  # words may be unknown classes
        for text, one, other in zip(texts, readings[best], readings[sep], strict=True):
            gains = by_sign and len(known & {*other}) > len(known & {*one})
            if {*one} != {*other} and (ties or gains):
                _refuse_doubt(column, text, one, other)
    torn = [name for name in classes if _members(name, best, ()) != (name,)]
    for text, members in zip(texts, readings[best], strict=True):
        for name in torn:
            if name not in members and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                _refuse_doubt(column, text, members, (name,))
    return codes, readings[best]


def _members(text: str, separator: str | None, known: Collection[str]) -> tuple[str, ...]:
    while text not in known and (bracketed := _BRACKETED.fullmatch(text)):
        text = bracketed[1].strip()
    if text in known:
        return (text,)
    parts = (part.strip().strip(_QUOTES).strip() for part in text.split(separator))
    return tuple(dict.fromkeys(_as_level(part, known) for part in parts if part))


def _as_level(name: str, known: Collection[str]) -> str:
    """Return a class as labels have it: of numbers, 1.0 reads 1."""
    whole = _WHOLE.fullmatch(name)
    return whole[1] if name not in known and whole and whole[1] in known else name


def _refuse_doubt(
    column: Column, text: str, one: tuple[str, ...], other: tuple[str, ...]
) -> NoReturn:
    sentence = (
        "is '{text}' in column '{column}' the set of {one}, or of {other}? Write ; between classes"
    )
    readings = {"one": " and ".join(one), "other": " and ".join(other)}
    about = {"column": column.name, "text": Cell(text)}
    raise InputError("sets.in_doubt", sentence, **about, **readings)


def read_probabilities(
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
    too_far = off > ROUNDING * matrix.shape[1] + _EXACT
    columns[0].refuse(too_far, "probabilities.sum", sentence, lambda row: f"{sums[row]:.4g}")
    rounded = off > _EXACT
    if rounded.any():
        notes.append(Sentence("probabilities.rescaled", _RESCALED, count=int(rounded.sum())))
        matrix[rounded] /= sums[rounded, None]
    return ModelOutputs(probabilities=matrix)


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
    first, last = (r"[^\W\d_]" if end.isalpha() else r"\d" for end in (name[:1], name[-1:]))
    pattern = rf"(?<!{first}){re.escape(name)}(?!{last})"
    return re.search(pattern, column, re.IGNORECASE) is not None


def _shares(column: Column) -> FloatArray:
    values = numbers_of(column)
    sentence = (
        "column '{column}' holds {value} in row {row}, but a probability is from 0 to 1; divide "
        "percent by 100, or mend that value"
    )
    outside = ~((values >= -_EXACT) & (values <= 1.0 + _EXACT))
    column.refuse(outside, "probabilities.range", sentence)
    return np.clip(values, 0.0, 1.0)
