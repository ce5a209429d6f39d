"""A closer look at test rows, against naive loops and against the audit's own tables."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from evencover.core import AuditSettings, InputError, audit
from evencover.core.conformal.rank import CoverageLaw
from evencover.core.exploration.examples import ORDERS, examples
from evencover.core.exploration.groups import (
    column_values,
    coordinates,
    coverage_along,
    coverage_on_map,
    coverage_over,
    first_in_order,
    group_figures,
)
from evencover.core.rows.outcomes import IntervalSets, Outcomes
from evencover.core.segments import audited_rows
from evencover.core.segments.binning import partition_column
from evencover.core.segments.grouping import Variable
from evencover.core.segments.statistics import wilson_interval
from evencover.core.segments.worst_segments import WorstSegments
from evencover.core.tables.columns import Column
from evencover.core.tables.grammar import parse_rule
from evencover.core.tables.table import Table
from evencover.sample_data import load_sample

pytestmark = pytest.mark.long


def figures(group):
    """A group's rows, and each predictor's accuracy with its interval."""
    found = {name: (f.accuracy, f.low, f.high) for name, f in group.figures.items()}
    return group.n, found


def of_segments(result, variable):
    """The same of a variable's segments with test rows, by what they are called."""
    found = {}
    for row in result.segments:
        if row.variable == variable and row.n > 0:
            figures = row.accuracy, row.low, row.high
            found.setdefault(row.value, (row.n, {}))[1][row.predictor] = figures
    return found


def draw_objects(frame, seed=0, layers=3):
    """Test rows with intervals drawn at random, divided by every column of the frame."""
    rng, n = np.random.default_rng(seed), len(frame)

    def draw(share):
        lower = rng.normal(size=n)
        sets = IntervalSets(lower, lower + rng.exponential(size=n))
        return sets, Outcomes(rng.random(n) < share, sets.sizes), rng.random(n)

    drawn = draw(0.8), draw(0.9)
    by_predictor = ({"base": one, "ifacm": other} for one, other in zip(*drawn, strict=True))
    variables = tuple(
        Variable(name, "column", partition_column(Column.of(frame[name]), np.arange(n)), (name,))
        for name in frame
    )
    return audited_rows.TestRows(
        table=Table.of(frame.assign(label=rng.normal(size=n).round(2))),
        rows=rng.permutation(5 * n)[:n],
        target="label",
        task="regression",
        classes=(),
        variables=variables,
        **dict(zip(("sets", "outcomes", "probabilities"), by_predictor, strict=True)),
        steps={"ifacm": rng.choice([-0.2, 0.0, 0.2], size=(layers, n))},
        searched=WorstSegments([], {}, np.ones(n, dtype=bool)),
        law=CoverageLaw(0.9),
    )


def naive(test_rows, inside):
    """The figures of some rows, by loops."""
    told = []
    for name, sets in test_rows.sets.items():
        held = [bool(test_rows.outcomes[name].correct[i]) for i in range(len(inside)) if inside[i]]
        widths = [sets.sizes[i] for i in range(len(inside)) if inside[i]]
        (low,), (high,) = wilson_interval(np.array([sum(held)]), np.array([len(held)]))
        told += [len(held), sum(held) / len(held), low, high, sum(widths) / len(held)]
    return told


def told(group):
    """The figures of each predictor, as :func:`naive` has them."""
    assert list(group.figures) == ["base", "ifacm"]
    return [
        figure
        for found in group.figures.values()
        for figure in (group.n, found.accuracy, found.low, found.high, found.size)
    ]


@pytest.fixture(scope="module")
def test_rows():
    rng = np.random.default_rng(4)
    n = 900
    columns = {
        "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(40.0, 9.0, n)),
        "rooms": rng.integers(1, 6, n),
        "place": rng.choice(["Ayr", "Bude", "Cobh"], n),
        "sold": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D"),
        "lat": 47.0 + rng.random(n),
        "Long": -122.0 + 2.0 * rng.random(n),
    }
    return draw_objects(pd.DataFrame(columns))


@pytest.fixture(scope="module")
def houses():
    frame = load_sample("houses").frame.head(3000)
    pairs = (("county", "heating"), ("heating", "price"))
    usual = {"log_target": True, "search": "paper", "remedies": ("ifacm",)}
    settings = AuditSettings(target="price", pairs=pairs, **usual)
    return audit(frame, settings)


