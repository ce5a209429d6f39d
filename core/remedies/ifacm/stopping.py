"""What has to fall with every layer, lest the layers end."""

from abc import ABC, abstractmethod
from typing import ClassVar

from ...coverage.dcv import noise_floor
from ...coverage.diagnosis import cross_fitted_dcv, out_of_fold
from ...rows.examples import Examples
from ...rows.outcomes import Outcomes
from .training_icp import TrainingFigures


class Stopping(ABC):
    """A measure of unevenness that each layer is to lower; ``lowered`` is what it is in words."""

    lowered: ClassVar[str]

    @abstractmethod
    def __call__(
        self, examples: Examples, figures: TrainingFigures, confidence_level: float
    ) -> float:
        """Return it for figures on training examples."""


class TrainingDCV(Stopping):
    """The training DCV, as in Algorithm 2."""

    lowered = "the training DCV"

    def __call__(
        self,
        examples: Examples,  # noqa: ARG002
        figures: TrainingFigures,
        confidence_level: float,  # noqa: ARG002
    ) -> float:
        """Return it."""
        return figures.dcv


class CrossFitted(Stopping):
    """The DCV that estimates of p(x) on other rows can vouch for: layers end before they fit noise.

    At 0 there is nothing left to lower.
    """

    lowered = "the cross-fitted training DCV"

    def __call__(
        self, examples: Examples, figures: TrainingFigures, confidence_level: float
    ) -> float:
        """Return it, by as many fits as there are folds."""
        correct, weights = figures.correct, examples.weights
        outcomes = Outcomes(correct, weights=weights)
        probability = out_of_fold(examples.X, outcomes, figures.estimator)
        return cross_fitted_dcv(probability, outcomes, confidence_level)


class AtFloor(Stopping):
    """The training DCV, but no less than a faultless predictor shows: below it is noise."""

    lowered = "the training DCV above its floor"

    def __call__(
        self, examples: Examples, figures: TrainingFigures, confidence_level: float
    ) -> float:
        """Return it, the floor by the formula for a fit of maximum likelihood."""
        parameters = examples.X.shape[1] + 1
        return max(figures.dcv, noise_floor(parameters, examples.effective, confidence_level))
