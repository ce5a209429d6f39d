"""What a user's own model said of objects, in the place of a model fitted here."""

from dataclasses import dataclass, fields
from typing import Any, Self

from ..arrays import BoolArray, FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class ModelOutputs:
    """What a model said of n objects, each None where it did not say it.

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

    def rows(self, where: IndexArray | BoolArray) -> Self:
        """Return what was said of some of the objects."""
        said: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        return type(self)(**{k: None if v is None else v[where] for k, v in said.items()})
