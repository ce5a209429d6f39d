"""The conformity score of each object, as a function of the label it is paired with.

Scores of true labels, prediction sets, sizes and p-values follow from such functions without
the model being asked again. An adjustment adds one number to the scores of all labels of an
object, which is :meth:`ScoreFunctions.shifted`.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..arrays import BoolArray, FloatArray, IndexArray
from ..inputs import as_codes, as_numbers
from ..rows.examples import Examples
from ..rows.outcomes import IntervalSets, LabelSets, Outcomes, PredictionSets
from ..rows.weights import Weights, weighted_mean
from ..scoring.arithmetic import unit_of
from .rank import conformal_threshold
from .thresholds import Threshold

_ROUNDING = 1e-9  # scores this close to the threshold are tied with it


@dataclass(frozen=True)
class ScoreFunctions(ABC):
    """Conformity scores A(x_i, y) of n objects as functions of the label y.

    ``shift``, shape (n,), is added, last of all, to the scores of all labels of an object.
    """

    shift: FloatArray = field(kw_only=True)

    @abstractmethod
    def at(self, y: NDArray[Any]) -> FloatArray:
        """Return the scores A(x_i, y_i), shape (n,)."""

    def shifted(self, shift: FloatArray) -> Self:
        """Return the functions A(x_i, y) + shift_i, for a shift of shape (n,)."""
        return replace(self, shift=self.shift + shift)

    def part(self, rows: IndexArray) -> Self:
        """Return the functions of some of the objects."""
        return replace(self, **{name: of[rows] for name, of in self._by_object().items()})

    def with_those(self, rows: IndexArray, others: Self) -> Self:
        """Return the functions with others for some of the objects."""
        changed = {name: of.copy() for name, of in self._by_object().items()}
        for name, of in changed.items():
            of[rows] = getattr(others, name)
        return replace(self, **changed)

    def _by_object(self) -> dict[str, FloatArray]:
        return {n: of for n, of in vars(self).items() if np.ndim(of) and n != "classes"}

    def codes_of(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return labels as thresholds by class have them; numbers as they are."""
        return y

    @abstractmethod
    def sets(self, threshold: Threshold) -> PredictionSets:
        """Return for each object the labels whose score is at least ``threshold``."""

    def of_labels(self, threshold: Threshold, y: NDArray[Any]) -> Threshold:  # noqa: ARG002
        """Return what the scores of the labels y_i are to reach: a number, or shape (n,)."""
        return threshold

    def to_learn(self, scores: FloatArray, y: NDArray[Any]) -> FloatArray:  # noqa: ARG002
        """Return what thresholds are learned from, of the scores of labels: these, shape (n,)."""
        return scores

    def from_ends(self) -> "QuantileScores":
        """Return scores of the same intervals that tell how far inside of each end a label is."""
        raise TypeError("these are no scores of intervals")

    def mean_size(self, threshold: Threshold, weights: Weights = None) -> float:
        """Return the mean width, in the units of the label, or number of labels of the sets."""
        return weighted_mean(self.sets(threshold).sizes, weights)

    @property
    def largest_size(self) -> float:
        """The number of all labels; infinite for intervals."""
        return math.inf


