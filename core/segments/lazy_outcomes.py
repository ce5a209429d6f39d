"""What became of ready-made intervals and sets of labels, said so that an engine can count it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import narwhals as nw
import numpy as np
import pandas as pd

from ..preparation.outputs.label_sets import parse_sets
from ..tables.columns import Column, Kind, as_levels, value_order
from ..tables.lazy import LazyTable
from .by_segment import Tally


@dataclass(frozen=True, eq=False)
class LazyIntervals:
    """Intervals in the columns ``lower`` and ``upper``, and the label in ``target``.

    Widths are in units of ``scale``, the label's deviation.
    """

    rows: LazyTable
    target: str
    lower: str
    upper: str
    scale: float = 1.0

    @property
    def keys(self) -> Mapping[str, nw.Expr]:
        """None: all is summed up."""
        return {}

    @property
    def values(self) -> Mapping[str, nw.Expr]:
        """Which hold their label, widths, and which are infinite; see :class:`IntervalSets`."""
        label, lower, upper = (self.rows.number(c) for c in (self.target, self.lower, self.upper))
        width = nw.when(upper > lower).then(upper - lower).otherwise(0.0)
        size = nw.when(upper.is_finite()).then(width).otherwise(math.inf)
        return {
            "hits": ((lower <= label) & (label <= upper)).cast(nw.Int64),
            "size": size / self.scale,
            "largest": (~(lower.is_finite() & upper.is_finite())).cast(nw.Int64),
        }

    @property
    def odd(self) -> Mapping[str, nw.Expr]:
        """What is counted of odd intervals, by the names of the notes on them."""
        lower, upper = (self.rows.number(column) for column in (self.lower, self.upper))
        is_odd = {
            "infinite": ~(lower.is_finite() & upper.is_finite()),
            "crossed": lower > upper,
            "zero_width": lower == upper,
        }
        return {name: where.cast(nw.Int64).sum() for name, where in is_odd.items()}

    def tally(self, groups: pd.DataFrame) -> Tally:
        """Return what became of the sets of groups."""
        sums = {name: groups[name].to_numpy(np.float64) for name in ("n", *self.values)}
        return Tally(**sums, empty=np.zeros(len(groups)), are_intervals=True)


@dataclass(frozen=True, eq=False)
class LazyLabelSets:
    """Sets of classes as text in the column ``label_set``, and the label in ``target``.

    Rows with the same label and set are counted, and each of the few different sets is read.
    """

    rows: LazyTable
    target: str
    label_set: str
    kinds: Mapping[str, Kind]  # what these columns hold

    @property
    def keys(self) -> Mapping[str, nw.Expr]:
        """The set, and the label."""
        return {"set": self.rows.value(self.label_set), "label": self.rows.value(self.target)}

    @property
    def values(self) -> Mapping[str, nw.Expr]:
        """None: the number of rows is enough."""
        return {}

    def tally(self, groups: pd.DataFrame) -> Tally:
        """Return what became of the sets of groups."""
        labels, texts = as_levels(groups["label"]), as_levels(groups["set"])
        sets = [self._members.get(text, frozenset()) for text in texts]
        held = np.array([name in held for name, held in zip(labels, sets, strict=True)])
        sizes = np.array([len(each) for each in sets], dtype=np.float64)
        n = groups["n"].to_numpy(np.float64)
        full = n * (sizes == len(self.classes))
        return Tally(n, n * held, n * sizes, full, n * (sizes == 0.0), are_intervals=False)

    @cached_property
    def classes(self) -> list[str]:
        """Those that rows have as their label, and those in sets, too."""
        named = {name for members in self._members.values() for name in members}
        return sorted(named | {*as_levels(self._met["label"])}, key=value_order)

    @cached_property
    def _met(self) -> pd.DataFrame:
        return self.rows.by(self.keys, {}, {})

    @cached_property
    def _members(self) -> Mapping[str, frozenset[str]]:
        """The classes in each set, by its text."""
        column = Column(self._met["set"].rename(self.label_set), self.kinds[self.label_set])
        codes, sets = parse_sets(column, as_levels(self._met["label"]).unique().tolist())
        texts = column.levels
        return {
            texts.iloc[row]: frozenset(sets[code]) for row, code in enumerate(codes) if code >= 0
        }
