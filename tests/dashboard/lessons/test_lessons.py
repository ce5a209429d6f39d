"""Lessons are whole, and what is drawn is the truth, in closed form or simulated anew."""

import numpy as np
import pytest
from scipy import stats

from evencover.dashboard.lessons import LESSONS
from evencover.dashboard.lessons.lesson import promise_figure
from evencover.sample_data.lessons import one_feature, two_kinds

NARROW, LAYERS, CALIBRATION, NOISE = LESSONS
MANY = 100_000


def picture(lesson, step, **setting):
    """What a step draws at a setting, by the traces' and marks' names."""
    figure = lesson.steps[step - 1].shown.draw({**lesson.first_setting, **setting})[0]
    marks = {shape.name: shape for shape in figure.layout.shapes}
    return {trace.name: trace for trace in figure.data}, marks


def at(trace, x):
    return float(np.interp(x, trace.x, trace.y))


def test_lessons_are_whole():
    assert len({lesson.title for lesson in LESSONS}) == len(LESSONS) == 4
    of_steps = [step.shown.sliders for lesson in LESSONS for step in lesson.steps]
    sliders = {slider for of_step in of_steps for slider in of_step}
    assert len({slider.name for slider in sliders}) == len(sliders)  # they are in one address
    for slider in sliders:
        assert slider.first in slider.values
    for lesson in LESSONS:
        assert lesson.steps[0].question is None
        asked = [step for step in lesson.steps if step.question is not None]
        assert asked
        for step in asked:
            assert step.question.answers[step.question.right]
            assert step.shown.why(lesson.first_setting)


@pytest.mark.parametrize("eps", [0.02, 0.1, 0.36, 0.48])
def test_shares_and_all_valid_intervals_of_example_two_are_drawn(eps):
    drawn, _ = picture(NARROW, 1, eps=eps)
    assert list(drawn["where the label may lie"].x) == [1.0, 2.0]
    assert drawn["the interval"].x == pytest.approx([1.0 - eps, 2.0 - 2.0 * eps])
    drawn, marks = picture(NARROW, 2, eps=eps)
    one, two = drawn["coverage where X = 1"], drawn["coverage where X = 2"]
    a = np.array(one.x)
    b = 4.0 * (1.0 - eps) - 2.0 * a
    assert (a[0], a[-1]) == pytest.approx((1.0 - 2.0 * eps, 1.0))
    np.testing.assert_allclose(one.y, a)
    np.testing.assert_allclose(two.y, b / 2.0)
    np.testing.assert_allclose(drawn["mean width"].y, (a + b) / 2.0)
    assert marks["even"].x0 == pytest.approx(1.0 - eps)
    assert marks["narrowest"].x0 == 1.0


def test_what_evenness_costs_is_drawn():
    drawn, marks = picture(NARROW, 3, eps=0.2)
    even, narrow = drawn["mean width, even"], drawn["mean width, narrowest"]
    eps = np.array(even.x)
    np.testing.assert_allclose(even.y, 1.5 * (1.0 - eps))
    np.testing.assert_allclose(np.array(even.y) - narrow.y, eps / 2.0)
    np.testing.assert_allclose(drawn["coverage where X = 2, narrowest"].y, 1.0 - 2.0 * eps)
    assert marks["ε = 0.20"].x0 == 0.2


@pytest.mark.parametrize(("step", "setting"), [(1, {}), (3, {"layer": 1}), (5, {})])
def test_coverage_along_the_feature_is_that_of_the_intervals_drawn(step, setting):
    figure = LAYERS.steps[step - 1].shown.draw({**LAYERS.first_setting, **setting})[0]
    upper, lower = figure.data[:2]
    drawn = {trace.name: trace for trace in figure.data}
    rng = np.random.default_rng(step)
    for x in (-0.9, 0.0, 0.7):
        y = x + 0.4 * np.exp(0.8 * x) * rng.standard_normal(MANY)
        share = np.mean((at(lower, x) <= y) & (y <= at(upper, x)))
        assert at(drawn["true coverage"], x) == pytest.approx(100.0 * share, abs=0.6)
    X, y = one_feature.test_rows()
    inside = np.interp(X[:, 0], lower.x, lower.y) <= y
    inside &= y <= np.interp(X[:, 0], upper.x, upper.y)
    held = drawn["in its interval"]
    assert len(held.x) + len(drawn["missed"].x) == len(y)
    # a jump lies between two points of the grid
    assert len(held.x) == pytest.approx(inside.sum(), abs=2)


