"""Why intervals that are narrow on average are uneven: the paper's Example 2."""

import plotly.graph_objects as go

from evencover.core.report.wording import percent
from evencover.sample_data.lessons.example_two import all_valid, even, narrowest

from .lesson import Line, Setting, Shown, Slider, lines_figure, read_lesson, shares_figure

_EPS = Slider(
    "eps",
    "Significance level ε: the share of labels that may be missed",
    tuple(round(0.02 * i, 2) for i in range(1, 25)),
    0.1,
)


def _shares(setting: Setting) -> tuple[go.Figure, str]:
    chosen = even(setting["eps"])
    return shares_figure(["X = 1", "X = 2"], [1.0, 2.0], [chosen.a, chosen.b]), (
        f"The interval holds {percent(chosen.coverage_one, '.0f')} of the labels of either kind; "
        f"the mean width is {chosen.mean_width:.2f}."
    )


def _all_valid(setting: Setting) -> tuple[go.Figure, str]:
    found = all_valid(setting["eps"])
    narrow, fair = narrowest(setting["eps"]), even(setting["eps"])
    a = [one.a for one in found]
    lines = [
        Line("coverage where X = 1", a, [one.coverage_one for one in found], 0),
        Line("coverage where X = 2", a, [one.coverage_two for one in found], 1),
        Line("mean width", a, [one.mean_width for one in found], 2),
    ]
    marks = {"even": fair.a, "narrowest": narrow.a}
    x_title, y_title = "a, the interval where X = 1", "coverage, or width"
    x, y = {"range": [0.0, 1.03]}, {"range": [0.0, 1.55]}  # whatever the slider says
    return lines_figure(lines, x_title, y_title, upright=marks, x=x, y=y), (
        f"From left to right the mean width falls to {narrow.mean_width:.2f}; where both kinds "
        f"have the same coverage it is {fair.mean_width:.2f}."
    )


def _costs(setting: Setting) -> tuple[go.Figure, str]:
    narrow, fair = narrowest(setting["eps"]), even(setting["eps"])
    eps = list(_EPS.values)
    lines = [
        Line("mean width, even", eps, [even(e).mean_width for e in eps], 0),
        Line("mean width, narrowest", eps, [narrowest(e).mean_width for e in eps], 1),
        Line("coverage where X = 2, narrowest", eps, [narrowest(e).coverage_two for e in eps], 2),
    ]
    chosen = {f"ε = {setting['eps']:.2f}": setting["eps"]}
    return lines_figure(lines, "ε", "coverage, or width", upright=chosen), (
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


NARROW = read_lesson(
    "narrow",
    Shown(_shares, (_EPS,)),
    Shown(_all_valid, (_EPS,), _why),
    Shown(_costs, (_EPS,)),
)
