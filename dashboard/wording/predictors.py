"""Predictors by their places: the words and the ends of fields' names that they have."""

from collections.abc import Iterable
from typing import NamedTuple

from evencover.core import AuditResult

_TITLES = {"ifacm": "IFACM"}


class Predictor(NamedTuple):
    """A predictor of a result.

    Attributes
    ----------
    name
        In data.
    place
        Among those of the result; that of the reference is 0.
    suffix
        What its fields end in where those of several predictors stand side by side.
    when
        The word for it in sentences and beside a figure's name.
    title
        The same where it stands alone.
    """

    name: str
    place: int
    suffix: str
    when: str
    title: str


def named(names: Iterable[str]) -> list[Predictor]:
    """Return the predictors of these names, each once; the first is the reference."""
    return [_named(name, place) for place, name in enumerate(dict.fromkeys(names))]


def predictors(result: AuditResult) -> list[Predictor]:
    """Return those of a result, the reference first."""
    return named(row.algorithm for row in result.results)


def _named(name: str, place: int) -> Predictor:
    title = f"{'after' if place else 'before'} ({_TITLES.get(name, name)})"
    if place == 0:
        return Predictor(name, place, "base", "before", title)
    if place == 1:
        return Predictor(name, place, "adjusted", "after", title)
    return Predictor(name, place, name, title, title)
