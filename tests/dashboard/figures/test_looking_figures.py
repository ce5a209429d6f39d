"""Charts of a closer look draw the values of its rows."""

import math
from dataclasses import replace

import pytest

from evencover.core.exploration.groups import (
    Band,
    CoverageAlong,
    CoverageOver,
    Figures,
    PairCell,
    coverage_along,
)
from evencover.core.exploration.map import CoverageMap, MapCell
from evencover.dashboard.figures.cells import coverage_axis, heat_figure, map_figure
from evencover.dashboard.figures.segments import along_figure
from evencover.dashboard.wording.predictors import of_names

BOTH = of_names(["base", "ifacm"])


def group(n, base, adjusted):
    figures = {
        "base": Figures(base, base - 0.1, base + 0.05, 1.0),
        "ifacm": Figures(adjusted, adjusted - 0.2, adjusted + 0.01, 1.1),
    }
    return {"n": n, "figures": figures}


def bands(*places):
    return [
        Band(value=f"<b>{k}</b>", first=place, middle=place, last=place, **group(40 + k, 0.8, 0.9))
        for k, place in enumerate(places)
    ]


@pytest.fixture
def over():
    cells = [
        PairCell(one="a", other="x", **group(50, 0.7, 0.9)),
        PairCell(one="a", other="y", **group(19, 0.2, 0.3)),
        PairCell(one="b", other="y", **group(20, 0.95, 0.92)),
    ]
    return CoverageOver("<i>one</i>", "other", ["a", "b"], ["x", "y"], cells)


# Along


def test_points_are_the_bands_of_both_predictors(result):
    found = coverage_along(result.test_rows, "x0")
    figure = along_figure(found, BOTH, 0.9)
    for trace, name in zip(figure.data, ("base", "ifacm"), strict=True):
        of_bands = [band.figures[name] for band in found.bands]
        assert list(trace.x) == [band.middle for band in found.bands]
        assert list(trace.y) == [100.0 * one.accuracy for one in of_bands]
        for one, up, down in zip(
            of_bands, trace.error_y.array, trace.error_y.arrayminus, strict=True
        ):
            assert 100.0 * one.accuracy + up == pytest.approx(100.0 * one.high)
            assert 100.0 * one.accuracy - down == pytest.approx(100.0 * one.low)
    assert figure.layout.shapes[0].y0 == 90.0
    assert figure.layout.yaxis.ticksuffix == " %"


def test_days_are_dates():
    figure = along_figure(CoverageAlong("sold", "date", bands(0.0, 365.5)), BOTH, 0.9)
    assert list(figure.data[0].x) == ["1970-01-01T00:00:00", "1971-01-01T12:00:00"]


def test_categories_stand_beside_each_other_and_missing_values_off_the_line():
    figure = along_figure(CoverageAlong("v", "category", bands(None, None)), BOTH, 0.9)
    assert list(figure.layout.xaxis.range) == [-0.5, 1.5]
    assert list(figure.data[0].x) == pytest.approx([-0.18, 0.82])
    assert list(figure.layout.xaxis.ticktext) == ["&lt;b&gt;0&lt;/b&gt;", "&lt;b&gt;1&lt;/b&gt;"]
    along = along_figure(CoverageAlong("v", "number", bands(1.0, 2.0, None)), BOTH, 0.9)
    assert list(along.data[0].x) == [1.0, 2.0]
    assert along_figure(CoverageAlong("v", "category", []), BOTH, 0.9).data[0].y == ()


# Colours


def test_the_level_has_the_lightest_colour():
    axis = coverage_axis([70.0, 95.0], 0.9)
    assert (axis["zmin"], axis["zmax"]) == pytest.approx((70.0, 100.0))
    places = [place for place, _ in axis["colorscale"]]
    assert places == pytest.approx([0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0])
    assert axis["colorscale"][2] == [places[2], "#F7F5F2"]


@pytest.mark.parametrize(("accuracies", "low"), [([], 85.0), ([89.0], 85.0), ([0.0], 60.0)])
def test_colours_reach_neither_too_near_nor_too_far(accuracies, low):
    assert coverage_axis(accuracies, 0.9)["zmin"] == pytest.approx(low)


def test_both_sides_differ_in_grey_print():
    scale = coverage_axis([50.0], 0.9)["colorscale"]
    for colour, expected in ((scale[0][1], 0.21), (scale[-1][1], 0.66)):
        red, green, blue = (int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5))
        assert 0.299 * red + 0.587 * green + 0.114 * blue == pytest.approx(expected, abs=0.02)


# Two variables


@pytest.mark.parametrize(("by", "known"), [(BOTH[0], (70.0, 95.0)), (BOTH[1], (90.0, 92.0))])
def test_cells_have_the_accuracy_of_their_rows_and_small_ones_none(over, by, known):
    figure = heat_figure(over, by, 0.9)
    colours, small, points = figure.data
    assert [list(row) for row in colours.z] == [[known[0], None], [None, known[1]]]
    assert [list(row) for row in colours.text] == [
        [f"{known[0]:.0f} %", ""],
        ["", f"{known[1]:.0f} %"],
    ]
    assert [list(row) for row in small.z] == [[None, 0.0], [None, None]]
    assert [list(row) for row in small.text] == [["", "n = 19"], ["", ""]]
    assert (list(points.x), list(points.base)) == ([0, 1, 1], [-0.5, -0.5, 0.5])
    assert (points.width, list(points.y)) == (1.0, [1.0] * 3)  # so they cover their cells
    assert [point[0] for point in points.customdata] == [50, 19, 20]
    assert points.customdata[0][1] == known[0]
    assert colours.colorbar.ticksuffix == " %"
    assert figure.layout.title.text == "Coverage by &lt;i&gt;one&lt;/i&gt;, and across other"
    assert colours.colorbar.title.text == ""  # any other pushes the chart's out of sight


def test_names_of_cells_are_shown_as_they_are(over):
    odd = replace(over, ones=["<b>a</b>", "b"], cells=[replace(over.cells[0], one="<b>a</b>")])
    figure = heat_figure(odd, BOTH[0], 0.9)
    assert figure.data[-1].customdata[0][4] == "&lt;b&gt;a&lt;/b&gt; × x"
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;a&lt;/b&gt;"


# Map


def test_cells_of_the_map_are_where_they_belong():
    def cell(row, column, n, base):
        south, west = 60.0 + 0.1 * row, 10.0 + 0.2 * column
        return MapCell(
            south=south, north=south + 0.1, west=west, east=west + 0.2, **group(n, base, 0.9)
        )

    cells = [cell(0, 1, 40, 0.8), cell(2, 0, 10, 0.1), cell(2, 1, 50, 0.95)]
    figure = map_figure(CoverageMap("lat", "lon", cells, 0), BOTH[0], 0.9)
    colours, small, points, areas = figure.data
    none = [None, None]
    assert [list(row) for row in colours.z] == [[None, 80.0], none, [None, 95.0]]
    assert [list(row) for row in small.z] == [none, none, [0.0, None]]
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


def test_a_map_without_rows_is_empty():
    assert map_figure(CoverageMap("lat", "lon", [], 0), BOTH[0], 0.9).data == ()
