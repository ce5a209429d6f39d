"""How the estimated probability of a correct set is spread over the test rows."""

from collections.abc import Sequence

import plotly.graph_objects as go

from evencover.core.probability_bins import ProbabilityBin
from evencover.core.result import ResultRow

from .style import COLOURS, LEVEL_COLOUR, NAMES, finish

_NOISE_COLOUR = "#9AA3AD"


def probability_figure(
    bins: Sequence[ProbabilityBin], rows: Sequence[ResultRow], confidence_level: float
) -> go.Figure:
    """Return the histograms of p(x) before and after, one over the other, beside the level.

    Parameters
    ----------
    bins
        Of both predictors.
    rows
        The results; those of the test rows know the band where about 95 % of p(x) would lie by
        estimation noise alone.
    confidence_level
        CL, which a faultless predictor has for every row.
    """
    figure = go.Figure()
    for algorithm, name in NAMES.items():
        shown = [found for found in bins if found.algorithm == algorithm]
        figure.add_bar(
            x=[(found.low + found.high) / 2.0 for found in shown],
            y=[found.n for found in shown],
            width=[found.high - found.low for found in shown],
            marker={"color": COLOURS[algorithm], "opacity": 0.6, "line": {"width": 0}},
            name=name,
            customdata=[[found.low, found.high] for found in shown],
            hovertemplate="p(x) from %{customdata[0]:.3f} to %{customdata[1]:.3f}: %{y} test rows"
            f"<extra>{name}</extra>",
        )
    _add_noise(figure, rows)
    figure.add_vline(
        x=confidence_level,
        line={"color": LEVEL_COLOUR, "dash": "dash", "width": 1.5},
        annotation_text=f"CL {confidence_level:g}",
        annotation_position="top left",
    )
    figure.update_layout(barmode="overlay", bargap=0.0)
    figure.update_xaxes(title_text="p(x), estimated")
    figure.update_yaxes(title_text="test rows")
    return finish(figure, height=380)


def _add_noise(figure: go.Figure, rows: Sequence[ResultRow]) -> None:
    base = next(row for row in rows if (row.segment, row.algorithm) == ("test", "base"))
    if base.noise_low is None or base.noise_high is None:
        return
    figure.add_vrect(
        x0=base.noise_low,
        x1=base.noise_high,
        fillcolor=_NOISE_COLOUR,
        opacity=0.22,
        layer="below",
        line_width=0,
        name="noise alone",
        showlegend=True,
    )
