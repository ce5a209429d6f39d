"""Sets of classes written as text."""

import re
from collections.abc import Collection, Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...messages import Cell, Sentence, first_of, in_quotes
from ...rows.examples import ModelOutputs
from ...tables.columns import Column, coded
from ...tables.table import Table
from ..settings import AuditSettings
from ..target import ClassLabel

SEPARATORS: tuple[str | None, ...] = (";", "|", ",", "/", None)
"""Between classes; None is white space."""

_BRACKETED = re.compile(r"\w*\s*[\[({](.*)[\])}]", re.DOTALL)
"""Also what R and Python print: c("a", "b"), {'a'}, frozenset({'a'})."""

_WHOLE = re.compile(r"(-?\d+)\.0*")
_QUOTES = "'\"`"

_EMPTY = "Empty cells in '{column}', taken for sets that hold no class: {count}."
_UNKNOWN = "Classes in the sets of '{column}' that are no row's label ({count}): {listed}."


def read_sets(
    table: Table, label: ClassLabel, settings: AuditSettings, notes: list[Sentence]
) -> ModelOutputs:
    """Return the members of the sets; notes on empty cells and on classes that no row has."""
    assert settings.label_set is not None  # noqa: S101 - they are the outputs
    column, own = table[settings.label_set], table[settings.target].levels.unique()
    codes, sets = parse_sets(column, own)
    place = {name: k for k, name in enumerate(label.classes)}
    members = np.zeros((len(sets) + 1, len(place)), dtype=bool)  # the last is an empty cell's
    for row, names in enumerate(sets):
        members[row, [place[name] for name in names]] = True
    others = [name for name in label.classes if name not in {*own}]
    if column.missing.any():
        about = {"column": column.name, "count": int(column.missing.sum())}
        notes.append(Sentence("sets.empty_cells", _EMPTY, **about))
    if others:
        about = {"column": column.name, "count": len(others)}
        listed = first_of(in_quotes(others))
        notes.append(Sentence("sets.unknown_classes", _UNKNOWN, **about, listed=listed))
    return ModelOutputs(members=members[codes])


def classes_in_sets(column: Column, classes: Collection[str]) -> set[str]:
    """Return all classes that the sets hold; see :func:`read_sets`."""
    return {name for names in parse_sets(column, classes)[1] for name in names}


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
        _refuse_numbers(column, codes, [text in known for text in texts])
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
            if name not in members and re.search(_as_word(name), text):
                _refuse_doubt(column, text, members, (name,))
    return codes, readings[best]


def _as_word(name: str) -> str:
    """Return a pattern of a name that no longer word holds."""
    return rf"(?<!\w){re.escape(name)}(?!\w)"


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


def _refuse_numbers(column: Column, codes: NDArray[np.intp], are_classes: Sequence[bool]) -> None:
    wrong = ~np.append(are_classes, True).astype(bool)[codes]
    sentence = (
        "the sets in '{column}' were read as numbers, such as {value} in row {row}, which is no "
        "class; write them with ; between classes, or in brackets"
    )
    column.refuse(wrong, "sets.numbers", sentence)


def _refuse_doubt(
    column: Column, text: str, one: tuple[str, ...], other: tuple[str, ...]
) -> NoReturn:
    sentence = (
        "is '{text}' in column '{column}' the set of {one}, or of {other}? Write ; between classes"
    )
    readings = {"one": " and ".join(one), "other": " and ".join(other)}
    about = {"column": column.name, "text": Cell(text)}
    raise InputError("sets.in_doubt", sentence, **about, **readings)
