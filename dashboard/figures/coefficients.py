"""Coefficient shrinkage: how correctness depends on each feature, before and after."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from evencover.core.findings.result import CoefficientRow, SegmentName

from ..wording.page_texts import NAMES
from .style import COLOURS, brief, draw, literal, small_title

_WHISKER = 1.0
"""A whisker reaching further, of a coefficient the rows hardly determine, may be cut off."""


def feature_order(rows: Sequence[CoefficientRow]) -> list[str]:
    """Return the features by the size of their training coefficient before, largest first."""
    before = [row for row in rows if (row.segment, row.algorithm) == ("training", "base")]
    return [row.feature for row in sorted(before, key=_size, reverse=True)]


def shrinkage_figure(
    rows: Sequence[CoefficientRow], features: Sequence[str], segment: SegmentName
) -> go.Figure:
    """Return the given features' coefficients on one set, before and after side by side.

    Whiskers are 1.96 standard errors. The axis spans the coefficients of both sets, so that
    the charts of training and test can be compared.
    """
    bars = []
    for algorithm, name in NAMES.items():
        of_feature = {
            row.feature: row for row in rows if (row.segment, row.algorithm) == (segment, algorithm)
        }
        shown = [of_feature[feature] for feature in features]
        bars.append(
            go.Bar(
                y=[literal(feature) for feature in features],
                x=[row.coefficient for row in shown],
                error_x={
                    "array": [1.96 * row.standard_error for row in shown],
                    "thickness": 1,
                    "width": 2,
                    "color": "#6B7480",
                },
                orientation="h",
                marker={"color": COLOURS[algorithm]},
                name=name,
                hovertemplate="%{y}: %{x:.4f}<extra>" + f"{segment}, {name}</extra>",
            )
        )
    return draw(
        bars,
        height=150 + 30 * len(features),
        title=small_title(f"{segment} rows"),
        barmode="group",
        bargap=0.25,
        x={"title": {"text": "log-odds per standard deviation"}, "range": _span(rows, features)},
        y={
            "autorange": "reversed",
            "type": "category",
            "tickvals": [literal(feature) for feature in features],
            "ticktext": [brief(feature) for feature in features],
        },
    )


def _span(rows: Sequence[CoefficientRow], features: Sequence[str]) -> list[float] | None:
    """Return a range for the coefficients with most of their whiskers; None if there are none."""
    shown = [row for row in rows if row.feature in set(features)]
    ends = [
        row.coefficient + sign * min(1.96 * row.standard_error, abs(row.coefficient) + _WHISKER)
        for row in shown
        if math.isfinite(row.coefficient)
        for sign in (-1.0, 1.0)
    ]
    return [1.05 * min(0.0, *ends), 1.05 * max(0.0, *ends)] if ends else None


def _size(row: CoefficientRow) -> float:
    return -1.0 if math.isnan(row.coefficient) else abs(row.coefficient)
