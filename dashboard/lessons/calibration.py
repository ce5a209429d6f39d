"""Marginal against conditional coverage, by drawing calibration sets again and again."""

import math

import numpy as np
import plotly.graph_objects as go

from evencover.core.arrays import FloatArray
from evencover.core.conformal.rank import threshold_rank
from evencover.core.report.wording import percent
from evencover.sample_data.lessons import two_kinds

from ..figures.style import PERCENT
from .lesson import Lesson, Question, Setting, Slider, Step
from .pictures import Line, lines_figure, spread_figure

_LEVEL = 0.9
_MARK = {f"CL {_LEVEL:g}": 100.0 * _LEVEL}
_REDRAWN = 500
_ASKED_ROWS, _ASKED_COVERAGE = 99, 0.88
_SETS = Slider("sets", "Calibration sets drawn", tuple(range(1, 21)), 1)
_ROWS = Slider("rows", "Rows n of a calibration set", (19, 49, 99, 199, 499, 999), _ASKED_ROWS)

_DRAWN = r"""
Half of the houses are in town, where predictions of the price are off by 10 thousand (standard
deviation), half in the country, where it is 17.5 thousand. All have the same interval,
$\hat y \pm h$. How wide it must be for 90 % coverage is learned from $n$ calibration houses:
$h$ is such that all but $r - 1$ of them lie within it, with the rank

$$r = \lfloor \varepsilon (n + 1) \rfloor .$$

Other calibration houses give another $h$. Draw more sets, and see what each of them would cover.
"""
_LAW = r"""
$$\mathbb{P}(y \in \Gamma^{\varepsilon}(x; A)) = 1 - \varepsilon$$

is true on average over the new house *and over calibration sets*. You have one calibration set.
Over such sets the coverage of all houses follows a law that is known, whatever the data are:

$$\mathrm{Beta}(n + 1 - r,\; r) .$$
"""
_KINDS = r"""
*Marginal* coverage is that of all houses, $\mathbb{P}(y \in \Gamma^{\varepsilon}(x))$.
*Conditional* coverage is that of a part of them,
$\mathbb{P}(y \in \Gamma^{\varepsilon}(x) \mid x)$, say, of those in the country. The guarantee is
for the first. Take more calibration rows, and see what they do for the second.
"""


def _coverages(setting: Setting) -> dict[str, FloatArray]:
    """Return those of redrawn sets."""
    return two_kinds.coverage(two_kinds.calibrated(int(setting["rows"]), _LEVEL, _REDRAWN, seed=1))


def _one_by_one(setting: Setting) -> go.Figure:
    count = int(setting["sets"])
    numbers = list(range(1, count + 1))
    lines = [
        Line(name, numbers, 100.0 * values[:count], place, points=True)
        for place, (name, values) in enumerate(_coverages(setting).items())
    ]
    ends = {"range": [0.5, _SETS.values[-1] + 0.5]}
    return lines_figure(lines, "calibration set", "true coverage", across=_MARK, x=ends, y=PERCENT)


def _redrawn(setting: Setting) -> go.Figure:
    n = int(setting["rows"])
    at = np.linspace(0.7, 1.0, 301)
    rank = threshold_rank(n, _LEVEL)
    density = two_kinds.coverage_density(at, n, _LEVEL) / 100.0
    law = Line(f"Beta({n + 1 - rank}, {rank})", 100.0 * at, density, 1)
    return spread_figure(
        {f"coverage of all, {_REDRAWN} calibration sets": 100.0 * _coverages(setting)["all"]},
        "true coverage of all houses",
        bin_width=0.5,
        law=law,
        marks=_MARK,
        x=PERCENT,
    )


def _by_kind(setting: Setting) -> go.Figure:
    return spread_figure(
        {name: 100.0 * values for name, values in _coverages(setting).items()},
        "true coverage",
        bin_width=0.5,
        marks=_MARK,
        x=PERCENT,
    )


def _say_last(setting: Setting) -> str:
    place = int(setting["sets"]) - 1
    found = {name: float(values[place]) for name, values in _coverages(setting).items()}
    return (
        f"Calibration set {place + 1} covers {percent(found['all'])} of all houses: "
        f"{percent(found['town'])} in town and {percent(found['country'])} in the country."
    )


def _say_law(setting: Setting) -> str:
    n, values = int(setting["rows"]), _coverages(setting)["all"]
    below = two_kinds.share_below(_ASKED_COVERAGE, n, _LEVEL)
    return (
        f"n = {n}: mean {percent(float(values.mean()))}; below {percent(_ASKED_COVERAGE, '.0f')} "
        f"in {percent(float(np.mean(values < _ASKED_COVERAGE)), '.0f')} of the sets drawn, in "
        f"{percent(below, '.0f')} by the law."
    )


def _say_kinds(setting: Setting) -> str:
    said = [
        f"{name} {percent(float(values.mean()))} (± {100.0 * float(values.std()):.1f})"
        for name, values in _coverages(setting).items()
    ]
    return f"n = {int(setting['rows'])}, mean and standard deviation: {', '.join(said)}."


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


CALIBRATION = Lesson(
    "On average over what?",
    (
        Step("Draw a calibration set", _DRAWN, _one_by_one, _say_last, (_SETS, _ROWS)),
        Step(
            "The law of coverage",
            _LAW,
            _redrawn,
            _say_law,
            (_ROWS,),
            Question(
                f"A calibration set has n = {_ASKED_ROWS} rows, and 90 % are promised. In how many "
                "of all such sets is the coverage of all houses below 88 %?",
                ("In none: 90 % are guaranteed", "In about a quarter", "In about half"),
                1,
                _why_law,
            ),
        ),
        Step(
            "More rows do not make it even",
            _KINDS,
            _by_kind,
            _say_kinds,
            (_ROWS,),
            Question(
                "With ten times the calibration rows, what becomes of the coverage in the country?",
                (
                    "It comes close to 90 %",
                    "It settles at about 82 %",
                    "It becomes as likely to be above 90 % as below",
                ),
                1,
                _why_kinds,
            ),
        ),
    ),
)
