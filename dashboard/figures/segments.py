"""Accuracy by segment of one variable, before and after, beside the confidence level."""

from collections.abc import Sequence

import plotly.graph_objects as go

from evencover.core.segments.by_segment import SegmentRow

from ..wording.page_texts import NAMES
from .style import COLOURS, brief, draw, interval_bars, level_upright, literal

_OFFSETS = {"base": -0.14, "ifacm": 0.14}


def segment_figure(rows: Sequence[SegmentRow], confidence_level: float) -> go.Figure:
    """Return accuracies with their 95 % intervals, one line of the chart for each segment."""
    rows = [row for row in rows if row.n > 0]
    points = []
    for algorithm, suffix in (("base", "base"), ("ifacm", "adjusted")):
        accuracy = [getattr(row, f"accuracy_{suffix}") for row in rows]
        low = [getattr(row, f"low_{suffix}") for row in rows]
        high = [getattr(row, f"high_{suffix}") for row in rows]
        points.append(
            go.Scatter(
                x=accuracy,
                y=[place + _OFFSETS[algorithm] for place in range(len(rows))],
                error_x=interval_bars(accuracy, low, high) | {"thickness": 1.5, "width": 3},
                mode="markers",
                marker={"color": COLOURS[algorithm], "size": 10},
                name=NAMES[algorithm],
                customdata=[
                    [literal(row.value), row.n, b, h]
                    for row, b, h in zip(rows, low, high, strict=True)
                ],
                hovertemplate="%{customdata[0]} (n = %{customdata[1]}): %{x:.3f}, 95 % interval "
                "%{customdata[2]:.3f} to %{customdata[3]:.3f}<extra></extra>",
            )
        )
    return draw(
        points,
        height=130 + 42 * len(rows),
        x={"title": {"text": "coverage on test rows"}},
        y={
            "tickvals": list(range(len(rows))),
            "ticktext": [f"{brief(row.value)}  (n = {row.n})" for row in rows],
            "range": [len(rows) - 0.5, -0.5],
            "zeroline": False,
        },
        **level_upright(confidence_level),
    )
