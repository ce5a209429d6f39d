"""What charts draw are the values of the audit's rows, and nothing of streamlit is needed."""

import math
import re
import subprocess
import sys

import numpy as np
import pytest
from rows import segment_pair

from evencover.core.experiment.figures import CoefficientRow
from evencover.dashboard.figures.probability import shrinkage_figure
from evencover.dashboard.figures.segments import coverage_range, segment_figure
from evencover.dashboard.figures.style import COLOURS
from evencover.dashboard.wording.predictors import of_names
from evencover.dashboard.wording.rows import ShownSegment, feature_order, segments

SETS = ["training", "test"]
BOTH = of_names(["base", "ifacm"])
TITLES = ["before (base)", "after (IFACM)"]
PREDICTORS = [(segment, algorithm) for segment in SETS for algorithm in ("base", "ifacm")]
WEIRD = ["a, b", "<b>bold</b>", "&lt;", "$x$", "%{y}", "Größe", "1", "2020-01-01", "x" * 300]


def coefficients(features, before=None):
    """Rows with a different value for each feature and predictor."""
    sizes = np.linspace(0.1, 0.9, len(features)) if before is None else before
    return [
        coefficient(feature, *predictor, float(size) + shift, 0.01 * (i + 1) + shift)
        for predictor, shift in zip(PREDICTORS, (0.0, 0.001, 0.002, 0.003), strict=True)
        for i, (feature, size) in enumerate(zip(features, sizes, strict=True))
    ]


def coefficient(*fields):
    return CoefficientRow(*fields)


def segment(value, n, base, adjusted, status="fine"):
    rows = segment_pair("v", value, n, (base, base - 0.2, base + 0.1), (adjusted, 0.5, 0.99))
    figures = {row.predictor: row for row in rows}
    return ShownSegment(figures, value, value, None, {"status": status})


def drawn(figure):
    return [list(trace.x) for trace in figure.data]


# Coefficients


def test_features_are_ordered_by_size_on_training_rows_before():
    rows = coefficients(["a", "b", "c", "d"], before=[0.2, -0.9, math.nan, math.nan])
    # neither test rows nor what comes after are looked at, and those without an estimate come last
    rows += [coefficient("e", *predictor, 0.0, 0.1) for predictor in PREDICTORS[:1]]
    rows += [coefficient("e", *predictor, 9.0, 0.1) for predictor in PREDICTORS[1:]]
    assert feature_order(rows) == ["b", "a", "e", "c", "d"]


def both(rows, features):
    return [shrinkage_figure(rows, features, segment, BOTH) for segment in SETS]


def span(rows, features=("a", "b")):
    """The axis of the coefficients, which must be the same for both sets."""
    training, test = (figure.layout.xaxis.range for figure in both(rows, features))
    assert training == test
    return training


def test_bars_are_the_coefficients_of_their_predictor(result):
    rows = result.coefficients
    features = feature_order(rows)
    charts = both(rows, features)
    value = {(r.subset, r.predictor, r.feature): r.coefficient for r in result.coefficients}
    expected = [[value[*predictor, feature] for feature in features] for predictor in PREDICTORS]
    assert [bars for figure in charts for bars in drawn(figure)] == expected
    assert [list(trace.y) for figure in charts for trace in figure.data] == [features] * 4


def test_whiskers_are_1_96_standard_errors():
    training, test = both(coefficients(["a", "b"]), ["b", "a"])
    assert list(training.data[0].error_x.array) == pytest.approx([1.96 * 0.02, 1.96 * 0.01])
    assert list(test.data[1].error_x.array) == pytest.approx([1.96 * 0.023, 1.96 * 0.013])
    traces = [*training.data, *test.data]
    assert {trace.error_x.symmetric for trace in traces} <= {None, True}


@pytest.mark.parametrize("segment", SETS)
def test_a_chart_is_of_one_set_and_the_features_given_in_their_order(segment):
    figure = shrinkage_figure(coefficients(["a", "b", "c"]), ["c", "a"], segment, BOTH)
    assert figure.layout.title.text == f"{segment} rows"
    assert [list(trace.y) for trace in figure.data] == [["c", "a"]] * 2
    assert {trace.xaxis for trace in figure.data} <= {None, "x"}
    assert figure.layout.yaxis.autorange == "reversed"
    # before and after have their colours, and one entry each in the legend
    assert [trace.marker.color for trace in figure.data] == list(COLOURS[:2])
    assert [trace.name for trace in figure.data] == TITLES
    shown = [figure.layout.showlegend, *(trace.showlegend for trace in figure.data)]
    assert False not in shown
    empty = shrinkage_figure(coefficients(["a"]), [], segment, BOTH)
    assert drawn(empty) == [[]] * 2


