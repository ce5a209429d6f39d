"""Profiles foretell the audit, and nothing is left out without a reason that names what to mend."""

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError, audit, parse_table
from evencover.core.preparation.hints import hints_before
from evencover.core.preparation.prepare import prepare
from evencover.core.preparation.roles import profile_columns, reason_to_leave_out
from evencover.core.tables.columns import Column

N = 600
MEND = "mend that value, or have the column read as numbers"


def homes():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "id": rng.permutation(N) * 31 + 7,
            "area": rng.normal(size=N),
            "rooms": rng.integers(1, 6, N),
            "gap": [np.nan, 1.0, 2.0] * (N // 3),
            "kind": ["flat"] * 340 + ["house"] * 250 + ["boat"] * 4 + ["tent"] * 6,
            "sold": pd.date_range("2020-01-01", periods=N).astype(str),
            "many": [[1]] * N,
            "odd": [*map(str, range(N - 1)), "n/k"],
            "owner": rng.choice([f"owner {i}" for i in range(40)], N),
            "price": rng.normal(size=N),
        }
    )


def profiles(**options):
    settings = AuditSettings(**{"target": "price"} | options)
    return {profile.name: profile for profile in profile_columns(homes(), settings)}


def test_every_column_is_there_in_order():
    assert list(profiles()) == homes().columns.tolist()


@pytest.mark.parametrize(
    ("column", "role", "kind", "distinct", "missing", "becomes"),
    [
        ("id", "left out", "number", N, 0.0,
         "is an identifier: nearly every row has its own value"),
        ("area", "feature", "number", N, 0.0, "the number"),
        ("gap", "feature", "number", 2, 1 / 3,
         "the number; the mean where missing, and an indicator of that"),
        ("kind", "feature", "category", 4, 0.0,
         "an indicator for each value but 'flat' (2); 2 rare values merged into one"),
        ("sold", "feature", "date", N, 0.0, "days, month, weekday and hour"),
        ("many", "left out", "unsupported", N, 0.0,
         "holds values that are neither numbers nor text"),
        ("odd", "left out", "category", N, 0.0,
         f"is nearly all numbers but holds 'n/k' in row {N}; {MEND}"),
        ("price", "label", "number", N, 0.0, "a number: predicted by an interval"),
    ],
)  # fmt: skip
def test_a_column_by_itself(column, role, kind, distinct, missing, becomes):
    profile = profiles()[column]
    assert (profile.role, profile.kind, profile.distinct) == (role, kind, distinct)
    assert (profile.missing_share, profile.becomes) == (pytest.approx(missing), becomes)


@pytest.mark.parametrize(
    ("options", "column", "role", "kind", "becomes"),
    [
        ({"numeric": ("odd",)}, "odd", "feature", "number",
         "the number; the mean where missing, and an indicator of that"),
        ({"categorical": ("rooms",)}, "rooms", "feature", "category", None),
        ({"features": ("id",)}, "id", "feature", "number", "the number"),
        ({"features": ("id",)}, "area", "left out", "number", "not among the features named"),
        ({"drop": ("area",)}, "area", "left out", "number", "left out as asked"),
        ({"audit_only": ("owner",)}, "owner", "audit only", "category", ""),
        ({"group": "owner"}, "owner", "left out", "category", "says which rows stay together"),
        ({"time": "sold"}, "sold", "left out", "date", "says the order in time"),
        ({"target": "many"}, "many", "label", "unsupported", ""),
    ],
)  # fmt: skip
def test_a_column_as_the_settings_have_it(options, column, role, kind, becomes):
    profile = profiles(**options)[column]
    assert (profile.role, profile.kind) == (role, kind)
    if becomes is not None:
        assert profile.becomes == becomes


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"numeric": ("odd",), "drop": ("area",)},
        {"features": ("id", "kind", "rooms"), "categorical": ("rooms",)},
        {"group": "owner"},
    ],
)
@pytest.mark.long
def test_the_profile_foretells_the_audit(options):
    told = profiles(**options)
    result = audit(homes(), AuditSettings(target="price", remedies=("none",), **options))
    assert sorted(result.data.features) == sorted(
        p.name for p in told.values() if p.role == "feature"
    )
    reported = {left.column: left.reason for left in result.data.dropped if left.column in told}
    left_out = {p.name: p.becomes for p in told.values() if p.role == "left out"}
    assert reported.items() <= left_out.items()
    assert set(left_out.values()) - set(reported.values()) <= {"not among the features named"}


