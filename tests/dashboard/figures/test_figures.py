"""What charts draw are the values of the audit's rows, and nothing of streamlit is needed."""

import math
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from rows import segment_pair

from evencover.core.experiment.compared_rows import ComparedRow, RemedyComparison
from evencover.core.experiment.result import CoefficientRow
from evencover.core.exploration import groups
from evencover.dashboard.figures import style
from evencover.dashboard.figures.paths import comparison_figure, layers_figure, search_figure
from evencover.dashboard.figures.probability import (
    replayed_probability_figure,
    shrinkage_figure,
)
from evencover.dashboard.figures.segments import (
    along_figure,
    coverage_axis,
    coverage_range,
    heat_figure,
    map_figure,
    segment_figure,
)
from evencover.dashboard.figures.style import COLOURS, buttons, file_name, in_words
from evencover.dashboard.lessons.lesson import promise_figure
from evencover.dashboard.wording.formatting import of_names
from evencover.dashboard.wording.rows import ShownSegment, feature_order, segments
from evencover.sample_data.lessons.two_kinds import typical

SETS = ["training", "test"]
BOTH = of_names(["base", "ifacm"])
TITLES = ["before (base)", "after (IFACM)"]
PREDICTORS = [(segment, algorithm) for segment in SETS for algorithm in ("base", "ifacm")]
WEIRD = ["a, b", "<b>bold</b>", "&lt;", "$x$", "%{y}", "Größe", "1", "2020-01-01", "x" * 300]


def coefficients(features, before=None):
    """Rows with a different value for each feature and predictor."""
    sizes = np.linspace(0.1, 0.9, len(features)) if before is None else before
    return [
        CoefficientRow(feature, *predictor, float(size) + shift, 0.01 * (i + 1) + shift)
        for predictor, shift in zip(PREDICTORS, (0.0, 0.001, 0.002, 0.003), strict=True)
        for i, (feature, size) in enumerate(zip(features, sizes, strict=True))
    ]


def segment(value, n, base, adjusted, status="fine"):
    rows = segment_pair("v", value, n, (base, base - 0.2, base + 0.1), (adjusted, 0.5, 0.99))
    figures = {row.predictor: row for row in rows}
    return ShownSegment(rows[0], figures, "v", "column", n, value, value, status, {})


def drawn(figure):
    return [list(trace.x) for trace in figure.data]


def grid(rows):
    return [list(row) for row in rows]


def test_features_are_ordered_by_size_on_training_rows_before():
    rows = coefficients(["a", "b", "c", "d"], before=[0.2, -0.9, math.nan, math.nan])
    # neither test rows nor what comes after are looked at, and those without an estimate come last
    rows += [CoefficientRow("e", *predictor, 0.0, 0.1) for predictor in PREDICTORS[:1]]
    rows += [CoefficientRow("e", *predictor, 9.0, 0.1) for predictor in PREDICTORS[1:]]
    assert feature_order(rows) == ["b", "a", "e", "c", "d"]


def both(rows, features):
    return [shrinkage_figure(rows, features, segment, BOTH) for segment in SETS]


def span(rows, features=("a", "b")):
    """The axis of the coefficients, which must be the same for both sets."""
    training, test = (figure.layout.xaxis.range for figure in both(rows, features))
    assert training == test
    return training


@pytest.mark.parametrize("segment", SETS)
def test_a_chart_is_of_one_set_and_the_features_given_in_their_order(segment):
    figure = shrinkage_figure(coefficients(["a", "b", "c"]), ["c", "a"], segment, BOTH)
    assert figure.layout.title.text == f"Coefficients on {segment} rows"
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
        CoefficientRow("a", "training", "base", 0.5, 0.1),  # from 0.304 to 0.696
        CoefficientRow("a", "training", "ifacm", 0.1, 0.1),  # from -0.096 to 0.296
        CoefficientRow("a", "test", "base", 0.4, 0.1),  # from 0.204 to 0.596
        CoefficientRow("a", "test", "ifacm", -0.4, 0.1),  # from -0.596 to -0.204
    ]
    assert span(rows, ["a"]) == pytest.approx((1.05 * -0.596, 1.05 * 0.696))
    # and reaches to zero
    rows = [CoefficientRow("a", *predictor, 0.5, 0.1) for predictor in PREDICTORS]
    assert span(rows, ["a"]) == pytest.approx((0.0, 1.05 * 0.696))