def test_training_and_test_have_one_axis_that_holds_all_their_whiskers():
    rows = [
        coefficient("a", "training", "base", 0.5, 0.1),  # from 0.304 to 0.696
        coefficient("a", "training", "ifacm", 0.1, 0.1),  # from -0.096 to 0.296
        coefficient("a", "test", "base", 0.4, 0.1),  # from 0.204 to 0.596
        coefficient("a", "test", "ifacm", -0.4, 0.1),  # from -0.596 to -0.204
    ]
    assert span(rows, ["a"]) == pytest.approx((1.05 * -0.596, 1.05 * 0.696))
    # and reaches to zero
    rows = [coefficient("a", *predictor, 0.5, 0.1) for predictor in PREDICTORS]
    assert span(rows, ["a"]) == pytest.approx((0.0, 1.05 * 0.696))


@pytest.mark.parametrize("error", [100.0, math.inf])
def test_a_whisker_without_end_does_not_squeeze_the_bars(error):
    rows = [coefficient("a", *predictor, 0.2, error) for predictor in PREDICTORS]
    assert span(rows, ["a"]) == pytest.approx((1.05 * (0.2 - 1.2), 1.05 * (0.2 + 1.2)))


def test_a_coefficient_that_rows_do_not_determine_is_marked_at_the_end_of_the_axis():
    rows = [coefficient("a", *predictor, 0.2, 0.1) for predictor in PREDICTORS]
    rows += [coefficient("b", *predictor, -31.0, 480.0) for predictor in PREDICTORS]
    low, high = span(rows)
    assert (low, high) == pytest.approx((0.0, 1.05 * 0.396))
    figure = shrinkage_figure(rows, ["a", "b"], "test", BOTH)
    *_, mark = figure.data
    assert figure.layout.margin.t == 30 + 22 * 3  # below the title, three lines of the legend
    assert (mark.name, list(mark.y)) == ("beyond the axis", ["b", "b"])
    assert all(low < x < high for x in mark.x)
    assert list(mark.marker.symbol) == ["triangle-left"] * 2
    assert [list(figures) for figures in mark.customdata] == [[-31.0, 480.0]] * 2


def test_the_axis_is_that_of_the_features_drawn():
    rows = coefficients(["a", "b"], before=[0.1, 9.0])
    assert span(rows, ["a"])[1] < 0.2
    assert span(rows)[1] > 9.0


def test_without_an_estimate_there_is_no_axis_to_agree_on():
    rows = coefficients(["a", "b"], before=[math.nan, math.nan])
    assert span(rows) is None
    assert all("NaN" not in figure.to_json() for figure in both(rows, ["a", "b"]))


def test_a_coefficient_without_an_estimate_draws_no_bar():
    rows = coefficients(["a", "b"], before=[math.nan, 0.5])
    bars = drawn(shrinkage_figure(rows, feature_order(rows), "training", BOTH))
    assert bars[0][0] == 0.5
    assert math.isnan(bars[0][1])


@pytest.mark.parametrize("segment", SETS)
def test_every_one_of_many_features_is_drawn_and_labelled(segment):
    features = [f"f{i}" for i in range(80)]
    figure = shrinkage_figure(coefficients(features), features, segment, BOTH)
    assert [len(trace.y) for trace in figure.data] == [80] * 2
    assert len(figure.layout.yaxis.tickvals) == len(figure.layout.yaxis.ticktext) == 80
    assert figure.layout.height >= 80 * 20


# Segments


KENT, DEVON = segment("Kent", 50, 0.9, 0.91), segment("Devon", 30, 0.7, 0.88)


def test_points_are_the_accuracies_before_and_after():
    figure = segment_figure([KENT, DEVON], BOTH, 0.9)
    assert drawn(figure)[:2] == [[90.0, 70.0], [91.0, 88.0]]
    assert figure.layout.xaxis.ticksuffix == " %"
    # room for a mark at 100 %, and no tick above
    assert figure.layout.xaxis.autorangeoptions.maxallowed == 100.9
    assert coverage_range([KENT, DEVON], BOTH, 0.9) == pytest.approx([65.0, 100.9])
    assert [trace.name for trace in figure.data[:2]] == TITLES


