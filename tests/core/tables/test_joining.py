"""A second table brought to the rows of the first, beside pandas' own merge."""

import numpy as np
import pandas as pd
import pytest

from evencover.core import InputError
from evencover.core.tables.table import Table, joined

BIG = 2**53 + 1


def tables(**other):
    main = Table.of(pd.DataFrame({"key": [3, 1, 2, 1, 9], "x": [0.1, 0.2, 0.3, 0.4, 0.5]}))
    return main, Table.of(pd.DataFrame(other))


def test_columns_come_to_the_rows_of_their_key_as_in_a_merge():
    main, other = tables(key=[1, 2, 3, 4], sex=["F", "M", "M", "F"], account=[BIG, 2, 3, 4])
    found = joined(main, other, "key", "who.csv")
    expected = main.frame.merge(other.frame.astype({"account": "Int64"}), on="key", how="left")
    pd.testing.assert_frame_equal(found.frame, expected, check_dtype=False)
    assert found.frame["account"][1] == BIG
    assert found.kinds == {"key": "number", "x": "number", "sex": "category", "account": "number"}


def test_what_is_unmet_unused_repeated_or_without_a_key_is_counted():
    keys = [1, 2, 2, 3, np.nan, 7, 8]
    main, other = tables(key=keys, sex=["F", "M", "M", "M", "F", "F", "F"])
    notes = joined(main, other, "key", "who.csv").notes
    assert [vars(note)["values"]["count"] for note in notes] == [1, 1, 1, 2]


def test_keys_meet_as_text_and_as_numbers():
    main, other = tables(key=["1", "2 ", "3"], sex=["F", "M", "X"])
    assert joined(main, other, "key", "who.csv").frame["sex"].tolist()[:4] == ["X", "F", "M", "F"]


@pytest.mark.parametrize(
    ("other", "code", "told"),
    [
        ({"key": [1, 2, 2], "sex": ["F", "M", "F"]}, "join.several", {"value": "2", "rows": 2}),
        ({"key": [11, 12], "sex": ["F", "M"]}, "join.no_key_met", {"one": "3", "other": "11"}),
        ({"key": [None, None], "sex": ["F", "M"]}, "join.no_key_met", {"other": "(missing)"}),
        ({"key": [1, 2], "x": [1, 2]}, "join.same_name", {"column": "x"}),
        ({"ky": [1, 2], "sex": ["F", "M"]}, "column.unknown", {"column": "key"}),
    ],
)
def test_what_cannot_be_joined_is_refused(other, code, told):
    main, second = tables(**other)
    with pytest.raises(InputError) as caught:
        joined(main, second, "key", "who.csv")
    assert caught.value.sentence.code == code
    assert told.items() <= vars(caught.value.sentence)["values"].items()
