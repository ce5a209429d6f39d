"""DCV against the size of the training set, or the number of predictors, beside its floors."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from .style import ADJUSTED_COLOUR, BASE_COLOUR, LEVEL_COLOUR, finish

_LINES = {
    "base_test": ("before, test", BASE_COLOUR, "solid"),
    "ifacm_training": ("after, training", ADJUSTED_COLOUR, "dot"),
    "ifacm_test": ("after, test", ADJUSTED_COLOUR, "solid"),
    "floor": ("floor, not adjusted", LEVEL_COLOUR, "dot"),
    "adjusted_floor": ("floor, adjusted", LEVEL_COLOUR, "dash"),
}


def study_figure(sizes: Sequence[int], dcvs: Mapping[str, Sequence[float]], name: str) -> go.Figure:
    """Return the DCVs and floors, by the names of a study's rows, against ``sizes``."""
    figure = go.Figure()
    for key, (label, colour, dash) in _LINES.items():
        figure.add_scatter(
            x=list(sizes),
            y=list(dcvs[key]),
            mode="lines" if "floor" in key else "lines+markers",
            line={"color": colour, "dash": dash, "width": 2},
            name=label,
            hovertemplate=f"{label}, %{{x}} {name}: %{{y:.4f}}<extra></extra>",
        )
    figure.update_xaxes(type="log", title_text=name, tickvals=list(sizes))
    figure.update_yaxes(type="log", title_text="DCV")
    figure.update_layout(title={"text": f"DCV against {name}", "font": {"size": 14}})
    finish(figure, height=480)
    # five names need more room than there is above the chart on a phone
    figure.update_layout(legend={"y": -0.25, "yanchor": "top"}, margin={"t": 45})
    return figure