@pytest.fixture(scope="module")
def triage():
    frame = load_sample("triage").frame.head(1000)
    asked = {"audit_only": ("group",), "penalty": 0.0, "remedies": ("ifacm",)}
    return audit(frame, AuditSettings(target="urgency", **asked))


def test_the_figures_of_a_group_are_those_of_a_loop(test_rows):
    where = (test_rows.table.frame["place"] == "Ayr").to_numpy()
    assert told(group_figures(test_rows, where)) == pytest.approx(naive(test_rows, where))
    every = np.ones(900, dtype=bool)
    assert told(group_figures(test_rows)) == pytest.approx(naive(test_rows, every))
    none = group_figures(test_rows, ~every)
    assert none.n == 0
    assert np.isnan(told(none)[1:5]).all()


def test_the_figures_of_all_rows_are_those_of_the_audit(houses, triage):
    for result in (houses, triage):
        found = group_figures(result.test_rows)
        for name, figures in found.figures.items():
            row = result.row("test", name)
            assert figures.accuracy == row.accuracy
            assert figures.size == pytest.approx(row.inefficiency_original_units)


def test_by_value_coverage_is_that_of_the_segments(houses, triage):
    named = (houses, "county"), (triage, "label: urgency"), (houses, "county × heating")
    for result, name in named:
        rows = of_segments(result, name)
        found = coverage_along(result.test_rows, name)
        assert (found.variable, found.kind) == (name, "category")
        assert [band.value for band in found.bands] == list(rows)
        assert list(map(figures, found.bands)) == list(rows.values())


def test_in_the_same_bands_coverage_is_that_of_the_segments(houses):
    """Cut where the bands of the closer look are cut, segments have the same figures."""
    along = coverage_along(houses.test_rows, "age_years", bands=5)
    ends = [float(band.value.removeprefix(">= ").split(" to ")[0]) for band in along.bands[1:]]
    frame = load_sample("houses").frame.head(3000)
    again = audit(frame, replace(houses.asked, cuts=(("age_years", tuple(ends)),), pairs=()))
    rows = of_segments(again, "age_years")
    assert len(rows) == 5
    assert [band.value for band in along.bands] == list(rows)
    assert list(map(figures, along.bands)) == list(rows.values())


@pytest.mark.parametrize("name", ["age", "sold"])
def test_bands_hold_about_equally_many_rows_and_their_figures(test_rows, name):
    found = coverage_along(test_rows, name)
    bands = [band for band in found.bands if band.first is not None]
    assert found.kind == {"age": "number", "sold": "date"}[name]
    assert len(bands) == 20
    assert max(band.n for band in bands) <= 1.3 * min(band.n for band in bands)
    column = test_rows.table.frame[name]
    if name == "sold":
        column = (column - pd.Timestamp("1970-01-01")).dt.days
    for band in bands:
        inside = [band.first <= value <= band.last for value in column]
        assert told(band) == pytest.approx(naive(test_rows, inside))
        assert band.middle == np.median(column[inside])
    assert sum(band.n for band in found.bands) == 900
    missing = [band for band in found.bands if band.first is None]
    assert [band.n for band in missing] == ([column.isna().sum()] if name == "age" else [])


def test_after_some_layers_others_of_the_sets_are_right(test_rows):
    held = np.arange(900) % 3 > 0
    found = coverage_along(test_rows, "age", held={"ifacm": held})
    as_was = coverage_along(test_rows, "age")
    age = test_rows.table.frame["age"]
    for band, own in zip(found.bands, as_was.bands, strict=True):
        inside = age.isna() if band.first is None else age.between(band.first, band.last)
        assert band.figures["ifacm"].accuracy == pytest.approx(held[inside].mean())
        assert band.figures["base"] == own.figures["base"]
        assert band.figures["ifacm"].size == own.figures["ifacm"].size


def test_a_variable_of_several_columns_has_the_order_of_the_first_with_one(test_rows, houses):
    def first(*columns):
        pair = Variable("both", "pair", test_rows.variables[0].partition, columns)
        return first_in_order(replace(test_rows, variables=(*test_rows.variables, pair)), "both")

    assert [first_in_order(test_rows, name) for name in ("age", "sold")] == ["age", "sold"]
    assert first_in_order(test_rows, "place") is None
    assert [first("place", "sold"), first("Long", "age"), first("place", "gone")] == [
        *("sold", "Long", None)
    ]
    assert first_in_order(houses.test_rows, "label: price") == "label: price"
    assert first_in_order(houses.test_rows, "heating × label: price") == "label: price"
    assert first_in_order(houses.test_rows, "county × heating") is None


