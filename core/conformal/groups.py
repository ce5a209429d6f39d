"""The groups that objects are in by a column of their table."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..rows.examples import Examples
from ..rows.weights import weighted_quantiles, weights_of
from ..tables.columns import Column, check_exists, coded

BANDS = 4
"""Of equally many of the rows that the bands are learned on."""

Group = str | int | None
"""A value as text, the number of a band, or None where the value is missing."""


@dataclass(frozen=True)
class ColumnGroups:
    """Divides objects by a column: by value, or in bands between ``edges``, if there are any."""

    column: str
    edges: tuple[float, ...] = ()

    @classmethod
    def of(cls, column: str, examples: Examples, *, by_value: bool = False) -> Self:
        """Learn bands of a number or date with many values, unless it is to go ``by_value``.

        Raises :class:`InputError` if the examples' table has no such column.
        """
        check_exists([str(name) for name in examples.frame.columns], column)
        found = Column.of(examples.table[column])
        if by_value or not found.is_many_valued:
            return cls(column)
        known = ~np.isnan(found.places)
        weights, shares = weights_of(examples.weights, known), np.arange(1, BANDS) / BANDS
        edges = np.unique(weighted_quantiles(found.places[known], shares, weights))
        return cls(column, tuple(edges.tolist()))

    def at(self, examples: Examples) -> list[Group]:
        """Return the group of each object, n of them."""
        column = examples.table[self.column]
        if not self.edges:
            codes, names = coded(column)
            named: list[Group] = [*names.tolist(), None]
            return [named[code] for code in codes.tolist()]
        places = Column.of(column).places
        bands = np.searchsorted(self.edges, places, side="right").tolist()
        missing = np.isnan(places).tolist()
        return [None if gone else band for band, gone in zip(bands, missing, strict=True)]

    def shown(self, group: Group) -> str:
        """Return a group's name for a reader."""
        if group is None:
            return "(missing)"
        return group if isinstance(group, str) else f"band {group + 1} of {len(self.edges) + 1}"
