"""DCV and the size of sets: of remedies over seeds, over a remedy's penalties, layer by layer."""

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from evencover.core.events import LayerTried
from evencover.core.experiment.compared_rows import RemedyComparison, mean_and_spread
from evencover.core.experiment.comparison import PenaltyPath, PenaltyRow
from evencover.core.experiment.result import ReplayStep

from ..wording.formatting import inefficiency_name
from . import style

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star")
_FEWEST_STEPS = 4
_TO_COME = 0.3  # how opaque layers are that the slider has not come to
_LOOKS = {
    "training": (style.TRAINING_COLOUR, "solid", "circle"),
    "test": (style.ADJUSTED_COLOUR, "dash", "diamond"),
    "lowest at first": (style.NEUTRAL_COLOUR, "solid", "circle"),
    "lowest now": (style.ADJUSTED_COLOUR, "dash", "diamond"),
}
"""Of the lines of a chart, by their names."""


def comparison_figure(comparison: RemedyComparison) -> go.Figure:
    """Return the mean of each remedy with its standard deviations over seeds, a point for each."""
    traces = []
    for place, remedy in enumerate(comparison.remedies):
        rows = comparison.test_rows(remedy)
        if not rows:
            continue
        size, size_spread = mean_and_spread(rows, "inefficiency")
        dcv, dcv_spread = mean_and_spread(rows, "dcv")
        colour, title = style.COLOURS[place % len(style.COLOURS)], style.literal(rows[0].title)
        bars = {"type": "data", "thickness": 1.5, "width": 4, "color": colour}
        traces.append(
            go.Scatter(
                x=[size],
                y=[dcv],
                error_x=bars | {"array": [size_spread]},
                error_y=bars | {"array": [dcv_spread]},
                mode="markers",
                marker={"color": colour, "size": 12, "symbol": _SYMBOLS[place % len(_SYMBOLS)]},
                name=title,
                hovertemplate=f"{title}<br>DCV %{{y:.4f}} ± {dcv_spread:.4f}<br>"
                f"size %{{x:.4f}} ± {size_spread:.4f}<extra></extra>",
            )
        )
    return _dcv_by_size(traces, comparison.settings["task"], "DCV on test rows", "remedy")


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
    return _dcv_by_size(traces, path.task, "DCV", "penalty C")


def _dcv_by_size(traces: Iterable[go.Scatter], task: str, dcv: str, of: str) -> go.Figure:
    x, y = {"title": inefficiency_name(task)}, {"title": dcv, "rangemode": "tozero"}
    return style.draw(traces, 430, name=f"DCV and size of sets by {of}", x=x, y=y)


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
        title: _by_layer(_lines(values, at), title)
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
            line={"color": colour, "dash": dash, "width": 2},
            marker={
                "color": colour,
                "symbol": symbol,
                "size": [14 if place == at else 8 for place in range(len(of))],
                "opacity": [1.0 if place <= at else _TO_COME for place in range(len(of))],
            },
            name=name,
            hovertemplate="%{x} layers: %{y:.4g}<extra>" + name + "</extra>",
        )
        for name, of in values.items()
        for colour, dash, symbol in [_LOOKS[name]]
    ]


def _by_layer(
    lines: Sequence[go.Scatter],
    title: str,
    y: style.Options | None = None,
    **more: Any,  # noqa: ANN401 - whatever Plotly takes
) -> go.Figure:
    last = max(_FEWEST_STEPS, len(lines[0].x) - 1)
    x = {"title": "layers", "dtick": 1 + last // 12, "range": [-0.4, last + 0.4]}
    return style.draw(lines, 260, title=title, x=x, y=y or {"rangemode": "tozero"}, **more)


def _worst_group(steps: Sequence[ReplayStep], at: int, level: float, title: str) -> go.Figure:
    """Return coverage of the group that was worst without a layer, and of the worst after each."""
    worst = [s.worst for s in steps if s.worst is not None]
    shares = {
        "lowest at first": style.in_percent(
            s.followed.coverage for s in steps if s.followed is not None
        ),
        "lowest now": style.in_percent(group.coverage for group in worst),
    }
    lines = _lines(shares, at)
    lines[1].text = [style.literal(group.name) for group in worst]
    lines[1].hovertemplate = "%{x} layers: %{y:.1f} % for %{text}<extra></extra>"
    least = min(min(of) for of in shares.values())
    axis = {"range": [max(0.0, least - 5.0), 100.0], **style.PERCENT}
    return _by_layer(lines, title, y=axis, **style.level_line(level, "y"))


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
