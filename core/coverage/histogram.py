"""How the estimated probabilities of a correct prediction set are spread over the rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..arrays import FloatArray

BINS = 40

LEAST_WIDTH = 1e-3
"""Of all bins together: where all p(x) are nearly equal, their differences mean nothing."""


@dataclass(frozen=True)
class ProbabilityBin:
    """How many rows have a p(x) from ``low`` to below ``high``; the last bin holds both ends."""

    predictor: str
    low: float
    high: float
    n: int


def probability_bins(probabilities: Mapping[str, FloatArray]) -> list[ProbabilityBin]:
    """Count the p(x) of each predictor, shape (n,) each, in the same bins of equal width."""
    edges = np.linspace(*_ends(np.concatenate(list(probabilities.values()))), BINS + 1)
    bins = list(pairwise(edges.tolist()))
    return [
        ProbabilityBin(predictor, *ends, int(n))
        for predictor, probability in probabilities.items()
        for ends, n in zip(bins, np.histogram(probability, edges)[0], strict=True)
    ]


def _ends(probability: FloatArray) -> tuple[float, float]:
    """Return the ends of the bins: those of the p(x), or wider, within 0 and 1."""
    low, high = float(probability.min()), float(probability.max())
    if high - low >= LEAST_WIDTH:
        return low, high
    low = min(max((low + high - LEAST_WIDTH) / 2.0, 0.0), 1.0 - LEAST_WIDTH)
    return low, low + LEAST_WIDTH
