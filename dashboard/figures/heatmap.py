"""Coverage over two variables: a cell for each pair of their segments."""

import plotly.graph_objects as go

from evencover.core.exploration import Cell, CoverageOver
from evencover.core.segments.statistics import FEWEST_COMPARED

from ..wording.predictors import Predictor
from ..wording.rows import fields_of, figure
from .cells import areas, cells
from .style import brief, draw, literal


def heat_figure(found: CoverageOver, by: Predictor, confidence_level: float) -> go.Figure:
    """Return the cells in colours around the level; those of fewer than 30 rows in grey.

    The last trace, of which nothing is seen, is there to be clicked: the whole of each of
    ``found.cells``, in their order.
    """
    at = {(cell.one, cell.other): cell for cell in found.cells}
    grid = [[at.get((one, other)) for other in found.others] for one in found.ones]
    known = [[_accuracy(cell, by) for cell in row] for row in grid]
    small = [[0.0 if _is_small(cell) else None for cell in row] for row in grid]
    coverage, too_few = cells(
        known, small, confidence_level, texttemplate="%{text}", xgap=1, ygap=1
    )
    coverage.text = [["" if z is None else f"{z:.0%}" for z in row] for row in known]
    too_few.text = [
        [f"n = {cell.n}" if cell and _is_small(cell) else "" for cell in row] for row in grid
    ]
    to_click = areas(
        found.cells,
        by,
        middles=[found.others.index(cell.other) for cell in found.cells],
        south=[found.ones.index(cell.one) - 0.5 for cell in found.cells],
        sides=(1.0, 1.0),
        names=[(literal(cell.one), literal(cell.other)) for cell in found.cells],
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
