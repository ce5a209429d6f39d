"""Algorithm 1: the ICP whose calibration set is the training set itself, and its DCV.

Such an ICP is not valid; it serves only to measure, on the training data, how coverage
depends on the object, so that a conformity measure can be adjusted for it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .dcv import Deviation, deviation
from .estimators import ProbabilityEstimator
from .prediction_sets import BoolArray, FloatArray
from .rank import conformal_threshold
from .scores import ScoreFunctions


@dataclass(frozen=True)
class TrainingFigures:
    """What Algorithm 1 returns, with the fit behind it."""

    correct: BoolArray
    estimator: ProbabilityEstimator
    deviation: Deviation
    inefficiency: float

    @property
    def dcv(self) -> float:
        """DCV on the training set."""
        return self.deviation.value


class TrainingICP:
    """Runs Algorithm 1 for one training set and many shifts of one measure's scores.

    Fits are remembered by the outcomes they were fitted to: the same outcomes give the same
    DCV to the last digit, without which rounding noise would steer a search over an objective
    that is piecewise constant. A new fit sets out from the last one.
    """

    def __init__(
        self,
        functions: ScoreFunctions,
        X: FloatArray,
        y: NDArray[Any],
        *,
        estimator: ProbabilityEstimator,
        confidence_level: float,
    ) -> None:
        self._functions = functions
        self._X = X
        self._y = y
        self._estimator = estimator
        self._confidence_level = confidence_level
        self._fits: dict[bytes, tuple[ProbabilityEstimator, Deviation]] = {}
        self._last: ProbabilityEstimator | None = None
        self.unconverged = 0

    @property
    def fits(self) -> int:
        """Number of different outcomes fitted so far."""
        return len(self._fits)

    def run(self, shift: FloatArray) -> TrainingFigures:
        """Measure the measure whose scores are raised by ``shift``, shape (n,)."""
        functions = self._functions.shifted(shift)
        scores = functions.at(self._y)
        threshold = conformal_threshold(scores, self._confidence_level)
        correct = scores >= threshold
        estimator, deviation_ = self._fit(correct)
        return TrainingFigures(correct, estimator, deviation_, functions.mean_size(threshold))

    def _fit(self, correct: BoolArray) -> tuple[ProbabilityEstimator, Deviation]:
        key = np.packbits(correct).tobytes()
        if key not in self._fits:
            fitted = clone(self._estimator).fit(self._X, correct, start=self._last)
            self._fits[key] = (fitted, deviation(fitted.predict(self._X), self._confidence_level))
            self._last = fitted
            self.unconverged += not fitted.converged_
        return self._fits[key]
