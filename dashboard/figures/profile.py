"""Coverage along a variable, by each predictor, beside the confidence level."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from evencover.core.exploration import CoverageAlong

from ..wording.predictors import Predictor
from ..wording.rows import Row, fields_of
from .style import beside, brief, draw, level_across, points


def along_figure(
    found: CoverageAlong, given: Sequence[Predictor], confidence_level: float
) -> go.Figure:
    """Return coverage with its 95 % intervals: a line along numbers and dates, else points.

    Rows whose value is missing have no place along a line; the page mentions them.
    """
    rows = [fields_of(band) for band in found.bands]
    rows = [row for row in rows if row["middle"] is not None] or rows
    in_order = bool(rows) and rows[0]["middle"] is not None
    traces = [
        go.Scatter(
            x=_places(rows, found) if in_order else beside(by, len(given), len(rows)),
            mode="lines+markers" if in_order else "markers",
            **points(by, rows, upright=True, size=8, thickness=1),
        )
        for by in given
    ]
    return draw(
        traces,
        height=380,
        x={"title": {"text": brief(found.variable)}, **({} if in_order else _ticks(rows))},
        y={"title": {"text": "coverage"}},
        **level_across(confidence_level),
    )


def _ticks(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "tickvals": list(range(len(rows))),
        "ticktext": [brief(row["value"]) for row in rows],
    }


def _places(rows: Sequence[Row], found: CoverageAlong) -> list[Any]:
    middles = [row["middle"] for row in rows]
    if found.kind != "date":
        return middles
    seconds = np.round(np.array(middles) * 86_400.0).astype("datetime64[s]")
    return [str(moment) for moment in seconds]
