"""What scores of objects are, as functions of the label, and the sets that follow."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .arithmetic import FloatArray, adaptive_scores, digests, mixed, uniform_of, unit_of
from .functions import Function, Said
from .outputs import OutputProbabilities
from .plain import DamagedError, Plain

Sets = tuple[NDArray[Any], ...]
"""The lower and the upper ends of intervals, or which labels sets hold, shape (n, K)."""

SetsFor = Callable[[FloatArray], Sets]
"""Returns the sets of n objects for thresholds, (n, width)."""

Start = tuple[FloatArray | None, FloatArray, FloatArray, FloatArray]
_ENDS = 2


@dataclass(frozen=True)
class Form(Plain):
    """What scores of objects are, as functions of the label; each raised by all ``shifts``."""

    shifts: tuple[Function, ...]

    def shifted(self, by: Function) -> Self:
        """Return the form with another shift."""
        return replace(self, shifts=(*self.shifts, by))

    @property
    @abstractmethod
    def functions(self) -> tuple[Function, ...]:
        """All functions that it is made of."""

    @property
    def every(self) -> tuple[Function, ...]:
        """These, and the shifts."""
        return (*self.shifts, *self.functions)

    @abstractmethod
    def sets(self, X: FloatArray, said: Said) -> tuple[NDArray[Any] | None, SetsFor]:
        """Return what is predicted of objects, if anything is, and what gives their sets."""

    def shift(self, X: FloatArray, said: Said) -> FloatArray:
        """Return what is added to the scores of all labels of an object, shape (n,)."""
        total = np.zeros(len(X))
        for each in self.shifts:
            total = total + each.of(X, said)
        return total

    @property
    def said(self) -> tuple[str, ...]:
        """The columns of a model's outputs that it is made of."""
        return tuple(name for each in self.every for name in each.said)

    @property
    def asks_features(self) -> bool:
        """Whether it goes by X, and not by a model's outputs alone."""
        return any(each.asks_features for each in self.every)

    def widths(self, classes: int) -> tuple[int, ...]:  # noqa: ARG002
        """Return how many thresholds an object may have, of a label of so many classes."""
        return (1,)

    def check(self) -> None:
        if any(each.width > 1 for each in self.every):
            raise DamagedError("scores do not fit together")


@dataclass(frozen=True)
class EndsForm(Form):
    """What has intervals, whose ends are units from where they start."""

    @abstractmethod
    def start(self, X: FloatArray, said: Said) -> Start:
        """Return predictions, if any, where two-sided ends start, and their units, (n,) each."""


@dataclass(frozen=True)
class IntervalForm(EndsForm):
    """``log_scale(x) + shift - log|y - center(x)|``; without a scale one width for all."""

    kind: ClassVar[str] = "interval"
    middle: Function
    log_scale: Function | None

    @property
    def functions(self) -> tuple[Function, ...]:
        return (self.middle, *([] if self.log_scale is None else [self.log_scale]))

    def sets(self, X: FloatArray, said: Said) -> tuple[FloatArray, SetsFor]:
        raised, center = self._raised(X, said), self.middle.of(X, said)

        def sets_for(threshold: FloatArray) -> Sets:
            with np.errstate(over="ignore"):
                half = np.exp(raised - threshold[:, 0])
            return center - half, center + half

        return center, sets_for

    def start(self, X: FloatArray, said: Said) -> Start:
        center = self.middle.of(X, said)
        return center, center, center, unit_of(self._raised(X, said))

    def _raised(self, X: FloatArray, said: Said) -> FloatArray:
        scale = np.zeros(len(X)) if self.log_scale is None else self.log_scale.of(X, said)
        return scale + self.shift(X, said)


@dataclass(frozen=True)
class QuantileForm(EndsForm):
    """``min(y - lower(x), upper(x) - y) + shift``."""

    kind: ClassVar[str] = "quantiles"
    lower: Function
    upper: Function

    @property
    def functions(self) -> tuple[Function, ...]:
        return self.lower, self.upper

    def sets(self, X: FloatArray, said: Said) -> tuple[None, SetsFor]:
        lower, upper = self.lower.of(X, said), self.upper.of(X, said)
        shift = self.shift(X, said)

        def sets_for(threshold: FloatArray) -> Sets:
            by = shift - threshold[:, 0]
            return lower - by, upper + by

        return None, sets_for

    def start(self, X: FloatArray, said: Said) -> Start:
        lower, upper = self.sets(X, said)[1](np.zeros((len(X), 1)))
        return None, lower, upper, np.ones(len(X))


@dataclass(frozen=True)
class TwoSidedForm(EndsForm):
    """Those of another form with a threshold for each end, which moves outwards by a function."""

    kind: ClassVar[str] = "two-sided"
    of: EndsForm
    below: Function
    above: Function

    @property
    def functions(self) -> tuple[Function, ...]:
        return (*self.of.every, self.below, self.above)

    def widths(self, classes: int) -> tuple[int, ...]:  # noqa: ARG002
        return (_ENDS,)

    def sets(self, X: FloatArray, said: Said) -> tuple[FloatArray | None, SetsFor]:
        center, lower, upper, unit = self.start(X, said)
        return center, lambda ends: (lower + unit * ends[:, 0], upper - unit * ends[:, 1])

    def start(self, X: FloatArray, said: Said) -> Start:
        center, lower, upper, unit = self.of.start(X, said)
        below, above = (unit * each.of(X, said) for each in (self.below, self.above))
        return center, lower - below, upper + above, unit


@dataclass(frozen=True)
class LabelForm(Form):
    """Log-probabilities of K labels, or what adaptive sets make of them, plus shift."""

    kind: ClassVar[str] = "labels"
    log_probabilities: Function
    adaptive: bool
    never_empty: bool

    @property
    def functions(self) -> tuple[Function, ...]:
        return (self.log_probabilities,)

    def widths(self, classes: int) -> tuple[int, ...]:
        return 1, classes

    def sets(self, X: FloatArray, said: Said) -> tuple[NDArray[np.intp], SetsFor]:
        told = matrix = self.log_probabilities.of(X, said)
        likeliest = told.argmax(axis=1)
        if self.adaptive:
            by, of = X, self.log_probabilities
            if isinstance(of, OutputProbabilities):
                by = of.probabilities(X, said)
            matrix = adaptive_scores(told, uniform_of(mixed(digests(by))))
        if self.never_empty:
            matrix[np.arange(len(X)), likeliest] = np.inf
        scores = matrix + self.shift(X, said)[:, None]
        return likeliest, lambda threshold: (scores >= threshold,)

    def check(self) -> None:
        if any(each.width > 1 for each in self.shifts):
            raise DamagedError("scores do not fit together")
