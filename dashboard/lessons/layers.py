"""What layers do: one feature, intervals, true conditional coverage and p(x)."""

import plotly.graph_objects as go

from evencover.core.report.wording import percent
from evencover.sample_data.lessons import one_feature
from evencover.sample_data.lessons.one_feature import GRID, LEVEL, Stage

from .lesson import DRAW, Line, Setting, Shown, Slider, band_figure, read_lesson

_ONE = Slider("layer", "Layers added", (0, 1), 1)
_MORE = Slider("layers", "Layers added", (0, 1, 2, 3), 0)
_RANGE = (-2.2, 4.1)  # of labels and intervals, whatever the sliders say


def _drawn(stage: Stage, setting: Setting, *, with_estimate: bool = True) -> go.Figure:
    X, y = one_feature.test_rows(int(setting["draw"]))
    coverage = [Line("true coverage", GRID, 100.0 * stage.coverage, 2)]
    if with_estimate:
        coverage.append(Line("p(x), estimated", GRID, 100.0 * stage.p, 1))
    band = (GRID, stage.lower, stage.upper)
    return band_figure((X[:, 0], y, stage.held), band, coverage, LEVEL, _RANGE)


def _judged(stage: Stage, setting: Setting, added: str = "") -> tuple[go.Figure, str]:
    low, high = float(stage.coverage.min()), float(stage.coverage.max())
    return _drawn(stage, setting), (
        f"{added}True coverage goes from {percent(low)} to {percent(high)}. "
        f"DCV {stage.dcv:.3f} by p(x), {stage.true_dcv:.3f} by the true "
        f"coverage; mean width {stage.mean_width:.2f}."
    )


def _base(setting: Setting) -> tuple[go.Figure, str]:
    stage = one_feature.ifacm_path("logistic", int(setting["draw"])).stages[0]
    left, right = percent(float(stage.coverage[0])), percent(float(stage.coverage[-1]))
    return _drawn(stage, setting, with_estimate=False), (
        f"True coverage falls from {left} at the left end to {right} at the right; "
        f"on average over x it is {percent(stage.mean_coverage)}."
    )


def _layers(setting: Setting, number: float, estimator: str = "logistic") -> tuple[go.Figure, str]:
    path = one_feature.ifacm_path(estimator, int(setting["draw"]))
    steps = [
        f"layer {i}: γ = {gamma:.3f}, δ = {delta:.3f}"
        for i, (gamma, delta) in enumerate(zip(path.gammas, path.deltas, strict=True), 1)
    ][: int(number)]
    added = f"{'; '.join(steps)}. ".capitalize() if steps else ""
    return _judged(path.stages[min(int(number), len(path.stages) - 1)], setting, added)


def _why(setting: Setting) -> str:
    before, after, *_ = one_feature.ifacm_path("logistic", int(setting["draw"])).stages
    return (
        f"DCV falls from {before.dcv:.3f} to {after.dcv:.3f}, as no straight line is left to be "
        f"seen. True coverage jumps where $p(x)$ crossed $1 - \\varepsilon$, falls on either side "
        f"as before, and strays from it by {after.true_dcv:.3f} (root mean square; "
        f"{before.true_dcv:.3f} before). DCV near 0 says: even, as far as this $p(x)$ can see."
    )


LAYERS = read_lesson(
    "layers",
    Shown(_base, (DRAW,)),
    Shown(lambda setting: _layers(setting, 0), (DRAW,)),
    Shown(lambda setting: _layers(setting, setting["layer"]), (DRAW, _ONE), _why),
    Shown(lambda setting: _layers(setting, setting["layers"], "knn"), (DRAW, _MORE)),
    Shown(lambda s: _judged(one_feature.quantile_path(int(s["draw"])).stages[-1], s), (DRAW,)),
)
