"""Accuracy by segment of one variable, by each predictor, beside the confidence level."""

from collections.abc import Sequence

import plotly.graph_objects as go

from ..wording.predictors import Predictor
from ..wording.rows import Row
from .style import beside, brief, draw, level_upright, points


def segment_figure(
    rows: Sequence[Row], given: Sequence[Predictor], confidence_level: float
) -> go.Figure:
    """Return accuracies with their 95 % intervals, one line of the chart for each segment."""
    rows = [row for row in rows if row["n"] > 0]
    traces = [
        go.Scatter(
            y=beside(by, len(given), len(rows)),
            mode="markers",
            **points(by, rows, upright=False, size=10, thickness=1.5),
        )
        for by in given
    ]
    return draw(
        traces,
        height=130 + 42 * len(rows),
        x={"title": {"text": "coverage on test rows"}},
        y={
            "tickvals": list(range(len(rows))),
            "ticktext": [f"{brief(row['value'])}  (n = {row['n']})" for row in rows],
            "range": [len(rows) - 0.5, -0.5],
            "zeroline": False,
        },
        **level_upright(confidence_level),
    )
