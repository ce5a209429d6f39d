"""Lessons are whole, and what is drawn is the truth, in closed form or simulated anew."""

import numpy as np
import pytest
from scipy import stats

from evencover.dashboard.lessons import LESSONS
from evencover.dashboard.lessons.lesson import DRAW, promise_figure
from evencover.sample_data.lessons import one_feature, overlapping, two_kinds

NARROW, LAYERS, CALIBRATION, NOISE, GROUPS = LESSONS
MANY = 100_000


def picture(lesson, step, **setting):
    """What a step draws at a setting, by the traces' and marks' names."""
    figure = lesson.steps[step - 1].shown.draw({**lesson.first_setting, **setting})[0]
    marks = {shape.name: shape for shape in figure.layout.shapes}
    return {trace.name: trace for trace in figure.data}, marks


def at(trace, x):
    return float(np.interp(x, trace.x, trace.y))


def test_lessons_are_whole():
    assert len({lesson.title for lesson in LESSONS}) == len(LESSONS) == 5
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
            assert step.question.why or step.shown.why(lesson.first_setting)


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
    X, y = one_feature.test_rows(1)
    inside = np.interp(X[:, 0], lower.x, lower.y) <= y
    inside &= y <= np.interp(X[:, 0], upper.x, upper.y)
    held = drawn["in its interval"]
    assert len(held.x) + len(drawn["missed"].x) == len(y)
    # a jump lies between two points of the grid
    assert len(held.x) == pytest.approx(inside.sum(), abs=2)


def test_one_layer_multiplies_the_width_by_its_gamma():
    widths = [
        np.subtract(
            *(trace.y for trace in LAYERS.steps[2].shown.draw({"layer": n, "draw": 1})[0].data[:2])
        )
        for n in (0, 1)
    ]
    ratio = widths[1] / widths[0]
    (gamma,) = one_feature.ifacm_path("logistic", 1).gammas
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
    drawn, marks = picture(NOISE, 1, draw=3, n=500, features=2)
    p = np.array(drawn["p(x) of the test rows"].x)
    said = NOISE.steps[0].shown.draw({"draw": 3, "n": 500, "features": 2})[1]
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
        formula, sets = drawn[name], drawn[f"{name}, drawn"]
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


def test_the_promise_to_each_kind_is_drawn_and_coverage_is_even_in_three_ways():
    figure, words = GROUPS.steps[1].shown.draw({})
    assert figure.layout.xaxis.ticktext == ("<b>town</b><br>18 of 20", "<b>country</b><br>18 of 20")
    assert "town 90.0 %, 32.9 wide; country 90.0 %, 57.6 wide" in words  # 2 * 1.6449 * 10 and 17.5
    one, *even = two_kinds.ways(0.9).values()
    assert sum(one.coverage) / 2.0 == pytest.approx(0.9)
    for way, level in zip(even, (0.9, one.coverage[1], one.coverage[0]), strict=True):
        assert way.coverage == pytest.approx([level, level])
        z = stats.norm.ppf((1.0 + level) / 2.0)
        assert way.widths == pytest.approx([20.0 * z, 35.0 * z])
    # so lowered the country, raised the town keep the width that they had
    assert (even[1].widths[1], even[2].widths[0]) == pytest.approx(tuple(one.widths))


def test_intervals_narrow_enough_are_those_left_of_the_mark():
    drawn, marks = picture(GROUPS, 5, narrow=40)
    said = GROUPS.steps[4].shown.draw({"narrow": 40})[1]
    assert marks["narrow enough: 40"].x0 == 40
    assert [x <= 40 for x in drawn["width in town"].x] == [False, True, True, False]
    assert said == "Narrow enough for town: each at CL, town lowered; for country: none."


