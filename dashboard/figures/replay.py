"""How an adjustment came about: what sets are like after each layer, and how layers were found."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from evencover.core.events import AfterLayers, Coefficients, Evaluation

from .coefficients import coefficient_axes, coefficient_range, off_axis, whiskers
from .style import (
    ADJUSTED_COLOUR,
    BASE_COLOUR,
    LEVEL_COLOUR,
    PERCENT,
    bar_look,
    draw,
    in_percent,
    level_line,
    literal,
    small_title,
)

_HEIGHT = 260
_FEWEST_STEPS = 4
_MOST_FEATURES = 12
_TO_COME = 0.3
"""How opaque layers are that the slider has not come to."""

_TRAINING = {"color": BASE_COLOUR, "dash": "solid", "symbol": "circle"}
_TEST = {"color": ADJUSTED_COLOUR, "dash": "dash", "symbol": "diamond"}
_HOLLOW = {"color": BASE_COLOUR, "symbol": "circle-open", "size": 9, "line": {"width": 2}}
_FULL = {"color": ADJUSTED_COLOUR, "symbol": "diamond", "size": 9}


def path_figures(
    steps: Sequence[AfterLayers], at: int, level: float, inefficiency: str
) -> dict[str, go.Figure]:
    """Return by their titles what DCV, inefficiency and the worst group's coverage are by layer.

    Layers after ``at`` are faint.
    """
    looks = {"training": _TRAINING, "test": _TEST}
    paths = {
        "DCV": {"training": [s.training_dcv for s in steps], "test": [s.dcv for s in steps]},
        inefficiency.capitalize(): {
            "training": [s.training_inefficiency for s in steps],
            "test": [s.inefficiency for s in steps],
        },
    }
    figures = {
        name: _path(
            [_line(values, at, looks[of], of) for of, values in lines.items()], len(steps), name
        )
        for name, lines in paths.items()
    }
    if steps[0].followed is not None:
        name = "Worst group's coverage, test rows"
        figures[name] = _groups(steps, at, level, name)
    return figures


def _line(values: Sequence[float], at: int, look: dict[str, str], name: str) -> go.Scatter:
    now = [place == at for place in range(len(values))]
    return go.Scatter(
        x=list(range(len(values))),
        y=list(values),
        mode="lines+markers",
        line={"color": look["color"], "dash": look["dash"], "width": 2},
        marker={
            "color": look["color"],
            "symbol": look["symbol"],
            "size": [14 if here else 8 for here in now],
            "opacity": [1.0 if place <= at else _TO_COME for place in range(len(values))],
        },
        name=name,
        hovertemplate="%{x} layers: %{y:.4g}<extra>" + name + "</extra>",
    )


def _path(
    traces: Sequence[go.Scatter],
    steps: int,
    title: str,
    y: Mapping[str, Any] | None = None,
    **more: Any,  # noqa: ANN401 - whatever Plotly takes
) -> go.Figure:
    last = max(_FEWEST_STEPS, steps - 1)
    x = {"title": {"text": "layers"}, "dtick": 1 + last // 12, "range": [-0.4, last + 0.4]}
    y = y or {"rangemode": "tozero"}
    return draw(traces, _HEIGHT, title=small_title(title), x=x, y=y, **more)


def _groups(steps: Sequence[AfterLayers], at: int, level: float, title: str) -> go.Figure:
    """Return coverage of the group that was worst without a layer, and of the worst after each."""
    followed = in_percent(s.followed.coverage for s in steps if s.followed is not None)
    worst = in_percent(s.worst.coverage for s in steps if s.worst is not None)
    lines = [_line(followed, at, _TRAINING, "lowest at first")]
    lines.append(_line(worst, at, _TEST, "lowest now"))
    names = [s.worst.name for s in steps if s.worst is not None]
    lines[1].text = [literal(f"{name.variable}: {name.value}") for name in names]
    lines[1].hovertemplate = "%{x} layers: %{y:.1f} % for %{text}<extra></extra>"
    least = min([*followed, *worst])
    axis = {"range": [max(0.0, least - 5.0), 100.0], **PERCENT}
    return _path(lines, len(steps), title, y=axis, **level_line(level, "y"))


def shrinking_figures(steps: Sequence[AfterLayers], at: int) -> dict[str, go.Figure]:
    """Return coefficients after so many layers, by subset, with hollow marks for those without.

    Those with the largest sizes on training rows without a layer; the axis spans all layers.
    """
    subsets = {
        "training": [step.training_coefficients for step in steps],
        "test": [step.coefficients for step in steps],
    }
    sizes = [-1.0 if math.isnan(slope) else abs(slope) for slope in subsets["training"][0].slopes]
    places = sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True)[:_MOST_FEATURES]
    shown = {name: [_of_places(each, places) for each in of] for name, of in subsets.items()}
    span = coefficient_range([pair for of in shown.values() for each in of for pair in each])
    names = [steps[0].features[place] for place in places]
    return {
        name: _shrinking(of[0], of[at], names, span, f"Coefficients on {name} rows")
        for name, of in shown.items()
    }


def _of_places(given: Coefficients, places: Sequence[int]) -> list[tuple[float, float]]:
    return [(given.slopes[place], given.errors[place]) for place in places]


def _shrinking(
    first: Sequence[tuple[float, float]],
    now: Sequence[tuple[float, float]],
    names: Sequence[str],
    span: list[float] | None,
    title: str,
) -> go.Figure:
    axis = list(map(literal, names))
    marks = [
        go.Scatter(
            x=[slope for slope, _ in of],
            y=axis,
            mode="markers",
            name=name,
            hovertemplate="%{y}: %{x:.3f}<extra>" + name + "</extra>",
            **look,
        )
        for of, name, look in (
            (first, "without a layer", {"marker": _HOLLOW}),
            (now, "now", {"marker": _FULL, "error_x": whiskers([error for _, error in now])}),
        )
    ]
    off = off_axis([(n, *pair) for n, pair in zip(axis, now, strict=True)], span)
    return draw(
        [*marks, *off],
        height=110 + 22 * len(names),
        title=small_title(title),
        **coefficient_axes(names, span, len(marks) + len(off)),
    )


def spread_figure(
    steps: Sequence[AfterLayers], at: int, level: float, height: int = _HEIGHT
) -> go.Figure:
    """Return how p(x) of the test rows is spread after so many layers, over that without."""
    bins = len(steps[0].probabilities)
    filled = [i for i in range(bins) if any(step.probabilities[i] for step in steps)]
    places = range(filled[0], filled[-1] + 1)
    bars = [
        go.Bar(
            x=[(i + 0.5) / bins for i in places],
            y=[step.probabilities[i] for i in places],
            width=1.0 / bins,
            marker=bar_look(number, see_through=True),
            name=name,
            hovertemplate="p(x) near %{x:.3f}: %{y} test rows<extra>" + name + "</extra>",
        )
        for number, (step, name) in enumerate(((steps[0], "without a layer"), (steps[at], "now")))
    ]
    most = max(max(step.probabilities) for step in steps)
    return draw(
        bars,
        height=height,
        title=small_title("Estimated p(x), test rows"),
        barmode="overlay",
        bargap=0.0,
        x={"title": {"text": "p(x)"}, "range": [places[0] / bins, (places[-1] + 1) / bins]},
        y={"title": {"text": "test rows"}, "range": [0.0, 1.05 * most]},
        **level_line(level, "x", 1.0),
    )


def search_figure(tried: Sequence[Evaluation]) -> go.Figure:
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
