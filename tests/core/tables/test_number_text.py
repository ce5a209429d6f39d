"""Numbers written as text: no thousand taken for a decimal, none guessed."""

import numpy as np
import pandas as pd
import pytest

from evencover.core.errors import InputError
from evencover.core.preparation.settings import AuditSettings
from evencover.core.report.audit import audit
from evencover.core.tables.number_text import Style, style_of, to_numbers
from evencover.core.tables.table import read_as_asked


@pytest.mark.parametrize(
    ("values", "style"),
    [
        *(([text, "2"], Style.COMMA) for text in ("1,5", "1.234,5")),
        *((texts, Style.COMMA) for texts in (["0,123"], ["12345,678"], ["-1,5", "+2,25"])),
        *(([text], Style.POINT) for text in ("1,234,567", "1'234.5", "1\u00a0234")),
        *((["1,234.5", "7"], Style.POINT), (["1e5", "2.5"], Style.POINT)),
        (["1 234", "12 345 678"], Style.POINT),
        *((texts, Style.IN_DOUBT) for texts in (["1,234"], ["1.234"], ["1,234", "7"])),
        *((["1,5", other], None) for other in ("2.5", "x")),
        *((texts, None) for texts in (["12,34,5"], ["١٢", "٣٫٥"], ["１２,５"], ["2020-01-01"])),
    ],
)
def test_style_is_what_the_values_leave_no_doubt_about(values, style):
    assert style_of(pd.Series(values)) is style


@pytest.mark.parametrize(
    ("values", "style", "numbers"),
    [
        (["1.234.567,5", "2"], Style.COMMA, [1234567.5, 2.0]),
        (["1,234,567.5", "2"], Style.POINT, [1234567.5, 2.0]),
        (["-1 234,5"], Style.COMMA, [-1234.5]),
        (["1,5e3"], Style.COMMA, [1500.0]),
        (["9223372036854775808", "-1"], Style.POINT, [2.0**63, -1.0]),
        ([None, "4503599627370497"], Style.POINT, [np.nan, 4503599627370497.0]),
    ],
)
def test_numbers_are_those_meant(values, style, numbers):
    found = to_numbers(pd.Series(values, dtype=object), style)
    assert found.tolist() == pytest.approx(numbers, rel=0.0, nan_ok=True)


# Text read as numbers on request: nothing guessed or passed over

NAN = float("nan")


def read(values):
    table, notes = read_as_asked(pd.DataFrame({"a": values}), ["a"], [])
    return table["a"].series.tolist(), notes


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["1", "2.5", "n/k"], [1.0, 2.5, NAN]),
        (["1,5", "x", "2,25"], [1.5, NAN, 2.25]),
        (["1,234.5", "-7", "?"], [1234.5, -7.0, NAN]),
        (["1.234,5", "7", "?"], [1234.5, 7.0, NAN]),
        (["1.234", "0.5", "?"], [1.234, 0.5, NAN]),
        ([None, " 3 ", "three"], [NAN, 3.0, NAN]),
        ([3, "4", "five"], [3.0, 4.0, NAN]),
        (["007", "12", "n/k"], [7.0, 12.0, NAN]),
        (["45 %", "7 %", "n/k"], [45.0, 7.0, NAN]),
        ([1.5, 2.5, NAN], [1.5, 2.5, NAN]),
        (["١٢", "2"], [NAN, 2.0]),
        (["4503599627370497", "?"], [4503599627370497.0, NAN]),
    ],
)
def test_numbers_are_read_and_the_rest_is_missing(values, numbers):
    assert read(values)[0] == pytest.approx(numbers, nan_ok=True)


def test_what_is_no_number_is_counted_and_the_first_is_named():
    _, notes = read(["1", None, "n/k", "2", "12 m"])
    told = "Values of 'a' that are no numbers, taken as missing: 2, the first of them "
    assert notes == [told + "'n/k' in row 3."]
    assert read(["1", None, "2"])[1] == []


NO_NUMBERS = "column 'a' holds no numbers; do not name it as numeric"
DATES = "column 'a' holds dates, which are read as numeric parts already; do not name it as numeric"
TWO_WAYS = (
    "column 'a' holds numbers, such as '{}', that can be read in two ways; write them with a "
    "decimal point, without other signs and thousands separators"
)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["x", "y"], NO_NUMBERS),
        ([True, False], NO_NUMBERS),
        (["2020-01-01", "2020-01-02"], DATES),
        (["1,234", "?"], TWO_WAYS.format("1,234")),
        (["1.5", "1,5", "?"], TWO_WAYS.format("1.5")),
        (["7", "$5", "5 %", "n/k"], TWO_WAYS.format("$5")),
        (["(5)", "n/k"], TWO_WAYS.format("(5)")),
        ([[1], [2]], "column 'a' holds values that are neither numbers nor text; leave it out"),
    ],
)
def test_what_cannot_be_read_is_refused(values, sentence):
    with pytest.raises(InputError) as caught:
        read(values)
    assert str(caught.value) == sentence


def test_a_column_that_is_not_there():
    with pytest.raises(InputError, match="there is no column 'b'"):
        read_as_asked(pd.DataFrame({"a": [1]}), ["b"], [])


def houses():
    rng = np.random.default_rng(3)
    area, noise = rng.normal(size=400), rng.normal(size=400)
    area_text = pd.Series(area.astype(str))
    area_text[[4, 9]] = "unknown"
    price = pd.Series((2.0 * area + noise).astype(str))
    price[11] = "on request"
    return pd.DataFrame({"area": area_text, "noise": rng.normal(size=400), "price": price})


def test_an_audit_uses_the_numbers_and_says_what_was_none():
    table, numeric = houses(), ("area", "price")
    settings = AuditSettings(target="price", task="regression", numeric=numeric, remedies=("none",))
    result = audit(table, settings)
    pd.testing.assert_frame_equal(table, houses())  # the caller's, which is left as it was
    assert result.data.features == ["area", "noise"]
    assert result.data.rows_without_label == 1
    told = "Values of '{}' that are no numbers, taken as missing: {}, the first of them '{}'"
    assert result.notes[:3] == [
        told.format("area", 2, "unknown") + " in row 5.",
        told.format("price", 1, "on request") + " in row 12.",
        "Rows without a label, left out: 1.",
    ]