@pytest.mark.parametrize(("remedy", "by"), [("one width", None), ("by place", "country")])
def test_thresholds_of_groups_are_those_found_by_hand(remedy, by):
    n, seed = 200, 3
    rng = np.random.default_rng(seed)
    (X, y), (new, labels) = (overlapping.draw(rng, rows) for rows in (2000, n))
    (beta, _, _, _) = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y, rcond=None)

    def at(rows):
        return np.column_stack([np.ones(len(rows)), rows]) @ beta

    errors, cells = np.abs(labels - at(new)), overlapping.CELLS
    widths, spreads = [], np.array([8.0, 16.0, 16.0, 18.0])
    for kind in range(4):
        own = errors if by is None else errors[new[by] == cells[by][kind]]
        rank = int(0.1 * (len(own) + 1) + 1e-9)
        widths.append(2.0 * np.sort(own)[-rank])
    found = overlapping.served(remedy, n, seed)
    np.testing.assert_allclose(found.width, widths)
    middle, half = at(cells) / spreads, np.array(widths) / 2.0 / spreads
    coverage = stats.norm.cdf(middle + half) - stats.norm.cdf(middle - half)
    np.testing.assert_allclose(found.coverage, coverage)
    # of the houses in town 70 % are new, 30 % old
    assert found.of("town")[0] == pytest.approx(0.7 * coverage[0] + 0.3 * coverage[1])
    assert found.of("old")[0] == pytest.approx(0.3 * coverage[1] + 0.7 * coverage[3])
    assert found.of("all")[0] == pytest.approx(coverage @ [0.35, 0.15, 0.15, 0.35])


def test_coverage_of_groups_is_drawn_and_told():
    drawn, _ = picture(GROUPS, 3, houses=200, draw=3)
    assert drawn["by place"].y == ("all", "town", "country", "new", "old")
    served = overlapping.served("by place", 200, 3)
    old = 100.0 * served.of("old")[0]
    assert drawn["by place"].x[-1] == pytest.approx(old)
    assert f"old {old:.1f} %." in GROUPS.steps[2].shown.draw({"houses": 200, "draw": 3})[1]


@pytest.mark.long
def test_each_remedy_keeps_its_promise_on_average_over_draws_and_no_other():
    def mean(remedy, *groups):
        found = [overlapping.served(remedy, 1000, seed) for seed in range(1, 41)]
        return [np.mean([one.of(group)[0] for one in found]) for group in groups]

    four = ("town", "country", "new", "old")
    for remedy in overlapping.REMEDIES:
        assert mean(remedy, "all") == pytest.approx([0.9], abs=0.004)
    assert mean("by place", "town", "country") == pytest.approx([0.9, 0.9], abs=0.006)
    assert mean("by place", "old")[0] < 0.85
    assert mean("place and age", *four) == pytest.approx([0.9] * 4, abs=0.006)
    assert max(mean("place and age", "town, old", "country, new")) < 0.85
    assert max(mean("layers", "town, old", "country, new")) < 0.85


@pytest.mark.long
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
def test_axes_stay_each_curve_has_one_description_and_a_draw_is_the_same_again(lesson):
    for step in lesson.steps:
        first = step.shown.draw(lesson.first_setting)[0]
        told = [t.name for t in first.data if t.showlegend is not False and t.name]
        told += [shape.name for shape in first.layout.shapes]
        assert len(set(told)) == len(told)
        for slider in step.shown.sliders:
            for value in (slider.values[0], slider.values[-1]):
                figure = step.shown.draw({**lesson.first_setting, slider.name: value})[0]
                if lesson is LAYERS:
                    assert figure.layout.yaxis.range == first.layout.yaxis.range
                    low, high = figure.layout.yaxis.range
                    upper, lower = figure.data[:2]
                    assert low < min(lower.y) < max(upper.y) < high
        if DRAW in step.shown.sliders:
            one, other, again = (
                step.shown.draw({**lesson.first_setting, "draw": draw})[0] for draw in (1, 2, 1)
            )
            assert one == again
            assert one.data != other.data
