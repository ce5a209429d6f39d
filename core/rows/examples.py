"""Objects with their labels, and with the rows of the table that they came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer

from ..arrays import BoolArray, FloatArray, IndexArray
from ..inputs import as_matrix, as_numbers, check_features
from ..messages import InputError, Names
from ..scoring import arithmetic
from ..scoring.arithmetic import mixed
from ..scoring.functions import Function
from .dependent_columns import independent_columns
from .weights import Weights, effective_size, scaled, that_count, weights_of


@dataclass(frozen=True, eq=False)
class ModelOutputs:
    """A model's outputs for n objects, each None where it gives none of its kind.

    Numbers are on the standardised label's scale. ``lower`` and ``upper`` are the ends of
    ready-made intervals, or the quantiles that a measure starts from: they may be infinite, and
    where the lower one is above the upper one the interval is empty.
    """

    prediction: FloatArray | None = None  # shape (n,), as the next three
    sigma: FloatArray | None = None  # the spread about the prediction, positive
    lower: FloatArray | None = None
    upper: FloatArray | None = None
    probabilities: FloatArray | None = None  # of the K classes, shape (n, K)
    members: BoolArray | None = None  # of ready-made sets of labels, shape (n, K)
    written: Mapping[str, Function] = field(default_factory=dict)
    """How those with names are made from columns, of a prediction, its log-sigma and the rest."""

    def column_of(self, name: str) -> Function:
        """Return how outputs are made from columns; InputError if they came from none."""
        if name not in self.written:
            sentence = "outputs given as arrays cannot be saved; give columns of a table"
            raise InputError("saved.arrays", sentence)
        return self.written[name]

    def rows(self, where: IndexArray | BoolArray) -> Self:
        """Return the outputs for some of the objects."""
        own: dict[str, Any] = {k: v for k, v in vars(self).items() if isinstance(v, np.ndarray)}
        return replace(self, **{k: of[where] for k, of in own.items()})


@dataclass(frozen=True, eq=False)
class Examples:
    """The n examples of one set; used as an array, its design matrix."""

    X: FloatArray  # the encoded features, shape (n, d)
    y: NDArray[Any]  # labels as measures take them, shape (n,); empty where they are not known
    frame: pd.DataFrame  # the table that they come from; without columns for bare arrays
    rows: IndexArray  # their positions in it, shape (n,)
    features: pd.Index | None = None  # the names of the d features, if they have some
    outputs: ModelOutputs | None = None  # those of a user's own model
    weights: Weights = None
    clusters: IndexArray | None = None  # numbers of those that belong together; see Outcomes
    columns: Sequence[str] | None = None  # those of the table that a model may be given as they are
    is_encoded: bool = True  # whether X has all that these hold

    @cached_property
    def table(self) -> pd.DataFrame:
        """The examples' rows of the table, for a rule or model that sees more than features."""
        return self.frame.iloc[self.rows]

    @property
    def given(self) -> FloatArray | pd.DataFrame:
        """The design matrix as a model takes it that was fitted on named features, if they are."""
        if self.features is None:
            return self.X
        return pd.DataFrame(self.X, columns=self.features, copy=False)

    def given_to(self, model: BaseEstimator) -> FloatArray | pd.DataFrame:
        """Return the objects as a model takes them, which may be the columns of their table.

        So they are for one that was fitted on these by name, or is to be by a ColumnTransformer,
        and where the matrix lacks some. InputError if it wants one that it may not see.
        """
        named = getattr(model, "feature_names_in_", None)
        parts = (model, *model.get_params().values())
        by_name = named is not None or any(isinstance(part, ColumnTransformer) for part in parts)
        if self.columns is None or (self.is_encoded and not by_name):
            return self.given
        wanted = list(self.columns if named is None else named)
        if hidden := [str(name) for name in wanted if name not in self.columns]:
            sentence = "the model wants columns that are no features here: {columns}"
            raise InputError("model.other_columns", sentence, columns=Names(hidden))
        return self.table[wanted]

    def digests(self, *, with_labels: bool = False) -> NDArray[np.uint64]:
        """Return a number for each object by what it is, shape (n,): to copies of it the same.

        Where an object stands has no part in it. Numbers are as if drawn at random, of 64 bits.
        """
        if self.is_encoded:
            found = arithmetic.digests(self.X)
        else:
            objects = pd.util.hash_pandas_object(self.table, index=False)
            found = np.asarray(objects, dtype=np.uint64)
        if with_labels:
            found = mixed(found) + np.asarray(pd.util.hash_array(np.asarray(self.labels)))
        return mixed(found)

    @cached_property
    def independent_columns(self) -> list[int]:
        """The columns of X that are not constant or combinations of others in these rows."""
        return independent_columns(self.X)

    @property
    def determined(self) -> FloatArray:
        """X with these columns alone: those whose coefficients the rows determine."""
        is_all = len(self.independent_columns) == self.X.shape[1]
        return self.X if is_all else np.ascontiguousarray(self.X[:, self.independent_columns])

    @property
    def labels(self) -> NDArray[Any]:
        """The labels; ValueError if there is not one for each object."""
        if len(self.y) != len(self.X):
            raise ValueError(f"there are {len(self.X)} objects and {len(self.y)} labels")
        return self.y

    @property
    def model_outputs(self) -> ModelOutputs:
        """The outputs of a user's own model; ValueError if there are none."""
        if self.outputs is None:
            raise ValueError("these examples come without what a model said of them")
        return self.outputs

    @property
    def effective(self) -> float:
        """How many examples of one weight say as much."""
        return effective_size(self.weights, len(self))

    def part(self, where: IndexArray | BoolArray) -> "Examples":
        """Return some of the examples."""
        return replace(
            self,
            X=self.X[where],
            y=self.y[where] if len(self.y) else self.y,
            rows=self.rows[where],
            outputs=None if self.outputs is None else self.outputs.rows(where),
            weights=weights_of(self.weights, where),
            clusters=None if self.clusters is None else self.clusters[where],
        )

    def __len__(self) -> int:
        return len(self.X)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: ANN401, FBT001 - numpy's protocol
        return np.array(self.X, dtype=dtype, copy=copy)


