"""What the charts of a replay draw are the values of its steps, on axes that stay as they are."""

import numpy as np
import pytest

from evencover.dashboard.figures.paths import path_figures, search_figure
from evencover.dashboard.figures.probability import replayed_probability_figure, shrinking_figures
from evencover.dashboard.figures.style import in_words


@pytest.fixture(scope="module")
def steps(result):
    return result.replays["ifacm"]


def all_figures(steps, at):
    return {
        **path_figures(steps, at, 0.9, "mean width"),
        **shrinking_figures(steps, at),
        "p(x)": replayed_probability_figure(steps, at, 0.9),
    }


def test_paths_have_a_point_for_each_layer(steps):
    dcv, width, worst = path_figures(steps, 1, 0.9, "mean width").values()
    layers = list(range(len(steps)))
    assert [list(line.x) for figure in (dcv, width, worst) for line in figure.data] == [layers] * 6
    assert list(dcv.data[0].y) == [step.training_dcv for step in steps]
    assert list(dcv.data[1].y) == [step.dcv for step in steps]
    assert list(width.data[0].y) == [step.training_inefficiency for step in steps]
    assert list(width.data[1].y) == [step.inefficiency for step in steps]
    assert list(worst.data[0].y) == [100.0 * step.followed.coverage for step in steps]
    assert list(worst.data[1].y) == [100.0 * step.worst.coverage for step in steps]
    assert [line.x1 for line in worst.layout.shapes] == [1]
    assert [line.y1 for line in worst.layout.shapes] == [90.0]


def test_layers_to_come_are_faint_and_the_one_looked_at_is_large(steps):
    for figure in path_figures(steps, 1, 0.9, "mean width").values():
        for line in figure.data:
            assert list(np.argsort(line.marker.size))[-1] == 1
            assert [opacity == 1.0 for opacity in line.marker.opacity][:3] == [True, True, False]


def test_lines_differ_in_more_than_colour(steps):
    for figure in path_figures(steps, 1, 0.9, "mean width").values():
        looks = [(line.line.dash, line.marker.symbol) for line in figure.data]
        assert len(set(looks)) == len({dash for dash, _ in looks}) == len(looks)


def test_coefficients_are_those_of_the_layer_beside_those_without(steps):
    at = len(steps) - 1
    training, test = shrinking_figures(steps, at).values()
    names = list(training.data[0].y)
    assert names == list(test.data[1].y)
    places = [steps[0].features.index(name) for name in names]
    for figure, field in ((training, "training_coefficients"), (test, "coefficients")):
        for trace, step in zip(figure.data, (steps[0], steps[at]), strict=False):
            of = getattr(step, field)
            assert list(trace.x) == [of.slopes[place] for place in places]
        errors = [getattr(steps[at], field).errors[place] for place in places]
        assert list(figure.data[1].error_x.array) == pytest.approx(np.multiply(1.96, errors))
    sizes = [abs(steps[0].training_coefficients.slopes[place]) for place in places]
    assert sizes == sorted(sizes, reverse=True)


def test_bars_count_the_rows_by_their_probability(steps, result):
    figure = replayed_probability_figure(steps, len(steps) - 1, 0.9)
    for trace, predictor in zip(figure.data, ("base", "ifacm"), strict=True):
        p = result.test_rows.probabilities[predictor]
        assert sum(trace.y) == len(p)
        assert np.average(trace.x, weights=trace.y) == pytest.approx(p.mean(), abs=0.005)


def test_axes_are_the_same_at_every_layer(steps):
    def ranges(at):
        figures = all_figures(steps, at).values()
        return [(f.layout.xaxis.range, f.layout.yaxis.range) for f in figures]

    assert all(ranges(at) == ranges(0) for at in range(len(steps)))


def test_the_search_draws_what_was_tried_and_stars_the_best(steps):
    points, star = search_figure(steps[1].tried).data
    assert list(points.x) == [one.gamma for one in steps[1].tried]
    assert list(points.y) == [one.delta for one in steps[1].tried]
    assert list(points.marker.color) == [one.objective for one in steps[1].tried]
    assert (star.x[0], star.y[0]) == (steps[1].gamma, steps[1].delta)


def test_a_chart_is_told_in_words(steps):
    dcv, *_ = path_figures(steps, 0, 0.9, "mean width").values()
    assert in_words(dcv) == "Chart: DCV; layers; training, test"
    spread = in_words(replayed_probability_figure(steps, 0, 0.9))
    assert spread.endswith("test rows by p(x); without a layer, now, CL 0.9")
