"""Functions of an object that scores are made of: linear, by boosted trees, by layers.

A new one is one class here. The d features come as X, shape (n, d), and what a model of somebody's
own said as columns by their names.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import chain, pairwise
from typing import ClassVar

import numpy as np

from .arithmetic import (
    UPDATES,
    FloatArray,
    held,
    linear_predictor,
    log_softmax,
    sigmoid,
    with_a_column,
    with_pairs,
)
from .plain import Array, DamagedError, Plain, Whole

Said = Mapping[str, FloatArray]  # by the names of columns, shape (n,) each

_ROWS = 25_000  # whose features stay in the cache as one tree after the other looks at them


@dataclass(frozen=True)
class Function(Plain):
    """A number for each of n objects, shape (n,), or several, shape (n, K)."""

    @abstractmethod
    def of(self, X: FloatArray, said: Said) -> FloatArray:
        """Return the numbers."""

    @property
    def width(self) -> int:
        """How many numbers there are of an object."""
        return 1

    def check_features(self, count: int) -> None:
        """Raise :class:`DamagedError` if it is none of so many features."""
        for part in self.parts:
            part.check_features(count)

    @property
    def said(self) -> tuple[str, ...]:
        """The columns of a model's outputs that it is made of."""
        return tuple(chain.from_iterable(part.said for part in self.parts))

    @property
    def asks_features(self) -> bool:
        """Whether it goes by X, and not by a model's outputs alone."""
        parts = [*self.parts]
        return not parts or any(part.asks_features for part in parts)

    @property
    def parts(self) -> "Iterator[Function]":
        """The functions that it is made of."""
        for each in fields(self):
            value = getattr(self, each.name)
            of = value if isinstance(value, tuple) else (value,)
            yield from (part for part in of if isinstance(part, Function))


@dataclass(frozen=True)
class Constant(Function):
    """The same for all."""

    kind: ClassVar[str] = "constant"
    value: float

    def of(self, X: FloatArray, said: Said) -> FloatArray:  # noqa: ARG002
        return np.full(len(X), self.value)


@dataclass(frozen=True)
class Linear(Function):
    """Linear in the features; with ``cut``, in these and in products of every two, cut there."""

    kind: ClassVar[str] = "linear"
    slopes: Array
    intercept: float
    cut: float | None = None

    def of(self, X: FloatArray, said: Said) -> FloatArray:  # noqa: ARG002
        columns = X if self.cut is None else with_pairs(X, self.cut)
        return linear_predictor(columns, self.slopes, self.intercept)

    def check_features(self, count: int) -> None:
        needed = count if self.cut is None else count + count * (count + 1) // 2
        if self.slopes.shape != (needed,) or not np.isfinite(self.slopes).all():
            raise DamagedError("slopes do not fit the features")


@dataclass(frozen=True)
class Trees(Function):
    """Boosted trees, whose leaves add up to K numbers, from each number's own ``start``.

    All nodes stand one behind the other, those of a tree from its place in ``roots`` on, the root
    first. ``left`` and ``right`` are counted from there; of a leaf they are 0. Other nodes send an
    object to the left if its feature is at most ``values``, which of a leaf is what it adds. Trees
    of the K numbers take turns.
    """

    kind: ClassVar[str] = "trees"
    start: Array
    roots: Whole
    values: Array
    features: Whole
    left: Whole
    right: Whole

    @property
    def width(self) -> int:
        return len(self.start)

    def of(self, X: FloatArray, said: Said) -> FloatArray:  # noqa: ARG002
        X, found = with_a_column(X), np.empty((len(X), self.width))
        found[:] = self.start
        for first in range(0, len(X), _ROWS):
            columns = np.ascontiguousarray(X[first : first + _ROWS].T)
            sums, added = found[first : first + _ROWS], np.empty(columns.shape[1])
            for number, (begin, end) in enumerate(pairwise([*self.roots, len(self.values)])):
                self._descend(columns, slice(begin, end), added)
                sums[:, number % self.width] += added
        return found if self.width > 1 else found[:, 0]

    def _descend(self, columns: FloatArray, nodes: slice, added: FloatArray) -> None:
        """Set what the leaves of a tree add to the objects, columns of shape (d, n)."""
        of_tree = self.values, self.features, self.left, self.right
        values, features, left, right = (each[nodes].tolist() for each in of_tree)
        waiting = [(0, np.arange(len(added)))]
        while waiting:
            node, rows = waiting.pop()
            if not left[node]:
                added[rows] = values[node]
            elif len(rows):
                is_left = columns[features[node]].take(rows) <= values[node]
                waiting += (left[node], rows[is_left]), (right[node], rows[~is_left])

    def check(self) -> None:
        n, own = len(self.values), np.arange(len(self.values))
        shapes = {each.shape for each in (self.values, self.features, self.left, self.right)}
        roots = self.roots
        fits = shapes == {(n,)} and self.start.ndim == roots.ndim == 1 and len(self.start) > 0
        fits = fits and len(roots) % len(self.start) == 0 and bool(np.isfinite(self.start).all())
        fits = fits and (len(roots) == 0) == (n == 0)
        if not fits or (n and (roots[0] or (np.diff(roots) <= 0).any() or roots[-1] >= n)):
            raise DamagedError("trees do not fit together")
        sizes = np.diff([*roots.tolist(), n])
        within, size = own - np.repeat(roots, sizes), np.repeat(sizes, sizes)
        is_leaf = (self.left == 0) & (self.right == 0)
        is_node = np.minimum(self.left, self.right) > within  # forward alone, so that it ends
        is_node &= np.maximum(self.left, self.right) < size
        if not (is_leaf | is_node).all() or not np.isfinite(self.values[is_leaf]).all():
            raise DamagedError("a tree leads to where there is no leaf")

    def check_features(self, count: int) -> None:
        if ((self.features < 0) | (self.features >= max(count, 1))).any():
            raise DamagedError("a tree asks for a feature that is not there")


