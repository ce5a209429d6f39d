"""Coverage by segment of a variable or along it, by each predictor, beside the level."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from evencover.core.exploration.groups import CoverageAlong

from ..wording.formatting import ShownPredictor
from ..wording.rows import ShownSegment
from .style import (
    PERCENT,
    Plotted,
    axis_name,
    beside,
    coverage_points,
    draw,
    in_percent,
    level_line,
    ticks,
)

_AROUND, _PER_ROW, _PER_PREDICTOR = 50, 44, 20
"""In pixels; on a phone each predictor has a line of the legend to itself."""

_MARGIN = 5.0
"""From the lowest coverage to the end of the axis, in percent."""

_HIGHEST = 100.9
"""End of an axis of coverage: room for a mark at 100 %, and for no tick above it."""

_COVERAGE = PERCENT | {"autorangeoptions": {"maxallowed": _HIGHEST}}


def coverage_range(
    rows: Iterable[ShownSegment], given: Sequence[ShownPredictor], confidence_level: float
) -> list[float]:
    """Return an axis for charts that stand beside each other: of all points, not all whiskers."""
    shares = [row.figures[by.name].accuracy for row in rows if row.n for by in given]
    lowest = min(in_percent([*shares, confidence_level]))
    return [max(-_MARGIN, lowest - _MARGIN), _HIGHEST]


def segment_figure(
    rows: Sequence[ShownSegment],
    given: Sequence[ShownPredictor],
    confidence_level: float,
    span: list[float] | None = None,
) -> go.Figure:
    """Return accuracies with their 95 % intervals, one line of the chart for each segment.

    Those that are or were clearly too low are named with their status. ``span`` are the ends of
    the axis, to be those of other charts, too.
    """
    rows = [row for row in rows if row.n > 0]
    traces = [
        go.Scatter(
            y=beside(by, len(given), len(rows)),
            mode="markers",
            **coverage_points(by, [Plotted.of(row.value, row, by) for row in rows], upright=False),
        )
        for by in given
    ]
    return draw(
        traces,
        height=_AROUND + _PER_PREDICTOR * max(2, len(given)) + _PER_ROW * max(2, len(rows)),
        margin={"t": 30, "b": 40},
        x={"title": "coverage on test rows", "range": span, **_COVERAGE},
        y={
            **ticks(list(map(_named, rows))),
            "range": [len(rows) - 0.5, -0.5],
            "zeroline": False,
        },
        **level_line(confidence_level, "x"),
    )


def _named(row: ShownSegment) -> str:
    """Return the name of a row in two lines, as wide names leave little of a narrow chart."""
    status = "" if row.status in (None, "fine") else f", <b>{row.status}</b>"
    return f"{axis_name(row.value)}<br><span style='font-size:11px'>n = {row.n:,}{status}</span>"


def along_figure(
    found: CoverageAlong, given: Sequence[ShownPredictor], confidence_level: float
) -> go.Figure:
    """Return coverage with its 95 % intervals: a line along numbers and dates, else points.

    Rows whose value is missing have no place along a line; the page mentions them.
    """
    bands = [band for band in found.bands if band.middle is not None] or found.bands
    middles = [band.middle for band in bands if band.middle is not None]
    names = [axis_name(band.value) for band in bands]
    along: Sequence[Any] = middles
    if found.kind == "date":
        seconds = np.round(np.array(middles) * 86_400.0).astype("datetime64[s]")
        along = list(map(str, seconds))
    traces = [
        go.Scatter(
            x=along if middles else beside(by, len(given), len(bands)),
            mode="lines+markers" if middles else "markers",
            **coverage_points(by, [Plotted.of(one.value, one, by) for one in bands], upright=True),
        )
        for by in given
    ]
    places = {"range": [-0.5, len(names) - 0.5], "zeroline": False}
    return draw(
        traces,
        height=380,
        title=f"Coverage along {axis_name(found.variable)}",
        x={} if middles else ticks(names) | places,
        y={"title": "coverage", **_COVERAGE},
        **level_line(confidence_level, "y"),
    )
