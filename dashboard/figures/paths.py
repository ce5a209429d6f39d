"""DCV and the size of sets: of remedies over seeds, over a remedy's penalties, layer by layer."""

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from evencover.core.events import LayerTried
from evencover.core.experiment.compared_rows import RemedyComparison, mean_and_spread
from evencover.core.experiment.comparison import PenaltyPath, PenaltyRow
from evencover.core.experiment.result import ReplayStep

from ..wording.formatting import inefficiency_name, size_name
from . import style

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star")
_SIZE = "inefficiency_original_units"
_LONGEST = 20  # signs of a name beside its point
_TO_COME = 0.3  # how opaque layers are that the slider has not come to
_LOOKS = {
    "training rows": (style.TRAINING_COLOUR, "solid", "circle"),
    "test rows": (style.ADJUSTED_COLOUR, "dash", "diamond"),
}
"""Of the lines of a chart, by their names."""


def comparison_figure(comparison: RemedyComparison) -> go.Figure:
    """Return the mean of each remedy with its standard deviations over seeds, a point for each.

    Each is named beside its point; a line is at the DCV floor of the first, as the base is.
    """
    traces, shown = [], [*map(comparison.test_rows, comparison.remedies)]
    sizes, dcvs = (
        [mean_and_spread(rows, figure)[0] for rows in shown if rows] for figure in (_SIZE, "dcv")
    )
    middle, median = (min(sizes) + max(sizes)) / 2.0, statistics.median(dcvs)
    for place, rows in enumerate(shown):
        if not rows:
            continue
        size, size_spread = mean_and_spread(rows, _SIZE)
        dcv, dcv_spread = mean_and_spread(rows, "dcv")
        colour, title = style.COLOURS[place % len(style.COLOURS)], style.literal(rows[0].title)
        bars = {"type": "data", "thickness": 1.5, "width": 4, "color": colour}
        traces.append(
            go.Scatter(
                x=[size],
                y=[dcv],
                error_x=bars | {"array": [size_spread]},
                error_y=bars | {"array": [dcv_spread]},
                mode="markers+text",
                text=style.literal(style.shortened(rows[0].title, _LONGEST)),
                textposition=f"{'top' if dcv >= median else 'bottom'} "
                f"{'right' if size <= middle else 'left'}",
                textfont={"color": colour},
                cliponaxis=False,
                showlegend=False,
                marker={"color": colour, "size": 12, "symbol": _SYMBOLS[place % len(_SYMBOLS)]},
                name=title,
                hovertemplate=f"{title}<br>DCV %{{y:.4f}} ± {dcv_spread:.4f}<br>"
                f"size %{{x:.4g}} ± {size_spread:.4g}<extra></extra>",
            )
        )
    floor, _ = mean_and_spread(shown[0], "dcv_floor")
    line = {} if math.isnan(floor) else {f"DCV floor, {shown[0][0].title}": floor}
    x, shapes = size_name(comparison.settings["task"]), style.marks(line, "y")
    return _dcv_by_size(traces, x, "DCV on test rows", "remedy", shapes=shapes)


def path_figure(path: PenaltyPath) -> go.Figure:
    """Return training and test DCV over the penalties, the base first; the knee has a ring.

    Points have names where they are the base, an end, the knee or the C of the settings.
    """
    least = min((row.penalty for row in path.rows if row.penalty is not None), default=None)
    named = {None, least, path.knee, path.chosen}
    knee = [row for row in path.rows if path.knee is not None and row.penalty == path.knee]
    ring = {"symbol": "circle-open", "size": 20, "color": style.LEVEL_COLOUR, "line": {"width": 2}}
    traces = [
        _over_penalties(path.of("test"), "test rows", style.ADJUSTED_COLOUR, named),
        _over_penalties(path.of("training"), "training rows", style.TRAINING_COLOUR, named),
        go.Scatter(
            x=[row.figures.inefficiency for row in knee],
            y=[row.figures.dcv for row in knee],
            mode="markers",
            marker=ring,
            name="knee",
            hoverinfo="skip",
        ),
    ]
    return _dcv_by_size(traces, inefficiency_name(path.task), "DCV", "penalty C")


def _dcv_by_size(
    traces: Iterable[go.Scatter],
    size: str,
    dcv: str,
    of: str,
    **more: Any,  # noqa: ANN401 - whatever Plotly takes
) -> go.Figure:
    x, y = {"title": size}, {"title": dcv, "rangemode": "tozero"}
    return style.draw(traces, 430, name=f"DCV and size of sets by {of}", x=x, y=y, **more)


def _over_penalties(
    rows: Sequence[PenaltyRow], title: str, colour: str, named: set[float | None]
) -> go.Scatter:
    names = ["base" if row.penalty is None else f"C {row.penalty:g}" for row in rows]
    return go.Scatter(
        x=[row.figures.inefficiency for row in rows],
        y=[row.figures.dcv for row in rows],
        text=[name if row.penalty in named else "" for row, name in zip(rows, names, strict=True)],
        customdata=names,
        mode="lines+markers+text",
        textposition="top center",
        textfont={"size": 11},
        cliponaxis=False,
        line={"color": colour, "width": 1, "dash": "dot"},
        marker={"color": colour, "size": 11},
        name=title,
        hovertemplate=f"%{{customdata}}, {title}: DCV %{{y:.4f}}, size %{{x:.4f}}<extra></extra>",
    )


def layers_figure(steps: Sequence[ReplayStep], at: int, task: str) -> go.Figure:
    """Return DCV by inefficiency, a point for each number of layers; those after ``at`` faint."""
    paths = {
        "training rows": [(step.training_inefficiency, step.training_dcv) for step in steps],
        "test rows": [(step.inefficiency, step.dcv) for step in steps],
    }
    places = range(len(steps))
    traces = [
        go.Scatter(
            x=[size for size, _ in path],
            y=[dcv for _, dcv in path],
            text=[str(place) if place in (0, at, len(steps) - 1) else "" for place in places],
            mode="lines+markers+text",
            textposition="top center",
            cliponaxis=False,
            line={"color": colour, "dash": dash, "width": 2},
            marker={
                "color": colour,
                "symbol": symbol,
                "size": [14 if place == at else 8 for place in places],
                "opacity": [1.0 if place <= at else _TO_COME for place in places],
            },
            name=name,
            customdata=list(places),
            hovertemplate=f"%{{customdata}} layers, {name}: DCV %{{y:.4f}}, size %{{x:.4f}}"
            "<extra></extra>",
        )
        for name, path in paths.items()
        for colour, dash, symbol in [_LOOKS[name]]
    ]
    return _dcv_by_size(traces, inefficiency_name(task), "DCV", "layer")


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
            "colorbar": {"title": "objective"},
            "size": 9,
            "line": {"width": 1, "color": "#6B7480"},
        },
        customdata=[[one.evaluation, one.objective] for one in tried],
        hovertemplate="evaluation %{customdata[0]}: gamma %{x:.4g}, delta %{y:.4g}, "
        "objective %{customdata[1]:.4g}<extra></extra>",
        name="tried",
    )
    star = {"size": 18, "symbol": "star-open", "color": style.LEVEL_COLOUR, "line": {"width": 2}}
    chosen = go.Scatter(
        x=[best.gamma], y=[best.delta], mode="markers", marker=star, name="chosen", hoverinfo="skip"
    )
    x, y = (
        {"type": "log", "exponentformat": "power", "dtick": 1, "title": name}
        for name in ("gamma", "delta")
    )
    name = "Points tried for a layer"
    return style.draw([points, chosen], 380, name=name, showlegend=False, x=x, y=y)
