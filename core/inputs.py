"""What estimators and measures are given, checked: by scikit-learn's rules, and stricter on types.

What comes out are plain arrays, which internal paths hand on without another look. Errors are
scikit-learn's own where it has one: ValueError, TypeError for a type, NotFittedError.
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from .arrays import BoolArray, FloatArray, IndexArray

_MOST_LABELS = 1_000_000


def as_matrix(X: Any, *, least_features: int = 1) -> FloatArray:  # noqa: ANN401 - whatever is given
    """Return objects, given as a frame, an array or rows, as an array of shape (n, d).

    Refused are sparse and masked ones, missing values and infinities, and what is no number: text
    of digits, too, for which a column of codes may be taken.
    """
    _refuse_type(X, "X")
    matrix: FloatArray = check_array(
        X, dtype=np.float64, order="C", ensure_min_features=least_features, input_name="X"
    )
    return matrix


def check_features(estimator: BaseEstimator, X: Any, *, fitting: bool = False) -> None:  # noqa: ANN401
    """Compare names and number of features with those fitted on; in ``fitting``, note them.

    ``X`` is a frame or an array of any number of rows. NotFittedError if there was no fit.
    """
    if not fitting:
        check_is_fitted(estimator)
    validate_data(estimator, X, reset=fitting, skip_check_array=True)


def as_numbers(y: Any) -> FloatArray:  # noqa: ANN401
    """Return numeric labels, shape (n,), as an array; refused is what :func:`as_matrix` refuses."""
    _refuse_type(y, "y")
    y = check_array(y, dtype=np.float64, ensure_2d=False, ensure_min_samples=0, input_name="y")
    numbers: FloatArray = column_or_1d(y, warn=True)
    return numbers


def as_codes(y: Any, n_labels: int | None = None) -> IndexArray:  # noqa: ANN401
    """Return labels, shape (n,), as the codes 0 .. K-1 that they are to be.

    ValueError if one is none: a negative one would index from the end, and one that is no code but
    a number of another kind ask for scores of all labels up to it.
    """
    numbers = as_numbers(y)
    codes = numbers.astype(np.intp)
    wrong = (codes != numbers) | (codes < 0)
    wrong |= codes >= (_MOST_LABELS if n_labels is None else n_labels)
    if wrong.any():
        last = "K-1" if n_labels is None else n_labels - 1
        raise ValueError(
            f"y is to hold codes of labels, 0 to {last}, and holds {numbers[wrong][0]:g}; "
            "numpy.unique(labels, return_inverse=True) gives codes"
        )
    return codes


def as_outcomes(y: Any, n: int) -> BoolArray:  # noqa: ANN401
    """Return the outcomes, right or wrong, of n sets as booleans, shape (n,): given so, or as 1, 0.

    ValueError for any other number.
    """
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    numbers = as_numbers(y)
    wrong = (numbers != 0.0) & (numbers != 1.0)
    if wrong.any():
        raise ValueError(
            f"y is to hold True and False, or 1 and 0, and holds {numbers[wrong][0]:g}"
        )
    if len(numbers) != n:
        raise ValueError(f"there are {n} objects and {len(numbers)} outcomes")
    outcomes: BoolArray = numbers == 1.0
    return outcomes


def _refuse_type(given: Any, name: str) -> None:  # noqa: ANN401
    """Refuse by name what scikit-learn would convert without a word, or without a name."""
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array, whose mask would be lost; leave out what it masks"
        )
    if isinstance(given, pd.DataFrame):
        for column, kind in given.dtypes.items():
            if not pd.api.types.is_numeric_dtype(kind):
                raise TypeError(f"column {column!r} of {name} is of type {kind}; give numbers")
    elif not hasattr(given, "toarray"):  # sparse: scikit-learn has a sentence for it
        kind = getattr(given, "dtype", None)  # polars has types of its own
        if not isinstance(kind, np.dtype | pd.api.extensions.ExtensionDtype):
            kind = np.asarray(given).dtype
        if given is not None and not pd.api.types.is_numeric_dtype(kind):
            raise TypeError(f"{name} is of type {kind}; give numbers")
