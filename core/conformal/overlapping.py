"""Thresholds that promise the level in every one of some groups at once, which may overlap."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from ..arrays import FloatArray, independent_columns
from ..messages import Sentence
from ..rows.examples import Examples
from ..tables.grammar import parse_rule
from ..tables.table import Table
from .rank import capped, exact_significance, smallest_calibration_size
from .thresholds import ColumnGroups, GroupKey, ThresholdRule, Thresholds, small_groups
from .tilted_quantile import TiltedQuantiles

Pattern = tuple[GroupKey, ...]
"""The group that an object is in by each of the divisions."""

_LOWER_END = 1e-9
"""Where CL (n + 1) is whole the best quantile is an interval; at a level that is so much lower it
is the lower end alone, the score of exact rank."""

_WEIGHTS = (
    "In thresholds for overlapping groups a new row counts as an average calibration row whatever "
    "its weight, and calibration rows for less than theirs: {rows}; so coverage by weight is "
    "nearly what is promised."
)


@dataclass(frozen=True)
class RuleGroups:
    """Divides objects into those that a rule holds for, and the others."""

    column: str  # the rule as it is written

    def at(self, examples: Examples) -> list[GroupKey]:
        """Return the group of each object, n of them."""
        rule = parse_rule(self.column)
        holds = rule.holds(Table.of(examples.table[[*rule.columns]]))
        return ["inside" if inside else "outside" for inside in holds.tolist()]

    def shown(self, group: GroupKey) -> str:
        """Return a group's name for a reader."""
        return str(group)


@dataclass(frozen=True)
class PatternRule(ThresholdRule):
    """One threshold for each pattern of groups, by which each group has its level.

    For a new object it is its quantile of the nonconformity scores, linear in the indicators of the
    groups, fitted as if the object's own score were the largest: Gibbs, Cherian and Candes (2023),
    "Conformal prediction with conditional guarantees". Without ``divisions`` it is the score of
    exact rank; by one division, or where groups do not overlap, that among the group's own rows.
    """

    divisions: tuple[ColumnGroups | RuleGroups, ...] = ()

    def learn(
        self, scores: FloatArray, examples: Examples, confidence_level: float
    ) -> "PatternThresholds":
        """Learn from the scores of calibration examples, shape (n,)."""
        if np.isnan(scores).any():
            raise ValueError("a calibration score is NaN")
        patterns = self.patterns(examples)
        indicators, n = Indicators.of(patterns), len(scores)
        counting = np.ones(n) if examples.weights is None else examples.weights
        weights = capped(counting, confidence_level)
        above_cap = None if examples.weights is None else int((weights < counting).sum())
        level = float(1 - exact_significance(confidence_level)) - _LOWER_END
        counts = Counter(cell for pattern in patterns for cell in enumerate(pattern))
        quantiles = None
        if n:
            by_pattern = {pattern: indicators.at(pattern) for pattern in dict.fromkeys(patterns)}
            X = np.array([by_pattern[pattern] for pattern in patterns])
            mean = weights.mean()
            quantiles = TiltedQuantiles(X, -_within(scores), level, weights / mean)
        learned = PatternThresholds(
            *(self, confidence_level, {}, np.empty((0, 1))),
            quantiles=quantiles,
            scores=scores,
            indicators=indicators,
            counts=counts,
            above_cap=above_cap,
        )
        return learned.extended(patterns)

    def patterns(self, examples: Examples) -> list[Pattern]:
        """Return the pattern of each object, n of them."""
        if not self.divisions:
            return [()] * len(examples)
        return list(zip(*(by.at(examples) for by in self.divisions), strict=True))

    def count(self, examples: Examples) -> int:
        """Return how many numbers thresholds of these examples are made of."""
        return 1 + len(Indicators.of(self.patterns(examples)).kept)


def _within(scores: FloatArray) -> FloatArray:
    """Return scores with infinite ones beyond the finite ones' ends."""
    finite = scores[np.isfinite(scores)]
    low, high = finite.min(initial=0.0), finite.max(initial=0.0)
    return np.clip(scores, low - (high - low) - 1.0, high + (high - low) + 1.0)


