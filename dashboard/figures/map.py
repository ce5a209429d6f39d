"""Coverage on a map: longitude and latitude alone, as no map of the country is fetched."""

import math
from typing import Any

import plotly.graph_objects as go

from evencover.core.exploration import CoverageMap, MapCell
from evencover.core.segments.statistics import FEWEST_COMPARED

from ..wording.predictors import Predictor
from .cells import UNSEEN, Corner, Place, cell_traces
from .style import brief, draw


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
    corner = _corner(cells)
    places = [_place(cell, corner) for cell in cells]
    *in_colours, to_click = cell_traces(cells, places, by, confidence_level, corner)
    is_small = [cell.n < FEWEST_COMPARED for cell in cells]
    crosses = go.Scatter(
        x=to_click.x,
        y=[corner.y0 + row * corner.dy for row, _ in places],
        mode="markers",
        marker={
            "size": 7,
            "symbol": ["x-thin" if small else "square" for small in is_small],
            "color": UNSEEN,
            "line": {"color": ["#8A9099" if small else UNSEEN for small in is_small], "width": 1},
        },
        showlegend=False,
        hoverinfo="skip",
    )
    return [*in_colours, crosses, to_click]


def _corner(cells: list[MapCell]) -> Corner:
    wide, high = cells[0].east - cells[0].west, cells[0].north - cells[0].south
    west, south = min(cell.west for cell in cells), min(cell.south for cell in cells)
    return Corner(x0=west + wide / 2.0, dx=wide, y0=south + high / 2.0, dy=high)


def _place(cell: MapCell, corner: Corner) -> Place:
    row = (cell.south + corner.dy / 2.0 - corner.y0) / corner.dy
    return round(row), round((cell.west + corner.dx / 2.0 - corner.x0) / corner.dx)
