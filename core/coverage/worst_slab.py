"""Worst-slab coverage: how low coverage is between two parallel planes."""

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IndexArray, linear_predictor

DIRECTIONS = 100
SHARE = 0.1
"""Of the rows that a slab is to hold at least."""

_SEED = 0
_FEWEST_ROWS = 100


@dataclass(frozen=True)
class Slab:
    """The objects x with ``low <= direction @ x <= high``."""

    direction: FloatArray
    low: float
    high: float

    def holds(self, X: FloatArray) -> BoolArray:
        """Say which of the objects X, shape (n, d), are in the slab."""
        along = linear_predictor(X, self.direction, 0.0)
        return (self.low <= along) & (along <= self.high)


def worst_slab_coverage(
    X: FloatArray, correct: BoolArray, *, directions: int = DIRECTIONS
) -> float:
    """Return coverage in the slab that looked worst on one half of the rows, on the other half.

    The slab is looked for over so many random directions, among all that hold a share SHARE of
    their half or more. Judged on the rows it was found on, coverage would be too low even for a
    faultless predictor. NaN for fewer than 100 rows, or if no row of the other half is in the
    slab. After Cauchois, Gupta and Duchi (2021), "Knowing what you know", section 4.
    """
    n = len(X)
    if n < _FEWEST_ROWS:
        return math.nan
    rng = np.random.default_rng(_SEED)
    found_on = np.zeros(n, dtype=bool)
    found_on[rng.permutation(n)[: n // 2]] = True
    looked_along = rng.normal(size=(directions, X.shape[1]))
    slab = worst_slab(X[found_on], correct[found_on], looked_along)
    inside = correct[~found_on][slab.holds(X[~found_on])]
    return float(inside.mean()) if len(inside) else math.nan


def worst_slab(X: FloatArray, correct: BoolArray, directions: FloatArray) -> Slab:
    """Return the slab with the lowest coverage of objects X, shape (n, d), along any direction.

    ``directions`` has shape (m, d). Takes n log n for each: sorting, and a few passes.
    """
    least = max(1, math.ceil(SHARE * len(X)))
    best, slab = math.inf, Slab(directions[0], -math.inf, math.inf)
    for direction in directions:
        along = linear_predictor(X, direction, 0.0)
        order = np.argsort(along)  # rows of one value in any order: none is divided
        sorted_ = along[order]
        # a slab holds all rows of one value or none: it may begin and end where values change
        changes = np.flatnonzero(sorted_[1:] != sorted_[:-1]) + 1
        edges = np.concatenate([[0], changes, [len(X)]])
        hits = np.append(0, np.cumsum(correct[order]))[edges]
        found = _lowest_mean(hits, edges, least, best)
        if found is not None:
            best, first, last = found
            slab = Slab(direction, float(sorted_[edges[first]]), float(sorted_[edges[last] - 1]))
    return slab


def _lowest_mean(
    hits: IndexArray, edges: IndexArray, least: int, best: float
) -> tuple[float, int, int] | None:
    """Return the lowest mean of a run of at least ``least`` rows, and its edges.

    None if it is not lower than ``best``. By Dinkelbach's method: the run with the smallest sum
    of differences from the lowest mean so far has a lower mean, until there is none. Begun at the
    best of the directions before, it takes a single pass where this one has nothing lower.
    ``hits`` are the counts up to each of ``edges``.
    """
    mean, found = best, None
    overall = float(hits[-1] / edges[-1])
    if overall < best:
        mean, found = overall, (overall, 0, len(edges) - 1)
    # for each end that leaves enough rows before it, the last beginning that does
    first_end = int(np.searchsorted(edges, least))
    last_edge_at = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    latest = last_edge_at[edges[first_end:] - least]
    while True:
        sums = hits - mean * edges
        largest = np.maximum.accumulate(sums)
        end = int((sums[first_end:] - largest[latest]).argmin())
        begin = int(sums[: latest[end] + 1].argmax())
        end += first_end
        lower = float((hits[end] - hits[begin]) / (edges[end] - edges[begin]))
        if not lower < mean:
            return found
        mean, found = lower, (lower, begin, end)
