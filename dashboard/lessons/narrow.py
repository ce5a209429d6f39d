"""Why intervals that are narrow on average are uneven: the paper's Example 2."""

import plotly.graph_objects as go

from evencover.core.report.wording import percent
from evencover.sample_data.lessons.example_two import all_valid, even, narrowest

from .lesson import Lesson, Question, Setting, Slider, Step
from .pictures import Line, lines_figure, shares_figure

_EPS = Slider(
    "eps",
    "Significance level ε: the share of labels that may be missed",
    tuple(round(0.02 * i, 2) for i in range(1, 25)),
    0.1,
)

_PROMISE = r"""
An object has one feature, $X \in \{1, 2\}$, each value half of the time. Its label is uniform,
$Y \sim \mathrm{U}(0, X)$. A predictor gives the interval $R = [0, a]$ where $X = 1$ and
$R = [0, b]$ where $X = 2$. It is *valid* if its **coverage**, the share of labels it holds, is

$$\mathbb{P}(Y \in R) = \tfrac12 a + \tfrac14 b = 1 - \varepsilon .$$

Here both kinds of objects are served alike: $a = 1 - \varepsilon$ and $b = 2(1 - \varepsilon)$.
"""
_WIDTH = r"""
Many other $a$ and $b$ keep the same promise: to each $a$ from $1 - 2\varepsilon$ to $1$ belongs
$b = 4(1 - \varepsilon) - 2a$. Narrow intervals say more, so one may look for those of the smallest
mean width, the **inefficiency**

$$\mathbb{E}(|R|) = \tfrac12 a + \tfrac12 b .$$
"""
_COST = r"""
Evenness has a price. The narrowest intervals have mean width $\tfrac32 - 2\varepsilon$, the even
ones $\tfrac32 (1 - \varepsilon)$: that is $\tfrac12 \varepsilon$ more.

A predictor tuned to be narrow drifts to where width buys most coverage, and away from the objects
that are hard. Its coverage on average does not tell.

*The paper adds that squared widths lead to the same intervals. They do so up to
$\varepsilon = \tfrac38$.*
"""


def _shares(setting: Setting) -> go.Figure:
    chosen = even(setting["eps"])
    return shares_figure(["X = 1", "X = 2"], [1.0, 2.0], [chosen.a, chosen.b])


def _all_valid(setting: Setting) -> go.Figure:
    eps = setting["eps"]
    found = all_valid(eps)
    a = [one.a for one in found]
    lines = [
        Line("coverage where X = 1", a, [one.coverage_one for one in found], 0),
        Line("coverage where X = 2", a, [one.coverage_two for one in found], 1),
        Line("mean width", a, [one.mean_width for one in found], 2),
    ]
    marks = {"even": even(eps).a, "narrowest": narrowest(eps).a}
    return lines_figure(lines, "a, the interval where X = 1", "coverage, or width", upright=marks)


def _costs(setting: Setting) -> go.Figure:
    eps = list(_EPS.values)
    lines = [
        Line("mean width, even", eps, [even(e).mean_width for e in eps], 0),
        Line("mean width, narrowest", eps, [narrowest(e).mean_width for e in eps], 1),
        Line("coverage where X = 2, narrowest", eps, [narrowest(e).coverage_two for e in eps], 2),
    ]
    chosen = {f"ε = {setting['eps']:.2f}": setting["eps"]}
    return lines_figure(lines, "ε", "coverage, or width", upright=chosen)


def _say_shares(setting: Setting) -> str:
    chosen = even(setting["eps"])
    return (
        f"The interval holds {percent(chosen.coverage_one, '.0f')} of the labels of either kind; "
        f"the mean width is {chosen.mean_width:.2f}."
    )


def _say_all_valid(setting: Setting) -> str:
    narrow, fair = narrowest(setting["eps"]), even(setting["eps"])
    return (
        f"From left to right the mean width falls to {narrow.mean_width:.2f}; where both kinds "
        f"have the same coverage it is {fair.mean_width:.2f}."
    )


def _say_costs(setting: Setting) -> str:
    narrow, fair = narrowest(setting["eps"]), even(setting["eps"])
    return (
        f"At ε = {setting['eps']:.2f}: mean width {fair.mean_width:.2f} for even coverage, "
        f"{narrow.mean_width:.2f} for the narrowest, which covers X = 2 in "
        f"{percent(narrow.coverage_two, '.0f')} of cases."
    )


def _why(setting: Setting) -> str:
    narrow = narrowest(setting["eps"])
    return (
        r"Labels of $X = 1$ lie twice as dense, so a unit of width holds twice as many of them. "
        r"All of the width that they can use goes there: $a = 1$, $b = 2 - 4\varepsilon$. Then "
        r"$\mathbb{P}(Y \in R \mid X = 1) = 1$ and $\mathbb{P}(Y \in R \mid X = 2) = "
        rf"1 - 2\varepsilon$: {percent(narrow.coverage_one, '.0f')} and "
        f"{percent(narrow.coverage_two, '.0f')}, where {percent(narrow.coverage, '.0f')} were "
        "promised on average."
    )


NARROW = Lesson(
    "Narrow is not even",
    (
        Step("A promise on average", _PROMISE, _shares, _say_shares, (_EPS,)),
        Step(
            "The narrowest",
            _WIDTH,
            _all_valid,
            _say_all_valid,
            (_EPS,),
            Question(
                "Which of these predictors has the smallest mean width?",
                (
                    "The even one: a = 1 − ε",
                    "All labels of X = 1, fewer of X = 2: a = 1",
                    "All labels of X = 2, fewer of X = 1: b = 2",
                ),
                1,
                _why,
            ),
        ),
        Step("What evenness costs", _COST, _costs, _say_costs, (_EPS,)),
    ),
)
