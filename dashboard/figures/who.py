"""Who is failed: ranked groups, from before to after, beside what chance allows so many rows."""

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from evencover.core.report.in_short import ShownGroup

from ..wording.formatting import ShownPredictor
from . import style

_AROUND, _PER_GROUP = 150, 40
_BAND = {"color": "#AEB9C6", "line": {"width": 0}}
_LONGEST = 30


def who_figure(
    groups: Sequence[ShownGroup], given: Sequence[ShownPredictor], level: float, title: str
) -> go.Figure:
    """Return a line for each group: the band, a dot before, and an arrow to each dot after."""
    first, *others = given
    places = [float(place) for place in range(len(groups))]
    at = {by.name: style.beside(by, len(given), len(groups)) for by in given}
    before = [_plotted(one, first) for one in groups]
    look = style.coverage_points(first, before, upright=False) | {"error_x": None}
    look["name"] = "before" if others else first.title
    traces = [
        _band(groups, places),
        go.Scatter(y=at[first.name], mode="markers", **look),
        *(_arrows(groups, by, first, at[by.name]) for by in others),
    ]
    shares = [row.accuracy for one in groups for row in one.by.values()]
    lowest = min([*shares, *(low for one in groups for low in one.band[:1]), level])
    return style.draw(
        traces,
        height=_AROUND + _PER_GROUP * max(3, len(groups)),
        title=title,
        finding=style.lowest(before, first),
        margin={"t": 40, "b": 40},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top", "x": 0.0},
        barmode="overlay",
        x={
            "title": "coverage",
            "range": [100.0 * max(-0.02, lowest - 0.03), 100.9],
            **style.PERCENT,
        },
        y={
            **style.ticks([_named(one) for one in groups]),
            "range": [len(groups) - 0.5, -0.5],
            "zeroline": False,
            "showgrid": False,
        },
        **style.level_line(level, "x"),
    )


def _band(groups: Sequence[ShownGroup], places: Sequence[float]) -> go.Bar:
    return go.Bar(
        orientation="h",
        y=list(places),
        base=[100.0 * low for low, _ in (one.band for one in groups)],
        x=[100.0 * (high - low) for low, high in (one.band for one in groups)],
        width=0.7,
        marker=_BAND,
        name="95 % by chance",
        hoverinfo="skip",
    )


def _arrows(
    groups: Sequence[ShownGroup], by: ShownPredictor, first: ShownPredictor, at: Sequence[float]
) -> go.Scatter:
    x: list[float] = []
    y: list[float] = []
    heads: list[str] = []
    told: list[Any] = []
    for one, place in zip(groups, at, strict=True):
        before, after = (100.0 * one.by[each.name].accuracy for each in (first, by))
        x += [before, after, math.nan]
        y += [place] * 3
        heads += ["circle", "triangle-right" if after >= before else "triangle-left", "circle"]
        told += [[one.by[by.name].n, after, style.literal(one.name)]] * 3
    look: dict[str, Any] = style.line_look(by)
    sizes = [0, 11, 0] * len(groups)
    return go.Scatter(
        x=x,
        y=y,
        mode="lines+markers",
        name=f"after {by.name}",
        line=look["line"] | {"dash": "solid"},
        marker=look["marker"] | {"symbol": heads, "size": sizes, "opacity": 1.0},
        customdata=told,
        hovertemplate="%{customdata[2]}, n = %{customdata[0]:,}: %{customdata[1]:.1f} %"
        f"<extra>after {by.name}</extra>",
    )


def _named(one: ShownGroup) -> str:
    low = f", <b>{one.told}</b>" if one.told else ""
    name = style.literal(style.shortened(one.name, _LONGEST))
    return f"{name}<br><span style='font-size:11px'>n = {one.rows}{low}</span>"


def _plotted(one: ShownGroup, by: ShownPredictor) -> style.Plotted:
    row = one.by[by.name]
    return style.Plotted(one.name, row.n, row.accuracy, row.low, row.high)
