"""One look for all charts; colours differ in lightness too, so that they survive grey print."""

import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import PurePath
from typing import Any, Literal, NamedTuple

import plotly.graph_objects as go

from evencover.core.exploration.groups import GroupFigures
from evencover.core.messages import listed, visible
from evencover.core.segments.statistics import FEWEST_JUDGED

from ..wording.formatting import ShownPredictor
from ..wording.rows import ShownSegment

BASE_COLOUR, ADJUSTED_COLOUR = "#43546B", "#C8690A"
COLOURS = (BASE_COLOUR, ADJUSTED_COLOUR, "#2A8C7C", "#9B5DA5", "#7F8400")
"""Each at 3 to 1 or more on white and, lightness turned over, on the dark page."""

TRAINING_COLOUR, NEUTRAL_COLOUR = "#2B83C6", "#6B7480"
HELD_COLOUR, MISSED_COLOUR = "#8490A0", "#B3261E"
"""One meaning for each colour on all pages; the neutral one is for what is none of these."""

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross")
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
_PATTERNS = ("", "/", ".", "x", "-")
"""Of the predictors, by their places; a sixth looks like the first again."""

_APART, _SPREAD = 0.36, 0.6
"""From one predictor's points to the next's, and from the first's to the last's at most."""

LEVEL_COLOUR = "#1A1A1A"
GRID_COLOUR = "#E3E6EA"
_LONGEST_ON_AXIS = 28
_LONGEST_FILE_NAME = 100
_CLEAR = "rgba(0, 0, 0, 0)"
_OFF = "beyond the axis"
_LEVEL_LINE = {"color": LEVEL_COLOUR, "dash": "dash", "width": 1.5}
_AXIS: dict[str, Any] = {
    "gridcolor": GRID_COLOUR,
    "zerolinecolor": "#9AA3AD",
    "zerolinewidth": 2,
    "linecolor": _CLEAR,
    "ticks": "",
    "title": {"font": {"size": 13}},
    "automargin": True,
}
_COLOUR_BAR = {"outlinewidth": 0, "ticks": ""}
PERCENT: dict[str, Any] = {"ticksuffix": " %"}
"""An axis of percentages, written as in sentences: Plotly's own "%" knows no space before it."""
_LOOK = go.layout.Template(
    layout={
        "margin": {"l": 10, "r": 24, "t": 70, "b": 40},
        "paper_bgcolor": _CLEAR,
        "plot_bgcolor": _CLEAR,
        "font": {"color": LEVEL_COLOUR, "size": 13},
        "autotypenumbers": "strict",  # a feature called 12 is no number
        "hoverlabel": {"align": "left"},
        "modebar": {"bgcolor": "rgba(255, 255, 255, 0.8)"},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0.0},
        "title": {
            "yref": "container",
            "y": 1.0,
            "yanchor": "top",
            "pad": {"t": 12},
            "x": 0.0,
            "font": {"size": 14},
        },
        "xaxis": _AXIS,
        # below a chart, plotly would draw the title over the ticks' names
        "yaxis": _AXIS | {"title": _AXIS["title"] | {"standoff": 15}},
    },
    data={"heatmap": [{"colorbar": _COLOUR_BAR}]},
)
"""Instead of plotly's own, which is most of what a page is sent of a chart."""

ALONG = files(__package__).joinpath("along.js").read_text(encoding="utf-8")
Options = Mapping[str, Any]


def draw(
    traces: Iterable[Any],
    height: int,
    *,
    x: Options,
    y: Options,
    name: str = "",
    finding: str = "",
    **layout: Any,  # noqa: ANN401 - whatever Plotly takes
) -> go.Figure:
    """Return a figure of these traces: the common look, with what is given beside or instead.

    Its ``name`` is its title where it is taken along, if it has none; ``finding`` is read aloud.
    """
    # all at once, as each later change of a figure takes longer than the whole of it
    common = {"template": _LOOK, "meta": {"name": name, "finding": finding}}
    whole = {**common, "height": height, "xaxis": x, "yaxis": y, **layout}
    return go.Figure(data=list(traces), layout=whole)