def test_few_values_are_taken_one_by_one(test_rows):
    found = coverage_along(test_rows, "rooms")
    for band, rooms in zip(found.bands, range(1, 6), strict=True):
        assert (band.first, band.middle, band.last) == (float(rooms),) * 3
        inside = (test_rows.table.frame["rooms"] == rooms).to_numpy()
        assert told(band) == pytest.approx(naive(test_rows, inside))


@pytest.mark.parametrize("rows", [0, 1, 30, 300])
def test_of_a_filter_the_bands_are_of_its_own_rows_one_if_they_are_few(test_rows, rows):
    where = np.arange(900) < rows
    found = coverage_along(test_rows, "age", where)
    assert sum(band.n for band in found.bands) == rows
    known = [band for band in found.bands if band.first is not None]
    assert rows == 300 or len(known) == (rows > 0)
    for band in known:
        assert rows < 300 or band.n >= 15
        inside = where & test_rows.table.frame["age"].between(band.first, band.last).to_numpy()
        assert told(band) == pytest.approx(naive(test_rows, inside))


def test_a_numeric_label_is_looked_along_too(houses):
    found = coverage_along(houses.test_rows, "label: price")
    assert found.kind == "number"
    assert len(found.bands) == 20
    assert coverage_along(houses.test_rows, "price") == found


def test_codes_have_no_order_and_a_variable_that_is_not_there_is_named(houses):
    coded = replace(houses.test_rows, table=Table.of(houses.test_rows.table, ["age_years"]))
    found = coverage_along(coded, "age_years")
    assert found.kind == "category"
    assert [band.value for band in found.bands] == list(of_segments(houses, "age_years"))

    with pytest.raises(InputError, match="there is no variable 'plaice'"):
        coverage_along(coded, "plaice")


@tries(max_examples=40)
@given(
    st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9)), min_size=1, max_size=80),
    st.integers(1, 25),
)
def test_every_row_is_in_one_band(values, bands):
    found = coverage_along(
        draw_objects(pd.DataFrame({"v": pd.Series(values, dtype=float)})), "v", None, bands
    )
    assert sum(band.n for band in found.bands) == len(values)
    known = [band for band in found.bands if band.first is not None]
    assert all(one.last < other.first for one, other in pairwise(known))


def test_cells_are_the_segments_of_the_pair(houses):
    for one, other, pair in (
        ("county", "heating", "county × heating"),
        ("heating", "price", "heating × label: price"),
    ):
        found = coverage_over(houses.test_rows, one, other)
        rows = of_segments(houses, pair)
        assert [f"{cell.one} × {cell.other}" for cell in found.cells] == list(rows)
        assert list(map(figures, found.cells)) == list(rows.values())


def test_cells_are_those_of_a_loop(test_rows):
    where = (test_rows.table.frame["rooms"] > 1).to_numpy()
    found = coverage_over(test_rows, "place", "rooms", where)
    assert (found.ones, found.others) == (["Ayr", "Bude", "Cobh"], ["2", "3", "4", "5"])
    assert len(found.cells) == 12
    for cell in found.cells:
        places, rooms = (test_rows.table.frame[column].astype(str) for column in ("place", "rooms"))
        inside = places.eq(cell.one) & rooms.eq(cell.other)
        assert told(cell) == pytest.approx(naive(test_rows, inside.to_numpy()))


def test_narrow_codes_do_not_run_over(test_rows):
    narrow = [
        replace(v, partition=replace(v.partition, codes=v.partition.codes.astype(np.int8)))
        for v in test_rows.variables
    ]
    many = np.arange(900) % 100
    for place in (0, 1):
        names = [str(code) for code in range(100)]
        codes = (many if place else many[::-1]).astype(np.int8)
        narrow[place] = replace(
            narrow[place], partition=replace(narrow[place].partition, names=names, codes=codes)
        )
    found = coverage_over(replace(test_rows, variables=tuple(narrow)), "age", "rooms")
    met = sorted((int(c.one), int(c.other)) for c in found.cells)
    assert met == [(k, 99 - k) for k in range(100)]
    assert {cell.n for cell in found.cells} == {9}