@dataclass(frozen=True)
class IntervalScores(ScoreFunctions):
    """A(x, y) = log_scale(x) + shift(x) - log|y - center(x)|, for numeric labels.

    The set at threshold t is the interval ``center +- exp(log_scale + shift - t)``, so adding
    a constant to the score multiplies the interval. ``y == center`` scores ``+inf``.
    """

    center: FloatArray
    log_scale: FloatArray

    def at(self, y: FloatArray) -> FloatArray:
        """Return the scores A(x_i, y_i), shape (n,)."""
        with np.errstate(divide="ignore"):
            return self.log_scale - np.log(np.abs(as_numbers(y) - self.center)) + self.shift

    def sets(self, threshold: Threshold) -> IntervalSets:
        """Return the intervals whose labels score at least ``threshold``."""
        half = self._half_widths(threshold)
        return IntervalSets(self.center - half, self.center + half)

    def mean_size(self, threshold: Threshold, weights: Weights = None) -> float:
        """Return the mean width of the intervals, in the units of the label."""
        return 2.0 * weighted_mean(self._half_widths(threshold), weights)

    def from_ends(self) -> "QuantileScores":
        """Return those of two ends that start from the center."""
        unit, zeros = unit_of(self.log_scale + self.shift), np.zeros(len(self.shift))
        return QuantileScores(self.center, self.center, unit, shift=zeros)

    def _half_widths(self, threshold: Threshold) -> FloatArray:
        half: FloatArray = self.log_scale + self.shift
        half -= threshold
        with np.errstate(over="ignore"):
            return np.exp(half, out=half)


