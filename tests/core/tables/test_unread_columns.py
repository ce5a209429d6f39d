"""Columns that play no part: not fetched from a Parquet file, and the result is the same."""

import functools
import gzip

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from written import zipped

from evencover.core.errors import InputError
from evencover.core.preparation.roles import columns_in_use
from evencover.core.preparation.settings import AuditSettings
from evencover.core.report.audit import audit
from evencover.core.report.result import to_json
from evencover.core.tables.reading import read_chosen, read_table

NAMES = ["a", "b", "place", "unused", "y"]
NOT_UNUSED = ["a", "b", "place", "y"]


def draw(n=400):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=["a", "b", "unused", "y"]).round(4)
    frame.insert(2, "place", rng.choice(["Ayr", "Bude"], n))
    return frame


def spoiled(path, column):
    """Overwrite a column's values where they are stored."""
    group = pq.ParquetFile(path).metadata.row_group(0)
    chunk = group.column(pq.read_schema(path).names.index(column))
    first = chunk.dictionary_page_offset or chunk.data_page_offset
    content = bytearray(path.read_bytes())
    content[first : first + chunk.total_compressed_size] = b"\xee" * chunk.total_compressed_size
    path.write_bytes(content)


def audited(path, settings):
    frame, unread = read_chosen(path, functools.partial(columns_in_use, settings=settings))
    plain = to_json(audit(frame, settings, unread=unread))
    return {k: v for k, v in plain.items() if k not in ("seconds", "iterations")}, unread


@pytest.fixture
def path(tmp_path):
    draw().to_parquet(tmp_path / "t.parquet", index=False)
    return tmp_path / "t.parquet"


@pytest.mark.parametrize(
    ("options", "in_use"),
    [
        ({}, NAMES),
        ({"drop": ("unused",)}, NOT_UNUSED),
        ({"features": ("b", "a")}, ["a", "b", "y"]),
        ({"features": ("a",), "audit_only": ("place",)}, ["a", "place", "y"]),
        ({"features": ("a",), "group": "place"}, ["a", "place", "y"]),
        ({"features": ("a",), "time": "b"}, ["a", "b", "y"]),
        ({"features": ("a",), "split_column": "place", "drop": ("b",)}, ["a", "place", "y"]),
        ({"features": ("a",), "categorical": ("b",)}, ["a", "y"]),
    ],
)
def test_the_columns_in_use(options, in_use):
    assert columns_in_use(NAMES, AuditSettings(target="y", **options)) == in_use


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"drop": ("unusd",)}, "there is no column 'unusd'; did you mean 'unused'"),
        ({"features": ("place", "q")}, "there is no column 'q'; the columns are a, b, place"),
        ({"target": "z"}, "there is no column 'z'"),
        ({"drop": ("y",)}, "column 'y' is given as the label and as left out"),
    ],
)
def test_names_are_checked_before_anything_is_read(options, sentence, path):
    spoiled(path, "y")
    with pytest.raises(InputError, match=sentence):
        audited(path, AuditSettings(**{"target": "y"} | options))


@pytest.mark.parametrize("options", [{"drop": ("unused",)}, {"features": ("a", "b", "place")}])
@pytest.mark.long
def test_a_column_out_of_use_is_not_fetched(options, path):
    settings = AuditSettings(target="y", **options)
    whole = to_json(audit(read_table(path).frame, settings))
    spoiled(path, "unused")
    with pytest.raises(InputError, match="cannot be read"):
        read_table(path)
    result, unread = audited(path, settings)
    assert unread == ["unused"]
    marks = [plain["data"].pop("fingerprint") for plain in (result, whole)]
    assert marks[0] != marks[1]  # of the columns that were read
    assert result == {name: whole[name] for name in result}
    dropped = [(row["column"], row["reason"]) for row in result["data"]["dropped"]]
    assert dropped == [(name, "left out as asked") for name in settings.drop]


@pytest.mark.parametrize("packed", [gzip.compress, lambda content: zipped({"t": content})])
def test_a_packed_file_is_parsed_in_part_as_well(packed, path):
    spoiled(path, "unused")
    path.write_bytes(packed(path.read_bytes()))
    table, unread = read_chosen(path, lambda names: [name for name in names if name != "unused"])
    pd.testing.assert_frame_equal(table.frame, draw()[NOT_UNUSED])
    assert unread == ["unused"]


def test_other_formats_are_read_whole(tmp_path):
    draw().to_csv(tmp_path / "t.csv", index=False)
    table, unread = read_chosen(tmp_path / "t.csv", lambda _: ["y"])
    assert table.names == NAMES
    assert unread == []


@pytest.mark.long
def test_repeats_know_of_unread_columns_too(path):
    settings = AuditSettings(target="y", drop=("unused",), repeats=2)
    frame, unread = read_chosen(path, functools.partial(columns_in_use, settings=settings))
    one, other = audit(read_table(path).frame, settings), audit(frame, settings, unread=unread)
    assert repr(one.repeats) == repr(other.repeats)
