"""Segments: each test row is in one of each variable; shares, and strata of sizes, are counted."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mapie.metrics.classification import classification_ssc
from mapie.metrics.regression import regression_ssc
from rows import by_name
from scipy.stats import binom, binomtest
from statsmodels.stats.proportion import proportion_confint

from evencover.core.conformal.rank import CoverageLaw
from evencover.core.messages import InputError
from evencover.core.report.wording import segment_in_words
from evencover.core.rows.outcomes import Outcomes
from evencover.core.segments.binning import (
    Partition,
    band_edges,
    by_value,
    in_bands,
    partition_column,
)
from evencover.core.segments.by_segment import (
    lowest_by_chance,
    segment_rows,
    size_strata,
    size_stratified_coverage,
)
from evencover.core.segments.grouping import Variable
from evencover.core.segments.statistics import wilson_interval
from evencover.core.tables.columns import Column
from evencover.core.tables.grammar import parse_rule
from evencover.core.tables.table import Table

TRAIN, TEST = np.arange(40), np.arange(40, 60)


def column(values, name="v", **kwargs):
    return pd.Series(values, name=name, **kwargs)


def names_of(values, train=TRAIN, **kwargs):
    return partition_column(Column.of(column(values, **kwargs)), train).names


def segments(values, train=TRAIN, **kwargs):
    partition = partition_column(Column.of(column(values, **kwargs)), train)
    return [partition.names[code] for code in partition.codes]


def table(frame, base, after, train=TRAIN, test=TEST):
    """The rows of the variables' segments before, and after."""
    divided = [(name, partition_column(Column.of(frame[name]), train)) for name in frame.columns]
    rows = segment_rows(
        [
            Variable(name, "column", Partition(p.names, p.codes[test], p.rules))
            for name, p in divided
        ],
        {
            "base": Outcomes(np.asarray(base, dtype=bool), np.arange(len(test), dtype=float)),
            "ifacm": Outcomes(np.asarray(after, dtype=bool), np.ones(len(test))),
        },
        0.9,
    )
    return by_name(rows, "base"), by_name(rows, "ifacm")


class TestWilson:
    @given(
        st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
        st.sampled_from([0.8, 0.95, 0.99]),
    )
    def test_it_is_scipys_and_statsmodels(self, counts, level):
        found = np.ravel(wilson_interval(*(np.array([count]) for count in counts), level))
        scipys = binomtest(*counts).proportion_ci(level, method="wilson")
        assert found == pytest.approx((scipys.low, scipys.high), abs=1e-12)
        peer = proportion_confint(*counts, alpha=1.0 - level, method="wilson")
        assert found == pytest.approx(peer, abs=1e-12)

    @pytest.mark.parametrize("n", [1, 3, 7, 49, 1000, 123457])
    def test_no_rounding_shows_at_the_ends(self, n):
        low, high = wilson_interval(np.array([0, n]), np.array([n, n]))
        assert low[0] == pytest.approx(0.0, abs=1e-16)
        assert high[1] == pytest.approx(1.0, abs=1e-15)
        assert low.min() >= 0.0
        assert high.max() <= 1.0

    def test_no_rows_no_interval(self):
        low, high = wilson_interval(np.array([0, 1]), np.array([0, 2]))
        assert np.isnan([low[0], high[0]]).all()
        assert low[1] < 0.5 < high[1]


