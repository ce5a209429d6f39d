"""Coverage on a map: longitude and latitude alone, as no map of the country is fetched."""

import math
from typing import Any

import plotly.graph_objects as go

from evencover.core.exploration import CoverageMap, MapCell
from evencover.core.segments.statistics import FEWEST_COMPARED

from ..wording.predictors import Predictor
from ..wording.rows import fields_of, figure
from .cells import areas
from .cells import cells as traces_of
from .style import brief, draw

_Grid = list[list[float | None]]


def map_figure(found: CoverageMap, by: Predictor, confidence_level: float) -> go.Figure:
    """Return the cells in colours around the level; those of fewer than 30 rows in crossed grey.

    The last trace is there to be clicked: the whole of each of ``found.cells``, in their order.
    """
    cells = found.cells
    title_x, title_y = brief(found.longitude), brief(found.latitude)
    middle = (cells[0].south + cells[-1].north) / 2.0 if cells else 0.0
    scale = {"scaleanchor": "x", "scaleratio": 1.0 / max(0.01, math.cos(math.radians(middle)))}
    return draw(
        _traces(cells, by, confidence_level) if cells else [],
        height=560,
        margin={"t": 90},
        barmode="overlay",
        x={"title": {"text": title_x}, "constrain": "domain", "zeroline": False},
        y={
            "title": {"text": title_y},
            "constrain": "domain",
            "zeroline": False,
            **(scale if cells else {}),
        },
    )


def _traces(cells: list[MapCell], by: Predictor, confidence_level: float) -> list[Any]:
    enough = [cell for cell in cells if cell.n >= FEWEST_COMPARED]
    few = [cell for cell in cells if cell.n < FEWEST_COMPARED]
    accuracies = [float(figure(fields_of(cell), "accuracy", by)) for cell in enough]
    corner = _corner(cells)
    in_colours = traces_of(
        _grid(cells, enough, accuracies),
        _grid(cells, few, [0.0] * len(few)),
        confidence_level,
        **corner,
    )
    crosses = go.Scatter(
        x=[(cell.west + cell.east) / 2.0 for cell in cells],
        y=[(cell.south + cell.north) / 2.0 for cell in cells],
        mode="markers",
        marker={
            "size": 7,
            "symbol": ["x-thin" if cell.n < FEWEST_COMPARED else "square" for cell in cells],
            "color": "rgba(0, 0, 0, 0)",
            "line": {
                "color": [
                    "#8A9099" if cell.n < FEWEST_COMPARED else "rgba(0, 0, 0, 0)" for cell in cells
                ],
                "width": 1,
            },
        },
        showlegend=False,
        hoverinfo="skip",
    )
    to_click = areas(
        cells,
        by,
        middles=[(cell.west + cell.east) / 2.0 for cell in cells],
        south=[cell.south for cell in cells],
        sides=(corner["dx"], corner["dy"]),
    )
    return [*in_colours, crosses, to_click]


def _corner(cells: list[MapCell]) -> dict[str, float]:
    """Return the middle of the south-western cell, and the cells' width and height."""
    wide, high = cells[0].east - cells[0].west, cells[0].north - cells[0].south
    west, south = min(cell.west for cell in cells), min(cell.south for cell in cells)
    return {"x0": west + wide / 2.0, "dx": wide, "y0": south + high / 2.0, "dy": high}


def _grid(cells: list[MapCell], filled: list[MapCell], values: list[float]) -> _Grid:
    corner = _corner(cells)

    def place(cell: MapCell) -> tuple[int, int]:
        row = (cell.south + corner["dy"] / 2.0 - corner["y0"]) / corner["dy"]
        return round(row), round((cell.west + corner["dx"] / 2.0 - corner["x0"]) / corner["dx"])

    places = [place(cell) for cell in cells]
    width = 1 + max(column for _, column in places)
    grid: _Grid = [[None] * width for _ in range(1 + max(row for row, _ in places))]
    for cell, value in zip(filled, values, strict=True):
        row, column = place(cell)
        grid[row][column] = value
    return grid
