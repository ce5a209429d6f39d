"""Rows of results with only what a test looks at."""

import dataclasses
import math

from evencover.core.segments import SegmentRow

_FIGURES = [field.name for field in dataclasses.fields(SegmentRow)][3:-1]
"""Those between what names a segment and its kind, which is by default a column."""


def segment_row(variable, value, n, *figures):
    """A segment with its first figures, accuracies before and after and their intervals' ends."""
    given = dict(zip(_FIGURES, figures, strict=False))
    return SegmentRow(
        variable=variable, value=value, n=n, **dict.fromkeys(_FIGURES, math.nan) | given
    )
