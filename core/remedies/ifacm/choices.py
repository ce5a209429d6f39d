"""What IFACM's steps are chosen from: updates, penalties on wider sets, ends, and searches.

A new penalty or search is one line of a table here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize

from ...arrays import FloatArray
from ...conformal.measures import Task
from ...coverage.dcv import noise_floor
from ...coverage.diagnosis import cross_fitted_dcv, out_of_fold
from ...rows.examples import Examples
from ...rows.outcomes import Outcomes
from .layer_search import Objective, Round, TrainingFigures

Update = Callable[[FloatArray, float, float], FloatArray]
"""U of p(x), shape (n,), a confidence level and delta, in a new array of shape (n,): positive where
p(x) is below the level, negative where above."""


@dataclass(frozen=True)
class Penalty:
    """What an increase in inefficiency counts in the objective ``DCV + C * penalty``."""

    squared: bool = False
    per_label: bool = False

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Those that it serves."""
        return ("classification",) if self.per_label else ("regression", "classification")

    def __call__(self, increase: float, largest_size: float) -> float:
        """Return what an increase ``W - W_0 > 0`` of the mean set size or width counts.

        ``largest_size`` is the size of the set of all labels; infinite for intervals.
        """
        counted = increase * increase if self.squared else increase
        return counted / largest_size if self.per_label else counted


PENALTY_FORMS = {
    "linear": Penalty(),
    "squared": Penalty(squared=True),
    "per-label": Penalty(per_label=True),
}
"""By name; the first is the paper's printed form, eq. (opt1).

With either of the others the paper's results would be minima of its objective.
"""


class Stopping:
    """A measure of unevenness that each layer is to lower: the training DCV, as in Algorithm 2."""

    lowered: ClassVar[str] = "the training DCV"

    def __call__(
        self,
        examples: Examples,  # noqa: ARG002
        figures: TrainingFigures,
        confidence_level: float,  # noqa: ARG002
    ) -> float:
        """Return it for figures on training examples."""
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
        outcomes = Outcomes(figures.correct, weights=examples.weights)
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


Start = tuple[float, float]  # for (log gamma, log delta)

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


@dataclass(frozen=True)
class Search:
    """A way to look for a layer, in rounds: the next is for when the last found no layer."""

    rounds: tuple[Round, ...]
    starts: int = 1  # of all rounds together


PAPER_SEARCH = Search((nelder_mead,))
"""Nelder-Mead from the paper's start, and the layers end where it finds none."""

RESTARTED_SEARCH = Search((nelder_mead, _from_more_starts), starts=1 + len(MORE_STARTS))
"""The paper's search and, when that finds no further layer, Nelder-Mead from two more starts.

Its layers begin with those of the paper's search. From where that ends they go on, each to
lower the objective, so that what it ends with is never worse.
"""

SEARCHES = {"restarted": RESTARTED_SEARCH, "paper": PAPER_SEARCH}
"""By name; the first is an audit's default."""
