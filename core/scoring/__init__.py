"""Saved predictors, read and run by numpy alone; may import messages and below.

>>> from evencover.core.scoring import load
>>> load("prices.evencover").predict({"x": [1.0]})  # doctest: +SKIP
{'prediction': array([2.]), 'lower': array([1.]), 'upper': array([3.]), ...}
"""

from .predictor import SavedPredictor

load = SavedPredictor.load

__all__ = ["SavedPredictor", "load"]
