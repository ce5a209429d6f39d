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


def mixed(odd, position=41):
    """Return texts of numbers, one of which is odd."""
    values = [str(i % 7) for i in range(N)]
    values[position] = odd
    return values


IDS = shuffled(np.arange(N) * 17 + 5)
PEOPLE = [f"{first} {last}" for first in ("Ann", "Bo", "Cy") for last in "ABCDEFGHIJ"] * 2
FULL_NAMES = [
    f"{first} {last}"
    for first in ("Anna", "J. R.", "Jean-Luc", "María", "Ludwig van", "Seán")
    for last in ("Smith", "O'Neil", "Li", "De Vos")
] * 3
IDENTIFIER = "is an identifier: nearly every row has its own value"
MEND = "mend that value, or have the column read as numbers"
IN_DOUBT = "holds dates of which day and month cannot be told apart; write them as 2014-10-13"
NO_DATE = "holds '2020-02-30' in row 41, which is no date; mend that value"
PERSONS = "holds the names of persons, it seems; to use it all the same, have it read as codes"


@pytest.mark.parametrize(
    ("values", "name", "told"),
    [
        *((values, "x", "is constant") for values in ([1.5] * N, ["a"] * N, [True] * N)),
        ([0.0, -0.0] * 30, "x", "is constant"),
        *(([gap] * N, "x", "has no values") for gap in (np.nan, None)),
        # identifiers by name, and names that merely end like one
        *((IDS, name, IDENTIFIER) for name in ("id", "ID", "Id", "Customer_ID", "house_id")),
        *((IDS, name, IDENTIFIER) for name in ("uuid", "houseId", "customer id", "row", "index")),
        (IDS, "column 1", IDENTIFIER),
        *((IDS, name, None) for name in ("width", "period", "humidity", "paid", "monkey", "arrow")),
        (list(range(12)) * 5, "station_id", None),  # with many rows each it is a feature
        (shuffled(np.arange(N) * 0.7), "id", None),
        # consecutive numbers number the rows
        *(
            (list(arrange(range(start, start + N))), "area", "numbers the rows")
            for start in (0, 1, 1000)
            for arrange in (list, shuffled, reversed)
        ),
        ([*range(N - 1), N], "area", None),  # a gap is enough to keep them
        # nearly all numbers: the row to mend
        *(
            (mixed(odd), "x", f"is nearly all numbers but holds '{odd}' in row 42; {MEND}")
            for odd in ("n/k", "?", "12 m")
        ),
        (["1", "2", "north", "south"] * 15, "x", None),
        # names of persons, and of other things
        *((PEOPLE, name, PERSONS) for name in ("name", "first_name", "LastName", "first")),
        (PEOPLE, "customer name", PERSONS),
        *((PEOPLE, name, None) for name in ("city_name", "street", "product name", "namespace")),
        *((FULL_NAMES, name, PERSONS) for name in ("Manager", "sales_agent", "doctor", "author")),
        *((FULL_NAMES, name, PERSONS) for name in ("Account Owner", "store manager name")),
        *((FULL_NAMES, f"{name}_city", None) for name in ("Manager", "doctor", "author")),
        *(
            ([value.format(letter) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"] * 3, "agent", None)
            for value in ("cellular phone {}", "Team4 {}", "shop {}", "The {} of Ours", "K{}")
        ),
        (["Ann", "Bo", "Cy"] * 20, "name", None),  # few may be groups
        # text
        ([f"a quiet house near the park, number {i}" for i in range(N)], "x", "is free text"),
        ([f"k{i:04d}" for i in range(N)], "code", IDENTIFIER),
        ([f"heated by means of fuel number {i % 4}" for i in range(N)], "x", None),
        # dates
        (["2020-01-01", "2020-01-02"] * 30, "x", None),
        (["1/2/2020", "3/4/2020"] * 30, "x", IN_DOUBT),
        ([*["2020-01-01", "2020-01-02"] * 20, "2020-02-30"], "x", NO_DATE),
        ([[1], [2]] * 30, "x", "holds values that are neither numbers nor text"),
    ],
)
def test_the_reason_to_leave_a_column_out(values, name, told):
    assert reason(values, name) == told


@pytest.mark.parametrize("asked_for", [True, False])
@pytest.mark.parametrize(
    "dtype", ["float64", "Float64", "Int64", "string", "boolean", "object", "category"]
)
def test_a_gap_in_the_first_row_does_not_make_a_column_constant(dtype, asked_for):
    values = [None, *(["a", "b", "b"] if dtype == "string" else [0, 1, 1]) * 20]
    assert reason(values, asked_for=asked_for, dtype=dtype) is None


@pytest.mark.parametrize("dtype", ["float64", "Int64", "boolean", "category"])
def test_one_value_and_gaps_vary(dtype):
    assert reason([1, None] * 30, dtype=dtype) is None


def test_the_row_to_mend_is_the_tables_own():
    values = pd.Series(["1"] * 20 + ["x"] + ["2"] * 20, name="a")[5:]
    assert "'x' in row 21" in reason_to_leave_out(Column.of(values))


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (shuffled(np.arange(N) * 17), "id"),
        (np.arange(N), "row"),
        ([f"k{i}" for i in range(N)], "code"),
        ([*["1"] * (N - 1), "?"], "count"),
        (PEOPLE, "name"),
        (FULL_NAMES, "doctor"),
    ],
)
def test_what_is_asked_for_is_kept(values, name):
    assert reason(values, name) is not None
    assert reason(values, name, asked_for=True) is None


@pytest.mark.parametrize("values", [[1] * N, [None] * N, ["2020-01-01"] * N, [[1], [2]] * 30])
def test_what_cannot_be_encoded_is_left_out_even_so(values):
    assert reason(values, asked_for=True) is not None
