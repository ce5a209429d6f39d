"""From the columns of a table to a design matrix, by rules learned on the training rows."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from ..arrays import BoolArray, FloatArray
from ..messages import InputError, counted, listed, told_apart
from ..rows.dependent_columns import dependent_columns
from ..rows.weights import Weights, total, weighted_mean, weights_of
from ..scoring.arithmetic import standardised
from ..scoring.columns import (
    DATE_PARTS,
    MISSING,
    Design,
    EncodedCategory,
    EncodedNumber,
)
from ..scoring.groups import Values
from ..tables.columns import Column
from ..tables.dates import are_times_of_day, part_name
from ..tables.table import Table

RARE = "(rare)"
RARE_ROWS = 10
RARE_SHARE = 0.005
"""A level with fewer training rows than 10, or than 0.5 % of them, is merged with its like."""

_CONSTANT = "is constant in the training rows"
_TOO_LITTLE = "varies by less than can be computed with"
RARE_ONLY = (
    f"has only rare values, all in fewer than {RARE_ROWS} rows or {100 * RARE_SHARE:g} % of them, "
    "so that it has no effect"
)
_NAMED_MAKERS = 3


@dataclass(frozen=True)
class Unseen:
    """What rows hold in a column that training rows do not: so many values, in so many rows."""

    values: int
    rows: int
    missing: int  # rows with none, which is no value
    taken_for: str


def is_rare(counts: pd.Series, rows: float) -> pd.Series:
    """Say which values, with these counts in so many rows, are too rare to be levels."""
    return counts < max(RARE_ROWS, RARE_SHARE * rows)


class NumberEncoder:
    """The number itself, or a date's days since 1970, month, weekday and hour.

    Of times of day it is the hour alone. Missing values become the training mean, shown by an
    indicator.
    """

    written: EncodedNumber

    def fit(self, column: Column, weights: Weights = None) -> Self:
        """Learn from the training rows of the column."""
        self.date_parts_: tuple[str, ...] = ()
        if column.kind == "date":
            self.date_parts_ = DATE_PARTS[-1:] if are_times_of_day(column.dates) else DATE_PARTS
        made, name = EncodedNumber(column.name, len(self.date_parts_)), column.name
        numbers = made.numbers(_values(column))
        self.means_ = [_known_mean(each, weights) for each in numbers.T]
        known = numbers[~np.isnan(numbers[:, 0]), 0]
        self.written = replace(
            made,
            means=np.array(self.means_),
            has_missing=len(known) < len(numbers),
            low=float(min(known, default=0.0)),
            high=float(max(known, default=0.0)),
        )
        names = [part_name(name, part) for part in self.date_parts_] or [name]
        self.names = names + [f"{name} {MISSING}"] * self.written.has_missing
        return self

    def transform(self, column: Column) -> FloatArray:
        """Return the design columns, shape (n, len(names))."""
        return self.written.encoded(_values(column))

    def unseen(self, column: Column) -> Unseen:
        """Return how often a value is missing where training had none."""
        missing = np.isnan(self.written.numbers(_values(column))[:, 0]).sum()
        return Unseen(0, 0, 0 if self.written.has_missing else int(missing), "the mean")

    def describe(self) -> str:
        """Say what becomes of the column, or why nothing does, in words."""
        what = listed(self.date_parts_) if self.date_parts_ else "the number"
        of_missing = "; the mean where missing, and an indicator of that"
        return what + of_missing * self.written.has_missing


def _values(column: Column) -> Values:
    return column.dates.to_numpy() if column.kind == "date" else column.numbers


class CategoryEncoder:
    """One indicator for each level but the most frequent; missing and rare are levels."""

    def fit(self, column: Column, weights: Weights = None) -> Self:  # noqa: D102
        levels = _levels(column)
        counts: pd.Series = levels.value_counts()
        if weights is not None:
            counts = pd.Series(weights, levels.index).groupby(levels).sum()
        rare = is_rare(counts, total(weights, len(column))) & (counts.index != MISSING)
        merged = pd.Series(np.where(rare, RARE, counts.index), index=counts.index, dtype=object)
        totals = counts.groupby(merged.to_numpy()).sum()
        # value_counts orders ties by appearance, which a reshuffle would change
        self.levels_ = sorted(totals.index, key=lambda level: (-totals[level], level))
        self.codes_ = merged.map({level: code for code, level in enumerate(self.levels_)})
        self.column_ = column.name
        self.names = [f"{column.name}={level}" for level in self.levels_[1:]]
        return self

    def transform(self, column: Column) -> FloatArray:
        """Return the indicators; an unseen level counts as rare, or as the most frequent."""
        return self.written.encoded(column.plain("category"))

    @property
    def _default(self) -> int:
        return self.levels_.index(RARE) if RARE in self.levels_ else 0

    @property
    def written(self) -> EncodedCategory:
        """The encoder as plain values."""
        # rare texts, such as one row's alone, are nobody else's business, and go by themselves
        rare = self._default if RARE in self.levels_ else -1
        codes = self.codes_[self.codes_ != rare]
        about = (*self.levels_,), (*codes.index,), codes.to_numpy(np.int32)
        return EncodedCategory(self.column_, *about, self._default)

    def unseen(self, column: Column) -> Unseen:
        """Return the levels that training did not have."""
        levels = _levels(column)
        new = levels[~levels.isin(self.codes_.index)]
        values = new[new != MISSING]
        common = f"the most frequent value, '{self.levels_[0]}'"
        taken_for = "rare values" if RARE in self.levels_ else common
        return Unseen(values.nunique(), len(values), len(new) - len(values), taken_for)

    def describe(self) -> str:  # noqa: D102
        if not self.names:
            return RARE_ONLY if RARE in self.levels_ else _CONSTANT
        rare = int((self.codes_ == self.levels_.index(RARE)).sum()) if RARE in self.levels_ else 0
        merged = f"; {counted(rare, 'rare value')} merged into one" if rare else ""
        return f"an indicator for each value but '{self.levels_[0]}' ({len(self.names)}){merged}"


def _known_mean(values: FloatArray, weights: Weights) -> float:
    known = ~np.isnan(values)
    return weighted_mean(values[known], weights_of(weights, known)) if known.any() else 0.0


def encoder_for(column: Column, weights: Weights = None) -> NumberEncoder | CategoryEncoder:
    """Return the encoder that suits a column, fitted on it."""
    encoder = NumberEncoder() if column.kind in ("number", "date") else CategoryEncoder()
    return encoder.fit(column, weights)


class TableEncoder(BaseEstimator):  # type: ignore[misc]
    """Encodes the features of a table as standardised, linearly independent columns.

    Everything is learned on the training rows alone, which keeps calibration and test rows
    exchangeable. ``names_`` are those of the d design columns: a number's own name,
    ``column=level``, or ``column (missing)`` for the indicator of a number's missing values;
    ``columns_`` are the table's columns that they use, and ``dropped_`` what was left out, whole
    or in part, and why.
    """

    def __init__(
        self, columns: list[str], learned_on: str = "training rows", *, needs_one: bool = True
    ) -> None:
        self.columns = columns
        self.learned_on = learned_on  # what the rows are called that it is fitted on
        self.needs_one = needs_one  # of the design columns

    def fit(self, table: Table, weights: Weights = None) -> Self:
        """Learn from the training rows; refused if they are too few, or no column is usable."""
        return self.fit_columns(table, weights).fit_matrix(self.encode(table), weights)

    def fit_columns(self, table: Table, weights: Weights = None) -> Self:
        """Learn how each column is encoded; refused if that takes more training rows."""
        self.encoders_ = {name: encoder_for(table[name], weights) for name in self.columns}
        columns = sum(len(encoder.names) for encoder in self.encoders_.values())
        if len(table) <= columns + 1:
            sentence = (
                "{rows} {learned_on} are too few for {columns} encoded feature columns; leave out "
                "columns or supply more {learned_on}"
            )
            about = {"columns": columns, "learned_on": self.learned_on}
            raise InputError("features.too_few_rows", sentence, rows=len(table), **about)
        return self

    def fit_matrix(self, raw: FloatArray, weights: Weights = None) -> Self:
        """Learn the scale of what :meth:`encode` made; refused if no column varies by itself."""
        names = told_apart(name for encoder in self.encoders_.values() for name in encoder.names)
        owners = [column for column, encoder in self.encoders_.items() for _ in encoder.names]
        if weights is None:
            self.mean_, deviation = raw.mean(axis=0), raw.std(axis=0)
        else:
            self.mean_ = weights @ raw / weights.sum()
            deviation = np.sqrt(weights @ (raw - self.mean_) ** 2 / weights.sum())
        equal = np.ptp(raw, axis=0) == 0.0
        constant = equal | (deviation == 0.0)
        self.scale_ = np.where(constant, 1.0, deviation)
        why = f"is constant in the {self.learned_on}"
        out = dict.fromkeys(np.flatnonzero(constant).tolist(), _TOO_LITTLE)
        out |= dict.fromkeys(np.flatnonzero(equal).tolist(), why)
        out |= _combinations((raw - self.mean_) / self.scale_, constant, names)
        self.kept_ = [i for i in range(len(names)) if i not in out]
        self.names_ = [names[i] for i in self.kept_]
        used = {owners[i] for i in self.kept_}
        self.columns_ = [column for column in self.columns if column in used]
        self.dropped_ = [(names[i], out[i]) for i in sorted(out)]
        self.dropped_ += [(c, e.describe()) for c, e in self.encoders_.items() if not e.names]
        if self.needs_one and not self.names_:
            sentence = "no usable feature is left; name at least one that varies"
            raise InputError("features.none", sentence)
        return self

    def transform(self, table: Table) -> FloatArray:
        """Return the design matrix of the rows, shape (n, d)."""
        return self.standardised(self.encode(table))

    def standardised(self, raw: FloatArray) -> FloatArray:
        """Return the design matrix, shape (n, d), from what :meth:`encode` made of the rows."""
        kept = np.array(self.kept_, dtype=np.intp)
        return standardised(raw, kept, self.mean_[kept], self.scale_[kept])

    def written(self) -> Design:
        """Return the encoder as plain values."""
        kept, encoders = np.array(self.kept_, dtype=np.intp), [*self.encoders_.values()]
        owners = np.repeat(np.arange(len(encoders)), [len(each.names) for each in encoders])
        used = np.unique(owners[kept])  # others are not asked of anybody
        there = np.searchsorted(np.flatnonzero(np.isin(owners, used)), kept).astype(np.int32)
        columns = tuple(encoders[place].written for place in used)
        return Design(columns, there, self.mean_[kept], self.scale_[kept])

    def unseen(self, table: Table) -> dict[str, Unseen]:
        """Return, by column, what these rows hold that training gave no way to encode."""
        found = {c: self.encoders_[c].unseen(table[c]) for c in self.columns_ if c in table}
        return {c: unseen for c, unseen in found.items() if unseen.rows or unseen.missing}

    def encode(self, table: Table) -> FloatArray:
        """Return all encoded columns of the rows as they are, shape (n, at least d)."""
        blocks = [encoder.transform(table[c]) for c, encoder in self.encoders_.items()]
        return np.column_stack([np.empty((len(table), 0)), *blocks])


def _combinations(
    standardised: FloatArray, constant: BoolArray, names: list[str]
) -> dict[int, str]:
    """Return the design columns that others make up, by position, and which do."""
    out: dict[int, str] = {}
    varying = np.flatnonzero(~constant)
    for j, makers in dependent_columns(standardised[:, varying]).items():
        what = "a linear function" if len(makers) == 1 else "an exact linear combination"
        named = ", ".join(names[varying[i]] for i in makers[:_NAMED_MAKERS])
        more = ", ..." * (len(makers) > _NAMED_MAKERS)
        out[int(varying[j])] = f"is {what} of {named}{more}"
    return out


def _levels(column: Column) -> pd.Series:
    return column.levels.where(lambda levels: levels.notna(), MISSING)