@pytest.mark.parametrize("error", [100.0, math.inf])
def test_a_whisker_without_end_does_not_squeeze_the_bars(error):
    rows = [CoefficientRow("a", *predictor, 0.2, error) for predictor in PREDICTORS]
    assert span(rows, ["a"]) == pytest.approx((1.05 * (0.2 - 1.2), 1.05 * (0.2 + 1.2)))


def test_a_coefficient_that_rows_do_not_determine_is_marked_at_the_end_of_the_axis():
    rows = [CoefficientRow("a", *predictor, 0.2, 0.1) for predictor in PREDICTORS]
    rows += [CoefficientRow("b", *predictor, -31.0, 480.0) for predictor in PREDICTORS]
    low, high = span(rows)
    assert (low, high) == pytest.approx((0.0, 1.05 * 0.396))
    figure = shrinkage_figure(rows, ["a", "b"], "test", BOTH)
    *_, mark = figure.data
    assert figure.layout.margin.t == 30 + 22 * 3  # below the title, three lines of the legend
    assert (mark.name, list(mark.y)) == ("beyond the axis", ["a", "b"] * 2)
    inside, *_ = off = [x for x in mark.x if x is not None]
    assert list(mark.x) == [None, inside] * 2
    assert all(low < x < high for x in off)
    assert list(mark.marker.symbol)[1::2] == ["triangle-left"] * 2
    assert [list(figures) for figures in mark.customdata][1::2] == [[-31.0, 480.0]] * 2


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


KENT, DEVON = segment("Kent", 50, 0.9, 0.91), segment("Devon", 30, 0.7, 0.88)


def test_each_segment_has_its_label_its_accuracies_before_above_after_and_the_level():
    figure = segment_figure([KENT, DEVON], BOTH, 0.9)
    assert drawn(figure)[:2] == [[90.0, 70.0], [91.0, 88.0]]
    assert figure.layout.xaxis.ticksuffix == " %"
    # room for a mark at 100 %, and no tick above
    assert figure.layout.xaxis.autorangeoptions.maxallowed == 100.9
    assert coverage_range([[KENT, DEVON]], BOTH, 0.9) == pytest.approx([65.0, 100.9])
    assert [trace.name for trace in figure.data[:2]] == TITLES
    axis = figure.layout.yaxis
    shown_in_lines = [re.split("<.*?>", text) for text in axis.ticktext]
    assert shown_in_lines == [["Kent", "", "n = 50", ""], ["Devon", "", "n = 30", ""]]
    assert list(axis.tickvals) == [0, 1]
    before, after = (list(trace.y) for trace in figure.data[:2])
    assert [round(y) for y in before] == [round(y) for y in after] == [0, 1]
    assert axis.range[0] > axis.range[1]
    assert all(b < a for b, a in zip(before, after, strict=True))
    (line,) = figure.layout.shapes
    assert (line.x0, line.x1) == (90.0, 90.0)
    # its name is in the legend, where it is on no whisker
    assert (line.name, line.showlegend) == ("CL 0.9", True)
    assert not figure.layout.annotations


def test_whiskers_end_at_the_ends_of_the_intervals(result):
    rows = [one for one in segments(result) if one.variable == "place"]
    before, after = segment_figure(rows, BOTH, 0.9).data[:2]
    for trace, name in ((before, "base"), (after, "ifacm")):
        assert trace.error_x.symmetric is False
        high = np.add(trace.x, trace.error_x.array)
        low = np.subtract(trace.x, trace.error_x.arrayminus)
        assert high == pytest.approx([100.0 * one.figures[name].high for one in rows])
        assert low == pytest.approx([100.0 * one.figures[name].low for one in rows])


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


@pytest.mark.parametrize("name", WEIRD)
def test_a_feature_or_segment_of_any_name_is_drawn_as_text(name):
    figure = shrinkage_figure(coefficients(["other", name]), ["other", name], "test", BOTH)
    assert figure.layout.yaxis.type == "category"
    assert shown(figure.data[0].y[1]) == name
    assert shown(figure.layout.yaxis.ticktext[1]) == cut(name)
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
        "from evencover.dashboard.figures import paths, probability, segments\n"
        "from evencover.dashboard.commands import main\n"
        "from evencover.dashboard.export import files, report, terminal_summary\n"
        "from evencover.dashboard.runs import job, run\n"
        "print([name for name in sys.modules if name.split('.')[0] == 'streamlit'])"
    )
    told = subprocess.check_output([sys.executable, "-c", code], text=True)  # noqa: S603 - our own
    assert told.strip() == "[]"