@dataclass(frozen=True)
class Indicators:
    """The indicators of groups in calibration rows, but for those that others make up."""

    columns: Mapping[tuple[int, GroupKey], int]  # by division and group
    kept: list[int]
    made_up: FloatArray  # each column of 1 and those kept, shape (1 + len(kept), len(columns))

    @classmethod
    def of(cls, patterns: Iterable[Pattern]) -> Self:
        """Return those of calibration rows."""
        different = [list(enumerate(pattern)) for pattern in dict.fromkeys(patterns)]
        cells = dict.fromkeys(cell for pattern in different for cell in pattern)
        columns = {cell: place for place, cell in enumerate(cells)}
        whole = np.zeros((len(different), len(columns)))
        for row, pattern in enumerate(different):
            whole[row, [columns[cell] for cell in pattern]] = 1.0
        kept = independent_columns(whole) if columns else []
        basis = np.hstack([np.ones((len(whole), 1)), whole[:, kept]])
        return cls(columns, kept, np.asarray(np.linalg.lstsq(basis, whole)[0], dtype=np.float64))

    def at(self, pattern: Pattern) -> FloatArray | None:
        """Return 1 and the indicators kept, shape (1 + len(kept),), of a pattern.

        None if calibration rows say nothing of it: it has a group without any, or is in one alone
        of two groups that had the same rows.
        """
        cells, whole = list(enumerate(pattern)), np.zeros(len(self.columns))
        if not self.columns.keys() >= {*cells}:
            return None
        whole[[self.columns[cell] for cell in cells]] = 1.0
        found = np.append(1.0, whole[self.kept])
        return found if np.allclose(found @ self.made_up, whole, atol=1e-6) else None


@dataclass(frozen=True, eq=False)
class PatternThresholds(Thresholds):
    """The thresholds of an :class:`PatternRule` rule, ``table`` those of patterns known.

    ``counts`` are the calibration rows of each division's groups; ``above_cap`` counts those whose
    weights are capped, None if they have none.
    """

    quantiles: TiltedQuantiles | None = None  # None without calibration rows
    scores: FloatArray = field(default_factory=lambda: np.empty(0))
    indicators: Indicators = field(default_factory=lambda: Indicators.of(()))
    counts: Mapping[tuple[int, GroupKey], int] = field(default_factory=Counter)
    above_cap: int | None = None
    rule: PatternRule

    def at(self, examples: Examples, *, are_new: bool = True) -> FloatArray:  # noqa: ARG002
        """Return the score from which on labels of these objects are kept, shape (n,)."""
        patterns = self.rule.patterns(examples)
        known = self.extended(patterns)
        rows = np.array([known.place[pattern] for pattern in patterns], dtype=np.intp)
        found: FloatArray = known.table[rows, 0]
        return found

    def extended(self, patterns: Iterable[Pattern]) -> "PatternThresholds":
        """Return them with the thresholds of further patterns."""
        new = [pattern for pattern in dict.fromkeys(patterns) if pattern not in self.place]
        place = {pattern: len(self.place) + at for at, pattern in enumerate(new)}
        found = np.array([self._threshold(pattern) for pattern in new]).reshape(-1, 1)
        return replace(self, place={**self.place, **place}, table=np.vstack([self.table, found]))

    def _threshold(self, pattern: Pattern) -> float:
        x = self.indicators.at(pattern)
        found = None if x is None or self.quantiles is None else self.quantiles.combination(x)
        if found is None:
            return -math.inf
        rows, coefficients = found
        with np.errstate(invalid="ignore"):  # scores that are infinite both ways
            value = float(coefficients @ self.scores[rows])
        return -math.inf if math.isnan(value) else value

    def notes(self, examples: Examples) -> Sequence[Sentence]:
        """Return what limits the promise for these objects."""
        notes, level = [], self.confidence_level
        if self.above_cap is not None:
            notes.append(Sentence("thresholds.nearly", _WEIGHTS, rows=self.above_cap))
        needed = smallest_calibration_size(level)
        for number, by in enumerate(self.rule.divisions):
            of_rows = [group for group in by.at(examples) if self.counts[number, group] < needed]
            notes += small_groups(by.column, [by.shown(group) for group in of_rows], level)
        return notes
