"""Coefficient shrinkage: how correctness depends on each feature, by each predictor."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from ..wording.predictors import Predictor
from ..wording.rows import Row
from .style import brief, colour, draw, literal, small_title

_ERRORS = {"thickness": 1, "width": 2, "color": "#6B7480"}
_WHISKER = 1.0
"""A whisker reaching further, of a coefficient the rows hardly determine, may be cut off."""


def shrinkage_figure(
    rows: Sequence[Row], features: Sequence[str], subset: str, given: Sequence[Predictor]
) -> go.Figure:
    """Return the given features' coefficients on one subset, predictors side by side.

    Whiskers are 1.96 standard errors. The axis spans both subsets, so that they can be compared.
    """
    bars = []
    for by in given:
        of_feature = {
            row["feature"]: row
            for row in rows
            if (row["segment"], row["algorithm"]) == (subset, by.name)
        }
        if not of_feature:
            continue
        shown = [of_feature[feature] for feature in features]
        bars.append(
            go.Bar(
                y=list(map(literal, features)),
                x=[row["coefficient"] for row in shown],
                error_x=_ERRORS | {"array": [1.96 * row["standard_error"] for row in shown]},
                orientation="h",
                marker={"color": colour(by)},
                name=by.title,
                hovertemplate="%{y}: %{x:.4f}<extra>" + f"{subset}, {by.title}</extra>",
            )
        )
    return draw(
        bars,
        height=150 + 30 * len(features),
        title=small_title(f"{subset} rows"),
        barmode="group",
        bargap=0.25,
        x={"title": {"text": "log-odds per standard deviation"}, "range": _span(rows, features)},
        y={
            "autorange": "reversed",
            "type": "category",
            "tickvals": list(map(literal, features)),
            "ticktext": list(map(brief, features)),
        },
    )


def _span(rows: Sequence[Row], features: Sequence[str]) -> list[float] | None:
    """Return a range for the coefficients with most of their whiskers; None if there are none."""
    names = set(features)
    shown = {(row["coefficient"], row["standard_error"]) for row in rows if row["feature"] in names}
    ends = [
        value + sign * min(1.96 * error, abs(value) + _WHISKER)
        for value, error in shown
        if math.isfinite(value)
        for sign in (-1.0, 1.0)
    ]
    return [1.05 * min(0.0, *ends), 1.05 * max(0.0, *ends)] if ends else None