def of_rows(n, base, adjusted):
    figures = {
        "base": groups.Figures(base, base - 0.1, base + 0.05, 1.0),
        "ifacm": groups.Figures(adjusted, adjusted - 0.2, adjusted + 0.01, 1.1),
    }
    return {"n": n, "figures": figures}


def bands(*places):
    return [
        groups.Band(
            value=f"<b>{k}</b>", first=place, middle=place, last=place, **of_rows(40 + k, 0.8, 0.9)
        )
        for k, place in enumerate(places)
    ]


@pytest.fixture
def over():
    cells = [
        groups.PairCell(one="a", other="x", **of_rows(50, 0.7, 0.9)),
        groups.PairCell(one="a", other="y", **of_rows(19, 0.2, 0.3)),
        groups.PairCell(one="b", other="y", **of_rows(20, 0.95, 0.92)),
    ]
    return groups.CoverageOver("<i>one</i>", "other", ["a", "b"], ["x", "y"], cells)


def test_a_curve_is_one_predictors_with_its_band_and_the_line_before(result):
    found = groups.coverage_along(result.test_rows, "x0")
    before, after = BOTH
    band, thin, curve = along_figure(found, after, before, 0.9).data
    middles = [one.middle for one in found.bands]
    of_after = [one.figures["ifacm"] for one in found.bands]
    assert list(band.x) == [*middles, *middles[::-1]]
    assert list(band.y) == pytest.approx(
        [100.0 * one.high for one in of_after] + [100.0 * one.low for one in of_after[::-1]]
    )
    assert (list(thin.x), list(curve.x)) == (middles, middles)
    assert list(thin.y) == [100.0 * one.figures["base"].accuracy for one in found.bands]
    assert list(curve.y) == [100.0 * one.accuracy for one in of_after]
    assert (thin.line.width, curve.line.width) == (1, 2)
    assert band.fillcolor == "rgba(200, 105, 10, 0.2)"  # of #C8690A
    first = along_figure(found, before, before, 0.9)
    assert [trace.name for trace in first.data] == ["95 % interval", before.title]
    assert first.layout.shapes[0].y0 == 90.0
    assert first.layout.yaxis.ticksuffix == " %"


def test_days_are_dates_and_missing_values_off_the_line():
    days = along_figure(groups.CoverageAlong("sold", "date", bands(0.0, 365.5)), *BOTH[::-1], 0.9)
    assert list(days.data[-1].x) == ["1970-01-01T00:00:00", "1971-01-01T12:00:00"]
    found = groups.CoverageAlong("v", "number", bands(1.0, 2.0, None))
    assert list(along_figure(found, *BOTH[::-1], 0.9).data[-1].x) == [1.0, 2.0]
    assert along_figure(groups.CoverageAlong("v", "date", []), *BOTH, 0.9).data[-1].y == ()


def test_values_of_a_category_are_drawn_as_segments_without_a_status():
    figure = segment_figure(bands(None, None), BOTH, 0.9)
    assert [list(trace.x) for trace in figure.data] == [[80.0, 80.0], [90.0, 90.0]]
    names = [text.partition("<br>")[0] for text in figure.layout.yaxis.ticktext]
    assert names == ["&lt;b&gt;0&lt;/b&gt;", "&lt;b&gt;1&lt;/b&gt;"]
    assert all("</b>" not in text for text in figure.layout.yaxis.ticktext)