class TestPartition:
    @pytest.mark.parametrize("kind", [int, float, str])
    def test_up_to_twelve_values_are_segments(self, kind):
        values = [kind(i % 12) for i in range(60)]
        expected = (
            [str(i) for i in range(12)] if kind is not str else sorted(map(str, range(12)), key=int)
        )
        assert names_of(values) == expected

    def test_thirteen_values_are_quartiles_of_training(self):
        train = np.arange(13)
        values = [*range(13), 100, -5, 3, 6, 9]
        names = ["< 3", "3 to 6", "6 to 9", ">= 9"]
        assert names_of(values, train) == names
        expected = [0] * 3 + [1] * 3 + [2] * 3 + [3] * 4 + [3, 0, 1, 2, 3]
        assert partition_column(Column.of(column(values)), train).codes.tolist() == expected

    def test_a_column_that_is_mostly_or_half_zero_keeps_the_edges_that_differ(self):
        values = np.zeros(60)
        values[:8] = np.arange(1, 9)
        values[40:50] = np.arange(10, 20)
        assert names_of(values) == ["< 1", ">= 1"]
        assert segments(values)[8:12] == ["< 1"] * 4
        assert segments(values)[0] == ">= 1"
        values = np.where(np.arange(60) % 2, np.arange(60.0), 0.0)
        assert names_of(values) == ["< 0.5", "0.5 to 19.5", ">= 19.5"]

    @pytest.mark.parametrize("in_training", [5.0, np.nan])
    def test_training_rows_of_one_value_or_none_bound_no_segment_by_infinity(self, in_training):
        values = np.where(np.arange(60) < 40, in_training, np.arange(60.0))
        assert not any("inf" in name for name in names_of(values))
        if np.isnan(in_training):
            assert segments(values)[:40] == ["(missing)"] * 40

    def test_large_numbers_keep_their_segments_names_apart(self):
        names = names_of(1e12 + np.arange(60.0))
        assert len(set(names)) == 4
        assert names_of(1_234_567 + 10 * np.arange(60.0))[0] == "< 1234664.5"  # written in full
        bounds = [name.split(" to ") for name in names if " to " in name]
        assert all(low != high for low, high in bounds)

    @pytest.mark.parametrize(
        ("values", "kwargs"),
        [
            ([np.nan, 1.0, 2.0] * 20, {}),
            ([None, "a", "b"] * 20, {}),
            ([None, 1, 2] * 20, {"dtype": "Int64"}),
            ([None, True, False] * 20, {"dtype": "boolean"}),
            ([None, *range(19)] * 3, {}),
        ],
    )
    def test_missing_is_a_segment_the_last(self, values, kwargs):
        assert names_of(values, **kwargs)[-1] == "(missing)"
        found = np.array(segments(values, **kwargs)) == "(missing)"
        assert found.tolist() == pd.isna(pd.Series(values)).tolist()

    def test_of_many_values_each_with_twenty_test_rows_is_a_segment(self):
        # in the test rows v00 has 18 rows, v01 19, up to v15 with 33; in training v00 has the most
        rows = [f"v{i:02d}" for i in range(16) for _ in range(18 + i)]
        values, test = ["v00"] * 100 + rows, np.arange(100, 100 + len(rows))
        found = by_value(Column.of(column(values)), test)
        assert found.names == [*(f"v{i:02d}" for i in range(15, 1, -1)), "(other)"]
        assert found.merged == 2
        counts = np.bincount(found.codes[test])
        assert counts.tolist() == [*range(33, 19, -1), 18 + 19]
        rule = found.rules[-1]
        assert rule.holds(Table.of(column(values).to_frame())).tolist() == [
            value in ("v00", "v01") for value in values
        ]

    def test_values_with_rows_enough_are_not_merged_and_all_of_one_row_are(self):
        found = partition_column(Column.of(column([f"v{i}" for i in range(15)] * 20)), TRAIN)
        assert sorted(found.names) == sorted(f"v{i}" for i in range(15))
        assert found.merged == 0
        values = [f"v{i}" for i in range(60)]
        found = by_value(Column.of(column(values)), TEST)
        assert (found.names, found.merged) == (["(other)"], len(TEST))
        assert found.rules[0].holds(Table.of(column(values).to_frame())).all()

    def test_few_values_and_codes_are_values_unless_cut(self):
        few = Column.of(column([1, 2, 3, 4] * 15))
        found = in_bands(few, band_edges(few, cuts=(3.0,)))
        assert (found.names, found.codes.tolist()) == (["< 3", ">= 3"], [0, 0, 1, 1] * 15)
        codes = replace(Column.of(column(np.repeat(np.arange(15), 20))), categorical=True)
        assert partition_column(codes, TRAIN).names == [str(i) for i in range(15)]
        assert in_bands(codes, band_edges(codes, cuts=(7.0,))).names == ["< 7", ">= 7"]

    def test_rules_and_bands_of_moments_go_by_day(self):
        when = pd.Series(pd.date_range("2021-03-01 05:00", periods=60, freq="7h"), name="t")
        found = partition_column(Column.of(when), np.arange(60))
        assert found.names[1] == "2021-03-05 to 2021-03-09"
        inside = (when >= "2021-03-05") & (when < "2021-03-09")
        assert (found.codes == 1).tolist() == inside.tolist()
        days = column(pd.to_datetime(["2020-01-01", "2020-02-01", None] * 20))
        found, whole = partition_column(Column.of(days), TRAIN), Table.of(days.to_frame())
        assert [name[:10] for name in found.names] == ["2020-01-01", "2020-02-01", "(missing)"]
        for code, rule in enumerate(found.rules):
            assert rule.holds(whole).tolist() == (found.codes == code).tolist()

    def test_lists_cannot_divide(self):
        with pytest.raises(InputError, match="neither numbers nor text"):
            names_of([[1], [2]] * 30)

    @settings(max_examples=50)
    @given(
        st.lists(
            st.one_of(st.none(), st.integers(-5, 30).map(float), st.sampled_from([0.0, 0.5])),
            min_size=30,
            max_size=60,
        )
    )
    def test_every_row_is_in_one_segment_and_in_the_right_one(self, values):
        values = np.array(values, dtype=float)
        whole = Table.of(column(values).to_frame())
        partition = partition_column(whole["v"], np.arange(20))
        for code, rule in enumerate(partition.rules):
            assert rule.holds(whole).tolist() == (partition.codes == code).tolist()
        assert ((partition.codes >= 0) & (partition.codes < len(partition.names))).all()
        for value, code in zip(values, partition.codes, strict=True):
            name = partition.names[code]
            if np.isnan(value):
                assert name == "(missing)"
            elif " to " in name:
                low, high = map(float, name.split(" to "))
                assert low <= value < high
            elif name.startswith("< "):
                assert value < float(name[2:])
            elif name.startswith(">= "):
                assert value >= float(name[3:])
            else:
                assert float(name) == value


