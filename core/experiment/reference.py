"""What a saved predictor keeps of its calibration and test rows, so that newer ones are watched."""

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..arrays import BoolArray
from ..conformal.predictor import MeasurePredictor
from ..conformal.rank import nested_levels
from ..conformal.thresholds import ColumnGroups
from ..preparation.prepare import PreparedData
from ..scoring.columns import part_named
from ..scoring.groups import OTHERS, ByRule
from ..scoring.predictor import SavedPredictor
from ..scoring.reference import Reference, WatchedColumn, WatchedGroup
from ..segments.binning import OUTSIDE
from ..segments.statistics import FEWEST_JUDGED
from ..segments.under_coverage import TOO_LOW
from ..tables.grammar import parse_rule
from ..tables.plain_columns import plain_columns
from ..tables.rules import Rule
from .result import Examination

_MOST_COLUMNS, _MOST_VALUES = 50, 7


@dataclass(frozen=True, eq=False)
class References:
    """Makes the references of a run's predictors, which have most of it in common."""

    found: Examination
    data: PreparedData
    _known: dict[str, WatchedColumn] = field(default_factory=dict)

    @cached_property
    def groups(self) -> list[tuple[ByRule, BoolArray]]:
        """The groups to watch, and which test rows are to be counted of each, shape (n,)."""
        rows = self.found.test_rows
        assert rows is not None  # noqa: S101 - of an audit that has just been
        kinds = ("inside", "outside")
        return [
            (ByRule(str(rule), kinds, rule.written(rows.table)), inside)
            for rule, inside in _groups(self.found).items()
        ]

    def of(
        self, saved: SavedPredictor, predictor: MeasurePredictor, *, is_drawn: bool
    ) -> Reference:
        """Return that of a predictor; by ranks of calibration rows, if ``is_drawn`` by one."""
        rows, settings = self.found.test_rows, self.found.settings
        assert rows is not None  # noqa: S101 - of an audit that has just been
        correct = rows.outcomes[saved.name].correct
        scores, level = predictor.calibration_scores_, saved.confidence_level
        levels, ranks = nested_levels(scores, level) if is_drawn else ((), ())
        groups = (WatchedGroup(by, *_counts(correct[inside])) for by, inside in self.groups)
        alike = settings["group"] or settings["time"] or ""
        worth = min(1.0, self.found.drift.rows_effective / len(correct))
        columns = (*map(self._column, self._columns(saved)),)
        return Reference(levels, ranks, *_counts(correct), (*groups,), columns, alike, worth)

    def _columns(self, saved: SavedPredictor) -> list[str]:
        """Return the columns to watch: all that it takes but dates, which never stay."""
        known = self.data.table
        named = [name for name in saved.columns if name in known and not part_named(name)[0]]
        return [name for name in named if known[name].holds != "date"][:_MOST_COLUMNS]

    def _column(self, name: str) -> WatchedColumn:
        if name not in self._known:
            self._known[name] = _column(name, self.data)
        return self._known[name]


def _counts(correct: BoolArray) -> tuple[int, int]:
    """Return how many rows are held and missed."""
    held = int(correct.sum())
    return held, len(correct) - held


def _groups(found: Examination) -> dict[Rule, BoolArray]:
    """Return the groups to watch, and which test rows are to be counted of each, shape (n,).

    They are those that were named beforehand, and those that any predictor of the run left clearly
    too low. Rows that a rule was found by say nothing of it.
    """
    rows = found.test_rows
    assert rows is not None  # noqa: S101 - of an audit that has just been
    groups, partitions = dict[Rule, BoolArray](), {v.name: v.partition for v in rows.variables}
    for row in found.segments:
        is_wanted = row.status in TOO_LOW or (
            row.named and row.kind in ("column", "pair", "cohort")
        )
        if row.rule and is_wanted and row.value != OUTSIDE and row.n >= FEWEST_JUDGED:
            groups[parse_rule(row.rule)] = partitions[row.variable].rows(row.value)
    for low in found.worst_segments:
        if low.status in TOO_LOW:
            inside = rows.searched.holds[low.rule] & rows.searched.judging
            groups.setdefault(parse_rule(low.rule), inside)
    return groups


def _column(name: str, data: PreparedData) -> WatchedColumn:
    """Return how calibration and test rows fall into bands, or values, that training rows tell."""
    groups = ColumnGroups.of(name, data.learning)
    if not groups.edges:
        most = Counter(groups.at(data.learning)).most_common(_MOST_VALUES)
        # rarer texts may be a single person's
        often = (group for group, rows in most if rows >= FEWEST_JUDGED or group is None)
        groups = replace(groups, kept=frozenset(often))
    bands = [*range(len(groups.edges) + 1)] if groups.edges else [*(groups.kept or ()), OTHERS]
    division = groups.written((*sorted({*bands} - {None}, key=str), None), data.table.frame)
    rows = np.concatenate([data.calibration.rows, data.test.rows])
    codes = division.codes(plain_columns(data.table.rows(rows, [name])))
    codes[codes < 0] = len(division.groups)
    return WatchedColumn(
        division, (*np.bincount(codes, minlength=len(division.groups) + 1).tolist(),)
    )
