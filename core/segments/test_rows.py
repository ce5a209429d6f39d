"""The test rows of an audit, kept in memory for a closer look."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from ..arrays import BoolArray, FloatArray, IndexArray
from ..conformal.measures import Task
from ..conformal.prediction_sets import Outcomes
from ..preparation.target import with_numeric_label
from ..tables.rules.parsing import Rule
from .grouping import Variable


@dataclass(frozen=True, eq=False)
class ObjectSets:
    """One predictor's sets for the test rows.

    Attributes
    ----------
    correct
        Which of them hold their label, shape (n,).
    probability
        The estimated p(x), shape (n,).
    sizes
        Numbers of labels, or widths with the label standardised, shape (n,).
    lower, upper
        Ends of the intervals in the label's own units, shape (n,); None for sets of labels.
    members
        Which labels are in the sets, shape (n, number of labels); None for intervals.
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

    Attributes
    ----------
    frame
        Columns that segments go by, and the label, as they are in the table; n rows.
    rows
        Positions of the rows in the table, from 0, shape (n,).
    classes
        The labels in the order of ``ObjectSets.members``; empty for intervals.
    variables
        What the rows are divided by.
    categorical
        Columns whose numbers are codes.
    sets
        By the predictor's name; the first is the reference.
    steps
        Of the predictors with layers: what each adds to the scores, shape (layers, n).
    """

    frame: pd.DataFrame
    rows: IndexArray
    target: str
    task: Task
    classes: tuple[str, ...]
    variables: tuple[Variable, ...]
    categorical: tuple[str, ...]
    sets: Mapping[str, ObjectSets]
    steps: Mapping[str, FloatArray]

    def outcomes(self) -> dict[str, Outcomes]:
        """Return what became of each predictor's sets."""
        largest = len(self.classes) or math.inf
        return {n: Outcomes(sets.correct, sets.sizes, largest) for n, sets in self.sets.items()}

    def rows_of(self, rule: Rule) -> BoolArray:
        """Say which test rows a rule holds for, as that of a cohort does, shape (n,).

        Raises
        ------
        InputError
            If the rule does not go together with the columns.
        """
        named = self.target in rule.columns
        frame = with_numeric_label(self.frame, self.target, self.task) if named else self.frame
        return rule.holds(frame, self.categorical)

    def size_in_bytes(self) -> int:
        """Return the room the rows take, give or take the texts in them."""
        arrays = [self.rows, *self.steps.values(), *(v.partition.codes for v in self.variables)]
        for sets in self.sets.values():
            arrays += [array for array in vars(sets).values() if array is not None]
        return int(self.frame.memory_usage().sum()) + sum(array.nbytes for array in arrays)
