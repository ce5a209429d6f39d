"""Why DCV is never 0: the noise floor, by drawing test sets again and again."""

import numpy as np
import plotly.graph_objects as go

from evencover.sample_data.lessons.noise import DRAWS, LEVEL, expected_dcv, redrawn

from .lesson import DRAW, Line, Setting, Shown, Slider, lines_figure, read_lesson, spread_figure

_ROWS = Slider("n", "Test rows n", (200, 500, 1000, 2000, 5000), 1000)
_FEATURES = Slider("features", "Features", (1, 2, 5, 10, 20), 5)
_UNEVEN = 0.03
_DRAWS_ALONG = 50
_SMALL = 0.005


def _estimates(setting: Setting) -> tuple[go.Figure, str]:
    number = int(setting["draw"])
    found = redrawn(int(setting["n"]), int(setting["features"]), 0.0, number, 1)
    drawn = spread_figure(
        {"p(x) of the test rows": found.p},
        "p(x), estimated",
        bin_width=0.004,
        marked={f"true coverage {LEVEL:g}": LEVEL},
    )
    return drawn, (
        f"Test set {number}: p(x) goes from {found.p.min():.3f} to {found.p.max():.3f}, though "
        f"its true value is {LEVEL:g} for every row. DCV {found.dcv[0]:.4f}."
    )


def _deviations(setting: Setting) -> tuple[go.Figure, str]:
    n, features = int(setting["n"]), int(setting["features"])
    found, floor = redrawn(n, features, 0.0, int(setting["draw"])), expected_dcv(n, features)
    drawn = spread_figure(
        {f"DCV of {DRAWS} test sets": found.dcv},
        "DCV",
        bin_width=0.002,
        marked={"true DCV 0": 0.0, f"floor {floor:.4f}": floor},
        x={"range": [-0.004, 0.2]},
    )
    return drawn, (
        f"{DRAWS} test sets of {n:,} rows, {features} features: "
        f"DCV from {found.dcv.min():.4f} to {found.dcv.max():.4f}, root mean square "
        f"{found.root_mean_square:.4f}; floor {floor:.4f}."
    )


def _along(setting: Setting) -> tuple[go.Figure, str]:
    features, sizes = int(setting["features"]), [int(n) for n in _ROWS.values]
    fine = [round(n) for n in np.geomspace(sizes[0], sizes[-1], 60)]
    lines = []
    for place, (name, fault) in enumerate({"faultless": 0.0, "with a fault": _UNEVEN}.items()):
        drawn = [redrawn(n, features, fault, int(setting["draw"]), _DRAWS_ALONG) for n in sizes]
        means = [each.root_mean_square for each in drawn]
        formula = [expected_dcv(n, features, fault) for n in fine]
        lines += [
            Line(name, fine, formula, place),
            Line(f"{name}, drawn", sizes, means, place, points=True, in_legend=False),
        ]
    across, ends = {f"true DCV {_UNEVEN:g}": _UNEVEN}, {"range": [0.0, 0.13]}
    ticks = {"type": "log", "tickvals": sizes, "ticktext": [f"{n:,}" for n in sizes]}
    few, many = (
        f"{n:,} rows {expected_dcv(n, features):.3f} without and "
        f"{expected_dcv(n, features, _UNEVEN):.3f} with the fault"
        for n in (200, 5000)
    )
    return lines_figure(lines, "test rows n", "DCV", across=across, x=ticks, y=ends), (
        f"{features} features: with {few}, hardly to be told apart; with {many}. "
        f"Points are of {_DRAWS_ALONG} test sets each."
    )


def _why(setting: Setting) -> str:
    n, features = int(_ROWS.first), int(_FEATURES.first)  # that the question is about
    below = int(np.sum(redrawn(n, features, 0.0, int(setting["draw"])).dcv < _SMALL))
    return (
        f"Of {DRAWS} test sets {below} have a DCV below {_SMALL:g}. It is a "
        "root mean square of what chance leaves, so it is above 0 however faultless the predictor: "
        rf"here about $\sqrt{{6 \cdot 0.09 / 1000}}$ = {expected_dcv(n, features):.4f}. More rows "
        "lower the floor, more features raise it."
    )


NOISE = read_lesson(
    "noise",
    Shown(_estimates, (DRAW, _FEATURES, _ROWS)),
    Shown(_deviations, (DRAW, _FEATURES, _ROWS), _why),
    Shown(_along, (DRAW, _FEATURES)),
)