def test_one_layer_multiplies_the_width_by_its_gamma():
    widths = [
        np.subtract(*(trace.y for trace in LAYERS.steps[2].shown.draw({"layer": n})[0].data[:2]))
        for n in (0, 1)
    ]
    ratio = widths[1] / widths[0]
    (gamma,) = one_feature.ifacm_path("logistic").gammas
    # both move by the new threshold
    assert ratio[-1] / ratio[0] == pytest.approx(np.exp(2.0 * gamma))


def test_each_calibration_set_drawn_has_its_coverages():
    drawn, marks = picture(CALIBRATION, 1, sets=12, rows=49)
    halves = 17.5 * stats.norm.ppf((1.0 + np.array(drawn["country"].y) / 100.0) / 2.0)
    assert list(drawn["all"].x) == list(range(1, 13))
    town = 200.0 * stats.norm.cdf(halves / 10.0) - 100.0
    assert drawn["town"].y == pytest.approx(town)
    assert drawn["all"].y == pytest.approx((town + drawn["country"].y) / 2.0)
    assert marks["CL 0.9"].y0 == 90.0


def test_redrawn_coverage_is_drawn_with_its_law_and_more_rows_make_it_sure_and_not_even():
    drawn, _ = picture(CALIBRATION, 2, rows=199)
    law = drawn["Beta(180, 20)"]
    expected = stats.beta(180, 20, scale=100.0)
    np.testing.assert_allclose(law.y, expected.pdf(law.x))
    coverage = drawn["coverage of all, 500 calibration sets"].x
    assert stats.kstest(coverage, expected.cdf).pvalue > 0.01
    limit = two_kinds.coverage(np.array(two_kinds.exact_half_width(0.9)))
    drawn, _ = picture(CALIBRATION, 3, rows=999)
    before, _ = picture(CALIBRATION, 3, rows=99)
    for name in ("all", "town", "country"):
        assert np.mean(drawn[name].x) == pytest.approx(100.0 * limit[name], abs=0.3)
        assert np.std(before[name].x) > 2.5 * np.std(drawn[name].x)
    assert np.std(drawn["all"].x) == pytest.approx(stats.beta(900, 100, scale=100.0).std(), rel=0.1)


def test_p_of_one_test_set_strays_by_its_dcv_and_redrawn_dcv_is_drawn_with_its_floor():
    drawn, marks = picture(NOISE, 1, set=3, n=500, features=2)
    p = np.array(drawn["p(x) of the test rows"].x)
    said = NOISE.steps[0].shown.draw({"set": 3, "n": 500, "features": 2})[1]
    assert len(p) == 500
    assert said.endswith(f"DCV {np.sqrt(np.mean((p - 0.9) ** 2)):.4f}.")
    assert marks["true coverage 0.9"].x0 == 0.9
    drawn, marks = picture(NOISE, 2, n=2000, features=5)
    dcv = np.array(drawn["DCV of 200 test sets"].x)
    floor = np.sqrt(6 * 0.09 / 2000)
    assert marks[f"floor {floor:.4f}"].x0 == pytest.approx(floor)
    assert np.sqrt(np.mean(dcv**2)) == pytest.approx(floor, rel=0.08)
    assert dcv.min() > 0.0


@pytest.mark.long
def test_fault_and_floor_add_as_squares():
    drawn, _ = picture(NOISE, 3, features=2)
    for name, fault in (("faultless", 0.0), ("with a fault", 0.03)):
        formula, sets = drawn[f"{name}: formula"], drawn[f"{name}: 50 test sets"]
        expected = np.sqrt(fault**2 + 3 * 0.09 / np.array(formula.x))
        np.testing.assert_allclose(formula.y, expected)
        many = np.sqrt(fault**2 + 3 * 0.09 / np.array(sets.x))
        assert sets.y == pytest.approx(many, rel=0.25)


def test_the_promise_is_drawn():
    figure = promise_figure(two_kinds.typical(0.9))
    drawn = {trace.name: trace for trace in figure.data if trace.name}
    assert (len(drawn["in its interval"].x), len(drawn["missed"].x)) == (36, 4)
    ends = [value for trace in figure.data[:2] for value in trace.y if value is not None]
    width = 2.0 * two_kinds.exact_half_width(0.9)
    np.testing.assert_allclose(np.diff(np.reshape(ends, (40, 2))), width)
    town, country = figure.layout.xaxis.ticktext
    assert (town, country) == ("<b>town</b><br>20 of 20", "<b>country</b><br>16 of 20")
