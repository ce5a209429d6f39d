"""Areas of a chart that can be clicked and pointed at all over, and of which nothing is seen."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go


def areas(
    middles: Sequence[float],
    south: Sequence[float],
    *,
    wide: float,
    high: float,
    customdata: Sequence[Sequence[Any]],
    hovertemplate: str,
) -> go.Bar:
    """Return a trace of rectangles of one size: bars, as a heat map itself takes no clicks.

    Its chart needs ``barmode="overlay"``.

    Parameters
    ----------
    middles
        Where the middles of the rectangles are from west to east.
    south
        Where their lower ends are.
    wide, high
        Their sides.
    """
    return go.Bar(
        x=middles,
        y=[high] * len(middles),
        base=south,
        width=wide,
        marker={"color": "rgba(0, 0, 0, 0)", "line": {"width": 0}},
        showlegend=False,
        customdata=customdata,
        hovertemplate=hovertemplate,
    )