def bar_look(place: int) -> dict[str, Any]:
    """Return colour and pattern of the bars of the predictor at a place."""
    shape = _PATTERNS[place % len(_PATTERNS)]
    pattern = {"shape": shape, "size": 6, "fgcolor": "white", "fillmode": "overlay"}
    look = {"color": COLOURS[place % len(COLOURS)], "line": {"width": 0}}
    return look | ({"pattern": pattern} if shape else {})


def ticks(texts: Sequence[str]) -> dict[str, Any]:
    """Return an axis of groups, at 0, 1, 2, ..."""
    return {"tickvals": list(range(len(texts))), "ticktext": list(texts)}


class Plotted(NamedTuple):
    """A predictor's share of right sets in a group of n test rows, with its 95 % interval."""

    name: str
    n: int
    accuracy: float
    low: float
    high: float

    @classmethod
    def of(cls, name: str, group: GroupFigures | ShownSegment, by: ShownPredictor) -> "Plotted":
        """Return a predictor's of a group, under a name."""
        found = group.figures[by.name]
        return cls(name, group.n, found.accuracy, found.low, found.high)


def pointed_at(groups: Sequence[Plotted], *, named: bool = True) -> dict[str, Any]:
    """Return what is told of groups where the pointer rests, in percent."""
    start = "%{customdata[4]}, " if named else ""
    return {
        "customdata": [
            [one.n, *in_percent([one.accuracy, one.low, one.high]), literal(one.name)]
            for one in groups
        ],
        "hovertemplate": start + "n = %{customdata[0]:,}: %{customdata[1]:.1f} %, "
        "95 % interval %{customdata[2]:.1f} % to %{customdata[3]:.1f} %<extra></extra>",
    }


def coverage_points(
    by: ShownPredictor, groups: Sequence[Plotted], *, upright: bool
) -> dict[str, Any]:
    """Return a predictor's coverage of groups, in percent, with intervals, ``upright`` along y."""
    axis = "y" if upright else "x"
    bars = {
        "type": "data",
        "symmetric": False,
        "thickness": 1.5,
        "width": 3,
        "array": [100.0 * one.high - 100.0 * one.accuracy for one in groups],
        "arrayminus": [100.0 * one.accuracy - 100.0 * one.low for one in groups],
    }
    return {
        axis: in_percent(one.accuracy for one in groups),
        f"error_{axis}": bars,
        **line_look(by),
        **pointed_at(groups),
    }


def line_look(by: ShownPredictor) -> dict[str, Any]:
    """Return how a predictor's points and lines look, and its name."""
    colour, symbol, dash = (of[by.place % len(of)] for of in (COLOURS, _SYMBOLS, _DASHES))
    return {
        "name": by.title,
        "line": {"color": colour, "width": 2, "dash": dash},
        "marker": {"color": colour, "size": 9, "symbol": symbol},
    }


def lowest(groups: Iterable[Plotted], by: ShownPredictor) -> str:
    """Return in words which of the groups that are large enough to judge has least coverage."""
    judged = [one for one in groups if one.n >= FEWEST_JUDGED]
    if not judged:
        return ""
    low = min(judged, key=lambda one: one.accuracy)
    return f"lowest{by.at} for {literal(low.name)}, {100.0 * low.accuracy:.1f} % of {low.n:,} rows"


def off_axis(
    places: Sequence[Any],
    values: Sequence[float],
    span: Sequence[float] | None,
    told: Options,
    colour: str = LEVEL_COLOUR,
) -> list[go.Scatter]:
    """Return marks at the ends of an axis for values that lie beyond it; none if all are within.

    ``places`` are theirs along the other axis, ``told`` what is told where the pointer rests.
    """
    low, high = span or (-math.inf, math.inf)
    inside = 0.02 * (high - low)
    x = [low + inside if v < low else high - inside if v > high else None for v in values]
    symbols = [f"triangle-{'right' if value > high else 'left'}" for value in values]
    marker = {"symbol": symbols, "size": 11, "color": colour}
    marks = go.Scatter(x=x, y=places, mode="markers", marker=marker, name=_OFF, **told)
    return [marks] if any(at is not None for at in x) else []


