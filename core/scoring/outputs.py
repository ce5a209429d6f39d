"""What a model of somebody's own said of objects, by columns that come with them."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..messages import InputError
from .arithmetic import FloatArray
from .functions import Function, Said
from .plain import DamagedError, Whole

SMALLEST = 2.0**-1000  # a spread, which in units of the label's scale may be less than any number


class _OfOutputs(Function):
    asks_features = False


@dataclass(frozen=True)
class Output(_OfOutputs):
    """A number in the label's units, standardised as labels are, of their logarithm if asked.

    ``by`` says which model says it, if that is known: its name, library, version and features.
    """

    kind: ClassVar[str] = "output"
    column: str
    mean: float
    scale: float
    logarithmic: bool
    by: str = ""

    @property
    def said(self) -> tuple[str, ...]:
        return (self.column,)

    def of(self, X: FloatArray, said: Said) -> FloatArray:  # noqa: ARG002
        values = said[self.column]
        check_all(self.column, np.isfinite(values), "holds no number")
        if self.logarithmic:
            check_all(self.column, values > 0.0, "holds a number that has no logarithm")
            values = np.log(values)
        return (values - self.mean) / self.scale


@dataclass(frozen=True)
class OutputSpread(_OfOutputs):
    """The logarithm of a spread about a prediction, in units of the label's scale.

    One of 0 counts as ``least``. With the column ``by`` of predictions, of a log label, it is that
    of their logarithm.
    """

    kind: ClassVar[str] = "output-spread"
    column: str
    by: str | None
    scale: float
    least: float

    @property
    def said(self) -> tuple[str, ...]:
        return (self.column, *filter(None, [self.by]))

    def of(self, X: FloatArray, said: Said) -> FloatArray:  # noqa: ARG002
        values = said[self.column]
        check_all(self.column, values >= 0.0, "holds no spread")
        sigma = np.where(values == 0.0, self.least, values)
        by_scale = (sigma if self.by is None else sigma / said[self.by]) / self.scale
        return np.log(np.maximum(by_scale, SMALLEST))


@dataclass(frozen=True)
class OutputProbabilities(_OfOutputs):
    """The logarithms of probabilities of K classes, each by a column, or all but one."""

    kind: ClassVar[str] = "output-probabilities"
    columns: tuple[str, ...]
    places: Whole
    classes: int
    by: str = ""

    @property
    def said(self) -> tuple[str, ...]:
        return self.columns

    @property
    def width(self) -> int:
        return self.classes

    def of(self, X: FloatArray, said: Said) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.log(self.probabilities(X, said))

    def probabilities(self, X: FloatArray, said: Said) -> FloatArray:
        """Return the probabilities, shape (n, K)."""
        matrix = np.zeros((len(X), self.classes))
        for column, place in zip(self.columns, self.places.tolist(), strict=True):
            values = said[column]
            off = (values >= -EXACT) & (values <= 1.0 + EXACT)
            check_all(column, off, "holds no probability from 0 to 1")
            matrix[:, place] = np.clip(values, 0.0, 1.0)
        if len(self.columns) == 1:
            (place,) = self.places.tolist()
            matrix[:, 1 - place] = 1.0 - matrix[:, place]
        return rescaled(self.columns[0], matrix)

    def check(self) -> None:
        of_one = len(self.columns) == 1 and self.classes == 2 and self.places.tolist() in ([0], [1])  # noqa: PLR2004
        if not of_one and sorted(self.places.tolist()) != [*range(self.classes)]:
            raise DamagedError("probabilities do not fit the classes")
        if self.places.shape != (len(self.columns),):
            raise DamagedError("probabilities do not fit the classes")


EXACT, ROUNDING = 1e-6, 0.005
"""A sum of probabilities of two decimals may be off by ``ROUNDING`` for each."""


def rescaled(column: str, matrix: FloatArray) -> FloatArray:
    """Return probabilities, shape (n, K), whose rows sum to 1 but for rounding, so that they do."""
    sums = matrix.sum(axis=1)
    off = np.abs(sums - 1.0)
    near = off <= ROUNDING * matrix.shape[1] + EXACT
    check_all(column, near, "holds, with the columns beside it, probabilities that do not sum to 1")
    rounded = off > EXACT
    matrix[rounded] /= sums[rounded, None]
    return matrix


def check_all(column: str, fits: "np.ndarray[tuple[int], np.dtype[np.bool_]]", what: str) -> None:
    """Raise InputError that names the first row, counted from 1, which does not fit."""
    if not fits.all():
        row = int(np.argmin(fits)) + 1
        sentence = "column '{column}' " + what + " in row {row}; mend it, or leave that row out"
        raise InputError("saved.output", sentence, column=column, row=row)
