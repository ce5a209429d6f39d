"""Coverage by segment of a variable, along it, and in cells, over two variables or on a map.

Cells are dark below the level, light blue above it. The two sides differ in lightness, too, so that
grey print and colour blindness keep them apart.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from evencover.core.exploration.groups import (
    Band,
    CoverageAlong,
    CoverageMap,
    CoverageOver,
    MapCell,
)
from evencover.core.segments.statistics import FEWEST_JUDGED

from ..wording.formatting import ShownPredictor
from ..wording.rows import SEGMENTS_SHOWN, ShownSegment
from . import style

_AROUND, _PER_ROW, _PER_PREDICTOR = 50, 44, 20
"""In pixels; on a phone each predictor has a line of the legend to itself."""

_MARGIN = 5.0  # from the lowest coverage to the end of the axis, in percent
_HIGHEST = 100.9  # end of an axis of coverage: room for a mark at 100 %, and for no tick above it
_COVERAGE = style.PERCENT | {"autorangeoptions": {"maxallowed": _HIGHEST}}


def coverage_range(
    charts: Iterable[Sequence[ShownSegment]],
    given: Sequence[ShownPredictor],
    confidence_level: float,
) -> list[float]:
    """Return an axis for charts that stand beside each other: of points, not all whiskers.

    Groups too small to be judged do not stretch it, unless there are no others.
    """
    every = [row for of_one in charts for row in of_one[:SEGMENTS_SHOWN] if row.n]
    rows = [row for row in every if row.n >= FEWEST_JUDGED] or every
    shares = [row.figures[by.name].accuracy for row in rows for by in given]
    lowest = min(style.in_percent([*shares, confidence_level]))
    return [max(-_MARGIN, lowest - _MARGIN), _HIGHEST]


def segment_figure(
    rows: Sequence[ShownSegment | Band],
    given: Sequence[ShownPredictor],
    confidence_level: float,
    span: list[float] | None = None,
) -> go.Figure:
    """Return accuracies with their 95 % intervals, one line of the chart for each segment.

    Those that are or were clearly too low are named with their status. ``span`` are the ends of
    the axis, to be those of other charts, too; what reaches beyond it is marked there.
    """
    rows = [row for row in rows if row.n > 0]
    traces, beyond = [], []
    shown = [[style.Plotted.of(row.value, row, by) for row in rows] for by in given]
    for by, groups in zip(given, shown, strict=True):
        points = style.coverage_points(by, groups, upright=False)
        y = style.beside(by, len(given), len(rows))
        traces.append(go.Scatter(y=y, mode="markers", **points))
        ends, told = style.in_percent(one.low for one in groups), style.pointed_at(groups)
        beyond += style.off_axis(y, ends, span, told, points["marker"]["color"])
    for mark in beyond[1:]:
        mark.showlegend = False
    names = {row.variable if isinstance(row, ShownSegment) else "value" for row in rows}
    return style.draw(
        [*traces, *beyond],
        height=_AROUND + _PER_PREDICTOR * max(2, len(given)) + _PER_ROW * max(2, len(rows)),
        name=f"Coverage by {style.axis_name(names.pop()) if len(names) == 1 else 'group'}",
        finding=style.lowest(shown[0], given[0]),
        margin={"t": 30, "b": 40},
        x={"title": "coverage on test rows", "range": span, **_COVERAGE},
        y={
            **style.ticks(list(map(_named, rows))),
            "range": [len(rows) - 0.5, -0.5],
            "zeroline": False,
        },
        **style.level_line(confidence_level, "x"),
    )


def _named(row: ShownSegment | Band) -> str:
    """Return the name of a row in two lines, as wide names leave little of a narrow chart."""
    found = row.status if isinstance(row, ShownSegment) else None
    status = "" if found in (None, "fine") else f", <b>{found}</b>"
    return (
        f"{style.axis_name(row.value)}<br><span style='font-size:11px'>n = {row.n:,}{status}</span>"
    )


def along_figure(
    found: CoverageAlong, by: ShownPredictor, before: ShownPredictor, confidence_level: float
) -> go.Figure:
    """Return a predictor's coverage along a number or date with its band of 95 %.

    The line before is thin beside it. Rows whose value is missing have no place along a line; the
    page mentions them.
    """
    bands = [band for band in found.bands if band.middle is not None]
    along: list[Any] = [band.middle for band in bands]
    if found.kind == "date":
        seconds = np.round(np.array(along, dtype=np.float64) * 86_400.0)
        along = list(map(str, seconds.astype("datetime64[s]")))
    points = [style.Plotted.of(band.value, band, by) for band in bands]
    look = style.line_look(before)
    thin = {"x": along, "mode": "lines", "name": before.title, "hoverinfo": "skip"}
    first = style.in_percent(band.figures[before.name].accuracy for band in bands)
    traces = [
        _band_of_95(along, points, by),
        *[go.Scatter(y=first, line=look["line"] | {"width": 1}, **thin)] * (by != before),
        go.Scatter(
            x=along,
            mode="lines+markers",
            **style.coverage_points(by, points, upright=True) | {"error_y": None},
        ),
    ]
    return style.draw(
        traces,
        height=400,
        name=f"Coverage along {style.axis_name(found.variable)}",
        finding=style.lowest(points, by),
        margin={"t": 90},  # on a phone each name of the legend has a line to itself
        x={"title": style.axis_name(found.variable)},
        y={"title": "coverage", **_COVERAGE},
        **style.level_line(confidence_level, "y"),
    )


def _band_of_95(
    along: Sequence[Any], points: Sequence[style.Plotted], by: ShownPredictor
) -> go.Scatter:
    """Return the area between the ends of the points' intervals."""
    ends = [*(one.high for one in points), *(one.low for one in reversed(points))]
    red, green, blue = bytes.fromhex(style.line_look(by)["line"]["color"][1:])
    return go.Scatter(
        x=[*along, *reversed(along)],
        y=style.in_percent(ends),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=f"rgba({red}, {green}, {blue}, 0.2)",
        hoverinfo="skip",
        name="95 % interval",
    )


