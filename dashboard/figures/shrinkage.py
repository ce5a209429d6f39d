"""Coefficient shrinkage: how correctness depends on each feature, before and after."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from evencover.core.result import CoefficientRow

from .style import COLOURS, NAMES, finish, literal

_SEGMENTS = ("training", "test")


def feature_order(rows: Sequence[CoefficientRow]) -> list[str]:
    """Return the features by the size of their training coefficient before, largest first."""
    before = [row for row in rows if (row.segment, row.algorithm) == ("training", "base")]
    return [row.feature for row in sorted(before, key=_size, reverse=True)]


def shrinkage_figure(rows: Sequence[CoefficientRow], features: Sequence[str]) -> go.Figure:
    """Return the coefficients of the given features, training beside test, before and after.

    Whiskers are 1.96 standard errors.
    """
    figure = make_subplots(
        cols=2,
        shared_yaxes=True,
        horizontal_spacing=0.04,
        subplot_titles=[f"{segment} rows" for segment in _SEGMENTS],
    )
    for column, segment in enumerate(_SEGMENTS, start=1):
        for algorithm, name in NAMES.items():
            of_feature = {
                row.feature: row
                for row in rows
                if (row.segment, row.algorithm) == (segment, algorithm)
            }
            shown = [of_feature[feature] for feature in features]
            figure.add_bar(
                y=[literal(feature) for feature in features],
                x=[row.coefficient for row in shown],
                error_x={
                    "array": [1.96 * row.standard_error for row in shown],
                    "thickness": 1,
                    "width": 2,
                    "color": "#6B7480",
                },
                orientation="h",
                marker_color=COLOURS[algorithm],
                name=name,
                legendgroup=algorithm,
                showlegend=column == 1,
                hovertemplate="%{y}: %{x:.4f}<extra>" + f"{segment}, {name}</extra>",
                row=1,
                col=column,
            )
    figure.update_yaxes(autorange="reversed", type="category", dtick=1)
    figure.update_xaxes(title_text="coefficient (log-odds per standard deviation)")
    figure.update_layout(barmode="group", bargap=0.25)
    return finish(figure, height=140 + 30 * len(features))


def _size(row: CoefficientRow) -> float:
    return -1.0 if math.isnan(row.coefficient) else abs(row.coefficient)
