"""One look for all charts; colours differ in lightness too, so that they survive grey print."""

import html
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

BASE_COLOUR = "#43546B"
ADJUSTED_COLOUR = "#E8871E"
LEVEL_COLOUR = "#1A1A1A"
GRID_COLOUR = "#E3E6EA"
NAMES = {"base": "before (base)", "ifacm": "after (IFACM)"}
LONGEST = 40
COLOURS = {"base": BASE_COLOUR, "ifacm": ADJUSTED_COLOUR}


_AXIS = {
    "gridcolor": GRID_COLOUR,
    "zerolinecolor": "#9AA3AD",
    "zerolinewidth": 2,
    "linecolor": "white",
    "ticks": "",
    "title": {"standoff": 15},
    "automargin": True,
}
_COLOUR_BAR = {"outlinewidth": 0, "ticks": ""}
_LOOK = go.layout.Template(
    layout={
        "margin": {"l": 10, "r": 10, "t": 70, "b": 40},
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "font": {"color": LEVEL_COLOUR, "size": 13},
        "hoverlabel": {"align": "left"},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0.0},
        "title": {"yref": "container", "y": 1.0, "yanchor": "top", "pad": {"t": 12}, "x": 0.0},
        "xaxis": _AXIS,
        "yaxis": _AXIS,
    },
    data={
        "heatmap": [{"colorbar": _COLOUR_BAR}],
        "scatter": [{"marker": {"colorbar": _COLOUR_BAR}}],
    },
)
"""Set on every figure instead, its parts would take 20 ms of each, and plotly's own template most
of what a page is sent."""


def finish(figure: go.Figure, height: int) -> go.Figure:
    """Give a figure the common look and return it."""
    return figure.update_layout(template=_LOOK, height=height)


def interval_bars(
    values: Sequence[float], low: Sequence[float], high: Sequence[float]
) -> dict[str, Any]:
    """Return error bars from ``low`` to ``high`` around values, all of one length."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [end - value for value, end in zip(values, high, strict=True)],
        "arrayminus": [value - end for value, end in zip(values, low, strict=True)],
    }


def literal(text: str) -> str:
    """Return text that Plotly shows as it is: names and values of a table may hold tags."""
    return html.escape(text, quote=False)


def brief(text: str) -> str:
    """Return the same for an axis, without what of it would take the place of the chart."""
    return literal(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")