def test_cells_of_a_map_are_those_of_a_loop(test_rows):
    found = coverage_on_map(test_rows)
    assert (found.latitude, found.longitude) == ("lat", "Long")
    lat, long = test_rows.table.frame["lat"], test_rows.table.frame["Long"]
    seen = np.zeros(900, dtype=int)
    for cell in found.cells:
        inside = (cell.south <= lat) & (lat < cell.north) & (cell.west <= long) & (long < cell.east)
        seen += inside
        if cell.n > 2:
            assert told(cell) == pytest.approx(naive(test_rows, inside.to_numpy()))
    assert (seen == 1).all()


def test_cells_are_about_square_on_the_ground(test_rows):
    cell = coverage_on_map(test_rows, cells=30).cells[0]
    height, width = cell.north - cell.south, (cell.east - cell.west) * math.cos(math.radians(47.5))
    assert height / width == pytest.approx(1.0, abs=0.1)
    assert len({c.west for c in coverage_on_map(test_rows, cells=30).cells}) in (30, 31)


def test_cells_are_as_small_as_most_rows_can_bear(test_rows):
    """900 rows that lie evenly: 49 cells of 18 each would be too small, 36 of 25 are not."""

    def share_told(found):
        return sum(cell.n for cell in found.cells if cell.n >= 20) / 900

    finer, chosen = coverage_on_map(test_rows, cells=7), coverage_on_map(test_rows)
    assert share_told(finer) < 0.75 <= share_told(chosen)
    assert chosen == coverage_on_map(test_rows, cells=6)


def test_cells_stay_where_they_are_under_a_filter(test_rows):
    where = np.arange(900) < 50
    some, every = coverage_on_map(test_rows, where), coverage_on_map(test_rows)
    corners = {(cell.south, cell.west) for cell in every.cells}
    assert {(cell.south, cell.west) for cell in some.cells} <= corners
    assert sum(cell.n for cell in some.cells) == 50


@tries(max_examples=40)
@given(st.lists(st.tuples(st.floats(-90, 90), st.floats(-180, 180)), min_size=1, max_size=60))
def test_every_row_is_in_the_cell_that_its_rule_names(places):
    drawn = draw_objects(pd.DataFrame(places, columns=["lat", "lon"]))
    found = coverage_on_map(drawn)
    assert sum(cell.n for cell in found.cells) + found.beyond == len(places)
    for cell in found.cells:
        rule = f"{cell.south!r} <= lat < {cell.north!r} and {cell.west!r} <= lon < {cell.east!r}"
        assert parse_rule(rule).holds(drawn.table).sum() == cell.n


def test_a_row_far_from_all_others_or_without_coordinates_is_left_out(test_rows):
    place, lat = np.arange(900), test_rows.table.frame["lat"]
    frame = test_rows.table.frame.assign(lat=lat.where(place > 0, 0.0).where(place < 800))
    moved = replace(test_rows, table=Table.of(frame))
    found = coverage_on_map(moved)
    assert found.beyond == 1
    assert min(cell.south for cell in found.cells) > 46.0
    assert sum(cell.n for cell in found.cells) == 799
    assert coverage_on_map(moved, place > 0).beyond == 0


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"LATITUDE": [1.0], "lng": [180.0]}, ("LATITUDE", "lng")),
        ({"Lat": [None, 90.0], "LON": [1.0, 2.0]}, ("Lat", "LON")),
        ({"lat": [91.0], "lon": [1.0]}, None),
        ({"lat": ["a"], "lon": [1.0]}, None),
        ({"lat": [math.nan], "lon": [1.0]}, None),
        ({"lat": [1.0], "length": [1.0]}, None),
        ({"lat": [1.0, None], "lon": [None, 1.0]}, None),  # never both in one row
    ],
)
def test_coordinates_are_known_by_name_and_values(test_rows, columns, expected):
    given = replace(test_rows, table=Table.of(pd.DataFrame(columns)))
    assert coordinates(given) == expected
    assert expected or coverage_on_map(given) is None


def test_numbers_that_floats_do_not_tell_apart_are_one_band():
    column = [2**60 + i for i in range(50)]
    found = coverage_along(draw_objects(pd.DataFrame({"v": column})), "v").bands
    assert [(band.n, band.first, band.last) for band in found] == [(50, 2.0**60, 2.0**60)]


