"""To whom coverage is promised: all, each group, groups that overlap; and what that costs."""

from collections.abc import Collection, Iterable

import plotly.graph_objects as go

from evencover.core.report.wording import percent
from evencover.sample_data.lessons import overlapping, two_kinds
from evencover.sample_data.lessons.overlapping import LEVEL

from ..figures.style import PERCENT
from .lesson import DRAW, Line, Setting, Shown, Slider, lines_figure, promise_figure, read_lesson

_ROWS = Slider("houses", "Calibration houses", (100, 200, 500, 1000, 2000, 5000), 1000)
_NARROW = Slider("narrow", "Narrow enough, thousands", tuple(range(30, 85, 5)), 50)
_REVERSED = {"autorange": "reversed"}
_KINDS = tuple(two_kinds.SPREADS)


def _forty(way: str) -> tuple[go.Figure, str]:
    found = two_kinds.ways(LEVEL)[way]
    told = [
        f"{kind} {percent(covered)}, {width:.1f} wide"
        for kind, covered, width in zip(_KINDS, found.coverage, found.widths, strict=True)
    ]
    drawn = promise_figure(two_kinds.typical(LEVEL, way=way))
    return drawn, f"True coverage and width in thousands: {'; '.join(told)}."


def _coverage(by: str, setting: Setting, groups: Iterable[str]) -> list[float]:
    found = overlapping.served(by, int(setting["houses"]), int(setting["draw"]))
    return [found.of(group)[0] for group in groups]


def _by_group(
    remedies: Iterable[str], groups: Collection[str], setting: Setting, *, told: Collection[str]
) -> tuple[go.Figure, str]:
    """Draw the true coverage of groups by each remedy, and tell it of some, by all but the base."""
    lines, said = [], []
    for place, by in enumerate(remedies):
        x = [100.0 * one for one in _coverage(by, setting, groups)]
        lines.append(Line(by, x, [*groups], place, points=True))
        of_told = zip(told, map(percent, _coverage(by, setting, told)), strict=True)
        said.append(f"{by.capitalize()}: {'; '.join(map(' '.join, of_told))}.")
    mark, x_axis = {f"CL {LEVEL:g}": 100.0 * LEVEL}, {"range": [58.0, 101.0], **PERCENT}
    drawn = lines_figure(lines, "true coverage", "", upright=mark, x=x_axis, y=_REVERSED)
    return drawn, " ".join(said[1:])


def _overlapping(setting: Setting) -> tuple[go.Figure, str]:
    groups = ("town", "country", "new", "old")
    return _by_group(("one width", "by place"), ("all", *groups), setting, told=groups)


def _promised(setting: Setting) -> tuple[go.Figure, str]:
    told = ("town, old", "country, new")
    return _by_group(overlapping.REMEDIES, overlapping.GROUPS, setting, told=told)


def _harm(setting: Setting) -> tuple[go.Figure, str]:
    ways, narrow = two_kinds.ways(LEVEL), setting["narrow"]
    covered = [" and ".join(percent(c, ".0f") for c in way.coverage) for way in ways.values()]
    names, lines, said = [f"{w}<br>{c}" for w, c in zip(ways, covered, strict=True)], [], []
    for i, kind in enumerate(_KINDS):
        widths = [way.widths[i] for way in ways.values()]
        lines.append(Line(f"width in {kind}", widths, names, i, points=True))
        lent = [way for way, width in zip(ways, widths, strict=True) if width <= narrow]
        said.append(f"for {kind}: {', '.join(lent) or 'none'}")
    x, mark = {"range": [25.0, 85.0]}, {f"narrow enough: {narrow:.0f}": narrow}
    drawn = lines_figure(lines, "width, thousands", "", upright=mark, x=x, y=_REVERSED)
    return drawn, f"Narrow enough {'; '.join(said)}."


GROUPS = read_lesson(
    "groups",
    Shown(lambda _: _forty("one width")),
    Shown(lambda _: _forty("each at CL")),
    Shown(_overlapping, (DRAW, _ROWS)),
    Shown(_promised, (DRAW, _ROWS)),
    Shown(_harm, (_NARROW,)),
)