class TestRows:
    def test_accuracies_are_counted_by_hand(self):
        frame = pd.DataFrame({"v": ["a"] * 4 + ["b", "b", "a", "b", "b"]})
        train, test = np.arange(4), np.arange(4, 9)
        before, after = table(frame, [1, 0, 1, 1, 1], [1, 1, 0, 0, 1], train, test)
        assert [r.accuracy for r in before] == [1.0, 0.75]
        assert [r.accuracy for r in after] == [0.0, 0.75]
        assert [r.inefficiency for r in before] == [2.0, (0 + 1 + 3 + 4) / 4]
        assert [r.inefficiency for r in after] == [1.0, 1.0]
        expected = binomtest(3, 4).proportion_ci(method="wilson")
        assert (before[0].low, before[0].high) > (after[0].low, after[0].high)
        for rows in (before, after):
            assert [(r.variable, r.value, r.n) for r in rows] == [("v", "a", 1), ("v", "b", 4)]
            assert (rows[1].low, rows[1].high) == pytest.approx((expected.low, expected.high))

    def test_the_segments_of_each_variable_in_order_hold_all_test_rows(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(
            {
                "few": rng.integers(0, 4, 60),
                "many": rng.normal(size=60),
                "gappy": np.where(rng.random(60) < 0.3, np.nan, rng.normal(size=60)),
                "text": rng.choice([f"t{i}" for i in range(30)], 60),
                "flag": rng.random(60) < 0.5,
                "day": pd.date_range("2020", periods=60),
            }
        )
        correct = rng.random((2, 20)) < 0.8
        for rows, right in zip(table(frame, *correct), correct, strict=True):
            by_variable = {}
            for row in rows:
                n, hits = by_variable.get(row.variable, (0, 0.0))
                by_variable[row.variable] = n + row.n, hits + (row.n and row.n * row.accuracy)
            assert [*by_variable] == [*frame]
            assert [n for n, _ in by_variable.values()] == [20] * 6
            assert [hits for _, hits in by_variable.values()] == pytest.approx([right.sum()] * 6)

    def test_a_segment_without_test_rows_has_no_accuracy(self):
        frame = pd.DataFrame({"v": ["a"] * 20 + ["b"] * 40})
        for row, _ in table(frame, np.ones(20), np.ones(20)):
            assert (row.value, row.n) == ("a", 0)
            assert np.isnan([row.accuracy, row.low, row.high]).all()


def test_a_level_called_like_a_special_segment_is_told_apart():
    values = ["(missing)", None, "x"] * 20
    assert partition_column(Column.of(column(values)), np.arange(60)).names == [
        "(missing)",
        "x",
        "(missing) (2)",
    ]


MOMENTS = pd.Timestamp("2020-05-01 12:00") + pd.to_timedelta(np.arange(20), unit="ns")


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([2**60 + i for i in range(20)], ["1.152921504606847e+18"]),
        ([*MOMENTS, pd.NaT], ["2020-05-01 12:00:00", "(missing)"]),
    ],
)
def test_values_that_floats_do_not_tell_apart_are_one_segment(values, names):
    partition = partition_column(Column.of(pd.Series(values)), np.arange(20))
    assert partition.names == names
    assert partition.codes.tolist() == [0] * 20 + [1] * (len(values) - 20)


