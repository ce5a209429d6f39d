"""Thresholds for each group, class, or class in a group, by Mondrian; or for overlapping groups."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ..conformal.measures import ConformityMeasure, Fit, Task
from ..conformal.overlapping import PatternRule
from ..conformal.thresholds import ColumnGroups, ThresholdRule
from ..events import Listener, StopRequest
from ..messages import Names, Sentence
from ..rows.examples import Examples
from ..scoring.forms import Form
from .base import Remedy, Wanted, fitted_base

MOST_GROUPS = 100
"""Of 6,000 calibration rows, 1,000 patterns of so many groups take 3 s, and of 200 take 40 s."""

_MERGED = (
    "Groups of {columns}: {count}. The {most} with the most training rows have the level each; "
    "what else there is of a column is one group."
)


class Mondrian(Remedy):
    """The base measure with a threshold for each group by a column of the examples' table.

    Outside of an audit that is the DataFrame, of numbers, that objects are given as.

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
    by_class: ClassVar[bool] = False  # whether each class has a threshold of its own
    threshold_rule_: ThresholdRule

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

    def adjust(self, examples: Examples, on_event: Listener, should_stop: StopRequest) -> Fit:  # noqa: ARG002
        """Learn what groups and classes there are."""
        self.base_ = fitted_base(self.base, examples)
        groups = None
        if self.column is not None:
            groups = ColumnGroups.of(self.column, examples, by_value=self.by_value)
        functions = self.base_.score_functions(examples)
        classes = int(functions.largest_size) if self.by_class else None
        self.threshold_rule_ = ThresholdRule(groups, classes)
        return Fit(terms=None)

    def written(self) -> Form:
        """Return the base measure as plain values."""
        return self.base_.written()

    @property
    def threshold_rule(self) -> ThresholdRule:
        """What learns a threshold for each group or class."""
        return self.threshold_rule_


class LabelConditional(Mondrian):
    """The base measure with a threshold for each class, or for each class in each group.

    >>> import numpy as np
    >>> from evencover.core import InductiveConformalPredictor, LabelConditional, ScoringMeasure
    >>> X, y = np.linspace(-1.0, 1.0, 200)[:, None], np.repeat([0, 1], [160, 40])
    >>> icp = InductiveConformalPredictor(LabelConditional(ScoringMeasure())).fit(X, y)
    >>> icp.calibrate(X, y).thresholds_.table.shape  # and -inf for rows of no known group
    (2, 2)
    """

    title: ClassVar[str] = "label-conditional"
    guarantee: ClassVar[str] = (
        "For the rows of each class by themselves, and in each group if there are groups, its sets "
        "hold the label with the promised probability, if calibration rows and new rows of that "
        "class are exchangeable."
    )
    tasks: ClassVar[tuple[Task, ...]] = ("classification",)
    wants: ClassVar[Wanted] = "column or nothing"
    by_class: ClassVar[bool] = True


class OverlappingGroups(Mondrian):
    """The base measure with thresholds by which each of several columns' groups has its level.

    In place of one of the ``columns`` may stand a rule, such as "age >= 65", or the name of one of
    the ``cohorts``, rules by their names; ``codes`` are columns that go by value though they are
    numbers with many. Of more than 100 groups those with fewest training rows are one for each
    column. See :class:`evencover.core.conformal.overlapping.PatternRule`.
    """

    title: ClassVar[str] = "thresholds for groups"
    guarantee: ClassVar[str] = (
        "For the rows of each named group by themselves, even where groups overlap, its sets hold "
        "the label with at least the promised probability, on average over draws of calibration "
        "rows, if these and new rows are exchangeable; for where groups meet nothing is promised. "
        "Thresholds differ by group."
    )
    wants: ClassVar[Wanted] = "columns"

    def __init__(
        self,
        base: ConformityMeasure | None = None,
        columns: Sequence[str] = (),
        *,
        cohorts: Mapping[str, str] | None = None,
        codes: Collection[str] = (),
    ) -> None:
        self.base = base
        self.columns = columns
        self.cohorts = cohorts
        self.codes = codes

    def adjust(self, examples: Examples, on_event: Listener, should_stop: StopRequest) -> Fit:  # noqa: ARG002
        """Learn what groups there are."""
        self.base_ = fitted_base(self.base, examples)
        rules = [(self.cohorts or {}).get(named, named) for named in self.columns]
        groups = [ColumnGroups.of(by, examples, by_value=by in self.codes) for by in rules]
        notes = [Sentence("groups.promise", self.guarantee)]
        counts = Counter((by, group) for by in groups for group in by.at(examples))
        if len(counts) > MOST_GROUPS:
            kept = {group for group, _ in counts.most_common(MOST_GROUPS)}
            groups = [replace(b, kept=frozenset(g for by, g in kept if by == b)) for b in groups]
            about = {"columns": Names(self.columns), "count": len(counts), "most": MOST_GROUPS}
            notes.append(Sentence("groups.merged", _MERGED, **about))
        self.threshold_rule_ = PatternRule(divisions=(*groups,))
        return Fit(terms=None, notes=notes)
