"""Coefficient shrinkage: how correctness depends on each feature, by each predictor."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from ..wording.predictors import Predictor
from ..wording.rows import Row
from .style import LEVEL_COLOUR, bar_look, brief, draw, literal, small_title

_WHISKER = 1.0
"""A whisker reaching further may be cut off, and a coefficient with such a standard error, which
the rows hardly determine, is no reason for a wider axis."""

_TITLE, _LINE = 30, 22
"""In pixels, above the legend and of each of its lines."""

_OFF = "beyond the axis"


def shrinkage_figure(
    rows: Sequence[Row], features: Sequence[str], subset: str, given: Sequence[Predictor]
) -> go.Figure:
    """Return the given features' coefficients on one subset, predictors side by side.

    Whiskers are 1.96 standard errors. The axis spans both subsets, so that they can be compared;
    what lies beyond it is marked at its end.
    """
    bars, found = [], []
    for by in given:
        of_feature = {
            row["feature"]: (row["coefficient"], row["standard_error"])
            for row in rows
            if (row["segment"], row["algorithm"]) == (subset, by.name)
        }
        if not of_feature:
            continue
        shown = [of_feature[feature] for feature in features]
        found += [(literal(name), *pair) for name, pair in zip(features, shown, strict=True)]
        bars.append(
            go.Bar(
                y=list(map(literal, features)),
                x=[slope for slope, _ in shown],
                error_x=whiskers([error for _, error in shown]),
                orientation="h",
                marker=bar_look(by.place),
                name=by.title,
                hovertemplate="%{y}: %{x:.4f}<extra>" + f"{subset}, {by.title}</extra>",
            )
        )
    names = set(features)
    every = [(r["coefficient"], r["standard_error"]) for r in rows if r["feature"] in names]
    span = coefficient_range(every)
    off = off_axis(found, span)
    return draw(
        [*bars, *off],
        height=150 + 30 * len(features),
        title=small_title(f"{subset} rows"),
        barmode="group",
        bargap=0.25,
        **coefficient_axes(features, span, len(bars) + len(off)),
    )


def whiskers(errors: Iterable[float]) -> dict[str, Any]:
    """Return error bars of 1.96 standard errors."""
    bars = [1.96 * error for error in errors]
    return {"thickness": 1, "width": 2, "color": "#6B7480", "array": bars}


def coefficient_axes(
    features: Sequence[str], span: list[float] | None, named: int
) -> dict[str, Any]:
    """Return the axes of coefficients of features, one below the other, below a legend.

    In it so many are named, in narrow figures each on a line of its own.
    """
    return {
        "margin": {"t": _TITLE + _LINE * named},
        "x": {"title": {"text": "log-odds"}, "range": span},
        "y": {
            "autorange": "reversed",
            "type": "category",
            "tickvals": list(map(literal, features)),
            "ticktext": list(map(brief, features)),
        },
    }


def coefficient_range(pairs: Iterable[tuple[float, float]]) -> list[float] | None:
    """Return a range for coefficients, of those with their standard errors that rows determine.

    With most of their whiskers; of all if rows hardly determine any, None without any.
    """
    known = [(value, error) for value, error in pairs if math.isfinite(value)]
    determined = [pair for pair in known if pair[1] <= _WHISKER] or known
    ends = [
        value + sign * min(1.96 * error, abs(value) + _WHISKER)
        for value, error in determined
        for sign in (-1.0, 1.0)
    ]
    return [1.05 * min(0.0, *ends), 1.05 * max(0.0, *ends)] if ends else None


def off_axis(
    found: Iterable[tuple[str, float, float]], span: list[float] | None
) -> list[go.Scatter]:
    """Return marks at the ends of the axis for names whose coefficients lie beyond it."""
    if span is None:
        return []
    low, high = span
    off = [one for one in found if one[1] < low or one[1] > high]
    if not off:
        return []
    inside = 0.02 * (high - low)
    mark = go.Scatter(
        x=[low + inside if value < low else high - inside for _, value, _ in off],
        y=[name for name, *_ in off],
        mode="markers",
        marker={
            "symbol": ["triangle-left" if value < low else "triangle-right" for _, value, _ in off],
            "size": 11,
            "color": LEVEL_COLOUR,
        },
        name=_OFF,
        customdata=[list(figures) for _, *figures in off],
        hovertemplate="%{y}: %{customdata[0]:.4g}, standard error %{customdata[1]:.4g}"
        f"<extra>{_OFF}</extra>",
    )
    return [mark]
