"""How an adjustment came about: what sets are like after each layer, and how layers were found."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from evencover.core.events import LayerTried
from evencover.core.experiment.figures import ReplayStep

from .style import (
    ADJUSTED_COLOUR,
    BASE_COLOUR,
    LEVEL_COLOUR,
    PERCENT,
    Options,
    draw,
    in_percent,
    level_line,
    literal,
    small_title,
)

_HEIGHT = 260
_FEWEST_STEPS = 4
_TO_COME = 0.3
"""How opaque layers are that the slider has not come to."""

_FIRST = {"color": BASE_COLOUR, "dash": "solid", "symbol": "circle"}
_SECOND = {"color": ADJUSTED_COLOUR, "dash": "dash", "symbol": "diamond"}
"""Of the two lines of a chart."""


def path_figures(
    steps: Sequence[ReplayStep], at: int, level: float, inefficiency: str
) -> dict[str, go.Figure]:
    """Return by their titles what DCV, inefficiency and the worst group's coverage are by layer.

    Layers after ``at`` are faint.
    """
    dcv = {"training": [s.training_dcv for s in steps], "test": [s.dcv for s in steps]}
    size = {
        "training": [s.training_inefficiency for s in steps],
        "test": [s.inefficiency for s in steps],
    }
    figures = {
        title: _path(_lines(values, at), title)
        for title, values in (("DCV", dcv), (inefficiency.capitalize(), size))
    }
    if steps[0].followed is not None:
        title = "Worst group's coverage, test rows"
        figures[title] = _worst_group(steps, at, level, title)
    return figures


def _lines(values: dict[str, list[float]], at: int) -> list[go.Scatter]:
    """Return two lines by their names, with a large mark at one layer and faint ones behind it."""
    return [
        go.Scatter(
            x=list(range(len(of))),
            y=of,
            mode="lines+markers",
            line={"color": look["color"], "dash": look["dash"], "width": 2},
            marker={
                "color": look["color"],
                "symbol": look["symbol"],
                "size": [14 if place == at else 8 for place in range(len(of))],
                "opacity": [1.0 if place <= at else _TO_COME for place in range(len(of))],
            },
            name=name,
            hovertemplate="%{x} layers: %{y:.4g}<extra>" + name + "</extra>",
        )
        for (name, of), look in zip(values.items(), (_FIRST, _SECOND), strict=True)
    ]


def _path(
    lines: Sequence[go.Scatter],
    title: str,
    y: Options | None = None,
    **more: Any,  # noqa: ANN401 - whatever Plotly takes
) -> go.Figure:
    last = max(_FEWEST_STEPS, len(lines[0].x) - 1)
    x = {"title": {"text": "layers"}, "dtick": 1 + last // 12, "range": [-0.4, last + 0.4]}
    y = y or {"rangemode": "tozero"}
    return draw(lines, _HEIGHT, title=small_title(title), x=x, y=y, **more)


def _worst_group(steps: Sequence[ReplayStep], at: int, level: float, title: str) -> go.Figure:
    """Return coverage of the group that was worst without a layer, and of the worst after each."""
    worst = [s.worst for s in steps if s.worst is not None]
    shares = {
        "lowest at first": in_percent(s.followed.coverage for s in steps if s.followed is not None),
        "lowest now": in_percent(group.coverage for group in worst),
    }
    lines = _lines(shares, at)
    lines[1].text = [literal(f"{group.name.variable}: {group.name.value}") for group in worst]
    lines[1].hovertemplate = "%{x} layers: %{y:.1f} % for %{text}<extra></extra>"
    least = min(min(of) for of in shares.values())
    axis = {"range": [max(0.0, least - 5.0), 100.0], **PERCENT}
    return _path(lines, title, y=axis, **level_line(level, "y"))


def search_figure(tried: Sequence[LayerTried]) -> go.Figure:
    """Return the points that a search tried, coloured by objective; a star is the best."""
    best = min(tried, key=lambda one: one.objective)
    points = go.Scatter(
        x=[one.gamma for one in tried],
        y=[one.delta for one in tried],
        mode="markers",
        marker={
            "color": [one.objective for one in tried],
            "colorscale": "Cividis",
            "colorbar": {"title": {"text": "objective"}},
            "size": 9,
            "line": {"width": 1, "color": "#6B7480"},
        },
        customdata=[[one.evaluation, one.objective] for one in tried],
        hovertemplate="evaluation %{customdata[0]}: gamma %{x:.4g}, delta %{y:.4g}, "
        "objective %{customdata[1]:.4g}<extra></extra>",
        name="tried",
    )
    star = {"size": 18, "symbol": "star-open", "color": LEVEL_COLOUR, "line": {"width": 2}}
    chosen = go.Scatter(
        x=[best.gamma], y=[best.delta], mode="markers", marker=star, name="chosen", hoverinfo="skip"
    )
    power = {"type": "log", "exponentformat": "power", "dtick": 1}
    return draw(
        [points, chosen],
        height=380,
        showlegend=False,
        x=power | {"title": {"text": "gamma"}},
        y=power | {"title": {"text": "delta"}},
    )
