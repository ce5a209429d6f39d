"""DCV against the size of the training set, or the number of predictors, beside its floors."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from ..figures.style import ADJUSTED_COLOUR, BASE_COLOUR, LEVEL_COLOUR, draw, small_title

_LINES = {
    "base_test": ("before, test", BASE_COLOUR, "solid"),
    "ifacm_training": ("after, training", ADJUSTED_COLOUR, "dot"),
    "ifacm_test": ("after, test", ADJUSTED_COLOUR, "solid"),
    "floor": ("floor, not adjusted", LEVEL_COLOUR, "dot"),
    "adjusted_floor": ("floor, adjusted", LEVEL_COLOUR, "dash"),
}


def study_figure(sizes: Sequence[int], dcvs: Mapping[str, Sequence[float]], name: str) -> go.Figure:
    """Return the DCVs and floors, by the names of a study's rows, against ``sizes``."""
    lines = [
        go.Scatter(
            x=list(sizes),
            y=list(dcvs[key]),
            mode="lines" if "floor" in key else "lines+markers",
            line={"color": colour, "dash": dash, "width": 2},
            name=label,
            hovertemplate=f"{label}, %{{x}} {name}: %{{y:.4f}}<extra></extra>",
        )
        for key, (label, colour, dash) in _LINES.items()
    ]
    return draw(
        lines,
        height=480,
        title=small_title(f"DCV against {name}"),
        x={"type": "log", "title": {"text": name}, "tickvals": list(sizes)},
        y={"type": "log", "title": {"text": "DCV"}},
        # five names need more room than there is above the chart on a phone
        legend={"y": -0.25, "yanchor": "top"},
        margin={"t": 45},
    )
