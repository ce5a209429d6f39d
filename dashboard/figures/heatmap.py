"""Coverage over two variables: a cell for each pair of their segments."""

import plotly.graph_objects as go

from evencover.core.exploration import Cell, CoverageOver, GroupFigures
from evencover.core.segments.statistics import FEWEST_COMPARED

from ..wording.predictors import Predictor
from ..wording.rows import fields_of, figure
from .click_areas import areas
from .colours import TOO_FEW_COLOUR, coverage_axis
from .style import brief, draw, literal

HOVER = (
    "n = %{customdata[0]}: %{customdata[1]:.3f}, 95 % interval %{customdata[2]:.3f} to "
    "%{customdata[3]:.3f}"
)
COLOUR_BAR = {
    "orientation": "h",
    "y": 1.02,
    "yanchor": "bottom",
    "thickness": 12,
    "tickformat": ".0%",
    "title": {"text": "coverage", "side": "top"},
}


def heat_figure(found: CoverageOver, by: Predictor, confidence_level: float) -> go.Figure:
    """Return the cells in colours around the level; those of fewer than 30 rows in grey.

    The last trace, of which nothing is seen, is there to be clicked: the whole of each of
    ``found.cells``, in their order.
    """
    cells = {(cell.one, cell.other): cell for cell in found.cells}
    grid = [[cells.get((one, other)) for other in found.others] for one in found.ones]
    known = [[_accuracy(cell, by) for cell in row] for row in grid]
    coverage = go.Heatmap(
        z=known,
        text=[["" if z is None else f"{z:.0%}" for z in row] for row in known],
        texttemplate="%{text}",
        colorbar=COLOUR_BAR,
        hoverinfo="skip",
        xgap=1,
        ygap=1,
        **coverage_axis([z for row in known for z in row if z is not None], confidence_level),
    )
    too_few = go.Heatmap(
        z=[[0.0 if _is_small(cell) else None for cell in row] for row in grid],
        text=[[f"n = {cell.n}" if cell and _is_small(cell) else "" for cell in r] for r in grid],
        texttemplate="%{text}",
        colorscale=[[0.0, TOO_FEW_COLOUR], [1.0, TOO_FEW_COLOUR]],
        showscale=False,
        hoverinfo="skip",
        xgap=1,
        ygap=1,
    )
    to_click = areas(
        middles=[found.others.index(cell.other) for cell in found.cells],
        south=[found.ones.index(cell.one) - 0.5 for cell in found.cells],
        wide=1.0,
        high=1.0,
        customdata=[
            [*cell_figures(cell, by), *map(literal, (cell.one, cell.other))] for cell in found.cells
        ],
        hovertemplate=f"%{{customdata[4]}} × %{{customdata[5]}}, {HOVER}<extra></extra>",
    )
    return draw(
        [coverage, too_few, to_click],
        height=190 + 36 * len(found.ones),
        margin={"t": 90},
        barmode="overlay",
        x={
            "title": {"text": brief(found.other)},
            "range": [-0.5, len(found.others) - 0.5],
            **_ticks(found.others),
        },
        y={
            "title": {"text": brief(found.one), "standoff": 14},
            "range": [len(found.ones) - 0.5, -0.5],
            **_ticks(found.ones),
        },
    )


def cell_figures(cell: GroupFigures, by: Predictor) -> list[float]:
    """Return what is told where the pointer is."""
    row = fields_of(cell)
    return [cell.n, *(figure(row, key, by) for key in ("accuracy", "low", "high"))]


def _accuracy(cell: Cell | None, by: Predictor) -> float | None:
    return None if cell is None or _is_small(cell) else figure(fields_of(cell), "accuracy", by)


def _is_small(cell: Cell | None) -> bool:
    return cell is not None and cell.n < FEWEST_COMPARED


def _ticks(names: list[str]) -> dict[str, object]:
    return {
        "tickvals": list(range(len(names))),
        "ticktext": list(map(brief, names)),
        "showgrid": False,
        "zeroline": False,
    }
