"""The path of training figures as layers arrive."""

from collections.abc import Sequence

import plotly.graph_objects as go

from evencover.core.events import BaseMeasured, LayerAccepted

from .style import ADJUSTED_COLOUR, BASE_COLOUR, draw, small_title

_FEWEST_STEPS = 4


def layer_figures(
    base: BaseMeasured, layers: Sequence[LayerAccepted], inefficiency: str
) -> dict[str, go.Figure]:
    """Return the paths of DCV and inefficiency by their names."""
    steps: list[BaseMeasured | LayerAccepted] = [base, *layers]
    paths = {
        "training DCV": [step.dcv for step in steps],
        f"training {inefficiency}": [step.inefficiency for step in steps],
    }
    return {name: path_figure(values, name) for name, values in paths.items()}


def path_figure(values: Sequence[float], name: str) -> go.Figure:
    """Return a figure's values after 0, 1, 2, ... layers, from zero up; 0 is the base measure."""
    path = go.Scatter(
        x=list(range(len(values))),
        y=list(values),
        mode="lines+markers",
        line={"color": ADJUSTED_COLOUR, "width": 2},
        marker={"size": 9, "color": [BASE_COLOUR] + [ADJUSTED_COLOUR] * (len(values) - 1)},
        hovertemplate="layer %{x}: %{y:.5g}<extra></extra>",
    )
    last = max(_FEWEST_STEPS, len(values) - 1)
    return draw(
        [path],
        height=300,
        title=small_title(name),
        showlegend=False,
        x={"title": {"text": "layers"}, "dtick": 1, "range": [-0.3, last + 0.3]},
        y={"rangemode": "tozero"},
    )