def test_each_segment_has_its_label_and_points_before_above_after():
    figure = segment_figure([KENT, DEVON], BOTH, 0.9)
    axis = figure.layout.yaxis
    shown_in_lines = [re.split("<.*?>", text) for text in axis.ticktext]
    assert shown_in_lines == [["Kent", "", "n = 50", ""], ["Devon", "", "n = 30", ""]]
    assert list(axis.tickvals) == [0, 1]
    before, after = (list(trace.y) for trace in figure.data[:2])
    assert [round(y) for y in before] == [round(y) for y in after] == [0, 1]
    assert axis.range[0] > axis.range[1]
    assert all(b < a for b, a in zip(before, after, strict=True))


def test_whiskers_end_at_the_ends_of_the_intervals(result):
    rows = [one for one in segments(result) if one.variable == "place"]
    before, after = segment_figure(rows, BOTH, 0.9).data[:2]
    for trace, name in ((before, "base"), (after, "ifacm")):
        assert trace.error_x.symmetric is False
        high = np.add(trace.x, trace.error_x.array)
        low = np.subtract(trace.x, trace.error_x.arrayminus)
        assert high == pytest.approx([100.0 * one.figures[name].high for one in rows])
        assert low == pytest.approx([100.0 * one.figures[name].low for one in rows])


def test_a_line_marks_the_confidence_level():
    figure = segment_figure([KENT], BOTH, 0.85)
    (line,) = figure.layout.shapes
    assert (line.x0, line.x1) == (85.0, 85.0)
    # its name is in the legend, where it is on no whisker
    assert (line.name, line.showlegend) == ("CL 0.85", True)
    assert not figure.layout.annotations


@pytest.mark.parametrize(
    ("status", "end"), [("fine", ""), (None, ""), ("mended", ", <b>mended</b>")]
)
def test_a_segment_is_named_with_its_status_if_it_is_or_was_too_low(status, end):
    row = segment("a", 4000, 0.8, 0.9, status)
    (name,) = segment_figure([row], BOTH, 0.9).layout.yaxis.ticktext
    assert name == f"a<br><span style='font-size:11px'>n = 4,000{end}</span>"


def test_a_segment_without_test_rows_is_left_out():
    empty = segment("Rutland", 0, math.nan, math.nan)
    figure = segment_figure([KENT, empty, DEVON], BOTH, 0.9)
    assert figure.to_json() == segment_figure([KENT, DEVON], BOTH, 0.9).to_json()
    assert [name.partition("<br>")[0] for name in figure.layout.yaxis.ticktext] == ["Kent", "Devon"]
    assert "NaN" not in figure.to_json()
    assert drawn(segment_figure([], BOTH, 0.9))[:2] == [[], []]


# Names, and purity


@pytest.mark.parametrize("name", WEIRD)
def test_a_feature_of_any_name_is_drawn_as_text(name):
    figure = shrinkage_figure(coefficients(["other", name]), ["other", name], "test", BOTH)
    assert figure.layout.yaxis.type == "category"
    assert shown(figure.data[0].y[1]) == name
    assert shown(figure.layout.yaxis.ticktext[1]) == cut(name)


@pytest.mark.parametrize("name", WEIRD)
def test_a_segment_of_any_name_is_drawn_as_text(name):
    figure = segment_figure([segment(name, 50, 0.9, 0.91)], BOTH, 0.9)
    assert shown(figure.layout.yaxis.ticktext[0].partition("<br><span")[0]) == cut(name)
    assert shown(figure.data[0].customdata[0][-1]) == name


def cut(name):
    return name if len(name) <= 28 else f"{name[:14]}…{name[-13:]}"


def shown(text):
    """What Plotly shows of a text: tags are obeyed and entities decoded."""
    assert "<b>" not in text
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


@pytest.mark.long
def test_no_streamlit_is_loaded_for_charts_jobs_exports_or_the_command_line():
    code = (
        "import sys\n"
        "from evencover.dashboard.figures import cells, paths, probability, segments\n"
        "from evencover.dashboard.commands import main\n"
        "from evencover.dashboard.export import files, report, terminal_summary\n"
        "from evencover.dashboard.runs import job, process, run\n"
        "print([name for name in sys.modules if name.split('.')[0] == 'streamlit'])"
    )
    told = subprocess.check_output([sys.executable, "-c", code], text=True)  # noqa: S603 - our own
    assert told.strip() == "[]"
