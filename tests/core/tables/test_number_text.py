"""Numbers written as text: no thousand taken for a decimal, none guessed."""

import numpy as np
import pandas as pd
import pytest

from evencover.core.tables.number_text import Style, style_of, to_numbers
from evencover.core.tables.reading import parse_table


@pytest.mark.parametrize(
    ("values", "style"),
    [
        (["1,5", "2"], Style.COMMA),
        (["1.234,5", "2"], Style.COMMA),
        (["0,123"], Style.COMMA),
        (["12345,678"], Style.COMMA),
        (["-1,5", "+2,25"], Style.COMMA),
        (["1,234,567"], Style.POINT),
        (["1,234.5", "7"], Style.POINT),
        (["1 234", "12 345 678"], Style.POINT),
        (["1'234.5"], Style.POINT),
        (["1\u00a0234"], Style.POINT),
        (["1e5", "2.5"], Style.POINT),
        (["1,234"], Style.IN_DOUBT),
        (["1.234"], Style.IN_DOUBT),
        (["1,234", "7"], Style.IN_DOUBT),
        (["1,5", "2.5"], None),
        (["1,5", "x"], None),
        (["12,34,5"], None),
        (["١٢", "٣٫٥"], None),
        (["１２,５"], None),
        (["2020-01-01"], None),
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


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a;b\n1,5;2\n2,25;3\n", {"a": [1.5, 2.25], "b": [2, 3]}),
        ('a,b\n"1,234",2\n"5,678",3\n', {"a": [1234, 5678], "b": [2, 3]}),
        ("a;b;c\n1,234;1,5;x\n5,678;2,5;y\n", {"a": [1.234, 5.678], "b": [1.5, 2.5]}),
        ("a;b\n1 234;2\n12 345;3\n", {"a": [1234, 12345]}),
        ("a;b\n1.234,5;12.5\n2,5;3.0\n", {"a": [1234.5, 2.5], "b": [12.5, 3.0]}),
        ("a,b\n١٢,2\n٣,3\n", {"a": ["١٢", "٣"], "b": [2, 3]}),
    ],
)
def test_files_of_either_style_are_read(text, columns):
    frame = parse_table(text.encode(), "t.csv").frame
    assert {name: frame[name].tolist() for name in columns} == columns
