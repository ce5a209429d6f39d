"""What layers do: one feature, intervals, true conditional coverage and p(x)."""

import plotly.graph_objects as go

from evencover.core.report.wording import percent
from evencover.sample_data.lessons import one_feature
from evencover.sample_data.lessons.one_feature import GRID, LEVEL, Path, Stage

from .lesson import Lesson, Question, Setting, Slider, Step
from .pictures import Line, band_figure

_ONE = Slider("layer", "Layers added", (0, 1), 1)
_MORE = Slider("layers", "Layers added", (0, 1, 2, 3), 0)

_BASE = r"""
The label $y$ is harder to predict the larger its feature $x$. A *conformity measure* gives every
label a **score**, the higher the more typical, here $A(x, y) = -\log |y - \hat y|$. The
**conformal predictor** keeps each label that scores no lower than the lowest share
$\varepsilon = 0.1$ of $n$ calibration rows $z_j$:

$$
\begin{aligned}
\Gamma^{\varepsilon}(x; A) = \Big\{ y : & \sum_j \mathbb{I}[A(x, y) \ge A(z_j)] + 1 \\
& > \varepsilon (n + 1) \Big\}
\end{aligned}
$$

All intervals are equally wide. As this world is made up, the true coverage at each $x$ is known:
it is drawn below.
"""
_ESTIMATE = r"""
In real data the truth is hidden. Each test row tells only whether its interval holds its label,
$c_j = \mathbb{I}[y_j \in \Gamma^{\varepsilon}(x_j; A)]$. A logistic regression of $c$ on $x$
estimates

$$p(x) = \hat{\mathbb{P}}(y \in \Gamma^{\varepsilon}(x; A) \mid x) ,$$

and how far it strays from $1 - \varepsilon$ over the test rows $S$ is the **deviation from
conditional validity**

$$\mathrm{DCV} = \sqrt{\tfrac1{|S|} \sum_{j \in S} (p(x_j) - (1 - \varepsilon))^2} .$$
"""
_LAYER = r"""
IFACM adds a *layer* to the scores, $A^*(x, y) = A(x, y) + \gamma\, U^*(x)$, with

$$
U^*(x) = \begin{cases}
{+1} & p(x) < (1 - \varepsilon) - \delta \\
{-1} & p(x) > (1 - \varepsilon) + \delta \\
\;\;\,0 & \text{otherwise.}
\end{cases}
$$

So intervals become $e^{\gamma}$ times as wide where $p(x)$ is too low, and $e^{-\gamma}$ times
where it is too high; then the calibration rows tell anew how wide all have to be.
**Gamma** and **delta** are those with the smallest **objective** on the training rows: DCV, and
$C$ times what the mean width grows.
"""
_LAYERS = r"""
A logistic regression is one straight line in the **log-odds** $\log \frac{p}{1 - p}$: jumps and
bends escape it. Here $p(x)$ is the share of correct sets among the nearest rows instead, which
follows them. Layers go on until the training DCV falls no further:

$$A^{*[i]}(x, y) = A^{*[i-1]}(x, y) + \gamma_i\, U^*(x; A^{*[i-1]}, \delta_i) .$$

Add them one by one.
"""
_QUANTILE = r"""
There is another way. A logistic $p(x)$ is $1 - \varepsilon$ everywhere if the errors
$c_j - (1 - \varepsilon)$ are uncorrelated with $x$. A **quantile regression** brings just that
about: it takes from each score its linear $\varepsilon$-quantile given $x$,

$$A^*(x, y) = A(x, y) - \beta x ,$$

one convex fit in place of a search. Intervals then widen smoothly with $x$.
"""


def _stage(path: Path, layers: float) -> Stage:
    return path.stages[min(int(layers), len(path.stages) - 1)]


def _logistic(setting: Setting) -> Stage:
    return _stage(one_feature.ifacm_path("logistic"), setting["layer"])


