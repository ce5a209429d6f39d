"""A hint, and what it is made of: a table whose columns have roles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..conformal.measures import Task
from ..messages import InputError, Sentence, first_of, in_quotes
from ..tables.columns import Column, coded
from ..tables.table import Table
from .settings import AuditSettings
from .target import detect_task

_OF_ONE = {"s": "s", "are": "is", "they": "it", "them": "it"}
_OF_SEVERAL = {"s": "", "are": "are", "they": "they", "them": "them"}


@dataclass(frozen=True)
class Hint:
    """What was seen in which columns, and the change that mends it, if one option does."""

    kind: str
    columns: tuple[str, ...]
    sentence: Sentence
    changes: Mapping[str, Any] | None
    """Fields of :class:`AuditSettings`, and what they become; of a list, the columns added."""


@dataclass(frozen=True, eq=False)
class TableWithRoles:
    """What finders look at: the rows with a label, and what becomes of the columns."""

    table: Table
    settings: AuditSettings
    asked: Sequence[str]  # the features
    left_out: Mapping[str, str]  # columns that are no features, and why

    @cached_property
    def features(self) -> list[str]:
        """The features that can be computed with: no number is infinite or absurd."""
        return [name for name in self.asked if is_computable(self.table[name])]

    @property
    def label(self) -> Column:
        """The label's column."""
        return self.table[self.settings.target]

    @cached_property
    def task(self) -> Task:
        """What the label is predicted as."""
        task = self.settings.task
        return detect_task(self.label) if task == "auto" else task

    def counts(self, name: str) -> pd.Series:
        """Return how many rows each value of a column has."""
        column = self.table[name]
        if column.holds == "unsupported":
            return pd.Series(dtype=int)
        codes, values = coded(column.series)
        return pd.Series(np.bincount(codes[codes >= 0], minlength=len(values)), index=values)


def hint(
    kind: str,
    columns: Sequence[str],
    template: str,
    changes: Mapping[str, Any] | None,
    /,
    **about: object,
) -> Hint:
    """Return a hint whose words go by how many columns it names."""
    about = {"columns": first_of(in_quotes(columns))} | about
    words = _OF_SEVERAL if len(columns) > 1 else _OF_ONE
    return Hint(kind, tuple(columns), Sentence(f"hint.{kind}", template, **words | about), changes)


def is_computable(column: Column) -> bool:
    """Say whether no number is infinite or absurd, which an audit refuses."""
    try:
        column.check_finite()
    except InputError:
        return False
    return True
