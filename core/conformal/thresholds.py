"""Threshold rules: from calibration scores to the score that a label must reach."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from ..arrays import FloatArray
from ..messages import InputError, Sentence, first_of
from ..rows.examples import Examples
from ..rows.weights import weighted_quantiles, weights_of
from ..scoring.groups import ByBand, ByRule, ByValue, Division, Group, Values
from ..scoring.thresholds import OfGroups, OneForAll, Rule
from ..tables.columns import Column
from ..tables.grammar import check_column_or_rule, parse_rule, rule_columns
from ..tables.table import Table
from .rank import WeightedScores, conformal_threshold, smallest_calibration_size

Threshold = float | FloatArray
"""One number for all; one for each object, shape (n,); or for each label, too, shape (n, K), or
for each end of an interval, shape (n, 2)."""


BANDS = 4  # of equally many of the rows that the bands are learned on


@dataclass(frozen=True)
class ColumnGroups:
    """Divides objects by a column: by value, or in bands between ``edges``, if there are any.

    In place of a column it may be a rule, as it is written: by whether that holds. Where values
    are ``kept``, all others are one group.
    """

    column: str
    edges: tuple[float, ...] = ()
    is_rule: bool = False
    kept: frozenset[Group] | None = None

    @classmethod
    def of(cls, column: str, examples: Examples, *, by_value: bool = False) -> Self:
        """Learn bands of a number or date with many values, unless it is to go ``by_value``.

        Raises :class:`InputError` if the examples' table has no such column.
        """
        table, named = _with_columns(examples, column), rule_columns(column)
        for each in named:
            check_column_or_rule(list(map(str, table)), each)
        if named != (column,):
            return cls(column, is_rule=True)
        found = Column.of(table[column])
        if by_value or not found.is_many_valued:
            return cls(column)
        known = ~np.isnan(found.places)
        weights, shares = weights_of(examples.weights, known), np.arange(1, BANDS) / BANDS
        edges = np.unique(weighted_quantiles(found.places[known], shares, weights))
        return cls(column, tuple(edges.tolist()))

    def at(self, examples: Examples) -> list[Group]:
        """Return the group of each object, n of them."""
        frame = _with_columns(examples, self.column)
        table = Table.of(frame[[*rule_columns(self.column)]]) if self.is_rule else None

        def read(name: str, kind: str) -> Values:
            return (Column.of(frame[name]) if table is None else table[name]).plain(kind)

        return self.written((), frame).group_of(read)

    def written(self, groups: Iterable[Group], frame: pd.DataFrame) -> Division:
        """Return the division into groups as plain values, by columns of a frame."""
        known = (*groups,)
        if self.is_rule:
            rule = parse_rule(self.column)
            table = Table.of(frame[[*rule.columns]])
            return ByRule(self.column, known, rule.written(table))
        if self.edges:
            kind = Column.of(frame[self.column]).holds
            return ByBand(self.column, known, self.column, kind, np.array(self.edges))
        kept = None if self.kept is None else (*(g for g in self.kept if not isinstance(g, int)),)
        return ByValue(self.column, known, self.column, kept)

    def shown(self, group: Group) -> str:
        """Return a group's name for a reader."""
        if group is None:
            return "(missing)"
        return group if isinstance(group, str) else f"band {group + 1} of {len(self.edges) + 1}"


def _with_columns(examples: Examples, by: str) -> pd.DataFrame:
    """Return the examples' rows of their table; InputError if they have none to divide them by."""
    if examples.frame.columns.empty:
        sentence = "a matrix has no columns to divide by '{column}'; give objects as a DataFrame"
        raise InputError("column.of_matrix", sentence, column=by)
    return examples.table


_SMALL_GROUPS = (
    "Groups of '{column}' with fewer than {needed} calibration rows{of_class}, which confidence "
    "level {level} needs, so that their sets hold {all}: {count} ({named})."
)
_SMALL_CLASSES = (
    "Classes with fewer than {needed} calibration rows, which confidence level {level} needs, so "
    "that every set holds them: {count} of {classes}."
)

_CAPPED = (
    "Calibration rows that count for less than their weight in thresholds: {rows}. A single one "
    "would outweigh half of 1 - CL of all; so coverage by weight is nearly what is promised."
)
UNKNOWN_WEIGHTS = (
    "The weights of new rows are not known, so that each counts as an average calibration row: "
    "coverage by weight is nearly what is promised."
)

_ENDS = ("lower", "upper")
_NO_END = (
    "The {end} end of all intervals is infinite: the share of labels allowed beyond it needs "
    "{needed} calibration rows."
)


@dataclass(frozen=True)
class ThresholdRule:
    """How thresholds are learned: one for all, or one for each group, class, or class in a group.

    Each is the score of exact rank among the calibration examples of its own: of all together the
    paper's eq. (predinterval1); of parts Mondrian conformal prediction (Vovk et al., 2005,
    "Algorithmic learning in a random world", section 4.5). Where these are too few for the level,
    or none, every label is kept, or that of the class. ``classes`` is the number of classes, None
    for one threshold for all labels; likewise ``groups``.
    """

    groups: ColumnGroups | None = None
    classes: int | None = None

    def learn(
        self, scores: FloatArray, examples: Examples, confidence_level: float
    ) -> "Thresholds":
        """Learn from the scores of calibration examples, shape (n,)."""
        groups, width = self.of(examples), self.classes or 1
        place = {group: number for number, group in enumerate(dict.fromkeys(groups) or [None])}
        codes = np.array([place[group] for group in groups], dtype=np.intp)
        cells = codes if self.classes is None else codes * width + examples.labels
        counts = np.bincount(cells, minlength=len(place) * width)
        parts = np.split(np.argsort(cells, kind="stable"), np.cumsum(counts)[:-1])
        of_parts = [(scores[rows], weights_of(examples.weights, rows)) for rows in parts]
        values = [conformal_threshold(some, confidence_level, w) for some, w in of_parts]
        table = np.array([*values, *[-math.inf] * width]).reshape(len(place) + 1, width)
        of_weights = of_parts if examples.weights is not None else []
        weighted = [WeightedScores.of(some, confidence_level, w) for some, w in of_weights]
        return Thresholds(self, confidence_level, place, table, weighted)

    def of(self, examples: Examples) -> list[Group]:
        """Return the group of each object, n of them; None where all are one."""
        return [None] * len(examples) if self.groups is None else self.groups.at(examples)

    def count(self, examples: Examples) -> int | None:
        """Return how many thresholds are learned from calibration examples; None if unknown."""
        return len(set(self.of(examples))) * (self.classes or 1)


