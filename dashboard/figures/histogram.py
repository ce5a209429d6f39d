"""How the estimated probability of a correct set is spread over the test rows."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from evencover.core.coverage.histogram import ProbabilityBin
from evencover.core.findings.result import ResultRow

from ..wording.predictors import Predictor
from .style import colour, draw, level_upright

_NOISE_COLOUR = "#9AA3AD"


def probability_figure(
    bins: Sequence[ProbabilityBin],
    given: Sequence[Predictor],
    reference: ResultRow,
    confidence_level: float,
) -> go.Figure:
    """Return the histograms of p(x) of each predictor, one over the other, beside the level.

    Parameters
    ----------
    bins, given
        Of all predictors, and these.
    reference
        That of the reference on the test rows, which knows the band where about 95 % of p(x)
        would lie by estimation noise alone.
    confidence_level
        CL, which a faultless predictor has for every row.
    """
    bars = []
    for by in given:
        shown = [found for found in bins if found.predictor == by.name]
        bars.append(
            go.Bar(
                x=[(found.low + found.high) / 2.0 for found in shown],
                y=[found.n for found in shown],
                width=[found.high - found.low for found in shown],
                marker={"color": colour(by), "opacity": 0.6, "line": {"width": 0}},
                name=by.title,
                customdata=[[found.low, found.high] for found in shown],
                hovertemplate="p(x) from %{customdata[0]:.3f} to %{customdata[1]:.3f}: "
                f"%{{y}} test rows<extra>{by.title}</extra>",
            )
        )
    level = level_upright(confidence_level)
    return draw(
        bars,
        height=380,
        barmode="overlay",
        bargap=0.0,
        x={"title": {"text": "p(x), estimated"}},
        y={"title": {"text": "test rows"}},
        shapes=[*_noise(reference), *level["shapes"]],
        annotations=level["annotations"],
    )


def _noise(reference: ResultRow) -> list[dict[str, Any]]:
    if reference.noise_low is None or reference.noise_high is None:
        return []
    band = {
        "type": "rect",
        "xref": "x",
        "x0": reference.noise_low,
        "x1": reference.noise_high,
        "yref": "y domain",
        "y0": 0,
        "y1": 1,
        "fillcolor": _NOISE_COLOUR,
        "opacity": 0.22,
        "layer": "below",
        "line": {"width": 0},
        "name": "noise alone",
        "showlegend": True,
    }
    return [band]