RNG = np.random.default_rng(0)
HUNDRED = np.arange(100)
SECOND = pd.Timestamp("2020-03-01 12:00")
# the quartile is the value of 30 rows, which to six digits is less than it
TIED = np.concatenate([np.full(30, 10.576337), np.linspace(8.0, 10.5, 50), np.linspace(11, 12, 20)])


@pytest.mark.parametrize("bins", [2, 4, 40])
@pytest.mark.parametrize(
    "values",
    [
        TIED,
        -TIED,
        *(RNG.normal(size=100) * by for by in (1e-300, 1e-7, 1.0, 1e9)),
        1.0 + HUNDRED * 1e-9,
        1e15 + HUNDRED / 4.0,
        np.where(HUNDRED < 95, 0.0, HUNDRED / 7.0),
        [None, *HUNDRED[1:]],
        SECOND + pd.to_timedelta(HUNDRED, unit="ms"),
        SECOND + pd.to_timedelta(HUNDRED * 7, unit="us"),
        SECOND + pd.to_timedelta(HUNDRED * 13, unit="min"),
        SECOND + pd.to_timedelta(HUNDRED % 30, unit="D"),
        SECOND + pd.to_timedelta(HUNDRED * 7, unit="h"),
        [*(SECOND + pd.to_timedelta(HUNDRED[1:] * 7, unit="h")), None],
        SECOND + pd.to_timedelta(HUNDRED % 3 * 7, unit="h"),
        [f"{i % 24:02}:{i % 60:02}" for i in range(100)],
        [f"{i % 5:02}:30" for i in range(100)],
        [f"{i % 5 + 1}.10.2014 18:{i % 2}0" if i else "17.10.2014 18:10" for i in range(100)],
        *([f"v{i % many}" for i in range(100)] for many in (5, 30)),
    ],
)
def test_a_segment_s_text_as_a_rule_selects_its_rows(values, bins):
    table = Table.of(pd.DataFrame({"a b": values}))
    found = partition_column(table["a b"], HUNDRED[:60], bins=bins)
    assert len(set(found.names)) == len(found.names)
    variable = Variable("a b", "column", found, ("a b",))
    right = Outcomes(np.ones(100, dtype=bool), np.ones(100))
    rows = segment_rows([variable], {"base": right}, 0.9)
    assert [row.value for row in rows] == found.names
    assert sum(row.n for row in rows) == 100
    for code, row in enumerate(rows):
        inside = parse_rule(row.rule).holds(table)
        np.testing.assert_array_equal(inside, found.codes == code, err_msg=row.rule)
        np.testing.assert_array_equal(
            parse_rule(segment_in_words(row)).holds(table), inside, err_msg=segment_in_words(row)
        )


def test_own_cuts_are_shown_in_full_and_those_of_codes_are_rules():
    values = np.round(np.arange(100) * 0.0123456789, 10)
    cuts = (0.123456789, 0.9876543210123)
    for codes in (False, True):
        table = Table.of(pd.DataFrame({"v": values}), ["v"] if codes else [])
        found = in_bands(table["v"], band_edges(table["v"], cuts=cuts))
        assert found.names == ["< 0.123456789", "0.123456789 to 0.9876543210123", found.names[-1]]
        for code, rule in enumerate(found.rules):
            assert parse_rule(str(rule)).holds(table).tolist() == (found.codes == code).tolist()


def test_bounds_are_brief_where_that_moves_hardly_a_row():
    values = RNG.normal(size=20_000)
    edges = band_edges(Column.of(pd.Series(values)))
    assert max(len(f"{edge:.15g}".lstrip("-0.")) for edge in edges) <= 6
    assert edges == pytest.approx(np.quantile(values, (0.25, 0.5, 0.75)), abs=1e-5)


def strata(correct, sizes, largest=math.inf):
    outcomes = Outcomes(np.asarray(correct, dtype=bool), np.asarray(sizes, dtype=float), largest)
    return size_strata("base", outcomes)