Labels = NDArray[Any] | None  # or weights, of n objects, shape (n,)
Objects = FloatArray | pd.DataFrame | Examples
"""What measures and predictors take: a matrix or frame of encoded features, or examples."""


def as_examples(
    X: Objects, y: Labels = None, sample_weight: Labels = None, *, any_columns: bool = False
) -> Examples:
    """Return examples as they are, and a matrix, shape (n, d), with labels, shape (n,), as such.

    With ``any_columns`` a frame may have some that hold no finite numbers, for a model that makes
    these of them: the matrix is of the others. Rows of weight 0, or vanishing, are left out.
    ValueError or TypeError if a matrix is none of finite numbers, or a weight negative.
    """
    if isinstance(X, Examples):
        return X
    encoded: Any = X
    if any_columns and isinstance(X, pd.DataFrame):
        encoded = X[[name for name in X if _are_finite(X[name])]]
    is_encoded = encoded is X or encoded.shape[1] == X.shape[1]
    matrix = as_matrix(X if is_encoded else encoded, least_features=int(is_encoded))
    labels = np.array([]) if y is None else y
    if not hasattr(labels, "dtype"):  # else as given: an array would not tell what it has lost
        labels = np.asarray(labels)
    rows, features = np.arange(len(matrix)), getattr(X, "columns", None)
    named = None if features is None else pd.Index(features)
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(index=rows)
    made = Examples(matrix, labels, frame, rows, named)
    if not is_encoded:
        made = replace(made, features=None, columns=list(frame.columns), is_encoded=False)
    if sample_weight is None:
        return made
    weights = as_numbers(sample_weight)
    if len(weights) != len(rows) or (weights < 0.0).any() or not weights.any():
        raise ValueError(f"sample_weight is to be {len(rows)} numbers, not negative or all zero")
    counting = that_count(weights)
    return replace(made.part(counting), weights=scaled(weights[counting]))


def checked_examples(
    estimator: BaseEstimator,
    X: Objects,
    *of_rows: Labels,
    fitting: bool = False,
    any_columns: bool = False,
) -> Examples:
    """Return :func:`as_examples`, if they have the features that the estimator was fitted on.

    In ``fitting`` these are noted. ValueError if they differ, NotFittedError if there are none.
    """
    examples = as_examples(X, *of_rows, any_columns=any_columns)
    if not (examples.is_encoded or any_columns):
        as_matrix(examples.table)  # which says what is no number
    names = examples.features if examples.is_encoded else examples.columns
    named = None if names is None else pd.DataFrame(columns=list(names))
    check_features(estimator, examples.X[:0] if named is None else named, fitting=fitting)
    return examples


def _are_finite(column: pd.Series) -> bool:
    is_number = pd.api.types.is_numeric_dtype(column)
    return is_number and bool(np.isfinite(column.to_numpy(np.float64, na_value=np.nan)).all())