def test_rows_without_a_label_decide_nothing():
    frame = homes().assign(price=lambda f: f["price"].where(f["kind"] == "flat"))
    told = {p.name: p for p in profile_columns(frame, AuditSettings(target="price"))}
    assert (told["kind"].role, told["kind"].becomes) == ("left out", "is constant")
    assert (told["kind"].distinct, told["price"].missing_share) == (4, pytest.approx(260 / N))
    told = profile_columns(frame.assign(price=np.nan), AuditSettings(target="price"))
    assert [p.becomes for p in told if p.name == "area"] == ["the number"]


@pytest.mark.parametrize("options", [{}, {"audit_only": ("area",)}])
def test_what_an_audit_will_refuse_is_told(options):
    frame = homes().assign(area=lambda f: f["area"].where(f.index != 4, np.inf))
    settings = AuditSettings(target="price", **options)
    with pytest.raises(InputError) as refused:
        audit(frame, settings)
    (told,) = [p.becomes for p in profile_columns(frame, settings) if p.name == "area"]
    assert told == str(refused.value)


def test_a_column_of_rare_values_alone_is_no_feature_but_may_be_a_group():
    rng = np.random.default_rng(0)
    owners = [f"owner {i % 60}" for i in range(300)]
    frame = pd.DataFrame({"owner": owners, "x": rng.normal(size=300), "y": rng.normal(size=300)})
    settings = AuditSettings(target="y")
    owner, *_ = profiles = profile_columns(frame, settings)
    assert owner.role == "left out"
    assert owner.becomes.endswith("so that it has no effect")
    for hints in (hints_before(frame, settings, profiles), prepare(frame, settings).hints):
        assert [(hint.kind, hint.columns) for hint in hints] == [("group", ("owner",))]


ROWS = 60


def named(values, name="x", **kwargs):
    return pd.Series(values, name=name, **kwargs)


def reason(values, name="x", *, asked_for=False, **kwargs):
    return reason_to_leave_out(Column.of(named(values, name, **kwargs)), asked_for=asked_for)


def shuffled(values):
    return np.random.default_rng(3).permutation(values)


def mixed(odd, position=41):
    """Return texts of numbers, one of which is odd."""
    values = [str(i % 7) for i in range(ROWS)]
    values[position] = odd
    return values


IDS = shuffled(np.arange(ROWS) * 17 + 5)
GAPS = [*range(1, 30), *range(32, ROWS + 3)]
NUMBERED = "numbers the rows"
PEOPLE = [f"{first} {last}" for first in ("Ann", "Bo", "Cy") for last in "ABCDEFGHIJ"] * 2
FULL_NAMES = [
    f"{first} {last}"
    for first in ("Anna", "J. R.", "Jean-Luc", "María", "Ludwig van", "Seán")
    for last in ("Smith", "O'Neil", "Li", "De Vos")
] * 3
IDENTIFIER = "is an identifier: nearly every row has its own value"
IN_DOUBT = "holds dates of which day and month cannot be told apart; write them as 2014-10-13"
NO_DATE = "holds '2020-02-30' in row 41, which is no date; mend that value"
PERSONS = "holds the names of persons, it seems; to use it all the same, have it read as codes"


