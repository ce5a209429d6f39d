"""Why DCV is never 0: the noise floor, by drawing test sets again and again."""

import numpy as np
import plotly.graph_objects as go

from evencover.sample_data.lessons.noise import DRAWS, LEVEL, Redrawn, expected_dcv, redrawn

from .lesson import Lesson, Question, Setting, Slider, Step
from .pictures import Line, lines_figure, spread_figure

_SET = Slider("set", "Which test set", tuple(range(1, 21)), 1)
_ROWS = Slider("n", "Test rows n", (200, 500, 1000, 2000, 5000), 1000)
_FEATURES = Slider("features", "Features", (1, 2, 5, 10, 20), 5)
_UNEVEN = 0.03
_DRAWS_ALONG = 50
_SMALL = 0.005

_FAULTLESS = r"""
Think of a predictor without fault: whatever the object, its set is right with probability
$1 - \varepsilon = 0.9$. So the true DCV is 0. We do not know that, and fit $p(x)$ to what $n$ test
rows show: $c_j = 1$ where a set is right, and 0 where it is wrong.

Some values of $x$ have met a few more wrong sets than others, by chance, and $p(x)$ follows them.
"""
_FLOOR = r"""
A logistic regression has $k$ parameters, one for each feature and the intercept, and each of them
takes up its share of chance. With $w = \varepsilon (1 - \varepsilon)$ the DCV of a faultless
predictor is about

$$\sqrt{k\, w / n} ,$$

its **floor**. The draw of the calibration rows adds $w / n_{\mathrm{cal}}$ under the root: see *On
average over what?*
"""
_FAULT = r"""
Now compare it with a predictor that has a fault: coverage is 87 % for one half of the objects and
93 % for the other, a true DCV of 0.03. Fault and floor add as squares,

$$\mathrm{DCV} \approx \sqrt{0.03^2 + k\, w / n} .$$

(The formula is for many rows: with 200, of which some 20 sets are wrong, chance adds more.)

So read DCV beside its floor. Near it, there may be no fault, or one too small for these rows to
show. Well above it, coverage does depend on $x$.
"""


def _one_set(setting: Setting) -> Redrawn:
    return redrawn(int(setting["n"]), int(setting["features"]), 0.0, int(setting["set"]), 1)


def _all_sets(setting: Setting) -> Redrawn:
    return redrawn(int(setting["n"]), int(setting["features"]), 0.0, 0)


def _floor(setting: Setting) -> float:
    return expected_dcv(int(setting["n"]), int(setting["features"]))


def _estimates(setting: Setting) -> go.Figure:
    return spread_figure(
        {"p(x) of the test rows": _one_set(setting).p},
        "p(x), estimated",
        bin_width=0.004,
        marks={f"true coverage {LEVEL:g}": LEVEL},
    )


def _deviations(setting: Setting) -> go.Figure:
    return spread_figure(
        {f"DCV of {DRAWS} test sets": _all_sets(setting).dcv},
        "DCV",
        bin_width=0.002,
        marks={"true DCV 0": 0.0, f"floor {_floor(setting):.4f}": _floor(setting)},
    )


def _along(setting: Setting) -> go.Figure:
    features, sizes = int(setting["features"]), [int(n) for n in _ROWS.values]
    fine = [round(n) for n in np.geomspace(sizes[0], sizes[-1], 60)]
    lines = []
    for place, (name, fault) in enumerate({"faultless": 0.0, "with a fault": _UNEVEN}.items()):
        drawn = [redrawn(n, features, fault, 0, _DRAWS_ALONG) for n in sizes]
        means = [each.root_mean_square for each in drawn]
        formula = [expected_dcv(n, features, fault) for n in fine]
        lines += [
            Line(f"{name}: formula", fine, formula, place),
            Line(f"{name}: {_DRAWS_ALONG} test sets", sizes, means, place, points=True),
        ]
    across = {f"true DCV {_UNEVEN:g}": _UNEVEN}
    ticks = {"type": "log", "tickvals": sizes, "ticktext": [f"{n:,}" for n in sizes]}
    return lines_figure(lines, "test rows n", "DCV", across=across, x=ticks)


def _say_one(setting: Setting) -> str:
    found = _one_set(setting)
    return (
        f"Test set {int(setting['set'])}: p(x) goes from {found.p.min():.3f} to "
        f"{found.p.max():.3f}, though its true value is {LEVEL:g} for every row. "
        f"DCV {found.dcv[0]:.4f}."
    )


def _say_all(setting: Setting) -> str:
    drawn = _all_sets(setting)
    return (
        f"{DRAWS} test sets of {int(setting['n']):,} rows, {int(setting['features'])} features: "
        f"DCV from {drawn.dcv.min():.4f} to {drawn.dcv.max():.4f}, root mean square "
        f"{drawn.root_mean_square:.4f}; floor {_floor(setting):.4f}."
    )


def _say_along(setting: Setting) -> str:
    features = int(setting["features"])
    few, many = (
        f"{n:,} rows {expected_dcv(n, features):.3f} without and "
        f"{expected_dcv(n, features, _UNEVEN):.3f} with the fault"
        for n in (200, 5000)
    )
    return f"{features} features: with {few}, hardly to be told apart; with {many}."


def _why(_setting: Setting) -> str:
    first = NOISE.first_setting
    dcv = _all_sets(first).dcv
    return (
        f"Of {DRAWS} test sets {int(np.sum(dcv < _SMALL))} have a DCV below {_SMALL:g}. It is a "
        "root mean square of what chance leaves, so it is above 0 however faultless the predictor: "
        rf"here about $\sqrt{{6 \cdot 0.09 / 1000}}$ = {_floor(first):.4f}. More rows lower the "
        "floor, more features raise it."
    )


NOISE = Lesson(
    "Why DCV is never 0",
    (
        Step(
            "A predictor without fault", _FAULTLESS, _estimates, _say_one, (_SET, _ROWS, _FEATURES)
        ),
        Step(
            "The floor",
            _FLOOR,
            _deviations,
            _say_all,
            (_ROWS, _FEATURES),
            Question(
                f"Draw {DRAWS} test sets of 1,000 rows with 5 features for this faultless "
                f"predictor. How many of them have a DCV below {_SMALL:g}?",
                ("Nearly all: the true DCV is 0", "About half", "Hardly any"),
                2,
                _why,
            ),
        ),
        Step("Fault or noise?", _FAULT, _along, _say_along, (_FEATURES,)),
    ),
)
