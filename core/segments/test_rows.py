"""The test rows of an audit, kept in memory for a closer look."""

from dataclasses import dataclass

import pandas as pd

from ..arrays import BoolArray, FloatArray, IndexArray
from ..conformal.measures import Task
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
    """The n test rows, with what two predictors make of them.

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
    steps
        What each layer of the adjustment adds to the scores, shape (number of layers, n).
    """

    table: Table
    rows: IndexArray
    target: str
    task: Task
    classes: tuple[str, ...]
    variables: tuple[Variable, ...]
    base: ObjectSets
    adjusted: ObjectSets
    steps: FloatArray

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
        arrays = [self.rows, self.steps, *(v.partition.codes for v in self.variables)]
        for sets in (self.base, self.adjusted):
            arrays += [array for array in vars(sets).values() if array is not None]
        return int(self.frame.memory_usage().sum()) + sum(array.nbytes for array in arrays)