def in_percent(shares: Iterable[float]) -> list[float]:
    """Return them on the scale of an axis of percentages."""
    return [100.0 * share for share in shares]


def beside(by: ShownPredictor, count: int, groups: int) -> list[float]:
    """Return where a predictor's points are on an axis of groups, beside those of the others."""
    step = min(_APART, _SPREAD / max(1, count - 1))
    return [group + step * (by.place - (count - 1) / 2.0) for group in range(groups)]


def level_line(level: float, axis: Literal["x", "y"], scale: float = 100.0) -> dict[str, Any]:
    """Return the line at the level, across the axis that coverage runs along, by itself in percent.

    Its name is in the legend, as in the chart it would sit on what is drawn there.
    """
    return {"shapes": marks({f"CL {level:g}": scale * level}, axis)}


def marks(values: Options, axis: str, of: str | None = None) -> list[dict[str, Any]]:
    """Return lines at values of an axis, with their names in the legend; the first is a level's."""
    other = "y" if axis == "x" else "x"
    ends = {f"{other}0": 0, f"{other}1": 1, f"{other}ref": f"{other} domain", "showlegend": True}
    looks = (_LEVEL_LINE, {"color": COLOURS[3], "width": 2})
    return [
        {
            "type": "line",
            "line": looks[min(place, 1)],
            **dict.fromkeys((f"{axis}0", f"{axis}1"), value),
            f"{axis}ref": of or axis,
            **ends,
            "name": name,
        }
        for place, (name, value) in enumerate(values.items())
    ]


def in_words(figure: go.Figure) -> str:
    """Return in one sentence what a chart shows, and finds, for those who do not see it."""
    layout = figure.layout
    axes = [axis.title.text for axis in (layout.yaxis, layout.xaxis) if axis.title.text]
    names = [one.name for one in (*figure.data, *layout.shapes) if one.name]
    told = [f": {' by '.join(axes)}"] if axes else []
    told += [f", showing {listed(list(dict.fromkeys(names)))}"] if names else []
    told += [f"; {layout.meta['finding']}"] if layout.meta["finding"] else []
    return html.unescape("".join([name_of(figure), *told, "."]))


def name_of(figure: go.Figure) -> str:
    """Return a chart's name, as it is shown where it is taken along."""
    return html.unescape(figure.layout.title.text or figure.layout.meta["name"] or "Chart")


def buttons(figure: go.Figure, about: str) -> dict[str, Any]:
    """Return Plotly's options of a chart's two buttons, which take it along as PNG and as SVG.

    Plotly has none for SVG: ``along.js`` turns the second.
    """
    names = {"a PNG": "PNG", "JSON": "SVG"}
    words = {f"Download plot as {of}": f"Download chart as {by}" for of, by in names.items()}
    return {
        "modeBarButtons": [["toImage", "downloadJson"]],
        "displayNotifier": False,
        "locales": {"en-US": {"dictionary": words}},
        "toImageButtonOptions": {"format": "png", "scale": 2, "filename": file_name(figure, about)},
    }


def file_name(figure: go.Figure, about: str) -> str:
    """Return the name of a chart's file without ending, such as "coverage-by-race-triage"."""
    words = re.findall(r"\w+", f"{name_of(figure)} {PurePath(about).stem}".lower())
    return "-".join(words)[:_LONGEST_FILE_NAME]


def literal(text: str) -> str:
    """Return text that Plotly shows as it is: names and values of a table may hold tags."""
    return html.escape(visible(text), quote=False)


def axis_name(text: str) -> str:
    """Return the same for an axis, without what of it would take the place of the chart."""
    return literal(shortened(text, _LONGEST_ON_AXIS))


def shortened(text: str, longest: int) -> str:
    """Return text of so many signs at most, without its middle: names differ at their ends, too."""
    behind = (longest - 1) // 2
    ahead = longest - 1 - behind
    return text if len(text) <= longest else f"{text[:ahead]}…{text[len(text) - behind :]}"
