"""How the estimated probability of a correct set is spread over the test rows."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from evencover.core.coverage.diagnosis import ProbabilityBin
from evencover.core.experiment.figures import ResultRow

from ..wording.predictors import Predictor
from .style import bar_look, draw, level_line

_NOISE_COLOUR = "#9AA3AD"


def probability_figure(
    bins: Sequence[ProbabilityBin],
    given: Sequence[Predictor],
    reference: ResultRow,
    confidence_level: float,
) -> go.Figure:
    """Return the histograms of p(x) of each predictor, one over the other, beside the level.

    ``reference``, the reference's row, has the band of 95 % of p(x) by estimation noise alone.
    """
    bars = []
    for by in given:
        shown = [found for found in bins if found.predictor == by.name]
        bars.append(
            go.Bar(
                x=[(found.low + found.high) / 2.0 for found in shown],
                y=[found.n for found in shown],
                width=[found.high - found.low for found in shown],
                marker=bar_look(by.place, see_through=True),
                name=by.title,
                customdata=[[found.low, found.high] for found in shown],
                hovertemplate="p(x) from %{customdata[0]:.3f} to %{customdata[1]:.3f}: "
                f"%{{y}} test rows<extra>{by.title}</extra>",
            )
        )
    return draw(
        bars,
        height=380,
        barmode="overlay",
        bargap=0.0,
        x={"title": {"text": "p(x), estimated"}},
        y={"title": {"text": "test rows"}},
        shapes=[*_noise(reference), *level_line(confidence_level, "x", 1.0)["shapes"]],
    )


def _noise(reference: ResultRow) -> list[dict[str, Any]]:
    if reference.noise_low is None or reference.noise_high is None:
        return []
    place = {"xref": "x", "x0": reference.noise_low, "x1": reference.noise_high}
    place |= {"yref": "y domain", "y0": 0, "y1": 1, "layer": "below"}
    look = {"fillcolor": _NOISE_COLOUR, "opacity": 0.4, "line": {"width": 0}}
    return [{"type": "rect", **place, **look, "name": "noise alone", "showlegend": True}]
