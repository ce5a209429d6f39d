"""What a lesson is: steps of one idea each, as data that a page draws; and the pictures of steps.

Pictures are of arrays and closed forms, so that another lesson can use them.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import plotly.graph_objects as go

from evencover.core.arrays import BoolArray, FloatArray
from evencover.core.messages import listed
from evencover.sample_data.lessons.two_kinds import Promised

from ..figures import style
from ..figures.style import BASE_COLOUR, COLOURS, PERCENT, Options, draw, marks

Setting = Mapping[str, float]  # the values of a lesson's sliders, by their names

_HEIGHT = 420
_FROM_AFAR, _TOP = 17, 85
_DASHES = ("solid", "dash", "solid", "dot", "dashdot")
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross")
_BAND = "rgba(67, 84, 107, 0.18)"
_HELD, _MISSED = "in its interval", "missed"


@dataclass(frozen=True)
class Slider:
    """One that the learner moves; its name is that of its value in the address."""

    name: str
    label: str
    values: tuple[float, ...]
    first: float


DRAW = Slider("draw", "Random draw", tuple(range(1, 9)), 1)
"""What drawn rows come of; first in each step, as a slider that changes place loses its keys."""


class Shown(NamedTuple):
    """What a step shows at a setting: a picture, its sliders, and ``why`` an answer is right."""

    draw: Callable[[Setting], tuple[go.Figure, str]]  # the picture, and in words what it shows
    sliders: tuple[Slider, ...] = ()
    why: Callable[[Setting], str] = lambda _: ""


@dataclass(frozen=True)
class Question:
    """What the learner answers before the step's picture is shown; ``right`` counts from 0."""

    text: str
    answers: Sequence[str]
    right: int
    why: str = ""  # it is right, if that needs no figures


@dataclass(frozen=True)
class Step:
    """One idea: a text in Markdown with the paper's formulas, and what is shown of it.

    Until a question is answered that of the step before is shown.
    """

    title: str
    text: str
    shown: Shown
    question: Question | None


@dataclass(frozen=True)
class Lesson:
    """A lesson by its title, which is in the address, and its steps; the first asks nothing."""

    title: str
    steps: tuple[Step, ...]

    @property
    def first_setting(self) -> Setting:
        """The values that the sliders of all steps have at first."""
        return {slider.name: slider.first for step in self.steps for slider in step.shown.sliders}


def read_lesson(name: str, *shown: Shown) -> Lesson:
    """Return a lesson: its words are in a file of this name, what its steps show is given."""
    told = tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))
    steps = []
    for words, of_step in zip(told["steps"], shown, strict=True):
        question = Question(**words["question"]) if "question" in words else None
        steps.append(Step(words["title"], words["text"], of_step, question))
    return Lesson(told["title"], tuple(steps))


@dataclass(frozen=True)
class Line:
    """A named line, or points alone; ``place`` is that of its colour, dash and symbol."""

    name: str
    x: Sequence[float] | FloatArray
    y: Sequence[float] | Sequence[str] | FloatArray
    place: int = 0
    points: bool = False
    in_legend: bool = True

    def trace(self, **more: Any) -> go.Scatter:  # noqa: ANN401 - whatever Plotly takes
        """Return it as Plotly draws it."""
        colour = COLOURS[self.place % len(COLOURS)]
        is_named = isinstance(self.y[0], str)
        told = "%{y}: %{x:.4g}" if is_named else "%{y:.4g} at %{x:.3g}"
        return go.Scatter(
            x=list(self.x),
            y=list(self.y),
            name=self.name,
            showlegend=self.in_legend,
            mode="markers" if self.points else "lines",
            line={"color": colour, "width": 2.5, "dash": _DASHES[self.place % len(_DASHES)]},
            marker={"color": colour, "size": 9, "symbol": _SYMBOLS[self.place % len(_SYMBOLS)]},
            hovertemplate=f"{self.name}: {told}<extra></extra>",
            **more,
        )


def enlarged(figure: go.Figure) -> go.Figure:
    """Return it as it is seen from afar: in larger type, and with no height of its own."""
    top = min(figure.layout.margin.t or _TOP, _TOP)
    figure.update_layout(font_size=_FROM_AFAR, height=None, margin_t=top)
    figure.update_yaxes(title_font_size=_FROM_AFAR)
    return figure.update_xaxes(title_font_size=_FROM_AFAR)


def lines_figure(
    lines: Sequence[Line],
    x_title: str,
    y_title: str,
    *,
    across: Mapping[str, float] | None = None,
    upright: Mapping[str, float] | None = None,
    x: Options | None = None,
    y: Options | None = None,
) -> go.Figure:
    """Return lines, with values marked ``across`` the chart and ``upright`` in it, by name."""
    return draw(
        [line.trace() for line in lines],
        _HEIGHT,
        margin={"t": 110},
        x={"title": {"text": x_title}, "zeroline": False, **(x or {})},
        y={"title": {"text": y_title}, "zeroline": False, **(y or {})},
        shapes=[*marks(across or {}, "y"), *marks(upright or {}, "x")],
    )


def shares_figure(
    names: Sequence[str], wholes: Sequence[float], parts: Sequence[float]
) -> go.Figure:
    """Return bars, of which the dark part is held by an interval from 0."""
    looks = (("where the label may lie", wholes, "#C3CAD4"), ("the interval", parts, BASE_COLOUR))
    common = {"y": list(names), "orientation": "h", "width": 0.5}
    bars = [go.Bar(x=[*x], name=name, marker={"color": c}, **common) for name, x, c in looks]
    return draw(
        bars,
        300,
        barmode="overlay",
        x={"title": {"text": "label y"}, "range": [0.0, 2.05]},
        y={"autorange": "reversed"},
    )


