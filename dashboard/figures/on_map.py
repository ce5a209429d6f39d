"""Coverage on a map: longitude and latitude alone, as no map of the country is fetched."""

import math

import plotly.graph_objects as go

from evencover.core.looking import CoverageMap, MapCell
from evencover.core.segment_tests import FEWEST_COMPARED
from evencover.core.worst_segments import When

from .areas import add_areas
from .coverage_colours import TOO_FEW_COLOUR, coverage_axis
from .heat import COLOUR_BAR, HOVER, cell_figures
from .style import brief, finish

_Grid = list[list[float | None]]


def map_figure(found: CoverageMap, when: When, confidence_level: float) -> go.Figure:
    """Return the cells in colours around the level; those of fewer than 30 rows in crossed grey.

    The last trace is there to be clicked: the whole of each of ``found.cells``, in their order.
    """
    cells, figure = found.cells, go.Figure()
    told = [cell for cell in cells if cell.n >= FEWEST_COMPARED]
    accuracies = [float(getattr(cell, f"accuracy_{when}")) for cell in told]
    if cells:
        few = [cell for cell in cells if cell.n < FEWEST_COMPARED]
        figure.add_heatmap(
            z=_grid(cells, told, accuracies),
            colorbar=COLOUR_BAR,
            hoverinfo="skip",
            **_corner(cells),
            **coverage_axis(accuracies, confidence_level),
        )
        figure.add_heatmap(
            z=_grid(cells, few, [0.0] * len(few)),
            colorscale=[[0.0, TOO_FEW_COLOUR], [1.0, TOO_FEW_COLOUR]],
            showscale=False,
            hoverinfo="skip",
            **_corner(cells),
        )
        figure.add_scatter(
            x=[(cell.west + cell.east) / 2.0 for cell in cells],
            y=[(cell.south + cell.north) / 2.0 for cell in cells],
            mode="markers",
            marker={
                "size": 7,
                "symbol": ["x-thin" if cell.n < FEWEST_COMPARED else "square" for cell in cells],
                "color": "rgba(0, 0, 0, 0)",
                "line": {
                    "color": [
                        "#8A9099" if cell.n < FEWEST_COMPARED else "rgba(0, 0, 0, 0)"
                        for cell in cells
                    ],
                    "width": 1,
                },
            },
            showlegend=False,
            hoverinfo="skip",
        )
        add_areas(
            figure,
            middles=[(cell.west + cell.east) / 2.0 for cell in cells],
            south=[cell.south for cell in cells],
            wide=cells[0].east - cells[0].west,
            high=cells[0].north - cells[0].south,
            customdata=[cell_figures(cell, when) for cell in cells],
            hovertemplate=f"{HOVER}<extra></extra>",
        )
        middle = (cells[0].south + cells[-1].north) / 2.0
        figure.update_yaxes(
            scaleanchor="x", scaleratio=1.0 / max(0.01, math.cos(math.radians(middle)))
        )
    figure.update_xaxes(title_text=brief(found.longitude), constrain="domain", zeroline=False)
    figure.update_yaxes(title_text=brief(found.latitude), constrain="domain", zeroline=False)
    finish(figure, height=560)
    return figure.update_layout(margin={"t": 90})


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
