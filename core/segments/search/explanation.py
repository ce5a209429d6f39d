"""Which rule explains that coverage of a segment is low: most of its rows may be fine."""

from collections.abc import Mapping

import numpy as np

from ...arrays import BoolArray
from ...rows.weights import Weights, effective_size, weighted_mean, weights_of
from ..statistics import FEWEST_JUDGED, evidence, wilson_interval


def explaining_rule(
    segment: BoolArray,
    rules: Mapping[str, BoolArray],
    correct: BoolArray,
    judging: BoolArray,
    confidence_level: float,
    weights: Weights = None,
) -> str | None:
    """Return the first rule that explains a segment's shortfall, None if none does.

    A rule does if, of the segment's rows that had no part in the search for it, those under it are
    stronger evidence of low coverage by themselves than all of them are, and the others, at least
    20, have a 95 % interval (Wilson) that reaches CL, or at least the coverage of all rows.

    ``segment``, ``rules``, by their words, and ``judging`` say which test rows are meant,
    ``correct`` which of their sets hold the label, shape (n,) each; rows of different ``weights``
    are evidence as fewer are.
    """
    inside, overall = (
        segment & judging,
        weighted_mean(correct[judging], weights_of(weights, judging)),
    )
    for words, holds in rules.items():
        rows = [inside & holds, inside & ~holds, inside]
        counts = (effective_size(weights_of(weights, each), int(each.sum())) for each in rows)
        under, beside, _ = n = np.array([int(count) for count in counts])
        if under == 0 or beside < FEWEST_JUDGED:
            continue
        found = (weighted_mean(correct[each], weights_of(weights, each)) for each in rows)
        low, rest, of_segment = shares = np.array([*found])
        hits = np.rint(shares * n).astype(np.intp)
        stronger, _, weaker = evidence(hits, n, overall)
        _, (_, reaches, _) = wilson_interval(hits, n)
        is_fine = reaches >= confidence_level or rest >= overall
        if low < of_segment and stronger > weaker and is_fine:
            return words
    return None
