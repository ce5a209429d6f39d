"""The test rows of an audit, kept in memory for a closer look."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from ..arrays import BoolArray, FloatArray, IndexArray
from ..conformal.coverage_law import CoverageLaw
from ..conformal.measures import Task
from ..conformal.prediction_sets import Outcomes
from ..tables.rules.conditions import Rule
from ..tables.table import Table
from ..weights import Weights
from .grouping import Variable
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
class AuditedObjects:
    """The n test rows, with what each predictor makes of them.

    ``table`` has the columns that segments go by, and the label; ``rows`` are the rows' positions
    in the table that was audited, from 0. ``classes`` are in the order of ``ObjectSets.members``;
    empty for intervals. ``sets`` are by the predictor's name, the first is the reference;
    ``steps``, of predictors with layers, are what each layer adds to the scores, shape (layers, n).
    ``searched`` are the rules found in the rows. ``clusters`` are as those of
    :class:`DependentRows`; ``law`` is that of a faultless predictor's coverage.
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
