"""Nothing is left out without a reason, and the reason names what to mend."""

import numpy as np
import pandas as pd
import pytest

from evencover.core.preparation.unusable_columns import reason_to_leave_out
from evencover.core.tables.columns import Column

N = 60


def named(values, name="x", **kwargs):
    return pd.Series(values, name=name, **kwargs)


def reason(values, name="x", *, asked_for=False, **kwargs):
    return reason_to_leave_out(Column.of(named(values, name, **kwargs)), asked_for=asked_for)


def shuffled(values):
    return np.random.default_rng(3).permutation(values)


class TestReasons:
    @pytest.mark.parametrize("values", [[1.5] * N, ["a"] * N, [True] * N, [0.0, -0.0] * 30])
    def test_constant(self, values):
        assert reason(values) == "is constant"

    @pytest.mark.parametrize("values", [[np.nan] * N, [None] * N])
    def test_nothing_there(self, values):
        assert reason(values) == "has no values"

    @pytest.mark.parametrize("asked_for", [True, False])
    @pytest.mark.parametrize(
        "dtype", ["float64", "Float64", "Int64", "string", "boolean", "object", "category"]
    )
    def test_a_gap_in_the_first_row_does_not_make_a_column_constant(self, dtype, asked_for):
        values = [None] + [0, 1, 1] * 20
        if dtype == "string":
            values = [None] + ["a", "b", "b"] * 20
        assert reason(values, asked_for=asked_for, dtype=dtype) is None

    @pytest.mark.parametrize("dtype", ["float64", "Int64", "boolean", "category"])
    def test_one_value_and_gaps_vary(self, dtype):
        assert reason([1, None] * 30, dtype=dtype) is None

    @pytest.mark.parametrize(
        "name",
        [
            "id",
            "ID",
            "Id",
            "Customer_ID",
            "house_id",
            "houseId",
            "customer id",
            "uuid",
            "row",
            "index",
            "column 1",
        ],
    )
    def test_an_identifier_by_name(self, name):
        values = shuffled(np.arange(N) * 17 + 5)
        expected = "is an identifier: nearly every row has its own value"
        assert reason(values, name) == expected

    @pytest.mark.parametrize("name", ["width", "period", "humidity", "paid", "monkey", "arrow"])
    def test_names_that_merely_end_like_an_identifier(self, name):
        assert reason(shuffled(np.arange(N) * 17 + 5), name) is None

    def test_an_identifier_with_many_rows_each_is_a_feature(self):
        assert reason(list(range(12)) * 5, "station_id") is None

    def test_fractions_are_no_identifier(self):
        assert reason(shuffled(np.arange(N) * 0.7), "id") is None

    @pytest.mark.parametrize("start", [0, 1, 1000])
    @pytest.mark.parametrize("arrange", [list, shuffled, reversed])
    def test_consecutive_numbers_number_the_rows(self, start, arrange):
        assert reason(list(arrange(range(start, start + N))), "area") == "numbers the rows"

    def test_a_gap_in_the_numbers_is_enough_to_keep_them(self):
        assert reason([*range(N - 1), N], "area") is None

    @pytest.mark.parametrize("odd", ["n/k", "?", "12 m"])
    def test_nearly_all_numbers_names_the_row_to_mend(self, odd):
        values = [str(i % 7) for i in range(N)]
        values[41] = odd
        assert (
            reason(values)
            == f"is nearly all numbers but holds '{odd}' in row 42; mend that value, "
            "or have the column read as numbers"
        )

    def test_the_row_to_mend_is_the_tables_own(self):
        values = pd.Series(["1"] * 20 + ["x"] + ["2"] * 20, name="a")[5:]
        assert "'x' in row 21" in reason_to_leave_out(Column.of(values))

    def test_numbers_and_names_half_and_half_are_a_category(self):
        assert reason(["1", "2", "north", "south"] * 15) is None

    @pytest.mark.parametrize("name", ["name", "first_name", "LastName", "customer name", "first"])
    def test_names_of_persons_are_no_features(self, name):
        values = [f"{first} {last}" for first in ("Ann", "Bo", "Cy") for last in "ABCDEFGHIJ"] * 2
        assert reason(values, name).startswith("holds the names of persons")
        assert reason(values, name, asked_for=True) is None

    @pytest.mark.parametrize("name", ["city_name", "street", "product name", "namespace"])
    def test_names_of_other_things_are(self, name):
        values = [f"{first} {last}" for first in ("Ann", "Bo", "Cy") for last in "ABCDEFGHIJ"] * 2
        assert reason(values, name) is None

    @pytest.mark.parametrize(
        "name", ["Manager", "sales_agent", "doctor", "Account Owner", "author"]
    )
    def test_full_names_of_somebody_are_no_features(self, name):
        firsts = ("Anna", "J. R.", "Jean-Luc", "María", "Ludwig van", "Seán")
        values = [f"{a} {b}" for a in firsts for b in ("Smith", "O'Neil", "Li", "De Vos")] * 3
        assert reason(values, name).startswith("holds the names of persons")
        assert reason(values, name, asked_for=True) is None
        assert reason(values, f"{name}_city") is None
        assert reason(values, "store manager name").startswith("holds the names of persons")

    @pytest.mark.parametrize(
        "value", ["cellular phone {}", "Team {}", "shop {}", "The {} of Ours", "K{}"]
    )
    def test_what_else_somebody_is_told_by_is(self, value):
        values = [value.format(letter) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"] * 3
        values = [value.replace("Team ", "Team4 ") for value in values]
        assert reason(values, "agent") is None

    def test_few_names_may_be_groups(self):
        assert reason(["Ann", "Bo", "Cy"] * 20, "name") is None

    def test_free_text(self):
        values = [f"a quiet house near the park, number {i}" for i in range(N)]
        assert reason(values) == "is free text"

    def test_an_identifier_in_text(self):
        assert reason([f"k{i:04d}" for i in range(N)], "code") == (
            "is an identifier: nearly every row has its own value"
        )

    def test_a_handful_of_sentences_are_a_category(self):
        assert reason([f"heated by means of fuel number {i % 4}" for i in range(N)]) is None

    def test_dates_are_of_use(self):
        assert reason(["2020-01-01", "2020-01-02"] * 30) is None

    def test_dates_in_doubt(self):
        assert "day and month cannot be told apart" in reason(["1/2/2020", "3/4/2020"] * 30)

    def test_a_date_that_is_none(self):
        told = "holds '2020-02-30' in row 3, which is no date; mend that value"
        assert reason(["2020-01-01", "2020-01-02", "2020-02-30"] * 20) == told

    def test_lists(self):
        assert "neither numbers nor text" in reason([[1], [2]] * 30)

    @pytest.mark.parametrize(
        ("values", "name"),
        [
            (shuffled(np.arange(N) * 17), "id"),
            (np.arange(N), "row"),
            ([f"k{i}" for i in range(N)], "code"),
            ([*["1"] * (N - 1), "?"], "count"),
        ],
    )
    def test_what_is_asked_for_is_kept(self, values, name):
        assert reason(values, name) is not None
        assert reason(values, name, asked_for=True) is None

    @pytest.mark.parametrize("values", [[1] * N, [None] * N, ["2020-01-01"] * N, [[1], [2]] * 30])
    def test_what_cannot_be_encoded_is_left_out_even_so(self, values):
        assert reason(values, asked_for=True) is not None
