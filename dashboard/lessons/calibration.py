"""Marginal against conditional coverage, by drawing calibration sets again and again."""

import math

import numpy as np
import plotly.graph_objects as go

from evencover.core.arrays import FloatArray
from evencover.core.conformal.rank import threshold_rank
from evencover.core.report.wording import percent
from evencover.sample_data.lessons import two_kinds

from ..figures.style import PERCENT
from .lesson import DRAW, Line, Setting, Shown, Slider, lines_figure, read_lesson, spread_figure

_LEVEL = 0.9
_MARK = {f"CL {_LEVEL:g}": 100.0 * _LEVEL}
_REDRAWN = 500
_RANGE = {"range": [40.0, 101.0], **PERCENT}  # whatever the sliders say
_ASKED_ROWS, _ASKED_COVERAGE = 99, 0.88
_SETS = Slider("sets", "Sets drawn", tuple(range(1, 21)), 1)
_ROWS = Slider("rows", "Rows n of each set", (19, 49, 99, 199, 499, 999), _ASKED_ROWS)


def _coverages(setting: Setting) -> dict[str, FloatArray]:
    """Return those of redrawn sets."""
    n, seed = int(setting["rows"]), int(setting["draw"])
    return two_kinds.coverage(two_kinds.calibrated(n, _LEVEL, _REDRAWN, seed))


def _one_by_one(setting: Setting) -> tuple[go.Figure, str]:
    count, found = int(setting["sets"]), _coverages(setting)
    lines = [
        Line(name, list(range(1, count + 1)), 100.0 * values[:count], place, points=True)
        for place, (name, values) in enumerate(found.items())
    ]
    ends = {"range": [0.5, _SETS.values[-1] + 0.5]}
    drawn = lines_figure(lines, "calibration set", "true coverage", across=_MARK, x=ends, y=_RANGE)
    last = {name: percent(float(values[count - 1])) for name, values in found.items()}
    return drawn, (
        f"Calibration set {count} covers {last['all']} of all houses: "
        f"{last['town']} in town and {last['country']} in the country."
    )


def _redrawn(setting: Setting) -> tuple[go.Figure, str]:
    n, values = int(setting["rows"]), _coverages(setting)["all"]
    at = np.linspace(0.7, 1.0, 301)
    rank = threshold_rank(n, _LEVEL)
    density = two_kinds.coverage_density(at, n, _LEVEL) / 100.0
    drawn = spread_figure(
        {f"coverage of all, {_REDRAWN} calibration sets": 100.0 * values},
        "true coverage of all houses",
        bin_width=0.5,
        law=Line(f"Beta({n + 1 - rank}, {rank})", 100.0 * at, density, 1),
        marked=_MARK,
        x=PERCENT,
    )
    below = two_kinds.share_below(_ASKED_COVERAGE, n, _LEVEL)
    return drawn, (
        f"n = {n}: mean {percent(float(values.mean()))}; below {percent(_ASKED_COVERAGE, '.0f')} "
        f"in {percent(float(np.mean(values < _ASKED_COVERAGE)), '.0f')} of the sets drawn, in "
        f"{percent(below, '.0f')} by the law."
    )


def _by_kind(setting: Setting) -> tuple[go.Figure, str]:
    found = _coverages(setting)
    in_percent = {name: 100.0 * values for name, values in found.items()}
    said = [
        f"{name} {percent(float(values.mean()))} (± {100.0 * float(values.std()):.1f})"
        for name, values in found.items()
    ]
    return (
        spread_figure(in_percent, "true coverage", bin_width=0.5, marked=_MARK, x=_RANGE),
        f"n = {int(setting['rows'])}, mean and standard deviation: {', '.join(said)}.",
    )


def _why_law(_setting: Setting) -> str:
    below = two_kinds.share_below(_ASKED_COVERAGE, _ASKED_ROWS, _LEVEL)
    error = math.sqrt(_LEVEL * (1.0 - _LEVEL) / _ASKED_ROWS)
    return (
        f"With n = {_ASKED_ROWS} it is Beta(90, 10), of which {percent(below, '.0f')} lie below "
        f"{percent(_ASKED_COVERAGE, '.0f')}. Its standard deviation is about "
        rf"$\sqrt{{\varepsilon (1 - \varepsilon) / n}}$ = {error:.3f}: four times n halve it."
    )


def _why_kinds(_setting: Setting) -> str:
    limit = two_kinds.coverage(np.array(two_kinds.exact_half_width(_LEVEL)))
    return (
        f"All three settle, but not at the same place: all houses at {percent(_LEVEL, '.0f')}, "
        f"town at {percent(float(limit['town']))}, the country at "
        f"{percent(float(limit['country']))}. More calibration rows make coverage *sure*, not "
        "*even*. For that the intervals have to depend on the object."
    )


CALIBRATION = read_lesson(
    "calibration",
    Shown(_one_by_one, (DRAW, _ROWS, _SETS)),
    Shown(_redrawn, (DRAW, _ROWS), _why_law),
    Shown(_by_kind, (DRAW, _ROWS), _why_kinds),
)
