"""Cells of a chart: coverage in colours, dark below the level and light blue above it.

The two sides differ in lightness, too, so that grey print and colour blindness keep them apart.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import plotly.graph_objects as go

from evencover.core.exploration import GroupFigures
from evencover.core.segments.statistics import FEWEST_COMPARED

from ..wording.predictors import Predictor
from ..wording.rows import Row, fields_of, figure

Place = tuple[int, int]
"""Row and column, from 0."""


class Corner(NamedTuple):
    """The middle of a chart's first cell, and the sides of all."""

    x0: float = 0.0
    dx: float = 1.0
    y0: float = 0.0
    dy: float = 1.0


_UNIT = Corner()

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
UNSEEN = "rgba(0, 0, 0, 0)"
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


def cell_traces(
    cells: Sequence[GroupFigures],
    places: Sequence[Place],
    by: Predictor,
    confidence_level: float,
    corner: Corner = _UNIT,
    names: Sequence[tuple[str, str]] = (),
) -> list[Any]:
    """Return cells in colours, those of fewer than 30 rows in grey, and all of them to be clicked.

    What is clicked are bars of which nothing is seen, as a heat map takes no clicks; their chart
    needs ``barmode="overlay"``.

    Parameters
    ----------
    corner
        Where the first row meets the first column, and the cells' sides.
    names
        What each is called, of two words, where figures are to be written in the cells.
    """
    rows = [fields_of(cell) for cell in cells]
    shown = list(zip(places, rows, strict=True))
    few = {place: f"n = {row['n']}" for place, row in shown if row["n"] < FEWEST_COMPARED}
    known = {place: figure(row, "accuracy", by) for place, row in shown if place not in few}
    shares = {place: f"{share:.0%}" for place, share in known.items()}
    written = {"texttemplate": "%{text}", "xgap": 1, "ygap": 1} if names else {}
    common = {"hoverinfo": "skip", **corner._asdict(), **written}
    coverage = go.Heatmap(
        z=_grid(places, known, None),
        text=_grid(places, shares, "") if names else None,
        colorbar=_COLOUR_BAR,
        **coverage_axis(known.values(), confidence_level),
        **common,
    )
    too_few = go.Heatmap(
        z=_grid(places, dict.fromkeys(few, 0.0), None),
        text=_grid(places, few, "") if names else None,
        colorscale=[[0.0, _TOO_FEW], [1.0, _TOO_FEW]],
        showscale=False,
        **common,
    )
    return [coverage, too_few, _to_click(rows, places, by, corner, names)]


def _to_click(
    rows: Sequence[Row],
    places: Sequence[Place],
    by: Predictor,
    corner: Corner,
    names: Sequence[tuple[str, str]],
) -> go.Bar:
    keys = ("accuracy", "low", "high")
    figures = [[row["n"], *(figure(row, key, by) for key in keys)] for row in rows]
    return go.Bar(
        x=[corner.x0 + column * corner.dx for _, column in places],
        y=[corner.dy] * len(places),
        base=[corner.y0 + (row - 0.5) * corner.dy for row, _ in places],
        width=corner.dx,
        marker={"color": UNSEEN, "line": {"width": 0}},
        showlegend=False,
        customdata=[[*some, *name] for some, name in zip_longest(figures, names, fillvalue=())],
        hovertemplate=("%{customdata[4]} × %{customdata[5]}, " if names else "") + _HOVER,
    )


def _grid(
    places: Sequence[Place], filled: Mapping[Place, Any], empty: str | None
) -> list[list[Any]]:
    rows, columns = (1 + max((place[i] for place in places), default=-1) for i in (0, 1))
    return [[filled.get((row, column), empty) for column in range(columns)] for row in range(rows)]
