"""Deviation from conditional validity, and how large it is by chance alone."""

import math
from dataclasses import dataclass

from ..arrays import FloatArray
from ..conformal.rank import CoverageLaw
from ..rows.outcomes import Outcomes
from ..rows.weights import Weights, weighted_deviation, weighted_mean

PER_PARAMETER = 10
"""Rows of the rarer outcome, for each parameter, from which the formulas for noise hold.

Simulated with 11 to 25, 5 to 50 features and CL 0.9 or 0.99, the 95 % interval of the corrected DCV
holds in 92 to 98 %, and in 85 to 90 % where what there is to see is in a handful of rows; with 6 in
89 to 97 %. Without dependence the floor is 3 % too low with 2.8, half of what is seen with 0.3.
"""


@dataclass(frozen=True)
class Deviation:
    """DCV, the root mean square of p(x) - CL, in its two parts."""

    level: float  # mean(p) - CL: coverage overall, which varies with the calibration set
    spread: float  # standard deviation of p(x): how much coverage depends on the object

    @property
    def value(self) -> float:
        """``sqrt(level**2 + spread**2)``, the paper's DCV."""
        return math.hypot(self.level, self.spread)


def deviation(
    probability: FloatArray, confidence_level: float, weights: Weights = None
) -> Deviation:
    """Return the deviation of estimated coverage probabilities, shape (n,), from CL.

    Here the ``weights`` of the rows enter DCV; p(x) is by fits in which they count, too.
    """
    level = weighted_mean(probability, weights) - confidence_level
    return Deviation(level, weighted_deviation(probability, weights))


def formulas_hold(outcomes: Outcomes, parameters: int, confidence_level: float) -> bool:
    """Say whether wrong sets, and right ones, are enough for so many parameters.

    Both among the outcomes, and as expected of a faultless predictor. Of clusters each counts once;
    of rows with weights as many as say as much.
    """
    correct = outcomes.correct
    seen = outcomes.part(correct if 2 * correct.sum() < len(correct) else ~correct).worth
    rows = outcomes.unclustered.worth
    expected = rows * confidence_level * (1.0 - confidence_level)
    return bool(min(seen, expected) >= PER_PARAMETER * parameters)


def floor_by_formula(parameters: int, n: int, law: CoverageLaw) -> Deviation:
    """Return the root mean squares of the parts of DCV that a faultless predictor shows on n rows.

    ``w (k - 1) / n`` of the spread by estimation noise, k the parameters; of the level ``w / n``,
    and what the draw of its calibration rows adds, about ``w / n_cal``: ``w = CL (1 - CL)``.
    """
    level = math.hypot(noise_floor(1, n, law.level), math.sqrt(law.variance))
    return Deviation(level, noise_floor(parameters - 1, n, law.level))


def noise_floor(parameters: float, n: float, confidence_level: float) -> float:
    """Return the DCV a perfectly valid predictor shows on n examples by estimation noise alone.

    ``sqrt(k w / n)`` with k fitted parameters of the logistic estimator, intercept included,
    and ``w = CL (1 - CL)``: the first-order mean of DCV squared at the true null.
    """
    return math.sqrt(parameters * confidence_level * (1.0 - confidence_level) / n)