_Place = tuple[int, int]  # row and column, from 0


class _Corner(NamedTuple):
    """The middle of a chart's first cell, and the sides of all."""

    x0: float = 0.0
    dx: float = 1.0
    y0: float = 0.0
    dy: float = 1.0


_COLOUR_BAR = {
    "orientation": "h",
    "y": 1.02,
    "yanchor": "bottom",
    "thickness": 12,
    **style.PERCENT,
    "title": "",
}
"""Its title is empty: by the height of one, even none, Plotly moves the chart's out of sight."""
_UNSEEN = "rgba(0, 0, 0, 0)"
_TOO_FEW = "#D5D8DC"
_BELOW, _HALFWAY, _AT_LEVEL, _ABOVE = "#6B2A00", "#D98A3D", "#F7F5F2", "#7FB2E5"
_REACH = 30.0
_LEAST_HEIGHT, _ROOMY, _MOST_HEIGHT, _HEIGHT = 19, 40, 46, 540
"""Of a cell of the heat map in pixels, where it has room for more, and of all where these allow."""


def heat_figure(found: CoverageOver, by: ShownPredictor, confidence_level: float) -> go.Figure:
    """Return the pairs of two variables' segments as cells.

    The last trace is there to be clicked: the whole of each of ``found.cells``, in their order.
    """
    cells = found.cells
    cell_height = max(_LEAST_HEIGHT, min(_MOST_HEIGHT, _HEIGHT / max(1, len(found.ones))))
    measured = [style.Plotted.of(f"{cell.one} × {cell.other}", cell, by) for cell in cells]
    places = [(found.ones.index(cell.one), found.others.index(cell.other)) for cell in cells]
    traces = _cell_traces(measured, places, confidence_level, _Corner(), named=True)
    if cell_height >= _ROOMY:
        traces[-1].update(_in_cells(measured, confidence_level))
    x, y = (
        {**style.ticks(list(map(style.axis_name, names))), "showgrid": False, "zeroline": False}
        for names in (found.others, found.ones)
    )
    one, other = map(style.axis_name, (found.one, found.other))
    return style.draw(
        traces,
        height=round(180 + cell_height * len(found.ones)),
        # not along the axes, where names of segments, which may turn, would meet them
        title=f"Coverage by {one}, and across {other}",
        finding=style.lowest(measured, by),
        margin={"t": 100},
        barmode="overlay",
        uniformtext={"mode": "hide", "minsize": 10},
        x={"range": [-0.5, len(found.others) - 0.5], **x},
        y={"range": [len(found.ones) - 0.5, -0.5], **y},
    )


def map_figure(found: CoverageMap, by: ShownPredictor, confidence_level: float) -> go.Figure:
    """Return the map by longitude and latitude alone, as no map of the country is fetched.

    Cells of few rows are crossed. The last trace is there to be clicked, as in the heat map.
    """
    cells = found.cells
    middle = (cells[0].south + cells[-1].north) / 2.0 if cells else 0.0
    scale = {"scaleanchor": "x", "scaleratio": 1.0 / max(0.01, math.cos(math.radians(middle)))}
    axis = {"constrain": "domain", "zeroline": False}
    return style.draw(
        _map_traces(cells, by, confidence_level) if cells else [],
        height=560,
        title="Coverage",
        margin={"t": 90},
        barmode="overlay",
        x={"title": style.axis_name(found.longitude), **axis},
        y={"title": style.axis_name(found.latitude), **axis, **(scale if cells else {})},
    )


