"""What charts draw are the values of the audit's rows, and nothing of streamlit is needed."""

import math
import subprocess
import sys

import numpy as np
import pytest

from evencover.core.events import BaseMeasured, LayerAccepted
from evencover.core.result import CoefficientRow
from evencover.core.segments import SegmentRow
from evencover.dashboard.figures import (
    feature_order,
    path_figure,
    segment_figure,
    shrinkage_figure,
)
from evencover.dashboard.figures.style import COLOURS, NAMES

PREDICTORS = [
    (segment, algorithm) for segment in ("training", "test") for algorithm in ("base", "ifacm")
]
WEIRD = ["a, b", "<b>bold</b>", "&lt;", "$x$", "%{y}", "Größe", "1", "2020-01-01", "x" * 300]


def coefficients(features, before=None):
    """Rows with a different value for each feature and predictor."""
    sizes = np.linspace(0.1, 0.9, len(features)) if before is None else before
    return [
        CoefficientRow(feature, *predictor, float(size) + shift, 0.01 * (i + 1) + shift)
        for predictor, shift in zip(PREDICTORS, (0.0, 0.001, 0.002, 0.003), strict=True)
        for i, (feature, size) in enumerate(zip(features, sizes, strict=True))
    ]


def segment(value, n, base, adjusted):
    return SegmentRow("county", value, n, base, adjusted, base - 0.2, base + 0.1, 0.5, 0.99)


def layer(iteration, dcv, inefficiency):
    return LayerAccepted(iteration, 0.1, 0.05, dcv, inefficiency, dcv, 40, 0.5)


def drawn(figure):
    return [list(trace.x) for trace in figure.data]


# Coefficients


def test_features_are_ordered_by_size_on_training_rows_before():
    rows = coefficients(["a", "b", "c"], before=[0.2, -0.9, 0.5])
    assert feature_order(rows) == ["b", "c", "a"]


def test_the_order_does_not_look_at_test_rows_or_at_what_comes_after():
    rows = coefficients(["a", "b"])
    rows += [CoefficientRow("c", *predictor, 0.0, 0.1) for predictor in PREDICTORS[:1]]
    rows += [CoefficientRow("c", *predictor, 9.0, 0.1) for predictor in PREDICTORS[1:]]
    assert feature_order(rows) == ["b", "a", "c"]


def test_features_without_an_estimate_come_last():
    rows = coefficients(["a", "b", "c", "d"], before=[math.nan, 0.0, math.nan, -0.1])
    assert feature_order(rows) == ["d", "b", "a", "c"]


def test_bars_are_the_coefficients_of_their_predictor(result):
    features = feature_order(result.coefficients)
    figure = shrinkage_figure(result.coefficients, features)
    value = {(r.segment, r.algorithm, r.feature): r.coefficient for r in result.coefficients}
    expected = [[value[*predictor, feature] for feature in features] for predictor in PREDICTORS]
    assert drawn(figure) == expected
    assert [list(trace.y) for trace in figure.data] == [features] * 4


def test_whiskers_are_1_96_standard_errors():
    rows = coefficients(["a", "b"])
    figure = shrinkage_figure(rows, ["b", "a"])
    assert list(figure.data[0].error_x.array) == pytest.approx([1.96 * 0.02, 1.96 * 0.01])
    assert list(figure.data[3].error_x.array) == pytest.approx([1.96 * 0.023, 1.96 * 0.013])
    assert {trace.error_x.symmetric for trace in figure.data} <= {None, True}


def test_training_and_test_stand_beside_each_other_on_one_order_of_features():
    figure = shrinkage_figure(coefficients(["a", "b"]), ["b", "a"])
    assert [trace.xaxis for trace in figure.data] == ["x", "x", "x2", "x2"]
    assert [title.text for title in figure.layout.annotations] == ["training rows", "test rows"]
    assert figure.layout.yaxis.autorange == "reversed"


def test_before_and_after_have_their_colours_and_one_legend_entry_each():
    figure = shrinkage_figure(coefficients(["a"]), ["a"])
    assert [trace.marker.color for trace in figure.data] == list(COLOURS.values()) * 2
    assert [trace.name for trace in figure.data if trace.showlegend] == list(NAMES.values())


def test_only_the_features_asked_for_are_drawn():
    figure = shrinkage_figure(coefficients(["a", "b", "c"]), ["c"])
    assert [list(trace.y) for trace in figure.data] == [["c"]] * 4


def test_a_coefficient_without_an_estimate_draws_no_bar():
    rows = coefficients(["a", "b"], before=[math.nan, 0.5])
    bars = drawn(shrinkage_figure(rows, feature_order(rows)))
    assert bars[0][0] == 0.5
    assert math.isnan(bars[0][1])


def test_no_features_draw_an_empty_chart():
    assert drawn(shrinkage_figure([], [])) == [[]] * 4


def test_every_one_of_many_features_is_drawn_and_labelled():
    features = [f"f{i}" for i in range(80)]
    figure = shrinkage_figure(coefficients(features), features)
    assert [len(trace.y) for trace in figure.data] == [80] * 4
    assert figure.layout.yaxis.dtick == 1
    assert figure.layout.height >= 80 * 20


# The path


