"""Sets of classes written as text, by people and by programs."""

import ast
import json
import re
from collections.abc import Collection
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ..messages import Cell, InputError
from ..tables.columns import Column, coded

_SEPARATORS: tuple[str | None, ...] = (";", "|", ",", "/", None)  # None is white space
_BRACKETED = re.compile(r"\w*\s*[\[({](.*)[\])}]", re.DOTALL)
"""Also what R and Python print: c("a", "b"), {'a'}, frozenset({'a'})."""

_WHOLE = re.compile(r"(-?\d+)\.0*")
_QUOTES = "'\"`"
_IN_QUOTES = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_ALL_IN_QUOTES = re.compile(rf"(?:{_IN_QUOTES})(?:\s*+[,;|/]?+\s*+(?:{_IN_QUOTES}))*+", re.DOTALL)
_LISTS = (list, tuple, set, frozenset, np.ndarray)
_EMPTY_OF_R = re.compile(r"(character|factor|integer|numeric|logical)\(0\)")
_OF_NUMPY = re.compile(
    rf"""\b(?:np|numpy)\.(?:\w+\(({_IN_QUOTES}|[^()'"]*+)\)|(True|False)_)|,\s*dtype=[^(),]*+(?=\))""",
    re.DOTALL,
)
"""Values of numpy 2, as in [np.str_('a'), np.int64(1)], and the type that an array tells."""


def parse_sets(
    column: Column, classes: Collection[str]
) -> tuple[NDArray[np.intp], list[tuple[str, ...]]]:
    """Return for each row which different set it has, -1 for an empty cell, and these.

    What stands between classes is found out by which reading gives the most of ``classes``; that
    another one gives as many, or more of them in one row, is a question; so is a class that a set
    may hold whole, but is taken to pieces.
    """
    lists = column.holds == "unsupported"
    codes, texts = coded(column.series.map(_listed) if lists else column.series)
    known = {*classes}
    if column.holds == "number":
        sentence = (
            "the sets in '{column}' were read as numbers, such as {value} in row {row}, which is "
            "no class; write them with ; between classes, or in brackets"
        )
        are_classes = np.append([text in known for text in texts], True).astype(bool)
        column.refuse(~are_classes[codes], "sets.numbers", sentence)
    bare = [_without_brackets(text, known) for text in texts]
    readings = {sep: [_members(text, sep, known) for text in bare] for sep in _SEPARATORS}

    def merit(sep: str | None) -> tuple[int, int]:
        names = [name for members in readings[sep] for name in members]
        of_label = sum(name in known for name in names)
        return of_label, of_label - len(names)

    best = max(_SEPARATORS, key=merit)
    if merit(best)[0] == 0:
        sentence = (
            "column '{column}' holds '{value}' in row {row}, which names no class of the label; "
            "write sets as classes with ; or , between them"
        )
        column.refuse(codes >= 0, "sets.no_class", sentence)
    for sep in _SEPARATORS:
        ties, by_sign = merit(sep) == merit(best), sep is not None  # words may be unknown classes
        for text, one, other in zip(texts, readings[best], readings[sep], strict=True):
            gains = by_sign and len(known & {*other}) > len(known & {*one})
            if {*one} != {*other} and (ties or gains):
                _refuse_doubt(column, text, one, other)
    torn = [name for name in classes if _members(_without_brackets(name, ()), best, ()) != (name,)]
    for text, inside, members in zip(texts, bare, readings[best], strict=True):
        for name in () if _ALL_IN_QUOTES.fullmatch(inside) else torn:
            if name not in members and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                _refuse_doubt(column, text, members, (name,))
    return codes, readings[best]


def _listed(value: object) -> object:
    return str([*value]) if isinstance(value, _LISTS) else value


def _without_brackets(text: str, known: Collection[str]) -> str:
    """Return what stands between the brackets of a set, without what programs write around it."""
    if text in known:
        return text
    text = "" if _EMPTY_OF_R.fullmatch(text) else _OF_NUMPY.sub(r"\1\2", text)
    while text not in known and (bracketed := _BRACKETED.fullmatch(text)):
        text = bracketed[1].strip()
    return text


def _members(text: str, separator: str | None, known: Collection[str]) -> tuple[str, ...]:
    if text in known:
        return (text,)
    parts = [part.strip().strip(_QUOTES).strip() for part in text.split(separator)]
    if _ALL_IN_QUOTES.fullmatch(text):
        whole = [_unquoted(part) for part in re.findall(rf"{_IN_QUOTES}|['\"].*", text, re.DOTALL)]
        parts = parts if {*whole}.isdisjoint(known) else whole  # else several are in one pair
    return tuple(dict.fromkeys(_as_level(part, known) for part in parts if part))


def _unquoted(text: str) -> str:
    try:
        read = json.loads(text, strict=False) if text[0] == '"' else ast.literal_eval(text)
    except (ValueError, SyntaxError):
        read = text[1:-1]
    return str(read).strip()


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