def _map_traces(cells: list[MapCell], by: ShownPredictor, confidence_level: float) -> list[Any]:
    dx, dy = cells[0].east - cells[0].west, cells[0].north - cells[0].south
    west, south = min(cell.west for cell in cells), min(cell.south for cell in cells)
    corner = _Corner(west + dx / 2.0, dx, south + dy / 2.0, dy)
    places = [(round((cell.south - south) / dy), round((cell.west - west) / dx)) for cell in cells]
    measured = [style.Plotted.of("", cell, by) for cell in cells]
    *in_colours, to_click = _cell_traces(measured, places, confidence_level, corner)
    is_small = [cell.n < FEWEST_JUDGED for cell in cells]
    crosses = go.Scatter(
        x=to_click.x,
        y=[corner.y0 + row * corner.dy for row, _ in places],
        mode="markers",
        marker={
            "size": 7,
            "symbol": ["x-thin" if small else "square" for small in is_small],
            "color": _UNSEEN,
            "line": {"color": ["#8A9099" if small else _UNSEEN for small in is_small], "width": 1},
        },
        showlegend=False,
        hoverinfo="skip",
    )
    return [*in_colours, crosses, to_click]


def _in_cells(cells: Sequence[style.Plotted], level: float) -> dict[str, Any]:
    """Return what large cells that are judged say below their share; narrow ones hide it."""
    words = [f"n = {c.n:,}: {100.0 * c.low:.0f} to {100.0 * c.high:.0f} %" for c in cells]
    judged = [text * (c.n >= FEWEST_JUDGED) for c, text in zip(cells, words, strict=True)]
    dark = level - _REACH / 160.0  # above it dark letters are the plainer ones
    colours = [style.LEVEL_COLOUR if one.accuracy > dark else "white" for one in cells]
    place = {"textposition": "inside", "insidetextanchor": "end", "textangle": 0}
    return {"text": judged, "textfont": {"size": 10, "color": colours}, **place}


def coverage_axis(confidence_level: float) -> dict[str, Any]:
    """Return the colours and their ends in percent, with the lightest colour at the level.

    They are the same whatever the data: 30 points to either side at most; what is lower, too, has
    the darkest.
    """
    level = 100.0 * confidence_level
    low, high = max(0.0, level - _REACH), min(100.0, level + _REACH)
    middle = (level - low) / (high - low)
    return {
        "zmin": low,
        "zmax": high,
        "colorscale": [[0.0, _BELOW], [middle / 2.0, _HALFWAY], [middle, _AT_LEVEL], [1.0, _ABOVE]],
    }


def _cell_traces(
    cells: Sequence[style.Plotted],
    places: Sequence[_Place],
    confidence_level: float,
    corner: _Corner,
    *,
    named: bool = False,
) -> list[Any]:
    """Return cells in colours, those of fewer than 20 rows in grey, and all of them to be clicked.

    What is clicked are bars of which nothing is seen, as a heat map takes no clicks; their chart
    needs ``barmode="overlay"``. In cells that are ``named`` figures are written.
    """
    shown = list(zip(places, cells, strict=True))
    few = {place: f"n = {cell.n}" for place, cell in shown if cell.n < FEWEST_JUDGED}
    known = {place: 100.0 * cell.accuracy for place, cell in shown if place not in few}
    shares = {place: f"{share:.0f} %" for place, share in known.items()}
    written = {"texttemplate": "%{text}", "xgap": 1, "ygap": 1} if named else {}
    common = {"hoverinfo": "skip", **corner._asdict(), **written}
    coverage = go.Heatmap(
        z=_grid(places, known, None),
        text=_grid(places, shares, "") if named else None,
        colorbar=_COLOUR_BAR,
        **coverage_axis(confidence_level),
        **common,
    )
    too_few = go.Heatmap(
        z=_grid(places, dict.fromkeys(few, 0.0), None),
        text=_grid(places, few, "") if named else None,
        colorscale=[[0.0, _TOO_FEW], [1.0, _TOO_FEW]],
        showscale=False,
        **common,
    )
    to_click = go.Bar(
        x=[corner.x0 + column * corner.dx for _, column in places],
        y=[corner.dy] * len(places),
        base=[corner.y0 + (row - 0.5) * corner.dy for row, _ in places],
        width=corner.dx,
        marker={"color": _UNSEEN, "line": {"width": 0}},
        showlegend=False,
        **style.pointed_at(cells, named=named),
    )
    return [coverage, too_few, to_click]


def _grid(
    places: Sequence[_Place], filled: Mapping[_Place, Any], empty: str | None
) -> list[list[Any]]:
    rows = range(1 + max((row for row, _ in places), default=-1))
    columns = range(1 + max((column for _, column in places), default=-1))
    return [[filled.get((row, column), empty) for column in columns] for row in rows]