TO_100 = np.arange(100)


@pytest.mark.parametrize(
    ("correct", "sizes", "largest", "expected"),
    [
        ([0, 1, 1, 0, 1], [0, 1, 1, 1, 3], 3.0, [("1", 3, 2 / 3), ("3", 1, 1.0)]),
        (TO_100 < 90, 1.0 + 1e-15 * TO_100, math.inf, [("1", 100, 0.9)]),  # rounding makes none
        (
            *(TO_100 < 70, np.where(TO_100 < 40, np.inf, 2.0), math.inf),
            [("2", 60, 0.5), ("infinite", 40, 1.0)],
        ),
        (np.ones(5), np.full(5, np.inf), math.inf, [("infinite", 5, 1.0)]),
    ],
)
def test_strata_by_hand(correct, sizes, largest, expected):
    rows = strata(correct, sizes, largest=largest)
    assert [(row.size, row.n, row.accuracy) for row in rows] == expected
    ends = [proportion_confint(n * share, n, method="wilson") for _, n, share in expected]
    assert [row.low for row in rows] == pytest.approx([low for low, _ in ends], abs=1e-12)
    assert [row.high for row in rows] == pytest.approx([high for _, high in ends], abs=1e-12)
    assert {row.predictor for row in rows} == {"base"}


def test_label_sets_are_mapie_s():
    rng = np.random.default_rng(0)
    members = rng.random((800, 4)) < [0.9, 0.6, 0.4, 0.2]
    y = rng.integers(0, 4, 800)
    correct = members[np.arange(800), y]
    rows = strata(correct, members.sum(axis=1), largest=4.0)
    expected = classification_ssc(y, members)[0]
    assert [row.accuracy for row in rows] == pytest.approx(expected[[int(r.size) for r in rows]])
    counted = [row.accuracy for row in rows if row.n >= 20]
    assert size_stratified_coverage(rows) == min(counted)


def test_intervals_in_quartiles_of_width_are_mapie_s():
    rng = np.random.default_rng(1)
    centre, half, y = rng.normal(size=(3, 400))
    half = np.exp(half)
    correct = np.abs(y - centre) <= half
    rows = strata(correct, 2.0 * half)
    ends = np.column_stack([centre - half, centre + half])
    expected = regression_ssc(y, ends, num_bins=4)[0]
    assert [row.n for row in rows] == [100] * 4
    assert [row.accuracy for row in rows] == pytest.approx(expected)
    assert size_stratified_coverage(rows) == pytest.approx(expected.min())


@pytest.mark.parametrize(("n", "lowest"), [(20, 0.5), (18, 1.0)])
def test_a_stratum_of_twenty_rows_counts_and_no_smaller_one(n, lowest):
    rows = strata([*([0, 1] * (n // 2)), *[1] * 30], [*[1] * n, *[2] * 30], largest=2.0)
    assert [(row.n, row.accuracy) for row in rows] == [(n, 0.5), (30, 1.0)]
    assert size_stratified_coverage(rows) == lowest
    assert math.isnan(size_stratified_coverage(rows[:1])) == (n < 20)


def test_what_chance_makes_of_the_lowest_stratum_is_exceeded_in_95_of_100_faultless_audits():
    rng, law = np.random.default_rng(3), CoverageLaw.of_calibration(200, 0.9)
    sizes, lower, runs = np.repeat([1.0, 2.0, 3.0], [40, 100, 260]), 0, 400
    for _ in range(runs):
        rows = strata(rng.random(400) < law.draw(rng), sizes, largest=3.0)
        lower += size_stratified_coverage(rows) < lowest_by_chance(rows, law, 1.0)
    assert binom.ppf(1e-4, runs, 0.03) <= lower <= binom.ppf(0.9999, runs, 0.05)
    assert math.isnan(lowest_by_chance([], law, 1.0))
    # dependent rows say less
    assert lowest_by_chance(rows, law, 4.0) < lowest_by_chance(rows, law, 1.0)


def test_strata_hold_every_row_once():
    rng = np.random.default_rng(2)
    widths = rng.choice([0.5, 1.0, np.inf, *rng.random(30)], 500)
    correct = rng.random(500) < 0.9
    rows = strata(correct, widths)
    assert sum(row.n for row in rows) == 500
    assert sum(row.n * row.accuracy for row in rows) == pytest.approx(correct.sum())
