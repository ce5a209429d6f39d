"""Thresholds for each group, each class, or each class in each group: Mondrian predictors."""

from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from ..conformal.measures import ConformityMeasure, Task
from ..conformal.predictor import Fit
from ..conformal.thresholds import ColumnGroups, PartitionRule
from ..events import Listener, StopRequest, ignore, never
from ..rows.examples import Objects, checked_examples
from .base import Remedy, Wanted, fitted_base


class Mondrian(Remedy):
    """The base measure with a threshold for each group by a column of the examples' table.

    Parameters
    ----------
    base
        The measure; a fitted one within ``sklearn.frozen.FrozenEstimator``. An audit gives its own
        where it is None.
    column
        Its values are the groups; of a number with many, bands of equally many training rows.
    by_value
        Whether such a number goes by value, too.

    Examples
    --------
    >>> import pandas as pd
    >>> from evencover.core import AuditSettings, Mondrian, audit
    >>> rows = pd.DataFrame({"x": [i % 50 for i in range(400)], "side": ["a", "b"] * 200})
    >>> rows["y"] = rows["x"] * [1.0 + i % 7 for i in range(400)]
    >>> audit(rows, AuditSettings(target="y"), remedies=[Mondrian(column="side")]).names
    ['base', 'mondrian:side']
    """

    title: ClassVar[str] = "Mondrian"
    guarantee: ClassVar[str] = (
        "For the rows of each group by themselves its sets hold the label with the promised "
        "probability, if calibration rows and new rows of that group are exchangeable."
    )
    wants: ClassVar[Wanted] = "column"
    takes_weights: ClassVar[bool] = True
    threshold_rule_: PartitionRule

    def __init__(
        self,
        base: ConformityMeasure | None = None,
        column: str | None = None,
        *,
        by_value: bool = False,
    ) -> None:
        self.base = base
        self.column = column
        self.by_value = by_value

    def fit(
        self,
        X: Objects,
        y: NDArray[Any] | None = None,
        *,
        on_event: Listener = ignore,  # noqa: ARG002
        should_stop: StopRequest = never,  # noqa: ARG002
    ) -> Self:
        """Fit the base measure, and what groups there are, on training examples."""
        examples = checked_examples(self, X, y, fitting=True)
        self.base_ = fitted_base(self.base, examples)
        groups = None
        if self.column is not None:
            groups = ColumnGroups.of(self.column, examples, by_value=self.by_value)
        self.fit_ = Fit(terms=None)
        self.threshold_rule_ = PartitionRule(groups, self._classes(examples))
        return self

    @property
    def threshold_rule(self) -> PartitionRule:
        """What learns a threshold for each group or class."""
        return self.threshold_rule_

    def _classes(self, examples: Objects) -> int | None:  # noqa: ARG002
        """Return the number of classes that have thresholds of their own."""
        return None


class LabelConditional(Mondrian):
    """The base measure with a threshold for each class, or for each class in each group."""

    title: ClassVar[str] = "label-conditional"
    guarantee: ClassVar[str] = (
        "For the rows of each class by themselves, and in each group if there are groups, its sets "
        "hold the label with the promised probability, if calibration rows and new rows of that "
        "class are exchangeable."
    )
    tasks: ClassVar[tuple[Task, ...]] = ("classification",)
    wants: ClassVar[Wanted] = "column or nothing"

    def _classes(self, examples: Objects) -> int | None:
        return int(self.base_.score_functions(examples).largest_size)
