"""The path of DCV and inefficiency as layers arrive."""

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from evencover.core.events import BaseMeasured, LayerAccepted

from .style import ADJUSTED_COLOUR, BASE_COLOUR, finish


def path_figure(
    base: BaseMeasured, layers: Sequence[LayerAccepted], inefficiency_name: str
) -> go.Figure:
    """Return training DCV and inefficiency after each layer; layer 0 is the base measure."""
    steps: list[BaseMeasured | LayerAccepted] = [base, *layers]
    numbers = list(range(len(steps)))
    figure = make_subplots(cols=2, subplot_titles=("training DCV", f"training {inefficiency_name}"))
    for column, values in ((1, [s.dcv for s in steps]), (2, [s.inefficiency for s in steps])):
        figure.add_scatter(
            x=numbers,
            y=values,
            mode="lines+markers",
            line={"color": ADJUSTED_COLOUR, "width": 2},
            marker={"size": 9, "color": [BASE_COLOUR] + [ADJUSTED_COLOUR] * len(layers)},
            hovertemplate="layer %{x}: %{y:.5g}<extra></extra>",
            showlegend=False,
            row=1,
            col=column,
        )
    figure.update_xaxes(title_text="layers", dtick=1, range=[-0.3, max(4, len(layers)) + 0.3])
    figure.update_yaxes(rangemode="tozero", col=1)
    figure.update_layout(showlegend=False)
    return finish(figure, height=300)
