"""How the estimated probabilities of a correct prediction set are spread over the rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .prediction_sets import FloatArray

BINS = 40


@dataclass(frozen=True)
class ProbabilityBin:
    """How many test rows of a predictor have a p(x) from ``low`` to below ``high``.

    The last bin of a predictor holds its upper end, too.
    """

    algorithm: str
    low: float
    high: float
    n: int


def probability_bins(probabilities: Mapping[str, FloatArray]) -> list[ProbabilityBin]:
    """Count the p(x) of each predictor, shape (n,) each, in the same bins of equal width."""
    edges = np.histogram_bin_edges(np.concatenate(list(probabilities.values())), bins=BINS)
    return [
        ProbabilityBin(algorithm, low, high, int(n))
        for algorithm, probability in probabilities.items()
        for (low, high), n in zip(
            pairwise(edges.tolist()), np.histogram(probability, edges)[0], strict=True
        )
    ]
