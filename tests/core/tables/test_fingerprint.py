"""Fingerprints: the same for the same bytes or rows, and another for whatever differs."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, audit
from evencover.core.tables.fingerprint import (
    Origin,
    bytes_fingerprint,
    file_fingerprint,
    rows_fingerprint,
)

FRAME = pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "y"]}).assign(
    c=pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
    d=[0.1, np.nan, np.inf],
    e=pd.Categorical(["p", "q", "p"]),
)


def test_a_file_s_is_that_of_its_bytes(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n1,2\n")
    expected = "sha256:" + hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    assert file_fingerprint(path) == bytes_fingerprint(b"a,b\n1,2\n") == expected


def test_the_same_rows_have_the_same():
    mark = rows_fingerprint(FRAME)
    assert mark == rows_fingerprint(FRAME.copy())
    assert mark == rows_fingerprint(FRAME.set_axis([7, 7, 9]))
    assert mark.startswith("rows-sha256:")


@pytest.mark.parametrize(
    "other",
    [
        FRAME.assign(a=[1, 2, 4]),
        FRAME.assign(a=[1.0, 2.0, 3.0]),
        FRAME.assign(b=["x", "", "y"]),
        FRAME.assign(d=[0.1, np.nan, -np.inf]),
        FRAME.rename(columns={"a": "A"}),
        FRAME[["b", "a", "c", "d", "e"]],
        FRAME.iloc[::-1],
        FRAME.head(2),
        FRAME.drop(columns="e"),
        FRAME.assign(e=FRAME["e"].astype(str)),
    ],
)
def test_other_rows_have_another(other):
    assert rows_fingerprint(other) != rows_fingerprint(FRAME)


def test_lists_and_two_columns_of_one_name_have_one_too():
    odd = pd.DataFrame({"a": [[1], [2]], "b": [{}, 3]})
    assert rows_fingerprint(odd) == rows_fingerprint(odd.copy())
    assert rows_fingerprint(odd) != rows_fingerprint(odd.assign(a=[[1], [3]]))
    twice = FRAME.set_axis(["a"] * 5, axis=1)
    assert rows_fingerprint(twice) == rows_fingerprint(twice.copy())


def test_a_result_tells_what_it_was_made_of():
    table = pd.DataFrame({"x": np.arange(90.0) % 7, "y": np.arange(90.0) % 13})
    settings = AuditSettings(target="y", task="regression", search="paper")
    assert audit(table, settings).data.fingerprint == rows_fingerprint(table)
    assert audit(table, settings, origin=Origin("t", "sha256:0")).data.fingerprint == "sha256:0"
