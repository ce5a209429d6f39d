"""The quantile adjustment for what no straight line sees: bends, and pairs of features."""

from typing import ClassVar

import numpy as np

from ...arrays import FloatArray
from ...errors import InputError
from .quantile import QuantileAdjustment

MOST_FEATURES = 40
"""With more, the products are too many for a fit by Newton's method."""

_FARTHEST = 3.0
"""Products are of features cut there, in standard deviations: a tail would rule them."""


class PairsAdjustment(QuantileAdjustment):
    """The quantile adjustment by the features, their squares, and the products of every two.

    With their number the training rows' noise grows, which the ridge holds back. Raises
    :class:`InputError` if there are more than MOST_FEATURES features.
    """

    title: ClassVar[str] = "quantile adjustment by pairs"

    def regressors(self, X: FloatArray) -> FloatArray:
        """Return features, squares and products, shape (n, d + d (d + 1) / 2)."""
        if X.shape[1] > MOST_FEATURES:
            sentence = (
                "the quantile adjustment by pairs serves at most {most} columns of the model, and "
                "there are {count}; leave some out, or choose the remedy quantile"
            )
            raise InputError("pairs.too_many", sentence, most=MOST_FEATURES, count=X.shape[1])
        cut = np.clip(X, -_FARTHEST, _FARTHEST)
        one, other = np.triu_indices(X.shape[1])
        return np.hstack([X, cut[:, one] * cut[:, other]])
