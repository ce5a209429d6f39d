"""Coverage over two variables: a cell for each pair of their segments."""

import plotly.graph_objects as go

from evencover.core.exploration import CoverageOver

from ..wording.predictors import Predictor
from .cells import cell_traces
from .style import brief, draw, literal


def heat_figure(found: CoverageOver, by: Predictor, confidence_level: float) -> go.Figure:
    """Return the cells in colours around the level; those of fewer than 30 rows in grey.

    The last trace, of which nothing is seen, is there to be clicked: the whole of each of
    ``found.cells``, in their order.
    """
    cells = found.cells
    traces = cell_traces(
        cells,
        [(found.ones.index(cell.one), found.others.index(cell.other)) for cell in cells],
        by,
        confidence_level,
        names=[(literal(cell.one), literal(cell.other)) for cell in cells],
    )
    return draw(
        traces,
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


def _ticks(names: list[str]) -> dict[str, object]:
    return {
        "tickvals": list(range(len(names))),
        "ticktext": list(map(brief, names)),
        "showgrid": False,
        "zeroline": False,
    }