@dataclass(frozen=True)
class EndsRule(ThresholdRule):
    """A threshold of exact rank for each end of intervals, each with a level of its own.

    Scores have shape (n, 2); an end whose level is 1 is nowhere, so that all is kept there.
    """

    levels: tuple[float, float] = (1.0, 1.0)

    def learn(
        self, scores: FloatArray, examples: Examples, confidence_level: float
    ) -> "Thresholds":
        """Learn from the scores of calibration examples, shape (n, 2)."""
        values, weighted = [], []
        for level, of_end in zip(self.levels, scores.T, strict=True):
            some = of_end if level < 1.0 else of_end[:0]
            weights = weights_of(examples.weights, slice(len(some)))
            asked = level if level < 1.0 else confidence_level
            values.append(conformal_threshold(some, asked, weights))
            if weights is not None:
                weighted.append(WeightedScores.of(some, asked, weights))
        table = np.array([values, [-math.inf] * len(values)])
        return EndThresholds(self, confidence_level, {None: 0}, table, weighted)

    def count(self, examples: Examples) -> int | None:  # noqa: ARG002
        """Return None: without it there is one threshold, too."""
        return None


@dataclass(frozen=True, eq=False)
class Thresholds:
    """What a rule has learned: ``table`` has a row for each group, the last for those not seen.

    Where calibration rows had weights it is for new rows that count as an average one of them, and
    ``weighted`` holds for each number of the table, but the last row's, what others follow from.
    """

    rule: ThresholdRule
    confidence_level: float
    place: Mapping[Any, int]
    table: FloatArray
    weighted: Sequence[WeightedScores] = ()

    def at(self, examples: Examples, *, are_new: bool = True) -> Threshold:
        """Return the score from which on labels of these objects are kept.

        By their weights, if they have some, and are not the calibration rows themselves.
        """
        new = examples.weights if self.weighted and are_new else None
        if self.rule == ThresholdRule():
            return float(self.table[0, 0]) if new is None else self.weighted[0].threshold(new)
        rows = np.array([self.place.get(group, -1) for group in self.rule.of(examples)], dtype=int)
        found: FloatArray = self.table[rows]
        if new is not None:
            for cell, scores in enumerate(self.weighted):
                group, label = divmod(cell, self.table.shape[1])
                inside = rows == group
                found[inside, label] = scores.threshold(new[inside])
        return found[:, 0] if found.shape[1] == 1 else found

    def notes(self, examples: Examples) -> Sequence[Sentence]:
        """Return what limits the promise for these objects."""
        capped = sum(scores.above_cap for scores in self.weighted)
        notes = [Sentence("thresholds.capped", _CAPPED, rows=capped)] if capped else []
        if self.weighted and examples.weights is None:
            notes.append(Sentence("thresholds.unknown_weights", UNKNOWN_WEIGHTS))
        return [*notes, *self._of_small_parts(examples)]

    def written(self, frame: pd.DataFrame) -> Rule:
        """Return them as plain values, for new rows that count as an average calibration row.

        Groups are by columns of a frame.
        """
        if self.rule.groups is None:
            return OneForAll(self.table[0])
        return OfGroups(self.rule.groups.written(self.place, frame), self.table)

    def _of_small_parts(self, examples: Examples) -> Sequence[Sentence]:
        """Return which groups of these objects, or classes, are too small for the level."""
        groups, classes, level = self.rule.groups, self.rule.classes, self.confidence_level
        about = {"needed": smallest_calibration_size(level), "level": level, "classes": classes}
        is_small = self.table == -math.inf
        if groups is None:
            count = 0 if classes is None else int(is_small[0].sum())
            told = Sentence("thresholds.small_classes", _SMALL_CLASSES, count=count, **about)
            return [told] if count else []
        small = is_small.any(axis=1)
        found = [group for group, _ in Counter(groups.at(examples)).most_common()]
        few = [groups.shown(group) for group in found if small[self.place.get(group, -1)]]
        told = Sentence(
            "thresholds.small_groups",
            _SMALL_GROUPS,
            column=groups.column,
            count=len(few),
            named=first_of(few),
            of_class="" if classes is None else " of some class",
            all="every label" if classes is None else "that class",
            **about,
        )
        return [told] if few else []


@dataclass(frozen=True, eq=False)
class EndThresholds(Thresholds):
    """The thresholds of an :class:`EndsRule`."""

    rule: EndsRule

    def _of_small_parts(self, examples: Examples) -> Sequence[Sentence]:  # noqa: ARG002
        """Return which ends are nowhere, as calibration rows are too few."""
        return [
            Sentence("thresholds.no_end", _NO_END, end=end, needed=smallest_calibration_size(level))
            for end, level, value in zip(_ENDS, self.rule.levels, self.table[0], strict=True)
            if value == -math.inf and level < 1.0
        ]