@dataclass(frozen=True)
class Several(Function):
    """Functions side by side."""

    kind: ClassVar[str] = "several"
    each: tuple[Function, ...]

    @property
    def width(self) -> int:
        return len(self.each)

    def of(self, X: FloatArray, said: Said) -> FloatArray:
        return np.column_stack([one.of(X, said) for one in self.each])


_STEPS: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "negative": np.negative,
    "exp": np.exp,
    "log": np.log,
    "sigmoid": sigmoid,
    "held": held,
}


@dataclass(frozen=True)
class Through(Function):
    """A function's numbers, step by step made into others."""

    kind: ClassVar[str] = "through"
    function: Function
    steps: tuple[str, ...]

    def of(self, X: FloatArray, said: Said) -> FloatArray:
        found = self.function.of(X, said)
        with np.errstate(divide="ignore", over="ignore"):
            for step in self.steps:
                found = _STEPS[step](found)
        return found

    def check(self) -> None:
        if not {*self.steps} <= {*_STEPS} or self.function.width > 1:
            raise DamagedError("a function goes through steps that are not known")


@dataclass(frozen=True)
class LogProbabilities(Function):
    """Those of K classes by the log-odds of some, ``places``; of one number, of the second of two.

    A class that is not among them has the probability 0.
    """

    kind: ClassVar[str] = "log-probabilities"
    odds: Function
    places: Whole
    classes: int

    @property
    def width(self) -> int:
        return self.classes

    def of(self, X: FloatArray, said: Said) -> FloatArray:
        odds = self.odds.of(X, said)
        matrix = np.full((len(X), self.classes), -np.inf, order="F")
        matrix[:, self.places] = log_probabilities(odds)
        return matrix

    def check(self) -> None:
        known = self.places[(self.places >= 0) & (self.places < self.classes)]
        known_odds = self.odds.width if self.odds.width > 1 else 2
        if self.places.shape != (known_odds,) or len(np.unique(known)) < known_odds:
            raise DamagedError("classes do not fit together")


def log_probabilities(odds: FloatArray) -> FloatArray:
    """Return those of classes by their log-odds, shape (n, K), or by those of the second of two."""
    if odds.ndim == 1:
        odds = np.column_stack([np.zeros(len(odds)), odds])
    return log_softmax(odds)


@dataclass(frozen=True)
class Layer(Plain):
    """One of IFACM's: ``gamma * U(p(x); delta)``."""

    gamma: float
    delta: float
    probability: Function


@dataclass(frozen=True)
class Layers(Function):
    """The sum of IFACM's layers, by an update U of a name and a confidence level."""

    kind: ClassVar[str] = "layers"
    update: str
    level: float
    layers: tuple[Layer, ...]

    @property
    def parts(self) -> Iterator[Function]:
        return (layer.probability for layer in self.layers)

    def of(self, X: FloatArray, said: Said) -> FloatArray:
        shift, update = np.zeros(len(X)), UPDATES[self.update]
        for layer in self.layers:
            step = update(layer.probability.of(X, said), self.level, layer.delta)
            step *= layer.gamma
            shift += step
        return shift

    def check(self) -> None:
        if self.update not in UPDATES or any(part.width > 1 for part in self.parts):
            raise DamagedError("layers are of an unknown kind")