def test_the_path_sets_out_from_the_base_and_takes_a_step_for_each_layer():
    layers = [layer(1, 0.04, 3.2), layer(2, 0.02, 3.1)]
    figure = path_figure(BaseMeasured(0.08, 3.0), layers, "width")
    assert drawn(figure) == [[0, 1, 2], [0, 1, 2]]
    assert [list(trace.y) for trace in figure.data] == [[0.08, 0.04, 0.02], [3.0, 3.2, 3.1]]
    assert [t.text for t in figure.layout.annotations] == ["training DCV", "training width"]


def test_a_path_without_layers_is_the_base_alone():
    figure = path_figure(BaseMeasured(0.08, 3.0), [], "width")
    assert [list(trace.y) for trace in figure.data] == [[0.08], [3.0]]


def test_every_layer_has_room_on_the_axis():
    layers = [layer(i, 0.04, 3.0) for i in range(1, 21)]
    figure = path_figure(BaseMeasured(0.08, 3.0), layers, "width")
    for axis in (figure.layout.xaxis, figure.layout.xaxis2):
        assert axis.range[0] < 0
        assert axis.range[1] > 20


def test_an_infinite_width_can_be_drawn():
    figure = path_figure(BaseMeasured(0.1, math.inf), [], "width")
    assert "Infinity" not in figure.to_json()


# Segments


def test_points_are_the_accuracies_before_and_after():
    rows = [segment("Kent", 50, 0.9, 0.91), segment("Devon", 30, 0.7, 0.88)]
    figure = segment_figure(rows, 0.9)
    assert drawn(figure)[:2] == [[0.9, 0.7], [0.91, 0.88]]
    assert [trace.name for trace in figure.data[:2]] == list(NAMES.values())


def test_whiskers_end_at_the_ends_of_the_intervals(result):
    rows = [row for row in result.segments if row.variable == "place"]
    before, after = segment_figure(rows, 0.9).data[:2]
    for trace, suffix in ((before, "base"), (after, "adjusted")):
        assert trace.error_x.symmetric is False
        high = np.add(trace.x, trace.error_x.array)
        low = np.subtract(trace.x, trace.error_x.arrayminus)
        assert high == pytest.approx([getattr(row, f"high_{suffix}") for row in rows])
        assert low == pytest.approx([getattr(row, f"low_{suffix}") for row in rows])


def test_a_line_marks_the_confidence_level():
    figure = segment_figure([segment("Kent", 50, 0.9, 0.91)], 0.85)
    (line,) = figure.layout.shapes
    assert (line.x0, line.x1) == (0.85, 0.85)
    assert [note.text for note in figure.layout.annotations] == ["CL 0.85"]


def test_each_segment_is_labelled_with_its_value_and_rows():
    rows = [segment("Kent", 50, 0.9, 0.91), segment("Devon", 30, 0.7, 0.88)]
    axis = segment_figure(rows, 0.9).layout.yaxis
    assert [text.split() for text in axis.ticktext] == [
        ["Kent", "(n", "=", "50)"],
        ["Devon", "(n", "=", "30)"],
    ]
    assert list(axis.tickvals) == [0, 1]


def test_a_point_lies_at_its_own_label_before_above_after():
    rows = [segment("Kent", 50, 0.9, 0.91), segment("Devon", 30, 0.7, 0.88)]
    figure = segment_figure(rows, 0.9)
    before, after = (list(trace.y) for trace in figure.data[:2])
    assert [round(y) for y in before] == [round(y) for y in after] == [0, 1]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert all(b < a for b, a in zip(before, after, strict=True))


def test_an_empty_segment_keeps_its_line_without_a_point():
    nan = math.nan
    empty = SegmentRow("county", "Rutland", 0, nan, nan, nan, nan, nan, nan)
    figure = segment_figure([segment("Kent", 50, 0.9, 0.91), empty], 0.9)
    assert "Rutland  (n = 0)" in figure.layout.yaxis.ticktext
    assert math.isnan(figure.data[0].x[1])
    assert "NaN" not in figure.to_json()


def test_no_segments_draw_an_empty_chart():
    assert drawn(segment_figure([], 0.9))[:2] == [[], []]


# Names, and purity


@pytest.mark.parametrize("name", WEIRD)
def test_a_feature_of_any_name_is_drawn_as_text(name):
    figure = shrinkage_figure(coefficients(["other", name]), ["other", name])
    assert figure.layout.yaxis.type == "category"
    assert shown(figure.data[0].y[1]) == name


@pytest.mark.parametrize("name", WEIRD)
def test_a_segment_of_any_name_is_drawn_as_text(name):
    figure = segment_figure([segment(name, 50, 0.9, 0.91)], 0.9)
    assert shown(figure.layout.yaxis.ticktext[0]) == f"{name}  (n = 50)"
    assert shown(figure.data[0].customdata[0][0]) == name


def shown(text):
    """What Plotly shows of a text: tags are obeyed and entities decoded."""
    assert "<b>" not in text
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def test_no_streamlit_is_loaded_for_charts_jobs_exports_or_the_command_line():
    code = (
        "import sys\n"
        "from evencover.dashboard import cli, exports, figures, job_manager, summary, worker\n"
        "print([name for name in sys.modules if name.split('.')[0] == 'streamlit'])"
    )
    told = subprocess.check_output([sys.executable, "-c", code], text=True)  # noqa: S603 - our own
    assert told.strip() == "[]"
