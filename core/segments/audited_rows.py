"""The test rows of an audit, kept in memory for a closer look."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..arrays import FloatArray, IndexArray
from ..conformal.measures import Task
from ..conformal.rank import CoverageLaw
from ..rows.outcomes import Outcomes, PredictionSets
from ..tables.columns import coded
from ..tables.rules import Rule
from ..tables.table import Table
from .binning import by_rule
from .by_segment import SegmentRow, rows_of_counts
from .grouping import Variable
from .out_of_core import LazySegments
from .tally import Tally
from .worst_segments import WorstSegments


@dataclass(frozen=True, eq=False)
class TestRows:
    """The n test rows, with what each predictor makes of them.

    ``table`` has the columns that segments go by, and the label; ``rows`` are the rows' positions
    in the table that was audited. ``classes`` are in the order of ``LabelSets.members``. By the
    predictor's name, the reference first, are the ``sets`` in the label's own units, their
    ``outcomes``, with sizes of the label standardised, and p(x), shape (n,); ``steps`` are what
    each layer adds to the scores, shape (layers, n). ``searched`` are the rules found in the rows;
    ``law`` is that of a faultless predictor's coverage; ``beside`` are the columns of time and
    weight. ``everywhere`` are all rows, where an engine has them and these are a sample; it is not
    pickled. ``objects``, shape (n, d), are what p(x) was fitted to; None if formulas tell its
    noise.
    """

    table: Table
    rows: IndexArray
    target: str
    task: Task
    classes: tuple[str, ...]
    variables: tuple[Variable, ...]
    sets: Mapping[str, PredictionSets]
    outcomes: Mapping[str, Outcomes]
    probabilities: Mapping[str, FloatArray]
    steps: Mapping[str, FloatArray]
    searched: WorstSegments
    law: CoverageLaw
    beside: Table = field(default_factory=lambda: Table.of(pd.DataFrame()))
    everywhere: LazySegments | None = None
    objects: FloatArray | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave an engine's rows where they are."""
        return vars(self) | {"everywhere": None}

    def coverage(self, predictor: str, rule: Rule) -> SegmentRow:
        """Return a predictor's accuracy where a rule holds.

        Raises :class:`InputError` if the rule does not go together with the columns.
        """
        if self.everywhere is not None:
            partition, tally = self.everywhere.by_rule(rule)
        else:
            partition, tally = by_rule(rule, self.table), Tally.of(self.outcomes[predictor])
        variable = Variable("", "look", partition)
        return rows_of_counts(predictor, [(variable, tally)], self.law.level)[0]

    def size_in_bytes(self) -> int:
        """Return the room the rows take, give or take the texts in them."""
        held: list[Any] = [self.rows, self.objects, *self.steps.values()]
        held += [variable.partition.codes for variable in self.variables]
        held += self.probabilities.values()
        for each in (*self.sets.values(), *self.outcomes.values()):
            held += vars(each).values()
        # arrays that predictors share, such as weights, once
        arrays = {id(each): each.nbytes for each in held if isinstance(each, np.ndarray)}
        return int(self.table.frame.memory_usage().sum()) + sum(arrays.values())


LARGE = 0.05
"""Of all rows, the share that a value has to hold: of many small groups a split leaves most out."""


@dataclass(frozen=True)
class Untested:
    """A value of a column that so many ``rows`` of the table have, but no test row."""

    column: str
    value: str
    rows: int


def untested_values(table: Table, columns: Iterable[str], test: IndexArray) -> list[Untested]:
    """Return those of some columns, most rows first; ``test`` are positions of the test rows."""
    found = []
    for column in columns:
        codes, names = coded(table[column].series)
        tested = np.isin(np.arange(len(names)), codes[test])
        counts = np.bincount(codes[codes >= 0], minlength=len(names))
        found += [
            Untested(column, str(names[value]), int(counts[value]))
            for value in np.flatnonzero(~tested & (counts >= LARGE * len(table)))
        ]
    return sorted(found, key=lambda value: -value.rows)
