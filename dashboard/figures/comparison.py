"""DCV against width or set size: of remedies over seeds, and of one remedy over its penalties."""

from collections.abc import Sequence

import plotly.graph_objects as go

from evencover.core.experiment.compared_rows import RemedyComparison
from evencover.core.experiment.differences import mean_and_spread
from evencover.core.experiment.penalty_path import PenaltyPath, PenaltyRow

from ..wording.formatting import inefficiency_name
from .style import ADJUSTED_COLOUR, BASE_COLOUR, COLOURS, LEVEL_COLOUR, draw, literal

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star")
_HEIGHT = 430


def comparison_figure(comparison: RemedyComparison) -> go.Figure:
    """Return the mean of each remedy with its standard deviations over seeds, a point for each."""
    traces = []
    for place, remedy in enumerate(comparison.remedies):
        rows = comparison.test_rows(remedy)
        if not rows:
            continue
        size, size_spread = mean_and_spread(rows, "inefficiency")
        dcv, dcv_spread = mean_and_spread(rows, "dcv")
        colour = COLOURS[place % len(COLOURS)]
        bars = {"type": "data", "thickness": 1.5, "width": 4, "color": colour}
        traces.append(
            go.Scatter(
                x=[size],
                y=[dcv],
                error_x=bars | {"array": [size_spread]},
                error_y=bars | {"array": [dcv_spread]},
                mode="markers",
                marker={"color": colour, "size": 12, "symbol": _SYMBOLS[place % len(_SYMBOLS)]},
                name=literal(rows[0].title),
                hovertemplate=f"{literal(rows[0].title)}<br>DCV %{{y:.4f}} ± {dcv_spread:.4f}<br>"
                f"size %{{x:.4f}} ± {size_spread:.4f}<extra></extra>",
            )
        )
    name = inefficiency_name(comparison.settings["task"])
    return draw(traces, height=_HEIGHT, **_axes(name, "DCV on test rows"))


def path_figure(path: PenaltyPath) -> go.Figure:
    """Return training and test DCV over the penalties, the base first; the knee has a ring.

    Points have names where they are the base, an end, the knee or the C of the settings.
    """
    least = min((row.penalty for row in path.rows if row.penalty is not None), default=None)
    named = {None, least, path.knee, path.settings["c"]}
    traces = [
        _line(path.of("test"), "test rows", ADJUSTED_COLOUR, named),
        _line(path.of("training"), "training rows", BASE_COLOUR, named),
    ]
    knee = [row for row in path.rows if path.knee is not None and row.penalty == path.knee]
    ring = {"symbol": "circle-open", "size": 20, "color": LEVEL_COLOUR, "line": {"width": 2}}
    traces.append(
        go.Scatter(
            x=[row.inefficiency for row in knee],
            y=[row.dcv for row in knee],
            mode="markers",
            marker=ring,
            name="knee",
            hoverinfo="skip",
        )
    )
    name = inefficiency_name(path.settings["task"])
    return draw(traces, height=_HEIGHT, **_axes(name, "DCV"))


def path_points(path: PenaltyPath) -> Sequence[PenaltyRow]:
    """Return the row of each point of a line of :func:`path_figure`, by its place."""
    return path.of("test")


def _line(
    rows: Sequence[PenaltyRow], title: str, colour: str, named: set[float | None]
) -> go.Scatter:
    return go.Scatter(
        x=[row.inefficiency for row in rows],
        y=[row.dcv for row in rows],
        text=[_name(row) if row.penalty in named else "" for row in rows],
        customdata=[_name(row) for row in rows],
        mode="lines+markers+text",
        textposition="top center",
        textfont={"size": 11},
        cliponaxis=False,
        line={"color": colour, "width": 1, "dash": "dot"},
        marker={"color": colour, "size": 11},
        name=title,
        hovertemplate=f"%{{customdata}}, {title}: DCV %{{y:.4f}}, size %{{x:.4f}}<extra></extra>",
    )


def _name(row: PenaltyRow) -> str:
    return "base" if row.penalty is None else f"C {row.penalty:g}"


def _axes(size: str, dcv: str) -> dict[str, dict[str, object]]:
    return {
        "x": {"title": {"text": size}},
        "y": {"title": {"text": dcv}, "rangemode": "tozero"},
    }
