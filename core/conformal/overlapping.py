"""Thresholds that promise the level in every one of some groups at once, which may overlap."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd

from ..arrays import FloatArray
from ..messages import Sentence
from ..rows.examples import Examples
from ..scoring.groups import Group
from ..scoring.thresholds import OfPatterns
from .rank import capped, exact_significance
from .thresholds import ColumnGroups, ThresholdRule, Thresholds
from .tilted_quantile import TiltedQuantiles

Cell = tuple[int, Group]  # a division's number, and one of its groups
Pattern = tuple[Cell, ...]  # the groups that an object is in, one by each division

_LOWER_END = 1e-9
"""Where CL (n + 1) is whole the best quantile is an interval; at a level that is so much lower it
is the lower end alone, the score of exact rank."""

_MOST_WRITTEN = 200  # patterns, whose thresholds take .3 s

_NEARLY = (
    "In thresholds for groups a new row counts as an average calibration row, whatever its weight; "
    "so coverage by weight is nearly what is promised."
)


@dataclass(frozen=True)
class PatternRule(ThresholdRule):
    """A threshold for each pattern of groups, by which each group of the divisions has its level.

    That of an object is its quantile of the nonconformity scores, linear in the indicators of the
    groups, see :class:`TiltedQuantiles`. Without divisions it is the score of exact rank; of groups
    that do not overlap, as those of one division, that among the group's own rows.
    """

    divisions: tuple[ColumnGroups, ...] = ()

    def learn(
        self, scores: FloatArray, examples: Examples, confidence_level: float
    ) -> "PatternThresholds":
        """Learn from the scores of calibration examples, shape (n,)."""
        if np.isnan(scores).any():
            raise ValueError("a calibration score is NaN")
        patterns, weights = self.patterns(examples), np.ones(len(scores))
        if examples.weights is not None:
            weights = capped(examples.weights, confidence_level)
        unweighted = replace(examples, weights=None)
        alone = [
            ThresholdRule(by).learn(scores, unweighted, confidence_level) for by in self.divisions
        ]
        cells = [(number, group) for number, each in enumerate(alone) for group in each.place]
        finite = scores[np.isfinite(scores)]
        low, high = finite.min(initial=0.0), finite.max(initial=0.0)
        beyond = high - low + 1.0
        within, X = np.clip(scores, low - beyond, high + beyond), indicators(patterns, cells)
        level = float(1 - exact_significance(confidence_level)) - _LOWER_END
        return PatternThresholds(
            confidence_level=confidence_level,
            place={},
            table=np.empty((0, 1)),
            rule=self,
            scores=scores,
            cells=cells,
            alone=alone,
            quantiles=TiltedQuantiles(X, -within, level, weights),
            with_weights=examples.weights is not None,
        )

    def patterns(self, examples: Examples) -> list[Pattern]:
        """Return the pattern of each object, n of them."""
        by_division = [division.at(examples) for division in self.divisions]
        whole = [(*enumerate(groups),) for groups in zip(*by_division, strict=True)]
        return whole if by_division else [()] * len(examples)

    def count(self, examples: Examples) -> int | None:
        """Return how many numbers thresholds of calibration examples are made of."""
        patterns = set(self.patterns(examples))
        cells = {cell for pattern in patterns for cell in pattern}
        return int(np.linalg.matrix_rank(indicators(patterns, cells)))


def indicators(patterns: Iterable[Pattern], cells: Iterable[Cell]) -> FloatArray:
    """Return 1 and whether each of the cells is in a pattern, shape (n, 1 + number of cells)."""
    place = {cell: 1 + number for number, cell in enumerate(cells)}
    rows: dict[Pattern, FloatArray] = {}
    for pattern in (listed := list(patterns)):
        if pattern not in rows:
            rows[pattern] = np.eye(1, 1 + len(place))[0]
            rows[pattern][[place[cell] for cell in pattern if cell in place]] = 1.0
    return np.array([rows[pattern] for pattern in listed]).reshape(-1, 1 + len(place))


@dataclass(frozen=True, eq=False, kw_only=True)
class PatternThresholds(Thresholds):
    """The thresholds of a :class:`PatternRule`, each worked out when it is asked for.

    ``cells`` are the groups of calibration rows; ``alone`` are thresholds by each division alone,
    whose notes tell which groups are too small for the level.
    """

    scores: FloatArray
    cells: Sequence[Cell]
    alone: Sequence[Thresholds]
    quantiles: TiltedQuantiles
    with_weights: bool
    rule: PatternRule

    def at(self, examples: Examples, *, are_new: bool = True) -> FloatArray:  # noqa: ARG002
        """Return the score from which on labels of these objects are kept, shape (n,)."""
        patterns = self.rule.patterns(examples)
        different = list(dict.fromkeys(patterns))
        X = indicators(different, self.cells)
        found = {p: self._threshold(x) for p, x in zip(different, X, strict=True)}
        return np.array([found[pattern] for pattern in patterns], dtype=np.float64)

    def _threshold(self, x: FloatArray) -> float:
        found = self.quantiles.combination(x)
        if found is None:
            return -math.inf
        rows, coefficients = found
        with np.errstate(invalid="ignore"):  # scores that are infinite both ways
            value = float(coefficients @ self.scores[rows])
        return -math.inf if math.isnan(value) else value

    def written(self, frame: pd.DataFrame) -> OfPatterns:
        """Return those of all patterns of groups as plain values.

        Where these are many, of those that rows of a frame have: others keep every label.
        """
        places = [list(by.place) for by in self.alone]
        every = map(len, places)
        if math.prod(every) <= _MOST_WRITTEN:
            patterns = [(*enumerate(groups),) for groups in product(*places)]
        else:
            rows = Examples(np.empty((len(frame), 0)), np.empty(0), frame, np.arange(len(frame)))
            known = set(self.cells)
            seen = dict.fromkeys(self.rule.patterns(rows))
            patterns = [pattern for pattern in seen if known.issuperset(pattern)]
        X = indicators(patterns, self.cells)
        values = np.array([self._threshold(x) for x in X], dtype=np.float64)
        codes = [[places[number].index(group) for number, group in pattern] for pattern in patterns]
        by = zip(self.rule.divisions, places, strict=True)
        divisions = (*(division.written(groups, frame) for division, groups in by),)
        shape = len(patterns), len(places)
        return OfPatterns(divisions, np.array(codes, dtype=np.int32).reshape(shape), values)

    def notes(self, examples: Examples) -> Sequence[Sentence]:
        """Return what limits the promise for these objects."""
        notes = [note for by in self.alone for note in by.notes(examples)]
        return [*notes, *[Sentence("thresholds.nearly", _NEARLY)] * self.with_weights]
