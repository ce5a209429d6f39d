"""The test rows of an audit, kept in memory for a closer look."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from ..arrays import BoolArray, FloatArray, IndexArray
from ..conformal.measures import Task
from ..conformal.prediction_sets import Outcomes
from ..tables.rules.conditions import Rule
from ..tables.table import Table
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
    table
        Columns that segments go by, and the label; n rows.
    rows
        Positions of the rows in the table, from 0, shape (n,).
    classes
        The labels in the order of ``ObjectSets.members``; empty for intervals.
    variables
        What the rows are divided by.
    sets
        By the predictor's name; the first is the reference.
    steps
        Of the predictors with layers: what each adds to the scores, shape (layers, n).
    """

    table: Table
    rows: IndexArray
    target: str
    task: Task
    classes: tuple[str, ...]
    variables: tuple[Variable, ...]
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