@dataclass(frozen=True)
class QuantileScores(ScoreFunctions):
    """A(x, y) = min(y - lower(x), upper(x) - y) / unit(x) + shift(x), for numeric labels.

    The score of Romano, Patterson and Candes (2019), "Conformalized quantile regression", the
    higher the further y is inside; the set at threshold t is ``[lower - (shift - t), upper + (shift
    - t)]`` in these units, so adding a constant to the score moves both ends by it. Crossed ends
    are of an empty set.
    """

    lower: FloatArray
    upper: FloatArray
    unit: FloatArray | float = 1.0

    def inside(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return how far labels are above the lower and below the upper end, shape (n,) each."""
        y = as_numbers(y)
        with np.errstate(over="ignore"):
            return (y - self.lower) / self.unit, (self.upper - y) / self.unit

    def at(self, y: FloatArray) -> FloatArray:
        """Return the scores A(x_i, y_i), shape (n,)."""
        return np.minimum(*self.inside(y)) + self.shift

    def sets(self, threshold: Threshold) -> IntervalSets:
        """Return the intervals whose labels score at least ``threshold``."""
        out = self.unit * (self.shift - threshold)
        return IntervalSets(self.lower - out, self.upper + out)

    def from_ends(self) -> "QuantileScores":
        """Return them with the shift in the ends."""
        out = self.unit * self.shift
        return replace(self, lower=self.lower - out, upper=self.upper + out, shift=0.0 * out)


@dataclass(frozen=True)
class TwoSidedScores(QuantileScores):
    """The same with thresholds of shape (n, 2), one for each end."""

    def to_learn(self, scores: FloatArray, y: NDArray[Any]) -> FloatArray:  # noqa: ARG002
        """Return how far labels are inside of either end, shape (n, 2)."""
        return np.column_stack(self.inside(y))

    def sets(self, threshold: Threshold) -> IntervalSets:
        """Return the intervals between the two ends."""
        below, above = np.transpose(threshold)
        return IntervalSets(self.lower + self.unit * below, self.upper - self.unit * above)

    def of_labels(self, threshold: Threshold, y: NDArray[Any]) -> Threshold:
        """Return that of the end nearer to the label; infinite if it is beyond the other."""
        (below, above), (low, high) = self.inside(y), np.transpose(threshold)
        nearer, is_right = np.where(below <= above, (low, above >= high), (high, below >= low))
        return np.where(is_right, nearer, np.inf)


@dataclass(frozen=True)
class LabelScores(ScoreFunctions):
    """A(x, y) = matrix[x, y] + shift(x), for K labels; matrix of shape (n, K).

    They are coded 0 .. K-1, or the ``classes``, in this order, shape (K,).
    """

    matrix: FloatArray
    classes: NDArray[Any] | None = None

    def at(self, y: NDArray[Any]) -> FloatArray:
        """Return the scores A(x_i, y_i), shape (n,)."""
        return self._of_labels(self.matrix, y) + self.shift

    def codes_of(self, y: NDArray[Any]) -> IndexArray:
        """Return labels as codes; ValueError if one is none of the K."""
        if self.classes is None:
            return as_codes(y, self.matrix.shape[1])
        codes = pd.Index(self.classes).get_indexer(pd.Index(np.asarray(y)))
        if (codes < 0).any():
            other, known = np.asarray(y)[codes < 0][0], ", ".join(map(str, self.classes))
            raise ValueError(f"y holds '{other}', and the measure knows {known}")
        return np.asarray(codes)

    def all(self) -> FloatArray:
        """Return the scores of every label, shape (n, K)."""
        return self.matrix + self.shift[:, None]

    def sets(self, threshold: Threshold) -> LabelSets:
        """Return the sets of labels that score at least ``threshold``."""
        if np.ndim(threshold) == 1:
            threshold = np.asarray(threshold)[:, None]
        return LabelSets(self.all() >= threshold)

    def of_labels(self, threshold: Threshold, y: NDArray[Any]) -> Threshold:
        """Return what the scores of the labels y_i are to reach: a number, or shape (n,)."""
        if np.ndim(threshold) < 2:  # noqa: PLR2004 - of 2, there is a threshold for each label
            return threshold
        return self._of_labels(np.asarray(threshold), y)

    def _of_labels(self, matrix: FloatArray, y: NDArray[Any]) -> FloatArray:
        found: FloatArray = matrix[np.arange(len(y)), self.codes_of(y)]
        return found

    @property
    def largest_size(self) -> float:
        """The number K of labels."""
        return float(self.matrix.shape[1])


@dataclass(frozen=True, eq=False)
class ScoredExamples:
    """Examples with the scores of any label, and, worked out once, of their own.

    The one place where sets are calibrated and judged: shifted again and again, as by an
    adjustment that is being searched for, nothing is asked of a model or of the labels anew.
    """

    examples: Examples
    functions: ScoreFunctions
    _unshifted: FloatArray  # the scores of their own labels but for the shift, shape (n,)

    @classmethod
    def of(cls, examples: Examples, functions: ScoreFunctions) -> Self:
        """Return examples with their scores; ValueError if they have no labels."""
        unshifted = functions.shifted(-functions.shift).at(examples.labels)
        return cls(examples, functions, unshifted)

    def shifted(self, shift: FloatArray) -> Self:
        """Return them with scores raised by a shift, shape (n,)."""
        return replace(self, functions=self.functions.shifted(shift))

    @property
    def scores(self) -> FloatArray:
        """The scores of their own labels, shape (n,)."""
        return self._unshifted + self.functions.shift

    def threshold(self, confidence_level: float) -> float:
        """Return the one threshold that is calibrated on these examples."""
        return conformal_threshold(self.scores, confidence_level, self.examples.weights)

    def held(self, threshold: Threshold) -> BoolArray:
        """Say for each whether its set holds its label, shape (n,).

        Decided on the scores: an interval's end, computed back from its score, may be off by
        a rounding error, and the label that defines the threshold lies on such an end.
        """
        return self.scores >= self.functions.of_labels(threshold, self.examples.labels)

    def tied(self, threshold: Threshold) -> float:
        """Return the share of those whose label's score is the threshold, but for rounding."""
        own = self.functions.of_labels(threshold, self.examples.labels)
        near = np.isclose(self.scores, own, rtol=_ROUNDING, atol=_ROUNDING)
        return weighted_mean(near & np.isfinite(own), self.examples.weights)

    def mean_size(self, threshold: Threshold) -> float:
        """Return the mean size of the sets."""
        return self.functions.mean_size(threshold, self.examples.weights)

    def outcomes(self, threshold: Threshold) -> tuple[PredictionSets, Outcomes]:
        """Return the sets, and what becomes of them."""
        sets, rows = self.functions.sets(threshold), (self.examples.weights, self.examples.clusters)
        largest = self.functions.largest_size
        return sets, Outcomes(self.held(threshold), sets.sizes, largest, *rows)
