"""Algorithm 1: the ICP whose calibration set is the training set itself, and its DCV.

Such an ICP is not valid; it only measures, on the training data, how coverage depends on the
object, so that a conformity measure can be adjusted for it.
"""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from ...arrays import BoolArray, FloatArray
from ...conformal.scores import ScoredExamples, ScoreFunctions
from ...coverage.dcv import deviation
from ...coverage.estimators import ProbabilityEstimator
from ...rows.examples import Examples

KnownFits = dict[bytes, tuple[ProbabilityEstimator, float]]
"""Estimators and the DCV that they show, by a digest of the outcomes that they were fitted to."""


@dataclass(frozen=True)
class TrainingFigures:
    """What Algorithm 1 returns, with the fit behind it."""

    correct: BoolArray
    estimator: ProbabilityEstimator
    dcv: float
    inefficiency: float


class TrainingICP:
    """Runs Algorithm 1 for one training set and many shifts of one measure's scores.

    Fits are remembered by the outcomes they were fitted to: the same outcomes give the same
    DCV to the last digit, without which rounding noise would steer a search over an objective
    that is piecewise constant, and three evaluations of four need no fit. Those ``known`` from
    another one of the same training set are remembered, too.
    """

    def __init__(
        self,
        examples: Examples,
        functions: ScoreFunctions,
        *,
        estimator: ProbabilityEstimator,
        confidence_level: float,
        known: KnownFits | None = None,
    ) -> None:
        self._scored = ScoredExamples.of(examples, functions)
        self._fit_again = estimator.fits(examples.X, examples.weights)
        self._confidence_level, self._weights = confidence_level, examples.weights
        self._known: KnownFits = {} if known is None else known
        self.unconverged = 0

    @property
    def fits(self) -> int:
        """Number of different outcomes fitted so far."""
        return len(self._known)

    def run(self, shift: FloatArray) -> TrainingFigures:
        """Measure the measure whose scores are raised by ``shift``, shape (n,)."""
        scored = self._scored.shifted(shift)
        threshold = scored.threshold(self._confidence_level)
        correct = scored.held(threshold)
        return TrainingFigures(correct, *self.fit(correct), scored.mean_size(threshold))

    def fit(self, correct: BoolArray) -> tuple[ProbabilityEstimator, float]:
        """Return the estimator fitted on these outcomes, and the DCV it shows."""
        # a digest: at a million rows the outcomes of hundreds of fits would outweigh the data
        key = blake2b(np.packbits(correct).tobytes(), digest_size=32).digest()
        if key not in self._known:
            fitted, probability = self._fit_again(correct)
            found = deviation(probability, self._confidence_level, self._weights)
            self._known[key] = (fitted, found.value)
            self.unconverged += not fitted.converged_
        return self._known[key]