def spread_figure(
    samples: Mapping[str, FloatArray],
    x_title: str,
    *,
    bin_width: float,
    law: Line | None = None,
    marked: Mapping[str, float] | None = None,
    x: Options | None = None,
) -> go.Figure:
    """Return histograms by name, as densities, with their law and values marked upright."""
    bars = [
        go.Histogram(
            x=list(values),
            name=name,
            histnorm="probability density",
            xbins={"size": bin_width},
            marker={"color": COLOURS[place % len(COLOURS)], "line": {"width": 0}},
            opacity=0.65,
            hovertemplate=f"{name}, %{{x}}: density %{{y:.1f}}<extra></extra>",
        )
        for place, (name, values) in enumerate(samples.items())
    ]
    return draw(
        [*bars, *([] if law is None else [law.trace()])],
        _HEIGHT,
        barmode="overlay",
        margin={"t": 90},
        x={"title": {"text": x_title}, "zeroline": False, **(x or {})},
        y={"title": {"text": "how often"}, "showticklabels": False},
        shapes=marks(marked or {}, "x"),
    )


def band_figure(
    rows: tuple[FloatArray, FloatArray, BoolArray],
    band: tuple[FloatArray, FloatArray, FloatArray],
    coverage: Sequence[Line],
    level: float,
    labels: tuple[float, float],
) -> go.Figure:
    """Return intervals along a feature over rows, and below them coverage along it.

    ``rows`` are feature, label and whether it is held, shape (n,); ``band`` is the feature, and
    the intervals' lower and upper ends, shape (m,); ``coverage`` is in percent; ``labels`` are
    the ends of the upper axis.
    """
    x, lower, upper = band
    edge = {"mode": "lines", "line": {"color": BASE_COLOUR, "width": 1.5}, "hoverinfo": "skip"}
    above = [
        go.Scatter(x=list(x), y=list(upper), showlegend=False, **edge),
        go.Scatter(
            x=list(x), y=list(lower), name="interval", fill="tonexty", fillcolor=_BAND, **edge
        ),
        *_points(*rows),
    ]
    return draw(
        [*above, *(line.trace(yaxis="y2") for line in coverage)],
        560,
        margin={"t": 110},
        x={"title": {"text": "feature x"}, "anchor": "y2", "zeroline": False},
        y={"title": {"text": "label y"}, "domain": [0.48, 1.0], "zeroline": False, "range": labels},
        yaxis2={
            "title": {"text": "coverage"},
            "domain": [0.0, 0.4],
            "range": [45.0, 103.0],
            **PERCENT,
        },
        shapes=marks({f"CL {level:g}": 100.0 * level}, "y", "y2"),
    )


def promise_figure(houses: Sequence[Promised], label: str = "price, thousands") -> go.Figure:
    """Return an interval upright for each house, its price as a point, kinds side by side."""
    kinds = list(dict.fromkeys(house.kind for house in houses))
    places = [float(i + 2 * kinds.index(house.kind)) for i, house in enumerate(houses)]
    held = [house.held for house in houses]
    bars = [
        go.Scatter(
            x=[x for p, h in zip(places, held, strict=True) if h == is_held for x in (p, p, None)],
            y=[y for h in houses if h.held == is_held for y in (h.low, h.high, None)],
            mode="lines",
            line={"color": colour, "width": 5},
            opacity=0.4,
            hoverinfo="skip",
            showlegend=False,
        )
        for is_held, colour in ((True, style.HELD_COLOUR), (False, style.MISSED_COLOUR))
    ]
    prices = [house.price for house in houses]
    names = {k: [p for p, h in zip(places, houses, strict=True) if h.kind == k] for k in kinds}
    right = {k: sum(h.held for h in houses if h.kind == k) for k in kinds}
    told = [f"{right[k]} of {len(at)} are in theirs for {k}" for k, at in names.items()]
    return draw(
        [*bars, *_points(places, prices, held)],
        320,
        name=f"Intervals of {len(houses)} rows",
        finding=listed(told),
        margin={"t": 40},
        x={
            "tickvals": [sum(at) / len(at) for at in names.values()],
            "ticktext": [f"<b>{k}</b><br>{right[k]} of {len(at)}" for k, at in names.items()],
            "tickangle": 0,
            "showgrid": False,
            "zeroline": False,
        },
        y={"title": {"text": label}, "zeroline": False},
    )


def _points(
    x: Sequence[float] | FloatArray,
    y: Sequence[float] | FloatArray,
    held: Sequence[bool] | BoolArray,
) -> list[go.Scatter]:
    """Return rows as points, those that their set misses apart."""
    held_look, missed_look = (style.HELD_COLOUR, "circle", 6), (style.MISSED_COLOUR, "x", 9)
    looks = {True: (_HELD, *held_look), False: (_MISSED, *missed_look)}
    return [
        go.Scatter(
            x=[value for value, right in zip(x, held, strict=True) if right == is_held],
            y=[value for value, right in zip(y, held, strict=True) if right == is_held],
            name=name,
            mode="markers",
            marker={"color": colour, "symbol": symbol, "size": size},
            hoverinfo="skip",
        )
        for is_held, (name, colour, symbol, size) in looks.items()
    ]
