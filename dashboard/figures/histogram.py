"""How p(x), the estimated probability of being covered, is spread over the test rows."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from evencover.core.coverage.diagnosis import ProbabilityBin
from evencover.core.experiment.figures import ReplayStep, ResultRow

from ..wording.predictors import ShownPredictor
from .style import Options, bar_look, draw, level_line, small_title

_NOISE_COLOUR = "#9AA3AD"


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
    shapes = [*_noise(reference), *level_line(confidence_level, "x", 1.0)["shapes"]]
    return _histogram(bars, 380, x={"title": {"text": "p(x), estimated"}}, shapes=shapes)


def replayed_probability_figure(
    steps: Sequence[ReplayStep], at: int, level: float, height: int = 260
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
    return _histogram(
        bars,
        height,
        x={"title": {"text": "p(x)"}, "range": [places[0] / bins, (places[-1] + 1) / bins]},
        y={"range": [0.0, 1.05 * most]},
        title=small_title("Estimated p(x), test rows"),
        **level_line(level, "x", 1.0),
    )


def _bars(counted: Sequence[tuple[float, float, int]], place: int, name: str) -> go.Bar:
    """Return bars from one end of a bin to the other, as high as it has rows."""
    return go.Bar(
        x=[(low + high) / 2.0 for low, high, _ in counted],
        y=[n for *_, n in counted],
        width=[high - low for low, high, _ in counted],
        marker=bar_look(place, see_through=True),
        name=name,
        customdata=[[low, high] for low, high, _ in counted],
        hovertemplate="p(x) from %{customdata[0]:.3f} to %{customdata[1]:.3f}: "
        f"%{{y}} test rows<extra>{name}</extra>",
    )


def _histogram(
    bars: Sequence[go.Bar],
    height: int,
    *,
    x: Options,
    y: Options | None = None,
    **layout: Any,  # noqa: ANN401 - whatever Plotly takes
) -> go.Figure:
    y = {"title": {"text": "test rows"}, **(y or {})}
    return draw(bars, height, x=x, y=y, barmode="overlay", bargap=0.0, **layout)


def _noise(reference: ResultRow) -> list[dict[str, Any]]:
    if reference.noise_low is None or reference.noise_high is None:
        return []
    place = {"xref": "x", "x0": reference.noise_low, "x1": reference.noise_high}
    place |= {"yref": "y domain", "y0": 0, "y1": 1, "layer": "below"}
    look = {"fillcolor": _NOISE_COLOUR, "opacity": 0.4, "line": {"width": 0}}
    return [{"type": "rect", **place, **look, "name": "noise alone", "showlegend": True}]
