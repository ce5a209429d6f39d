"""What IFACM's steps are chosen from: updates, penalties on wider sets, ends, and searches.

A new penalty or search is one class and one line here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize
from scipy.special import logit

from ...arrays import FloatArray
from ...conformal.measures import Task
from ...coverage.dcv import noise_floor
from ...coverage.diagnosis import cross_fitted_dcv, out_of_fold
from ...rows.examples import Examples
from ...rows.outcomes import Outcomes
from .training_icp import TrainingFigures


class UpdateFunction(ABC):
    """U(x): positive where p(x) is below the confidence level, negative where above."""

    @abstractmethod
    def __call__(
        self, probability: FloatArray, confidence_level: float, delta: float
    ) -> FloatArray:
        """Return U for estimated probabilities of correctness, in a new array of shape (n,)."""


class SignUpdate(UpdateFunction):
    """+1 where p < CL - delta, -1 where p > CL + delta, else 0 (the paper's U*)."""

    def __call__(
        self, probability: FloatArray, confidence_level: float, delta: float
    ) -> FloatArray:
        """Return U, in a new array of shape (n,)."""
        too_low = probability < confidence_level - delta
        too_high = probability > confidence_level + delta
        return np.subtract(too_low, too_high, dtype=np.float64)


class LogOddsUpdate(UpdateFunction):
    """The gap ``logit(CL) - logit(p)`` in units of delta, clipped at -1 and 1.

    It is the sign update as delta goes to 0, and in proportion to the gap where delta is large.
    """

    def __call__(
        self, probability: FloatArray, confidence_level: float, delta: float
    ) -> FloatArray:
        """Return U, in a new array of shape (n,)."""
        with np.errstate(divide="ignore", over="ignore"):
            gap = logit(confidence_level) - logit(probability)
            gap /= delta
        return np.clip(gap, -1.0, 1.0, out=gap)


class Penalty(ABC):
    """What an increase in inefficiency counts in the objective ``DCV + C * penalty``."""

    tasks: ClassVar[tuple[Task, ...]] = ("regression", "classification")

    @abstractmethod
    def __call__(self, increase: float, largest_size: float) -> float:
        """Return what an increase ``W - W_0 > 0`` of the mean set size or width counts.

        ``largest_size`` is the size of the set of all labels; infinite for intervals.
        """


class LinearPenalty(Penalty):
    """``W - W_0``, the paper's eq. (opt1)."""

    def __call__(self, increase: float, largest_size: float) -> float:  # noqa: ARG002
        """Return the increase."""
        return increase


class SquaredPenalty(Penalty):
    """``(W - W_0)**2``, by which the paper's results would be minima of its objective."""

    def __call__(self, increase: float, largest_size: float) -> float:  # noqa: ARG002
        """Return the increase squared."""
        return increase * increase


class PerLabelPenalty(Penalty):
    """``(W - W_0) / K`` for K labels, likewise consistent with the paper's results."""

    tasks = ("classification",)

    def __call__(self, increase: float, largest_size: float) -> float:
        """Return the increase as a share of the number of labels."""
        return increase / largest_size


PENALTY_FORMS: dict[str, type[Penalty]] = {
    "linear": LinearPenalty,
    "squared": SquaredPenalty,
    "per-label": PerLabelPenalty,
}
"""By name; the first is the paper's printed form."""


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


Objective = Callable[[float, float], float]
"""Of gamma and delta, both positive; sees every point, and so can keep the best."""

Round = Callable[[Objective, int], None]
"""Looks for the least of an objective, with a bound on the evaluations from each start."""

Start = tuple[float, float]
"""For (log gamma, log delta)."""

PAPER_START: Start = (-5.0, -5.0)

MORE_STARTS: tuple[Start, ...] = ((-2.0, -5.0), (-3.0, -7.0))
"""With a larger gamma, and a smaller delta, than the paper's start has."""

FIRST_STEP = 0.5
"""R's rule for the first simplex, a tenth of the largest coordinate. SciPy's default of 5 %
hardly moves off the start, around which no prediction set changes."""

LARGEST_LOGARITHM = 100.0
"""Beyond it a parameter no longer changes which sets are correct, and would overflow."""


def nelder_mead(objective: Objective, max_evaluations: int, start: Start = PAPER_START) -> None:
    """Minimise ``objective(gamma, delta)`` over positive numbers by Nelder-Mead.

    Whoever supplies the objective sees every point and keeps the best, of which there may be
    several where it is piecewise constant.
    """
    simplex = np.vstack([start, start + FIRST_STEP * np.eye(len(start))])

    def of_logarithms(point: FloatArray) -> float:
        gamma, delta = np.exp(np.minimum(point, LARGEST_LOGARITHM))
        return objective(float(gamma), float(delta))

    minimize(
        of_logarithms,
        simplex[0],
        method="Nelder-Mead",
        options={
            "initial_simplex": simplex,
            "maxfev": max_evaluations,
            "xatol": 1e-4,
            "fatol": 1e-8,
        },
    )


def _from_more_starts(objective: Objective, max_evaluations: int) -> None:
    for start in MORE_STARTS:
        nelder_mead(objective, max_evaluations, start)


class Search:
    """A way to look for a layer, in rounds: the next is for when the last found no layer."""

    rounds: ClassVar[tuple[Round, ...]]
    starts: ClassVar[int] = 1  # of all rounds together


class PaperSearch(Search):
    """Nelder-Mead from the paper's start, and the layers end where it finds none."""

    rounds = (nelder_mead,)


class RestartedSearch(Search):
    """The paper's search and, when that finds no further layer, Nelder-Mead from two more starts.

    Its layers begin with those of the paper's search. From where that ends they go on, each to
    lower the objective, so that what it ends with is never worse.
    """

    rounds = (nelder_mead, _from_more_starts)
    starts = 1 + len(MORE_STARTS)


SEARCHES: dict[str, type[Search]] = {"restarted": RestartedSearch, "paper": PaperSearch}
"""By name; the first is an audit's default."""
