"""A table: a frame, and the kind of every column, decided once."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import pandas as pd

from ..arrays import BoolArray, IndexArray
from ..errors import InputError
from .columns import Column, Kind, column_kind


@dataclass(frozen=True, eq=False)
class Table:
    """Rows, and what the columns hold, by their names."""

    frame: pd.DataFrame
    kinds: Mapping[str, Kind]
    categorical: frozenset[str] = frozenset()
    """Columns whose numbers are codes."""
    _columns: dict[str, Column] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, frame: "pd.DataFrame | Table", categorical: Collection[str] = ()) -> "Table":
        """Decide what a frame's columns hold, no two of one name; its rows are numbered from 0."""
        if isinstance(frame, Table):
            return cls(frame.frame, frame.kinds, frame.categorical | frozenset(categorical))
        return cls._judged(frame.reset_index(drop=True).rename(columns=str), categorical)

    @classmethod
    def _judged(cls, frame: pd.DataFrame, categorical: Collection[str]) -> Self:
        if not frame.columns.is_unique:
            twice = frame.columns[frame.columns.duplicated()][0]
            sentence = "the table has two columns called '{column}'; rename one"
            raise InputError("columns.same_name", sentence, column=twice)
        kinds = {name: column_kind(frame[name]) for name in frame.columns}
        return cls(frame, kinds, frozenset(categorical))

    def __reduce__(self) -> tuple[object, ...]:
        """Leave out what can be computed again."""
        return type(self), (self.frame, self.kinds, self.categorical)

    def __len__(self) -> int:
        return len(self.frame)

    def __contains__(self, name: str) -> bool:
        return name in self.kinds

    def __getitem__(self, name: str) -> Column:
        if name not in self._columns:
            is_code = name in self.categorical
            self._columns[name] = Column(self.frame[name], self.kinds[name], is_code)
        return self._columns[name]

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return list(self.kinds)

    def rows(self, where: IndexArray | BoolArray, names: Sequence[str] | None = None) -> "Table":
        """Return some of the rows, of the named columns alone; the kinds stay."""
        names = self.names if names is None else names
        kinds = {name: self.kinds[name] for name in names}
        columns = {name: self[name].rows(where) for name in names if name in self._columns}
        return Table(self.frame[[*names]].iloc[where], kinds, self.categorical, columns)

    def labelled(self, target: str) -> "Table":
        """Return the rows that have a label, of which the columns' kinds are judged anew."""
        has_label = self.frame[target].notna()  # rows without one may be notes below the table
        return self if has_label.all() else self._judged(self.frame[has_label], self.categorical)

    def with_column(self, column: Column) -> "Table":
        """Return the table with another column in the place of the one of this name."""
        name = column.name
        frame = self.frame.assign(**{name: column.series})
        kinds, columns = {**self.kinds, name: column.holds}, {**self._columns, name: column}
        return Table(frame, kinds, self.categorical, columns)
