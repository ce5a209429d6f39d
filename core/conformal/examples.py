"""Objects with their labels, and with the rows of the table that they came from."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..arrays import FloatArray, IndexArray, as_matrix
from .outputs import ModelOutputs


@dataclass(frozen=True, eq=False)
class Examples:
    """The n examples of one set; used as an array, its design matrix."""

    X: FloatArray  # the encoded features, shape (n, d)
    y: NDArray[Any]  # labels as measures take them, shape (n,); empty where they are not known
    frame: pd.DataFrame  # the table that they come from; without columns for bare arrays
    rows: IndexArray  # their positions in it, shape (n,)
    outputs: ModelOutputs | None = None  # what a user's own model said of them

    @cached_property
    def table(self) -> pd.DataFrame:
        """The examples' rows of the table, for a rule or model that sees more than features."""
        return self.frame.iloc[self.rows]

    @property
    def labels(self) -> NDArray[Any]:
        """The labels; ValueError if there is not one for each object."""
        if len(self.y) != len(self.X):
            raise ValueError(f"there are {len(self.X)} objects and {len(self.y)} labels")
        return self.y

    @property
    def said(self) -> ModelOutputs:
        """What a user's own model said; ValueError if it said nothing."""
        if self.outputs is None:
            raise ValueError("these examples come without what a model said of them")
        return self.outputs

    def __len__(self) -> int:
        return len(self.X)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: ANN401, FBT001 - numpy's protocol
        return np.array(self.X, dtype=dtype, copy=copy)


Objects = FloatArray | Examples
"""What measures and predictors take: a matrix of encoded features, or examples."""


def as_examples(X: Objects, y: NDArray[Any] | None = None) -> Examples:
    """Return examples as they are, and a matrix, shape (n, d), with labels, shape (n,), as such."""
    if isinstance(X, Examples):
        return X
    X, rows = as_matrix(X), np.arange(len(X))
    return Examples(X, np.asarray([] if y is None else y), pd.DataFrame(index=rows), rows)
