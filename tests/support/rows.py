"""Rows of results with only what a test looks at."""

import dataclasses
import math

import numpy as np
import pandas as pd

from evencover.core.segments.by_segment import SegmentRow

_FIGURES = [field.name for field in dataclasses.fields(SegmentRow)][3:-2]
"""Those between what names a segment and its kind, which is by default a column."""


def segment_row(variable, value, n, *figures):
    """A segment with its first figures, accuracies before and after and their intervals' ends.

    One called like an open band is taken for one.
    """
    given = dict(zip(_FIGURES, figures, strict=False))
    return SegmentRow(
        variable=variable,
        value=value,
        n=n,
        is_band=value.startswith(("< ", ">= ")),
        **dict.fromkeys(_FIGURES, math.nan) | given,
    )


def homes_and_owners(rows=500):
    """A table of prices: women sell themselves, no agency does it for them."""
    rng = np.random.default_rng(11)
    sex = rng.choice(["f", "m"], rows)
    age = np.where(rng.random(rows) < 0.1, np.nan, rng.integers(10, 90, rows))
    return pd.DataFrame(
        {
            "id": [f"home {i}" for i in range(rows)],
            "age": age,
            "sex": sex,
            "owner": np.where((sex == "m") & (rng.random(rows) < 0.4), "agency", "self"),
            "price": 100.0 + 5.0 * rng.normal(size=rows) + (sex == "m"),
        }
    )
