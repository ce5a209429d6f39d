"""Coverage of sets and their size over time, or by how many steps ahead a row was forecast."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import plotly.graph_objects as go

from evencover.core import AuditResult
from evencover.core.segments.by_period import PeriodRow
from evencover.core.segments.statistics import FEWEST_JUDGED
from evencover.core.watching.verdict import PeriodRow as WatchedPeriod

from ..wording.figure_words import periods_in_words
from ..wording.formatting import ShownPredictor, number, predictors, size_name
from . import style

_TITLES = {"time": "Over time", "horizon": "By steps ahead"}
_FILL = {"fill": "tonexty", "fillcolor": "rgba(127, 127, 127, 0.25)", "name": "by chance"}


def period_charts(result: AuditResult) -> list[tuple[str, go.Figure, str]]:
    """Return title, chart and what it says, over time and by horizon, of those that there are."""
    given, charts = predictors(result), []
    for kind, of_kind in groupby(result.periods, key=lambda row: row.kind):
        every = list(of_kind)
        rows = [row for row in every if row.n >= FEWEST_JUDGED] or every  # wide bands hide the rest
        words = periods_in_words(rows, given)
        charts.append((_TITLES[kind], _period_figure(rows, given, result.settings), words))
    return charts


def _period_figure(
    rows: Sequence[PeriodRow], given: Sequence[ShownPredictor], settings: dict[str, Any]
) -> go.Figure:
    of = [(by, [row for row in rows if row.predictor == by.name]) for by in given]
    first = of[0][1]
    low, high = [row.band_low for row in first], [row.band_high for row in first]
    band = _band([row.start for row in first], low, high)
    return style.draw(
        [*band, *(trace for each in of for trace in _lines(*each))],
        height=540,
        margin={"t": 95},
        title=f"Coverage along {style.axis_name(rows[0].column)}, and size of sets",
        x={"anchor": "y2"},
        y={"title": "coverage", "domain": [0.4, 1.0], **style.PERCENT},
        yaxis2={"title": size_name(settings["task"]), "domain": [0.0, 0.3], "rangemode": "tozero"},
        **style.level_line(settings["cl"], "y"),
    )


def watched_figure(every: Sequence[WatchedPeriod], level: float) -> go.Figure:
    """Return coverage of newer rows by period."""
    rows = [row for row in every if row.n >= FEWEST_JUDGED] or every
    starts, shares = [row.period for row in rows], [row.share for row in rows]
    low, high = ([getattr(row, end) for row in rows] for end in ("band_low", "band_high"))
    told = style.pointed_at(
        [*map(style.Plotted, starts, [row.n for row in rows], shares, low, high)]
    )
    told["hovertemplate"] = told["hovertemplate"].replace("95 % interval", "by chance")
    look = {"name": "coverage", "line": {"color": style.NEUTRAL_COLOUR}, "mode": "lines+markers"}
    return style.draw(
        [
            *_band(starts, low, high),
            go.Scatter(x=starts, y=style.in_percent(shares), **look, **told),
        ],
        height=340,
        title="Coverage of newer rows",
        x={"type": "date"},
        y={"title": "coverage", **style.PERCENT},
        **style.level_line(level, "y"),
    )


def _band(x: Sequence[Any], low: Sequence[float], high: Sequence[float]) -> Iterator[go.Scatter]:
    common = {"x": x, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    yield go.Scatter(y=style.in_percent(low), showlegend=False, **common)
    yield go.Scatter(y=style.in_percent(high), **_FILL, **common)


def _lines(by: ShownPredictor, rows: Sequence[PeriodRow]) -> Iterator[go.Scatter]:
    look, told = style.line_look(by), "%{customdata[0]}, n = %{customdata[1]:,}: "
    common = {"x": [row.start for row in rows], "legendgroup": by.name, **look}
    common["customdata"] = [[style.literal(row.period), row.n, number(row.size)] for row in rows]
    for axis, y, last in (
        ("y", style.in_percent(row.coverage for row in rows), "%{y:.1f} %"),
        ("y2", [row.size for row in rows], "%{customdata[2]}"),
    ):
        more = {"mode": "lines+markers", "hovertemplate": f"{told}{last}<extra></extra>"}
        yield go.Scatter(y=y, yaxis=axis, showlegend=axis == "y", **common, **more)
    adapted = style.in_percent(row.adapted for row in rows if row.adapted is not None)
    if adapted:
        more = {"name": f"adaptive, {by.title}", "line": look["line"] | {"dash": "dot"}}
        shown = True if by.place == 0 else "legendonly"
        yield go.Scatter(y=adapted, mode="lines", visible=shown, **common | more)
