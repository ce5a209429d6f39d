"""From the columns of a table to a design matrix, by rules learned on the training rows."""

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from ..arrays import BoolArray, FloatArray
from ..errors import InputError
from ..messages import told_apart
from ..tables.columns import as_levels, as_numbers, column_kind
from ..tables.dates import PARTS, date_parts, to_dates
from .collinearity import dependent_columns

MISSING = "(missing)"
RARE = "(rare)"
RARE_ROWS = 10
RARE_SHARE = 0.005
"""A level with fewer training rows than 10, or than 0.5 % of them, is merged with its like."""

_CONSTANT = "is constant in the training rows"
_RARE_ONLY = (
    f"has only rare values, all in fewer than {RARE_ROWS} rows or {100 * RARE_SHARE:g} % of them"
)
_NAMED_MAKERS = 3


class ColumnEncoder(ABC):
    """Turns one column of a table into columns of the design matrix."""

    names: list[str]

    @abstractmethod
    def fit(self, column: pd.Series) -> Self:
        """Learn from the training rows of the column."""

    @abstractmethod
    def transform(self, column: pd.Series) -> FloatArray:
        """Return the design columns, shape (n, len(names))."""

    @abstractmethod
    def unseen(self, column: pd.Series) -> int:
        """Return how many values the training rows gave no way to encode."""

    @abstractmethod
    def describe(self) -> str:
        """Say what becomes of the column, or why nothing does, in words."""


class NumberEncoder(ColumnEncoder):
    """The number itself; missing ones become the training mean, told by an indicator."""

    def fit(self, column: pd.Series) -> Self:
        """Learn mean and missingness from the training rows of the column."""
        values = as_numbers(column)
        self.mean_ = float(np.nanmean(values)) if np.isfinite(values).any() else 0.0
        self.missing_ = bool(np.isnan(values).any())
        self.names = [str(column.name)] + [f"{column.name} {MISSING}"] * self.missing_
        return self

    def transform(self, column: pd.Series) -> FloatArray:
        """Return the numbers and, if training had missing ones, the indicator."""
        values = as_numbers(column)
        missing = np.isnan(values)
        filled = np.where(missing, self.mean_, values)
        return np.column_stack([filled, missing] if self.missing_ else [filled])

    def unseen(self, column: pd.Series) -> int:
        """Return the number of missing values where training had none."""
        return 0 if self.missing_ else int(np.isnan(as_numbers(column)).sum())

    def describe(self) -> str:
        """Say what becomes of the column, in words."""
        return _with_missing("the number", missing=self.missing_)


class DateEncoder(ColumnEncoder):
    """A date's days since 1970, month, weekday and hour; missing ones as for numbers."""

    def fit(self, column: pd.Series) -> Self:
        """Learn means and missingness from the training rows of the column."""
        self.parts_ = [NumberEncoder().fit(part) for part in _parts(column)]
        # one indicator tells of the date's absence from all its parts
        self.names = [name for encoder in self.parts_ for name in encoder.names[:1]]
        self.missing_ = self.parts_[0].missing_
        self.names += [f"{column.name} {MISSING}"] * self.missing_
        return self

    def transform(self, column: pd.Series) -> FloatArray:
        """Return the parts and, if training had missing dates, the indicator."""
        parts = _parts(column)
        filled = [e.transform(p)[:, 0] for e, p in zip(self.parts_, parts, strict=True)]
        return np.column_stack([*filled, *[parts[0].isna()] * self.missing_])

    def unseen(self, column: pd.Series) -> int:
        """Return the number of missing dates where training had none."""
        return self.parts_[0].unseen(_parts(column)[0])

    def describe(self) -> str:
        """Say what becomes of the column, in words."""
        *parts, last = PARTS
        return _with_missing(f"{', '.join(parts)} and {last}", missing=self.missing_)


class CategoryEncoder(ColumnEncoder):
    """One indicator for each level but the most frequent; missing and rare are levels."""

    def fit(self, column: pd.Series) -> Self:
        """Learn the levels from the training rows of the column."""
        counts = _levels(column).value_counts()
        rare = (counts < max(RARE_ROWS, RARE_SHARE * len(column))) & (counts.index != MISSING)
        merged = pd.Series(np.where(rare, RARE, counts.index), index=counts.index, dtype=object)
        totals = counts.groupby(merged.to_numpy()).sum()
        # value_counts orders ties by appearance, which a reshuffle would change
        self.levels_ = sorted(totals.index, key=lambda level: (-totals[level], level))
        self.codes_ = merged.map({level: code for code, level in enumerate(self.levels_)})
        self.names = [f"{column.name}={level}" for level in self.levels_[1:]]
        return self

    def transform(self, column: pd.Series) -> FloatArray:
        """Return the indicators; an unseen level counts as rare, or as the most frequent."""
        default = self.levels_.index(RARE) if RARE in self.levels_ else 0
        codes = _levels(column).map(self.codes_).fillna(default).to_numpy(dtype=np.intp)
        indicators: FloatArray = np.eye(len(self.levels_))[codes, 1:]
        return indicators

    def unseen(self, column: pd.Series) -> int:
        """Return the number of values whose level training did not have."""
        return int((~_levels(column).isin(self.codes_.index)).sum())

    def describe(self) -> str:
        """Say what becomes of the column, or why nothing does, in words."""
        if not self.names:
            return _RARE_ONLY if RARE in self.levels_ else _CONSTANT
        rare = int((self.codes_ == self.levels_.index(RARE)).sum()) if RARE in self.levels_ else 0
        merged = f"; {rare} rare values merged into one" if rare else ""
        return f"an indicator for each value but '{self.levels_[0]}' ({len(self.names)}){merged}"


