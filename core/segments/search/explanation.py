"""Which rule explains that coverage of a segment is low: most of its rows may be fine."""

from collections.abc import Mapping

import numpy as np

from ...arrays import BoolArray
from ..statistics import FEWEST_JUDGED, wilson_interval


def explaining_rule(
    segment: BoolArray,
    rules: Mapping[str, BoolArray],
    correct: BoolArray,
    judging: BoolArray,
    confidence_level: float,
) -> str | None:
    """Return the first rule that explains a segment's shortfall, None if none does.

    A rule does if, of the segment's rows that had no part in the search for it, those under it have
    lower coverage than the segment, and the others, at least 20, are more than half the way up to
    CL, their 95 % interval (Wilson) reaching it, or have at least the coverage of all rows.

    ``segment``, ``rules``, by their words, and ``judging`` say which test rows are meant,
    ``correct`` which of their sets hold the label, shape (n,) each.
    """
    inside, overall = segment & judging, float(correct[judging].mean())
    for words, holds in rules.items():
        under, beside = correct[inside & holds], correct[inside & ~holds]
        if len(under) == 0 or len(beside) < FEWEST_JUDGED:
            continue
        low, rest = float(correct[inside].mean()), float(beside.mean())
        _, high = wilson_interval(np.array([beside.sum()]), np.array([len(beside)]))
        recovers = 2.0 * rest > low + confidence_level and high[0] >= confidence_level
        if under.mean() < low and (recovers or rest >= overall):
            return words
    return None
