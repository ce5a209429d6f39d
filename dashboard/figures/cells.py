"""Cells of a chart: coverage in colours, dark below the level and light blue above it.

The two sides differ in lightness, too, so that grey print and colour blindness keep them apart.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from evencover.core.exploration import GroupFigures

from ..wording.predictors import Predictor
from ..wording.rows import fields_of, figure

Grid = Sequence[Sequence[float | None]]

_HOVER = (
    "n = %{customdata[0]}: %{customdata[1]:.3f}, 95 % interval %{customdata[2]:.3f} to "
    "%{customdata[3]:.3f}<extra></extra>"
)
_COLOUR_BAR = {
    "orientation": "h",
    "y": 1.02,
    "yanchor": "bottom",
    "thickness": 12,
    "tickformat": ".0%",
    "title": {"text": "coverage", "side": "top"},
}
_TOO_FEW = "#D5D8DC"
_BELOW, _HALFWAY, _AT_LEVEL, _ABOVE = "#6B2A00", "#D98A3D", "#F7F5F2", "#7FB2E5"
_LEAST_REACH, _MOST_REACH = 0.05, 0.3


def coverage_axis(accuracies: Iterable[float], confidence_level: float) -> dict[str, Any]:
    """Return the colours and their ends, with the lightest colour at the level.

    They reach as far below it as the accuracies stray from it, within bounds, and above it as far
    as that, or to 1.
    """
    farthest = max((abs(value - confidence_level) for value in accuracies), default=0.0)
    reach = min(max(farthest, _LEAST_REACH), _MOST_REACH)
    low, high = max(0.0, confidence_level - reach), min(1.0, confidence_level + reach)
    middle = (confidence_level - low) / (high - low)
    return {
        "zmin": low,
        "zmax": high,
        "colorscale": [
            [0.0, _BELOW],
            [middle / 2.0, _HALFWAY],
            [middle, _AT_LEVEL],
            [1.0, _ABOVE],
        ],
    }


def cells(coverage: Grid, too_few: Grid, confidence_level: float, **place: Any) -> list[Any]:  # noqa: ANN401
    """Return traces of coverage in colours, and of 0 for cells of too few rows in grey."""
    known = [value for row in coverage for value in row if value is not None]
    return [
        go.Heatmap(
            z=coverage,
            colorbar=_COLOUR_BAR,
            hoverinfo="skip",
            **coverage_axis(known, confidence_level),
            **place,
        ),
        go.Heatmap(
            z=too_few,
            colorscale=[[0.0, _TOO_FEW], [1.0, _TOO_FEW]],
            showscale=False,
            hoverinfo="skip",
            **place,
        ),
    ]


def areas(
    groups: Sequence[GroupFigures],
    by: Predictor,
    *,
    middles: Sequence[float],
    south: Sequence[float],
    sides: tuple[float, float],
    names: Sequence[tuple[str, ...]] = (),
) -> go.Bar:
    """Return rectangles that can be clicked and pointed at, and of which nothing is seen.

    They are bars, as a heat map itself takes no clicks; their chart needs ``barmode="overlay"``.

    Parameters
    ----------
    middles, south
        Where their middles are from west to east, and their lower ends.
    sides
        Their width and height.
    names
        What each is called, of two words.
    """
    shown = [
        [row["n"], *(figure(row, key, by) for key in ("accuracy", "low", "high"))]
        for row in map(fields_of, groups)
    ]
    if names:
        shown = [[*figures, *name] for figures, name in zip(shown, names, strict=True)]
    return go.Bar(
        x=middles,
        y=[sides[1]] * len(middles),
        base=south,
        width=sides[0],
        marker={"color": "rgba(0, 0, 0, 0)", "line": {"width": 0}},
        showlegend=False,
        customdata=shown,
        hovertemplate=("%{customdata[4]} × %{customdata[5]}, " if names else "") + _HOVER,
    )
