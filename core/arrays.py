"""Array types, and numbers as Python has them."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]


def as_python(value: object) -> object:
    """Return a number, as it is written, or truth value of numpy's as Python's; else the same."""
    if isinstance(value, np.floating):
        return float(str(value))
    return value.item() if isinstance(value, np.integer | np.bool_) else value
