"""The test rows of an audit, kept in memory for a closer look."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arrays import BoolArray, FloatArray, IndexArray
from ..conformal.coverage_law import CoverageLaw
from ..conformal.measures import Task
from ..rows.dependence import DependentRows
from ..rows.outcomes import Outcomes
from ..rows.weights import Weights
from ..tables.rules import Rule
from ..tables.table import Table
from .binning import by_rule
from .by_segment import SegmentRow, Tally, rows_of_counts
from .grouping import Variable
from .out_of_core import LazySegments
from .search.worst_segments import WorstSegments


@dataclass(frozen=True, eq=False)
class ObjectSets:
    """One predictor's sets for the n test rows; arrays have shape (n,) but for ``members``.

    ``correct`` says which hold their label, ``probability`` is the estimated p(x), ``sizes`` are
    numbers of labels, or widths with the label standardised. ``lower`` and ``upper`` are ends of
    intervals in the label's own units, None for sets of labels, whose ``members`` have shape (n,
    number of labels).
    """

    correct: BoolArray
    probability: FloatArray
    sizes: FloatArray
    lower: FloatArray | None
    upper: FloatArray | None
    members: BoolArray | None


@dataclass(frozen=True, eq=False)
class TestRows:
    """The n test rows, with what each predictor makes of them.

    ``table`` has the columns that segments go by, and the label; ``rows`` are the rows' positions
    in the table that was audited, from 0. ``classes`` are in the order of ``ObjectSets.members``;
    empty for intervals. ``sets`` are by the predictor's name, the first is the reference;
    ``steps``, of predictors with layers, are what each layer adds to the scores, shape (layers, n).
    ``searched`` are the rules found in the rows. ``clusters`` are as those of
    :class:`DependentRows`; ``law`` is that of a faultless predictor's coverage. ``everywhere`` are
    all rows, where an engine has them and these are a sample; it is not pickled.
    """

    table: Table
    rows: IndexArray
    target: str
    task: Task
    classes: tuple[str, ...]
    variables: tuple[Variable, ...]
    sets: Mapping[str, ObjectSets]
    steps: Mapping[str, FloatArray]
    searched: WorstSegments
    clusters: IndexArray | None
    law: CoverageLaw
    weights: Weights = None
    everywhere: LazySegments | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave an engine's rows where they are."""
        return vars(self) | {"everywhere": None}

    def coverage(self, predictor: str, rule: Rule | None) -> SegmentRow:
        """Return a predictor's accuracy where a rule holds; without one, in all rows.

        Raises :class:`InputError` if the rule does not go together with the columns.
        """
        dependent = None
        if self.everywhere is not None:
            partition, tally = self.everywhere.by_rule(rule)
        else:
            found = self.outcomes()[predictor]
            holds = np.ones(len(self.rows), dtype=bool) if rule is None else self.rows_of(rule)
            partition, tally = by_rule(rule, holds), Tally.of(found)
            dependent = DependentRows(found.correct, self.clusters, weights=self.weights)
        variable = Variable("", "look", partition)
        return rows_of_counts(predictor, [(variable, tally)], self.law.level, dependent)[0]

    def outcomes(self) -> dict[str, Outcomes]:
        """Return what became of each predictor's sets."""
        largest = len(self.classes) or math.inf
        return {
            name: Outcomes(sets.correct, sets.sizes, largest, self.weights)
            for name, sets in self.sets.items()
        }

    def rows_of(self, rule: Rule) -> BoolArray:
        """Say which test rows a rule holds for, as that of a cohort does, shape (n,).

        Raises :class:`InputError` if the rule does not go together with the columns.
        """
        return rule.holds(self.table)

    def rule_of(self, variable: str, value: str) -> str | None:
        """Return a rule for exactly the test rows of a segment; None where there is none."""
        partition = next(each for each in self.variables if each.name == variable).partition
        rule = partition.rules[partition.names.index(value)]
        return None if rule is None else str(rule)

    @property
    def frame(self) -> pd.DataFrame:
        """The values of the table."""
        return self.table.frame

    def size_in_bytes(self) -> int:
        """Return the room the rows take, give or take the texts in them."""
        arrays = [self.rows, *self.steps.values(), *(v.partition.codes for v in self.variables)]
        for sets in self.sets.values():
            arrays += [array for array in vars(sets).values() if array is not None]
        return int(self.frame.memory_usage().sum()) + sum(array.nbytes for array in arrays)
