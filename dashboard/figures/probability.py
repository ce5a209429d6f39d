"""p(x), the estimated probability of being covered: what it depends on, and how it is spread."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from evencover.core.coverage.diagnosis import ProbabilityBin
from evencover.core.experiment.result import CoefficientRow, ReplayStep, ResultRow

from ..wording.formatting import ShownPredictor
from . import style

_WHISKER = 1.0
"""A whisker reaching further may be cut off, and a coefficient with such a standard error, which
the rows hardly determine, is no reason for a wider axis."""

_TITLE, _LINE = 30, 22  # in pixels, above the legend and of each of its lines
_WHISKERS = {"thickness": 1, "width": 2, "color": "#6B7480"}
_NOISE = {"fillcolor": "#9AA3AD", "opacity": 0.4, "line": {"width": 0}, "name": "noise alone"}
_OVERLAID: dict[str, Any] = {"barmode": "overlay", "bargap": 0.0}  # histograms, one over the other

_Pair = tuple[float, float]  # a coefficient and its standard error


class _Shown(NamedTuple):
    """What is drawn of one predictor: a coefficient for each feature."""

    name: str
    pairs: Sequence[_Pair]
    marker: dict[str, Any]


def shrinkage_figure(
    rows: Sequence[CoefficientRow],
    features: Sequence[str],
    subset: str,
    given: Sequence[ShownPredictor],
) -> go.Figure:
    """Return the given features' coefficients on one subset, predictors side by side.

    Whiskers are 1.96 standard errors. The axis spans both subsets, so that they can be compared;
    what lies beyond it is marked at its end.
    """
    shown = []
    for by in given:
        of_feature = {
            row.feature: (row.coefficient, row.standard_error)
            for row in rows
            if (row.subset, row.predictor) == (subset, by.name)
        }
        if of_feature:
            pairs = [of_feature[feature] for feature in features]
            shown.append(_Shown(by.title, pairs, style.bar_look(by.place)))
    names = set(features)
    every = [(row.coefficient, row.standard_error) for row in rows if row.feature in names]
    height = 150 + 30 * len(features)
    return _coefficients(features, shown, _range(every), height, f"Coefficients on {subset} rows")


def _coefficients(
    features: Sequence[str],
    shown: Sequence[_Shown],
    span: list[float] | None,
    height: int,
    title: str,
) -> go.Figure:
    """Return features one below the other, below a legend with, in narrow figures, a line each."""
    axis = list(map(style.literal, features))
    traces: list[go.Bar | go.Scatter] = [
        go.Bar(
            orientation="h",
            x=[slope for slope, _ in one.pairs],
            y=axis,
            error_x=_WHISKERS | {"array": [1.96 * error for _, error in one.pairs]},
            marker=one.marker,
            name=one.name,
            hovertemplate="%{y}: %{x:.4f}<extra>" + one.name + "</extra>",
        )
        for one in shown
    ]
    every = [pair for one in shown for pair in one.pairs]
    words = "%{y}: %{customdata[0]:.4g}, standard error %{customdata[1]:.4g}"
    told = {"customdata": every, "hovertemplate": words}
    traces += style.off_axis(axis * len(shown), [slope for slope, _ in every], span, told)
    return style.draw(
        traces,
        height,
        title=title,
        margin={"t": _TITLE + _LINE * len(traces)},
        barmode="group",
        bargap=0.25,
        x={"title": "log-odds", "range": span},
        y={
            "autorange": "reversed",
            "type": "category",
            "tickvals": axis,
            "ticktext": list(map(style.axis_name, features)),
        },
    )


def _range(pairs: Iterable[_Pair]) -> list[float] | None:
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


def probability_figure(
    bins: Sequence[ProbabilityBin],
    given: Sequence[ShownPredictor],
    reference: ResultRow,
    confidence_level: float,
) -> go.Figure:
    """Return the histograms of p(x) of each predictor, one over the other, beside the level.

    ``reference``, the reference's row, has the band of 95 % of p(x) by estimation noise alone.
    """
    bars = [
        _bars([(b.low, b.high, b.n) for b in bins if b.predictor == by.name], by.place, by.title)
        for by in given
    ]
    shapes = style.level_line(confidence_level, "x", 1.0)["shapes"]
    if reference.noise_low is not None and reference.noise_high is not None:
        place = {"xref": "x", "x0": reference.noise_low, "x1": reference.noise_high}
        place |= {"yref": "y domain", "y0": 0, "y1": 1, "layer": "below"}
        shapes = [{"type": "rect", **place, **_NOISE, "showlegend": True}, *shapes]
    x, y = {"title": "p(x), estimated"}, {"title": "test rows"}
    name = "Estimated probability of a correct set"
    return style.draw(bars, 380, name=name, x=x, y=y, shapes=shapes, **_OVERLAID)


def dcv_figure(shown: Sequence[tuple[ShownPredictor, ResultRow]]) -> go.Figure:
    """Return DCV on test rows as bars, each with a mark at its floor: what chance alone leaves."""
    bars = [
        go.Bar(
            orientation="h",
            y=[by.title],
            x=[row.dcv],
            name=by.title,
            marker=style.bar_look(by.place),
        )
        for by, row in shown
    ]
    floors = [(by.title, row.dcv_floor) for by, row in shown if row.dcv_floor is not None]
    mark = {"symbol": "line-ns", "size": 26, "line": {"width": 3, "color": style.LEVEL_COLOUR}}
    names, values = [name for name, _ in floors], [value for _, value in floors]
    floor = go.Scatter(
        x=values, y=names, mode="markers", marker=mark, name="floor, by chance alone"
    )
    return style.draw(
        [*bars, floor],
        120 + 44 * len(bars),
        title="DCV on test rows: unevenness of coverage",
        x={"title": "DCV", "rangemode": "tozero"},
        y={"autorange": "reversed"},
        showlegend=False,
    )


def replayed_probability_figure(
    steps: Sequence[ReplayStep], at: int, level: float, height: int = 430
) -> go.Figure:
    """Return how p(x) is spread after so many layers, over that without; of all one axis."""
    bins = len(steps[0].probabilities)
    filled = [i for i in range(bins) if any(step.probabilities[i] for step in steps)]
    places = range(filled[0], filled[-1] + 1)
    bars = [
        _bars([(i / bins, (i + 1) / bins, step.probabilities[i]) for i in places], place, name)
        for place, (step, name) in enumerate(((steps[0], "without a layer"), (steps[at], "now")))
    ]
    most = max(max(step.probabilities) for step in steps)
    return style.draw(
        bars,
        height,
        x={"title": "p(x)", "range": [places[0] / bins, (places[-1] + 1) / bins]},
        y={"title": "test rows", "range": [0.0, 1.05 * most]},
        title="Estimated p(x), test rows",
        **_OVERLAID,
        **style.level_line(level, "x", 1.0),
    )


def _bars(counted: Sequence[tuple[float, float, int]], place: int, name: str) -> go.Bar:
    """Return bars from one end of a bin to the other, as high as it has rows."""
    return go.Bar(
        x=[(low + high) / 2.0 for low, high, _ in counted],
        y=[n for *_, n in counted],
        width=[high - low for low, high, _ in counted],
        marker=style.bar_look(place) | {"opacity": 0.6},
        name=name,
        customdata=[[low, high] for low, high, _ in counted],
        hovertemplate="p(x) from %{customdata[0]:.3f} to %{customdata[1]:.3f}: "
        f"%{{y}} test rows<extra>{name}</extra>",
    )