def test_the_level_has_the_lightest_colour_and_both_sides_differ_in_grey_print():
    axis = coverage_axis(0.9)
    assert (axis["zmin"], axis["zmax"]) == pytest.approx((60.0, 100.0))
    places = [place for place, _ in axis["colorscale"]]
    assert places == pytest.approx([0.0, 0.375, 0.75, 1.0])
    assert axis["colorscale"][2] == [places[2], "#F7F5F2"]
    for level, ends in ((0.5, (20.0, 80.0)), (0.2, (0.0, 50.0))):
        axis = coverage_axis(level)
        assert (axis["zmin"], axis["zmax"]) == pytest.approx(ends)
    scale = coverage_axis(0.9)["colorscale"]
    for colour, expected in ((scale[0][1], 0.21), (scale[-1][1], 0.66)):
        red, green, blue = (int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5))
        assert 0.299 * red + 0.587 * green + 0.114 * blue == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(("by", "known"), [(BOTH[0], (70.0, 95.0)), (BOTH[1], (90.0, 92.0))])
def test_cells_have_the_accuracy_of_their_rows_and_small_ones_none(over, by, known):
    figure = heat_figure(over, by, 0.9)
    colours, small, points = figure.data
    assert grid(colours.z) == [[known[0], None], [None, known[1]]]
    assert grid(colours.text) == [[f"{known[0]:.0f} %", ""], ["", f"{known[1]:.0f} %"]]
    assert grid(small.z) == [[None, 0.0], [None, None]]
    assert grid(small.text) == [["", "n = 19"], ["", ""]]
    assert (list(points.x), list(points.base)) == ([0, 1, 1], [-0.5, -0.5, 0.5])
    assert (points.width, list(points.y)) == (1.0, [1.0] * 3)  # so they cover their cells
    assert [point[0] for point in points.customdata] == [50, 19, 20]
    assert points.customdata[0][1] == known[0]
    # scales are the same whatever the cells hold, who are few are not written of
    assert (colours.zmin, colours.zmax) == (60.0, 100.0)
    lows_and_highs = [point[2:4] for point in points.customdata]
    (low, high), (low_of_last, high_of_last) = lows_and_highs[0], lows_and_highs[2]
    first, last = (
        f"n = 50: {low:.0f} to {high:.0f} %",
        f"n = 20: {low_of_last:.0f} to {high_of_last:.0f} %",
    )
    assert list(points.text) == [first, "", last]
    assert figure.layout.uniformtext.mode == "hide"
    assert colours.colorbar.ticksuffix == " %"
    assert figure.layout.title.text == "Coverage by &lt;i&gt;one&lt;/i&gt;, and across other"
    assert colours.colorbar.title.text == ""  # any other pushes the chart's out of sight


def test_names_of_cells_are_shown_as_they_are(over):
    odd = replace(over, ones=["<b>a</b>", "b"], cells=[replace(over.cells[0], one="<b>a</b>")])
    figure = heat_figure(odd, BOTH[0], 0.9)
    assert figure.data[-1].customdata[0][4] == "&lt;b&gt;a&lt;/b&gt; × x"
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;a&lt;/b&gt;"


def test_cells_of_the_map_are_where_they_belong():
    def cell(row, column, n, base):
        south, west = 60.0 + 0.1 * row, 10.0 + 0.2 * column
        return groups.MapCell(
            south=south, north=south + 0.1, west=west, east=west + 0.2, **of_rows(n, base, 0.9)
        )

    cells = [cell(0, 1, 40, 0.8), cell(2, 0, 10, 0.1), cell(2, 1, 50, 0.95)]
    figure = map_figure(groups.CoverageMap("lat", "lon", cells, 0), BOTH[0], 0.9)
    colours, small, points, areas = figure.data
    none = [None, None]
    assert grid(colours.z) == [[None, 80.0], none, [None, 95.0]]
    assert grid(small.z) == [none, none, [0.0, None]]
    assert (colours.x0, colours.dx) == pytest.approx((10.1, 0.2))
    assert (colours.y0, colours.dy) == pytest.approx((60.05, 0.1))
    assert list(points.x) == pytest.approx([10.3, 10.1, 10.3])
    assert list(points.y) == pytest.approx([60.05, 60.25, 60.25])
    assert list(points.marker.symbol) == ["square", "x-thin", "square"]
    assert list(areas.x) == list(points.x)
    assert list(areas.base) == pytest.approx([60.0, 60.2, 60.2])
    assert [areas.width, *areas.y] == pytest.approx([0.2, 0.1, 0.1, 0.1])
    ratio = 1.0 / math.cos(math.radians(60.15))
    assert figure.layout.yaxis.scaleratio == pytest.approx(ratio, rel=1e-3)
    assert map_figure(groups.CoverageMap("lat", "lon", [], 0), BOTH[0], 0.9).data == ()