@pytest.mark.parametrize(
    ("values", "name", "told"),
    [
        *((values, "x", "is constant") for values in ([1.5] * ROWS, ["a"] * ROWS, [True] * ROWS)),
        ([0.0, -0.0] * 30, "x", "is constant"),
        *(([gap] * ROWS, "x", "has no values") for gap in (np.nan, None)),
        # identifiers by name, and names that merely end like one
        *((IDS, name, IDENTIFIER) for name in ("id", "ID", "Id", "Customer_ID", "house_id")),
        *((IDS, name, IDENTIFIER) for name in ("uuid", "houseId", "customer id", "row", "index")),
        (IDS, "column 1", IDENTIFIER),
        *((IDS, name, None) for name in ("width", "period", "humidity", "paid", "monkey", "arrow")),
        (list(range(12)) * 5, "station_id", None),  # with many rows each it is a feature
        (shuffled(np.arange(ROWS) * 0.7), "id", None),
        # consecutive numbers number the rows
        *(
            (list(arrange(range(start, start + ROWS))), "area", NUMBERED)
            for start in (0, 1, 1000)
            for arrange in (list, shuffled, reversed)
        ),
        # also where some rows are gone, or many of those that programs number
        *((values, "area", f"{NUMBERED}, with gaps") for values in (GAPS, shuffled(GAPS))),
        *(
            (sorted(IDS), name, f"{NUMBERED}, with gaps")
            for name in ("Unnamed: 0", "rownames", "X")
        ),
        *(([*range(ROWS - 1), 90], name, None) for name in ("area", "x", "rowing")),
        ([*range(ROWS - 1, 0, -1), 90], "X", None),
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
        ([f"a quiet house near the park, number {i}" for i in range(ROWS)], "x", "is free text"),
        ([f"k{i:04d}" for i in range(ROWS)], "code", IDENTIFIER),
        ([f"heated by means of fuel number {i % 4}" for i in range(ROWS)], "x", None),
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
        (shuffled(np.arange(ROWS) * 17), "id"),
        (np.arange(ROWS), "row"),
        ([f"k{i}" for i in range(ROWS)], "code"),
        ([*["1"] * (ROWS - 1), "?"], "count"),
        (PEOPLE, "name"),
        (FULL_NAMES, "doctor"),
    ],
)
def test_what_is_asked_for_is_kept(values, name):
    assert reason(values, name) is not None
    assert reason(values, name, asked_for=True) is None


@pytest.mark.parametrize(
    "values", [[1] * ROWS, [None] * ROWS, ["2020-01-01"] * ROWS, [[1], [2]] * 30]
)
def test_what_cannot_be_encoded_is_left_out_even_so(values):
    assert reason(values, asked_for=True) is not None


COLUMNS = 1000


def draw(rows, columns):
    values = np.random.default_rng(8).normal(size=(rows, columns)).round(3)
    return pd.DataFrame(values, columns=[f"x{i}" for i in range(columns)])


@pytest.mark.long
def test_every_column_is_read_and_profiled():
    frame = draw(60, COLUMNS).assign(place=["Ayr", "Bude", "Cobh"] * 20)
    frame = frame.assign(copy=frame["x999"], y=frame["x0"])
    read = parse_table(frame.to_csv(index=False).encode(), "t.csv").frame
    pd.testing.assert_frame_equal(read, frame, check_dtype=False)
    profiles = profile_columns(read, AuditSettings(target="y"))
    reasons = {p.name: p.becomes for p in profiles if p.role == "left out"}
    assert reasons == {"copy": "is a copy of x999", "x0": "is a copy of the label"}


@pytest.mark.long
def test_a_name_given_twice_among_thousands_is_told():
    header = ",".join([*(f"x{i}" for i in range(4_500)), "x7"])
    with pytest.raises(InputError, match="two columns called 'x7'"):
        parse_table(f"{header}\n{','.join('1' * 4_500)},2\n".encode(), "t.csv")


@pytest.mark.long
def test_an_audit_with_hundreds_of_columns():
    frame = draw(1200, 150)
    noise = np.random.default_rng(9).normal(size=1200) * np.exp(frame["x1"])
    frame = frame.assign(double=2.0 * frame["x3"] + 1.0, y=frame["x0"] + noise)
    result = audit(frame, AuditSettings(target="y", remedies=("none",)))
    assert result.data.encoded_features == [f"x{i}" for i in range(150)]
    assert [(left.column, left.reason) for left in result.data.dropped] == [
        ("double", "is a linear function of x3")
    ]
    assert [row.parameters for row in result.results] == [151] * 2
    assert len({row.variable for row in result.segments}) == 152  # and the label