def _neighbours(setting: Setting) -> Stage:
    return _stage(one_feature.ifacm_path("knn"), setting["layers"])


def _base(_setting: Setting) -> Stage:
    return one_feature.ifacm_path("logistic").stages[0]


def _quantile(_setting: Setting) -> Stage:
    return one_feature.quantile_path().stages[-1]


def _drawn(stage: Stage, *, with_estimate: bool = True) -> go.Figure:
    X, y = one_feature.test_rows()
    coverage = [Line("true coverage", GRID, 100.0 * stage.coverage, 2)]
    if with_estimate:
        coverage.append(Line("p(x), estimated", GRID, 100.0 * stage.p, 1))
    band = (GRID, stage.lower, stage.upper)
    return band_figure((X[:, 0], y, stage.held), band, coverage, LEVEL)


def _range_of(stage: Stage) -> str:
    return (
        f"True coverage goes from {percent(float(stage.coverage.min()))} to "
        f"{percent(float(stage.coverage.max()))}"
    )


def _say_base(setting: Setting) -> str:
    stage = _base(setting)
    left, right = percent(float(stage.coverage[0])), percent(float(stage.coverage[-1]))
    return (
        f"True coverage falls from {left} at the left end to {right} at the right; "
        f"on average over x it is {percent(stage.mean_coverage)}."
    )


def _say_both(stage: Stage) -> str:
    return (
        f"{_range_of(stage)}. DCV {stage.dcv:.3f} by p(x), {stage.true_dcv:.3f} by the true "
        f"coverage; mean width {stage.mean_width:.2f}."
    )


def _say_path(path: Path, layers: float) -> str:
    steps = [
        f"layer {i}: γ = {gamma:.3f}, δ = {delta:.3f}"
        for i, (gamma, delta) in enumerate(zip(path.gammas, path.deltas, strict=True), 1)
    ][: int(layers)]
    added = f"{'; '.join(steps)}. " if steps else ""
    return f"{added[:1].upper()}{added[1:]}{_say_both(_stage(path, layers))}"


def _why(_setting: Setting) -> str:
    path = one_feature.ifacm_path("logistic")
    before, after = path.stages[0], path.stages[1]
    return (
        f"DCV falls from {before.dcv:.3f} to {after.dcv:.3f}, as no straight line is left to be "
        f"seen. True coverage jumps where $p(x)$ crossed $1 - \\varepsilon$, falls on either side "
        f"as before, and strays from it by {after.true_dcv:.3f} (root mean square; "
        f"{before.true_dcv:.3f} before). DCV near 0 says: even, as far as this $p(x)$ can see."
    )


LAYERS = Lesson(
    "Layer by layer",
    (
        Step(
            "One width for all", _BASE, lambda s: _drawn(_base(s), with_estimate=False), _say_base
        ),
        Step("p(x) and DCV", _ESTIMATE, lambda s: _drawn(_base(s)), lambda s: _say_both(_base(s))),
        Step(
            "One layer",
            _LAYER,
            lambda s: _drawn(_logistic(s)),
            lambda s: _say_path(one_feature.ifacm_path("logistic"), s["layer"]),
            (_ONE,),
            Question(
                "One layer brings DCV nearly to 0. What is the true coverage like now?",
                (
                    "The same for every x: that is what DCV near 0 means",
                    "It jumps where p(x) was 1 − ε, and still falls on either side",
                    "As uneven as before",
                ),
                1,
                _why,
            ),
        ),
        Step(
            "More layers, and a p(x) that bends",
            _LAYERS,
            lambda s: _drawn(_neighbours(s)),
            lambda s: _say_path(one_feature.ifacm_path("knn"), s["layers"]),
            (_MORE,),
        ),
        Step(
            "One convex fit",
            _QUANTILE,
            lambda s: _drawn(_quantile(s)),
            lambda s: _say_both(_quantile(s)),
        ),
    ),
)