def encoder_for(column: pd.Series, *, categorical: bool = False) -> ColumnEncoder:
    """Return the encoder that suits a column, fitted on it."""
    encoders = {"number": NumberEncoder, "date": DateEncoder}
    kind = "category" if categorical else column_kind(column)
    return encoders.get(kind, CategoryEncoder)().fit(column)


class TableEncoder(BaseEstimator):  # type: ignore[misc]
    """Encodes the features of a table as standardised, linearly independent columns.

    Everything is learned on the training rows alone, which keeps calibration and test rows
    exchangeable.

    Parameters
    ----------
    columns
        The columns to encode.
    categorical
        Those of them to treat as categories although they are numbers.

    Attributes
    ----------
    names_ : list of str
        Names of the d design columns: a number's own name, ``column=level``, or
        ``column (missing)`` for the indicator of a number's missing values.
    columns_ : list of str
        The columns of the table that the design matrix uses.
    mean_, scale_ : ndarray
        By which the encoded columns are standardised.
    dropped_ : list of (str, str)
        Columns left out, whole or in part, and why.
    """

    def __init__(self, columns: list[str], categorical: frozenset[str] = frozenset()) -> None:
        self.columns = columns
        self.categorical = categorical

    def fit(self, frame: pd.DataFrame) -> Self:
        """Learn from the training rows.

        Raises
        ------
        InputError
            If there are not more training rows than design columns, or no usable column.
        """
        self.encoders_ = {name: self._encoder(frame[name]) for name in self.columns}
        names = told_apart(name for encoder in self.encoders_.values() for name in encoder.names)
        owners = [column for column, encoder in self.encoders_.items() for _ in encoder.names]
        if len(frame) <= len(names) + 1:
            raise InputError(
                f"{len(frame)} training rows are too few for {len(names)} encoded feature columns; "
                "leave out columns or enlarge the training set"
            )
        raw = self._encode(frame)
        self.mean_, deviation = raw.mean(axis=0), raw.std(axis=0)
        constant = (np.ptp(raw, axis=0) == 0.0) | (deviation == 0.0)
        self.scale_ = np.where(constant, 1.0, deviation)
        out = _reasons((raw - self.mean_) / self.scale_, constant, names)
        self.kept_ = [i for i in range(len(names)) if i not in out]
        self.names_ = [names[i] for i in self.kept_]
        used = {owners[i] for i in self.kept_}
        self.columns_ = [column for column in self.columns if column in used]
        self.dropped_ = [(names[i], out[i]) for i in sorted(out)]
        self.dropped_ += [(c, e.describe()) for c, e in self.encoders_.items() if not e.names]
        if not self.names_:
            raise InputError("no usable feature is left; name at least one that varies")
        return self

    def transform(self, frame: pd.DataFrame) -> FloatArray:
        """Return the design matrix of the rows, shape (n, d)."""
        standardised = (self._encode(frame) - self.mean_) / self.scale_
        return np.ascontiguousarray(standardised[:, self.kept_])

    def unseen(self, frame: pd.DataFrame) -> dict[str, int]:
        """Return, by column, how many values of these rows training gave no way to encode."""
        counts = {c: self.encoders_[c].unseen(frame[c]) for c in self.columns_}
        return {column: count for column, count in counts.items() if count}

    def _encoder(self, column: pd.Series) -> ColumnEncoder:
        return encoder_for(column, categorical=column.name in self.categorical)

    def _encode(self, frame: pd.DataFrame) -> FloatArray:
        blocks = [encoder.transform(frame[c]) for c, encoder in self.encoders_.items()]
        return np.column_stack([np.empty((len(frame), 0)), *blocks])


def _with_missing(what: str, *, missing: bool) -> str:
    return what + "; the mean where missing, and an indicator of that" * missing


def _reasons(standardised: FloatArray, constant: BoolArray, names: list[str]) -> dict[int, str]:
    """Return the design columns to leave out, by position, and why."""
    out = dict.fromkeys(np.flatnonzero(constant).tolist(), _CONSTANT)
    varying = np.flatnonzero(~constant)
    for j, makers in dependent_columns(standardised[:, varying]).items():
        out[int(varying[j])] = _dependence([names[varying[i]] for i in makers])
    return out


def _dependence(makers: list[str]) -> str:
    if len(makers) == 1:
        return f"is a linear function of {makers[0]}"
    named = ", ".join(makers[:_NAMED_MAKERS]) + (", ..." if len(makers) > _NAMED_MAKERS else "")
    return f"is an exact linear combination of {named}"


def _parts(column: pd.Series) -> list[pd.Series]:
    parts = date_parts(to_dates(column))
    return [
        pd.Series(parts[:, i], index=column.index, name=f"{column.name} ({part})")
        for i, part in enumerate(PARTS)
    ]


def _levels(column: pd.Series) -> pd.Series:
    levels = as_levels(column)
    return levels.where(levels.notna(), MISSING)