@pytest.fixture(scope="module")
def steps(result):
    return result.replays["ifacm"]


def test_a_path_has_a_point_for_each_layer_and_those_to_come_are_faint(steps):
    figure = layers_figure(steps, 1, "regression")
    training, test = figure.data
    assert list(training.x) == [step.training_inefficiency for step in steps]
    assert list(training.y) == [step.training_dcv for step in steps]
    assert list(test.x) == [step.inefficiency for step in steps]
    assert list(test.y) == [step.dcv for step in steps]
    last = len(steps) - 1
    for line in figure.data:
        assert [name for name in line.text if name] == [str(at) for at in sorted({0, 1, last})]
        assert list(np.argsort(line.marker.size))[-1] == 1
        assert [opacity == 1.0 for opacity in line.marker.opacity][:3] == [True, True, False]
    assert training.line.dash != test.line.dash
    assert training.marker.symbol != test.marker.symbol


def test_bars_count_the_rows_by_their_probability(steps, result):
    figure = replayed_probability_figure(steps, len(steps) - 1, 0.9)
    for trace, predictor in zip(figure.data, ("base", "ifacm"), strict=True):
        p = result.test_rows.probabilities[predictor]
        assert sum(trace.y) == len(p)
        assert np.average(trace.x, weights=trace.y) == pytest.approx(p.mean(), abs=0.005)


def test_axes_are_the_same_at_every_layer(steps):
    def ranges(at):
        spread = replayed_probability_figure(steps, at, 0.9).layout
        path = layers_figure(steps, at, "regression")
        points = [(tuple(line.x), tuple(line.y)) for line in path.data]  # which the axes are of
        return spread.xaxis.range, spread.yaxis.range, points

    assert all(ranges(at) == ranges(0) for at in range(len(steps)))


def test_the_search_draws_what_was_tried_stars_the_best_and_charts_are_told_in_words(steps):
    points, star = search_figure(steps[1].tried).data
    assert list(points.x) == [one.gamma for one in steps[1].tried]
    assert list(points.y) == [one.delta for one in steps[1].tried]
    assert list(points.marker.color) == [one.objective for one in steps[1].tried]
    assert (star.x[0], star.y[0]) == (steps[1].gamma, steps[1].delta)
    assert in_words(layers_figure(steps, 0, "regression")) == (
        "DCV and size of sets by layer: DCV by mean width (standardised), "
        "showing training rows and test rows."
    )
    spread = in_words(replayed_probability_figure(steps, 0, 0.9))
    assert spread.endswith(": test rows by p(x), showing without a layer, now and CL 0.9.")
    (tried,) = {in_words(search_figure(steps[1].tried))}
    assert tried == "Points tried for a layer: delta by gamma, showing tried and chosen."


def test_a_chart_is_told_in_a_sentence_with_its_lowest_group_and_named_by_its_content():
    tiny = segment("Rutland", 19, 0.1, 0.2)
    figure = segment_figure([KENT, DEVON, tiny], BOTH, 0.9)
    # whoever is too few to be judged is not called the lowest
    assert in_words(figure) == (
        "Coverage by v: coverage on test rows, showing before (base), after (IFACM) and CL 0.9; "
        "lowest before for Devon, 70.0 % of 30 rows."
    )
    assert file_name(figure, "Triage") == "coverage-by-v-triage"
    assert file_name(figure, "King County 2.csv") == "coverage-by-v-king-county-2"
    odd = replace(segment("a", 50, 0.9, 0.9), variable="<b>Größe/Alter</b> & ..\\x")
    assert file_name(segment_figure([odd], BOTH, 0.9), "") == "coverage-by-b-größe-alter-b-x"
    both = replace(DEVON, variable="w")
    assert file_name(segment_figure([KENT, both], BOTH, 0.9), "") == "coverage-by-group"


def test_a_chart_has_two_buttons_png_of_twice_the_size_and_svg():
    options = buttons(segment_figure([KENT], BOTH, 0.9), "Triage")
    assert options["modeBarButtons"] == [["toImage", "downloadJson"]]
    assert options["toImageButtonOptions"] == {
        "format": "png",
        "scale": 2,
        "filename": "coverage-by-v-triage",
    }
    (words,) = [locale["dictionary"] for locale in options["locales"].values()]
    assert list(words.values()) == ["Download chart as PNG", "Download chart as SVG"]