def test_an_example_is_its_row_of_the_table(houses):
    frame, found = load_sample("houses").frame, houses.test_rows
    for example in examples(found, limit=20):
        assert float(example.label) == frame["price"].iloc[example.row - 1]
        place = example.place
        assert list(example.sets) == list(found.sets) == ["base", "ifacm"]
        for name, shown in example.sets.items():
            sets = found.sets[name]
            assert (shown.lower, shown.upper) == (sets.lower[place], sets.upper[place])
            assert shown.held == (shown.lower <= float(example.label) <= shown.upper)
            assert shown.probability == found.probabilities[name][place]
            assert shown.size == shown.upper - shown.lower
            assert shown.labels == ()
        assert list(example.steps["ifacm"]) == found.steps["ifacm"][:, place].tolist()


def test_an_example_of_a_class_has_the_labels_of_its_set(triage):
    for example in examples(triage.test_rows, limit=50, order="table order"):
        for shown in example.sets.values():
            assert shown.held == (example.label in shown.labels)
            assert shown.size == len(shown.labels)
            assert shown.lower is None


def test_orders_are_those_of_a_loop(test_rows):
    where = test_rows.table.frame["place"].eq("Ayr").to_numpy()
    before, after = test_rows.outcomes.values()
    p = test_rows.probabilities["base"]
    drawn = np.random.default_rng(0).permutation(900).tolist()
    keys = {
        "missed before": lambda i: (before.correct[i], p[i]),
        "moved most": lambda i: (-abs(test_rows.steps["ifacm"][:, i].sum()), i),
        "widest after": lambda i: -after.sizes[i],
        "by lot": drawn.index,
        "table order": lambda i: test_rows.rows[i],
    }
    assert keys.keys() == ORDERS.keys()
    for order, key in keys.items():
        expected = sorted(np.flatnonzero(where).tolist(), key=key)[:25]
        shown = examples(test_rows, where, 25, order)
        assert [example.place for example in shown] == expected
        assert examples(test_rows, np.zeros(900, dtype=bool), order=order) == []


def test_values_of_a_column_are_told_most_frequent_first(test_rows):
    found = column_values(test_rows, "place")
    counts = test_rows.table.frame["place"].value_counts()
    assert found.names == sorted(counts.index, key=lambda name: -counts[name])
    assert (found.kind, found.low, found.missing) == ("category", None, 0)
    assert test_rows.table.names == [*test_rows.table.frame]


def test_ends_of_numbers_and_dates_are_told(test_rows):
    age, sold = column_values(test_rows, "age"), column_values(test_rows, "sold")
    column = test_rows.table.frame["age"]
    assert (age.kind, age.low, age.high) == ("number", column.min(), column.max())
    assert age.missing == column.isna().sum()
    days = (test_rows.table.frame["sold"] - pd.Timestamp("1970-01-01")).dt.days
    assert (sold.kind, sold.low, sold.high) == ("date", days.min(), days.max())
    coded = column_values(replace(test_rows, table=Table.of(test_rows.table, ["rooms"])), "rooms")
    assert sorted(coded.names) == ["1", "2", "3", "4", "5"]

    empty = replace(test_rows, table=Table.of(test_rows.table.frame.assign(age=np.nan)))
    found = column_values(empty, "age")
    assert (found.low, found.high, found.missing) == (None, None, 900)


@pytest.mark.parametrize(
    ("label", "rule"), [("age × rooms", "age > 0"), ("cohort: k", "age >= 30")]
)
def test_a_label_called_like_another_variable_has_its_own_values(label, rule):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(10, 90, 300), "rooms": rng.integers(1, 9, 300)})
    frame[label] = rng.normal(1000.0, 1.0, 300)
    settings = AuditSettings(
        target=label, pairs=(("age", "rooms"),), cohorts=(("k", rule),), search="paper"
    )
    test_rows = audit(frame, settings).test_rows
    assert label in [variable.name for variable in test_rows.variables]
    for column in test_rows.table.names:
        found, values = column_values(test_rows, column), test_rows.table.frame[column]
        assert (found.kind, found.low, found.high) == ("number", values.min(), values.max())
    with pytest.raises(InputError, match="there is no column 'cohort: j'"):
        column_values(test_rows, "cohort: j")
