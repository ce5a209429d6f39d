"""What the test rows are divided by: columns, the label, and chosen pairs of these."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from .errors import InputError
from .label import as_numeric
from .measures import Task
from .names import told_apart
from .partitions import Partition, by_value, crossed, filled, partition_column
from .roles import check_exists
from .settings import AuditSettings
from .split import IndexArray

VariableKind = Literal["column", "pair", "label"]
"""Whether segments go by a column, by two, or by the label, alone or in a pair."""


@dataclass(frozen=True)
class Variable:
    """A division of the test rows: ``partition.codes`` has shape (n_test,)."""

    name: str
    kind: VariableKind
    partition: Partition


class SegmentVariables:
    """All that test rows are divided by, checked at once and divided one at a time.

    Coverage given the label is told beside coverage given the columns, but it is another thing:
    a predictor sees the object alone, and nothing promises the level for each label.

    Parameters
    ----------
    frame
        The rows with a label.
    columns
        Its columns to divide by.
    train, test
        Positions of the sets in ``frame``.
    settings
        Names the label, and says pairs, bins, cut points and reference groups.
    task
        A label of classes is divided by class, a numeric one as any number.

    Raises
    ------
    InputError
        If a pair, cut point or reference group names what has no segments, cut points are given
        for what holds no numbers, or a reference group is none of the variable's segments.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        columns: Sequence[str],
        train: IndexArray,
        test: IndexArray,
        settings: AuditSettings,
        task: Task,
    ) -> None:
        self._frame, self._train, self._test = frame, train, test
        self._settings, self._task = settings, task
        label = settings.target
        parts: list[tuple[VariableKind, tuple[str, ...]]] = [
            *(("column", (column,)) for column in columns),
            ("label", (label,)),
            *(("label" if label in pair else "pair", pair) for pair in settings.pairs),
        ]
        self._check_have_segments([*columns, label])
        names = told_apart(" × ".join(map(self._shown, part)) for _, part in parts)
        self._parts = dict(zip(names, parts, strict=True))
        for column in dict(settings.cuts):
            self._partition(column)
        self._check_references()

    def __iter__(self) -> Iterator[Variable]:
        for name, (kind, parts) in self._parts.items():
            yield Variable(name, kind, self._of_test_rows(parts))

    def _shown(self, column: str) -> str:
        return f"label: {column}" if column == self._settings.target else column

    def _of_test_rows(self, parts: tuple[str, ...]) -> Partition:
        partition = self._partition(parts[0])
        if len(parts) == 1:
            return Partition(partition.names, partition.codes[self._test])
        return filled(crossed(partition, self._partition(parts[1])), self._test)

    def _partition(self, name: str) -> Partition:
        column, label = self._frame[name], self._settings.target
        cuts = dict(self._settings.cuts).get(name, ())
        if name == label and self._task == "classification" and not cuts:
            return by_value(column, self._train)
        if name == label and self._task == "regression":
            column = as_numeric(column)
        return partition_column(column, self._train, bins=self._settings.bins, cuts=cuts)

    def _check_have_segments(self, columns: Sequence[str]) -> None:
        settings = self._settings
        asked = {
            "the pairs": [name for pair in settings.pairs for name in pair],
            "the cut points": [name for name, _ in settings.cuts],
        }
        for what, names in asked.items():
            for name in names:
                check_exists(list(map(str, self._frame.columns)), name)
                if name not in columns:
                    raise InputError(
                        f"column '{name}' of {what} has no segments, as it is neither a feature "
                        "nor audit-only; give it one of these roles"
                    )

    def _check_references(self) -> None:
        for name, group in self._settings.reference:
            check_exists(list(self._parts), name, "variable")
            groups = self._of_test_rows(self._parts[name][1]).names
            if group not in groups:
                raise InputError(
                    f"'{name}' has no segment '{group}' to be the reference; its segments are "
                    f"{', '.join(groups[:30])}"
                )
