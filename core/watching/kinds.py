"""Of what kinds the rows are that a watch counts, and where their counts stand."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..messages import InputError
from ..scoring.predictor import SavedPredictor
from ..scoring.reference import Reference
from ..scoring.thresholds import OneForAll

_NO_REFERENCE = (
    "'{predictor}' was saved without what newer rows are set beside; audit again, and save it anew"
)


def reference_of(predictor: SavedPredictor) -> Reference:
    """Return a predictor's reference; InputError if it was saved without one."""
    if predictor.reference is None:
        raise InputError("watch.no_reference", _NO_REFERENCE, predictor=predictor.title)
    return predictor.reference


@dataclass(frozen=True)
class Kinds:
    """Where the counts of a period have what: of sets, of watched groups, and of columns.

    The first are of rows by how many of the nested sets miss their label; then for each group rows
    held and missed; then for each column rows by its groups, those not known last.
    """

    reference: Reference

    @property
    def sets(self) -> int:
        """How many sets a row has, one within the other."""
        return max(len(self.reference.levels), 1)

    @cached_property
    def places(self) -> list[slice]:
        """The places of sets, of each group, and of each column."""
        columns = (len(each.counts) for each in self.reference.columns)
        sizes = [self.sets + 1, *([2] * len(self.reference.groups)), *columns]
        ends = np.cumsum([0, *sizes]).tolist()
        return [slice(first, last) for first, last in pairwise(ends)]

    @property
    def count(self) -> int:
        """How many counts a period has."""
        return int(self.places[-1].stop)

    def most_missing(self, predictor: SavedPredictor) -> int:
        """Return how many of a row's sets may miss a label that the predictor's own holds."""
        levels, rule = self.reference.levels, predictor.thresholds
        if not (levels and isinstance(rule, OneForAll)):
            return 0
        return len(levels) - 1 - levels.index(float(rule.values[0]))