def test_what_lies_beyond_a_shared_axis_is_marked_at_its_end_by_each_predictor():
    # from 50 % before and after, as the whisker is 20 points below; the axis is of points
    tiny = segment("Rutland", 19, 0.1, 0.2)
    span = coverage_range([[KENT, DEVON, tiny]], BOTH, 0.9)
    assert span == pytest.approx([65.0, 100.9])
    assert coverage_range([[tiny]], BOTH, 0.9) == pytest.approx([5.0, 100.9])
    figure = segment_figure([KENT, DEVON, tiny], BOTH, 0.9, span)
    before, after = figure.data[2:]
    inside = 65.0 + 0.02 * 35.9
    assert list(before.x) == [None, pytest.approx(inside), pytest.approx(inside)]
    assert list(after.x) == [pytest.approx(inside)] * 3  # all from 50 %
    assert [one.marker.color for one in (before, after)] == list(COLOURS[:2])
    assert list(before.y) == list(figure.data[0].y)
    assert (before.name, before.showlegend, after.showlegend) == ("beyond the axis", None, False)
    assert before.customdata[1][1] == 70.0
    assert len(segment_figure([KENT], BOTH, 0.9, [0.0, 100.9]).data) == 2


def light(colour):
    """The relative luminance of WCAG."""
    parts = [int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_each_colour_has_one_meaning_and_is_plain_on_white(steps):
    training = style.TRAINING_COLOUR
    meanings = [*COLOURS, training, style.NEUTRAL_COLOUR, style.HELD_COLOUR, style.MISSED_COLOUR]
    assert len(set(meanings)) == len(meanings)
    assert all(1.05 / (light(colour) + 0.05) >= 3.0 for colour in meanings)
    path = layers_figure(steps, 0, "regression")
    assert [line.line.color for line in path.data] == [training, style.ADJUSTED_COLOUR]
    shown = {
        trace.name: trace.marker.color
        for trace in promise_figure(typical(0.9)).data
        if trace.marker.color
    }
    assert set(shown.values()) == {style.HELD_COLOUR, style.MISSED_COLOUR}
    told = in_words(promise_figure(typical(0.9)))
    assert told.startswith("Intervals of 40 rows: price, thousands, showing ")
    assert re.search(r"; 20 of 20 are in theirs for .* and 16 of 20 are in theirs for ", told)


def test_a_comparison_names_its_points_in_the_labels_units_beside_the_floor_of_the_base():
    def rows(remedy, *of):
        names = "inefficiency", "inefficiency_original_units", "dcv", "dcv_floor"
        more = {"title": remedy.upper(), "segment": "test", "guarantee": ""}
        return [
            ComparedRow(remedy=remedy, seed=seed, **more, **dict(zip(names, each, strict=True)))
            for seed, each in enumerate(of)
        ]

    every = rows("base", (1.0, 100.0, 0.05, 0.01), (2.0, 200.0, 0.07, 0.02))
    every += rows("auto", (3.0, 300.0, 0.01, 0.04), (3.0, 300.0, 0.03, 0.04))
    names = {"settings": {"task": "regression"}, "remedies": ["base", "auto", "lost"]}
    lists = {name: [] for name in ("groups", "differences", "verdict", "notes")}
    found = RemedyComparison(fingerprint="", seeds=[0, 1], rows=every, seconds=1.0, **names | lists)
    figure = comparison_figure(found)
    assert np.array([(one.x[0], one.y[0]) for one in figure.data]) == pytest.approx(
        np.array([(150.0, 0.06), (300.0, 0.02)])
    )
    assert figure.data[0].error_x.array[0] == pytest.approx(5000.0**0.5)  # of 100 and 200
    assert [one.text for one in figure.data] == ["BASE", "AUTO"]
    assert [one.textposition for one in figure.data] == ["top right", "bottom left"]
    (line,) = figure.layout.shapes
    assert (line.name, line.y0) == ("DCV floor, BASE", pytest.approx(0.015))
    assert figure.layout.xaxis.title.text == "mean width, label's units"
